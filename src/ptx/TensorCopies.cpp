//===- TensorCopies.cpp - Copies that follow tensor maps, asynchronous stores -----===//
//
// PTX ISA 9.7.9.25 (cp.async.bulk.tensor) and 9.7.9.28 (tensormap.replace).
//
//===----------------------------------------------------------------------===//
#include "ptx/Barrier.h"
#include "ptx/Handlers.h"
#include "ptx/TensorMap.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

/// tensormap.replace.tile.FIELD… [map], {dim, }value.
void replaceField(Step &step) {
  const Instruction &instruction = step.instruction;
  StringRef field = instruction.modifiers[2];
  bool hasIndex = instruction.operands.size() == 3;
  step.eachLane([&](unsigned lane) {
    uint8_t *place =
        step.machine.shared(static_cast<uint32_t>(step.address(step.operand(0), lane)), 128);
    uint64_t index = hasIndex ? step.read(1, lane) : 0, value = step.read(hasIndex ? 2 : 1, lane);
    if (!place || index >= maxTensorRank)
      return step.fail(lane, "no tensor map in shared memory here");
    TensorMap map;
    std::memcpy(&map, place, sizeof(map));
    if (field == "global_address")
      map.address = value;
    else if (field == "global_stride")
      map.strides[index] = value;
    else if (field == "global_dim")
      map.dims[index] = static_cast<uint32_t>(value);
    else if (field == "box_dim")
      map.box[index] = static_cast<uint32_t>(value);
    else if (field == "element_stride")
      map.elementStrides[index] = static_cast<uint32_t>(value);
    else
      (field == "rank"                ? map.rank
       : field == "elemtype"          ? map.elementType
       : field == "interleave_layout" ? map.interleave
       : field == "swizzle_mode"      ? map.swizzle
                                      : map.fill) = static_cast<uint8_t>(value);
    std::memcpy(place, &map, sizeof(map));
  });
}

void publish(Step &step) {
  step.eachLane([&](unsigned lane) {
    uint8_t *to = locate(step, Space::Generic, step.address(step.operand(0), lane), 64, lane);
    uint8_t *from =
        step.machine.shared(static_cast<uint32_t>(step.address(step.operand(1), lane)), 128);
    if (to && from)
      std::memcpy(to, from, 128);
    else
      step.fail(lane, "no tensor map here");
  });
}

/// The barrier that a CTA's part of a copy arrives at: with `cta_group::2` it may be in the other
/// CTA of the pair, as the address says.
uint64_t barrierFor(const Instruction &instruction, uint64_t address, unsigned rank,
                    bool isMulticast) {
  if (!isMulticast)
    return address;
  uint64_t owner =
      instruction.has("cta_group::2") ? (rank & ~1u) | (address >> clusterShift & 1) : rank;
  return (address & withinCta) | owner << clusterShift;
}

/// What an H100 fills with, whatever the float type: 0x7ff7, again and again.
void fillWithNan(uint8_t *place, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    place[i] = i % 2 ? 0x7f : 0xf7;
}

/// As an H100 does: to nearest, ties to even; every NaN becomes one.
void roundToTf32(uint8_t *place) {
  uint32_t bits;
  std::memcpy(&bits, place, sizeof(bits));
  const bool isNan = (bits & 0x7fffffff) > 0x7f800000, isInfinite = (bits << 1) == 0xff000000;
  if (isNan)
    bits = 0x7fffe000;
  else if (!isInfinite)
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
  std::memcpy(place, &bits, sizeof(bits));
}

/// cp.async.bulk.tensor… [shared], [map, {…}], [mbarrier]{, offsets of pixels}{, CTAs}.
void loadBox(Step &step) {
  const Instruction &instruction = step.instruction;
  bool isMulticast = instruction.has("multicast::cluster"), hasPixels = instruction.has("im2col");
  step.eachLane([&](unsigned lane) {
    Box box(step, step.operand(1), lane);
    if (!box)
      return;
    if (hasPixels)
      box.addPixelOffsets(step, step.operand(3), lane);
    box.tell(step);
    uint64_t to = static_cast<uint32_t>(step.address(step.operand(0), lane));
    uint64_t barrier = static_cast<uint32_t>(step.address(step.operand(2), lane));
    uint64_t own = to >> clusterShift;
    uint64_t ctas = isMulticast ? step.read(hasPixels ? 4 : 3, lane) & 0xffff : uint64_t(1) << own;
    for (unsigned rank = 0; ctas >> rank; ++rank) {
      if (!(ctas >> rank & 1))
        continue;
      const TensorUnit &unit = box.units();
      box.each(step, (to & withinCta) | uint64_t(rank) << clusterShift, lane,
               [&](const uint8_t *global, uint8_t *place, unsigned count) {
                 std::memset(place, 0, count * unit.sharedBytes);
                 if (box.fillsWithNan() && !global)
                   fillWithNan(place, count * unit.sharedBytes);
                 for (unsigned i = 0; global && i != count; ++i) {
                   uint8_t *to = place + i * unit.sharedBytes;
                   std::memcpy(to, global + i * unit.globalBytes, unit.globalBytes);
                   if (box.roundsToTf32())
                     roundToTf32(to);
                 }
               });
      if (Barrier arrives{step, barrierFor(instruction, barrier, rank, isMulticast), lane})
        arrives.deliver(box.bytes());
    }
  });
}

/// A box that shared memory has; of a type that fills 16 bytes there is no way back.
template <typename Function> void fromShared(Step &step, Function function) {
  step.eachLane([&](unsigned lane) {
    Box box(step, step.operand(0), lane);
    if (!box)
      return;
    if (box.units().globalBytes != box.units().sharedBytes)
      return step.fail(lane, "a tensor map of a type that is not stored");
    box.tell(step);
    box.each(step, static_cast<uint32_t>(step.address(step.operand(1), lane)), lane,
             [&](uint8_t *global, const uint8_t *own, unsigned count) {
               if (global)
                 function(box.units(), global, own, count);
             });
  });
}

void storeBox(Step &step) {
  fromShared(step, [](const TensorUnit &unit, uint8_t *global, const uint8_t *own, unsigned count) {
    std::memcpy(global, own, count * unit.globalBytes);
  });
}

void reduceBox(Step &step) {
  StringRef operation = atomicOperation(step.instruction);
  fromShared(
      step, [&](const TensorUnit &unit, uint8_t *global, const uint8_t *own, unsigned count) {
        for (unsigned bytes = unit.globalBytes; count-- != 0; global += bytes, own += bytes) {
          uint64_t operand = loadBits(own, bytes);
          updateWord(global, bytes,
                     [&](uint64_t old) { return updated(operation, unit.type, old, operand, 0); });
        }
      });
}

/// st.bulk… [shared], bytes, 0.
void clearBulk(Step &step) {
  step.eachLane([&](unsigned lane) {
    uint64_t address = static_cast<uint32_t>(step.address(step.operand(0), lane));
    uint64_t bytes = step.read(1, lane);
    uint8_t *place = step.machine.shared(address, static_cast<unsigned>(bytes));
    if (!place || address % 8 || bytes % 8)
      return step.fail(lane, "no " + llvm::Twine(bytes) + " bytes of shared memory at 0x" +
                                 llvm::Twine::utohexstr(address));
    std::memset(place, 0, bytes);
  });
}

/// st.async [shared], values, [mbarrier].
void storeAsync(Step &step) {
  Type type = step.instruction.types.back();
  llvm::ArrayRef<Operand> values = partsOf(step.operand(1));
  unsigned bytes = type.bytes() * static_cast<unsigned>(values.size());
  step.eachLane([&](unsigned lane) {
    uint8_t *to = locate(step, Space::Shared, step.address(step.operand(0), lane), bytes, lane);
    for (const Operand &value : values) {
      if (!to)
        return;
      uint64_t bits = step.read(value, lane);
      std::memcpy(to, &bits, type.bytes());
      to += type.bytes();
    }
    if (Barrier barrier{step, step.address(step.operand(2), lane), lane})
      barrier.deliver(bytes);
  });
}

/// The arrival of copies that are over already.
void arriveForCopies(Step &step) {
  bool counts = step.instruction.has("noinc");
  step.eachLane([&](unsigned lane) {
    Barrier barrier(step, static_cast<uint32_t>(step.address(step.operand(0), lane)), lane);
    if (barrier && counts)
      barrier.arrive(1);
  });
}

void nothing(Step &) {}

} // namespace

Handler chooseBulkCopy(const Instruction &instruction) {
  if (instruction.has("mbarrier"))
    return arriveForCopies;
  if (instruction.has("commit_group") || instruction.has("wait_group"))
    return nothing;
  if (!instruction.has("tensor") || instruction.has("im2col::w") ||
      instruction.has("im2col::w::128"))
    return nullptr;
  if (instruction.has("prefetch"))
    return nothing;
  if (instruction.has("reduce"))
    return atomicOperation(instruction).empty() ? nullptr : reduceBox;
  return instruction.has("bulk_group") ? storeBox : loadBox;
}

void addTensorCopies(HandlerTable &table) {
  using I = const Instruction &;
  table["tensormap"] = [](I i) -> Handler {
    if (i.has("cp_fenceproxy"))
      return publish;
    bool known =
        i.modifiers.size() > 2 &&
        llvm::StringSwitch<bool>(i.modifiers[2])
            .Cases({"global_address", "global_stride", "global_dim", "box_dim", "element_stride",
                    "rank", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"},
                   true)
            .Default(false);
    return i.has("replace") && known ? replaceField : nullptr;
  };
}

Handler chooseAsyncStore(const Instruction &instruction) {
  if (instruction.has("bulk"))
    return instruction.operands.size() == 3 ? clearBulk : nullptr;
  return instruction.operands.size() == 3 && !instruction.types.empty() ? storeAsync : nullptr;
}

} // namespace gluonc::ptx
