//===- TensorMemoryProduct.h - Products of tensor memory, with scales or without ----===//
#pragma once

#include "ir/Dialects.h"

namespace gluonc::assign {

/// `ttng.tc_gen5_mma` or `ttng.tc_gen5_mma_scaled`; null for other operations.
class TensorMemoryProduct {
  template <typename F> auto visit(F f) const {
    if (auto scaled = mlir::dyn_cast<ttng::TCGen5MMAScaledOp>(op))
      return f(scaled);
    return f(mlir::cast<ttng::TCGen5MMAOp>(op));
  }

  mlir::Operation *op = nullptr;

public:
  TensorMemoryProduct() = default;
  explicit TensorMemoryProduct(mlir::Operation *op)
      : op(op && mlir::isa<ttng::TCGen5MMAOp, ttng::TCGen5MMAScaledOp>(op) ? op : nullptr) {}
  explicit operator bool() const { return op != nullptr; }
  mlir::Operation *operation() const { return op; }
  mlir::Operation *operator->() const { return op; }

  mlir::Value getA() const {
    return visit([](auto product) -> mlir::Value { return product.getA(); });
  }
  mlir::Value getB() const {
    return visit([](auto product) -> mlir::Value { return product.getB(); });
  }
  /// The buffer of the sum.
  mlir::Value getD() const {
    return visit([](auto product) -> mlir::Value { return product.getD(); });
  }
  mlir::Value getUseD() const {
    return visit([](auto product) -> mlir::Value { return product.getUseD(); });
  }
  void setUseD(mlir::Value value) const {
    visit([&](auto product) { product.getUseDMutable().assign(value); });
  }
  bool getIsAsync() const {
    return visit([](auto product) -> bool { return product.getIsAsync(); });
  }
  void setIsAsync() const {
    visit([](auto product) { product.setIsAsync(true); });
  }
  /// It arrives at the barrier when it is over.
  void addBarrier(mlir::Value barrier, mlir::Value predicate) const {
    visit([&](auto product) {
      product.getBarriersMutable().append(barrier);
      product.getBarrierPredsMutable().append(predicate);
    });
  }
  /// The buffers that it reads beside the sum.
  llvm::SmallVector<mlir::Value, 4> getOperands() const {
    llvm::SmallVector<mlir::Value, 4> operands{getA(), getB()};
    if (auto scaled = mlir::dyn_cast<ttng::TCGen5MMAScaledOp>(op))
      operands.append({scaled.getAScale(), scaled.getBScale()});
    return operands;
  }
};

/// The operation of the function's body that `op` is, or is in.
mlir::Operation *outermost(mlir::Operation *op);
/// Columns of all buffers of tensor memory that are allocated in `op`, or used there.
int64_t tensorColumnsOf(mlir::Operation *op);

} // namespace gluonc::assign
