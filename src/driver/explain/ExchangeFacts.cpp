//===- ExchangeFacts.cpp - What threads exchange without a buffer of the kernel's --===//
//
// Reductions, scans, gathers, changes of layouts and others take shared memory for a
// moment. Reductions, scans and gathers do without it where no two warps have parts of
// the dim: a layout whose warps go along other dims is looked for.
//
//===----------------------------------------------------------------------===//
#include "driver/explain/Facts.h"

#include "ir/Encoding.h"
#include "ir/interfaces/Interfaces.h"
#include "layout/plan/Gather.h"
#include "layout/plan/Reduction.h"
#include "layout/plan/Scan.h"

using namespace mlir;
using gluonc::layout::Layout;
using gluonc::layout::LinearLayout;

namespace gluonc::driver {

using explain::ExchangeFact;

/// `type`'s layout with the warps along `axis` along another dim, where that has room for them.
static std::optional<Layout> withoutWarpsAlong(RankedTensorType type, unsigned axis) {
  Layout layout = toLayout(type.getEncoding());
  const auto *blocked = layout.as<layout::BlockedLayout>();
  if (!blocked || !blocked->cga.empty() || blocked->warpsPerCta[axis] == 1)
    return std::nullopt;
  for (int64_t dim : llvm::reverse(blocked->order)) {
    layout::BlockedLayout moved = *blocked;
    moved.warpsPerCta[dim] *= std::exchange(moved.warpsPerCta[axis], 1);
    if (dim != axis &&
        moved.sizePerThread[dim] * moved.threadsPerWarp[dim] * moved.warpsPerCta[dim] <=
            type.getDimSize(dim))
      return Layout(moved);
  }
  return std::nullopt;
}

/// Whether an operation that combines or gathers along a dim needs no shared memory if what comes
/// in, and what a gather gives, is in `layout`.
static bool staysInWarps(Operation *op, const Layout &layout) {
  auto linearOf = [&](Value value) {
    return layout.toLinear(cast<RankedTensorType>(value.getType()).getShape());
  };
  if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    auto plan = layout::planReduction(linearOf(reduce.getSrcs()[0]), reduce.getAxis());
    return plan && plan->slotLog2 == 0;
  }
  if (auto scan = dyn_cast<tt::ScanOp>(op)) {
    auto plan = layout::planScan(linearOf(scan.getSrcs()[0]), scan.getAxis());
    return plan && plan->slotLog2 == 0;
  }
  auto gather = cast<tt::GatherOp>(op);
  return layout::planWarpGather(linearOf(gather.getSrc()), linearOf(gather.getResult()),
                                gather.getAxis())
      .has_value();
}

static void describeAlong(ExchangeFact &fact, Operation *op, Value source, unsigned axis) {
  auto type = cast<RankedTensorType>(source.getType());
  fact.layout = toLayout(type.getEncoding()).toString();
  if (std::optional<Layout> moved = withoutWarpsAlong(type, axis);
      moved && staysInWarps(op, *moved))
    fact.suggestion = moved->toString();
}

static void describe(ExchangeFact &fact, Operation *op) {
  using Cause = ExchangeFact::Cause;
  if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    fact.cause = Cause::Combine;
    describeAlong(fact, op, reduce.getSrcs()[0], reduce.getAxis());
  } else if (auto scan = dyn_cast<tt::ScanOp>(op)) {
    fact.cause = Cause::Combine;
    describeAlong(fact, op, scan.getSrcs()[0], scan.getAxis());
  } else if (auto gather = dyn_cast<tt::GatherOp>(op)) {
    fact.cause = Cause::Gather;
    describeAlong(fact, op, gather.getSrc(), gather.getAxis());
  } else if (isa<tt::HistogramOp, ttg::LocalAtomicScatterRMWOp>(op)) {
    fact.cause = Cause::Indices;
  } else if (auto convert = dyn_cast<ttg::ConvertLayoutOp>(op)) {
    RankedTensorType from = convert.getSrc().getType();
    fact.cause = Cause::Conversion;
    fact.layout = toLayout(from.getEncoding()).toString();
    fact.to = toLayout(convert.getType().getEncoding()).toString();
    llvm::raw_string_ostream out(fact.shape);
    llvm::interleave(from.getShape(), out, ",");
  }
}

std::vector<ExchangeFact> exchangeFacts(tt::FuncOp function, const diag::SourceManager &sources) {
  std::vector<ExchangeFact> facts;
  function.walk([&](Operation *op) {
    if (!scratchBytesOf(op))
      return;
    ExchangeFact &fact = facts.emplace_back();
    place(fact, op, sources);
    describe(fact, op);
  });
  return facts;
}

} // namespace gluonc::driver
