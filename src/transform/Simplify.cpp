//===- Simplify.cpp -----------------------------------------------------------===//
//
// The greedy rewriter over the folds and patterns of the dialects in use, then
// common subexpressions. Patterns are collected once per pass instance; kernels
// are small, so setting up costs as much as running.
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "transform/Pipeline.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace gluonc {
namespace {

struct SimplifyPass : PassWrapper<SimplifyPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)
  llvm::StringRef getArgument() const override { return "gluonc-simplify"; }
  llvm::StringRef getDescription() const override {
    return "Fold, drop dead code and merge common subexpressions, keeping every layout";
  }

  FrozenRewritePatternSet patterns;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (RegisteredOperationName op : context->getRegisteredOperations()) {
      // Anything else that happens to be loaded is not ours to rewrite.
      llvm::StringRef dialect = op.getDialectNamespace();
      if (dialect == "arith" || dialect == "scf" || dialect == "cf" || dialect == "tt" ||
          dialect == "ttg")
        op.getCanonicalizationPatterns(set, context);
    }
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // Operands before users, so one sweep usually settles it.
    config.setUseTopDownTraversal();
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    IRRewriter rewriter(&getContext());
    for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>()) {
      (void)applyPatternsGreedily(function, patterns, config);
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
    }
  }
};

} // namespace

std::unique_ptr<Pass> createSimplifyPass() { return std::make_unique<SimplifyPass>(); }

} // namespace gluonc
