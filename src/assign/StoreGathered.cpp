//===- StoreGathered.cpp - What loops gather from stays in shared memory -----------===//
//
// A gather whose threads need elements of other warps goes through shared memory: it writes all
// of its source, meets, and reads. In a loop that does not change the source this is written once:
//
//   scf.for … {                                 %b = ttg.local_alloc %x
//     %y = tt.gather %x[%i]                =>   scf.for … {
//   }                                             %y = ttg.local_gather %b[%i]
//                                               }
//
//===----------------------------------------------------------------------===//
#include "assign/Assign.h"
#include "ir/Encoding.h"
#include "ir/OpenLayouts.h"
#include "ir/interfaces/Interfaces.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc {
namespace {

/// Of all sources together, bytes of shared memory; more is left as it is.
constexpr int64_t mostBytes = 64 << 10;

/// The outermost loop around the gather that does not change its source; null if the innermost
/// does.
LoopLikeOpInterface loopOf(tt::GatherOp gather) {
  LoopLikeOpInterface found;
  for (auto loop = gather->getParentOfType<LoopLikeOpInterface>();
       loop && loop.isDefinedOutsideOfLoop(gather.getSrc());
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    found = loop;
  return found;
}

class StoreGatheredPass : public PassWrapper<StoreGatheredPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StoreGatheredPass)

  explicit StoreGatheredPass(const target::Target &target) : target(target) {}
  llvm::StringRef getArgument() const override { return "gluonc-store-gathered"; }
  llvm::StringRef getDescription() const override {
    return "Keep in shared memory what loops gather from";
  }

  void runOnOperation() override {
    if (choosesLayouts(getOperation()))
      for (tt::FuncOp function : getOperation().getOps<tt::FuncOp>())
        store(function);
  }

private:
  void store(tt::FuncOp function) const {
    if (ttg::numCtasOf(function) > 1)
      return;
    llvm::DenseMap<std::pair<Value, Operation *>, Value> buffers;
    int64_t bytes = 0;
    function.walk([&](tt::GatherOp gather) {
      LoopLikeOpInterface loop = loopOf(gather);
      // Without scratch it is shuffles within warps.
      if (!loop || scratchBytesOf(gather) == 0 ||
          gather.getSrc().getType().getElementType().isInteger(1))
        return;
      Value &buffer = buffers[{gather.getSrc(), loop}];
      if (!buffer) {
        auto type = cast<RankedTensorType>(gather.getSrc().getType());
        int64_t added = type.getNumElements() * elementBytes(type.getElementType());
        if (bytes + added > std::min(mostBytes, int64_t(target.maxSharedBytes()) / 2))
          return;
        bytes += added;
        buffer = allocate(gather, type, loop);
      }
      OpBuilder builder(gather);
      Value result = ttg::LocalGatherOp::create(builder, gather.getLoc(), gather.getType(), buffer,
                                                gather.getIndices(), gather.getAxis());
      gather.replaceAllUsesWith(result);
      gather.erase();
    });
  }

  static Value allocate(tt::GatherOp gather, RankedTensorType type, Operation *loop) {
    OpBuilder builder(loop);
    SmallVector<int64_t, 4> order(type.getRank());
    std::iota(order.rbegin(), order.rend(), 0);
    Attribute encoding =
        fromLayout(type.getContext(), layout::SwizzledSharedLayout{1, 1, 1, order, {}});
    auto buffer = ttg::MemDescType::get(type.getShape(), type.getElementType(), encoding,
                                        ttg::SharedMemorySpaceAttr::get(type.getContext()),
                                        /*mutableMemory=*/false);
    Value made = ttg::LocalAllocOp::create(builder, gather.getLoc(), buffer, gather.getSrc());
    // Here, so that none is needed in the loop.
    ttg::BarrierOp::create(builder, gather.getLoc(), ttg::AddrSpace::All);
    return made;
  }

  target::Target target;
};

} // namespace

std::unique_ptr<Pass> createStoreGatheredPass(const target::Target &target) {
  return std::make_unique<StoreGatheredPass>(target);
}

} // namespace gluonc
