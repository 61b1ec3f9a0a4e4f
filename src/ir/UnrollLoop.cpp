#include "ir/UnrollLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;

namespace gluonc {

constexpr int64_t mostOperations = 1 << 14;

scf::ForOp unrollAsAsked(scf::ForOp loop) {
  auto factor = loop->getAttrOfType<IntegerAttr>(unrollFactorAttr);
  loop->removeAttr(unrollFactorAttr);
  int64_t operations = 0;
  loop->walk([&](Operation *) { ++operations; });
  if (!factor || factor.getInt() < 2 || factor.getInt() > mostOperations / operations ||
      loop.getUnsignedCmp())
    return {};
  // Iterations are counted without a sign: there are none where the bounds are the wrong way
  // round.
  OpBuilder builder(loop);
  loop.getUpperBoundMutable().assign(
      arith::MaxSIOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound()));
  FailureOr<UnrolledLoopInfo> made = loopUnrollByFactor(loop, uint64_t(factor.getInt()));
  return succeeded(made) && made->epilogueLoopOp ? *made->epilogueLoopOp : scf::ForOp();
}

} // namespace gluonc
