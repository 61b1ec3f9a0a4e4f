//===- OnChip.cpp - What operations do to memory on the chip ------------------===//
//
// Answers of tt and ttg to OnChipMemoryOpInterface; those of ttng are in TTNGOps.cpp.
//
//===----------------------------------------------------------------------===//
#include "ir/Captures.h"
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "ir/OtherCtas.h"
#include "layout/named/Blocks.h"
#include "layout/plan/Gather.h"
#include "layout/plan/Reduction.h"
#include "layout/plan/Scan.h"
#include "layout/plan/Vectorize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gluonc;
using gluonc::layout::Dim;
using gluonc::layout::LinearLayout;
using gluonc::layout::SyncScope;

using Accesses = llvm::SmallVectorImpl<MemoryAccess>;

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

static LinearLayout registersOf(Value tensor) {
  return toLinear(cast<RankedTensorType>(tensor.getType())).removeZeroBases(Dim::Register);
}

/// Whether what an atomic fetched goes to CTAs that took no part, as all but one for a scalar.
static bool sharesFetched(Operation *op) {
  if (op->use_empty() || ttg::numCtasOf(op) == 1)
    return false;
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return !tensor || toLinear(tensor).freeVariableMask(Dim::Block);
}

/// What an atomic fetched goes through shared memory to the threads that took no part: all but one
/// for a scalar, those with copies for a tensor.
static int64_t fetchedBytes(Operation *op) {
  if (op->use_empty())
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!tensor)
    return elementBytes(op->getResult(0).getType());
  const LinearLayout &layout = toLinear(tensor);
  if (!layout.freeVariableMask(Dim::Lane) && !layout.freeVariableMask(Dim::Warp) &&
      !layout.freeVariableMask(Dim::Block))
    return 0;
  return tensor.getNumElements() * elementBytes(tensor.getElementType());
}

static Scratch scratchOfAtomic(Operation *op) {
  return {fetchedBytes(op), sharesFetched(op) ? SyncScope::Cluster : SyncScope::Cta};
}

Scratch tt::AtomicRMWOp::getScratch() { return scratchOfAtomic(*this); }
Scratch tt::AtomicCASOp::getScratch() { return scratchOfAtomic(*this); }
Scratch tt::AtomicLoadOp::getScratch() { return scratchOfAtomic(*this); }
/// The verdict of the thread that polls; without a timeout there is but one.
Scratch tt::AtomicPollOp::getScratch() { return {getTimeout() ? 4 : 0}; }

/// One part per operand.
template <typename Plan> static int64_t scratchOfCombine(const Plan &plan, ValueRange sources) {
  int64_t bytes = 0;
  for (Value source : sources)
    bytes += plan ? plan->scratchBytes(elementBytes(getElementTypeOrSelf(source))) : 0;
  return bytes;
}

Scratch tt::ReduceOp::getScratch() {
  auto plan = layout::planReduction(registersOf(getSrcs()[0]), getAxis());
  bool crosses = plan && !plan->blockXors.empty();
  return {scratchOfCombine(plan, getSrcs()), crosses ? SyncScope::Cluster : SyncScope::Cta};
}

Scratch tt::ScanOp::getScratch() {
  return {scratchOfCombine(layout::planScan(registersOf(getSrcs()[0]), getAxis()), getSrcs())};
}

/// The whole source, unless the elements stay within their warps.
Scratch tt::GatherOp::getScratch() {
  RankedTensorType source = getSrc().getType();
  if (layout::planWarpGather(registersOf(getSrc()), registersOf(getResult()), getAxis()))
    return {};
  bool stays = layout::gatherStaysInCta(toLinear(source), toLinear(getType()), getAxis());
  return {source.getNumElements() * elementBytes(source.getElementType()),
          stays ? SyncScope::Cta : SyncScope::Cluster};
}

/// All CTAs add up what each counted.
Scratch tt::HistogramOp::getScratch() {
  return {getType().getNumElements() * 4,
          ttg::numCtasOf(*this) > 1 ? SyncScope::Cluster : SyncScope::Cta};
}

Scratch ttg::ConvertLayoutOp::getScratch() {
  const auto *plan = std::get_if<layout::SharedPlan>(&planOf(*this));
  return plan ? Scratch{plan->scratchBytes, plan->sync} : Scratch{};
}

int64_t ttg::placesOfCapture(Value capture) {
  if (auto argument = dyn_cast<BlockArgument>(capture))
    if (argument.getOwner()->isEntryBlock() && isa<tt::FuncOp>(argument.getOwner()->getParentOp()))
      return 0;
  auto buffer = dyn_cast<MemDescType>(capture.getType());
  return buffer && buffer.isShared() ? 1 + buffer.getRank() : 1;
}

/// Eight bytes for each place.
Scratch ttg::WarpSpecializeOp::getScratch() {
  int64_t places = 0;
  for (Value capture : getCaptures())
    places += placesOfCapture(capture);
  return {8 * places};
}

Scratch ttg::LocalAtomicScatterRMWOp::getScratch() { return scratchOfAtomic(*this); }

//===----------------------------------------------------------------------===//
// Memory of other CTAs
//===----------------------------------------------------------------------===//

/// Whether the place along `axis` decides which CTA holds an element.
static bool movesCta(const LinearLayout &shared, int64_t axis) {
  std::optional<LinearLayout> inverse = shared.pseudoInvert();
  return inverse && inverse->hasOut(Dim::Block) &&
         !inverse->sublayoutIsZero({Dim::axis(unsigned(axis))}, {Dim::Block});
}

bool gluonc::beginsInOtherCta(ttg::MemDescType buffer) {
  const LinearLayout *linear = linearOrNull(buffer);
  if (!linear)
    return true;
  const LinearLayout &shared = *linear;
  ArrayRef<int64_t> shape = buffer.getShape();
  ArrayRef<int64_t> whole = buffer.getAllocShape().take_back(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != whole[axis] && movesCta(shared, int64_t(axis)))
      return true;
  return false;
}

/// Whether threads that move `tensor` from or to `buffer` access elements of other CTAs. With
/// `indexed`, the place along that axis is the program's choice.
static bool crosses(Value tensor, ttg::MemDescType buffer,
                    std::optional<int64_t> indexed = std::nullopt) {
  const LinearLayout *shared = linearOrNull(buffer);
  if (beginsInOtherCta(buffer))
    return true;
  if (indexed && movesCta(*shared, *indexed))
    return true;
  LinearLayout registers = toLinear(cast<RankedTensorType>(tensor.getType()));
  for (layout::DimSize size : shared->outDims())
    if (registers.hasOut(size.dim))
      registers = registers.resizeOut(size.dim, size.log2);
  std::optional<layout::SharedAccessMap> access = layout::mapToShared(registers, *shared, 8);
  return !access || !layout::staysInBlock(access->map);
}

/// The same for a store, which reaches the copies that other CTAs hold.
static bool storeCrosses(Value tensor, ttg::MemDescType buffer,
                         std::optional<int64_t> indexed = std::nullopt) {
  return crosses(tensor, buffer, indexed) ||
         layout::copiesToStore(toLinear(cast<RankedTensorType>(tensor.getType())),
                               *linearOrNull(buffer));
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void ttg::LocalAllocOp::getAccesses(Accesses &accesses) {
  if (getSrc())
    accesses.push_back({getResult(), MemoryAccess::Write});
}
bool ttg::LocalAllocOp::accessesPeers() { return getSrc() && storeCrosses(getSrc(), getType()); }

void ttg::LocalLoadOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read});
}
bool ttg::LocalLoadOp::accessesPeers() { return crosses(getResult(), getSrc().getType()); }

void ttg::LocalStoreOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getDst(), MemoryAccess::Write});
}
bool ttg::LocalStoreOp::accessesPeers() { return storeCrosses(getSrc(), getDst().getType()); }

void ttg::LocalGatherOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getSrc(), MemoryAccess::Read});
}
bool ttg::LocalGatherOp::accessesPeers() {
  return crosses(getResult(), getSrc().getType(), getAxis());
}

void ttg::LocalScatterOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getDst(), MemoryAccess::Write});
}
bool ttg::LocalScatterOp::accessesPeers() {
  return storeCrosses(getValues(), getDst().getType(), getAxis());
}

void ttg::LocalAtomicScatterRMWOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getDst(), MemoryAccess::Write});
}
bool ttg::LocalAtomicScatterRMWOp::accessesPeers() {
  // All copies are updated, whoever does it.
  MemDescType buffer = getDst().getType();
  const LinearLayout *shared = linearOrNull(buffer);
  return sharesFetched(*this) || !shared || layout::blockCopies(*shared) ||
         crosses(getValues(), buffer, getAxis());
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

bool ttg::BarrierOp::synchronizesThreads() { return orders(AddrSpace::Local); }

void ttg::AsyncCopyGlobalToLocalOp::getAccesses(Accesses &accesses) {
  accesses.push_back({getResult(), MemoryAccess::Write, Completion::AsyncGroup});
}

std::optional<Completion> ttg::AsyncWaitOp::getAwaited() { return Completion::AsyncGroup; }
