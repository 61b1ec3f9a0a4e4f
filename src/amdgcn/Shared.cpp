//===- Shared.cpp - ds_ instructions ---------------------------------------------===//
#include "amdgcn/Barriers.h"
#include "amdgcn/Handlers.h"
#include "amdgcn/Transfers.h"
#include "amdgcn/Transposed.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::amdgcn {

using llvm::StringRef;

static uint64_t addressOf(Step &step, unsigned operand, unsigned lane, int64_t offset) {
  const Operand &address = step.operand(operand);
  // Sums of 32 bits: offsets may follow bases below zero.
  return step.wave.row(address.reg)[lane] + static_cast<uint32_t>(offset);
}

static void loadLanes(Step &step) {
  const Access &access = step.instruction.access;
  const Modifiers &modifiers = step.instruction.modifiers;
  unsigned pairs = access.isPair ? 2 : 1;
  step.eachLane([&](unsigned lane) {
    uint8_t bytes[2][16];
    for (unsigned i = 0; i != pairs && !step.failed(); ++i) {
      int64_t offset = access.isPair ? (i ? modifiers.offset1 : modifiers.offset0) *
                                           int64_t(access.stride) * access.bytes
                                     : modifiers.offset;
      uint64_t address = addressOf(step, 1, lane, offset);
      if (const uint8_t *at = sharedPlace(step, lane, address, access.bytes, SharedUse::Read))
        std::memcpy(bytes[i], at, access.bytes);
    }
    for (unsigned i = 0; i != pairs && !step.failed(); ++i)
      toRegisters(step.wave, access, step.operand(0).reg + i * access.bytes / 4, lane, bytes[i]);
  });
  issueShared(step, &step.operand(0));
}

/// Whether LDS has these bytes already.
static bool holds(const Workgroup &workgroup, uint64_t address, const uint8_t *bytes,
                  unsigned count) {
  return address + count <= workgroup.shared.size() &&
         std::memcmp(workgroup.shared.data() + address, bytes, count) == 0;
}

static void store(Step &step) {
  const Access &access = step.instruction.access;
  const Modifiers &modifiers = step.instruction.modifiers;
  unsigned pairs = access.isPair ? 2 : 1;
  step.eachLane([&](unsigned lane) {
    for (unsigned i = 0; i != pairs && !step.failed(); ++i) {
      int64_t offset = access.isPair ? (i ? modifiers.offset1 : modifiers.offset0) *
                                           int64_t(access.stride) * access.bytes
                                     : modifiers.offset;
      uint64_t address = addressOf(step, 0, lane, offset);
      uint8_t bytes[16];
      fromRegisters(step.wave, access, step.operand(1 + i).reg, lane, bytes);
      SharedUse use = holds(step.workgroup, address, bytes, access.bytes) ? SharedUse::Repeat
                                                                          : SharedUse::Write;
      if (uint8_t *at = sharedPlace(step, lane, address, access.bytes, use))
        std::memcpy(at, bytes, access.bytes);
    }
  });
  ++step.machine.progress;
  issueShared(step);
}

/// gfx9's compare-and-store names what is compared first, later chips the new value.
static void compareStore(Step &step, bool comparedFirst) {
  const Access &access = step.instruction.access;
  unsigned first = access.returns ? 1 : 0;
  auto read = [&](unsigned operand, unsigned lane) {
    uint64_t value = step.wave.row(step.operand(operand).reg)[lane];
    if (access.bytes == 8)
      value |= uint64_t(step.wave.row(step.operand(operand).reg + 1)[lane]) << 32;
    return value;
  };
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, first, lane, step.instruction.modifiers.offset);
    uint8_t *at = sharedPlace(step, lane, address, access.bytes, SharedUse::CompareSwap);
    if (!at)
      return;
    uint64_t one = read(first + 1, lane), two = read(first + 2, lane);
    uint64_t old = applyAtomic(AtomicOp::CompareSwap, access.bytes, at, comparedFirst ? two : one,
                               comparedFirst ? one : two);
    if (access.returns)
      toRegisters(step.wave, access, step.operand(0).reg, lane,
                  reinterpret_cast<const uint8_t *>(&old));
  });
  ++step.machine.progress;
  issueShared(step, access.returns ? &step.operand(0) : nullptr);
}
static void compareStoreOld(Step &step) { compareStore(step, true); }
static void compareStoreNew(Step &step) { compareStore(step, false); }

static void atomic(Step &step) {
  const Access &access = step.instruction.access;
  unsigned first = access.returns ? 1 : 0;
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, first, lane, step.instruction.modifiers.offset);
    if (uint8_t *at = sharedPlace(step, lane, address, access.bytes, SharedUse::Atomic))
      atomicOfLane(step.wave, access, access.returns ? step.operand(0).reg : -1,
                   step.operand(first + 1).reg, lane, at);
  });
  ++step.machine.progress;
  issueShared(step, access.returns ? &step.operand(0) : nullptr);
}

//===----------------------------------------------------------------------===//
// Exchanges that only go by way of the LDS hardware
//===----------------------------------------------------------------------===//

/// Every lane asks for the value of another one; lanes that take no part give zero.
static void pull(Step &step) {
  uint32_t values[64] = {};
  const uint32_t *source = step.wave.row(step.operand(2).reg);
  bool fetchInactive = step.instruction.mnemonic == "ds_bpermute_fi_b32";
  for (unsigned lane = 0; lane != step.wave.lanes; ++lane)
    values[lane] = fetchInactive || step.active >> lane & 1 ? source[lane] : 0;
  uint32_t result[64];
  step.eachLane([&](unsigned lane) {
    uint64_t address = addressOf(step, 1, lane, step.instruction.modifiers.offset);
    result[lane] = values[address / 4 & (step.wave.lanes - 1)];
  });
  uint32_t *row = step.wave.row(step.operand(0).reg);
  step.eachLane([&](unsigned lane) { row[lane] = result[lane]; });
  issueLoad(step, Counter::Lds, step.operand(0));
}

/// Every lane sends its value to another one; who gets nothing has zero.
static void push(Step &step) {
  uint32_t result[64] = {};
  const uint32_t *source = step.wave.row(step.operand(2).reg);
  step.eachLane([&](unsigned lane) {
    uint64_t address = addressOf(step, 1, lane, step.instruction.modifiers.offset);
    result[address / 4 & (step.wave.lanes - 1)] = source[lane];
  });
  uint32_t *row = step.wave.row(step.operand(0).reg);
  step.eachLane([&](unsigned lane) { row[lane] = result[lane]; });
  issueLoad(step, Counter::Lds, step.operand(0));
}

/// And, or and exclusive-or masks of the lane's number inside of 32, or a permutation of four.
struct Swizzle {
  bool isQuad = false;
  unsigned lanes[4] = {}, andMask = 31, orMask = 0, xorMask = 0;

  unsigned source(unsigned lane) const {
    if (isQuad)
      return (lane & ~3u) + lanes[lane & 3];
    return (lane & ~31u) | ((((lane & 31) & andMask) | orMask) ^ xorMask);
  }
};

static Swizzle swizzleOfBits(unsigned bits) {
  Swizzle swizzle;
  swizzle.isQuad = bits >> 15 & 1;
  for (unsigned i = 0; i != 4; ++i)
    swizzle.lanes[i] = bits >> 2 * i & 3;
  swizzle.andMask = bits & 31;
  swizzle.orMask = bits >> 5 & 31;
  swizzle.xorMask = bits >> 10 & 31;
  return swizzle;
}

/// swizzle(BITMASK_PERM,"0p10i"): a sign for each bit of the lane's number, the highest first.
static Swizzle swizzleOfSigns(StringRef signs) {
  Swizzle swizzle;
  swizzle.andMask = 0;
  for (unsigned i = 0; i != 5 && i != signs.size(); ++i) {
    unsigned bit = 16u >> i;
    swizzle.andMask |= signs[i] == 'p' || signs[i] == 'i' ? bit : 0;
    swizzle.orMask |= signs[i] == '1' ? bit : 0;
    swizzle.xorMask |= signs[i] == 'i' ? bit : 0;
  }
  return swizzle;
}

static std::optional<Swizzle> readSwizzle(const Modifiers &modifiers) {
  StringRef text = modifiers.text("swizzle");
  if (text.empty())
    return swizzleOfBits(static_cast<unsigned>(modifiers.offset));
  text.consume_front("swizzle(");
  text.consume_back(")");
  llvm::SmallVector<StringRef, 5> parts;
  text.split(parts, ',');
  unsigned numbers[4] = {};
  for (size_t i = 1; i < parts.size() && i < 5; ++i)
    parts[i].trim().getAsInteger(0, numbers[i - 1]);
  StringRef kind = parts[0].trim();
  Swizzle swizzle;
  if (kind == "BITMASK_PERM" && parts.size() > 1)
    return swizzleOfSigns(parts[1].trim().trim('"'));
  if (kind == "QUAD_PERM") {
    swizzle.isQuad = true;
    std::copy(numbers, numbers + 4, swizzle.lanes);
    return swizzle;
  }
  if (kind == "SWAP")
    swizzle.xorMask = numbers[0];
  else if (kind == "REVERSE")
    swizzle.xorMask = numbers[0] - 1;
  else if (kind == "BROADCAST")
    swizzle.andMask = 32 - numbers[0], swizzle.orMask = numbers[1];
  else
    return std::nullopt;
  return swizzle;
}

static void swizzle(Step &step) {
  std::optional<Swizzle> how = readSwizzle(step.instruction.modifiers);
  if (!how)
    return step.fail(0, "the executor does not know this swizzle");
  uint32_t values[64] = {}, result[64];
  const uint32_t *source = step.wave.row(step.operand(1).reg);
  step.eachLane([&](unsigned lane) { values[lane] = source[lane]; });
  step.eachLane(
      [&](unsigned lane) { result[lane] = values[how->source(lane) & (step.wave.lanes - 1)]; });
  uint32_t *row = step.wave.row(step.operand(0).reg);
  step.eachLane([&](unsigned lane) { row[lane] = result[lane]; });
  issueLoad(step, Counter::Lds, step.operand(0));
}

static void loadTransposed(Step &step) {
  const Access &access = step.instruction.access;
  uint8_t runs[64][16];
  for (unsigned lane = 0; lane != step.wave.lanes && !step.failed(); ++lane) {
    uint64_t address = addressOf(step, 1, lane, step.instruction.modifiers.offset);
    if (const uint8_t *at = sharedPlace(step, lane, address, access.bytes, SharedUse::Read))
      std::memcpy(runs[lane], at, access.bytes);
  }
  if (!step.failed())
    transpose(step, step.instruction.product, runs);
  issueShared(step, &step.operand(0));
}

//===----------------------------------------------------------------------===//
// Barriers in LDS (gfx1250)
//===----------------------------------------------------------------------===//

/// What a wave's asynchronous arrival tells: with it the copies before it have ended, too.
static Knowledge knownAtArrival(Step &step, Queue queue) {
  Knowledge known = step.wave.order.known;
  known.of(step.wave.order.place)[queue] = step.wave.order.issued[queue];
  return known;
}

static void arrive(Step &step) {
  bool isAsync = step.instruction.mnemonic == "ds_atomic_async_barrier_arrive_b64";
  unsigned first = isAsync ? 0 : 1;
  // Instructions on LDS end in order, those before the arrival before it.
  Knowledge known = knownAtArrival(step, isAsync ? Queue::Async : Queue::Lds);
  step.eachLane([&](unsigned lane) {
    if (step.failed())
      return;
    uint64_t address = addressOf(step, first, lane, step.instruction.modifiers.offset);
    uint64_t count = 1;
    if (!isAsync)
      count = step.wave.row(step.operand(2).reg)[lane] |
              uint64_t(step.wave.row(step.operand(2).reg + 1)[lane]) << 32;
    if (count > 0x1fffffff)
      return step.fail(lane, "more arrivals than a barrier can count");
    uint64_t old = arriveAtBarrier(step, lane, address, count, known);
    if (!isAsync)
      toRegisters(step.wave, step.instruction.access, step.operand(0).reg, lane,
                  reinterpret_cast<const uint8_t *>(&old));
  });
  if (isAsync)
    issueTransfer(step, Counter::Async);
  else
    issueShared(step, &step.operand(0));
}

//===----------------------------------------------------------------------===//
// Mnemonics
//===----------------------------------------------------------------------===//

/// "2_b32", "2st64_b64", "_2addr_stride64_b32" behind "ds_read", "ds_load".
static bool readPair(StringRef name, Access &access) {
  if (name.consume_front("2st64_") || name.consume_front("_2addr_stride64_"))
    access.stride = 64;
  else if (!name.consume_front("2_") && !name.consume_front("_2addr_"))
    return false;
  access.isPair = true;
  return readAccess(name, access);
}

static Handler chooseAtomic(StringRef name, Access &access) {
  access.isStore = true;
  std::string plain = name.str();
  if (size_t at = plain.find("_rtn"); at != plain.npos) {
    access.returns = true;
    plain.erase(at, 4);
  }
  if (plain == "wrxchg_b32" || plain == "wrxchg_b64" || plain == "storexchg_b32" ||
      plain == "storexchg_b64") {
    access.bytes = StringRef(plain).ends_with("64") ? 8 : 4;
    access.isAtomic = true;
    access.operation = static_cast<uint8_t>(AtomicOp::Swap);
    return atomic;
  }
  StringRef end = plain;
  if (end.consume_front("cmpst_") || end.consume_front("cmpstore_")) {
    access.bytes = end == "b64" ? 8 : 4;
    return StringRef(plain).starts_with("cmpst_") ? compareStoreOld : compareStoreNew;
  }
  return readAtomic(plain, access) ? atomic : nullptr;
}

static void nothing(Step &) {}

Handler chooseShared(Instruction &instruction, const Chip &chip) {
  StringRef name = instruction.mnemonic;
  Access &access = instruction.access;
  if (!name.consume_front("ds_"))
    return nullptr;
  if (name == "bpermute_b32" || name == "bpermute_fi_b32")
    return pull;
  if (name == "permute_b32")
    return push;
  if (name == "swizzle_b32")
    return swizzle;
  if (name == "nop")
    return nothing;
  if (name == "atomic_barrier_arrive_rtn_b64" || name == "atomic_async_barrier_arrive_b64") {
    access.bytes = 8;
    access.returns = name.contains("_rtn_");
    return arrive;
  }
  StringRef rest = name;
  if (rest.consume_front("load_tr") || (name.contains("_tr_") && rest.consume_front("read_")))
    return readTransposed(rest, chip, instruction) ? loadTransposed : nullptr;
  rest = name;
  if (rest.consume_front("read") || rest.consume_front("load")) {
    if (readPair(rest, access))
      return loadLanes;
    return rest.consume_front("_") && readAccess(rest, access) ? loadLanes : nullptr;
  }
  if (rest.consume_front("write") || rest.consume_front("store")) {
    access.isStore = true;
    if (readPair(rest, access))
      return store;
    StringRef plain = rest;
    if (plain.consume_front("_") && readAccess(plain, access))
      return store;
  }
  return chooseAtomic(name, access);
}

} // namespace gluonc::amdgcn
