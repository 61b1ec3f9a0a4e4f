//===- Writes.h - What code writes to global memory --------------------------------===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc::assign {

/// The argument of the function that pointers or a descriptor were computed from; null where that
/// is hard to say. Tensors that a kernel takes as different arguments are different ones.
mlir::Value baseOf(mlir::Value pointers);

/// Pointers and descriptors that code writes through.
struct Writes {
  llvm::SmallVector<mlir::Value> targets;

  /// Whether they may change what is loaded through `pointers` or a descriptor.
  bool mayChange(mlir::Value pointers) const;
};

/// What `root` writes to global memory; nullopt where that is not all, or where threads meet for
/// reasons of their own, which loads must not pass.
std::optional<Writes> writesIn(mlir::Operation *root);

} // namespace gluonc::assign
