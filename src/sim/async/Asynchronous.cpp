// Asynchronous operations: when they take place, and who has to know meanwhile.
#include "sim/machine/SharedAccess.h"
#include "sim/machine/SharedPart.h"

namespace gluonc::sim {

//===----------------------------------------------------------------------===//
// From issue to completion
//===----------------------------------------------------------------------===//

/// The state of all places.
static void setStates(SharedMemory &shared, const Region &region, SharedMemory::State state) {
  forEachPlace(region, [&](const Region &place) {
    setState(shared, place, state);
    return true;
  });
}

/// Calls `visit(element, offset, count)` for runs of those that the operation writes.
template <class Visit>
static void forEachWritten(const AsyncOperation::ElementsToShared &elements, Visit &&visit) {
  forEachSharedRun(elements.target, [&](uint32_t element, uint64_t offset, uint32_t count) {
    if (elements.kept.empty())
      return visit(element, offset, count);
    const uint32_t size = elements.target.table->elementBytes;
    for (uint32_t i = 0; i < count; ++i)
      if (!elements.kept[element + i])
        visit(element + i, offset + uint64_t(i) * size, 1u);
  });
}

/// Marks what the operation writes as not there yet.
static void markPending(SharedMemory &shared, const AsyncOperation &operation) {
  auto *elements = std::get_if<AsyncOperation::ElementsToShared>(&operation.movement);
  if (!elements || elements->kept.empty()) {
    if (const Region *target = operation.target())
      setStates(shared, *target, SharedMemory::CopyPending);
    return;
  }
  const uint32_t size = elements->target.table->elementBytes;
  forEachWritten(*elements, [&](uint32_t, uint64_t offset, uint32_t count) {
    shared.setUnderReaders(offset, count * size, SharedMemory::CopyPending);
  });
}

std::shared_ptr<AsyncOperation> Cta::start(AsyncOperation operation) {
  operation.counts = loopValues(*this, rank(), operation.place);
  if (!operation.reads.empty()) {
    retireReaders();
    ++readers;
    operation.isReading = true;
    for (const Region &source : operation.reads)
      addReader(shared, source);
  }
  markPending(shared, operation);
  return std::make_shared<AsyncOperation>(std::move(operation));
}

void Cta::stopReading(AsyncOperation &operation) {
  if (!std::exchange(operation.isReading, false))
    return;
  --readers;
  for (const Region &source : operation.reads)
    removeReader(shared, source);
}

/// From here on the reads are something that the waiting fiber has behind it.
void Cta::finishReads(AsyncOperation &operation) {
  if (!operation.isReading)
    return;
  stopReading(operation);
  // What writes tensor memory is said to have read when it began: several barriers may tell of it.
  if (!std::holds_alternative<AsyncOperation::Sum>(operation.movement))
    for (const Region &source : operation.reads) {
      noteRead(*this, source, operation.place, operation.proxy);
      noteLate(*this, source, /*writes=*/false, operation.place);
    }
}

void Cta::write(const AsyncOperation::ElementsToShared &elements, Ordering::Epoch epoch,
                uint32_t place) {
  const uint32_t size = elements.target.table->elementBytes;
  auto arrivesAt = [&](uint64_t offset) {
    return !elements.receiver || offset / kCtaSharedStride == *elements.receiver;
  };
  auto noteWritten = [&](uint64_t offset, uint32_t bytes) {
    if (!arrivesAt(offset))
      return;
    shared.set(offset, bytes, SharedMemory::Written);
    if (ordering)
      ordering->noteWrite(epoch, offset, bytes, place);
  };
  forEachWritten(elements, [&](uint32_t element, uint64_t offset, uint32_t count) {
    if (arrivesAt(offset))
      std::memcpy(shared.data() + offset, elements.bytes.data() + uint64_t(element) * size,
                  count * size);
    if (!elements.kept.empty())
      noteWritten(offset, count * size);
  });
  if (elements.kept.empty())
    forEachPart(elements.target, noteWritten);
}

void Cta::complete(AsyncOperation &operation, Ordering::Epoch epoch) {
  if (std::exchange(operation.isComplete, true))
    return;
  finishReads(operation);
  if (const Region *target = operation.target())
    noteLate(*this, *target, /*writes=*/true, operation.place);
  if (auto *elements = std::get_if<AsyncOperation::ElementsToShared>(&operation.movement)) {
    write(*elements, epoch, operation.place);
  } else if (auto *out = std::get_if<AsyncOperation::ElementsToGlobal>(&operation.movement)) {
    for (const AsyncOperation::ElementsToGlobal::Run &run : out->runs)
      writeGlobal(run.address, out->bytes.data() + uint64_t(run.first) * out->elementBytes,
                  uint64_t(run.count) * out->elementBytes, out->elementBytes, operation.place);
  } else if (auto *sum = std::get_if<AsyncOperation::Sum>(&operation.movement)) {
    noteWrite(*this, sum->target, sum->epoch, operation.place);
    // A later product may add to it still, or read it.
    if (!pendingSum(sum->target))
      setStates(shared, sum->target,
                sum->holdsNothing ? SharedMemory::Unwritten : SharedMemory::Written);
  } else if (auto *in = std::get_if<AsyncOperation::BoxToShared>(&operation.movement)) {
    // Rows of a tensor, wherever it is.
    noteTouched(Footprint::Space::Global, 0, ~uint64_t(0), /*writes=*/false);
    loadBox(in->transfer, shared);
    noteWrite(*this, in->transfer.shared, epoch, operation.place);
  } else if (auto *out = std::get_if<AsyncOperation::BoxToGlobal>(&operation.movement)) {
    const uint32_t elementBytes = out->transfer.shared.table->elementBytes;
    storeBox(out->transfer, out->bytes.data(), out->reduction, out->kind, out->isUnsigned,
             [&](uint64_t address, const uint8_t *bytes, uint64_t length) {
               writeGlobal(address, bytes, length, elementBytes, operation.place);
             });
  }
}

AsyncOperation *Cta::pendingSum(const Region &region) const {
  AsyncOperation *found = nullptr;
  forEachInFlight([&](AsyncOperation &operation) {
    auto *sum = std::get_if<AsyncOperation::Sum>(&operation.movement);
    if (!sum || operation.isComplete)
      return;
    const Region &other = sum->target;
    if (other.table == region.table && other.share == region.share && other.rank == region.rank &&
        other.view.base == region.view.base &&
        std::equal(other.view.origin, other.view.origin + region.table->shape.size(),
                   region.view.origin))
      found = &operation;
  });
  return found;
}

/// Keeps the readers of a byte countable: with too many operations in flight, those so
/// far no longer guard what they read.
void Cta::retireReaders() {
  constexpr uint32_t kMaxOperations = (SharedMemory::kMaxReaders - 1) / 2;
  if (readers >= kMaxOperations)
    forEachInFlight([&](AsyncOperation &operation) { stopReading(operation); });
}

void Cta::forEachInFlight(llvm::function_ref<void(AsyncOperation &)> visit) const {
  auto visitAll = [&](const AsyncGroup &group) {
    for (const std::shared_ptr<AsyncOperation> &operation : group)
      visit(*operation);
  };
  for (const BarrierEvent &event : barrierEvents)
    visitAll(event.operations);
  for (const std::unique_ptr<Fiber> &each : fibers) {
    visitAll(each->openCopies);
    visitAll(each->products);
    for (const std::deque<AsyncGroup> &queue : each->queues)
      llvm::for_each(queue, visitAll);
  }
}

//===----------------------------------------------------------------------===//
// What completes it
//===----------------------------------------------------------------------===//

void Cta::waitFor(Queue which, uint64_t pendingGroups) {
  std::deque<AsyncGroup> &queue = fiber->queue(which);
  for (; queue.size() > pendingGroups; queue.pop_front())
    for (const std::shared_ptr<AsyncOperation> &operation : queue.front())
      complete(*operation, ordering ? ordering->now(fiber->index) : 0);
}

void Cta::waitForReads(Queue which, uint64_t pendingGroups) {
  std::deque<AsyncGroup> &queue = fiber->queue(which);
  for (size_t i = 0; i + pendingGroups < queue.size(); ++i)
    for (const std::shared_ptr<AsyncOperation> &operation : queue[i])
      finishReads(*operation);
}

void Cta::perform(BarrierEvent &event) {
  if (event.taint) {
    Instruction issuer;
    issuer.place = event.place;
    raise(issuer, event.taint);
    return;
  }
  // What completes together went through one proxy.
  Proxy proxy = event.operations.empty() ? Proxy::Generic : event.operations.front()->proxy;
  Ordering::Epoch epoch = ordering ? ordering->complete(event.barriers, proxy) : 0;
  for (const std::shared_ptr<AsyncOperation> &operation : event.operations)
    complete(*operation, epoch);
  for (uint32_t offset : event.barriers) {
    Barrier barrier = barrierAt(offset);
    if (!barrier.addBytes(-event.bytes))
      return failLate(event.place, diag::Kind::BarrierByteOverflow,
                      {barrierText(offset), std::to_string(barrier.bytes - event.bytes),
                       std::to_string(-Barrier::kMaxBytes)},
                      barrierNameAt(offset));
    if (event.arrivals && !barrier.arrive(event.arrivals))
      return failLate(
          event.place, diag::Kind::BarrierOverrun,
          {std::to_string(event.arrivals), barrierText(offset), std::to_string(barrier.pending)},
          barrierNameAt(offset));
    setBarrier(offset, barrier);
  }
}

void Cta::moveUnfinishedDot(uint32_t from, uint32_t to) {
  for (const AsyncGroup &group : fiber->queue(Queue::Dots))
    for (const std::shared_ptr<AsyncOperation> &dot : group) {
      bool moves = llvm::is_contained(dot->results, from);
      bool listed = llvm::is_contained(dot->results, to);
      if (moves && !listed)
        dot->results.push_back(to);
      else if (!moves && listed)
        llvm::erase(dot->results, to);
    }
}

//===----------------------------------------------------------------------===//
// The end, and who was it
//===----------------------------------------------------------------------===//

/// Whether some of a region lies in the memory of the CTA in hand.
static bool liesIn(const Region &region, const Cta &cta) {
  bool found = !region.share;
  forEachPart(region,
              [&](uint64_t offset, uint32_t) { found |= offset / kCtaSharedStride == cta.rank(); });
  return found;
}

/// Nobody misses a load that nobody waited for, but shared memory must outlive what reads it.
/// Those of the copy engine in a cluster are not judged: kernels for several CTAs leave such to its
/// end.
void Cta::finishCta(const Instruction &end) {
  for (const AsyncGroup &group : fiber->queue(Queue::BulkStores))
    if (const AsyncOperation &store = *group.front(); store.isReading && !isCluster()) {
      const uint64_t source = store.reads.front().offsetOf(0);
      return failLate(store.place, diag::Kind::UnfinishedAtEnd,
                      {"a bulk store's read of " + bufferText(source)}, memoryAt(source));
    }
  // Tensor memory is given back at the end.
  forEachInFlight([&](AsyncOperation &operation) {
    auto *sum = std::get_if<AsyncOperation::Sum>(&operation.movement);
    if (failed || operation.isComplete || !sum || !liesIn(sum->target, *this))
      return;
    Instruction issuer;
    issuer.place = operation.place;
    fail(issuer, diag::Kind::UnfinishedAtEnd,
         {"a " + std::string(operation.name) + " in tensor memory"});
  });
  waitFor(Queue::BulkStores, 0);
  finishGlobalWrites(*fiber);
  if (isCluster())
    leaveCluster(end);
}

/// AMD's waves end when all their copies have; of these only what reaches global memory is seen.
void Cta::finishGlobalWrites(Fiber &of) {
  auto finish = [&](const AsyncGroup &group) {
    for (const std::shared_ptr<AsyncOperation> &operation : group)
      if (operation->writesGlobal())
        complete(*operation, ordering ? ordering->now(fiber->index) : 0);
  };
  for (Queue queue : {Queue::Copies, Queue::TensorMoves})
    llvm::for_each(of.queue(queue), finish);
  finish(of.openCopies);
}

/// The end of a CTA is like a write to all its memory: whatever others do there has to be ordered
/// before it.
void Cta::leaveCluster(const Instruction &end) {
  if (schedule)
    schedule->touchAnything();
  const uint64_t begin = std::min<uint64_t>(uint64_t(rank()) * kCtaSharedStride, shared.size());
  const auto size = uint32_t(std::min<uint64_t>(shared.size() - begin, kCtaSharedStride));
  endedCtas |= 1u << rank();
  if (!size)
    return;
  for (const BarrierEvent &event : barrierEvents)
    if (event.cta != rank() && event.barriers.front() / kCtaSharedStride == rank())
      return fail(end, diag::Kind::SharedMemoryOutlived,
                  {"CTA " + std::to_string(event.cta), "writes",
                   barrierText(event.barriers.front(), "shared memory at byte ")},
                  -1, FaultNote(event.place, "it starts to write here"),
                  barrierNameAt(event.barriers.front()));
  Ordering::Access access(*ordering, fiber->index, Proxy::Generic);
  if (!access.write(begin, size)) {
    const Ordering::Conflict &conflict = *access.conflict;
    const char *does = conflict.otherWrites ? "writes" : "reads";
    return fail(end, diag::Kind::SharedMemoryOutlived,
                {nameOf(conflict.otherFiber), does, spotText(conflict.offset)}, -1,
                FaultNote(conflict.otherPlace, std::string("it ") + does + " it here"),
                memoryAt(conflict.offset));
  }
  ordering->noteWrite(ordering->now(fiber->index), begin, size, end.place);
}

static std::string countsText(const Program &program, const AsyncOperation &operation) {
  return countsText(countsOf(program, operation.place, operation.counts));
}

static bool contains(const Region &region, uint64_t byte) {
  bool found = false;
  forEachSharedRun(region, [&](uint32_t, uint64_t offset, uint32_t count) {
    found |= byte >= offset && byte < offset + uint64_t(count) * region.table->elementBytes;
  });
  return found;
}

std::optional<FaultNote> Cta::writerOf(uint64_t offset) const {
  std::optional<FaultNote> note;
  forEachInFlight([&](AsyncOperation &operation) {
    const Region *target = operation.isComplete ? nullptr : operation.target();
    if (!note && target && contains(*target, offset))
      note.emplace(operation.place, "the " + std::string(operation.name) + " was started here" +
                                        countsText(program, operation));
  });
  return note;
}

std::optional<FaultNote> Cta::readerOf(uint64_t offset) const {
  std::optional<FaultNote> note;
  forEachInFlight([&](AsyncOperation &operation) {
    auto reads = [&](const Region &source) { return contains(source, offset); };
    if (!note && operation.isReading && llvm::any_of(operation.reads, reads))
      note.emplace(operation.place, "the " + std::string(operation.name) +
                                        " that reads it was started here" +
                                        countsText(program, operation));
  });
  return note;
}

} // namespace gluonc::sim
