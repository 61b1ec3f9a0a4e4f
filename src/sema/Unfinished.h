//===- Unfinished.h - Evaluations that will not come to an end ---------------===//
#pragma once

namespace gluonc::sema {

class Program;

/// Forgets what was half evaluated when an internal error, or a fork, took away whoever evaluated:
/// names at module level are evaluated anew when they are reached. Nothing may be evaluating.
void forgetUnfinished(Program &program);

} // namespace gluonc::sema
