//===- LowerTensorMover.cpp - AMD's engine that copies blocks of tensors --------===//
//
// A descriptor says where the block begins and how far the tensor reaches from
// there, so that moving it is arithmetic. Copies are complete in the order of their
// start, which a wait counts, or when the barrier that they tell is waited for.
// Until then nobody may touch what a load fills, or write what a store reads. A
// descriptor that is off makes a copy that does nothing, and counts.
//
// A wave's copies are done one after the other, so that a barrier which is told of one
// tells of those before it, too. Each CTA of a cluster moves its share of the block; of
// CTAs with copies each loads its own, and the first stores.
//
//===----------------------------------------------------------------------===//
#include "ir/amdg/TensorMover.h"
#include "sim/lower/Barriers.h"
#include "sim/lower/Boxes.h"

namespace gluonc::sim {
namespace {

struct MoverData : AccessData {
  const AddressTable *table = nullptr;
  const Share *share = nullptr;
  /// Null where no barrier is told.
  const AddressTable *barrierTable = nullptr;
  const Share *barrierShare = nullptr;
  /// Warps that take part: each arrives at the barrier. As bits, if there is no hint the first
  /// ones.
  uint32_t arrivals = 0;
  uint64_t hint = 0;
  /// Numbers of rows, and how large they are.
  std::optional<Slot> rows;
  uint32_t rowBytes = 0;
  /// One of several copies that a wait counts as one: not the first.
  bool joins = false;
};

struct UpdateData : OpData {
  llvm::SmallVector<Slot, TensorDescription::maxRank> offsets, bounds;
  std::optional<Slot> predicate;
  uint32_t predicateBytes = 1;
  uint32_t elementBytes = 0;
  bool clamps = false;

  llvm::SmallVector<Slot, 11> slots() const {
    llvm::SmallVector<Slot, 11> all(offsets.begin(), offsets.end());
    all.append(bounds);
    if (predicate)
      all.push_back(*predicate);
    return all;
  }
};

const MoverData &dataOf(const Instruction &instruction) {
  return static_cast<const MoverData &>(*instruction.data);
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

void taintUpdate(const Instruction &instruction, Cta &cta) {
  taintObserve(instruction, cta);
  for (Slot slot : static_cast<const UpdateData &>(*instruction.data).slots())
    if (uint8_t code = *cta.taintAt(slot); code && !cta.failed)
      cta.raise(instruction, code);
}

/// Operands: descriptor.
void runUpdate(const Instruction &instruction, Cta &cta) {
  const UpdateData &data = static_cast<const UpdateData &>(*instruction.data);
  TensorDescription made = *cta.at<TensorDescription>(instruction.operands[0]);
  for (auto [dim, slot] : llvm::enumerate(data.offsets)) {
    const int64_t offset = *cta.at<int32_t>(slot);
    made.base += uint64_t(offset * made.strides[dim] * int64_t(data.elementBytes));
    // In front of the tensor there is nothing of it.
    if (data.clamps)
      made.shape[dim] = offset < 0 ? 0 : std::max<int64_t>(0, made.shape[dim] - offset);
  }
  for (auto [dim, slot] : llvm::enumerate(data.bounds))
    made.shape[dim] = std::max(0, *cta.at<int32_t>(slot));
  if (data.predicate) {
    uint32_t predicate = 0;
    std::memcpy(&predicate, cta.at<uint8_t>(*data.predicate), data.predicateBytes);
    made.isActive = predicate != 0;
  }
  *cta.at<TensorDescription>(instruction.result) = made;
}

/// Emits an update of `from` to `to`; null operands leave what is there.
void emitUpdate(Lowering &lowering, mlir::Value from, Slot to, mlir::ValueRange offsets,
                mlir::ValueRange bounds, mlir::Value predicate, bool clamps) {
  UpdateData *data = lowering.addData<UpdateData>();
  for (mlir::Value offset : offsets)
    data->offsets.push_back(lowering.slotOf(offset));
  for (mlir::Value bound : bounds)
    data->bounds.push_back(lowering.slotOf(bound));
  if (predicate) {
    data->predicate = lowering.slotOf(predicate);
    data->predicateBytes = byteSize(lowering.kindOf(predicate));
  }
  data->elementBytes =
      byteSize(*elementKindOf(ttng::signless(ttng::descriptorOf(from.getType()).elementType)));
  data->clamps = clamps;
  lowering.emit(runUpdate, taintUpdate, to, {lowering.slotOf(from)}).data = data;
}

bool lowerUpdate(Lowering &lowering, mlir::Operation *operation) {
  auto update = mlir::cast<amdg::UpdateTensorDescriptorOp>(operation);
  lowering.passParameter(update.getDesc(), update.getResult());
  emitUpdate(lowering, update.getDesc(), lowering.define(update.getResult(), 1),
             update.getAddOffsets(), update.getSetBounds(), update.getPred(),
             update.getClampBounds());
  return true;
}

/// The descriptor of a copy that names its place, as Triton 3.6 has it.
Slot placed(Lowering &lowering, mlir::Value desc, mlir::ValueRange indices, mlir::Value predicate) {
  if (indices.empty() && !predicate)
    return lowering.slotOf(desc);
  Slot to = lowering.temporary(lowering.kindOf(desc), 1);
  emitUpdate(lowering, desc, to, indices, {}, predicate, /*clamps=*/true);
  return to;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Operands: descriptor, shared view.
BoxTransfer transferOf(const Instruction &instruction, Cta &cta) {
  const MoverData &data = dataOf(instruction);
  BoxTransfer transfer;
  transfer.tensor = *cta.at<TensorDescription>(instruction.operands[0]);
  transfer.isExact = true;
  transfer.shared = regionOf(cta, data.table, instruction.operands[1], data.share);
  if (data.rows)
    for (uint32_t i = 0; i < data.rows->elements; ++i)
      transfer.rows.push_back(data.rowBytes == 2 ? cta.at<uint16_t>(*data.rows)[i]
                                                 : cta.at<int32_t>(*data.rows)[i]);
  takeShare(transfer);
  endWithBuffer(cta, transfer);
  return transfer;
}

/// What waits count.
AsyncGroup &groupOf(const Instruction &instruction, Cta &cta) {
  std::deque<AsyncGroup> &queue = cta.fiber->queue(Queue::TensorMoves);
  if (!dataOf(instruction).joins || queue.empty())
    queue.emplace_back();
  return queue.back();
}

/// Of the earlier copies those that are done when a copy is done: the work of no other waves.
void addEarlier(Cta &cta, const AsyncOperation &last, AsyncGroup &done) {
  for (const AsyncGroup &group : cta.fiber->queue(Queue::TensorMoves))
    for (const std::shared_ptr<AsyncOperation> &operation : group)
      if (!operation->isComplete && !(operation->waves & ~last.waves))
        done.push_back(operation);
}

/// Starts it, and has the barrier told, if there is one.
void startMove(const Instruction &instruction, Cta &cta, AsyncOperation operation) {
  const MoverData &data = dataOf(instruction);
  BarrierEvent event;
  if (data.barrierTable) {
    const Region barriers =
        regionOf(cta, data.barrierTable, instruction.operands[2], data.barrierShare);
    if (!checkBarrier(instruction, cta, barriers, "copy with"))
      return;
    event.arrivals = data.arrivals;
    event.cta = cta.rank();
    event.place = instruction.place;
    forEachBarrier(barriers, [&](uint32_t offset) {
      event.barriers.push_back(offset);
      if (cta.ordering)
        cta.ordering->arrive(cta.fiber->index, offset);
    });
  }
  operation.waves = data.hint ? data.hint : llvm::maskTrailingOnes<uint64_t>(data.arrivals);
  if (data.barrierTable)
    addEarlier(cta, operation, event.operations);
  std::shared_ptr<AsyncOperation> started = cta.start(std::move(operation));
  groupOf(instruction, cta).push_back(started);
  if (!data.barrierTable)
    return;
  event.operations.push_back(std::move(started));
  cta.addEvent(std::move(event));
  cta.noteEvent();
}

/// Operands: descriptor, destination, barrier if it is told.
void runLoad(const Instruction &instruction, Cta &cta) {
  const BoxTransfer transfer = transferOf(instruction, cta);
  if (!transfer.tensor.isActive)
    return void(groupOf(instruction, cta));
  if (!checkRows(instruction, cta, transfer) || !checkWritable(instruction, cta, transfer.shared))
    return;
  AsyncOperation load;
  load.place = instruction.place;
  load.movement = AsyncOperation::BoxToShared{transfer};
  cta.noteStep(instruction, Doing::Loads, transfer.shared.start());
  startMove(instruction, cta, std::move(load));
}

/// Operands: descriptor, source, barrier if it is told.
void runStore(const Instruction &instruction, Cta &cta) {
  const MoverData &data = dataOf(instruction);
  AsyncOperation store;
  store.name = "store";
  store.place = instruction.place;
  auto &box = store.movement.emplace<AsyncOperation::BoxToGlobal>();
  box.transfer = transferOf(instruction, cta);
  box.transfer.outwards = true;
  if (!box.transfer.tensor.isActive || (cta.rank() & data.table->copyBits))
    return void(groupOf(instruction, cta));
  const Region &source = store.reads.emplace_back(box.transfer.shared);
  box.bytes.resize(uint64_t(source.elements()) * data.elementBytes);
  if (!checkRows(instruction, cta, box.transfer) ||
      !readBox(instruction, cta, box.transfer, Proxy::Generic, box.bytes.data()))
    return;
  if (data.rows && cta.races)
    findOverlap(instruction, cta, box.transfer, box.bytes.data());
  cta.noteStep(instruction, Doing::Stores, source.start());
  startMove(instruction, cta, std::move(store));
}

/// `immediate`: copies that may stay unfinished.
void runWait(const Instruction &instruction, Cta &cta) {
  cta.waitFor(Queue::TensorMoves, instruction.immediate);
}

void taintMove(const Instruction &instruction, Cta &cta) {
  taintObserve(instruction, cta);
  const std::optional<Slot> rows = dataOf(instruction).rows;
  if (!rows || cta.failed)
    return;
  for (uint8_t code : llvm::ArrayRef(cta.taintAt(*rows), rows->elements))
    if (Cta::isFault(code))
      return void(cta.raise(instruction, code));
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

MoverData *addMove(Lowering &lowering, mlir::Operation *operation, mlir::Value descriptor,
                   ttg::MemDescType type, const char *verb) {
  const AddressTable *table = addressTable(lowering, operation, type);
  const Share *share = lowering.shareOf(operation, type);
  if (!table || (lowering.inCluster() && !share))
    return nullptr;
  MoverData *data = lowering.addData<MoverData>();
  data->verb = verb;
  data->table = table;
  data->share = share;
  data->elementBytes = table->elementBytes;
  data->elements = Region{table, {}, share}.elements();
  data->cacheIndex = lowering.program.accessCount++;
  data->parameter = lowering.parameterOf(descriptor);
  data->arrivals = amdg::movingWarps(type, unsigned(ttg::numWarpsOf(operation)));
  lowering.program.accesses.push_back(data);
  lowering.setShape(mlir::RankedTensorType::get(type.getShape(), type.getElementType()));
  lowering.setShare(share);
  return data;
}

MoverData *addMove(Lowering &lowering, mlir::Operation *operation, mlir::Value descriptor,
                   mlir::Value view, const char *verb) {
  return addMove(lowering, operation, descriptor, mlir::cast<ttg::MemDescType>(view.getType()),
                 verb);
}

/// The first rows of a buffer, of which as many are copied as are named.
ttg::MemDescType firstRows(mlir::Value view, mlir::Value rows) {
  auto type = mlir::cast<ttg::MemDescType>(view.getType());
  llvm::SmallVector<int64_t, 2> shape(type.getShape());
  shape[0] = mlir::cast<mlir::RankedTensorType>(rows.getType()).getShape()[0];
  return ttg::MemDescType::get(shape, type.getElementType(), type.getEncoding(),
                               type.getMemorySpace(), type.getMutableMemory(),
                               type.getAllocShape());
}

/// The numbers of the rows that a copy names.
void addRows(Lowering &lowering, MoverData &data, mlir::Value rows) {
  const ElementKind kind = lowering.kindOf(rows);
  data.rowBytes = byteSize(kind);
  data.rows =
      lowering.materialize(lowering.slotOf(rows), lowering.elementCountOf(rows.getType()), kind);
  data.arrivals = amdg::movingWarps(mlir::cast<mlir::RankedTensorType>(rows.getType()));
}

bool emitMove(Lowering &lowering, mlir::Operation *operation, Handler handler, MoverData *data,
              Slot descriptor, mlir::Value view, mlir::Value barrier) {
  llvm::SmallVector<Slot, 3> operands = {descriptor, lowering.slotOf(view)};
  if (barrier) {
    data->barrierTable = addressTable(lowering, operation, barrier);
    data->barrierShare =
        lowering.shareOf(operation, mlir::cast<ttg::MemDescType>(barrier.getType()));
    if (!data->barrierTable || (lowering.inCluster() && !data->barrierShare))
      return false;
    operands.push_back(lowering.slotOf(barrier));
  }
  (handler == runLoad ? data->reads : data->writes) = true;
  lowering.emit(handler, taintMove, Slot(), operands).data = data;
  return true;
}

bool lowerLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<amdg::AsyncTDMCopyGlobalToLocalOp>(operation);
  MoverData *data = addMove(lowering, operation, load.getDesc(), load.getResult(), "block load");
  if (!data)
    return false;
  if (std::optional<uint32_t> hint = load.getWarpUsedHint()) {
    data->arrivals = amdg::movingWarps(load.getResult().getType(), llvm::popcount(*hint));
    data->hint = *hint;
  }
  Slot descriptor = placed(lowering, load.getDesc(), load.getIndices(), load.getPred());
  return emitMove(lowering, operation, runLoad, data, descriptor, load.getResult(),
                  load.getBarrier());
}

bool lowerFusedLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<amdg::AsyncTDMFusedCopyGlobalToLocalOp>(operation);
  for (auto [i, desc, dest] : llvm::enumerate(load.getDescs(), load.getDests())) {
    MoverData *data = addMove(lowering, operation, desc, dest, "block load");
    if (!data)
      return false;
    data->joins = i > 0;
    data->hint = uint32_t(load.getWarpUsedHints()[i]);
    if (!emitMove(lowering, operation, runLoad, data, lowering.slotOf(desc), dest, {}))
      return false;
  }
  return true;
}

bool lowerStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<amdg::AsyncTDMCopyLocalToGlobalOp>(operation);
  MoverData *data = addMove(lowering, operation, store.getDesc(), store.getSrc(), "block store");
  if (!data)
    return false;
  Slot descriptor = placed(lowering, store.getDesc(), store.getIndices(), {});
  return emitMove(lowering, operation, runStore, data, descriptor, store.getSrc(),
                  store.getBarrier());
}

bool lowerGather(Lowering &lowering, mlir::Operation *operation) {
  auto gather = mlir::cast<amdg::AsyncTDMGatherOp>(operation);
  MoverData *data = addMove(lowering, operation, gather.getDesc(),
                            firstRows(gather.getDst(), gather.getSrcRowIndices()), "gather");
  if (!data)
    return false;
  addRows(lowering, *data, gather.getSrcRowIndices());
  return emitMove(lowering, operation, runLoad, data, lowering.slotOf(gather.getDesc()),
                  gather.getDst(), gather.getBarrier());
}

bool lowerScatter(Lowering &lowering, mlir::Operation *operation) {
  auto scatter = mlir::cast<amdg::AsyncTDMScatterOp>(operation);
  MoverData *data = addMove(lowering, operation, scatter.getDesc(),
                            firstRows(scatter.getSrc(), scatter.getDstRowIndices()), "scatter");
  if (!data)
    return false;
  addRows(lowering, *data, scatter.getDstRowIndices());
  return emitMove(lowering, operation, runStore, data, lowering.slotOf(scatter.getDesc()),
                  scatter.getSrc(), scatter.getBarrier());
}

bool lowerWait(Lowering &lowering, mlir::Operation *operation) {
  lowering.emit(runWait, taintNothing, Slot(), {}).immediate =
      mlir::cast<amdg::AsyncTDMWaitOp>(operation).getNum();
  return true;
}

/// Whatever is in L2, memory holds the same.
bool lowerPrefetch(Lowering &, mlir::Operation *) { return true; }

} // namespace

void addTensorMover(OperationTable &table) {
  table["amdg.update_tensor_descriptor"] = lowerUpdate;
  table["amdg.async_tdm_copy_global_to_local"] = lowerLoad;
  table["amdg.async_tdm_fused_copy_global_to_local"] = lowerFusedLoad;
  table["amdg.async_tdm_copy_local_to_global"] = lowerStore;
  table["amdg.async_tdm_gather"] = lowerGather;
  table["amdg.async_tdm_scatter"] = lowerScatter;
  table["amdg.async_tdm_wait"] = lowerWait;
  table["amdg.tdm_prefetch"] = lowerPrefetch;
}

} // namespace gluonc::sim
