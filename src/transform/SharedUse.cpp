//===- SharedUse.cpp ----------------------------------------------------------===//
#include "transform/SharedUse.h"

#include "ir/Encoding.h"
#include "layout/Blocks.h"
#include "layout/Gather.h"
#include "layout/Reduction.h"
#include "layout/Scan.h"
#include "layout/Vectorize.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gluonc {

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The registers of a scalar or buffer view that a partition captures, eight bytes each.
static int64_t captureBytes(ttg::WarpSpecializeOp op) {
  int64_t registers = 0;
  for (Value capture : op.getCaptures()) {
    auto buffer = dyn_cast<ttg::MemDescType>(capture.getType());
    registers += buffer ? 1 + buffer.getRank() : 1;
  }
  return 8 * registers;
}

/// What an atomic fetched goes through shared memory to the threads that took no part: all but one
/// for a scalar, those with copies for a tensor.
static int64_t atomicBytes(Operation *op) {
  if (op->use_empty())
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!tensor)
    return elementBytes(op->getResult(0).getType());
  const layout::LinearLayout &layout = toLinear(tensor);
  if (!layout.freeVariableMask(layout::Dim::Lane) && !layout.freeVariableMask(layout::Dim::Warp) &&
      !layout.freeVariableMask(layout::Dim::Block))
    return 0;
  return tensor.getNumElements() * elementBytes(tensor.getElementType());
}

/// What the plan of a reduction or scan takes, one part per operand.
template <typename Op, typename Plan> static int64_t combineBytes(Op op, Plan plan) {
  auto type = cast<RankedTensorType>(op.getSrcs()[0].getType());
  layout::LinearLayout source = toLinear(type).removeZeroBases(layout::Dim::Register);
  auto planned = plan(source, op.getAxis());
  int64_t bytes = 0;
  for (Value operand : op.getSrcs())
    bytes += planned ? planned->scratchBytes(elementBytes(getElementTypeOrSelf(operand))) : 0;
  return bytes;
}

/// The whole source, unless the elements stay within their warps.
static int64_t gatherBytes(tt::GatherOp op) {
  auto registers = [](RankedTensorType type) {
    return toLinear(type).removeZeroBases(layout::Dim::Register);
  };
  RankedTensorType source = op.getSrc().getType();
  if (layout::planWarpGather(registers(source), registers(op.getType()), op.getAxis()))
    return 0;
  return source.getNumElements() * elementBytes(source.getElementType());
}

int64_t scratchBytesOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ttg::ConvertLayoutOp convert) { return layout::scratchBytes(planOf(convert)); })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp, ttg::LocalAtomicScatterRMWOp>(
          [](Operation *atomic) { return atomicBytes(atomic); })
      // The verdict of the thread that polls.
      .Case([](tt::AtomicPollOp) { return int64_t(4); })
      .Case([](tt::GatherOp gather) { return gatherBytes(gather); })
      .Case([](tt::HistogramOp histogram) { return histogram.getType().getNumElements() * 4; })
      .Case([](tt::ReduceOp reduce) { return combineBytes(reduce, layout::planReduction); })
      .Case([](tt::ScanOp scan) { return combineBytes(scan, layout::planScan); })
      .Case([](ttg::WarpSpecializeOp specialize) { return captureBytes(specialize); })
      // A descriptor is put together in shared memory.
      .Case([](ttng::TensormapCreateOp) { return int64_t(128); })
      .Default([](Operation *) { return int64_t(0); });
}

int64_t bufferBytesOf(ttg::LocalAllocOp op) {
  ttg::MemDescType type = op.getType();
  ArrayRef<int64_t> shape = type.getAllocShape();
  int64_t bytes = elementBytes(type.getElementType());
  std::optional<layout::Layout> layout = layoutOf(type.getEncoding());
  if (!layout)
    return ShapedType::getNumElements(shape) * bytes;
  size_t rank = std::min<size_t>(*layout->rank(), shape.size());
  return ShapedType::getNumElements(shape.drop_back(rank)) *
         layout::sharedElements(*layout, shape.take_back(rank)) * bytes;
}

int64_t bufferAlignmentOf(ttg::LocalAllocOp op) {
  if (std::optional<uint32_t> wanted = op.getAlignment())
    return std::max<int64_t>(*wanted, 1);
  if (std::optional<layout::Layout> layout = layoutOf(op.getType().getEncoding()))
    return layout::sharedAlignment(*layout);
  // The widest swizzle repeats after 1024 bytes and starts at a multiple of them.
  return 1024;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

using layout::Dim;

/// Whether the place along `axis` decides which CTA holds an element.
static bool movesCta(const layout::LinearLayout &shared, int64_t axis) {
  std::optional<layout::LinearLayout> inverse = shared.pseudoInvert();
  return inverse && inverse->hasOut(Dim::Block) &&
         !inverse->sublayoutIsZero({Dim::axis(unsigned(axis))}, {Dim::Block});
}

/// Whether a view may begin in the part of another CTA.
static bool beginsElsewhere(ttg::MemDescType buffer, const layout::LinearLayout &shared) {
  ArrayRef<int64_t> shape = buffer.getShape();
  ArrayRef<int64_t> whole = buffer.getAllocShape().take_back(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != whole[axis] && movesCta(shared, int64_t(axis)))
      return true;
  return false;
}

/// Whether threads that move `tensor` from or to `buffer` meet elements of other CTAs. With
/// `indexed`, the place along that axis is the program's choice.
static bool crosses(RankedTensorType tensor, ttg::MemDescType buffer,
                    std::optional<int64_t> indexed = std::nullopt) {
  const layout::LinearLayout *shared = linearOrNull(buffer);
  if (!shared || beginsElsewhere(buffer, *shared))
    return true;
  if (indexed && movesCta(*shared, *indexed))
    return true;
  layout::LinearLayout registers = toLinear(tensor);
  for (layout::DimSize size : shared->outDims())
    if (registers.hasOut(size.dim))
      registers = registers.resizeOut(size.dim, size.log2);
  std::optional<layout::SharedAccessMap> access = layout::mapToShared(registers, *shared, 8);
  return !access || !layout::staysInBlock(access->map);
}

/// The same for a store, which reaches the copies that other CTAs hold.
static bool storeCrosses(RankedTensorType tensor, ttg::MemDescType buffer,
                         std::optional<int64_t> indexed = std::nullopt) {
  const layout::LinearLayout *shared = linearOrNull(buffer);
  return crosses(tensor, buffer, indexed) || layout::copiesToStore(toLinear(tensor), *shared);
}

/// Whether what an atomic fetched goes to CTAs that took no part, as all but one for a scalar.
static bool sharesFetched(Operation *op) {
  if (op->use_empty())
    return false;
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return !tensor || toLinear(tensor).freeVariableMask(Dim::Block);
}

static bool isOfSeveral(ttg::MemDescType barrier, Operation *op) {
  return barrier.getShape()[0] < ttg::numCtasOf(op);
}

bool reachesPeers(Operation *op) {
  if (ttg::numCtasOf(op) == 1)
    return false;
  auto typeOf = [](Value tensor) { return cast<RankedTensorType>(tensor.getType()); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](ttg::ConvertLayoutOp convert) {
        const auto *plan = std::get_if<layout::SharedPlan>(&planOf(convert));
        return plan && plan->sync == layout::SyncScope::Cluster;
      })
      .Case([&](tt::ReduceOp reduce) {
        layout::LinearLayout source =
            toLinear(typeOf(reduce.getSrcs()[0])).removeZeroBases(Dim::Register);
        auto plan = layout::planReduction(source, reduce.getAxis());
        return plan && !plan->blockXors.empty();
      })
      .Case([&](tt::GatherOp gather) {
        return !layout::gatherStaysInCta(toLinear(gather.getSrc().getType()),
                                         toLinear(gather.getType()), gather.getAxis());
      })
      // All CTAs add up what each counted.
      .Case([](tt::HistogramOp) { return true; })
      .Case<tt::AtomicRMWOp, tt::AtomicCASOp>(
          [](Operation *atomic) { return sharesFetched(atomic); })
      .Case([](ttg::LocalLoadOp load) { return crosses(load.getType(), load.getSrc().getType()); })
      .Case([&](ttg::LocalStoreOp store) {
        return storeCrosses(typeOf(store.getSrc()), store.getDst().getType());
      })
      .Case([&](ttg::LocalAllocOp alloc) {
        return alloc.getSrc() && storeCrosses(typeOf(alloc.getSrc()), alloc.getType());
      })
      .Case([&](ttg::LocalGatherOp gather) {
        return crosses(gather.getType(), gather.getSrc().getType(), gather.getAxis());
      })
      .Case([&](ttg::LocalScatterOp scatter) {
        return storeCrosses(typeOf(scatter.getValues()), scatter.getDst().getType(),
                            scatter.getAxis());
      })
      .Case([&](ttg::LocalAtomicScatterRMWOp scatter) {
        // All copies are updated, whoever does it.
        const layout::LinearLayout *shared = linearOrNull(scatter.getDst().getType());
        return sharesFetched(op) || !shared || layout::blockCopies(*shared) ||
               crosses(typeOf(scatter.getValues()), scatter.getDst().getType(), scatter.getAxis());
      })
      .Case([](ttng::AsyncTMACopyGlobalToLocalOp copy) { return copy.getMulticast(); })
      .Case([](ttng::AsyncSharedStoreOp) { return true; })
      .Case<ttng::BarrierExpectOp, ttng::ArriveBarrierOp>([&](auto arrive) {
        return arrive.getFromCTA() || isOfSeveral(arrive.getAlloc().getType(), op);
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

BufferAliases::BufferAliases(tt::FuncOp function) {
  function.walk([&](ttg::LocalAllocOp op) {
    if (op.getType().isShared())
      allocs.push_back(op);
  });
  for (auto [index, op] : llvm::enumerate(allocs)) {
    llvm::BitVector self(allocs.size());
    self.set(index);
    aliases.try_emplace(op.getResult(), std::move(self));
    known.push_back(op.getResult());
  }
  if (allocs.empty())
    return;
  // Bits are only added, so this ends; loops that carry buffers need a second round.
  for (bool changed = true; changed;) {
    changed = false;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= flowThrough(op); });
  }
}

const llvm::BitVector *BufferAliases::of(Value buffer) const {
  auto entry = aliases.find(buffer);
  return entry == aliases.end() ? nullptr : &entry->second;
}

bool BufferAliases::flow(Value from, Value to) {
  if (!isa<ttg::MemDescType>(from.getType()))
    return false;
  auto source = aliases.find(from);
  if (source == aliases.end())
    return false;
  llvm::BitVector bits = source->second;
  auto [target, fresh] = aliases.try_emplace(to, bits);
  if (fresh) {
    known.push_back(to);
    return true;
  }
  if (!bits.test(target->second))
    return false;
  target->second |= bits;
  return true;
}

bool BufferAliases::flow(ValueRange from, ValueRange to) {
  bool changed = false;
  for (auto [source, target] : llvm::zip(from, to))
    changed |= flow(source, target);
  return changed;
}

bool BufferAliases::flowThrough(Operation *op) {
  bool changed = false;
  if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
    changed |= op->getNumResults() == 1 && flow(view.getViewSource(), op->getResult(0));
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    changed |= flow(select.getTrueValue(), select.getResult());
    changed |= flow(select.getFalseValue(), select.getResult());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    changed |= flow(loop.getInitArgs(), loop.getRegionIterArgs());
    changed |= flow(loop.getYieldedValues(), loop.getRegionIterArgs());
    changed |= flow(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    changed |= flow(loop.getInits(), loop.getBeforeArguments());
    changed |= flow(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    changed |= flow(loop.getConditionOp().getArgs(), loop.getResults());
    changed |= flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
  } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults()) {
    changed |= flow(branch.thenYield().getOperands(), branch.getResults());
    changed |= flow(branch.elseYield().getOperands(), branch.getResults());
  } else if (auto specialize = dyn_cast<ttg::WarpSpecializeOp>(op)) {
    for (Region &partition : specialize.getPartitions())
      changed |= flow(specialize.getCaptures(), partition.getArguments());
    for (Block &block : specialize.getDefaultRegion())
      if (isa<ttg::WarpYieldOp>(block.getTerminator()))
        changed |= flow(block.getTerminator()->getOperands(), specialize.getResults());
  } else if (auto wait = dyn_cast<ttng::WarpGroupDotWaitOp>(op)) {
    changed |= flow(wait.getInputs(), wait.getOutputs());
  } else if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    for (unsigned i = 0; i < op->getNumSuccessors(); ++i)
      changed |= flow(branch.getSuccessorOperands(i).getForwardedOperands(),
                      op->getSuccessor(i)->getArguments());
  }
  return changed;
}

} // namespace gluonc
