//===- Combine.cpp - Sums of products that one operation computes ------------------===//
#include "assign/Assign.h"
#include "ir/OpenLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gluonc {
namespace {

bool isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat());
}

/// The sum of a product and something else, if nothing else uses the product.
Operation *sumOf(tt::DotOp dot) {
  if (!isZero(dot.getC()) || !dot->hasOneUse())
    return nullptr;
  Operation *user = *dot->user_begin();
  return isa<arith::AddFOp, arith::AddIOp>(user) && user->getBlock() == dot->getBlock() ? user
                                                                                        : nullptr;
}

struct CombinePass : PassWrapper<CombinePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CombinePass)
  llvm::StringRef getArgument() const override { return "gluonc-combine-sums"; }
  llvm::StringRef getDescription() const override {
    return "Add products to sums as they are made";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp dot) { dots.push_back(dot); });
    for (tt::DotOp dot : dots) {
      // Sums of 8-bit floats that leave the instruction now and then are added outside of it. Of a
      // sum of two products the second has the first for its own.
      Operation *sum = dot.getMaxNumImpreciseAcc() ? nullptr : sumOf(dot);
      if (!sum)
        continue;
      Value other = sum->getOperand(sum->getOperand(0) == dot.getD() ? 1 : 0);
      // What is added may be computed behind the product.
      dot->moveBefore(sum);
      dot.getCMutable().assign(other);
      sum->getResult(0).replaceAllUsesWith(dot.getD());
      sum->erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createCombinePass() { return std::make_unique<CombinePass>(); }

} // namespace gluonc
