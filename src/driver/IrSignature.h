//===- IrSignature.h - What a kernel that is given as IR takes -----------------===//
//
// IR from text has passed its verifiers, which know nothing of launches: here is what
// a launch needs beyond them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "diag/Diagnostic.h"
#include "sema/builtins/Context.h"
#include "sema/value/ArgSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace gluonc::driver {

struct IrSignature {
  std::string kernel;
  /// All of them Runtime or Descriptor: what was known at compile time has left no trace.
  std::vector<sema::ArgSpec> arguments;
  /// Warps, CTAs and maxnreg of the module; not its target.
  sema::Options options;
};

/// The signature of the one kernel of `module`. Nullopt after a report.
std::optional<IrSignature> readSignature(mlir::ModuleOp module, const diag::SourceManager &sources,
                                         diag::Sink &sink);

/// Whether `module` can be compiled for `target`: another chip of the same vendor with as many
/// threads in a warp may do. False after a report.
bool isForTarget(mlir::ModuleOp module, const target::Target &target,
                 const diag::SourceManager &sources, diag::Sink &sink);

} // namespace gluonc::driver
