// Asynchronous operations: when they take place, and who has to know meanwhile.
#include "sim/SharedAccess.h"

namespace gluonc::sim {

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

void Cta::finishCopies(const CopyGroup &copies, Ordering::Epoch epoch) {
  for (const std::shared_ptr<PendingCopy> &copy : copies) {
    if (copy->done)
      continue;
    copy->done = true;
    const uint32_t size = copy->target.table->elementBytes;
    auto arrivesAt = [&](uint64_t offset) {
      return !copy->receiver || offset / kCtaSharedStride == *copy->receiver;
    };
    forEachSharedRun(copy->target, [&](uint32_t lane, uint64_t offset, uint32_t count) {
      if (arrivesAt(offset))
        std::memcpy(shared.data() + offset, copy->bytes.data() + uint64_t(lane) * size,
                    count * size);
    });
    forEachStretch(copy->target, [&](uint64_t offset, uint32_t bytes) {
      if (!arrivesAt(offset))
        return;
      shared.set(offset, bytes, SharedMemory::Written);
      if (ordering)
        ordering->noteWrite(epoch, offset, bytes, copy->place);
    });
  }
}

void Cta::waitForCopies(uint64_t pendingGroups) {
  while (fiber->copyGroups.size() > pendingGroups) {
    finishCopies(fiber->copyGroups.front(), ordering ? ordering->now(fiber->index) : 0);
    fiber->copyGroups.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void Cta::perform(BarrierEvent &event) {
  if (event.taint) {
    Instruction issuer;
    issuer.place = event.place;
    return raise(issuer, event.taint);
  }
  // cp.async and stores from registers are ordinary writes; TMA is not.
  Ordering::Epoch epoch = 0;
  if (ordering)
    epoch = ordering->complete(event.barriers, event.load ? Proxy::Async : Proxy::Generic);
  if (event.load) {
    loadBox(*event.load, shared);
    noteWrite(*this, event.load->shared, epoch, event.place);
  }
  finishCopies(event.copies, epoch);
  for (uint32_t offset : event.barriers) {
    Barrier barrier = barrierAt(offset);
    Instruction issuer;
    issuer.place = event.place;
    if (!barrier.addBytes(-event.bytes))
      return fail(issuer, diag::Kind::BarrierByteOverflow,
                  {placeText(offset), std::to_string(barrier.bytes - event.bytes),
                   std::to_string(-Barrier::kMaxBytes)});
    if (event.arrivals && !barrier.arrive(event.arrivals))
      return fail(
          issuer, diag::Kind::BarrierOverrun,
          {std::to_string(event.arrivals), placeText(offset), std::to_string(barrier.pending)});
    setBarrier(offset, barrier);
  }
}

//===----------------------------------------------------------------------===//
// Bulk stores
//===----------------------------------------------------------------------===//

void Cta::addStore(PendingStore store) {
  retireReaders();
  ++readers;
  addReader(shared, store.transfer.shared);
  fiber->stores.push_back(std::move(store));
}

void Cta::releaseStore(PendingStore &store) {
  if (!store.reading)
    return;
  store.reading = false;
  --readers;
  removeReader(shared, store.transfer.shared);
}

/// From here on the store's read is one that the waiting fiber has behind it.
void Cta::noteStoreRead(const PendingStore &store) {
  if (store.reading)
    noteRead(*this, store.transfer.shared, store.place);
}

void Cta::waitForStoreReads(uint64_t pendingGroups) {
  size_t done = fiber->stores.size() - std::min<size_t>(fiber->stores.size(), pendingGroups);
  for (size_t i = 0; i < done; ++i) {
    noteStoreRead(fiber->stores[i]);
    releaseStore(fiber->stores[i]);
  }
}

void Cta::waitForStores(uint64_t pendingGroups) {
  while (fiber->stores.size() > pendingGroups) {
    PendingStore &store = fiber->stores.front();
    noteStoreRead(store);
    releaseStore(store);
    storeBox(store.transfer, store.bytes.data(), store.reduction, store.kind, store.isUnsigned);
    fiber->stores.pop_front();
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void Cta::addProduct(PendingProduct product) {
  retireReaders();
  ++readers;
  for (const Region &operand : product.operands)
    addReader(shared, operand);
  fiber->products.push_back(std::move(product));
}

void Cta::waitForProducts(uint64_t pendingGroups) {
  while (fiber->products.size() > pendingGroups) {
    const PendingProduct &product = fiber->products.front();
    for (const Region &operand : product.operands) {
      removeReader(shared, operand);
      noteRead(*this, operand, product.place);
    }
    fiber->products.pop_front();
    --readers;
  }
}

void Cta::moveUnfinishedProduct(uint32_t from, uint32_t to) {
  for (PendingProduct &product : fiber->products) {
    bool moves = llvm::is_contained(product.results, from);
    bool listed = llvm::is_contained(product.results, to);
    if (moves && !listed)
      product.results.push_back(to);
    else if (!moves && listed)
      llvm::erase(product.results, to);
  }
}

/// Keeps the readers of a byte countable: with too many operations in flight, those so
/// far no longer guard what they read.
void Cta::retireReaders() {
  constexpr uint32_t kMaxOperations = (SharedMemory::kMaxReaders - 1) / 2;
  if (readers < kMaxOperations)
    return;
  for (const std::unique_ptr<Fiber> &each : fibers) {
    for (PendingStore &store : each->stores)
      releaseStore(store);
    for (PendingProduct &product : each->products) {
      for (const Region &operand : product.operands)
        removeReader(shared, operand);
      product.operands.clear();
    }
  }
}

//===----------------------------------------------------------------------===//
// The end, and who was it
//===----------------------------------------------------------------------===//

/// Nobody misses a load that nobody waited for, but shared memory must outlive what reads it.
/// The engine's reads in a cluster are not judged: kernels for several CTAs leave such to its end.
void Cta::finishCta(const Instruction &end) {
  for (const PendingStore &store : fiber->stores)
    if (store.reading && !isCluster()) {
      Instruction issuer;
      issuer.place = store.place;
      return fail(issuer, diag::Kind::UnfinishedAtEnd, {"a bulk store's read of shared memory"});
    }
  waitForStores(0);
  if (isCluster())
    leaveCluster(end);
}

/// The end of a CTA is like a write to all its memory: whatever others do there has to be ordered
/// before it.
void Cta::leaveCluster(const Instruction &end) {
  const uint64_t begin = std::min<uint64_t>(uint64_t(rank()) * kCtaSharedStride, shared.size());
  const auto size = uint32_t(std::min<uint64_t>(shared.size() - begin, kCtaSharedStride));
  endedCtas |= 1u << rank();
  if (!size)
    return;
  for (const BarrierEvent &event : barrierEvents)
    if (event.cta != rank() && event.barriers.front() / kCtaSharedStride == rank())
      return fail(end, diag::Kind::SharedMemoryOutlived,
                  {"CTA " + std::to_string(event.cta), "writes", placeText(event.barriers.front())},
                  -1, FaultNote(event.place, "it starts to write here"));
  Ordering::Access access(*ordering, fiber->index, Proxy::Generic);
  if (!access.write(begin, size)) {
    const Ordering::Conflict &conflict = *access.conflict;
    const char *does = conflict.otherWrites ? "writes" : "reads";
    return fail(end, diag::Kind::SharedMemoryOutlived,
                {nameOf(conflict.otherFiber), does, placeText(conflict.offset)}, -1,
                FaultNote(conflict.otherPlace, std::string("it ") + does + " it here"));
  }
  ordering->noteWrite(ordering->now(fiber->index), begin, size, end.place);
}

static bool contains(const Region &region, uint64_t byte) {
  bool found = false;
  forEachSharedRun(region, [&](uint32_t, uint64_t offset, uint32_t count) {
    found |= byte >= offset && byte < offset + uint64_t(count) * region.table->elementBytes;
  });
  return found;
}

std::optional<FaultNote> Cta::writerOf(uint64_t offset) const {
  constexpr const char *kText = "the copy was started here";
  for (const BarrierEvent &event : barrierEvents)
    if (event.load && contains(event.load->shared, offset))
      return FaultNote(event.place, kText);
  for (const std::unique_ptr<Fiber> &each : fibers) {
    CopyGroup copies = each->openCopies;
    for (const CopyGroup &group : each->copyGroups)
      copies.insert(copies.end(), group.begin(), group.end());
    for (const std::shared_ptr<PendingCopy> &copy : copies)
      if (!copy->done && contains(copy->target, offset))
        return FaultNote(copy->place, kText);
  }
  return std::nullopt;
}

std::optional<FaultNote> Cta::readerOf(uint64_t offset) const {
  for (const std::unique_ptr<Fiber> &each : fibers) {
    for (const PendingStore &store : each->stores)
      if (store.reading && contains(store.transfer.shared, offset))
        return FaultNote(store.place, "the store that reads it was started here");
    for (const PendingProduct &product : each->products)
      for (const Region &operand : product.operands)
        if (contains(operand, offset))
          return FaultNote(product.place, "the product that reads it was started here");
  }
  return std::nullopt;
}

} // namespace gluonc::sim
