//===- Tensor.cpp - The tensor data mover of gfx1250 ------------------------------===//
//
// One instruction moves a tile of up to five dimensions between memory and LDS, for the whole
// wave: EXEC does not matter. Scalar registers hold what it does, as bits of two or four groups;
// dimension 0 is the innermost, its elements lie side by side. Elements outside of the tensor are
// zeros to loads and dropped by stores. In LDS elements lie densely, and loads may leave some
// bytes out after every so many. Gathers and scatters take rows by number.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Barriers.h"
#include "amdgcn/Handlers.h"
#include "amdgcn/Transfers.h"

#include "llvm/ADT/Hashing.h"

namespace gluonc::amdgcn {

namespace {

/// Bits of groups of registers, from the lowest one on.
class Group {
public:
  Group(Step &step, unsigned operand, unsigned count) : words(count, 0) {
    if (operand >= step.operands() || step.operand(operand).reg == nullSlot)
      return;
    isGiven = true;
    for (unsigned i = 0; i != count; ++i)
      words[i] = step.wave.scalars[step.operand(operand).reg + i];
  }
  uint64_t bits(unsigned from, unsigned count) const {
    uint64_t value = 0;
    for (unsigned i = 0; i != count; ++i)
      value |= uint64_t(words[(from + i) / 32] >> (from + i) % 32 & 1) << i;
    return value;
  }
  bool isGiven = false;

private:
  std::vector<uint32_t> words;
};

struct Dimension {
  /// Elements of the tensor from the tile's first one on, and from one index to the next.
  uint64_t extent = 1, stride = 0;
  /// Elements of the tile; a dimension that is not there has one.
  uint64_t tile = 1;

  Dimension() = default;
  Dimension(uint64_t extent, uint64_t stride, uint64_t tile) {
    if (tile)
      *this = Dimension(), this->extent = extent, this->stride = stride, this->tile = tile;
  }
};

struct Descriptor {
  uint64_t shared = 0, global = 0;
  uint32_t ranks = 0;
  unsigned bytes = 1;
  std::optional<uint64_t> barrier;
  /// Bytes left out after every so many; 0 if there are none.
  uint64_t padInterval = 0, padAmount = 0;
  std::array<Dimension, 5> dimensions;
  /// Of gathers and scatters; they take the place of dimension 1's indices.
  bool hasRows = false;
  llvm::SmallVector<uint32_t, 16> rows;
  /// The tile is moved so often, each time from a place further on.
  uint64_t iterations = 1, sharedIncrement = 0, globalIncrement = 0;
};

} // namespace

static void readRows(Descriptor &made, const Group &numbers, const Group &more, bool isWide) {
  unsigned bits = isWide ? 32 : 16, perGroup = 128 / bits;
  for (unsigned i = 0; i != made.dimensions[1].tile; ++i) {
    const Group &group = i < perGroup ? numbers : more;
    made.rows.push_back(static_cast<uint32_t>(group.bits(i % perGroup * bits, bits)));
  }
}

/// What a descriptor says wrongly; null if nothing.
static const char *problemOf(const Group &base, const Group &shape, const Group &outer) {
  uint64_t valid = base.bits(0, 2);
  if (valid > 1)
    return "bits 1 and 0 of the descriptor are neither 0 nor 1";
  if (base.bits(126, 2) != 2)
    return "the descriptor is not of type 2, a tensor's";
  if (base.bits(30, 1) && !base.bits(31, 1))
    return "the descriptor has row numbers of 32 bits, but no rows";
  if (base.bits(31, 1) && !outer.isGiven)
    return "the descriptor has rows, but no registers with their numbers";
  if (base.bits(31, 1) && shape.bits(128, 16) > (base.bits(30, 1) ? 8 : 16))
    return "the descriptor has more rows than registers with their numbers";
  if (shape.bits(112, 16) == 0)
    return "the descriptor's tile has no elements in dimension 0";
  if (shape.bits(19, 1) && !outer.isGiven)
    return "the descriptor repeats its tile, but does not say how often";
  return nullptr;
}

static Descriptor readDescriptor(const Group &base, const Group &shape, const Group &outer,
                                 const Group &last) {
  Descriptor made;
  made.shared = base.bits(32, 32);
  made.global = base.bits(64, 57);
  made.ranks = static_cast<uint32_t>(shape.bits(0, 16));
  made.bytes = 1u << shape.bits(16, 2);
  if (shape.bits(18, 1))
    made.barrier = shape.bits(32, 16) << 3;
  if (shape.bits(20, 1)) {
    made.padInterval = uint64_t(8) << shape.bits(22, 3);
    made.padAmount = (shape.bits(25, 7) + 1) * 4;
  }
  made.dimensions[0] = {shape.bits(48, 32), 1, shape.bits(112, 16)};
  made.dimensions[1] = {shape.bits(80, 32), shape.bits(160, 48), shape.bits(128, 16)};
  made.hasRows = base.bits(31, 1);
  if (made.hasRows) {
    made.dimensions[1].extent = shape.bits(80, 32);
    made.dimensions[1].tile = shape.bits(128, 16);
    readRows(made, outer, last, base.bits(30, 1));
    return made;
  }
  made.dimensions[2] = {outer.bits(0, 32), shape.bits(208, 48), shape.bits(144, 16)};
  if (shape.bits(19, 1)) {
    made.sharedIncrement = outer.bits(32, 32) * made.bytes;
    made.globalIncrement = outer.bits(64, 48) * made.bytes;
    made.iterations = outer.bits(112, 16) + 1;
    return made;
  }
  made.dimensions[3] = {outer.bits(32, 32), outer.bits(64, 48), outer.bits(112, 16)};
  made.dimensions[4] = {last.bits(48, 32), last.bits(0, 48), last.bits(80, 16)};
  return made;
}

namespace {

/// Moves the rows of a tile.
struct Mover {
  Step &step;
  const Descriptor &descriptor;
  bool isLoad;

  /// Where a byte of the tile is in LDS.
  uint64_t sharedOffset(uint64_t byte) const {
    bool isPadded = isLoad && descriptor.padInterval;
    return byte + (isPadded ? byte / descriptor.padInterval * descriptor.padAmount : 0);
  }

  /// Bytes that lie side by side in memory and in LDS. Outside of the tensor `global` is 0.
  void moveRun(uint64_t shared, uint64_t global, uint64_t bytes) const {
    uint8_t *memory = nullptr;
    if (global) {
      memory = step.machine.global(global, static_cast<unsigned>(bytes));
      if (!memory)
        return step.fail(0, llvm::Twine(isLoad ? "a tensor load" : "a tensor store") + " of " +
                                llvm::Twine(bytes) + " bytes at 0x" +
                                llvm::Twine::utohexstr(global) +
                                " is outside of all memory that the kernel was given");
    }
    uint8_t *at = sharedPlace(step, 0, shared, static_cast<unsigned>(bytes),
                              isLoad ? SharedUse::Transfer : SharedUse::Read, Queue::Tensor);
    if (!at)
      return;
    if (!isLoad)
      std::memcpy(memory, at, bytes);
    else if (memory)
      std::memcpy(at, memory, bytes);
    else
      std::memset(at, 0, bytes);
  }

  /// A row begins at byte `first` of the tile; so many of its bytes are in the tensor.
  void moveRow(uint64_t shared, uint64_t first, uint64_t global, uint64_t inside) const {
    uint64_t length = descriptor.dimensions[0].tile * descriptor.bytes;
    bool isPadded = isLoad && descriptor.padInterval;
    for (uint64_t at = 0; at != length && !step.failed();) {
      uint64_t end = at < inside ? inside : length;
      if (isPadded)
        end = std::min(end, at + descriptor.padInterval - (first + at) % descriptor.padInterval);
      if (at < inside || isLoad)
        moveRun(shared + sharedOffset(first + at), at < inside ? global + at : 0, end - at);
      at = end;
    }
  }

  void moveTile(uint64_t shared, uint64_t global) const {
    const auto &dimensions = descriptor.dimensions;
    uint64_t length = dimensions[0].tile * descriptor.bytes;
    uint64_t rows = 1;
    for (unsigned d = 1; d != 5; ++d)
      rows *= dimensions[d].tile;
    for (uint64_t row = 0; row != rows && !step.failed(); ++row) {
      uint64_t rest = row, place = global;
      bool isInside = true;
      for (unsigned d = 1; d != 5; rest /= dimensions[d].tile, ++d) {
        uint64_t index = rest % dimensions[d].tile;
        if (d == 1 && descriptor.hasRows)
          index = descriptor.rows[index];
        isInside &= index < dimensions[d].extent;
        place += index * dimensions[d].stride * descriptor.bytes;
      }
      uint64_t inside = std::min(dimensions[0].extent, dimensions[0].tile) * descriptor.bytes;
      moveRow(shared, row * length, place, isInside ? inside : 0);
    }
  }
};

} // namespace

/// The barrier learns that this transfer and those before it have ended.
static void arrive(Step &step, uint64_t address) {
  const SharedOrder &order = step.wave.order;
  Knowledge known = order.known;
  known.of(order.place)[Queue::Tensor] = order.issued[Queue::Tensor] + 1;
  arriveAtBarrier(step, 0, address, 1, known);
}

static void move(Step &step) {
  bool isLoad = !step.instruction.access.isStore;
  Group base(step, 0, 4), shape(step, 1, 8), outer(step, 2, 4), last(step, 3, 4);
  if (base.bits(0, 2) == 0)
    return issueTransfer(step, Counter::Tensor);
  if (const char *problem = problemOf(base, shape, outer))
    return step.fail(0, problem);
  Descriptor descriptor = readDescriptor(base, shape, outer, last);
  if (isLoad)
    requestTogether(step, descriptor.ranks,
                    llvm::hash_combine(descriptor.shared, descriptor.global, descriptor.bytes));
  for (uint64_t i = 0; i != descriptor.iterations && !step.failed(); ++i)
    Mover{step, descriptor, isLoad}.moveTile(descriptor.shared + i * descriptor.sharedIncrement,
                                             descriptor.global + i * descriptor.globalIncrement);
  if (descriptor.barrier && !step.failed())
    arrive(step, *descriptor.barrier);
  if (!isLoad)
    ++step.machine.progress;
  issueTransfer(step, Counter::Tensor);
}

Handler chooseTensor(Instruction &instruction, const Chip &) {
  llvm::StringRef name = instruction.mnemonic;
  instruction.access.isStore = name == "tensor_store_from_lds";
  return name == "tensor_load_to_lds" || instruction.access.isStore ? move : nullptr;
}

} // namespace gluonc::amdgcn
