//===- TensorMap.h - Boxes of tensors in global memory ------------------------------===//
//
// The format of a tensor map is the vendor's secret; 128 bytes in a form of our own keep what
// tensormap.replace (PTX ISA 9.7.9.28) names field by field, or what a host says. A copy moves
// lines: those of a box, four that it names (gather4, scatter4), or those of pixels (im2col).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "ptx/Memory.h"

namespace gluonc::ptx {

inline constexpr unsigned maxTensorRank = 5;

struct TensorMap {
  uint64_t address;
  /// Bytes from one index of dim i + 1 to the next.
  uint64_t strides[maxTensorRank];
  /// With im2col the box is channels and pixels.
  uint32_t dims[maxTensorRank], box[maxTensorRank], elementStrides[maxTensorRank];
  /// Rank - 1; the numbers that tensormap.replace gives types, swizzles and fills.
  uint8_t rank, elementType, interleave, swizzle, fill;
  /// Of im2col: where pixels begin, and how far from the last one they end, innermost first.
  uint8_t isIm2col;
  int16_t lower[3], upper[3];
};
static_assert(sizeof(TensorMap) <= 128);

/// What a copy counts by: one element, or 16 of less than 8 bits.
struct TensorUnit {
  unsigned elements = 1, globalBytes = 0, sharedBytes = 0;
  /// None for those of less than 8 bits.
  Type type;
};

class Box {
public:
  /// A fault if the address names no map or not as many coordinates as the instruction's form has.
  Box(Step &step, const Operand &address, unsigned lane) : isFine(read(step, address, lane)) {}
  explicit operator bool() const { return isFine; }

  /// What a barrier counts: without what only fills shared memory up.
  unsigned bytes() const {
    return static_cast<unsigned>(lines.size()) * unitsOfLine() * unit.globalBytes;
  }
  /// Tells the launch's observer which lines are copied.
  void tell(Step &step) const;
  const TensorUnit &units() const { return unit; }
  bool fillsWithNan() const { return map.fill && unit.type.isFloat(); }
  /// Of tf32, with and without subnormals.
  bool roundsToTf32() const { return map.elementType == 11 || map.elementType == 12; }
  /// Offsets of im2col: {w, h, d}, as many as there are.
  void addPixelOffsets(Step &step, const Operand &offsets, unsigned lane);

  /// Calls back with units one after another: their global place, null outside of the tensor, that
  /// in shared memory, and how many. A fault beyond what is the kernel's.
  template <typename Function>
  void each(Step &step, uint64_t shared, unsigned lane, Function function) const {
    unsigned count = unitsOfLine(), together = std::max(16 / unit.sharedBytes, 1u);
    uint64_t place = shared;
    for (const Line &line : lines)
      for (unsigned at = 0; at < count; at += together) {
        unsigned number = std::min(together, count - at);
        if (reach(line, at, number) != number)
          number = 1;
        for (unsigned i = 0, rest = std::min(together, count - at); i < rest; i += number) {
          if (!copyUnits(step, lane, line, at + i, number, place, function))
            return;
          place += number * unit.sharedBytes;
        }
      }
  }

private:
  /// Coordinates of all dims; of dim 0 the first one.
  using Line = std::array<int64_t, maxTensorRank>;

  bool read(Step &step, const Operand &address, unsigned lane);
  unsigned unitsOfLine() const { return map.box[0] / unit.elements; }
  void addLines();
  void addPixels();
  /// How many of some units of a line are inside of the tensor: all, none or some.
  unsigned reach(const Line &line, unsigned first, unsigned count) const;
  uint64_t globalPlace(const Line &line, unsigned at) const;
  uint64_t swizzled(uint64_t place) const {
    uint32_t mask = map.swizzle ? (2u << (map.swizzle - 1)) - 1 : 0;
    return place ^ (place >> 7 & mask) << 4;
  }

  template <typename Function>
  bool copyUnits(Step &step, unsigned lane, const Line &line, unsigned at, unsigned count,
                 uint64_t place, Function function) const {
    bool inside = reach(line, at, count) == count;
    uint8_t *own = step.machine.shared(swizzled(place), count * unit.sharedBytes);
    uint64_t address = globalPlace(line, at);
    unsigned bytes = count * unit.globalBytes;
    uint8_t *global = inside ? step.machine.global(address, bytes) : nullptr;
    if (!own || (inside && !global)) {
      const char *what = "a box beyond the kernel's memory";
      own ? step.failGlobal(lane, what, address, bytes) : step.fail(lane, what, FaultKind::Address);
      return false;
    }
    function(global, own, count);
    return true;
  }

  TensorMap map = {};
  TensorUnit unit;
  Line corner = {};
  std::vector<Line> lines;
  bool isFine;
};

} // namespace gluonc::ptx
