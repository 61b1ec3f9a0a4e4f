//===- LowerCombine.cpp - Reductions and scans ------------------------------===//
//
// A combining region works on scalars, and runs on many elements at once (GroupLoop.h). A
// reduction halves the axis again and again, and lowers the region once per step for all pairs:
//
//   8 elements:  [0..4) with [4..8)  ->  4;  [0..2) with [2..4)  ->  2;  …  ->  1
//
// A scan takes log2(n) steps too: in step d each element is combined with the one
// d before it, which covers twice as many as in the step before. Both orders are
// fixed, so results repeat; like the GPU's they differ from a sequential sum.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/GroupLoop.h"
#include "sim/machine/StridedCopy.h"
#include "sim/machine/Taint.h"

namespace gluonc::sim {
namespace {

/// A tile seen as outer × axis × inner.
struct AxisView {
  uint32_t outer = 1, axis = 1, inner = 1;
  uint32_t elements() const { return outer * axis * inner; }
};

AxisView axisViewOf(Lowering &lowering, mlir::Type type, uint32_t axis) {
  AxisView view;
  for (auto [dim, size] : llvm::enumerate(lowering.shapeOf(type)))
    (dim < axis ? view.outer : dim == axis ? view.axis : view.inner) *= uint32_t(size);
  return view;
}

/// Copies `length` positions of the axis, from `from` in a tile with axis size
/// `sourceAxis` to `to` in one with `targetAxis`.
void copyAlongAxis(Lowering &lowering, Slot source, uint32_t sourceAxis, uint32_t from, Slot target,
                   uint32_t targetAxis, uint32_t to, uint32_t length, AxisView view,
                   ElementKind kind) {
  uint32_t inner = view.inner;
  emitStridedCopy(lowering, source, target, kind,
                  {{view.outer, length * inner},
                   {sourceAxis * inner, 1},
                   {targetAxis * inner, 1},
                   from * inner,
                   to * inner});
}

void freeAll(Lowering &lowering, llvm::SmallVectorImpl<Slot> &slots) {
  for (Slot slot : slots)
    lowering.free(slot);
  slots.clear();
}

llvm::SmallVector<Slot, 2> slotsOf(Lowering &lowering, mlir::ValueRange values) {
  llvm::SmallVector<Slot, 2> slots;
  for (mlir::Value value : values)
    slots.push_back(lowering.slotOf(value));
  return slots;
}

/// Sources in slots of the operation's own, spelled out.
llvm::SmallVector<Slot, 2> copySources(Lowering &lowering, mlir::ValueRange sources) {
  llvm::SmallVector<Slot, 2> copies;
  for (mlir::Value source : sources) {
    ElementKind kind = lowering.kindOf(source);
    copies.push_back(lowering.allocate(kind, lowering.elementCountOf(source.getType())));
    lowering.emitCopy(lowering.slotOf(source), copies.back(), kind);
  }
  return copies;
}

/// One step: the first half of the axis with the second.
bool halve(Lowering &lowering, mlir::Block &region, mlir::ValueRange sources, AxisView view,
           llvm::ArrayRef<Slot> current, llvm::SmallVectorImpl<Slot> &combined) {
  uint32_t half = view.axis / 2;
  llvm::SmallVector<Slot, 4> operands;
  for (uint32_t side = 0; side < 2; ++side)
    for (auto [slot, source] : llvm::zip_equal(current, sources)) {
      ElementKind kind = lowering.kindOf(source);
      Slot part = lowering.allocate(kind, view.outer * half * view.inner);
      copyAlongAxis(lowering, slot, view.axis, side * half, part, half, 0, half, view, kind);
      operands.push_back(part);
    }
  bool lowered = lowerEachElement(lowering, region, operands, operands.front().elements, combined);
  freeAll(lowering, operands);
  return lowered;
}

bool lowerReduce(Lowering &lowering, mlir::Operation *operation) {
  auto reduce = mlir::cast<tt::ReduceOp>(operation);
  mlir::ValueRange sources = reduce.getSrcs();
  AxisView view = axisViewOf(lowering, sources.front().getType(), reduce.getAxis());
  if (view.axis & (view.axis - 1))
    return false;
  llvm::SmallVector<Slot, 2> current;
  if (view.axis == 1)
    current = copySources(lowering, sources);
  for (; view.axis > 1; view.axis /= 2) {
    llvm::SmallVector<Slot, 2> from = current.empty() ? slotsOf(lowering, sources) : current,
                               combined;
    if (!halve(lowering, reduce.getCombineOp().front(), sources, view, from, combined))
      return false;
    freeAll(lowering, current);
    current = std::move(combined);
  }
  for (auto [result, slot] : llvm::zip_equal(reduce.getResults(), current)) {
    lowering.bind(result, slot);
    lowering.free(slot);
  }
  return true;
}

/// One step of a scan: every element with the one `distance` before it (behind it, if
/// reversed). Elements that have none stay.
bool combineAtDistance(Lowering &lowering, mlir::Block &region, mlir::ValueRange sources,
                       AxisView view, uint32_t distance, bool reverse,
                       llvm::ArrayRef<Slot> current) {
  uint32_t length = view.axis - distance;
  // What has been accumulated comes first, the element it is extended by second.
  uint32_t earlier = reverse ? distance : 0, later = reverse ? 0 : distance;
  llvm::SmallVector<Slot, 4> operands;
  for (uint32_t from : {earlier, later})
    for (auto [slot, source] : llvm::zip_equal(current, sources)) {
      ElementKind kind = lowering.kindOf(source);
      Slot part = lowering.allocate(kind, view.outer * length * view.inner);
      copyAlongAxis(lowering, slot, view.axis, from, part, length, 0, length, view, kind);
      operands.push_back(part);
    }
  llvm::SmallVector<Slot, 2> combined;
  bool lowered = lowerEachElement(lowering, region, operands, operands.front().elements, combined);
  freeAll(lowering, operands);
  for (auto [slot, source, part] : llvm::zip(current, sources, combined))
    copyAlongAxis(lowering, part, length, 0, slot, view.axis, later, length, view,
                  lowering.kindOf(source));
  freeAll(lowering, combined);
  return lowered;
}

bool lowerScan(Lowering &lowering, mlir::Operation *operation) {
  auto scan = mlir::cast<tt::ScanOp>(operation);
  mlir::ValueRange sources = scan.getSrcs();
  AxisView view = axisViewOf(lowering, sources.front().getType(), scan.getAxis());
  llvm::SmallVector<Slot, 2> current = copySources(lowering, sources);
  for (uint32_t distance = 1; distance < view.axis; distance *= 2)
    if (!combineAtDistance(lowering, scan.getCombineOp().front(), sources, view, distance,
                           scan.getReverse(), current))
      return false;
  for (auto [result, slot] : llvm::zip_equal(scan.getResults(), current)) {
    lowering.bind(result, slot);
    lowering.free(slot);
  }
  return true;
}

} // namespace

void addCombine(OperationTable &table) {
  table["tt.reduce"] = lowerReduce;
  table["tt.scan"] = lowerScan;
}

} // namespace gluonc::sim
