//===- ModuleState.h - What the functions of one module share ----------------===//
#pragma once

#include "codegen/core/Isa.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace gluonc::codegen {

class DebugInfo;
class Libraries;

/// What the functions of one module share.
struct ModuleState {
  llvm::Module &module;
  const Isa &isa;
  const target::Target &target;
  const Options &options;
  const KernelInfo &kernel;
  /// Null unless line information was asked for.
  DebugInfo *debug;
  /// What kernels may call.
  const Libraries &libraries;
  /// Where the CTA's dynamic shared memory begins.
  llvm::Constant *shared = nullptr;
  llvm::DenseMap<mlir::Operation *, llvm::Function *> functions =
      llvm::DenseMap<mlir::Operation *, llvm::Function *>();
  /// The first operation that could not be emitted.
  std::optional<UnsupportedError> failure = std::nullopt;
};

} // namespace gluonc::codegen
