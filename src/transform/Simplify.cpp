//===- Simplify.cpp -----------------------------------------------------------===//
//
// The greedy rewriter over the folds and patterns of the dialects in use, then
// common subexpressions. Patterns are collected once per pass instance; kernels
// are small, so setting up costs as much as running.
//
// Partitions of a warp_specialize capture each value once, none that they do not
// use, and make constants themselves: captures travel through shared memory.
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

/// What stands for a capture in a partition from now on: the argument for an earlier capture of the
/// same value, or a constant of its own. Null if the capture stays.
Value replacementIn(Region &partition, unsigned capture, OperandRange captures) {
  auto earlier = llvm::find(captures, captures[capture]);
  const auto first = unsigned(earlier - captures.begin());
  if (first != capture)
    return partition.getArgument(first);
  Operation *producer = captures[capture].getDefiningOp();
  if (!producer || !producer->hasTrait<OpTrait::ConstantLike>())
    return {};
  OpBuilder builder = OpBuilder::atBlockBegin(&partition.front());
  return builder.clone(*producer)->getResult(0);
}

void narrowCaptures(ttg::WarpSpecializePartitionsOp partitions) {
  MutableOperandRange captures = partitions.getExplicitCapturesMutable();
  for (unsigned i = captures.size(); i-- > 0;) {
    bool isUsed = false;
    for (Region &partition : partitions.getPartitionRegions()) {
      BlockArgument argument = partition.getArgument(i);
      if (argument.use_empty())
        continue;
      if (Value other = replacementIn(partition, i, partitions.getExplicitCaptures()))
        argument.replaceAllUsesWith(other);
      else
        isUsed = true;
    }
    if (isUsed)
      continue;
    for (Region &partition : partitions.getPartitionRegions())
      partition.eraseArgument(i);
    captures.erase(i);
  }
}

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
      function.walk(narrowCaptures);
      (void)applyPatternsGreedily(function, patterns, config);
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
      function.walk(narrowCaptures);
    }
  }
};

} // namespace

std::unique_ptr<Pass> createSimplifyPass() { return std::make_unique<SimplifyPass>(); }

} // namespace gluonc
