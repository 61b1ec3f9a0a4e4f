//===- LateProducts.h - Products of tensor memory that go on over iterations --------===//
//
// A product whose sum stays in tensor memory over a loop may still run when its iteration is
// over. Something in the next iteration has to wait for it: what touches the sum, what stores an
// operand where it reads it, or the copy that takes a buffer again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "assign/BoxCopies.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace gluonc::assign {

struct LateProducts {
  /// In the order of the body.
  llvm::SmallVector<TensorMemoryProduct, 2> products;
  /// Allocations of the body that store operands: they need one buffer for all iterations.
  llvm::SmallVector<mlir::Operation *, 2> stored;
  /// Before this operation of the body those of the iteration before are over; null: at its end.
  mlir::Operation *end = nullptr;

  bool empty() const { return products.empty(); }
  /// Whether it is the last one.
  bool isLast(mlir::Operation *op) const { return !empty() && op == products.back().operation(); }
  bool contains(mlir::Operation *op) const {
    return llvm::any_of(products, [&](TensorMemoryProduct each) { return each.operation() == op; });
  }
};

/// Those of a loop. `isStable` says of a buffer that copies fill it, or that the loop leaves it
/// alone.
LateProducts findLateProducts(mlir::scf::ForOp loop,
                              llvm::function_ref<bool(mlir::Value)> isStable);

/// Carries them out in a loop that is made anew, with barriers for each turn.
class RunningProducts {
public:
  /// Allocates before the loop what they need.
  RunningProducts(mlir::OpBuilder &builder, mlir::Location loc, const LateProducts &late,
                  int64_t slots);

  /// Before the clone of `op`: waits where it is time to.
  void before(mlir::OpBuilder &builder, mlir::Operation &op, Turn turn) const;
  /// Stores the operand in place of the clone of `op`, if it is one that is stored.
  bool store(mlir::OpBuilder &builder, mlir::Operation &op, mlir::IRMapping &map) const;
  /// Behind the clone `made` of `op`.
  void behind(mlir::OpBuilder &builder, mlir::Operation &op, mlir::Operation &made,
              Turn turn) const;
  /// At the end of the body.
  void atEnd(mlir::OpBuilder &builder, Turn turn) const;
  /// Behind the loop, at turn `after`.
  void finish(mlir::OpBuilder &builder, Turn after) const;

private:
  void awaitBefore(mlir::OpBuilder &builder, Turn turn) const;
  bool isSum(mlir::Value buffer) const;

  mlir::Location loc;
  const LateProducts &late;
  int64_t slots;
  BoxBarriers over;
  /// By number of stored operand.
  llvm::SmallVector<mlir::Value, 2> buffers;
};

} // namespace gluonc::assign
