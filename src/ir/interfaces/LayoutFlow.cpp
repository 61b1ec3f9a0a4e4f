//===- LayoutFlow.cpp - Layouts through operations that change shapes ---------===//
#include "ir/Dialects.h"
#include "ir/Encoding.h"
#include "layout/named/Inference.h"

using namespace mlir;
using namespace gluonc;

static bool isForward(Operation *op, Value from) { return from.getDefiningOp() != op; }

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// tt
//===----------------------------------------------------------------------===//

void tt::ExpandDimsOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  layout::Layout layout = implied.layout();
  if (isForward(*this, from))
    implied.derived(getResult(), layout::expandDimsLayout(layout, shapeOf(from), getAxis()));
  else
    implied.derived(getSrc(), layout::reduceLayout(layout, getAxis()));
}

void tt::ReduceOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  layout::Layout layout = implied.layout();
  if (isForward(*this, from)) {
    implied.same(getSrcs());
    return implied.derived(getResult(), layout::reduceLayout(layout, getAxis()));
  }
  implied.same(getResult());
  // Only a slice tells what was there before.
  const auto *slice = layout.as<layout::SliceLayout>();
  if (slice && slice->dim == getAxis())
    implied.derived(getSrcs(), {slice->parent, {}});
}

void tt::TransOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  bool forward = isForward(*this, from);
  layout::Ints order(getOrder().begin(), getOrder().end());
  if (!forward)
    for (auto [i, dim] : llvm::enumerate(getOrder()))
      order[dim] = i;
  implied.derived(forward ? getResult() : getSrc(),
                  layout::transposeLayout(implied.layout(), shapeOf(from), order),
                  /*isOneOfMany=*/true);
}

void tt::ReshapeOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  Value other = isForward(*this, from) ? getResult() : getSrc();
  implied.derived(other, layout::reshapeLayout(implied.layout(), shapeOf(from), shapeOf(other)),
                  /*isOneOfMany=*/true);
}

void tt::JoinOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  layout::Layout layout = implied.layout();
  if (!isForward(*this, from))
    return implied.derived(getOperands(), layout::splitLayout(layout, shapeOf(from)), true);
  implied.same(getOperands());
  implied.derived(getResult(), layout::joinLayout(layout, shapeOf(from)), /*isOneOfMany=*/true);
}

void tt::SplitOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  layout::Layout layout = implied.layout();
  if (isForward(*this, from))
    return implied.derived(getResults(), layout::splitLayout(layout, shapeOf(from)), true);
  implied.same(getResults());
  implied.derived(getSrc(), layout::joinLayout(layout, shapeOf(from)), /*isOneOfMany=*/true);
}

void tt::GatherOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  // The source has a layout of its own.
  if (from == getSrc())
    return;
  implied.same(getIndices());
  implied.same(getResult());
}

void tt::DotOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  // The operands' layouts are derived from it in more than one way.
  if (from != getC() && from != getD())
    return;
  implied.same(getC());
  implied.same(getD());
}

//===----------------------------------------------------------------------===//
// ttg, ttng
//===----------------------------------------------------------------------===//

void ttg::Fp4ToFpOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  if (isForward(*this, from))
    implied.derived(getResult(), layout::unpackLayout(implied.layout(), shapeOf(from), getAxis()),
                    /*isOneOfMany=*/true);
}

void ttng::WarpGroupDotOp::implyLayouts(Value from, ImpliedLayouts &implied) {
  if (from != getC() && from != getD())
    return;
  implied.same(getC());
  implied.same(getD());
}
