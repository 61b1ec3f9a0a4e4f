//===- LowerTensorMemory.cpp - Tensor memory ---------------------------------===//
//
// Tensor memory is kept behind shared memory, row by row (kTensorMemoryBase), so
// that its bytes have states, readers and an order like any others.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/SourceLocation.h"
#include "layout/plan/TensorMemoryAccess.h"
#include "sim/lower/ReducedRows.h"
#include "sim/machine/SharedAccess.h"

namespace gluonc::sim {
namespace {

//===----------------------------------------------------------------------===//
// Allocation, loads, stores, views
//===----------------------------------------------------------------------===//

struct TensorAllocation : OpData {
  uint32_t base = 0, rowBytes = 0, bytes = 0;
  /// Of Program::allocations.
  size_t id = 0;
  /// Every second group of 16 rows alone.
  bool isHalf = false;
};

void runAllocate(const Instruction &instruction, Cta &cta) {
  constexpr uint32_t kRows = 128, kHalf = 16;
  const auto &allocation = static_cast<const TensorAllocation &>(*instruction.data);
  descriptorAt(cta, instruction.result) = {allocation.base, {}};
  cta.noteAllocation(allocation.id);
  // Whatever an earlier buffer left there is nobody's value now.
  for (uint32_t row = 0; row < kRows; ++row)
    if (!allocation.isHalf || !(row & kHalf))
      cta.shared.forget(uint64_t(cta.rank()) * kCtaSharedStride + allocation.base +
                            row * allocation.rowBytes,
                        allocation.bytes);
}

uint32_t intAttr(mlir::Operation *operation, llvm::StringRef name) {
  auto value = operation->getAttrOfType<mlir::IntegerAttr>(name);
  return value ? uint32_t(value.getInt()) : 0;
}

MoveData *addMove(Lowering &lowering, mlir::Operation *operation, mlir::Type tile,
                  mlir::Value view) {
  const AddressTable *table = addressTable(lowering, operation, view);
  if (!table)
    return nullptr;
  MoveData *move = lowering.addData<MoveData>();
  move->table = table;
  move->share = lowering.shareOf(tile);
  lowering.setShape(tile);
  return move;
}

/// Operands: view.
void runLoad(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  const Region view = regionOf(cta, move.table, instruction.operands[0], move.share);
  cta.noteStep(instruction, Doing::Reads, view.start());
  readShared(instruction, cta, view, cta.at<uint8_t>(instruction.result));
}

/// Operands: values, view, perhaps a predicate.
void runStore(const Instruction &instruction, Cta &cta) {
  const MoveData &move = static_cast<const MoveData &>(*instruction.data);
  if (instruction.operandCount > 2 && !*cta.at<uint8_t>(instruction.operands[2]))
    return;
  const Region view = regionOf(cta, move.table, instruction.operands[1], move.share);
  cta.noteStep(instruction, Doing::Writes, view.start());
  writeShared(instruction, cta, view, cta.at<uint8_t>(instruction.operands[0]));
}

bool emitStore(Lowering &lowering, mlir::Operation *operation, mlir::Value value, mlir::Value view,
               Slot viewSlot, mlir::Value predicate) {
  MoveData *move = addMove(lowering, operation, value.getType(), view);
  if (!move)
    return false;
  llvm::SmallVector<Slot, 3> operands = {
      lowering.materialize(lowering.slotOf(value), lowering.elementCountOf(value.getType()),
                           lowering.kindOf(value)),
      viewSlot};
  if (predicate)
    operands.push_back(lowering.slotOf(predicate));
  lowering.emit(runStore, predicate ? taintPredicated<2> : taintObserve, Slot(), operands).data =
      move;
  return true;
}

bool lowerAlloc(Lowering &lowering, mlir::Operation *operation) {
  auto alloc = mlir::cast<ttng::TMEMAllocOp>(operation);
  ttg::MemDescType type = alloc.getResult().getType();
  const AddressTable *table = addressTable(lowering, operation, type);
  if (!table)
    return false;
  if (!operation->hasAttr(ttg::tensorMemoryColumnAttr))
    return lowering.unsupported(operation, "tensor memory without allocated columns");
  TensorAllocation *data = lowering.addData<TensorAllocation>();
  data->rowBytes = tensorMemoryRowBytes(operation);
  data->base = kTensorMemoryBase + 4 * intAttr(operation, ttg::tensorMemoryColumnAttr) +
               data->rowBytes * intAttr(operation, ttg::tensorMemoryRowAttr);
  data->bytes = table->bufferBytes;
  for (uint32_t dim = 0; dim < table->ringDims; ++dim)
    data->bytes *= table->shape[dim];
  data->isHalf = layout::leavesHalfOfTensorMemory(*linearOrNull(type));
  data->id = lowering.program.allocations.size();
  lowering.program.allocations.push_back(
      {nameOf(operation->getLoc()).str(), data->base, data->bytes, table});
  lowering.program.tensorRowBytes = data->rowBytes;
  lowering.program.sharedBytes =
      std::max(lowering.program.sharedBytes, (lowering.program.ctas - 1) * kCtaSharedStride +
                                                 kTensorMemoryBase + 128 * data->rowBytes);
  Slot result = lowering.define(alloc.getResult(), 1);
  lowering.emit(runAllocate, taintNothing, result, {}).data = data;
  if (mlir::Value source = alloc.getSrc())
    return emitStore(lowering, operation, source, alloc.getResult(), result, {});
  return true;
}

bool lowerLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<ttng::TMEMLoadOp>(operation);
  mlir::Type type = load.getResult().getType();
  MoveData *move = addMove(lowering, operation, type, load.getSrc());
  if (!move)
    return false;
  Slot result = lowering.define(load.getResult(), lowering.elementCountOf(type));
  lowering.emit(runLoad, taintObserve, result, {lowering.slotOf(load.getSrc())}).data = move;
  return lowerReducedRows(lowering, load, result);
}

bool lowerStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<ttng::TMEMStoreOp>(operation);
  return emitStore(lowering, operation, store.getSrc(), store.getDst(),
                   lowering.slotOf(store.getDst()), store.getPred());
}

struct SliceData : OpData {
  uint32_t dim = 0, offset = 0;
};

void runSlice(const Instruction &instruction, Cta &cta) {
  const SliceData &slice = static_cast<const SliceData &>(*instruction.data);
  Descriptor result = descriptorAt(cta, instruction.operands[0]);
  result.origin[slice.dim] += slice.offset;
  descriptorAt(cta, instruction.result) = result;
}

bool lowerSlice(Lowering &lowering, mlir::Operation *operation) {
  auto slice = mlir::cast<ttng::TMEMSubSliceOp>(operation);
  SliceData *data = lowering.addData<SliceData>();
  data->dim = slice.getDim();
  data->offset = slice.getOffset();
  Slot source = lowering.slotOf(slice.getSrc());
  Slot result = lowering.define(slice.getResult(), 1);
  lowering.emit(runSlice, taintElementwise, result, {source}).data = data;
  return true;
}

} // namespace

void addTensorMemory(OperationTable &table) {
  table["ttng.tmem_alloc"] = lowerAlloc;
  table["ttng.tmem_load"] = lowerLoad;
  table["ttng.tmem_store"] = lowerStore;
  table["ttng.tmem_subslice"] = lowerSlice;
  addTensorProducts(table);
}

} // namespace gluonc::sim
