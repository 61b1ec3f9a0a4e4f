//===- LowerBarriers.cpp - mbarriers, fences, clusters ----------------------===//
//
// A barrier view has an element for each CTA of the cluster, or for several that have
// it in common. It lies in the first of these, which begins it and waits for it; the
// others only send arrivals. `from_cta` routes arrivals to the barriers of other CTAs:
// of those that differ in the other bits, the first sends one to each.
//
//===----------------------------------------------------------------------===//
#include "sim/lower/Barriers.h"

namespace gluonc::sim {

void forEachBarrier(const Region &view, llvm::function_ref<void(uint32_t)> visit) {
  forEachSharedRun(view, [&](uint32_t, uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      visit(uint32_t(offset) + 8 * i);
  });
}

Region barriersAt(Cta &cta, const AddressTable *table, Slot view, const Share *share) {
  Region region = regionOf(cta, table, view, share);
  region.copyOffset = 0;
  return region;
}

bool checkBarrier(const Instruction &instruction, Cta &cta, const Region &view, const char *verb,
                  uint32_t distance) {
  bool fine = true;
  forEachBarrier(view, [&](uint32_t own) {
    if (!fine)
      return;
    const uint32_t offset = own + distance;
    cta.noteTouched(Footprint::Space::Barrier, offset, 8, /*writes=*/false);
    fine = cta.shared.contains(offset, 8) && cta.shared.state(offset) == SharedMemory::Barrier;
    if (!fine)
      return cta.fail(instruction, diag::Kind::BarrierNotInitialized,
                      {verb, cta.barrierText(offset, "shared memory at byte ")}, -1, std::nullopt,
                      cta.barrierNameAt(offset));
    // Its CTA must not have ended, and will not before it knows of this.
    if (cta.program.ctas > 1 && offset / kCtaSharedStride != cta.rank())
      fine = checkPeerBarrier(instruction, cta, offset);
  });
  return fine;
}

namespace {

const BarrierData &dataOf(const Instruction &instruction) {
  return static_cast<const BarrierData &>(*instruction.data);
}
/// Whether the barriers lie in this CTA's memory.
bool isKeeper(const Instruction &instruction, Cta &cta) {
  const BarrierData &data = dataOf(instruction);
  return data.isOwn || !(cta.rank() & data.table->copyBits);
}
/// The last operand, where there are as many as that.
bool isOff(const Instruction &instruction, Cta &cta, unsigned predicate) {
  return instruction.operandCount > predicate && !*cta.at<uint8_t>(instruction.operands[predicate]);
}

void failOverrun(const Instruction &instruction, Cta &cta, uint32_t arrivals, uint32_t offset,
                 const Barrier &barrier) {
  cta.fail(instruction, diag::Kind::BarrierOverrun,
           {std::to_string(arrivals), cta.barrierText(offset), std::to_string(barrier.pending)}, -1,
           std::nullopt, cta.barrierNameAt(offset));
}

} // namespace

Region barrierViewOf(const Instruction &instruction, Cta &cta) {
  const BarrierData &data = dataOf(instruction);
  return data.isOwn ? regionOf(cta, data.table, instruction.operands[0], data.share)
                    : barriersAt(cta, data.table, instruction.operands[0], data.share);
}

void runInitBarrier(const Instruction &instruction, Cta &cta) {
  if (!isKeeper(instruction, cta))
    return;
  Region view = barrierViewOf(instruction, cta);
  // Nothing ends a barrier of AMD's but the next beginning.
  const bool mayBegin = dataOf(instruction).isOwn;
  forEachBarrier(view, [&](uint32_t offset) {
    if (cta.failed || !cta.shared.contains(offset, 8) ||
        cta.shared.state(offset) != SharedMemory::Barrier)
      return;
    if (mayBegin)
      cta.shared.endBarrier(offset);
    else
      cta.fail(instruction, diag::Kind::BarrierInitializedTwice, {cta.barrierText(offset)}, -1,
               std::nullopt, cta.barrierNameAt(offset));
  });
  if (cta.failed || !checkWritable(instruction, cta, view))
    return;
  forEachBarrier(view, [&](uint32_t offset) {
    cta.shared.set(offset, 8, SharedMemory::Barrier);
    cta.setBarrier(offset, Barrier::initialized(dataOf(instruction).count));
    if (cta.ordering)
      cta.ordering->forgetBarrier(offset);
  });
}

namespace {

/// Operands: barrier.
void runInvalidate(const Instruction &instruction, Cta &cta) {
  if (!isKeeper(instruction, cta))
    return;
  Region view = barrierViewOf(instruction, cta);
  if (!checkBarrier(instruction, cta, view, "`invalidate` of"))
    return;
  forEachBarrier(view, [&](uint32_t offset) {
    auto concerns = [&](const BarrierEvent &event) {
      return llvm::is_contained(event.barriers, offset);
    };
    // Otherwise harmless where nobody needs what comes.
    if (cta.program.sanitizer == Sanitizer::Consan && !cta.failed)
      if (auto event = llvm::find_if(cta.barrierEvents, concerns); event != cta.barrierEvents.end())
        return cta.fail(instruction, diag::Kind::BarrierInUse, {cta.barrierText(offset)}, -1,
                        FaultNote(event->place, "it was started here"), cta.barrierNameAt(offset));
    cta.shared.endBarrier(offset);
    cta.noteTouched(Footprint::Space::Barrier, offset, 8, /*writes=*/true);
  });
}

} // namespace

void arriveAt(const Instruction &instruction, Cta &cta, const Region &view, uint32_t distance) {
  const BarrierData &data = dataOf(instruction);
  if (cta.failed || !checkBarrier(instruction, cta, view, "arrival on", distance))
    return;
  forEachBarrier(view, [&](uint32_t own) {
    const uint32_t offset = own + distance;
    Barrier barrier = cta.barrierAt(offset);
    if (cta.failed)
      return;
    if (!barrier.addBytes(data.bytes))
      return cta.fail(instruction, diag::Kind::BarrierByteOverflow,
                      {cta.barrierText(offset), std::to_string(int64_t(barrier.bytes) + data.bytes),
                       std::to_string(Barrier::kMaxBytes)},
                      -1, std::nullopt, cta.barrierNameAt(offset));
    if (!barrier.arrive(data.count))
      return failOverrun(instruction, cta, data.count, offset, barrier);
    if (cta.ordering)
      cta.ordering->arrive(cta.fiber->index, offset);
    cta.noteStep(instruction, Doing::Arrives, offset, cta.barrierAt(offset).phase);
    cta.setBarrier(offset, barrier);
  });
}

namespace {

/// Operands: barrier, predicate if there is one. Announces bytes, then arrives.
void runArrive(const Instruction &instruction, Cta &cta) {
  if (isOff(instruction, cta, 1))
    return;
  const Region view = barrierViewOf(instruction, cta);
  const std::optional<uint32_t> route = dataOf(instruction).route;
  if (!route)
    return arriveAt(instruction, cta, view, 0);
  const uint32_t receivers = (cta.program.ctas - 1) & ~*route;
  if (cta.rank() & receivers)
    return;
  for (uint32_t receiver = 0; receiver < cta.program.ctas; ++receiver)
    if ((receiver & ~receivers) == cta.rank())
      arriveAt(instruction, cta, view, (receiver - cta.rank()) * kCtaSharedStride);
}

} // namespace

void runWaitBarrier(const Instruction &instruction, Cta &cta) {
  if (isOff(instruction, cta, 2) || !isKeeper(instruction, cta))
    return;
  Region view = barrierViewOf(instruction, cta);
  if (!checkBarrier(instruction, cta, view, "wait for"))
    return;
  bool parity = *cta.at<uint32_t>(instruction.operands[1]) & 1;
  forEachBarrier(view, [&](uint32_t offset) {
    if (!cta.stopped && cta.waitForBarrier(instruction, offset, parity))
      cta.noteStep(instruction, Doing::Waits, offset, parity);
  });
}

void runCopyArrive(const Instruction &instruction, Cta &cta) {
  const BarrierData &data = dataOf(instruction);
  Region view = barrierViewOf(instruction, cta);
  if (!checkBarrier(instruction, cta, view, "arrival on"))
    return;
  BarrierEvent event;
  event.arrivals = data.count;
  event.cta = cta.rank();
  event.place = instruction.place;
  event.operations = cta.fiber->openCopies;
  for (const AsyncGroup &group : cta.fiber->queue(Queue::Copies))
    llvm::append_range(event.operations, group);
  forEachBarrier(view, [&](uint32_t offset) {
    event.barriers.push_back(offset);
    if (cta.ordering)
      cta.ordering->arrive(cta.fiber->index, offset);
    if (!data.increments)
      return;
    Barrier barrier = cta.barrierAt(offset);
    barrier.pending += data.count;
    cta.setBarrier(offset, barrier);
  });
  cta.noteStep(instruction, Doing::Arrives, event.barriers.front(),
               cta.barrierAt(event.barriers.front()).phase);
  cta.addEvent(std::move(event));
  cta.noteEvent();
}

/// The bits of a sender's number that its receivers have.
template <class Op> static std::optional<uint32_t> routeOf(Op op) {
  std::optional<uint64_t> bits = op.getFromCTA();
  return bits ? std::optional(uint32_t(*bits)) : std::nullopt;
}

BarrierData *addBarrierData(Lowering &lowering, mlir::Operation *operation, mlir::Value barrier) {
  const AddressTable *table = addressTable(lowering, operation, barrier);
  const Share *share = lowering.shareOf(operation, mlir::cast<ttg::MemDescType>(barrier.getType()));
  if (!table || (lowering.inCluster() && !share))
    return nullptr;
  BarrierData *data = lowering.addData<BarrierData>();
  data->table = table;
  data->share = share;
  return data;
}

bool emitOnBarrier(Lowering &lowering, Handler handler, BarrierData *data, mlir::Value barrier,
                   llvm::ArrayRef<mlir::Value> scalars, Slot result) {
  llvm::SmallVector<Slot, 3> operands = {lowering.slotOf(barrier)};
  for (mlir::Value scalar : scalars)
    if (scalar)
      operands.push_back(lowering.slotOf(scalar));
  Handler taint = scalars.size() == 1   ? taintPredicated<1>
                  : scalars.size() == 2 ? taintPredicated<2>
                                        : taintObserve;
  lowering.emit(handler, taint, result, operands).data = data;
  return true;
}

namespace {

bool lowerInit(Lowering &lowering, mlir::Operation *operation) {
  auto init = mlir::cast<ttng::InitBarrierOp>(operation);
  BarrierData *data = addBarrierData(lowering, operation, init.getAlloc());
  if (!data)
    return false;
  // All CTAs that have it in common send as many arrivals.
  data->count = uint32_t(init.getCount()) << llvm::popcount(data->table->copyBits);
  return emitOnBarrier(lowering, runInitBarrier, data, init.getAlloc());
}

bool lowerInvalidate(Lowering &lowering, mlir::Operation *operation) {
  auto inval = mlir::cast<ttng::InvalBarrierOp>(operation);
  BarrierData *data = addBarrierData(lowering, operation, inval.getAlloc());
  return data && emitOnBarrier(lowering, runInvalidate, data, inval.getAlloc());
}

bool lowerExpect(Lowering &lowering, mlir::Operation *operation) {
  auto expect = mlir::cast<ttng::BarrierExpectOp>(operation);
  BarrierData *data = addBarrierData(lowering, operation, expect.getAlloc());
  if (!data)
    return false;
  data->count = 1;
  data->bytes = uint32_t(expect.getSize());
  data->route = routeOf(expect);
  return emitOnBarrier(lowering, runArrive, data, expect.getAlloc(), {expect.getPred()});
}

bool lowerArrive(Lowering &lowering, mlir::Operation *operation) {
  auto arrive = mlir::cast<ttng::ArriveBarrierOp>(operation);
  BarrierData *data = addBarrierData(lowering, operation, arrive.getAlloc());
  if (!data)
    return false;
  data->count = uint32_t(arrive.getCount());
  // All warps of a partition come here at the same time.
  if (arrive.getPerWarp())
    data->count *= uint32_t(ttg::numWarpsOf(operation));
  data->route = routeOf(arrive);
  return emitOnBarrier(lowering, runArrive, data, arrive.getAlloc(), {arrive.getPred()});
}

bool lowerWait(Lowering &lowering, mlir::Operation *operation) {
  auto wait = mlir::cast<ttng::WaitBarrierOp>(operation);
  lowering.program.waits = true;
  BarrierData *data = addBarrierData(lowering, operation, wait.getAlloc());
  return data && emitOnBarrier(lowering, runWaitBarrier, data, wait.getAlloc(),
                               {wait.getPhase(), wait.getPred()});
}

bool lowerCopyArrive(Lowering &lowering, mlir::Operation *operation) {
  auto arrive = mlir::cast<ttng::AsyncCopyMbarrierArriveOp>(operation);
  BarrierData *data = addBarrierData(lowering, operation, arrive.getBarrier());
  if (!data)
    return false;
  data->count = uint32_t(ttg::numWarpsOf(operation) * ttg::threadsPerWarpOf(operation));
  data->increments = !arrive.getNoIncrement();
  return emitOnBarrier(lowering, runCopyArrive, data, arrive.getBarrier());
}

void runFence(const Instruction &, Cta &cta) {
  if (cta.ordering)
    cta.ordering->fence(cta.fiber->index);
}
bool lowerFence(Lowering &lowering, mlir::Operation *) {
  lowering.emit(runFence, taintNothing, Slot(), {});
  return true;
}

} // namespace

void runClusterArrive(const Instruction &instruction, Cta &cta) {
  if (cta.program.ctas == 1)
    return;
  if (cta.fiber->arrival)
    return cta.fail(instruction, diag::Kind::ClusterBarrierMisused,
                    {"arrives at a barrier of the cluster, and has not waited since it last did"});
  cta.arriveAtCluster(instruction.immediate);
}

void runClusterWait(const Instruction &instruction, Cta &cta) {
  if (cta.program.ctas == 1)
    return;
  if (!cta.fiber->arrival)
    return cta.fail(instruction, diag::Kind::ClusterBarrierMisused,
                    {"waits at a barrier of the cluster where it has not arrived"});
  cta.waitForCluster(instruction);
}

namespace {

template <class Op> bool lowerClusterArrive(Lowering &lowering, mlir::Operation *operation) {
  lowering.emit(runClusterArrive, taintNothing, Slot(), {}).immediate =
      mlir::cast<Op>(operation).getRelaxed();
  return true;
}
bool lowerClusterWait(Lowering &lowering, mlir::Operation *) {
  lowering.program.waits = true;
  lowering.emit(runClusterWait, taintNothing, Slot(), {});
  return true;
}
bool lowerClusterBarrier(Lowering &lowering, mlir::Operation *operation) {
  return lowerClusterArrive<ttng::ClusterBarrierOp>(lowering, operation) &&
         lowerClusterWait(lowering, operation);
}
bool lowerNothing(Lowering &, mlir::Operation *) { return true; }

} // namespace

void addBarriers(OperationTable &table) {
  table["ttng.init_barrier"] = lowerInit;
  table["ttng.inval_barrier"] = lowerInvalidate;
  table["ttng.barrier_expect"] = lowerExpect;
  table["ttng.arrive_barrier"] = lowerArrive;
  table["ttng.wait_barrier"] = lowerWait;
  table["ttng.async_copy_mbarrier_arrive"] = lowerCopyArrive;
  table["ttng.fence_async_shared"] = lowerFence;
  table["ttng.fence_mbarrier_init_release_cluster"] = lowerNothing;
  table["ttng.cluster_barrier"] = lowerClusterBarrier;
  table["ttng.cluster_arrive"] = lowerClusterArrive<ttng::ClusterArriveOp>;
  table["ttng.cluster_wait"] = lowerClusterWait;
}

} // namespace gluonc::sim
