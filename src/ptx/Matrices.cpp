//===- Matrices.cpp - ldmatrix, stmatrix, mma.sync ------------------------------===//
//
// PTX ISA 9.7.14.
//
//===----------------------------------------------------------------------===//
#include "ptx/Handlers.h"
#include "ptx/MatrixElements.h"
#include "ptx/Memory.h"

#include <algorithm>
#include <cstring>

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

unsigned matrixCount(const Instruction &instruction) {
  return instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
}

/// The 16 bytes of each row, whose addresses the lanes give; null after a fault.
uint8_t *rowOf(Step &step, const Operand &address, unsigned lane) {
  return locate(step, Space::Shared, step.address(address, lane), 16, lane);
}

/// Byte offsets of the two 16-bit elements that a lane holds of a matrix: row and byte in it.
struct Place {
  unsigned row[2], byte[2];
};
Place placeOf(unsigned lane, bool transposed) {
  unsigned g = lane / 4, t = lane % 4;
  if (transposed)
    return {{2 * t, 2 * t + 1}, {2 * g, 2 * g}};
  return {{g, g}, {4 * t, 4 * t + 2}};
}

template <bool loads> void moveMatrices(Step &step) {
  const Instruction &instruction = step.instruction;
  const Operand &address = step.operand(loads ? 1 : 0);
  llvm::ArrayRef<Operand> registers = partsOf(step.operand(loads ? 0 : 1));
  bool transposed = instruction.has("trans");
  for (unsigned matrix = 0; matrix != matrixCount(instruction); ++matrix) {
    uint8_t *rows[8];
    for (unsigned row = 0; row != 8; ++row)
      if (rows[row] = rowOf(step, address, 8 * matrix + row); !rows[row])
        return;
    for (unsigned lane = 0; lane != warpLanes; ++lane) {
      Place place = placeOf(lane, transposed);
      uint64_t value = loads ? 0 : step.read(registers[matrix], lane);
      for (unsigned half = 0; half != 2; ++half) {
        uint8_t *element = rows[place.row[half]] + place.byte[half];
        auto bits = static_cast<uint16_t>(value >> (16 * half));
        if (loads) {
          std::memcpy(&bits, element, 2);
          value |= uint64_t(bits) << (16 * half);
        } else {
          std::memcpy(element, &bits, 2);
        }
      }
      if (loads)
        step.write(registers[matrix], lane, value);
    }
  }
}

/// The result's type, those of A and B, and of the sum: the last four modifiers.
struct MmaShape {
  unsigned m = 0, n = 8, k = 0;
  StringRef sum;
  ElementType a, b;
};

std::optional<MmaShape> shapeOf(const Instruction &instruction) {
  if (instruction.modifiers.size() < 7)
    return std::nullopt;
  MmaShape shape;
  StringRef text = instruction.modifiers[2]; // sync.aligned.m16n8k16
  if (!text.consume_front("m") || text.consumeInteger(10, shape.m) || !text.consume_front("n8k") ||
      text.getAsInteger(10, shape.k))
    return std::nullopt;
  auto types = llvm::ArrayRef(instruction.modifiers).take_back(4);
  shape.a = elementNamed(types[1]);
  shape.b = elementNamed(types[2]);
  shape.sum = types[3];
  bool known = types[0] == types[3] && shape.a.bits && shape.a.bits == shape.b.bits;
  return known && instruction.operands.size() == 4 ? std::optional(shape) : std::nullopt;
}

void multiplyMatrices(Step &step) {
  MmaShape shape = *shapeOf(step.instruction);
  double a[16][maxK] = {}, b[8][maxK] = {};
  unsigned rowGroups = shape.m / 8;
  gather(step, step.operand(1), shape.a, shape.k, rowGroups, a);
  gather(step, step.operand(2), shape.b, shape.k, 1, b);
  llvm::ArrayRef<Operand> sums = partsOf(step.operand(3)), results = partsOf(step.operand(0));
  unsigned each = shape.sum == "f16" ? 2 : 1;
  bool saturates = step.instruction.has("satfinite");
  for (unsigned lane = 0; lane != warpLanes; ++lane)
    for (unsigned r = 0; r != results.size(); ++r) {
      uint64_t from = step.read(sums[r], lane), bits = 0;
      for (unsigned i = 0; i != each; ++i) {
        unsigned element = r * each + i, row = lane / 4 + 8 * (element / 2),
                 column = lane % 4 * 2 + element % 2;
        double sum = valueOf(shape.sum, from >> (16 * i));
        if (shape.sum == "f64")
          for (unsigned k = 0; k != shape.k; ++k)
            sum = std::fma(a[row][k], b[column][k], sum);
        else
          for (unsigned k = 0; k != shape.k; ++k)
            sum += a[row][k] * b[column][k];
        bits |= rounded(shape.sum, sum, saturates) << (16 * i);
      }
      step.write(results[r], lane, bits);
    }
}

Handler chooseMatrices(const Instruction &instruction, Handler handler) {
  return instruction.has("m8n8") && instruction.has("b16") ? handler : nullptr;
}

} // namespace

void addMatrices(HandlerTable &table) {
  using I = const Instruction &;
  table["ldmatrix"] = [](I i) {
    return i.has("b16") ? chooseMatrices(i, moveMatrices<true>) : chooseByteMatrices(i);
  };
  table["stmatrix"] = [](I i) { return chooseMatrices(i, moveMatrices<false>); };
  table["mma"] = [](I i) -> Handler {
    bool hasKind = llvm::any_of(i.modifiers, [](StringRef m) { return m.starts_with("kind::"); });
    if (hasKind)
      return chooseScaledMatrices(i);
    return i.has("sync") && shapeOf(i) ? multiplyMatrices : nullptr;
  };
}

} // namespace gluonc::ptx
