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
Sum sumOf(mlir::Value sum);
/// Whether the sum `c` is added, as a value at `builder`; null: always.
mlir::Value addsSum(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value c, const Sum &sum);

mlir::Value convertTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      const layout::Layout &layout);
/// The buffer in shared memory that `block` lies in, contiguous along its first dim or its last.
/// `isPadded`: bytes of two elements of 4 bits have room for one each. CTAs share it by `cga`.
ttg::MemDescType bufferType(mlir::Value block, bool isTransposed, bool isMutable,
                            bool isPadded = false, const layout::BasisList &cga = {});
/// An operand of a product in shared memory.
mlir::Value inShared(mlir::OpBuilder &builder, mlir::Operation *product, mlir::Value operand,
                     bool isTransposed, bool isPadded = false, const layout::BasisList &cga = {});

/// The sum of a product in tensor memory.
struct SumPlace {
  mlir::Value buffer;
  /// Whether the product adds to it.
  mlir::Value adds;
  layout::Layout registers;
  /// The load that gave what is added, if nothing else takes it.
  ttng::TMEMLoadOp before;
};
/// The load whose buffer `product` can go on with, as nothing else takes what it adds, `c`; else
/// null.
ttng::TMEMLoadOp sumBefore(mlir::Operation *product, mlir::Value c, ttg::MemDescType type);
/// Stores `c` where `product` can add to it, unless it begins with zero.
SumPlace placeSum(mlir::OpBuilder &builder, mlir::Operation *product, mlir::Value c,
                  ttg::MemDescType type, const layout::Layout &registers);
/// Loads the sum in place of `product`, which has become one of tensor memory.
void takeSum(mlir::OpBuilder &builder, mlir::Operation *product, const SumPlace &sum);

} // namespace gluonc::assign
