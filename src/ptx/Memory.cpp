//===- Memory.cpp - Loads, stores, atomics -------------------------------------===//
#include "ptx/Memory.h"
#include "ptx/Handlers.h"
#include "ptx/Numbers.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace gluonc::ptx {

using llvm::StringRef;

static void failAddress(Step &step, bool isShared, uint64_t address, unsigned bytes,
                        unsigned lane) {
  std::string at = llvm::utostr(bytes) + " bytes at 0x" + llvm::utohexstr(address) + " of ";
  if (isShared)
    step.fail(lane, at + "shared memory are not the kernel's", FaultKind::Address);
  else
    step.failGlobal(lane, at + "global memory are not the kernel's", address, bytes);
}

uint8_t *locate(Step &step, Space space, uint64_t address, unsigned bytes, unsigned lane) {
  if (space == Space::Generic && address >= localWindow && address < 2 * localWindow) {
    space = Space::Local;
    address -= localWindow;
  } else if (space == Space::Generic && address >= parameterWindow &&
             address < 2 * parameterWindow) {
    space = Space::Parameter;
    address -= parameterWindow;
  }
  if (space == Space::Local || (space == Space::Parameter && address >= laneMemoryBase)) {
    unsigned size = step.machine.module.laneMemoryBytes;
    if (address >= laneMemoryBase && address - laneMemoryBase + bytes <= size)
      return step.warp.laneMemory.data() + size_t(lane) * size + (address - laneMemoryBase);
    step.fail(lane, space == Space::Local ? "beyond local memory" : "beyond the parameters");
    return nullptr;
  }
  if (space == Space::Parameter) {
    std::vector<uint8_t> &parameters = step.machine.parameters;
    if (address + bytes <= parameters.size())
      return parameters.data() + address;
    step.fail(lane, "beyond the parameters");
    return nullptr;
  }
  if (address % bytes) {
    step.fail(lane,
              "address 0x" + llvm::Twine::utohexstr(address) + " is not a multiple of " +
                  llvm::Twine(bytes),
              FaultKind::Alignment);
    return nullptr;
  }
  if (space == Space::Generic && address >= sharedWindow && address < 2 * sharedWindow) {
    space = Space::Shared;
    address -= sharedWindow;
  }
  if (space == Space::Shared)
    address = static_cast<uint32_t>(address);
  uint8_t *place = space == Space::Shared ? step.machine.shared(address, bytes)
                                          : step.machine.global(address, bytes);
  if (!place)
    failAddress(step, space == Space::Shared, address, bytes, lane);
  else if (step.touched)
    (space == Space::Shared ? step.touched->shared : step.touched->global)
        .push_back({address, bytes, static_cast<uint8_t>(lane)});
  return place;
}

/// What a register gets of a loaded value: signed types are extended.
static uint64_t extendedTo64(Type type, uint64_t value) {
  if (!type.isSigned() || type.bits == 64)
    return value;
  uint64_t sign = uint64_t(1) << (type.bits - 1);
  return (value ^ sign) - sign;
}

uint64_t updated(StringRef operation, Type type, uint64_t old, uint64_t operand, uint64_t second) {
  auto isLess = [&](uint64_t a, uint64_t b) {
    if (type.isFloat())
      return decodeFloat(type, a) < decodeFloat(type, b);
    return type.isSigned() ? int64_t(extendedTo64(type, a)) < int64_t(extendedTo64(type, b))
                           : a < b;
  };
  if (operation == "add" && type.isFloat()) {
    auto sum = [&](Type half, uint64_t a, uint64_t b) {
      return half.bits == 32
                 ? bitsOf(asFloat(a) + asFloat(b))
                 : encodeFloat(half, decodeFloat(half, a) + decodeFloat(half, b), Round::Nearest);
    };
    if (!type.packed)
      return sum(type, old, operand);
    Type half = {type.kind, 16};
    return sum(half, old & 0xffff, operand & 0xffff) | sum(half, old >> 16, operand >> 16) << 16;
  }
  if (operation == "add")
    return old + operand;
  if (operation == "exch")
    return operand;
  if (operation == "cas")
    return old == operand ? second : old;
  if (operation == "and")
    return old & operand;
  if (operation == "or")
    return old | operand;
  if (operation == "xor")
    return old ^ operand;
  if (operation == "min")
    return isLess(operand, old) ? operand : old;
  if (operation == "max")
    return isLess(old, operand) ? operand : old;
  if (operation == "inc")
    return old >= operand ? 0 : old + 1;
  return old == 0 || old > operand ? operand : old - 1; // dec
}

StringRef atomicOperation(const Instruction &instruction) {
  for (StringRef modifier : instruction.modifiers)
    for (StringRef known : {"add", "exch", "cas", "and", "or", "xor", "min", "max", "inc", "dec"})
      if (modifier == known)
        return known;
  return "";
}

uint64_t updateWord(uint8_t *place, unsigned bytes, llvm::function_ref<uint64_t(uint64_t)> next) {
  auto update = [&]<typename Word>(Word) -> uint64_t {
    std::atomic_ref<Word> word(*reinterpret_cast<Word *>(place));
    Word old = word.load();
    while (!word.compare_exchange_weak(old, static_cast<Word>(next(old))))
      ;
    return old;
  };
  switch (bytes) {
  case 1:
    return update(uint8_t());
  case 2:
    return update(uint16_t());
  case 4:
    return update(uint32_t());
  default:
    return update(uint64_t());
  }
}

namespace {

Space spaceOf(const Instruction &instruction) {
  for (StringRef modifier : instruction.modifiers) {
    if (modifier.starts_with("shared"))
      return Space::Shared;
    if (modifier == "global" || modifier == "const")
      return Space::Global;
    if (modifier == "local")
      return Space::Local;
    if (modifier.starts_with("param"))
      return Space::Parameter;
  }
  return Space::Generic;
}

/// 128 bits are in two registers.
Type accessed(const Instruction &instruction) {
  Type type = instruction.types.back();
  type.bits = std::min<uint8_t>(type.bits, 64);
  return type;
}

template <Space space> void load(Step &step) {
  Type type = accessed(step.instruction);
  llvm::ArrayRef<Operand> parts = partsOf(step.operand(0));
  unsigned bytes = type.bytes() * static_cast<unsigned>(parts.size());
  step.eachLane([&](unsigned lane) {
    const uint8_t *from = locate(step, space, step.address(step.operand(1), lane), bytes, lane);
    if (!from)
      return;
    for (const Operand &part : parts) {
      step.write(part, lane, extendedTo64(type, loadBits(from, type.bytes())));
      from += type.bytes();
    }
  });
}

template <Space space> void store(Step &step) {
  Type type = accessed(step.instruction);
  llvm::ArrayRef<Operand> parts = partsOf(step.operand(1));
  unsigned bytes = type.bytes() * static_cast<unsigned>(parts.size());
  step.eachLane([&](unsigned lane) {
    uint8_t *to = locate(step, space, step.address(step.operand(0), lane), bytes, lane);
    ++step.machine.progress;
    if (!to)
      return;
    for (const Operand &part : parts) {
      storeBits(to, step.read(part, lane), type.bytes());
      to += type.bytes();
    }
  });
}

template <Space space> Handler accessIn(bool loads) { return loads ? load<space> : store<space>; }

/// A load or store in the space that an instruction names.
Handler chooseAccess(const Instruction &instruction, bool loads) {
  if (instruction.types.empty() || instruction.operands.size() < 2)
    return nullptr;
  switch (spaceOf(instruction)) {
  case Space::Generic:
    return accessIn<Space::Generic>(loads);
  case Space::Global:
    return accessIn<Space::Global>(loads);
  case Space::Shared:
    return accessIn<Space::Shared>(loads);
  case Space::Local:
    return accessIn<Space::Local>(loads);
  case Space::Parameter:
    return accessIn<Space::Parameter>(loads);
  }
  return nullptr;
}

/// atom d, [a], b{, c} and red [a], b.
template <bool returns> void atomic(Step &step) {
  Space space = spaceOf(step.instruction);
  Type type = step.instruction.types.back();
  StringRef operation = atomicOperation(step.instruction);
  unsigned at = returns ? 1 : 0;
  bool hasSecond = operation == "cas";
  uint64_t mask = type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1;
  llvm::ArrayRef<Operand> values = partsOf(step.operand(at + 1));
  step.eachLane([&](unsigned lane) {
    unsigned bytes = type.bytes() * static_cast<unsigned>(values.size());
    uint8_t *place = locate(step, space, step.address(step.operand(at), lane), bytes, lane);
    if (!place)
      return;
    uint64_t second = hasSecond ? step.read(at + 2, lane) & mask : 0;
    for (size_t i = 0; i != values.size(); ++i, place += type.bytes()) {
      uint64_t operand = step.read(values[i], lane) & mask, left = 0;
      uint64_t old = updateWord(place, type.bytes(), [&](uint64_t found) {
        return left = updated(operation, type, found, operand, second) & mask;
      });
      // Who only asks for a value changes nothing that others wait for.
      step.machine.progress += left != old;
      if (returns)
        step.write(partsOf(step.operand(0))[i], lane, old);
    }
  });
}

/// cp.async of 4, 8 or 16 bytes from global to shared memory; bytes beyond the size in operand 3
/// are 0.
void copyAsync(Step &step) {
  const Instruction &instruction = step.instruction;
  step.eachLane([&](unsigned lane) {
    auto bytes = static_cast<unsigned>(step.read(2, lane));
    uint64_t size =
        instruction.operands.size() > 3 ? std::min<uint64_t>(step.read(3, lane), bytes) : bytes;
    uint8_t *to = locate(step, Space::Shared, step.address(step.operand(0), lane), bytes, lane);
    if (!to)
      return;
    std::memset(to, 0, bytes);
    if (!size)
      return;
    const uint8_t *from =
        locate(step, Space::Global, step.address(step.operand(1), lane), bytes, lane);
    if (from)
      std::memcpy(to, from, size);
  });
}
void nothing(Step &) {}

/// The address of a place in another CTA's shared memory.
void mapToCta(Step &step) {
  step.eachLane([&](unsigned lane) {
    step.write(0, lane, (step.read(1, lane) & withinCta) | step.read(2, lane) << clusterShift);
  });
}

Handler chooseCopy(const Instruction &instruction) {
  if (instruction.has("bulk") || instruction.has("mbarrier"))
    return chooseBulkCopy(instruction);
  if (instruction.has("commit_group") || instruction.has("wait_group") ||
      instruction.has("wait_all"))
    return nothing;
  return (instruction.has("ca") || instruction.has("cg")) && instruction.operands.size() >= 3
             ? copyAsync
             : nullptr;
}

Handler chooseAtomic(const Instruction &instruction, Handler handler) {
  bool isKnown = !atomicOperation(instruction).empty() && !instruction.types.empty() &&
                 instruction.types.back().bits <= 64;
  return isKnown ? handler : nullptr;
}

} // namespace

void addMemory(HandlerTable &table) {
  using I = const Instruction &;
  table["ld"] = [](I i) { return chooseAccess(i, /*loads=*/true); };
  table["st"] = [](I i) -> Handler {
    if (i.has("async") || i.has("bulk"))
      return chooseAsyncStore(i);
    return chooseAccess(i, /*loads=*/false);
  };
  table["atom"] = [](I i) { return chooseAtomic(i, atomic<true>); };
  table["red"] = [](I i) { return i.has("async") ? nullptr : chooseAtomic(i, atomic<false>); };
  table["cp"] = chooseCopy;
  table["mapa"] = [](I i) -> Handler { return i.has("shared::cluster") ? mapToCta : nullptr; };
  // A policy says which lines of a cache to keep.
  table["createpolicy"] = [](I) -> Handler { return nothing; };
}

} // namespace gluonc::ptx
