//===- UnrollLoops.cpp - Several iterations as one ---------------------------------===//
//
// A loop whose author asks for it (`tt.loop_unroll_factor`) makes as many iterations at
// once; those that are left over are a loop of their own, which loads nothing ahead.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/OpenLayouts.h"
#include "ir/UnrollLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gluonc {
namespace {

struct UnrollLoopsPass : PassWrapper<UnrollLoopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoopsPass)
  llvm::StringRef getArgument() const override { return "gluonc-unroll-loops"; }
  llvm::StringRef getDescription() const override { return "Unroll loops that ask for it"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    if (!choosesLayouts(getOperation()))
      return;
    // Inner ones first.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(unrollFactorAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      unroll(loop);
  }

  static void unroll(scf::ForOp loop) {
    if (scf::ForOp rest = unrollAsAsked(loop))
      rest->setAttr(numStagesAttr, Builder(loop.getContext()).getI32IntegerAttr(1));
  }
};

} // namespace

std::unique_ptr<Pass> createUnrollLoopsPass() { return std::make_unique<UnrollLoopsPass>(); }

} // namespace gluonc
