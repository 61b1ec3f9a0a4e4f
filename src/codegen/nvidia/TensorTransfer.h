//===- TensorTransfer.h - How tensors move from and to tensor memory ---------------===//
#pragma once

#include "codegen/core/Emitter.h"
#include "ir/Dialects.h"
#include "layout/plan/TensorMemoryAccess.h"

namespace gluonc::codegen::nvidia {

/// How a tensor moves from or to a view.
struct Transfer {
  layout::TensorMemoryAccess access;
  /// Where the warp begins.
  llvm::Value *address;
};

/// Nullopt where no instruction moves it.
std::optional<Transfer> planTransfer(Emitter &emitter, mlir::Operation *op,
                                     mlir::RankedTensorType tensor, mlir::Value view);

/// "32x32b.x64", with what packs.
std::string shapeText(const layout::TensorMemoryAccess &access, llvm::StringRef packing);
/// ", 32": where the second half of 16x32bx2 begins.
std::string halfText(const layout::TensorMemoryAccess &access);
/// "{$8, $9}"
std::string registerList(unsigned first, unsigned count);

/// A load that also gives the least or largest of each row.
mlir::LogicalResult emitReducingLoad(Emitter &emitter, ttng::TMEMLoadOp op);

} // namespace gluonc::codegen::nvidia
