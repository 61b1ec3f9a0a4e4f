//===- Unfinished.h - Evaluations that will not come to an end ---------------===//
#pragma once

namespace gluonc::sema {

class Program;
class WorkScope;

/// Forgets what was half evaluated when an internal error, or a fork, took away whoever evaluated:
/// names at module level are evaluated anew when they are reached. Nothing may be evaluating.
void forgetUnfinished(Program &program);

/// How deep this thread was in evaluations (Work.h), to go back there when scopes have gone without
/// their ends.
class WorkMark {
public:
  WorkMark();
  void goBack() const;

private:
  WorkScope *innermost;
  unsigned depth;
};

} // namespace gluonc::sema
