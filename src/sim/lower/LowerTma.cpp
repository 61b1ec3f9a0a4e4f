//===- LowerTma.cpp - Bulk copies of boxes of tensors ------------------------===//
//
// A load is checked when it is issued and happens when somebody waits for the
// phase that it completes; until then nobody may touch its destination. A store
// takes its bytes when it is issued, for nobody may overwrite them before the wait
// that allows it, and reaches global memory at the wait that demands it.
//
// Each CTA of a cluster moves its share of the box. Where several hold copies, each
// loads its own; with multicast the first of them loads for all, and to each the bytes
// come as late as that one's barrier permits. Stores are the first one's business.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Boxes.h"
#include "sim/machine/BarrierView.h"

#include "ir/Encoding.h"

#include <map>

namespace gluonc::sim {

void findOverlap(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer,
                 const uint8_t *elements) {
  const uint64_t size = transfer.shared.table->elementBytes;
  std::map<uint64_t, uint32_t> before;
  for (const BoxRow &row : boxRows(transfer)) {
    if (!row.count)
      continue;
    const uint32_t first = row.element + row.skip;
    auto [other, isNew] = before.try_emplace(row.address, first);
    const uint8_t *mine = elements + first * size, *theirs = elements + other->second * size;
    for (uint32_t i = 0; i < row.count && !isNew; ++i)
      if (std::memcmp(mine + i * size, theirs + i * size, size) != 0)
        return failOverlap(instruction, cta, row.address + i * size, other->second + i, first + i);
  }
}

void endWithBuffer(Cta &cta, BoxTransfer &transfer) {
  if (cta.unknownReads == Verdict::Fault)
    return;
  if (const Range *range = cta.memory.find(transfer.tensor.base))
    transfer.end = range->base() + range->bytes();
}

bool checkRows(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer) {
  for (const BoxRow &row : boxRows(transfer))
    if (row.count &&
        !checkedAccess(instruction, cta, row.address, row.count, row.element + row.skip))
      return false;
  return true;
}

bool readBox(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer, Proxy proxy,
             uint8_t *to) {
  const Region &source = transfer.shared;
  std::vector<uint8_t> isWanted(source.elements(), 0);
  uint64_t wanted = 0;
  for (const BoxRow &row : boxRows(transfer)) {
    std::fill_n(isWanted.begin() + row.element + row.skip, row.count, 1);
    wanted += row.count;
  }
  return wanted == isWanted.size() ? readShared(instruction, cta, source, to, proxy)
                                   : readSharedPart(instruction, cta, source, isWanted, to, proxy);
}

namespace {

struct TransferData : AccessData {
  const AddressTable *table = nullptr;
  /// What this CTA holds, of the box or of the tile in registers.
  const Share *share = nullptr;
  const AddressTable *barrierTable = nullptr;
  const Share *barrierShare = nullptr;
  bool multicast = false;
  bool im2col = false;
  /// The last ones, where the copy names its rows.
  llvm::SmallVector<Slot, TensorDescription::maxRank> coordinates;
  llvm::SmallVector<Slot, 3> offsets;
  /// The number of the tensor's row for each row of this CTA, if it does.
  std::optional<Slot> rows;
  Reduction reduction = Reduction::None;
  ElementKind kind = ElementKind::I8;
  bool isUnsigned = false;
};

const TransferData &dataOf(const Instruction &instruction) {
  return static_cast<const TransferData &>(*instruction.data);
}

uint8_t coordinateTaint(const Instruction &instruction, Cta &cta) {
  const TransferData &data = dataOf(instruction);
  for (llvm::ArrayRef<Slot> slots :
       {llvm::ArrayRef(data.coordinates), llvm::ArrayRef(data.offsets)})
    for (Slot slot : slots)
      if (uint8_t code = *cta.taintAt(slot); Cta::isFault(code))
        return code;
  if (data.rows)
    for (uint8_t code : llvm::ArrayRef(cta.taintAt(*data.rows), data.rows->elements))
      if (Cta::isFault(code))
        return code;
  return 0;
}

void taintTransfer(const Instruction &instruction, Cta &cta) {
  taintObserve(instruction, cta);
  if (uint8_t code = coordinateTaint(instruction, cta); code && !cta.failed)
    cta.raise(instruction, code);
}

/// Whatever the coordinates are, TMA reads nothing but the tensor.
void taintTransferIn(const Instruction &instruction, Cta &cta) {
  if (observeIfOn(instruction, cta, 3))
    cta.coordinateTaint = coordinateTaint(instruction, cta);
}

/// Operands: descriptor, shared view.
BoxTransfer transferOf(const Instruction &instruction, Cta &cta) {
  const TransferData &data = dataOf(instruction);
  BoxTransfer transfer;
  transfer.tensor = *cta.at<TensorDescription>(instruction.operands[0]);
  transfer.im2col = data.im2col;
  for (auto [index, slot] : llvm::enumerate(data.coordinates))
    transfer.start[index + (data.rows ? 1 : 0)] = *cta.at<int32_t>(slot);
  if (data.rows) {
    const int32_t *rows = cta.at<int32_t>(*data.rows);
    transfer.rows.assign(rows, rows + data.rows->elements);
  }
  for (auto [index, slot] : llvm::enumerate(data.offsets))
    transfer.offsets[index] = *cta.at<uint16_t>(slot);
  transfer.shared = regionOf(cta, data.table, instruction.operands[1], data.share);
  takeShare(transfer);
  endWithBuffer(cta, transfer);
  return transfer;
}

Region barriersOf(const Instruction &instruction, Cta &cta) {
  const TransferData &data = dataOf(instruction);
  return barriersAt(cta, data.barrierTable, instruction.operands[2], data.barrierShare);
}

/// Whether the copy engine can address both ends; false after a fault. A launch has checked the
/// descriptors that came with it, but the program may have made its own.
bool checkEnds(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer) {
  std::string why = tma::whyNotAddressable(transfer.tensor, dataOf(instruction).elementBytes);
  if (!why.empty()) {
    cta.fail(instruction, diag::Kind::DescriptorNotAddressable, {why});
    return false;
  }
  const Share *share = transfer.shared.share;
  uint64_t first = transfer.shared.offsetOf(share ? share->begins[cta.rank()] : 0);
  uint64_t begin = first % kCtaSharedStride;
  if (begin % tma::sharedAlignment == 0)
    return true;
  cta.fail(instruction, diag::Kind::MisalignedBulkCopy,
           {std::to_string(begin), std::to_string(tma::sharedAlignment)}, -1, std::nullopt,
           cta.memoryAt(first));
  return false;
}

/// Whether the box begins where the copy engine can, and what of it lies inside of the tensor may
/// be accessed; false after a fault.
bool checkGlobal(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer) {
  if (!checkEnds(instruction, cta, transfer))
    return false;
  const int32_t start = transfer.start[transfer.tensor.rank - 1];
  const int64_t byte = int64_t(start) * transfer.shared.table->elementBytes;
  if (byte % tma::unitBytes != 0 && !cta.coordinateTaint) {
    cta.fail(instruction, diag::Kind::BoxMisaligned, {std::to_string(start), std::to_string(byte)});
    return false;
  }
  for (unsigned dim = 0; transfer.outwards && dim < transfer.tensor.rank; ++dim)
    if (int32_t at = transfer.start[dim]; at < 0) {
      cta.fail(instruction, diag::Kind::BoxBeforeTensor, {std::to_string(at), std::to_string(dim)});
      return false;
    }
  for (auto [row, at] : llvm::enumerate(transfer.rows))
    if (transfer.outwards && at < 0) {
      cta.fail(instruction, diag::Kind::BoxBeforeTensor, {std::to_string(at), "0"},
               int64_t(row * transfer.extents.back()));
      return false;
    }
  return checkRows(instruction, cta, transfer);
}

/// Starts a load into the memory of the CTA whose number differs by `distance` from this one's.
void startLoad(const Instruction &instruction, Cta &cta, const BoxTransfer &transfer,
               uint32_t distance) {
  const Region barriers = barriersOf(instruction, cta);
  // Of CTAs that have barriers in common, the first one's are told.
  const uint32_t bytes = (distance & ~barriers.table->copyBits) * kCtaSharedStride;
  AsyncOperation load;
  load.proxy = Proxy::Async;
  load.place = instruction.place;
  Region &target = load.movement.emplace<AsyncOperation::BoxToShared>(transfer).transfer.shared;
  target.copyOffset += distance * kCtaSharedStride;
  target.rank += distance;
  if (!checkBarrier(instruction, cta, barriers, "bulk load with", bytes) ||
      !checkWritable(instruction, cta, target, Proxy::Async))
    return;
  BarrierEvent event;
  event.bytes = int64_t(target.elements()) * target.table->elementBytes;
  event.cta = cta.rank();
  event.place = instruction.place;
  event.taint = cta.coordinateTaint;
  forEachBarrier(barriers, [&](uint32_t offset) { event.barriers.push_back(offset + bytes); });
  cta.noteStep(instruction, Doing::Loads, target.start());
  event.operations.push_back(cta.start(std::move(load)));
  cta.addEvent(std::move(event));
  cta.noteEvent();
}

/// Operands: descriptor, destination, barrier, predicate.
void runLoad(const Instruction &instruction, Cta &cta) {
  const TransferData &data = dataOf(instruction);
  const uint32_t copies = data.multicast ? data.table->copyBits : 0;
  if (!*cta.at<uint8_t>(instruction.operands[3]) || (cta.rank() & copies))
    return;
  const BoxTransfer transfer = transferOf(instruction, cta);
  if (data.im2col && !cta.coordinateTaint)
    if (std::string problem = im2colProblem(transfer); !problem.empty())
      return cta.fail(instruction, diag::Kind::Im2ColStart, {problem});
  if (!checkGlobal(instruction, cta, transfer))
    return;
  for (uint32_t distance = 0; distance < cta.program.ctas && !cta.failed; ++distance)
    if (!(distance & ~copies))
      startLoad(instruction, cta, transfer, distance);
  cta.coordinateTaint = 0;
}

/// Operands: descriptor, source.
void runStore(const Instruction &instruction, Cta &cta) {
  const TransferData &data = dataOf(instruction);
  if (cta.rank() & data.table->copyBits)
    return;
  AsyncOperation store;
  store.name = "store";
  store.proxy = Proxy::Async;
  store.place = instruction.place;
  auto &box = store.movement.emplace<AsyncOperation::BoxToGlobal>();
  box.transfer = transferOf(instruction, cta);
  box.transfer.outwards = true;
  box.reduction = data.reduction;
  box.kind = data.kind;
  box.isUnsigned = data.isUnsigned;
  const Region &source = store.reads.emplace_back(box.transfer.shared);
  box.bytes.resize(uint64_t(source.elements()) * data.elementBytes);
  if (checkGlobal(instruction, cta, box.transfer) &&
      readBox(instruction, cta, box.transfer, Proxy::Async, box.bytes.data())) {
    if (data.rows && cta.races)
      findOverlap(instruction, cta, box.transfer, box.bytes.data());
    cta.noteStep(instruction, Doing::Stores, source.start());
    cta.enqueue(Queue::BulkStores, std::move(store));
  }
}

/// `immediate`: groups that may stay unfinished.
void runStoreWait(const Instruction &instruction, Cta &cta) {
  cta.waitFor(Queue::BulkStores, instruction.immediate);
}
void runStoreReadWait(const Instruction &instruction, Cta &cta) {
  cta.waitForReads(Queue::BulkStores, instruction.immediate);
}

/// What each CTA moves: of a view that is cut out of a larger buffer, too, by the view's own shape.
const Share *movedShare(Lowering &lowering, mlir::Operation *operation, ttg::MemDescType view) {
  return lowering.shareOf(operation,
                          ttg::MemDescType::get(view.getShape(), view.getElementType(),
                                                view.getEncoding(), view.getMemorySpace(),
                                                view.getMutableMemory(), view.getShape()));
}

TransferData *addTransfer(Lowering &lowering, mlir::Operation *operation, mlir::Value descriptor,
                          mlir::ValueRange coordinates, mlir::Value view) {
  auto type = mlir::cast<ttg::MemDescType>(view.getType());
  const AddressTable *table = addressTable(lowering, operation, view);
  const Share *share = movedShare(lowering, operation, type);
  if (!table || (lowering.inCluster() && !share))
    return nullptr;
  lowering.program.ordersShared = true;
  TransferData *data = lowering.addData<TransferData>();
  data->table = table;
  data->share = share;
  data->im2col = ttng::descriptorOf(descriptor.getType()).im2col;
  data->kind = *elementKindOf(mlir::cast<ttg::MemDescType>(view.getType()).getElementType());
  data->elementBytes = table->elementBytes;
  data->cacheIndex = lowering.program.accessCount++;
  data->parameter = lowering.parameterOf(descriptor);
  lowering.program.accesses.push_back(data);
  data->elements = Region{table, {}, share}.elements();
  for (mlir::Value coordinate : coordinates)
    data->coordinates.push_back(lowering.slotOf(coordinate));
  lowering.setShape(mlir::RankedTensorType::get(type.getShape(), type.getElementType()));
  lowering.setShare(share);
  return data;
}

bool addBarriers(Lowering &lowering, mlir::Operation *operation, TransferData &data,
                 mlir::Value view) {
  data.barrierTable = addressTable(lowering, operation, view);
  data.barrierShare = lowering.shareOf(operation, mlir::cast<ttg::MemDescType>(view.getType()));
  return data.barrierTable && (data.barrierShare || !lowering.inCluster());
}

bool lowerLoad(Lowering &lowering, mlir::Operation *operation) {
  auto load = mlir::cast<ttng::AsyncTMACopyGlobalToLocalOp>(operation);
  TransferData *data =
      addTransfer(lowering, operation, load.getDesc(), load.getCoord(), load.getResult());
  if (!data || !addBarriers(lowering, operation, *data, load.getBarrier()))
    return false;
  data->verb = "bulk load";
  data->reads = true;
  data->multicast = load.getMulticast();
  for (mlir::Value offset : load.getOffsets())
    data->offsets.push_back(lowering.slotOf(offset));
  lowering
      .emit(runLoad, taintTransferIn, Slot(),
            {lowering.slotOf(load.getDesc()), lowering.slotOf(load.getResult()),
             lowering.slotOf(load.getBarrier()), lowering.slotOf(load.getPred())})
      .data = data;
  return true;
}

/// The numbers of the rows that a copy names.
void addRows(Lowering &lowering, TransferData &data, mlir::Value offsets) {
  data.rows = lowering.materialize(lowering.slotOf(offsets),
                                   lowering.elementCountOf(offsets.getType()), ElementKind::I32);
}

bool lowerGather(Lowering &lowering, mlir::Operation *operation) {
  auto gather = mlir::cast<ttng::AsyncTMAGatherOp>(operation);
  TransferData *data =
      addTransfer(lowering, operation, gather.getDesc(), gather.getYOffset(), gather.getResult());
  if (!data || !addBarriers(lowering, operation, *data, gather.getBarrier()))
    return false;
  data->verb = "bulk gather";
  data->reads = true;
  data->multicast = gather.getMulticast();
  addRows(lowering, *data, gather.getXOffsets());
  lowering
      .emit(runLoad, taintTransferIn, Slot(),
            {lowering.slotOf(gather.getDesc()), lowering.slotOf(gather.getResult()),
             lowering.slotOf(gather.getBarrier()), lowering.slotOf(gather.getPred())})
      .data = data;
  return true;
}

bool emitStore(Lowering &lowering, TransferData *data, mlir::Value descriptor, mlir::Value source) {
  data->writes = true;
  lowering
      .emit(runStore, taintTransfer, Slot(), {lowering.slotOf(descriptor), lowering.slotOf(source)})
      .data = data;
  return true;
}

bool lowerStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<ttng::AsyncTMACopyLocalToGlobalOp>(operation);
  TransferData *data =
      addTransfer(lowering, operation, store.getDesc(), store.getCoord(), store.getSrc());
  if (!data)
    return false;
  data->verb = "bulk store";
  return emitStore(lowering, data, store.getDesc(), store.getSrc());
}

bool lowerScatter(Lowering &lowering, mlir::Operation *operation) {
  auto scatter = mlir::cast<ttng::AsyncTMAScatterOp>(operation);
  TransferData *data =
      addTransfer(lowering, operation, scatter.getDesc(), scatter.getYOffset(), scatter.getSrc());
  if (!data)
    return false;
  data->verb = "bulk scatter";
  addRows(lowering, *data, scatter.getXOffsets());
  return emitStore(lowering, data, scatter.getDesc(), scatter.getSrc());
}

Reduction reductionOf(tt::DescriptorReduceKind kind) {
  switch (kind) {
  case tt::DescriptorReduceKind::ADD:
    return Reduction::Add;
  case tt::DescriptorReduceKind::MIN:
    return Reduction::Min;
  case tt::DescriptorReduceKind::MAX:
    return Reduction::Max;
  case tt::DescriptorReduceKind::AND:
    return Reduction::And;
  case tt::DescriptorReduceKind::OR:
    return Reduction::Or;
  case tt::DescriptorReduceKind::XOR:
    return Reduction::Xor;
  case tt::DescriptorReduceKind::INC:
    return Reduction::Inc;
  case tt::DescriptorReduceKind::DEC:
    return Reduction::Dec;
  }
  GL_UNREACHABLE("reduction of a bulk store");
}

bool lowerReduce(Lowering &lowering, mlir::Operation *operation) {
  auto reduce = mlir::cast<ttng::AsyncTMAReduceOp>(operation);
  TransferData *data =
      addTransfer(lowering, operation, reduce.getDesc(), reduce.getCoord(), reduce.getSrc());
  if (!data)
    return false;
  data->verb = "bulk reduction";
  data->reads = true;
  data->atomic = true;
  data->reduction = reductionOf(reduce.getKind());
  data->isUnsigned = ttng::descriptorOf(reduce.getDesc().getType()).elementType.isUnsignedInteger();
  // Sums of floats depend on the order of programs, and so does what counts around.
  bool isCount = data->reduction == Reduction::Inc || data->reduction == Reduction::Dec;
  if (isCount || (isFloat(data->kind) && data->reduction == Reduction::Add))
    lowering.program.sequential = true;
  return emitStore(lowering, data, reduce.getDesc(), reduce.getSrc());
}

bool lowerStoreWait(Lowering &lowering, mlir::Operation *operation) {
  auto wait = mlir::cast<ttng::TMAStoreWaitOp>(operation);
  Handler handler = wait.getReadOnly() ? runStoreReadWait : runStoreWait;
  lowering.emit(handler, taintNothing, Slot(), {}).immediate = uint64_t(wait.getPendings());
  return true;
}

//===----------------------------------------------------------------------===//
// Stores from registers
//===----------------------------------------------------------------------===//

/// Starts a store from registers into one of the copies that it writes. Each CTA that receives
/// something counts its bytes.
bool startSharedStore(const Instruction &instruction, Cta &cta, const Region &target) {
  const TransferData &data = dataOf(instruction);
  if (!checkWritable(instruction, cta, target))
    return false;
  const Region barriers = barriersOf(instruction, cta);
  const uint8_t *values = cta.at<uint8_t>(instruction.operands[0]);
  std::map<uint32_t, int64_t> bytes;
  forEachSharedRun(target, [&](uint32_t, uint64_t offset, uint32_t count) {
    bytes[uint32_t(offset / kCtaSharedStride)] += int64_t(count) * data.elementBytes;
  });
  for (auto [receiver, count] : bytes) {
    const uint32_t distance = (receiver - cta.rank()) * kCtaSharedStride;
    if (!checkBarrier(instruction, cta, barriers, "`async_store` with", distance))
      return false;
    AsyncOperation copy;
    copy.place = instruction.place;
    copy.movement = AsyncOperation::ElementsToShared{
        target, {values, values + uint64_t(data.elements) * data.elementBytes}, receiver};
    BarrierEvent event;
    event.bytes = count;
    event.cta = cta.rank();
    event.place = instruction.place;
    event.operations.push_back(cta.start(std::move(copy)));
    forEachBarrier(barriers, [&](uint32_t offset) { event.barriers.push_back(offset + distance); });
    cta.addEvent(std::move(event));
  }
  return true;
}

/// Operands: values, destination, barrier.
void runSharedStore(const Instruction &instruction, Cta &cta) {
  const TransferData &data = dataOf(instruction);
  forEachStoredCopy(regionOf(cta, data.table, instruction.operands[1], data.share),
                    [&](const Region &copy) { return startSharedStore(instruction, cta, copy); });
  cta.noteEvent();
}

bool lowerSharedStore(Lowering &lowering, mlir::Operation *operation) {
  auto store = mlir::cast<ttng::AsyncSharedStoreOp>(operation);
  const AddressTable *table = addressTable(lowering, operation, store.getDst());
  TransferData *data = lowering.addData<TransferData>();
  if (!table || !addBarriers(lowering, operation, *data, store.getMbarrier()))
    return false;
  data->table = table;
  data->share = lowering.shareOf(store.getSrc().getType());
  data->elementBytes = table->elementBytes;
  data->elements = lowering.elementCountOf(store.getSrc().getType());
  lowering.setShape(store.getSrc().getType());
  Slot values = lowering.materialize(lowering.slotOf(store.getSrc()), data->elements,
                                     lowering.kindOf(store.getSrc()));
  lowering
      .emit(runSharedStore, taintTransfer, Slot(),
            {values, lowering.slotOf(store.getDst()), lowering.slotOf(store.getMbarrier())})
      .data = data;
  return true;
}

} // namespace

void addTma(OperationTable &table) {
  table["ttng.async_tma_copy_global_to_local"] = lowerLoad;
  table["ttng.async_tma_copy_local_to_global"] = lowerStore;
  table["ttng.async_tma_reduce"] = lowerReduce;
  table["ttng.async_tma_gather"] = lowerGather;
  table["ttng.async_tma_scatter"] = lowerScatter;
  table["ttng.async_tma_store_wait"] = lowerStoreWait;
  table["ttng.async_shared_store"] = lowerSharedStore;
}

} // namespace gluonc::sim
