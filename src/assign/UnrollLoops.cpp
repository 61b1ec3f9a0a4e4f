//===- UnrollLoops.cpp - Several iterations as one ---------------------------------===//
//
// A loop whose author asks for it (`tt.loop_unroll_factor`) makes as many iterations at
// once; those that are left over are a loop of their own, which loads nothing ahead.
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/OpenLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;

namespace gluonc {
namespace {

constexpr llvm::StringLiteral factorAttr = "tt.loop_unroll_factor";
/// It is a hint: one that makes a loop longer than this is not followed.
constexpr int64_t mostOperations = 1 << 14;

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
      if (loop->hasAttr(factorAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      unroll(loop);
  }

  static void unroll(scf::ForOp loop) {
    auto factor = loop->getAttrOfType<IntegerAttr>(factorAttr);
    loop->removeAttr(factorAttr);
    int64_t operations = 0;
    loop->walk([&](Operation *) { ++operations; });
    if (!factor || factor.getInt() < 2 || factor.getInt() > mostOperations / operations ||
        loop.getUnsignedCmp())
      return;
    // Iterations are counted without a sign: there are none where the bounds are the wrong way
    // round.
    OpBuilder builder(loop);
    loop.getUpperBoundMutable().assign(
        arith::MaxSIOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound()));
    FailureOr<UnrolledLoopInfo> made = loopUnrollByFactor(loop, uint64_t(factor.getInt()));
    if (succeeded(made) && made->epilogueLoopOp)
      (*made->epilogueLoopOp)->setAttr(numStagesAttr, builder.getI32IntegerAttr(1));
  }
};

} // namespace

std::unique_ptr<Pass> createUnrollLoopsPass() { return std::make_unique<UnrollLoopsPass>(); }

} // namespace gluonc
