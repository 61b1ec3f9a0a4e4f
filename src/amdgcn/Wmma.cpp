//===- Wmma.cpp - Matrix products of gfx11 and gfx12 (v_wmma) --------------------===//
//
// Lane l of 32 holds row (of A) or column (of B and D) l mod 16. On gfx11 both
// halves of the wave hold all of A and B; later the halves share K in runs. EXEC
// plays no part. Sums are computed in double precision and rounded once.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Elements.h"
#include "amdgcn/Handlers.h"
#include "amdgcn/Lanes.h"

#include "llvm/ADT/StringSwitch.h"

namespace gluonc::amdgcn {

using llvm::StringRef;

namespace {

constexpr unsigned lanesPerHalf = 16;

/// A (or B) as numbers.
struct Lines {
  unsigned k;
  std::vector<double> values;
  Lines(unsigned lines, unsigned k) : k(k), values(size_t(lines) * k) {}
  double &at(unsigned line, unsigned i) { return values[size_t(line) * k + i]; }
};

/// Where an element of D is: element `index` of a lane.
struct Place {
  unsigned lane, index;
};

} // namespace

static bool isInteger(Element element) { return element == Element::I32; }

/// How many successive K a half of the wave holds before the other half goes on.
static unsigned runAlongK(const Step &step, Element element, unsigned perLane) {
  const Chip &chip = step.machine.chip;
  if (!chip.is1250 || element == Element::F32)
    return perLane;
  if (!step.instruction.product.isScaled)
    return 8;
  return 128 / bitsOfElement(element);
}

/// neg_lo is for elements in low halves of registers, neg_hi for those in high ones.
static bool isNegated(const Modifiers &modifiers, unsigned operand, Element element, unsigned i) {
  bool isHigh = bitsOfElement(element) == 16 && i & 1;
  return (isHigh ? modifiers.negHi : modifiers.negLo) >> operand & 1;
}

static Element signedAs(Element element, bool isSigned) {
  if (isSigned)
    return element;
  return element == Element::I8 ? Element::U8 : element == Element::I4 ? Element::U4 : element;
}

/// Reads A (operand 0) or B (operand 1). False after a fault.
static bool readLines(Step &step, unsigned operand, unsigned lines, Element element, Lines &out) {
  const Product &shape = step.instruction.product;
  const Modifiers &modifiers = step.instruction.modifiers;
  const Operand &source = step.operand(1 + operand);
  bool isDoubled = step.machine.chip.generation == 11;
  unsigned perLine = isDoubled ? shape.k : shape.k / 2;
  unsigned words = std::max(1u, perLine * bitsOfElement(element) / 32);
  unsigned run = runAlongK(step, element, perLine);
  bool isInt = isInteger(static_cast<Element>(shape.d));
  if (isInt)
    element = signedAs(element, modifiers.negLo >> operand & 1);
  for (unsigned lane = 0; lane != 32; ++lane)
    for (unsigned block = 0; block != lines / lanesPerHalf; ++block) {
      uint32_t held[16];
      for (unsigned i = 0; i != words; ++i)
        held[i] = source.bank == Bank::Vector ? step.wave.row(source.reg + block * words + i)[lane]
                                              : step.scalar(source);
      unsigned half = lane / lanesPerHalf, line = lane % lanesPerHalf + lanesPerHalf * block;
      for (unsigned i = 0; i != perLine; ++i) {
        double value = valueOf(element, held, i, /*isFnuz=*/false);
        if (!isInt && isNegated(modifiers, operand, element, i))
          value = -value;
        unsigned k = isDoubled ? i : i % run + run * half + 2 * run * (i / run);
        bool differs = isDoubled && half &&
                       std::bit_cast<uint64_t>(value) != std::bit_cast<uint64_t>(out.at(line, k));
        if (differs) {
          step.fail(lane, "both halves of the wave must hold the same rows of a product");
          return false;
        }
        out.at(line, k) = value;
      }
    }
  return true;
}

static Place placeOfResult(const Step &step, unsigned row, unsigned column) {
  if (step.machine.chip.generation == 11)
    return {column + lanesPerHalf * (row % 2), row / 2};
  return {column + lanesPerHalf * (row / 8 % 2), row % 8 + row / 16 * 8};
}

/// The register of an element of C or D, and how far up it lies there.
static std::pair<unsigned, unsigned> partOf(const Step &step, unsigned index) {
  auto element = static_cast<Element>(step.instruction.product.d);
  if (bitsOfElement(element) == 32)
    return {index, 0};
  // gfx11 has a register for each half.
  if (step.machine.chip.generation == 11) {
    const Modifiers &modifiers = step.instruction.modifiers;
    return {index, modifiers.opSel > 0 && modifiers.opSel & 4 ? 16 : 0};
  }
  return {index / 2, index % 2 * 16};
}

static double readAddend(Step &step, Place place) {
  const Operand &operand = step.operand(3);
  const Modifiers &modifiers = step.instruction.modifiers;
  auto element = static_cast<Element>(step.instruction.product.d);
  auto [reg, shift] = partOf(step, place.index);
  uint32_t word = operand.bank == Bank::Vector
                      ? step.wave.row(operand.reg + reg)[place.lane] >> shift
                  : bitsOfElement(element) == 16 && operand.bank == Bank::Literal
                      ? static_cast<uint32_t>(literalBits<Half>(operand))
                      : step.scalar(operand);
  double value = valueOf(element, &word, 0, /*isFnuz=*/false);
  if (isInteger(element))
    return value;
  if (modifiers.negHi & 4)
    value = std::fabs(value);
  return modifiers.negLo & 4 ? -value : value;
}

static void writeResult(Step &step, Place place, double value) {
  auto element = static_cast<Element>(step.instruction.product.d);
  auto [reg, shift] = partOf(step, place.index);
  uint32_t &word = step.wave.row(step.operand(0).reg + reg)[place.lane];
  if (isInteger(element)) {
    auto wide = static_cast<int64_t>(value);
    if (step.instruction.modifiers.clamp)
      wide = std::clamp<int64_t>(wide, INT32_MIN, INT32_MAX);
    word = static_cast<uint32_t>(wide);
  } else if (element == Element::F32) {
    word = std::bit_cast<uint32_t>(static_cast<float>(value));
  } else {
    const auto &format = element == Element::F16 ? numeric::kF16 : numeric::kBF16;
    uint32_t bits = numeric::encode(format, value, numeric::Rounding::NearestEven);
    word = (word & ~(0xffffu << shift)) | bits << shift;
  }
}

//===----------------------------------------------------------------------===//
// Scales (gfx1250)
//===----------------------------------------------------------------------===//

static unsigned scaleKind(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Case("MATRIX_SCALE_FMT_E5M3", 1)
      .Case("MATRIX_SCALE_FMT_E4M3", 2)
      .Default(0);
}

/// Of A (operand 0) or B (1): a byte for each block along K, in a lane's register or pair of them.
/// A matrix of 16 rows has its scales in the lower lanes, or the upper ones if it is told so.
static Lines readScales(Step &step, unsigned operand, unsigned lines) {
  const Product &shape = step.instruction.product;
  const Modifiers &modifiers = step.instruction.modifiers;
  Lines scales(lines, std::max<unsigned>(shape.k / shape.scaleBlock, 1));
  if (step.operands() < 6) {
    scales.values.assign(scales.values.size(), 1);
    return scales;
  }
  std::string matrix = operand == 0 ? "matrix_a_scale" : "matrix_b_scale";
  unsigned first = modifiers.text(matrix) == "MATRIX_SCALE_ROW1" ? lanesPerHalf : 0;
  unsigned kind = scaleKind(modifiers.text(matrix + "_fmt"));
  const Operand &source = step.operand(4 + operand);
  for (unsigned line = 0; line != lines; ++line)
    for (unsigned i = 0; i != scales.k; ++i) {
      uint32_t word = source.bank == Bank::Vector
                          ? step.wave.row(source.reg + i / 4)[(line + first) % 32]
                          : static_cast<uint32_t>(step.scalarWide(source) >> i / 4 * 32);
      scales.at(line, i) = scaleValue(kind, static_cast<uint8_t>(word >> i % 4 * 8));
    }
  return scales;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void multiply(Step &step) {
  const Product &shape = step.instruction.product;
  Lines a(shape.m, shape.k), b(shape.n, shape.k);
  if (!readLines(step, 0, shape.m, static_cast<Element>(shape.a), a) ||
      !readLines(step, 1, shape.n, static_cast<Element>(shape.b), b))
    return;
  Lines scalesOfA = readScales(step, 0, shape.m), scalesOfB = readScales(step, 1, shape.n);
  for (unsigned row = 0; row != shape.m; ++row)
    for (unsigned i = 0; i != shape.k; ++i)
      a.at(row, i) *= scalesOfA.at(row, i / shape.scaleBlock);
  for (unsigned column = 0; column != shape.n; ++column)
    for (unsigned i = 0; i != shape.k; ++i)
      b.at(column, i) *= scalesOfB.at(column, i / shape.scaleBlock);
  std::vector<std::pair<Place, double>> results;
  results.reserve(size_t(shape.m) * shape.n);
  for (unsigned row = 0; row != shape.m; ++row)
    for (unsigned column = 0; column != shape.n; ++column) {
      Place place = placeOfResult(step, row, column);
      double sum = readAddend(step, place);
      for (unsigned i = 0; i != shape.k; ++i)
        sum += a.at(row, i) * b.at(column, i);
      results.push_back({place, sum});
    }
  for (const auto &[place, value] : results)
    writeResult(step, place, value);
}

/// Formats of six bits are left out: how they lie along K is not known.
static Element elementOfFormat(StringRef name) {
  return llvm::StringSwitch<Element>(name)
      .Cases({"", "MATRIX_FMT_FP8"}, Element::FP8)
      .Case("MATRIX_FMT_BF8", Element::BF8)
      .Case("MATRIX_FMT_FP4", Element::FP4)
      .Default(Element::None);
}

/// "f32_16x16x128_fp8_bf8" behind "v_wmma_".
static bool readProduct(StringRef name, const Modifiers &modifiers, Product &shape) {
  auto [result, rest] = name.split('_');
  auto [size, types] = rest.split('_');
  llvm::SmallVector<StringRef, 3> sizes;
  size.split(sizes, 'x');
  if (sizes.size() != 3 || sizes[0].getAsInteger(10, shape.m) ||
      sizes[1].getAsInteger(10, shape.n) || sizes[2].getAsInteger(10, shape.k))
    return false;
  auto [left, right] = types.split('_');
  Element a = elementNamed(left), b = right.empty() ? a : elementNamed(right);
  if (types == "f8f6f4") {
    a = elementOfFormat(modifiers.text("matrix_a_fmt"));
    b = elementOfFormat(modifiers.text("matrix_b_fmt"));
    shape.isScaled = true;
  } else if (types == "f4") {
    shape.isScaled = true;
  }
  Element d = elementNamed(result);
  shape.a = static_cast<uint8_t>(a);
  shape.b = static_cast<uint8_t>(b);
  shape.d = static_cast<uint8_t>(d);
  bool hasResult =
      d == Element::F32 || d == Element::F16 || d == Element::BF16 || d == Element::I32;
  return hasResult && a != Element::None && b != Element::None &&
         (shape.m == 16 || shape.m == 32) && shape.n == 16 && shape.k >= 4 && shape.k <= 128;
}

Handler chooseWmma(Instruction &instruction, const Chip &chip) {
  StringRef name = instruction.mnemonic;
  if (chip.generation < 11 || !name.consume_front("v_wmma_"))
    return nullptr;
  Product &shape = instruction.product;
  if (name.consume_front("scale16_"))
    shape.scaleBlock = 16;
  else
    name.consume_front("scale_");
  return instruction.operands.size() >= 4 && readProduct(name, instruction.modifiers, shape)
             ? multiply
             : nullptr;
}

} // namespace gluonc::amdgcn
