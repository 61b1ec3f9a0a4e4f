//===- ScaledMatrices.cpp - mma.sync of small types, and its ldmatrix ---------------===//
//
// PTX ISA 9.7.14.5 (`.kind::f8f6f4`, `mxf8f6f4`, `mxf4`, `mxf4nvf4`) and 9.7.14.5.15 (ldmatrix
// of bytes). Numbers of four and six bits have a byte each, those of four in the bits from 2 on;
// the mxf4 kinds have two in a byte. Of a scale's four lanes a selector names those that have it.
//
//===----------------------------------------------------------------------===//
#include "ptx/Handlers.h"
#include "ptx/InstructionDescriptor.h"
#include "ptx/Memory.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstring>

namespace gluonc::ptx {
namespace {

using llvm::StringRef;

// -- Products ----------------------------------------------------------------------

/// A type that has a byte of its own whatever its bits.
ElementType inByte(StringRef name) {
  using D = double (*)(uint64_t);
  static constexpr D e2m3 = [](uint64_t b) { return elementNamed("e2m3").decode(b & 0x3f); };
  static constexpr D e3m2 = [](uint64_t b) { return elementNamed("e3m2").decode(b & 0x3f); };
  static constexpr D e2m1 = [](uint64_t b) { return elementNamed("e2m1").decode(b >> 2 & 0xf); };
  return llvm::StringSwitch<ElementType>(name)
      .Case("e2m3", {8, e2m3})
      .Case("e3m2", {8, e3m2})
      .Case("e2m1", {8, e2m1})
      .Cases({"e4m3", "e5m2"}, elementNamed(name))
      .Default({});
}

struct Form {
  ProductKind kind = ProductKind::None;
  unsigned k = 0;
  ElementType a, b;
  StringRef sum;
  /// Elements that share a scale; 0 without.
  unsigned perScale = 0;
  bool isExponent = true;
};

/// None for what is not an instruction. The types are behind `.row.col`.
std::optional<Form> formOf(const Instruction &instruction) {
  Form form;
  llvm::SmallVector<StringRef, 5> types;
  bool behindShape = false;
  for (StringRef modifier : instruction.modifiers) {
    StringRef name = modifier;
    if (name.consume_front("kind::"))
      form.kind = productKindNamed(name);
    else if (name.consume_front("m16n8k"))
      name.getAsInteger(10, form.k);
    else if (name == "col")
      behindShape = true;
    else if (behindShape && name != "block_scale" && !name.starts_with("scale_vec"))
      types.push_back(name);
  }
  bool packed = form.kind == ProductKind::Mxf4 || form.kind == ProductKind::Mxf4nvf4;
  bool scaled = packed || form.kind == ProductKind::Mxf8f6f4;
  if ((!scaled && form.kind != ProductKind::F8f6f4) || form.k != (packed ? 64 : 32) ||
      types.size() != (scaled ? 5u : 4u) || types[0] != types[3])
    return std::nullopt;
  form.a = packed ? elementNamed(types[1]) : inByte(types[1]);
  form.b = packed ? elementNamed(types[2]) : inByte(types[2]);
  form.sum = types[0];
  if (!form.a.bits || !form.b.bits || (packed && (form.a.bits != 4 || form.b.bits != 4)))
    return std::nullopt;
  if (form.sum != "f32" && (scaled || form.sum != "f16"))
    return std::nullopt;
  if (!scaled)
    return instruction.operands.size() == 4 ? std::optional(form) : std::nullopt;
  form.isExponent = types[4] == "ue8m0";
  form.perScale = instruction.has("scale_vec::4X") ? 16 : 32;
  bool fine = instruction.has("block_scale") && instruction.operands.size() == 8 &&
              (form.isExponent || (types[4] == "ue4m3" && form.perScale == 16)) &&
              (form.perScale == 32 || form.kind == ProductKind::Mxf4nvf4);
  return fine ? std::optional(form) : std::nullopt;
}

double scaleValue(uint64_t bits, bool isExponent) {
  if (!isExponent)
    return numeric::decode(numeric::kF8E4M3FN, bits & 0x7f);
  return bits == 0xff ? NAN : std::ldexp(1.0, int(bits) - 127);
}

/// Multiplies rows of A or columns of B: operand `at` is the scales, the next one selects byte and
/// lanes. Row g's scales are in lane 4 g, row g + 8's in the one behind it; with B there is one
/// lane.
void scale(Step &step, const Form &form, unsigned at, unsigned groups, double (*numbers)[maxK]) {
  const Operand &selector = step.operand(at + 1);
  uint64_t byte = step.read(selector.elements[0], 0), lanes = step.read(selector.elements[1], 0);
  for (unsigned row = 0; row != 8 * groups; ++row) {
    unsigned first = static_cast<unsigned>(groups == 2 ? lanes * 2 : lanes);
    unsigned lane = row % 8 * 4 + (first + row / 8) % 4;
    uint64_t word = step.read(at, lane);
    for (unsigned i = 0; i != form.k; ++i)
      numbers[row][i] *=
          scaleValue(word >> (8 * (byte + i / form.perScale)) & 0xff, form.isExponent);
  }
}

void multiply(Step &step) {
  Form form = *formOf(step.instruction);
  double a[16][maxK] = {}, b[8][maxK] = {};
  gather(step, step.operand(1), form.a, form.k, 2, a);
  gather(step, step.operand(2), form.b, form.k, 1, b);
  if (form.perScale) {
    scale(step, form, 4, 2, a);
    scale(step, form, 6, 1, b);
  }
  llvm::ArrayRef<Operand> sums = partsOf(step.operand(3)), results = partsOf(step.operand(0));
  unsigned each = form.sum == "f16" ? 2 : 1;
  for (unsigned lane = 0; lane != warpLanes; ++lane)
    for (unsigned r = 0; r != results.size(); ++r) {
      uint64_t from = step.read(sums[r], lane), bits = 0;
      for (unsigned i = 0; i != each; ++i) {
        unsigned element = r * each + i, row = lane / 4 + 8 * (element / 2),
                 column = lane % 4 * 2 + element % 2;
        double sum = valueOf(form.sum, from >> (16 * i));
        for (unsigned k = 0; k != form.k; ++k)
          sum += a[row][k] * b[column][k];
        bits |= rounded(form.sum, sum, /*saturates=*/false) << (16 * i);
      }
      step.write(results[r], lane, bits);
    }
}

// -- ldmatrix ----------------------------------------------------------------------

/// 16 bytes at the address that a lane gives; null after a fault.
const uint8_t *rowOf(Step &step, unsigned lane) {
  return locate(step, Space::Shared, step.address(step.operand(1), lane), 16, lane);
}

/// m16n16.trans.b8: register r of a matrix has column g + 8 r, rows 4 t to 4 t + 3.
void loadTransposed(Step &step) {
  llvm::ArrayRef<Operand> registers = partsOf(step.operand(0));
  for (unsigned matrix = 0; matrix != registers.size() / 2; ++matrix) {
    const uint8_t *rows[16];
    for (unsigned row = 0; row != 16; ++row)
      if (rows[row] = rowOf(step, 16 * matrix + row); !rows[row])
        return;
    for (unsigned lane = 0; lane != warpLanes; ++lane)
      for (unsigned r = 0; r != 2; ++r) {
        uint64_t value = 0;
        for (unsigned i = 0; i != 4; ++i)
          value |= uint64_t(rows[lane % 4 * 4 + i][lane / 4 + 8 * r]) << (8 * i);
        step.write(registers[2 * matrix + r], lane, value);
      }
  }
}

/// m8n16.b8x16: rows of 16 numbers of four or six bits, to a byte each.
void loadSpread(Step &step) {
  llvm::ArrayRef<Operand> registers = partsOf(step.operand(0));
  unsigned bits = step.instruction.has("b6x16_p32") ? 6 : 4;
  for (unsigned matrix = 0; matrix != registers.size(); ++matrix)
    for (unsigned lane = 0; lane != warpLanes; ++lane) {
      const uint8_t *row = rowOf(step, 8 * matrix + lane / 4);
      if (!row)
        return;
      // Four numbers are in 16 or 24 bits that begin at a byte.
      uint32_t packed = 0;
      std::memcpy(&packed, row + lane % 4 * bits / 2, 4);
      uint64_t value = 0;
      for (unsigned i = 0; i != 4; ++i) {
        uint64_t number = packed >> (bits * i) & ((1u << bits) - 1);
        value |= (bits == 4 ? number << 2 : number) << (8 * i);
      }
      step.write(registers[matrix], lane, value);
    }
}

} // namespace

Handler chooseScaledMatrices(const Instruction &instruction) {
  return formOf(instruction) ? multiply : nullptr;
}

Handler chooseByteMatrices(const Instruction &instruction) {
  if (instruction.operands.size() != 2)
    return nullptr;
  size_t count = partsOf(instruction.operands[0]).size();
  if (instruction.has("m16n16") && instruction.has("trans") && instruction.has("b8"))
    return count == (instruction.has("x2") ? 4 : 2) ? loadTransposed : nullptr;
  bool spreads = instruction.has("m8n16") && instruction.has("b8x16") &&
                 (instruction.has("b6x16_p32") || instruction.has("b4x16_p64"));
  return spreads ? loadSpread : nullptr;
}

} // namespace gluonc::ptx
