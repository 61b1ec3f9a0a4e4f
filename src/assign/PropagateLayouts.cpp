//===- PropagateLayouts.cpp ---------------------------------------------------===//
#include "assign/Assign.h"
#include "assign/Plan.h"
#include "ir/Report.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace gluonc {
namespace {

struct PropagateLayoutsPass : PassWrapper<PropagateLayoutsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PropagateLayoutsPass)
  explicit PropagateLayoutsPass(bool allDefault) : allDefault(allDefault) {}
  llvm::StringRef getArgument() const override {
    return allDefault ? "gluonc-default-layouts" : "gluonc-propagate-layouts";
  }
  llvm::StringRef getDescription() const override {
    return allDefault ? "Give every open tensor the default layout of its shape"
                      : "Give every open tensor a layout by those that are stated";
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      if (function.isExternal()) {
        assign::giveSignature(function);
        continue;
      }
      assign::eraseUnused(function);
      assign::Plan plan(function);
      if (allDefault)
        plan.chooseDefaults();
      else
        plan.choose();
      plan.apply();
      assign::eraseUnused(function);
      // What was made or converted for several operations is one value again.
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
    }
  }

  bool allDefault;
};

struct FinishLayoutsPass : PassWrapper<FinishLayoutsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FinishLayoutsPass)
  llvm::StringRef getArgument() const override { return "gluonc-finish-layouts"; }
  llvm::StringRef getDescription() const override { return "Check that every tensor has a layout"; }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    getOperation()->removeAttr(choosesLayoutsAttr);
    WalkResult result = getOperation().walk([](Operation *op) {
      auto isLeft = [&](TypeRange types) { return llvm::any_of(types, isOpen); };
      bool left = isLeft(op->getResultTypes());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          left |= isLeft(block.getArgumentTypes());
      if (!left)
        return WalkResult::advance();
      report(diag::Kind::LayoutUndecided, op->getLoc());
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createPropagateLayoutsPass(bool allDefault) {
  return std::make_unique<PropagateLayoutsPass>(allDefault);
}

std::unique_ptr<Pass> createFinishLayoutsPass() { return std::make_unique<FinishLayoutsPass>(); }

} // namespace gluonc
