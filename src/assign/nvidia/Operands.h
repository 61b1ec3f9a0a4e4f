//===- Operands.h - Operands of tensor cores in shared memory ----------------------===//
//
// What wgmma and tcgen05 have in common: operands that they read from shared memory, and
// sums that begin at zero.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/Products.h"

namespace gluonc::assign {

/// Makes a product tcgen05, which takes four warps and more; false where that does not take it.
bool chooseTensorMemoryProduct(tt::DotOp dot, const target::Target &target, ThreadCounts threads);

/// Whether the contiguous dim of what `value` was loaded as is its first one.
bool isFirstDimContiguous(mlir::Value value);
/// Whether `value` is in memory, or comes around a loop, as it is.
bool isLoaded(mlir::Value value);

/// What a product is added to.
struct Sum {
  mlir::Value value;
  /// Where it is none, `value` is added; else where it does not hold, and zero elsewhere.
  mlir::Value begins;
};
/// What a product is added to, which a branch may set to zero.
Sum sumOf(tt::DotOp dot);
/// Whether all elements are known to be zero.
bool isZero(mlir::Value value);
/// Whether `sum` is added, as a value at `builder`; null: always.
mlir::Value addsSum(mlir::OpBuilder &builder, tt::DotOp dot, const Sum &sum);

mlir::Value convertTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      const layout::Layout &layout);
/// The buffer in shared memory that `block` lies in, contiguous along its first dim or its last.
ttg::MemDescType bufferType(mlir::Value block, bool isTransposed, bool isMutable);
/// An operand of `dot` in shared memory.
mlir::Value inShared(mlir::OpBuilder &builder, tt::DotOp dot, mlir::Value operand,
                     bool isTransposed);

} // namespace gluonc::assign
