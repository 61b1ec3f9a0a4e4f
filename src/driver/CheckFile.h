//===- CheckFile.h - What is wrong with a file of kernels ---------------------===//
#pragma once

#include "driver/CheckRequest.h"
#include "driver/Compiler.h"

namespace gluonc::driver {

/// A kernel compiled as a comment above it asks.
struct CheckedKernel {
  std::shared_ptr<const sema::Function> kernel;
  CheckRequest request;
  KernelArguments arguments;
  /// Its IR after all passes; null after a report.
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Reports names, calls, layouts and shapes that are wrong whatever the arguments are
/// (sema::check), then, for each request above a kernel (CheckRequest.h), what is wrong for these
/// arguments, up to where code is generated. Nothing is said twice about one place. After a syntax
/// error names are missing that the user did write; call it with a sink that ignores.
std::vector<CheckedKernel> checkFile(Compiler &compiler, sema::Program &program,
                                     sema::Module &module, diag::Sink &sink,
                                     const sema::ValueObserver &observer = {});

} // namespace gluonc::driver
