//===- Products.h - What surrounds a matrix product ----------------------------===//
//
// What the choice of an instruction looks at, whoever made the chip, and the seam to
// the vendors' folders.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/Settle.h"
#include "ir/tt/Coalescing.h"
#include "target/Target.h"

#include "llvm/ADT/SetVector.h"

namespace gluonc::assign {

/// States the layouts of a product by the chip's instructions, or makes it another operation.
/// Leaves what no instruction takes.
void chooseNvidiaProduct(tt::DotOp dot, const target::Target &target, ThreadCounts threads);
void chooseAmdProduct(tt::DotOp dot, const target::Target &target, ThreadCounts threads);

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
unsigned bitsOf(mlir::Value value);

/// Why a product is not one of tensor memory.
std::string whyNoTensorMemoryProduct(tt::DotOp dot, const target::Target &target,
                                     ThreadCounts threads);

/// Whether all elements are known to be zero.
bool isZero(mlir::Value value);

/// Whether `op` is a matrix product, by whatever instruction.
bool isProduct(mlir::Operation *op);
/// Whether `op` computes elements from those at the same places, or only moves them.
bool isPassedThrough(mlir::Operation *op);
/// The operations that an operand of a product is computed by, as far as they are in its block.
llvm::SetVector<mlir::Operation *> chainBehind(mlir::Value operand, mlir::Block *block);

/// Whether `dot` computes an operand of another product of its block.
bool feedsProduct(mlir::Operation *dot);
/// Whether another product of the block computes `operand` of `dot`.
bool comesFromProduct(mlir::Operation *dot, mlir::Value operand);
bool comesFromProduct(mlir::Operation *dot);

/// Layouts of `dot` by that of its sum, with `kWidth` neighbours along K in a thread.
void stateProduct(tt::DotOp dot, const layout::Layout &sum, int64_t kWidth);
/// Gives an operand of `dot` another type of floats.
void castOperand(tt::DotOp dot, mlir::OpOperand &operand, mlir::Type element);

} // namespace gluonc::assign
