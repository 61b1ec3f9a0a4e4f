#include "sim/machine/GlobalAccess.h"

#include "sim/machine/Footprints.h"

#include "sim/machine/Races.h"

#include <cinttypes>

namespace gluonc::sim {

bool areConsecutive(const uint64_t *addresses, uint32_t count, uint32_t elementBytes) {
  // The end tells most scattered tiles apart without looking at the rest.
  if (addresses[count - 1] != addresses[0] + uint64_t(count - 1) * elementBytes)
    return false;
  uint64_t difference = 0;
  for (uint32_t element = 1; element < count; ++element)
    difference |= (addresses[element] - addresses[element - 1]) ^ elementBytes;
  return difference == 0;
}

MaskState maskState(const uint8_t *mask, uint32_t count) {
  if (mask[0])
    return std::memchr(mask, 0, count) ? MaskState::Mixed : MaskState::AllTrue;
  return std::memchr(mask, 1, count) ? MaskState::Mixed : MaskState::AllFalse;
}

static std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

/// "64 bytes past the end of `dst` (4096 bytes)".
static std::string relativeText(uint64_t address, uint64_t length, const Range &range) {
  std::string name = "`" + range.name() + "` (" + std::to_string(range.bytes()) + " bytes)";
  uint64_t end = range.base() + range.bytes();
  if (address < range.base())
    return std::to_string(range.base() - address) + " bytes before the start of " + name;
  if (address == end)
    return "right at the end of " + name;
  if (address > end)
    return std::to_string(address - end) + " bytes past the end of " + name;
  return "at offset " + std::to_string(address - range.base()) + ", across the end of " + name;
}

static MemoryName bytesOf(const Range &range, uint64_t address) {
  MemoryName memory;
  memory.buffer = range.name();
  memory.byte = int64_t(address - range.base());
  return memory;
}

/// Reports it. Whether the access goes on.
static bool admitsOutOfBounds(const Instruction &instruction, const AccessData &access, Cta &cta,
                              uint64_t address, const Range *expected, int64_t element) {
  const Range *range = expected ? expected : cta.memory.nearest(address);
  // Far from everything the nearest buffer would be a misleading thing to name.
  constexpr uint64_t kNear = uint64_t(1) << 32;
  bool near = range && (expected || (address + kNear > range->base() &&
                                     address < range->base() + range->bytes() + kNear));
  std::string where = near ? relativeText(address, access.elementBytes, *range)
                           : "at address " + hex(address) + ", which is in no buffer";
  const std::string arguments[] = {access.verb, std::to_string(access.elementBytes), where};
  MemoryName memory = near ? bytesOf(*range, address) : MemoryName();
  // A GPU's pages are as large; farther from the buffer it may have nothing to read.
  constexpr uint64_t kPage = uint64_t(1) << 21;
  if (range && access.reads && !access.writes && address + kPage > range->base() &&
      address < range->base() + range->bytes() + kPage)
    return cta.admitsUnknown(instruction, diag::Kind::OutOfBoundsAccess, arguments, element,
                             std::move(memory));
  cta.fail(instruction, diag::Kind::OutOfBoundsAccess, arguments, element, std::nullopt,
           std::move(memory));
  return false;
}

/// Elements of which those in `range` are there.
static uint8_t *unknownElements(Cta &cta, const Range *range, uint64_t address, uint32_t count,
                                uint32_t size) {
  cta.unknown.assign(uint64_t(count) * size, 0);
  for (uint32_t i = 0; range && i < count; ++i)
    if (range->contains(address + uint64_t(i) * size, size))
      std::memcpy(cta.unknown.data() + uint64_t(i) * size,
                  reinterpret_cast<const void *>(address + uint64_t(i) * size), size);
  return cta.unknown.data();
}

/// The range that an access has to lie in: that of the parameter its address was
/// computed from, so that running from one buffer into its neighbour is found; else
/// the one that holds the address.
static const Range *rangeFor(const AccessData &access, Cta &cta, uint64_t address,
                             const Range *&expected) {
  expected = access.parameter >= 0 ? cta.parameterRanges[access.parameter] : nullptr;
  if (expected)
    return expected;
  const Range *&cached = cta.rangeCache[access.cacheIndex];
  if (!cached || !cached->contains(address, 1))
    cached = cta.memory.find(address);
  return cached;
}

/// Tells others of the grid of an access; of plain stores where the bytes are.
static void enterAccess(const Instruction &instruction, Cta &cta, const Range &range,
                        uint64_t address, uint64_t length) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  cta.history = cta.races->historyOf(range);
  if (cta.history)
    cta.countSharedAccess();
  if (access.acquires)
    cta.races->acquire(access, address, length);
  if (cta.history && (access.reads || access.atomic)) {
    cta.races->note(*cta.history, access, address, length,
                    {cta.programIndex, instruction.place, access.elementBytes});
    cta.history = nullptr;
  }
  // Whoever acquires what it releases comes behind the access itself, too.
  if (access.releases)
    cta.races->release(access, address, length);
}

void failOverlap(const Instruction &instruction, Cta &cta, uint64_t address, uint32_t element,
                 uint32_t other) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  const Range *range = cta.memory.find(address);
  Fault fault;
  fault.kind = diag::Kind::StoreOverlap;
  fault.severity = cta.races->severity();
  fault.place = instruction.place;
  fault.program = cta.programIndex;
  fault.element = cta.wholeElement(instruction, element);
  fault.actor = cta.actorAt(instruction.place);
  fault.memory.buffer = range->name();
  fault.memory.byte = int64_t(address - range->base());
  const std::string offset = std::to_string((address - range->base()) / access.elementBytes);
  fault.arguments = {"element " + offset + " of `" + range->name() + "`",
                     "that at " + elementText(cta.wholeElement(instruction, other),
                                              cta.program.places[instruction.place].shape)};
  cta.faults.add(std::move(fault));
}

/// What warps store, and load of it before they have met.
static void noteWarps(const Instruction &instruction, Cta &cta, const Range &range,
                      uint64_t address, uint32_t count, uint32_t element) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  for (uint32_t at = 0; at < count; ++at, address += access.elementBytes) {
    const uint8_t warp = access.warps[access.warps.size() == 1 ? 0 : element + at];
    if (access.writes) {
      cta.warpStores.enter(
          address, {uint8_t(warp & ~WarpStores::several), instruction.place, access.layout});
      continue;
    }
    std::optional<WarpStores::Store> store =
        cta.warpStores.storedByOther(address, warp, access.layout);
    if (!store || !cta.warpStores.isNews(instruction.place, store->place))
      continue;
    Fault fault;
    fault.kind = diag::Kind::UnorderedWarpAccess;
    fault.place = instruction.place;
    fault.program = cta.programIndex;
    fault.element = cta.wholeElement(instruction, element + at);
    fault.memory = bytesOf(range, address);
    fault.arguments = {"element " + std::to_string((address - range.base()) / access.elementBytes) +
                           " of `" + range.name() + "`",
                       warp & WarpStores::several ? "several warps"
                                                  : "warp " + std::to_string(warp),
                       "warp " + std::to_string(store->warp)};
    fault.notes.push_back({store->place, "it is written here"});
    cta.faults.add(std::move(fault));
  }
}

uint8_t *checkedAccess(const Instruction &instruction, Cta &cta, uint64_t address, uint32_t count,
                       uint32_t element) {
  const AccessData &access = static_cast<const AccessData &>(*instruction.data);
  uint64_t size = access.elementBytes, length = size * count;
  const Range *expected;
  const Range *range = rangeFor(access, cta, address, expected);
  if (!range || !range->contains(address, length)) {
    // The first element at fault, for a run that starts inside.
    uint64_t inside = 0;
    while (range && inside + 1 < count && range->contains(address + inside * size, size))
      ++inside;
    if (!admitsOutOfBounds(instruction, access, cta, address + inside * size,
                           expected ? expected : range, int64_t(element + inside)))
      return nullptr;
    return unknownElements(cta, range, address, count, access.elementBytes);
  }
  if (address % size) [[unlikely]] {
    cta.fail(instruction, diag::Kind::MisalignedAccess,
             {access.verb, std::to_string(size), hex(address)}, element, std::nullopt,
             bytesOf(*range, address));
    return nullptr;
  }
  if (access.writes && !range->writable()) [[unlikely]] {
    cta.fail(
        instruction, diag::Kind::ReadOnlyWrite,
        {access.verb, std::to_string(size), range->name(), std::to_string(address - range->base())},
        element, std::nullopt, bytesOf(*range, address));
    return nullptr;
  }
  // What others see of the access concerns the whole range.
  if (expected && cta.memory.hasParts()) [[unlikely]]
    range = cta.memory.find(address);
  if (range->tracksInitialization()) {
    if (access.reads) {
      uint64_t unwritten = range->firstUnwritten(address, length);
      if (unwritten != length) {
        uint64_t which = unwritten / size;
        if (!cta.admitsUnknown(instruction, diag::Kind::UninitializedRead,
                               {access.verb, std::to_string(size), range->name(),
                                std::to_string(address + which * size - range->base())},
                               int64_t(element + which), bytesOf(*range, address + which * size)))
          return nullptr;
      }
    }
    if (access.writes)
      range->markWritten(address, length);
  }
  if (cta.schedule) [[unlikely]]
    noteGlobalAccess(cta, *range, address, length, access.writes);
  if (cta.races) {
    enterAccess(instruction, cta, *range, address, length);
    if (access.atomic)
      cta.warpStores.meet();
    else if (cta.fibers.size() == 1 && cta.warpStores.watches(access)) [[unlikely]]
      noteWarps(instruction, cta, *range, address, count, element);
  }
  // Somebody may poll for it.
  if (access.writes)
    cta.noteEvent();
  return reinterpret_cast<uint8_t *>(address);
}

} // namespace gluonc::sim
