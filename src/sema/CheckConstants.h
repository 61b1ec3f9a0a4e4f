//===- CheckConstants.h - What kernels compute without their arguments --------===//
#pragma once

#include "sema/names/Program.h"

#include <memory>

namespace gluonc::sema {

/// Evaluates, for `gluonc check`, the expressions of kernels in which no argument takes part, and
/// reports layouts, shapes and ranges that cannot be, and compile-time values in variables that
/// hold none. Such an error does not depend on the chip or on the number of warps: whoever reaches
/// the place meets it. Nothing is said of what may never be evaluated: the rest of `and`, `or` and
/// conditional expressions, and branches that a known condition does not take.
class ConstantChecker {
public:
  ConstantChecker(Program &program, diag::Sink &sink);
  ~ConstantChecker();

  void run(const Function &function);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace gluonc::sema
