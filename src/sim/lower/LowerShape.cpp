//===- LowerShape.cpp - Programs, ranges, shapes, gather, histogram ---------===//
#include "sim/machine/StridedCopy.h"
#include "sim/machine/Taint.h"

namespace gluonc::sim {
namespace {

template <class Op> bool lowerProgramId(Lowering &lowering, mlir::Operation *operation) {
  uint32_t axis = static_cast<uint32_t>(mlir::cast<Op>(operation).getAxis());
  uint32_t first = std::is_same_v<Op, tt::GetProgramIdOp> ? 0 : 3;
  uint32_t offset = lowering.program.programIds + (first + axis) * uint32_t(sizeof(uint32_t));
  lowering.bind(operation->getResult(0), {offset, 1});
  return true;
}

bool lowerMakeRange(Lowering &lowering, mlir::Operation *operation) {
  if (lowering.kindOf(operation->getResult(0)) != ElementKind::I32)
    return false;
  auto range = mlir::cast<tt::MakeRangeOp>(operation);
  std::string bytes;
  for (uint32_t value = range.getStart(); value != range.getEnd(); ++value)
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  uint32_t elements = range.getEnd() - range.getStart();
  Slot slot = lowering.constant(std::move(bytes), elements);
  if (lowering.copies == 1) {
    lowering.bindWhole(operation->getResult(0), slot);
    return true;
  }
  emitStridedCopy(lowering, slot,
                  lowering.define(operation->getResult(0), lowering.copies * elements),
                  ElementKind::I32, {{elements, lowering.copies}, {1, 0}, {lowering.copies, 1}});
  return true;
}

/// Operations that change the type only: row-major elements stay in their order.
bool lowerSameElements(Lowering &lowering, mlir::Operation *operation) {
  mlir::Value source = operation->getOperand(0), result = operation->getResult(0);
  lowering.bind(result, lowering.slotOf(source));
  lowering.passParameter(source, result);
  return true;
}

/// A splat is a scalar until something makes its elements differ.
bool lowerSplat(Lowering &lowering, mlir::Operation *operation) {
  mlir::Value result = operation->getResult(0);
  Slot source = lowering.slotOf(operation->getOperand(0));
  if (source.elements == 1)
    return lowerSameElements(lowering, operation);
  uint32_t elements = lowering.elementCountOf(result.getType());
  emitStridedCopy(lowering, source, lowering.define(result, source.elements * elements),
                  lowering.kindOf(result),
                  {{elements, source.elements}, {0, 1}, {source.elements, 1}});
  return true;
}

bool lowerBroadcast(Lowering &lowering, mlir::Operation *operation) {
  mlir::Value source = operation->getOperand(0), result = operation->getResult(0);
  Slot from = lowering.slotOf(source);
  if (from.elements == 1)
    return lowerSameElements(lowering, operation);
  llvm::ArrayRef<int64_t> sourceShape = lowering.shapeOf(source.getType());
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(result.getType());
  StridedBox box;
  box.sizes.assign(shape.begin(), shape.end());
  box.sourceStrides = rowMajorStrides(sourceShape);
  box.targetStrides = rowMajorStrides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (sourceShape[dim] == 1)
      box.sourceStrides[dim] = 0;
  Slot target = lowering.define(result, lowering.elementCountOf(result.getType()));
  emitStridedCopy(lowering, from, target, lowering.kindOf(result), std::move(box));
  lowering.passParameter(source, result);
  return true;
}

/// The row-major strides of a transposition's source, in the order of its result.
llvm::SmallVector<uint32_t, 4> transposedStrides(Lowering &lowering, tt::TransOp trans) {
  llvm::SmallVector<uint32_t, 4> strides =
      rowMajorStrides(lowering.shapeOf(trans.getSrc().getType()));
  llvm::SmallVector<uint32_t, 4> transposed;
  for (int32_t dim : trans.getOrder())
    transposed.push_back(strides[dim]);
  return transposed;
}

/// Whether an operation may take over the order of elements from another one next to it.
bool mayReorder(Lowering &lowering, mlir::Operation *operation, mlir::Operation *other) {
  return lowering.copies == 1 && !lowering.forDebugger &&
         !(lowering.inCluster() &&
           (mixesShares(lowering, operation) || mixesShares(lowering, other)));
}

/// The transposition that a join has its elements in the order of already; null where it has not.
tt::TransOp transpositionAfter(Lowering &lowering, tt::JoinOp join) {
  auto trans = join->hasOneUse() ? mlir::dyn_cast<tt::TransOp>(*join->user_begin()) : nullptr;
  return trans && mayReorder(lowering, join, trans) ? trans : nullptr;
}

/// The transposition that a split does along with its own; null where it does none.
tt::TransOp transpositionBefore(Lowering &lowering, tt::SplitOp split) {
  auto trans = split.getSrc().getDefiningOp<tt::TransOp>();
  if (!trans || !trans->hasOneUse() || !mayReorder(lowering, split, trans))
    return nullptr;
  auto join = trans.getSrc().getDefiningOp<tt::JoinOp>();
  return join && transpositionAfter(lowering, join) ? nullptr : trans;
}

/// Whether the elements stay where they are.
bool isDoneElsewhere(Lowering &lowering, tt::TransOp trans) {
  if (auto join = trans.getSrc().getDefiningOp<tt::JoinOp>())
    if (transpositionAfter(lowering, join))
      return true;
  auto split = trans->hasOneUse() ? mlir::dyn_cast<tt::SplitOp>(*trans->user_begin()) : nullptr;
  return split && transpositionBefore(lowering, split);
}

bool lowerTrans(Lowering &lowering, mlir::Operation *operation) {
  auto trans = mlir::cast<tt::TransOp>(operation);
  mlir::Value source = trans.getSrc(), result = trans.getResult();
  Slot from = lowering.slotOf(source);
  if (from.elements == 1 || isDoneElsewhere(lowering, trans))
    return lowerSameElements(lowering, operation);
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(result.getType());
  StridedBox box;
  box.sizes.assign(shape.begin(), shape.end());
  box.sourceStrides = transposedStrides(lowering, trans);
  box.targetStrides = rowMajorStrides(shape);
  Slot target = lowering.define(result, from.elements);
  emitStridedCopy(lowering, from, target, lowering.kindOf(result), std::move(box));
  lowering.passParameter(source, result);
  return true;
}

/// One side of a tile whose last dim has two, with these strides there, and that side by itself.
StridedBox halfOf(Lowering &lowering, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<uint32_t> strides, uint32_t side, bool isSource) {
  StridedBox box;
  llvm::SmallVector<uint32_t, 4> own = rowMajorStrides(shape.drop_back());
  llvm::SmallVector<uint32_t, 4> whole(strides.drop_back());
  box.sizes.assign(shape.begin(), shape.end() - 1);
  const uint32_t offset = side * strides.back() * lowering.copies;
  // Copies of an element follow each other.
  for (llvm::SmallVector<uint32_t, 4> *each : {&own, &whole}) {
    for (uint32_t &stride : *each)
      stride *= lowering.copies;
    each->push_back(1);
  }
  box.sizes.push_back(lowering.copies);
  box.sourceStrides = isSource ? whole : own;
  box.targetStrides = isSource ? own : whole;
  (isSource ? box.sourceOffset : box.targetOffset) = offset;
  return box;
}

bool lowerJoin(Lowering &lowering, mlir::Operation *operation) {
  auto join = mlir::cast<tt::JoinOp>(operation);
  mlir::Value result = join.getResult();
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(result.getType());
  llvm::SmallVector<uint32_t, 4> strides = rowMajorStrides(shape);
  if (tt::TransOp trans = transpositionAfter(lowering, join)) {
    const llvm::SmallVector<uint32_t, 4> target =
        rowMajorStrides(lowering.shapeOf(trans.getResult().getType()));
    for (auto [i, dim] : llvm::enumerate(trans.getOrder()))
      strides[dim] = target[i];
  }
  Slot target =
      lowering.define(result, lowering.copies * lowering.elementCountOf(result.getType()));
  for (uint32_t side = 0; side < 2; ++side)
    emitStridedCopy(lowering, lowering.slotOf(operation->getOperand(side)), target,
                    lowering.kindOf(result),
                    halfOf(lowering, shape, strides, side, /*isSource=*/false));
  return true;
}

bool lowerSplit(Lowering &lowering, mlir::Operation *operation) {
  auto split = mlir::cast<tt::SplitOp>(operation);
  Slot source = lowering.slotOf(split.getSrc());
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(split.getSrc().getType());
  llvm::SmallVector<uint32_t, 4> strides = rowMajorStrides(shape);
  if (tt::TransOp trans = transpositionBefore(lowering, split))
    strides = transposedStrides(lowering, trans);
  for (uint32_t side = 0; side < 2; ++side) {
    mlir::Value result = operation->getResult(side);
    if (source.elements == 1) {
      lowering.bind(result, source);
      continue;
    }
    uint32_t half = lowering.copies * lowering.elementCountOf(result.getType());
    emitStridedCopy(lowering, source, lowering.define(result, half), lowering.kindOf(result),
                    halfOf(lowering, shape, strides, side, /*isSource=*/true));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

struct GatherData : OpData {
  uint32_t elementBytes;
  /// The axis splits either tile into outer × axis × inner.
  uint32_t sourceAxis, indexAxis, inner;
};

template <class E> void runGather(const Instruction &instruction, Cta &cta) {
  const GatherData &gather = static_cast<const GatherData &>(*instruction.data);
  const uint8_t *source = cta.at<uint8_t>(instruction.operands[0]);
  const auto *indices = cta.at<typename E::Storage>(instruction.operands[1]);
  uint8_t *result = cta.at<uint8_t>(instruction.result);
  uint32_t indexStep = instruction.operands[1].elements != 1;
  for (uint32_t element = 0; element < instruction.result.elements; ++element) {
    uint32_t inner = element % gather.inner;
    uint32_t outer = element / gather.inner / gather.indexAxis;
    int64_t index = E::toSigned(indices[element * indexStep]);
    uint8_t *target = result + uint64_t(element) * gather.elementBytes;
    if (index < 0 || index >= int64_t(gather.sourceAxis)) [[unlikely]] {
      std::memset(target, 0, gather.elementBytes);
      cta.taintResult(instruction, element, diag::Kind::ElementIndexOutOfRange,
                      {std::to_string(index), std::to_string(gather.sourceAxis - 1)});
      continue;
    }
    uint64_t from = (uint64_t(outer) * gather.sourceAxis + uint64_t(index)) * gather.inner + inner;
    std::memcpy(target, source + from * gather.elementBytes, gather.elementBytes);
  }
}

bool lowerGather(Lowering &lowering, mlir::Operation *operation) {
  auto gather = mlir::cast<tt::GatherOp>(operation);
  uint32_t axis = gather.getAxis();
  mlir::Value source = gather.getSrc(), result = gather.getResult();
  llvm::ArrayRef<int64_t> shape = lowering.shapeOf(source.getType());
  lowering.setShape(result.getType());
  GatherData *data = lowering.addData<GatherData>();
  data->elementBytes = byteSize(lowering.kindOf(source));
  data->sourceAxis = static_cast<uint32_t>(shape[axis]);
  data->indexAxis = static_cast<uint32_t>(lowering.shapeOf(result.getType())[axis]);
  data->inner = 1;
  for (int64_t size : shape.drop_front(axis + 1))
    data->inner *= static_cast<uint32_t>(size);
  Slot from = lowering.materialize(
      lowering.slotOf(source), lowering.elementCountOf(source.getType()), lowering.kindOf(source));
  Slot indices = lowering.slotOf(gather.getIndices());
  return withIntElement(lowering.kindOf(gather.getIndices()), [&](auto element) {
    Slot target = lowering.define(result, lowering.elementCountOf(result.getType()));
    lowering.emit(runGather<decltype(element)>, taintAll, target, {from, indices}).data = data;
  });
}

//===----------------------------------------------------------------------===//
// Histogram
//===----------------------------------------------------------------------===//

/// Operands: values, then the mask if there is one. `immediate` is the number of values.
template <class E> void runHistogram(const Instruction &instruction, Cta &cta) {
  const auto *values = cta.at<typename E::Storage>(instruction.operands[0]);
  const uint8_t *mask =
      instruction.operandCount > 1 ? cta.at<uint8_t>(instruction.operands[1]) : nullptr;
  uint32_t valueStep = instruction.operands[0].elements != 1;
  uint32_t maskStep = instruction.operands[1].elements != 1;
  uint32_t *bins = cta.at<uint32_t>(instruction.result);
  std::fill_n(bins, instruction.result.elements, 0);
  for (uint32_t element = 0; element < instruction.immediate; ++element) {
    if (mask && !mask[element * maskStep])
      continue;
    uint64_t bin = values[element * valueStep];
    if (bin >= instruction.result.elements)
      return cta.fail(instruction, diag::Kind::ElementIndexOutOfRange,
                      {std::to_string(bin), std::to_string(instruction.result.elements - 1)},
                      element);
    ++bins[bin];
  }
}

bool lowerHistogram(Lowering &lowering, mlir::Operation *operation) {
  auto histogram = mlir::cast<tt::HistogramOp>(operation);
  if (lowering.kindOf(histogram.getResult()) != ElementKind::I32)
    return false;
  lowering.setShape(histogram.getSrc().getType());
  llvm::SmallVector<Slot, 2> operands = {lowering.slotOf(histogram.getSrc())};
  if (mlir::Value mask = histogram.getMask())
    operands.push_back(lowering.slotOf(mask));
  Slot result = lowering.define(histogram.getResult(),
                                lowering.elementCountOf(histogram.getResult().getType()));
  return withIntElement(lowering.kindOf(histogram.getSrc()), [&](auto element) {
    lowering.emit(runHistogram<decltype(element)>, taintAll, result, operands).immediate =
        lowering.elementCountOf(histogram.getSrc().getType());
  });
}

} // namespace

void addShape(OperationTable &table) {
  table["tt.get_program_id"] = lowerProgramId<tt::GetProgramIdOp>;
  table["tt.get_num_programs"] = lowerProgramId<tt::GetNumProgramsOp>;
  table["tt.make_range"] = lowerMakeRange;
  table["tt.splat"] = lowerSplat;
  table["tt.unsplat"] = lowerSameElements;
  table["tt.expand_dims"] = lowerSameElements;
  table["tt.reshape"] = lowerSameElements;
  table["ttg.convert_layout"] = lowerSameElements;
  table["tt.broadcast"] = lowerBroadcast;
  table["tt.trans"] = lowerTrans;
  table["tt.join"] = lowerJoin;
  table["tt.split"] = lowerSplit;
  table["tt.gather"] = lowerGather;
  table["tt.histogram"] = lowerHistogram;
}

} // namespace gluonc::sim
