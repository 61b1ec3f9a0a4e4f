//===- LegalizeCombines.cpp - Scans and reductions that no plan serves ----------===//
//
// A scan combines in place where every bit of its axis is one bit of register, lane
// or warp. Other layouts (a DistributedLinearLayout whose bases mix dimensions, one
// that repeats elements in registers, one that splits the axis among CTAs) pass
// through a layout where that holds:
//
//   %y = tt.scan %x : #mixed        %a = ttg.convert_layout %x : #mixed -> #blocked
//                              →    %b = tt.scan %a : #blocked
//                                   %y = ttg.convert_layout %b : #blocked -> #mixed
//
// So do reductions where a CTA's number moves the axis and other dims at once. All
// CTAs of a cluster hold the whole of #blocked, and compute the same.
//
//===----------------------------------------------------------------------===//
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/plan/Reduction.h"
#include "layout/plan/Scan.h"
#include "transform/Pipeline.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace gluonc {
namespace {

/// A blocked layout of the threads of `like`, registers and lanes along `axis` first.
layout::BlockedLayout alongAxis(RankedTensorType type, unsigned axis) {
  const layout::LinearLayout &like = toLinear(type);
  unsigned rank = type.getRank();
  layout::Ints ones(rank, 1), order = {int64_t(axis)};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != axis)
      order.push_back(dim);
  layout::BasisList copies(like.inLog2(layout::Dim::Block), layout::Ints(rank, 0));
  layout::BlockedLayout result{ones, ones, ones, order, copies};
  int64_t left = like.inSize(layout::Dim::Lane);
  for (int64_t dim : order) {
    result.threadsPerWarp[dim] = std::min(left, type.getDimSize(dim));
    left /= result.threadsPerWarp[dim];
  }
  // Lanes and warps beyond the shape repeat it, which a blocked layout may.
  result.threadsPerWarp[order.back()] *= left;
  result.warpsPerCta[order.back()] = like.inSize(layout::Dim::Warp);
  return result;
}

RankedTensorType withEncoding(RankedTensorType type, Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

void convertAround(Operation *op, unsigned axis) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  layout::BlockedLayout inner = alongAxis(type, axis);
  OpBuilder builder(op);
  auto convert = [&](Value value, RankedTensorType to) -> Value {
    return ttg::ConvertLayoutOp::create(builder, op->getLoc(), to, value,
                                        /*force_warp_shuffle=*/false);
  };
  Attribute encoding = fromLayout(op->getContext(), inner);
  IRMapping sources;
  for (Value source : op->getOperands())
    sources.map(source,
                convert(source, withEncoding(cast<RankedTensorType>(source.getType()), encoding)));
  Operation *inside = builder.clone(*op, sources);
  if (isa<tt::ReduceOp>(op))
    encoding = fromLayout(op->getContext(), layout::SliceLayout{axis, inner});
  for (auto [outer, result] : llvm::zip_equal(op->getResults(), inside->getResults())) {
    auto outerType = dyn_cast<RankedTensorType>(outer.getType());
    if (!outerType) {
      outer.replaceAllUsesWith(result);
      continue;
    }
    result.setType(withEncoding(outerType, encoding));
    outer.replaceAllUsesWith(convert(result, outerType));
  }
  op->erase();
}

/// Whether `plan` serves the operation where it is.
template <typename Op, typename Plan> bool isServed(Op op, Plan plan) {
  const layout::LinearLayout *linear =
      linearOrNull(cast<RankedTensorType>(op.getSrcs()[0].getType()));
  return !linear || plan(linear->removeZeroBases(layout::Dim::Register), op.getAxis());
}

struct LegalizeCombinesPass : PassWrapper<LegalizeCombinesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LegalizeCombinesPass)
  llvm::StringRef getArgument() const override { return "gluonc-legalize-combines"; }
  llvm::StringRef getDescription() const override {
    return "Convert scans and reductions to a layout that has a plan where theirs has none";
  }

  void runOnOperation() override {
    llvm::SmallVector<std::pair<Operation *, unsigned>> without;
    getOperation().walk([&](Operation *op) {
      if (auto scan = dyn_cast<tt::ScanOp>(op); scan && !isServed(scan, layout::planScan))
        without.push_back({op, scan.getAxis()});
      if (auto reduce = dyn_cast<tt::ReduceOp>(op);
          reduce && !isServed(reduce, layout::planReduction))
        without.push_back({op, reduce.getAxis()});
    });
    for (auto [op, axis] : without)
      convertAround(op, axis);
  }
};

} // namespace

std::unique_ptr<Pass> createLegalizeCombinesPass() {
  return std::make_unique<LegalizeCombinesPass>();
}

} // namespace gluonc
