//===- Costs.cpp --------------------------------------------------------------===//
#include "assign/Costs.h"

#include "assign/Fetch.h"
#include "ir/Encoding.h"
#include "ir/tt/Coalescing.h"
#include "ir/tt/DescriptorAccess.h"
#include "ir/tt/DotScaled.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gluonc::assign {

/// How often a loop is taken to repeat.
constexpr int64_t repetitions = 8;
/// Deeper loops count as this deep: enough to prefer what is outside.
constexpr unsigned deepest = 4;

/// In quarters of an execution: what branches guard is executed half as often.
static int64_t weightOf(Operation *op) {
  int64_t weight = 4, guarded = 1;
  unsigned depth = 0;
  for (; op && depth < deepest; op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op)) {
      weight *= repetitions;
      ++depth;
    }
    if (isa_and_nonnull<scf::IfOp>(op->getParentOp()))
      guarded = std::min<int64_t>(2 * guarded, 4);
  }
  return weight / guarded;
}

Operation *placeOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  Block *block = cast<BlockArgument>(value).getOwner();
  return block->empty() ? block->getParentOp() : &block->front();
}

static int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

/// Distinct elements in a thread.
static int64_t elementsInThread(RankedTensorType type) {
  const layout::LinearLayout *linear = linearOrNull(type);
  return linear ? linear->removeZeroBases(layout::Dim::Register).inSize(layout::Dim::Register) : 1;
}

int64_t Costs::planned(RankedTensorType from, RankedTensorType to) {
  auto [entry, isNew] = known.try_emplace({from, to}, 0);
  if (!isNew)
    return entry->second;
  const layout::LinearLayout *src = linearOrNull(from), *dst = linearOrNull(to);
  // Few elements wait for each other as long as a warp's.
  int64_t bytes = std::max<int64_t>(bytesOf(from), 128);
  if (!src || !dst)
    return entry->second = 32 * bytes;
  layout::ConversionPlan plan = layout::planConversion(src->removeZeroBases(layout::Dim::Register),
                                                       dst->removeZeroBases(layout::Dim::Register),
                                                       8 * elementBytes(from.getElementType()));
  if (const auto *shared = std::get_if<layout::SharedPlan>(&plan)) {
    int64_t factor = shared->sync == layout::SyncScope::Warp  ? 16
                     : shared->sync == layout::SyncScope::Cta ? 32
                                                              : 64;
    return entry->second = factor * bytes;
  }
  return entry->second = std::holds_alternative<layout::ShufflePlan>(plan) ? 16 * bytes : 0;
}

int64_t Costs::ofConversion(RankedTensorType type, Attribute to, Operation *place) {
  return copied.contains(place) ? 0 : weightOf(place) * planned(type, withEncoding(type, to));
}

static bool isSlow(Operation *op) {
  return isa<arith::DivFOp, math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op,
             math::Log10Op, math::Log1pOp, math::SinOp, math::CosOp, math::TanOp, math::TanhOp,
             math::SqrtOp, math::RsqrtOp, math::CbrtOp, math::ErfOp, math::PowFOp, math::CtPopOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp, tt::PreciseDivFOp,
             tt::PreciseSqrtOp, tt::ExternElementwiseOp, tt::ElementwiseInlineAsmOp,
             tt::MapElementwiseOp>(op);
}

/// Operations that only say anew where elements are, or add to addresses.
static bool isView(Operation *op) {
  return isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp,
             tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(op);
}

/// A load that all threads may make again. What was stored is seen by the thread that stored it;
/// what is stated to be copied ahead is read from there.
static bool isSmallLoad(tt::LoadOp load) {
  if (auto type = dyn_cast<RankedTensorType>(load.getType());
      type && type.getEncoding() && toLayout(type.getEncoding()).as<layout::BlockedLayout>() &&
      assign::canRunAhead(load))
    return false;
  if (llvm::any_of(load.getPtr().getUsers(), [](Operation *user) {
        return !isMemoryEffectFree(user) && !isa<tt::LoadOp>(user);
      }))
    return false;
  auto type = dyn_cast<RankedTensorType>(load.getType());
  ThreadCounts threads = ThreadCounts::at(load);
  return type && !load.getIsVolatile() &&
         (type.getNumElements() < threads.lanes * threads.warps * threads.ctas ||
          type.getNumElements() == 1);
}

std::optional<int64_t> Costs::ofAgain(Operation *op, Attribute result, bool isStillUsed) {
  if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto load = dyn_cast<tt::LoadOp>(op);
  int64_t weight = weightOf(op);
  if ((load && isSmallLoad(load)) || isa<ttg::LocalLoadOp>(op))
    return isStillUsed ? weight * 8 * bytesOf(type) : 0;
  // Threads read the block from shared memory in any layout, but once.
  if (isa<tt::DescriptorLoadOp>(op))
    return isStillUsed ? std::nullopt : std::optional<int64_t>(0);
  if (!isMemoryEffectFree(op) ||
      isa<tt::DotOp, tt::DotScaledOp, tt::ScanOp, ttng::WarpGroupDotOp>(op))
    return std::nullopt;
  // A sum in another order is another sum: there must be one only.
  if (isa<tt::ReduceOp, tt::GatherOp, tt::HistogramOp>(op))
    return isStillUsed ? std::nullopt : std::optional<int64_t>(0);
  if (!ties(op))
    return std::nullopt;
  if (isView(op))
    return 0;
  int64_t before = elementsInThread(type), after = elementsInThread(withEncoding(type, result));
  int64_t share = std::max<int64_t>(after / std::max<int64_t>(before, 1), 1);
  return weight * bytesOf(type) * (isSlow(op) ? 8 : 1) * (isStillUsed ? share : share - 1);
}

int64_t registersOf(RankedTensorType type) {
  const layout::LinearLayout *linear = linearOrNull(type);
  return linear ? linear->inSize(layout::Dim::Register) * elementBytes(type.getElementType()) / 4
                : 0;
}

} // namespace gluonc::assign
