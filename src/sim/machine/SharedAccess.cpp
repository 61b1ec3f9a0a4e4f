#include "sim/machine/SharedAccess.h"

#include "sim/machine/SharedPart.h"

namespace gluonc::sim {

Region regionOf(Cta &cta, const AddressTable *table, Slot view, const Share *share) {
  Region region = {table, descriptorAt(cta, view), share};
  if (share) {
    region.rank = cta.rank();
    region.copyOffset = (region.rank & table->copyBits) * kCtaSharedStride;
  }
  return region;
}

static bool failOutOfBounds(const Instruction &instruction, Cta &cta, uint64_t offset,
                            uint32_t element) {
  cta.fail(instruction, diag::Kind::SharedOutOfBounds,
           {std::to_string(offset), std::to_string(cta.shared.size())}, element);
  return false;
}

/// Reports why the byte at `offset` cannot be read, unless it may: of the `bytes` from there those
/// that nothing has written count as written then.
static bool admitsUnreadable(const Instruction &instruction, Cta &cta, uint64_t offset,
                             uint32_t bytes, uint32_t element) {
  const std::string buffer = cta.bufferText(offset), byte = cta.byteText(offset);
  const MemoryName memory = cta.memoryAt(offset);
  switch (cta.shared.state(offset)) {
  case SharedMemory::CopyPending:
    cta.fail(instruction, diag::Kind::UnfinishedCopyRead, {buffer, byte}, element,
             cta.writerOf(offset), memory);
    return false;
  case SharedMemory::Barrier:
    cta.fail(instruction, diag::Kind::BarrierBytesAccessed, {"read", byte, buffer}, element,
             std::nullopt, memory);
    return false;
  case SharedMemory::Unwritten:
  case SharedMemory::Written:
    break;
  }
  if (!cta.admitsUnknown(instruction, diag::Kind::UninitializedSharedRead, {buffer, byte}, element,
                         memory))
    return false;
  for (uint64_t at = offset; at < offset + bytes; ++at)
    if (cta.shared.state(at) == SharedMemory::Unwritten)
      cta.shared.set(at, 1, SharedMemory::Written);
  return true;
}

/// Whether bytes may be read; else a fault of element `element` or a later one was reported.
static bool checkReadable(const Instruction &instruction, Cta &cta, uint64_t offset, uint32_t bytes,
                          uint32_t element, uint32_t elementBytes) {
  uint32_t clean;
  while ((clean = cta.shared.firstUnreadable(offset, bytes)) != bytes)
    if (!admitsUnreadable(instruction, cta, offset + clean, bytes - clean,
                          element + clean / elementBytes))
      return false;
  return true;
}

static bool failUnwritable(const Instruction &instruction, Cta &cta, uint64_t offset,
                           int64_t element) {
  const std::string buffer = cta.bufferText(offset), byte = cta.byteText(offset);
  const MemoryName memory = cta.memoryAt(offset);
  if (cta.shared.isBeingRead(offset)) {
    cta.fail(instruction, diag::Kind::SharedWriteDuringRead, {buffer, byte}, element,
             cta.readerOf(offset), memory);
  } else if (cta.shared.state(offset) == SharedMemory::CopyPending) {
    cta.fail(instruction, diag::Kind::SharedWriteDuringCopy, {buffer, byte}, element,
             cta.writerOf(offset), memory);
  } else {
    cta.fail(instruction, diag::Kind::BarrierBytesAccessed, {"written", byte, buffer}, element,
             std::nullopt, memory);
  }
  return false;
}

/// Reports an access that nothing orders after an earlier one, or not for its proxy.
static bool failUnordered(const Instruction &instruction, Cta &cta, bool writes,
                          const Ordering::Conflict &conflict, int64_t element) {
  const std::string buffer = cta.bufferText(conflict.offset), byte = cta.byteText(conflict.offset);
  const MemoryName memory = cta.memoryAt(conflict.offset);
  const char *what = writes ? "written" : "read";
  if (conflict.lacksFence) {
    cta.fail(
        instruction, diag::Kind::MissingProxyFence,
        {what, byte, buffer, conflict.otherWrites ? "write" : "read"}, element,
        FaultNote(conflict.otherPlace, conflict.otherWrites ? "this wrote it" : "this read it"),
        memory);
    return false;
  }
  if (cta.program.places[conflict.otherPlace].operation == "tt.return") {
    cta.fail(instruction, diag::Kind::SharedMemoryOutlived,
             {cta.nameOf(*cta.fiber), writes ? "writes" : "reads", cta.spotText(conflict.offset)},
             element, FaultNote(conflict.otherPlace, "that CTA ends here"), memory);
    return false;
  }
  const char *does = conflict.otherWrites ? "writes" : "reads";
  cta.fail(
      instruction, diag::Kind::UnorderedSharedAccess,
      {what, byte, cta.nameOf(*cta.fiber), cta.nameOf(conflict.otherFiber), does, buffer}, element,
      FaultNote(conflict.otherPlace, std::string("the other access ") + does + " it here"), memory);
  return false;
}

static bool failStages(const Instruction &instruction, Cta &cta, bool writes,
                       const StageOrder::Conflict &conflict, int64_t element) {
  const char *does = conflict.otherWrites ? "writes" : "reads";
  cta.fail(instruction, diag::Kind::StageOverlap,
           {writes ? "written" : "read", cta.byteText(conflict.offset),
            cta.bufferText(conflict.offset), does},
           element, FaultNote(conflict.place, std::string("the other half ") + does + " it here"),
           cta.memoryAt(conflict.offset));
  return false;
}

/// Whether halves of the warps may access a region in the stage in hand; false after a fault.
static bool checkStages(const Instruction &instruction, Cta &cta, const Region &region,
                        bool writes) {
  StageOrder *stages = cta.stagesInHand();
  if (!stages)
    return true;
  const uint32_t size = region.table->elementBytes;
  bool fine = true;
  forEachSharedRun(region, [&](uint32_t element, uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; fine && i < count; ++i) {
      const uint8_t halves = region.halves ? region.halves[element + i] : Early | Late;
      if (auto conflict =
              stages->access(offset + uint64_t(i) * size, size, halves, writes, instruction.place))
        fine = failStages(instruction, cta, writes, *conflict, element + i);
    }
  });
  return fine;
}

void noteLate(Cta &cta, const Region &region, bool writes, uint32_t place) {
  if (StageOrder *stages = cta.stagesInHand())
    forEachPart(region, [&](uint64_t offset, uint32_t bytes) {
      stages->access(offset, bytes, Late, writes, place);
    });
}

bool checkElement(const Instruction &instruction, Cta &cta, uint64_t offset, uint32_t bytes,
                  uint32_t element, bool reads, bool writes) {
  const SharedMemory &shared = cta.shared;
  if (!shared.contains(offset, bytes))
    return failOutOfBounds(instruction, cta, offset, element);
  if (reads && !checkReadable(instruction, cta, offset, bytes, element, bytes))
    return false;
  const uint32_t clean = writes ? shared.firstUnwritable(offset, bytes) : bytes;
  if (clean != bytes)
    return failUnwritable(instruction, cta, offset + clean, element);
  if (StageOrder *stages = cta.stagesInHand())
    if (auto conflict = stages->access(offset, bytes, Early | Late, writes, instruction.place))
      return failStages(instruction, cta, writes, *conflict, element);
  if (!cta.ordering)
    return true;
  const uint32_t fiber = cta.fiber->index;
  Ordering::Access access(*cta.ordering, fiber, Proxy::Generic);
  if (!(writes ? access.write(offset, bytes) : access.read(offset, bytes)))
    return failUnordered(instruction, cta, writes, *access.conflict, element);
  if (reads)
    cta.ordering->noteRead(fiber, offset, bytes, instruction.place);
  if (writes)
    cta.ordering->noteWrite(cta.ordering->now(fiber), offset, bytes, instruction.place);
  return true;
}

bool checkScratch(const Instruction &instruction, Cta &cta, uint64_t offset, uint32_t bytes) {
  // Nothing is behind the last buffer.
  const uint64_t size = cta.shared.size();
  bytes = uint32_t(std::min<uint64_t>(bytes, size - std::min(size, offset)));
  const uint32_t clean = cta.shared.firstUnwritable(offset, bytes);
  return clean == bytes || failUnwritable(instruction, cta, offset + clean, /*element=*/-1);
}

bool checkPeerBarrier(const Instruction &instruction, Cta &cta, uint64_t offset) {
  const uint32_t fiber = cta.fiber->index;
  Ordering::Access access(*cta.ordering, fiber, Proxy::Generic);
  if (!access.read(offset, 8))
    return failUnordered(instruction, cta, /*writes=*/true, *access.conflict, /*element=*/-1);
  cta.ordering->noteRead(fiber, offset, 8, instruction.place);
  return true;
}

/// Whether parts make up a region, none of whose bytes is at fault; if not, its runs tell which.
template <bool kWrites>
static bool isFineAtOnce(const Cta &cta, const Region &region,
                         std::optional<Ordering::Access> &access) {
  const SharedMemory &shared = cta.shared;
  const llvm::SmallVector<SharedPart, 4> parts = partsOf(region);
  return !parts.empty() && llvm::all_of(parts, [&](const SharedPart &part) {
    auto [offset, bytes] = part;
    return (!kWrites || region.stores(offset)) && shared.contains(offset, bytes) &&
           (kWrites ? shared.firstUnwritable(offset, bytes)
                    : shared.firstUnreadable(offset, bytes)) == bytes &&
           (!access || (kWrites ? access->write(offset, bytes) : access->read(offset, bytes)));
  });
}

/// Calls `use(element, offset, count)` for runs whose bytes may be read (or written), up to
/// the first fault.
template <bool kWrites, class Use>
static bool forCheckedRuns(const Instruction &instruction, Cta &cta, const Region &region,
                           Proxy proxy, Use &&use) {
  std::optional<Ordering::Access> access;
  if (cta.ordering)
    access.emplace(*cta.ordering, cta.fiber->index, proxy);
  const uint32_t size = region.table->elementBytes;
  const SharedMemory &shared = cta.shared;
  if (isFineAtOnce<kWrites>(cta, region, access)) {
    forEachSharedRun(region, [&](uint32_t element, uint64_t offset, uint32_t count) {
      use(element, offset, count * size);
    });
    return true;
  }
  bool fine = true;
  forEachSharedRun(region, [&](uint32_t element, uint64_t offset, uint32_t count) {
    if (!fine || (kWrites && !region.stores(offset)))
      return;
    uint32_t bytes = count * size;
    if (!shared.contains(offset, bytes)) [[unlikely]] {
      fine = failOutOfBounds(instruction, cta, offset, element);
      return;
    }
    if constexpr (kWrites) {
      const uint32_t clean = shared.firstUnwritable(offset, bytes);
      fine = clean == bytes ||
             failUnwritable(instruction, cta, offset + clean, element + clean / size);
    } else {
      fine = checkReadable(instruction, cta, offset, bytes, element, size);
    }
    if (!fine) [[unlikely]]
      return;
    if (access && !(kWrites ? access->write(offset, bytes) : access->read(offset, bytes)))
      fine = failUnordered(instruction, cta, kWrites, *access->conflict, element);
    else
      use(element, offset, bytes);
  });
  return fine;
}

/// Copies the elements of a whole view one by one: none has neighbours that lie next to it.
template <class T> static void gatherElements(const Region &region, const uint8_t *from, T *to) {
  const AddressTable &table = *region.table;
  const uint32_t *offsets = table.offsets.data();
  from += region.view.base + region.copyOffset;
  const uint32_t count = region.elements(), run = region.share ? region.share->run : count;
  for (uint32_t begin = 0; begin < count; begin += run) {
    const uint32_t *at = offsets + (region.share ? region.share->toWhole(begin, region.rank) : 0);
    for (uint32_t i = 0; i < run; ++i)
      std::memcpy(to + begin + i, from + at[i], sizeof(T));
  }
}

/// Reads a region at once, if all of it may be read and its elements lie apart.
static bool gatherAtOnce(Cta &cta, const Region &region, uint8_t *to, Proxy proxy) {
  const AddressTable &table = *region.table;
  if (!table.isWhole || table.run != 1)
    return false;
  std::optional<Ordering::Access> access;
  if (cta.ordering)
    access.emplace(*cta.ordering, cta.fiber->index, proxy);
  if (!isFineAtOnce</*kWrites=*/false>(cta, region, access))
    return false;
  const uint8_t *from = cta.shared.data();
  switch (table.elementBytes) {
  case 1:
    gatherElements(region, from, to);
    return true;
  case 2:
    gatherElements(region, from, reinterpret_cast<uint16_t *>(to));
    return true;
  case 4:
    gatherElements(region, from, reinterpret_cast<uint32_t *>(to));
    return true;
  default:
    return false;
  }
}

bool checkWritable(const Instruction &instruction, Cta &cta, const Region &region, Proxy proxy) {
  return forCheckedRuns<true>(instruction, cta, region, proxy,
                              [](uint32_t, uint64_t, uint32_t) {}) &&
         checkStages(instruction, cta, region, /*writes=*/true);
}

bool readShared(const Instruction &instruction, Cta &cta, const Region &region, uint8_t *to,
                Proxy proxy) {
  const uint8_t *from = cta.shared.data();
  const uint64_t size = region.table->elementBytes;
  bool fine = gatherAtOnce(cta, region, to, proxy) ||
              forCheckedRuns<false>(instruction, cta, region, proxy,
                                    [&](uint32_t element, uint64_t offset, uint32_t bytes) {
                                      if (bytes == 16)
                                        std::memcpy(to + element * size, from + offset, 16);
                                      else if (bytes == 1)
                                        to[element] = from[offset];
                                      else
                                        std::memcpy(to + element * size, from + offset, bytes);
                                    });
  fine = fine && checkStages(instruction, cta, region, /*writes=*/false);
  // An asynchronous operation has read once somebody waited for it.
  if (fine && proxy == Proxy::Generic)
    noteRead(cta, region, instruction.place, proxy);
  return fine;
}

bool readSharedPart(const Instruction &instruction, Cta &cta, const Region &region,
                    llvm::ArrayRef<uint8_t> isWanted, uint8_t *to, Proxy proxy) {
  std::optional<Ordering::Access> access;
  if (cta.ordering)
    access.emplace(*cta.ordering, cta.fiber->index, proxy);
  const uint32_t size = region.table->elementBytes;
  bool fine = true;
  auto take = [&](uint32_t element, uint64_t offset) {
    if (!cta.shared.contains(offset, size))
      fine = failOutOfBounds(instruction, cta, offset, element);
    else if (!checkReadable(instruction, cta, offset, size, element, size))
      fine = false;
    else if (access && !access->read(offset, size))
      fine = failUnordered(instruction, cta, /*writes=*/false, *access->conflict, element);
    else
      std::memcpy(to + uint64_t(element) * size, cta.shared.data() + offset, size);
  };
  forEachSharedRun(region, [&](uint32_t element, uint64_t offset, uint32_t count) {
    for (uint32_t i = 0; fine && i < count; ++i)
      if (isWanted[element + i])
        take(element + i, offset + uint64_t(i) * size);
  });
  fine = fine && checkStages(instruction, cta, region, /*writes=*/false);
  if (fine && proxy == Proxy::Generic)
    noteRead(cta, region, instruction.place, proxy);
  return fine;
}

static bool writeCopy(const Instruction &instruction, Cta &cta, const Region &region,
                      const uint8_t *from) {
  SharedMemory &shared = cta.shared;
  const uint64_t size = region.table->elementBytes;
  bool fine =
      forCheckedRuns<true>(instruction, cta, region, Proxy::Generic,
                           [&](uint32_t element, uint64_t offset, uint32_t bytes) {
                             std::memcpy(shared.data() + offset, from + element * size, bytes);
                             shared.set(offset, bytes, SharedMemory::Written);
                           });
  fine = fine && checkStages(instruction, cta, region, /*writes=*/true);
  if (fine && cta.ordering)
    noteWrite(cta, region, cta.ordering->now(cta.fiber->index), instruction.place);
  return fine;
}

bool writeShared(const Instruction &instruction, Cta &cta, const Region &region,
                 const uint8_t *from) {
  return forEachStoredCopy(region, [&](const Region &copy) {
    return forEachPlace(
        copy, [&](const Region &place) { return writeCopy(instruction, cta, place, from); });
  });
}

void noteRead(Cta &cta, const Region &region, uint32_t place, Proxy proxy) {
  if (!cta.ordering)
    return;
  forEachPart(region, [&](uint64_t offset, uint32_t bytes) {
    cta.ordering->noteRead(cta.fiber->index, offset, bytes, place, proxy);
  });
}

void noteWrite(Cta &cta, const Region &region, Ordering::Epoch epoch, uint32_t place) {
  if (!cta.ordering)
    return;
  forEachPart(region, [&](uint64_t offset, uint32_t bytes) {
    if (region.stores(offset))
      cta.ordering->noteWrite(epoch, offset, bytes, place);
  });
}

void setState(SharedMemory &shared, const Region &region, SharedMemory::State state) {
  forEachPart(region, [&](uint64_t offset, uint32_t bytes) {
    shared.setUnderReaders(offset, bytes, state);
  });
}

void addReader(SharedMemory &shared, const Region &region) {
  forEachPart(region, [&](uint64_t offset, uint32_t bytes) { shared.addReader(offset, bytes); });
}

void removeReader(SharedMemory &shared, const Region &region) {
  forEachPart(region, [&](uint64_t offset, uint32_t bytes) { shared.removeReader(offset, bytes); });
}

} // namespace gluonc::sim
