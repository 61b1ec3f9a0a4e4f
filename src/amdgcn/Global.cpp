//===- Global.cpp - global_, flat_ and scratch_ instructions -------------------===//
#include "amdgcn/Handlers.h"
#include "amdgcn/Transfers.h"
#include "amdgcn/Transposed.h"

#include "llvm/ADT/Hashing.h"

#include <array>
#include <optional>

namespace gluonc::amdgcn {

using llvm::StringRef;

enum Space : uint8_t { Global, Flat, Scratch };

/// Where the operands of an address are in the instruction.
struct AddressOperands {
  unsigned vector, scalar;
};

static uint64_t addressOf(Step &step, AddressOperands operands, unsigned lane) {
  const Instruction &instruction = step.instruction;
  const Operand &vector = step.operand(operands.vector);
  uint64_t address = static_cast<uint64_t>(instruction.modifiers.offset);
  uint64_t scale = instruction.modifiers.has("scale_offset") ? instruction.access.bytes : 1;
  bool hasScalar = operands.scalar < step.operands() &&
                   step.operand(operands.scalar).bank == Bank::Scalar &&
                   step.operand(operands.scalar).reg != nullSlot;
  if (vector.bank == Bank::Vector) {
    uint32_t low = step.wave.row(vector.reg)[lane];
    if (vector.count > 1)
      address += low | uint64_t(step.wave.row(vector.reg + 1)[lane]) << 32;
    else if (step.machine.chip.is1250)
      address += static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(low))) * scale;
    else
      address += low * scale;
  }
  if (hasScalar)
    address += step.scalarWide(step.operand(operands.scalar));
  return address;
}

static uint8_t *privatePlace(Step &step, unsigned lane, uint64_t address, unsigned bytes) {
  uint64_t limit = step.machine.privateBytes;
  if (address > limit || limit - address < bytes) {
    step.fail(lane, "private address 0x" + llvm::Twine::utohexstr(address) + " is outside of the " +
                        llvm::Twine(limit) + " bytes of a lane");
    return nullptr;
  }
  return step.wave.privateMemory.data() + lane * limit + address;
}

/// Null after a fault.
static uint8_t *placeOf(Step &step, unsigned lane, uint64_t address, unsigned bytes,
                        SharedUse use) {
  uint8_t space = step.instruction.access.type;
  if (space == Scratch)
    return privatePlace(step, lane, address & 0xffffffff, bytes);
  if (space == Flat && address - sharedWindow < windowBytes)
    return sharedPlace(step, lane, address - sharedWindow, bytes, use);
  if (space == Flat && address - privateWindow < windowBytes)
    return privatePlace(step, lane, address - privateWindow, bytes);
  uint8_t *at = step.machine.global(address, bytes);
  if (!at)
    step.fail(lane, llvm::Twine(use == SharedUse::Read ? "a load" : "a store") + " of " +
                        llvm::Twine(bytes) + " bytes at 0x" + llvm::Twine::utohexstr(address) +
                        " is outside of all memory that the kernel was given");
  else if (step.machine.launch.observer)
    step.machine.touched.addGlobal(lane, address, bytes);
  return at;
}

/// A word of which only a part is memory of the kernel's. Pages hold whole words, so that an
/// aligned access cannot fault: atomics of two bytes are compare and swap of the word around them.
/// What the other bytes hold nobody knows, and they have to stay.
struct PartialWord {
  std::array<uint8_t *, 4> places = {};
  std::array<uint8_t, 4> bytes = {0xad, 0xde, 0xad, 0xde};
};

/// None where the word is memory as a whole, or not at all.
static std::optional<PartialWord> partialWord(Step &step, uint64_t address) {
  const Access &access = step.instruction.access;
  if (access.type == Scratch || access.bytes != 4 || address % 4 || step.machine.global(address, 4))
    return std::nullopt;
  PartialWord word;
  bool hasAny = false;
  for (unsigned i = 0; i != 4; ++i)
    if ((word.places[i] = step.machine.global(address + i, 1))) {
      word.bytes[i] = *word.places[i];
      hasAny = true;
    }
  return hasAny ? std::optional(word) : std::nullopt;
}

static void compareSwapPartial(Step &step, PartialWord word, unsigned data, unsigned lane) {
  const Access &access = step.instruction.access;
  std::array<uint8_t, 4> before = word.bytes;
  atomicOfLane(step.wave, access, access.returns ? static_cast<int>(step.operand(0).reg) : -1, data,
               lane, word.bytes.data());
  for (unsigned i = 0; i != 4; ++i) {
    if (word.places[i])
      *word.places[i] = word.bytes[i];
    else if (word.bytes[i] != before[i])
      return step.fail(lane, "an atomic access changes bytes beside all memory that the kernel was "
                             "given");
  }
}

static void loadLanes(Step &step) {
  const Access &access = step.instruction.access;
  const Operand &target = step.operand(0);
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, {1, 2}, lane);
    if (std::optional<PartialWord> word = partialWord(step, address))
      return toRegisters(step.wave, access, target.reg, lane, word->bytes.data());
    if (const uint8_t *at = placeOf(step, lane, address, access.bytes, SharedUse::Read)) {
      uint8_t bytes[16];
      std::memcpy(bytes, at, access.bytes);
      toRegisters(step.wave, access, target.reg, lane, bytes);
    }
  });
  issueLoad(step, Counter::Load, target);
  // Nobody knows beforehand which memory a flat address is in.
  if (access.type == Flat)
    issueShared(step, &target);
}

/// The workgroups of a cluster that load the same places, as m0 says.
static void askTogether(Step &step, AddressOperands operands) {
  uint64_t what = step.operand(0).reg;
  step.eachLane([&](unsigned lane) {
    what = llvm::hash_combine(what, lane, addressOf(step, operands, lane));
  });
  requestTogether(step, step.wave.scalars[m0Slot] & 0xffff, what);
}

static void loadOfCluster(Step &step) {
  askTogether(step, {1, 2});
  if (!step.failed())
    loadLanes(step);
}

static void store(Step &step) {
  const Access &access = step.instruction.access;
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, {0, 2}, lane);
    if (uint8_t *at = placeOf(step, lane, address, access.bytes, SharedUse::Write))
      fromRegisters(step.wave, access, step.operand(1).reg, lane, at);
  });
  ++step.machine.progress;
  issueStore(step);
  if (access.type == Flat)
    issueShared(step);
}

static void atomic(Step &step) {
  const Access &access = step.instruction.access;
  unsigned first = access.returns ? 1 : 0;
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, {first, first + 2}, lane);
    if (address % access.bytes)
      return step.fail(lane, "an atomic access at 0x" + llvm::Twine::utohexstr(address) +
                                 " is not aligned");
    if (static_cast<AtomicOp>(access.operation) == AtomicOp::CompareSwap)
      if (std::optional<PartialWord> word = partialWord(step, address))
        return compareSwapPartial(step, *word, step.operand(first + 1).reg, lane);
    if (uint8_t *at = placeOf(step, lane, address, access.bytes, SharedUse::Atomic))
      atomicOfLane(step.wave, access, access.returns ? step.operand(0).reg : -1,
                   step.operand(first + 1).reg, lane, at);
  });
  ++step.machine.progress;
  if (!access.returns)
    issueStore(step);
  else
    issueLoad(step, Counter::Load, step.operand(0));
  if (access.type == Flat)
    issueShared(step, access.returns ? &step.operand(0) : nullptr);
}

/// A wave's runs of LDS lie side by side, behind the place that M0 names.
static void loadToShared(Step &step) {
  const Access &access = step.instruction.access;
  unsigned slot = access.bytes == 12 ? 16 : std::max<unsigned>(access.bytes, 4);
  uint64_t base =
      step.wave.scalars[m0Slot] + static_cast<uint64_t>(step.instruction.modifiers.offset);
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, {0, 1}, lane);
    const uint8_t *from = placeOf(step, lane, address, access.bytes, SharedUse::Read);
    unsigned written = std::max<unsigned>(access.bytes, 4);
    uint64_t target = base + lane * slot;
    uint8_t *to =
        from ? sharedPlace(step, lane, target, written, SharedUse::Transfer, Queue::Load) : nullptr;
    if (!to)
      return;
    uint32_t word = 0;
    if (access.bytes < 4) {
      std::memcpy(&word, from, access.bytes);
      if (access.isSigned)
        word = access.bytes == 1 ? uint32_t(int8_t(word)) : uint32_t(int16_t(word));
      std::memcpy(to, &word, 4);
    } else {
      std::memcpy(to, from, access.bytes);
    }
  });
  issueTransfer(step, Counter::Load);
}

/// gfx1250: every lane says where in LDS its bytes go; 0x7fffffff drops them.
constexpr uint32_t droppedShared = 0x7fffffff;

static void loadAsync(Step &step) {
  const Access &access = step.instruction.access;
  step.eachLane([&](unsigned lane) {
    uint32_t target = step.wave.row(step.operand(0).reg)[lane];
    if (step.failed() || target == droppedShared)
      return;
    uint64_t place = target + static_cast<uint64_t>(step.instruction.modifiers.offset);
    uint64_t address = addressOf(step, {1, 2}, lane);
    const uint8_t *from = placeOf(step, lane, address, access.bytes, SharedUse::Read);
    uint8_t *to =
        from ? sharedPlace(step, lane, place, access.bytes, SharedUse::Transfer, Queue::Async)
             : nullptr;
    if (to)
      std::memcpy(to, from, access.bytes);
  });
  issueTransfer(step, Counter::Async);
}

static void loadAsyncOfCluster(Step &step) {
  askTogether(step, {1, 2});
  if (!step.failed())
    loadAsync(step);
}

static void storeAsync(Step &step) {
  const Access &access = step.instruction.access;
  step.eachLane([&](unsigned lane) {
    uint32_t source = step.wave.row(step.operand(1).reg)[lane];
    if (step.failed() || source == droppedShared)
      return;
    uint64_t place = source + static_cast<uint64_t>(step.instruction.modifiers.offset);
    const uint8_t *from =
        sharedPlace(step, lane, place, access.bytes, SharedUse::Read, Queue::Async);
    uint64_t address = addressOf(step, {0, 2}, lane);
    uint8_t *to = from ? placeOf(step, lane, address, access.bytes, SharedUse::Write) : nullptr;
    if (to)
      std::memcpy(to, from, access.bytes);
  });
  ++step.machine.progress;
  issueTransfer(step, Counter::Async);
}

static void loadTransposed(Step &step) {
  const Access &access = step.instruction.access;
  uint8_t runs[64][16];
  for (unsigned lane = 0; lane != step.wave.lanes && !step.failed(); ++lane)
    if (const uint8_t *at =
            placeOf(step, lane, addressOf(step, {1, 2}, lane), access.bytes, SharedUse::Read))
      std::memcpy(runs[lane], at, access.bytes);
  if (!step.failed())
    transpose(step, step.instruction.product, runs);
  issueLoad(step, Counter::Load, step.operand(0));
}

/// Caches have nothing that memory has not. These count as loads or stores.
static void cacheLoad(Step &step) { step.wave.counters.issue(Counter::Load, {}); }
static void cacheStore(Step &step) { issueStore(step); }
static void prefetch(Step &) {}

static Handler chooseCache(StringRef name) {
  if (name == "global_inv" || name == "buffer_inv" || name == "buffer_gl0_inv" ||
      name == "buffer_gl1_inv")
    return cacheLoad;
  if (name == "global_wb" || name == "global_wbinv" || name == "buffer_wbl2")
    return cacheStore;
  return name == "global_prefetch_b8" || name == "flat_prefetch_b8" ? prefetch : nullptr;
}

Handler chooseGlobal(Instruction &instruction, const Chip &chip) {
  StringRef name = instruction.mnemonic;
  if (Handler cache = chooseCache(name))
    return cache;
  Access &access = instruction.access;
  bool isCluster = name.starts_with("cluster_");
  if (name.consume_front("global_") || name.consume_front("cluster_"))
    access.type = Global;
  else if (name.consume_front("flat_"))
    access.type = Flat;
  else if (name.consume_front("scratch_"))
    access.type = Scratch;
  else
    return nullptr;
  if (name.consume_front("load_lds_"))
    return readAccess(name, access) ? loadToShared : nullptr;
  if (name.consume_front("load_async_to_lds_"))
    return !readAccess(name, access) ? nullptr : isCluster ? loadAsyncOfCluster : loadAsync;
  if (name.consume_front("store_async_from_lds_")) {
    access.isStore = true;
    return readAccess(name, access) ? storeAsync : nullptr;
  }
  if (name.consume_front("load_tr"))
    return readTransposed(name, chip, instruction) ? loadTransposed : nullptr;
  if (name.consume_front("load_"))
    return !readAccess(name, access) ? nullptr : isCluster ? loadOfCluster : loadLanes;
  if (name.consume_front("store_")) {
    access.isStore = true;
    return readAccess(name, access) ? store : nullptr;
  }
  if (!name.consume_front("atomic_") || !readAtomic(name, access))
    return nullptr;
  access.isStore = true;
  unsigned withoutResult = access.type == Flat ? 2 : 3;
  bool hasScalarBase = chip.is1250 && access.type == Flat;
  access.returns = hasScalarBase ? instruction.modifiers.text("th") == "TH_ATOMIC_RETURN" ||
                                       instruction.operands.size() > 3
                                 : instruction.operands.size() > withoutResult;
  return atomic;
}

} // namespace gluonc::amdgcn
