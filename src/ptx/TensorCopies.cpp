//===- TensorCopies.cpp - Tensor maps and the copies that follow them ------------===//
//
// PTX ISA 9.7.9.25 (cp.async.bulk.tensor) and 9.7.9.28 (tensormap.replace). The format of a
// tensor map is the vendor's secret; kernels that make their own name its fields one by
// one, and 128 bytes in a form of our own keep them.
//
//===----------------------------------------------------------------------===//
#include "ptx/Barrier.h"
#include "ptx/Handlers.h"
#include "ptx/Memory.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

constexpr unsigned maxRank = 5;

struct TensorMap {
  uint64_t address;
  /// Bytes from one index of dim i + 1 to the next.
  uint64_t strides[maxRank];
  uint32_t dims[maxRank], box[maxRank], elementStrides[maxRank];
  uint8_t rank, elementType, interleave, swizzle, fill;
};
static_assert(sizeof(TensorMap) <= 128);

/// By the number that tensormap.replace gives an element type.
Type elementOf(uint8_t number) {
  static constexpr Type types[] = {
      {TypeKind::Unsigned, 8}, {TypeKind::Unsigned, 16}, {TypeKind::Unsigned, 32},
      {TypeKind::Signed, 32},  {TypeKind::Unsigned, 64}, {TypeKind::Signed, 64},
      {TypeKind::Float, 16},   {TypeKind::Float, 32},    {TypeKind::Float, 32},
      {TypeKind::Float, 64},   {TypeKind::BFloat, 16},   {TypeKind::Float, 32},
      {TypeKind::Float, 32}};
  return number < std::size(types) ? types[number] : types[0];
}

/// tensormap.replace.tile.FIELD… [map], {dim, }value.
void replaceField(Step &step) {
  const Instruction &instruction = step.instruction;
  StringRef field = instruction.modifiers[2];
  bool hasIndex = instruction.operands.size() == 3;
  step.eachLane([&](unsigned lane) {
    uint8_t *place =
        step.machine.shared(static_cast<uint32_t>(step.address(step.operand(0), lane)), 128);
    uint64_t index = hasIndex ? step.read(1, lane) : 0, value = step.read(hasIndex ? 2 : 1, lane);
    if (!place || index >= maxRank)
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

/// One box: the corner in the tensor, and the place in shared memory.
class Box {
public:
  Box(Step &step, const Operand &address, unsigned lane) {
    const uint8_t *place = locate(step, Space::Generic, step.address(address, lane), 64, lane);
    if (!place)
      return;
    std::memcpy(&map, place, sizeof(map));
    element = elementOf(map.elementType);
    isFine = map.rank + 1u == address.elements.size();
    if (!isFine)
      step.fail(lane, "a tensor map of " + llvm::Twine(map.rank + 1) + " dims");
    for (unsigned dim = 0; isFine && dim <= map.rank; ++dim)
      corner[dim] = static_cast<int32_t>(step.read(address.elements[dim], lane));
  }
  explicit operator bool() const { return isFine; }
  unsigned bytes() const {
    unsigned result = element.bytes();
    for (unsigned dim = 0; dim <= map.rank; ++dim)
      result *= map.box[dim];
    return result;
  }
  Type type() const { return element; }

  /// Calls back with the global place of each element, null outside of the tensor, and its place in
  /// shared memory.
  template <typename Function>
  void each(Step &step, uint64_t shared, unsigned lane, Function function) const {
    unsigned size = element.bytes(), count = bytes() / size;
    uint32_t mask = map.swizzle ? (2u << (map.swizzle - 1)) - 1 : 0;
    for (unsigned at = 0; at != count; ++at) {
      uint64_t address = map.address;
      bool inside = true;
      unsigned rest = at;
      for (unsigned dim = 0; dim <= map.rank; ++dim) {
        int64_t index = int64_t(corner[dim]) + rest % map.box[dim];
        rest /= map.box[dim];
        inside &= index >= 0 && index < map.dims[dim];
        address += static_cast<uint64_t>(index) * (dim ? map.strides[dim - 1] : size);
      }
      uint64_t place = shared + uint64_t(at) * size;
      place ^= (place >> 7 & mask) << 4;
      uint8_t *own = step.machine.shared(place, size);
      uint8_t *global = inside ? step.machine.global(address, size) : nullptr;
      if (!own || (inside && !global))
        return step.fail(lane, "a box beyond the kernel's memory");
      function(global, own);
    }
  }
  bool fillsWithNan() const { return map.fill && element.isFloat(); }

private:
  TensorMap map = {};
  Type element;
  int32_t corner[maxRank] = {};
  bool isFine = false;
};

/// cp.async.bulk.tensor… [shared], [map, {…}], [mbarrier]{, CTAs}.
void loadBox(Step &step) {
  const Instruction &instruction = step.instruction;
  bool isMulticast = instruction.has("multicast::cluster");
  step.eachLane([&](unsigned lane) {
    Box box(step, step.operand(1), lane);
    if (!box)
      return;
    uint64_t to = static_cast<uint32_t>(step.address(step.operand(0), lane));
    uint64_t barrier = static_cast<uint32_t>(step.address(step.operand(2), lane));
    uint64_t ctas = isMulticast ? step.read(3, lane) & 0xffff : 1;
    for (unsigned rank = 0; ctas >> rank; ++rank) {
      if (!(ctas >> rank & 1))
        continue;
      auto inCta = [&](uint64_t address) {
        return isMulticast ? (address & withinCta) | uint64_t(rank) << clusterShift : address;
      };
      box.each(step, inCta(to), lane, [&](const uint8_t *global, uint8_t *own) {
        if (global)
          std::memcpy(own, global, box.type().bytes());
        else
          std::memset(own, box.fillsWithNan() ? 0xff : 0, box.type().bytes());
      });
      if (Barrier arrives{step, inCta(barrier), lane})
        arrives.expect(-int64_t(box.bytes()));
    }
  });
}

void storeBox(Step &step) {
  step.eachLane([&](unsigned lane) {
    if (Box box{step, step.operand(0), lane})
      box.each(step, static_cast<uint32_t>(step.address(step.operand(1), lane)), lane,
               [&](uint8_t *global, const uint8_t *own) {
                 if (global)
                   std::memcpy(global, own, box.type().bytes());
               });
  });
}

void reduceBox(Step &step) {
  StringRef operation = atomicOperation(step.instruction);
  step.eachLane([&](unsigned lane) {
    if (Box box{step, step.operand(0), lane})
      box.each(step, static_cast<uint32_t>(step.address(step.operand(1), lane)), lane,
               [&](uint8_t *global, const uint8_t *own) {
                 if (!global)
                   return;
                 unsigned bytes = box.type().bytes();
                 uint64_t next = updated(operation, box.type(), loadBits(global, bytes),
                                         loadBits(own, bytes), 0);
                 std::memcpy(global, &next, bytes);
               });
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
      barrier.expect(-int64_t(bytes));
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
  if (!instruction.has("tensor") || instruction.has("im2col") || instruction.has("gather4") ||
      instruction.has("prefetch"))
    return nullptr;
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
  return instruction.operands.size() == 3 && !instruction.types.empty() ? storeAsync : nullptr;
}

} // namespace gluonc::ptx
