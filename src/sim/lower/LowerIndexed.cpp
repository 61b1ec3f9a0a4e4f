//===- LowerIndexed.cpp - Shared memory at indices --------------------------===//
//
// Element by element, in row-major order: of several values that a scatter sends
// to one place the last one stays, and atomics act one after the other.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/AtomicUpdate.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

using Update = uint64_t (*)(uint64_t old, uint64_t operand);

struct IndexedData : MoveData {
  /// Of the indices, whole.
  llvm::SmallVector<uint32_t, 4> shape;
  uint32_t axis = 0, indexBytes = 0, elements = 0;
  Update update = nullptr;
};

uint64_t readBytes(const uint8_t *from, uint32_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

/// Where an element of a tile lies; each has so many bytes.
uint8_t *elementAt(Cta &cta, Slot slot, uint32_t element, uint32_t bytes) {
  return cta.at<uint8_t>(slot) + uint64_t(slot.elements == 1 ? 0 : element) * bytes;
}

/// Where the element with `index` along the axis and the other coordinates of `element` lies.
uint64_t offsetOf(const IndexedData &data, const Region &view, uint32_t element, uint64_t index) {
  uint32_t whole = data.share ? data.share->toWhole(element, view.rank) : element;
  uint32_t target = 0, stride = 1;
  for (uint32_t dim = data.shape.size(); dim-- > 0;) {
    uint32_t coordinate = whole % data.shape[dim];
    whole /= data.shape[dim];
    target += (dim == data.axis ? uint32_t(index) : coordinate) * stride;
    stride *= data.table->shape[dim];
  }
  return view.offsetOf(target);
}

/// The index that an element is at.
uint64_t indexOf(const IndexedData &data, const Instruction &instruction, Cta &cta,
                 unsigned operand, uint32_t element) {
  return readBytes(elementAt(cta, instruction.operands[operand], element, data.indexBytes),
                   data.indexBytes);
}

/// Byte offset for an element of the tile after all checks; nullopt after a fault.
std::optional<uint64_t> checkedOffset(const IndexedData &data, const Instruction &instruction,
                                      Cta &cta, const Region &view, uint64_t index,
                                      uint32_t element, bool reads, bool writes) {
  uint32_t size = data.table->shape[data.axis];
  if (index >= size) {
    cta.fail(instruction, diag::Kind::ElementIndexOutOfRange,
             {std::to_string(int64_t(index)), std::to_string(size - 1)}, element);
    return std::nullopt;
  }
  uint64_t offset = offsetOf(data, view, element, index);
  if (writes && !reads && !view.stores(offset))
    return offset;
  if (!checkElement(instruction, cta, offset, data.table->elementBytes, element, reads, writes))
    return std::nullopt;
  return offset;
}

/// Operands: indices, view.
void runLocalGather(const Instruction &instruction, Cta &cta) {
  const IndexedData &data = static_cast<const IndexedData &>(*instruction.data);
  const Region view = regionOf(cta, data.table, instruction.operands[1], data.share);
  uint32_t bytes = data.table->elementBytes;
  for (uint32_t element = 0; element < data.elements && !cta.stopped; ++element) {
    uint64_t index = indexOf(data, instruction, cta, 0, element);
    uint8_t *target = elementAt(cta, instruction.result, element, bytes);
    uint32_t size = data.table->shape[data.axis];
    if (index >= size) [[unlikely]] {
      // Harmless where nothing depends on it.
      std::memset(target, 0, bytes);
      cta.taintResult(instruction, element, diag::Kind::ElementIndexOutOfRange,
                      {std::to_string(int64_t(index)), std::to_string(size - 1)});
      continue;
    }
    if (auto offset = checkedOffset(data, instruction, cta, view, index, element, /*reads=*/true,
                                    /*writes=*/false))
      std::memcpy(target, cta.shared.data() + *offset, bytes);
  }
}

/// Operands: values, indices, view.
void runLocalScatter(const Instruction &instruction, Cta &cta) {
  const IndexedData &data = static_cast<const IndexedData &>(*instruction.data);
  uint32_t bytes = data.table->elementBytes;
  auto scatter = [&](const Region &view) {
    for (uint32_t element = 0; element < data.elements && !cta.stopped; ++element) {
      uint64_t index = indexOf(data, instruction, cta, 1, element);
      auto offset = checkedOffset(data, instruction, cta, view, index, element, /*reads=*/false,
                                  /*writes=*/true);
      if (!offset)
        return false;
      if (!view.stores(*offset))
        continue;
      std::memcpy(cta.shared.data() + *offset,
                  elementAt(cta, instruction.operands[0], element, bytes), bytes);
      cta.shared.set(*offset, bytes, SharedMemory::Written);
    }
    return true;
  };
  forEachStoredCopy(regionOf(cta, data.table, instruction.operands[2], data.share), scatter);
}

/// Operands: values, indices, view, and the mask if there is one.
void runAtomicScatter(const Instruction &instruction, Cta &cta) {
  const IndexedData &data = static_cast<const IndexedData &>(*instruction.data);
  uint32_t bytes = data.table->elementBytes;
  auto scatter = [&](const Region &view) {
    for (uint32_t element = 0; element < data.elements && !cta.stopped; ++element) {
      uint8_t *result = elementAt(cta, instruction.result, element, bytes);
      std::memset(result, 0, bytes);
      if (instruction.operandCount > 3 && !*elementAt(cta, instruction.operands[3], element, 1))
        continue;
      uint64_t index = indexOf(data, instruction, cta, 1, element);
      auto offset = checkedOffset(data, instruction, cta, view, index, element, /*reads=*/true,
                                  /*writes=*/true);
      if (!offset)
        return false;
      uint8_t *place = cta.shared.data() + *offset;
      std::memcpy(result, place, bytes);
      uint64_t updated =
          data.update(readBytes(place, bytes),
                      readBytes(elementAt(cta, instruction.operands[0], element, bytes), bytes));
      std::memcpy(place, &updated, bytes);
    }
    return true;
  };
  // CTAs that come to the same copies with the same values update once.
  const Region region = regionOf(cta, data.table, instruction.operands[2], data.share);
  if (data.share && !data.share->isLeast(region.rank, data.table->copyBits))
    return;
  cta.synchronizeWithOthers();
  forEachStoredCopy(region, scatter);
  cta.synchronizeWithOthers();
}

//===----------------------------------------------------------------------===//
// Updates by type
//===----------------------------------------------------------------------===//

template <class Kind, class E> uint64_t updateBits(uint64_t old, uint64_t operand) {
  StorageOf<E> left, right;
  std::memcpy(&left, &old, sizeof left);
  std::memcpy(&right, &operand, sizeof right);
  auto updated = static_cast<StorageOf<E>>(Kind::template apply<E>(left, right));
  uint64_t bits = 0;
  std::memcpy(&bits, &updated, sizeof updated);
  return bits;
}

template <class E> Update integerUpdate(tt::RMWOp op) {
  switch (op) {
  case tt::RMWOp::AND:
    return updateBits<UpdateAnd, E>;
  case tt::RMWOp::OR:
    return updateBits<UpdateOr, E>;
  case tt::RMWOp::XOR:
    return updateBits<UpdateXor, E>;
  case tt::RMWOp::ADD:
    return updateBits<UpdateAdd, E>;
  case tt::RMWOp::MAX:
    return updateBits<UpdateMax, E>;
  case tt::RMWOp::MIN:
    return updateBits<UpdateMin, E>;
  case tt::RMWOp::UMAX:
    return updateBits<UpdateUnsignedMax, E>;
  case tt::RMWOp::UMIN:
    return updateBits<UpdateUnsignedMin, E>;
  case tt::RMWOp::XCHG:
  case tt::RMWOp::FADD:
    return nullptr;
  }
  GL_UNREACHABLE("atomic update");
}

Update updateOf(tt::RMWOp op, ElementKind kind) {
  Update update = nullptr;
  if (op == tt::RMWOp::XCHG)
    return updateBits<UpdateExchange, I64>;
  if (op == tt::RMWOp::FADD)
    withArithmeticFloat(kind,
                        [&](auto element) { update = updateBits<UpdateAdd, decltype(element)>; });
  else
    withIntElement(kind, [&](auto element) { update = integerUpdate<decltype(element)>(op); });
  return update;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// Null, after a report, where the buffer has no linear layout.
IndexedData *describe(Lowering &lowering, mlir::Operation *operation, mlir::Value view,
                      mlir::Value indices, uint32_t axis) {
  IndexedData *data = lowering.addData<IndexedData>();
  data->table = addressTable(lowering, operation, mlir::cast<ttg::MemDescType>(view.getType()));
  if (!data->table || data->table->ringDims)
    return nullptr;
  data->share = lowering.shareOf(indices.getType());
  for (int64_t size : mlir::cast<mlir::RankedTensorType>(indices.getType()).getShape())
    data->shape.push_back(uint32_t(size));
  data->axis = axis;
  data->indexBytes = byteSize(lowering.kindOf(indices));
  data->elements = lowering.elementCountOf(indices.getType());
  lowering.setShape(indices.getType());
  return data;
}

bool lowerLocalGather(Lowering &lowering, mlir::Operation *operation) {
  auto gather = mlir::cast<ttg::LocalGatherOp>(operation);
  IndexedData *data =
      describe(lowering, operation, gather.getSrc(), gather.getIndices(), gather.getAxis());
  if (!data)
    return false;
  Slot result = lowering.define(gather.getResult(), data->elements);
  lowering
      .emit(runLocalGather, taintElementwise, result,
            {lowering.slotOf(gather.getIndices()), lowering.slotOf(gather.getSrc())})
      .data = data;
  return true;
}

bool lowerLocalScatter(Lowering &lowering, mlir::Operation *operation) {
  auto scatter = mlir::cast<ttg::LocalScatterOp>(operation);
  IndexedData *data =
      describe(lowering, operation, scatter.getDst(), scatter.getIndices(), scatter.getAxis());
  if (!data)
    return false;
  lowering
      .emit(runLocalScatter, taintObserve, Slot(),
            {lowering.slotOf(scatter.getValues()), lowering.slotOf(scatter.getIndices()),
             lowering.slotOf(scatter.getDst())})
      .data = data;
  return true;
}

bool lowerAtomicScatter(Lowering &lowering, mlir::Operation *operation) {
  auto scatter = mlir::cast<ttg::LocalAtomicScatterRMWOp>(operation);
  IndexedData *data =
      describe(lowering, operation, scatter.getDst(), scatter.getIndices(), scatter.getAxis());
  if (!data)
    return false;
  data->update = updateOf(scatter.getAtomicRmwOp(), lowering.kindOf(scatter.getValues()));
  if (!data->update)
    return false;
  llvm::SmallVector<Slot, 4> operands = {lowering.slotOf(scatter.getValues()),
                                         lowering.slotOf(scatter.getIndices()),
                                         lowering.slotOf(scatter.getDst())};
  if (scatter.getMask())
    operands.push_back(lowering.slotOf(scatter.getMask()));
  Slot result = lowering.define(scatter.getResult(), data->elements);
  lowering.emit(runAtomicScatter, taintObserve, result, operands).data = data;
  if (!scatter.getResult().use_empty())
    lowering.emitHandOut(scatter.getValues().getType(), result,
                         lowering.kindOf(scatter.getValues()), data->table->copyBits);
  return true;
}

} // namespace

void addIndexed(OperationTable &table) {
  table["ttg.local_gather"] = lowerLocalGather;
  table["ttg.local_scatter"] = lowerLocalScatter;
  table["ttg.local_atomic_scatter_rmw"] = lowerAtomicScatter;
}

} // namespace gluonc::sim
