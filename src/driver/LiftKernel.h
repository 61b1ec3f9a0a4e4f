//===- LiftKernel.h - What the compiler chose for a kernel, as Gluon ---------------===//
#pragma once

#include "driver/Compiler.h"

namespace gluonc::driver {

struct LiftOptions {
  /// How the code is made that both kernels are compared by.
  CodeOptions code;
  /// The command line that asks for it, for the head of the file; empty where there is none.
  std::string command = "";
  /// Gives the text without comparing.
  bool isUnchecked = false;
};

/// A file of Gluon whose kernel has the name and the parameters of `source.kernel`, and compiles to
/// the same assembly for `source.arguments`. A descriptor without a layout becomes its pointer,
/// extents and strides. Nullopt after a report.
std::optional<std::string> liftKernel(Compiler &compiler, const KernelSource &source,
                                      const LiftOptions &options, diag::Sink &sink);

} // namespace gluonc::driver
