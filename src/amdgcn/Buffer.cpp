//===- Buffer.cpp - Accesses through buffer resources ---------------------------===//
//
// A resource says in four words where a buffer begins and how long it is. What
// lies behind the end reads as zero, and stores there do nothing; each dword of a
// longer access is checked for itself.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Handlers.h"
#include "amdgcn/Transfers.h"

namespace gluonc::amdgcn {

using llvm::StringRef;

struct Resource {
  uint64_t base = 0, records = 0;
  uint32_t stride = 0;
  bool isSwizzled = false;
};

static Resource readResource(const Step &step, const Operand &operand) {
  const uint32_t *words = step.wave.scalars.data() + operand.reg;
  Resource resource;
  uint64_t low = words[0] | uint64_t(words[1]) << 32;
  if (step.machine.chip.is1250) {
    resource.base = low & ((uint64_t(1) << 57) - 1);
    uint64_t high = words[2] | uint64_t(words[3]) << 32;
    resource.records = (low >> 57 | high << 7) & ((uint64_t(1) << 45) - 1);
    return resource;
  }
  resource.base = low & ((uint64_t(1) << 48) - 1);
  resource.stride = words[1] >> 16 & 0x3fff;
  resource.isSwizzled = words[1] >> 31;
  resource.records = words[2];
  return resource;
}

struct BufferPlace {
  /// In the buffer, without the scalar offset.
  uint64_t offset = 0;
  uint64_t address = 0;
  bool isOutside = false;
};

/// Numbers of the operands: `vector` is followed by resource and scalar offset.
static BufferPlace placeOf(Step &step, const Resource &resource, unsigned vector, unsigned lane) {
  const Modifiers &modifiers = step.instruction.modifiers;
  const Operand &operand = step.operand(vector);
  bool hasIndex = modifiers.has("idxen"), hasOffset = modifiers.has("offen");
  uint32_t index = 0, offset = static_cast<uint32_t>(modifiers.offset);
  if (hasIndex)
    index = step.wave.row(operand.reg)[lane];
  if (hasOffset)
    offset += step.wave.row(operand.reg + (hasIndex ? 1 : 0))[lane];
  uint64_t scalar = step.scalar(step.operand(vector + 2));
  BufferPlace place;
  place.offset = offset + uint64_t(index) * resource.stride;
  place.address = resource.base + scalar + place.offset;
  if (hasIndex && resource.stride)
    place.isOutside = index >= resource.records || offset >= resource.stride;
  return place;
}

static bool isInside(const Resource &resource, const BufferPlace &place, unsigned at,
                     unsigned bytes, bool hasIndex) {
  if (place.isOutside)
    return false;
  return (hasIndex && resource.stride) || place.offset + at + bytes <= resource.records;
}

/// Null where the resource lets through what the kernel was not given: a fault.
static uint8_t *reach(Step &step, unsigned lane, uint64_t address, unsigned bytes) {
  uint8_t *at = step.machine.global(address, bytes);
  if (!at)
    step.fail(lane, "a buffer access at 0x" + llvm::Twine::utohexstr(address) +
                        " is inside of its resource but outside of all memory that the kernel "
                        "was given");
  else if (step.machine.launch.observer)
    step.machine.touched.addGlobal(lane, address, bytes);
  return at;
}

static void readLane(Step &step, const Resource &resource, unsigned vector, unsigned lane,
                     uint8_t *bytes) {
  BufferPlace place = placeOf(step, resource, vector, lane);
  unsigned total = step.instruction.access.bytes, part = std::min(total, 4u);
  bool hasIndex = step.instruction.modifiers.has("idxen");
  for (unsigned at = 0; at != total; at += part) {
    std::memset(bytes + at, 0, part);
    if (!isInside(resource, place, at, part, hasIndex))
      continue;
    const uint8_t *from = reach(step, lane, place.address + at, part);
    if (!from)
      return;
    std::memcpy(bytes + at, from, part);
  }
}

static void loadLanes(Step &step) {
  Resource resource = readResource(step, step.operand(2));
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint8_t bytes[16];
    readLane(step, resource, 1, lane, bytes);
    toRegisters(step.wave, step.instruction.access, step.operand(0).reg, lane, bytes);
  });
  issueLoad(step, Counter::Load, step.operand(0));
}

static void loadToShared(Step &step) {
  const Access &access = step.instruction.access;
  Resource resource = readResource(step, step.operand(1));
  unsigned written = std::max<unsigned>(access.bytes, 4);
  unsigned slot = access.bytes == 12 ? 16 : written;
  uint64_t base =
      step.wave.scalars[m0Slot] + static_cast<uint64_t>(step.instruction.modifiers.offset);
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint8_t bytes[16] = {};
    readLane(step, resource, 0, lane, bytes);
    uint64_t target = base + lane * slot;
    uint8_t *to = sharedPlace(step, lane, target, written, SharedUse::Transfer, Queue::Load);
    if (!to)
      return;
    std::memcpy(to, bytes, written);
  });
  issueTransfer(step, Counter::Load);
}

static void store(Step &step) {
  const Access &access = step.instruction.access;
  Resource resource = readResource(step, step.operand(2));
  unsigned part = std::min<unsigned>(access.bytes, 4);
  bool hasIndex = step.instruction.modifiers.has("idxen");
  step.eachLane([&](unsigned lane) {
    uint8_t bytes[16];
    fromRegisters(step.wave, access, step.operand(0).reg, lane, bytes);
    BufferPlace place = placeOf(step, resource, 1, lane);
    for (unsigned at = 0; at != access.bytes && !step.failed(); at += part)
      if (isInside(resource, place, at, part, hasIndex))
        if (uint8_t *to = reach(step, lane, place.address + at, part))
          std::memcpy(to, bytes + at, part);
  });
  ++step.machine.progress;
  issueStore(step);
}

static void atomic(Step &step) {
  const Access &access = step.instruction.access;
  Resource resource = readResource(step, step.operand(2));
  bool hasIndex = step.instruction.modifiers.has("idxen");
  unsigned data = step.operand(0).reg;
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    BufferPlace place = placeOf(step, resource, 1, lane);
    int result = access.returns ? static_cast<int>(data) : -1;
    if (isInside(resource, place, 0, access.bytes, hasIndex)) {
      if (uint8_t *at = reach(step, lane, place.address, access.bytes))
        atomicOfLane(step.wave, access, result, data, lane, at);
    } else if (access.returns) {
      for (unsigned i = 0; i != access.bytes / 4u; ++i)
        step.wave.row(data + i)[lane] = 0;
    }
  });
  ++step.machine.progress;
  if (access.returns)
    issueLoad(step, Counter::Load, step.operand(0));
  else
    issueStore(step);
}

static bool asksForResult(const Instruction &instruction, const Chip &chip) {
  if (chip.generation >= 12)
    return instruction.modifiers.text("th").contains("RETURN");
  return instruction.modifiers.has(chip.generation == 9 ? "sc0" : "glc");
}

Handler chooseBuffer(Instruction &instruction, const Chip &chip) {
  StringRef name = instruction.mnemonic;
  Access &access = instruction.access;
  if (!name.consume_front("buffer_"))
    return nullptr;
  if (name.consume_front("load_")) {
    if (!readAccess(name, access))
      return nullptr;
    return instruction.modifiers.has("lds") ? loadToShared : loadLanes;
  }
  if (name.consume_front("store_")) {
    access.isStore = true;
    return readAccess(name, access) ? store : nullptr;
  }
  if (!name.consume_front("atomic_") || !readAtomic(name, access))
    return nullptr;
  access.isStore = true;
  access.returns = asksForResult(instruction, chip);
  return atomic;
}

} // namespace gluonc::amdgcn
