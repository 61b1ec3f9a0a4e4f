//===- Products.cpp - Matrix products of gfx9 (v_mfma) ------------------------------===//
//
// A wave multiplies one or several blocks. Lane l of the 64 holds row (of A) or
// column (of B) l mod m, of block and part of K as the upper bits of l say; its
// registers hold successive K. EXEC plays no part.
//
// Sums are computed in double precision and rounded once: the order in which the
// machine adds is not documented.
//
//===----------------------------------------------------------------------===//
#include "amdgcn/Elements.h"
#include "amdgcn/Handlers.h"
#include "amdgcn/Lanes.h"

namespace gluonc::amdgcn {

using llvm::StringRef;

namespace {

/// How the lanes of a wave share the elements of A (or B).
struct Fragment {
  unsigned rows, k, blocks, perLane;
};

/// The elements of A or B, as numbers: block, row, k.
class Matrix {
public:
  Matrix(Fragment shape) : shape(shape), values(size_t(shape.blocks) * shape.rows * shape.k) {}
  double &at(unsigned block, unsigned row, unsigned k) {
    return values[(size_t(block) * shape.rows + row) * shape.k + k];
  }
  Fragment shape;

private:
  std::vector<double> values;
};

} // namespace

/// A lane's registers of an operand, one after another.
static void gather(Step &step, const Operand &operand, unsigned lane, unsigned words,
                   uint32_t *out) {
  for (unsigned i = 0; i != words; ++i)
    out[i] =
        operand.bank == Bank::Vector ? step.wave.row(operand.reg + i)[lane] : step.scalar(operand);
}

/// Before a product reads B: blgp exchanges lanes, or negates doubles.
static unsigned sourceLaneOfB(unsigned lane, unsigned pattern) {
  switch (pattern) {
  case 1:
    return lane & 31;
  case 2:
    return (lane & 31) + 32;
  case 3:
    return (lane & ~15u) == 48 ? lane - 48 : lane + 16;
  case 4:
  case 5:
  case 6:
  case 7:
    return (lane & 15) + 16 * (pattern - 4);
  }
  return lane;
}

static unsigned sourceBlockOfA(unsigned block, unsigned blocks, unsigned cbsz, unsigned abid) {
  unsigned group = std::min(1u << cbsz, blocks);
  return cbsz == 0 ? block : (block & ~(group - 1)) + (abid & (group - 1));
}

/// The K of element i of a lane. Of 32 bytes that a lane has, the first half lies in the first half
/// of K, and so does that of all others.
static unsigned placeAlongK(const Product &product, Element element, const Fragment &shape,
                            unsigned part, unsigned i) {
  bool isSplit = product.isScaled && bitsOfElement(element) == 8;
  return isSplit ? i / 16 * (shape.k / 2) + part * 16 + i % 16 : part * shape.perLane + i;
}

static void readMatrix(Step &step, const Operand &operand, Element element, Matrix &matrix,
                       bool isB) {
  const Modifiers &modifiers = step.instruction.modifiers;
  const Fragment &shape = matrix.shape;
  unsigned words = std::max(1u, shape.perLane * bitsOfElement(element) / 32);
  auto pattern = isB && element != Element::F64 && !step.instruction.product.isScaled
                     ? static_cast<unsigned>(modifiers.number("blgp"))
                     : 0u;
  for (unsigned lane = 0; lane != 64; ++lane) {
    uint32_t held[8];
    gather(step, operand, sourceLaneOfB(lane, pattern), std::min(words, 8u), held);
    unsigned row = lane % shape.rows, group = lane / shape.rows;
    // Either the blocks or the parts of K are spread over the groups of lanes.
    unsigned parts = shape.k / shape.perLane;
    unsigned block = group / parts % shape.blocks, part = group % parts;
    if (element == Element::F64 && shape.blocks > 1)
      block = group % shape.blocks, part = group / shape.blocks;
    for (unsigned i = 0; i != shape.perLane; ++i)
      matrix.at(block, row, placeAlongK(step.instruction.product, element, shape, part, i)) =
          valueOf(element, held, i, step.machine.chip.is942);
  }
}

/// Where element (row, column) of a block of D is.
struct Place {
  unsigned lane, reg;
};

static Place placeOfResult(const Product &shape, unsigned block, unsigned row, unsigned column) {
  if (static_cast<Element>(shape.d) == Element::F64) {
    if (shape.m == 4)
      return {column + 4 * block + 16 * row, 0};
    return {column + 16 * (row % 4), row / 4};
  }
  unsigned groups = 64 / shape.n;
  if (shape.m == 4)
    return {column + 4 * block, row};
  // Rows go by four through the groups of lanes, then through registers; blocks follow.
  unsigned perBlock = shape.m * shape.n / 64;
  return {column + shape.n * (row / 4 % groups),
          row % 4 + 4 * (row / (4 * groups)) + perBlock * block};
}

static bool isIntegral(const Product &shape) {
  return static_cast<Element>(shape.d) == Element::I32;
}

static double readAddend(Step &step, Place place) {
  const Operand &operand = step.operand(3);
  const Product &shape = step.instruction.product;
  if (operand.bank != Bank::Vector) {
    if (isIntegral(shape))
      return static_cast<int32_t>(step.scalar(operand));
    return static_cast<Element>(shape.d) == Element::F64
               ? std::bit_cast<double>(literalBits<double>(operand))
               : std::bit_cast<float>(step.scalar(operand));
  }
  if (static_cast<Element>(shape.d) == Element::F64) {
    uint64_t low = step.wave.row(operand.reg + 2 * place.reg)[place.lane];
    uint64_t high = step.wave.row(operand.reg + 2 * place.reg + 1)[place.lane];
    return std::bit_cast<double>(low | high << 32);
  }
  uint32_t bits = step.wave.row(operand.reg + place.reg)[place.lane];
  return isIntegral(shape) ? static_cast<int32_t>(bits) : std::bit_cast<float>(bits);
}

static void writeResult(Step &step, Place place, double value) {
  const Operand &operand = step.operand(0);
  const Product &shape = step.instruction.product;
  if (static_cast<Element>(shape.d) == Element::F64) {
    auto bits = std::bit_cast<uint64_t>(value);
    step.wave.row(operand.reg + 2 * place.reg)[place.lane] = static_cast<uint32_t>(bits);
    step.wave.row(operand.reg + 2 * place.reg + 1)[place.lane] = static_cast<uint32_t>(bits >> 32);
    return;
  }
  uint32_t bits;
  if (isIntegral(shape)) {
    auto wide = static_cast<int64_t>(value);
    if (step.instruction.modifiers.clamp)
      wide = std::clamp<int64_t>(wide, INT32_MIN, INT32_MAX);
    bits = static_cast<uint32_t>(wide);
  } else {
    bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  step.wave.row(operand.reg + place.reg)[place.lane] = bits;
}

/// The scale of a row's run of 32 along K: a byte of the register of the lane that holds it.
static double scaleOf(Step &step, unsigned operand, unsigned rows, unsigned row, unsigned run) {
  if (!step.instruction.product.isScaled || operand >= step.operands())
    return 1;
  const Operand &source = step.operand(operand);
  const Modifiers &modifiers = step.instruction.modifiers;
  unsigned place = operand - 4;
  unsigned byte = (modifiers.opSel > 0 && (modifiers.opSel >> place & 1) ? 1u : 0u) |
                  (modifiers.opSelHi > 0 && (modifiers.opSelHi >> place & 1) ? 2u : 0u);
  uint32_t word = source.bank == Bank::Vector ? step.wave.row(source.reg)[row + rows * run]
                                              : step.scalar(source);
  return scaleValue(0, static_cast<uint8_t>(word >> 8 * byte));
}

static void multiply(Step &step) {
  const Product &shape = step.instruction.product;
  const Modifiers &modifiers = step.instruction.modifiers;
  unsigned perLane = shape.m * shape.k * shape.blocks / 64;
  Matrix a({shape.m, shape.k, shape.blocks, perLane}), b({shape.n, shape.k, shape.blocks, perLane});
  readMatrix(step, step.operand(1), static_cast<Element>(shape.a), a, false);
  readMatrix(step, step.operand(2), static_cast<Element>(shape.b), b, true);
  auto cbsz = shape.isScaled ? 0u : static_cast<unsigned>(modifiers.number("cbsz"));
  auto abid = static_cast<unsigned>(modifiers.number("abid"));
  bool isDouble = static_cast<Element>(shape.d) == Element::F64;
  auto signs = isDouble ? modifiers.negLo : 0u;
  std::vector<std::pair<Place, double>> results;
  results.reserve(size_t(shape.m) * shape.n * shape.blocks);
  for (unsigned block = 0; block != shape.blocks; ++block) {
    unsigned blockOfA = sourceBlockOfA(block, shape.blocks, cbsz, abid);
    for (unsigned row = 0; row != shape.m; ++row)
      for (unsigned column = 0; column != shape.n; ++column) {
        Place place = placeOfResult(shape, block, row, column);
        double sum = readAddend(step, place);
        if (signs & 4)
          sum = -sum;
        for (unsigned k = 0; k != shape.k; ++k) {
          double left = a.at(blockOfA, row, k), right = b.at(block, column, k);
          if (isDouble) {
            sum = std::fma(signs & 1 ? -left : left, signs & 2 ? -right : right, sum);
            continue;
          }
          double factor = 1;
          if (shape.isScaled)
            factor =
                scaleOf(step, 4, shape.m, row, k / 32) * scaleOf(step, 5, shape.n, column, k / 32);
          sum += left * right * factor;
        }
        results.push_back({place, sum});
      }
  }
  for (const auto &[place, value] : results)
    writeResult(step, place, value);
}

//===----------------------------------------------------------------------===//
// Mnemonics
//===----------------------------------------------------------------------===//

static Element scaledElement(int64_t code) {
  static constexpr Element kinds[] = {Element::FP8, Element::BF8, Element::FP6, Element::BF6,
                                      Element::FP4};
  return code >= 0 && code < 5 ? kinds[code] : Element::None;
}

/// "32x32x8", "32x32x4_2b"; blocks that are not written follow from the shape.
static bool readShape(StringRef &text, Product &shape) {
  auto [m, rest] = text.split('x');
  auto [n, more] = rest.split('x');
  size_t end = more.find_first_not_of("0123456789");
  StringRef k = more.substr(0, end);
  if (m.getAsInteger(10, shape.m) || n.getAsInteger(10, shape.n) || k.getAsInteger(10, shape.k))
    return false;
  text = end == StringRef::npos ? "" : more.substr(end);
  shape.blocks = 1;
  StringRef blocks = text;
  if (blocks.consume_front("_") && !blocks.consumeInteger(10, shape.blocks) &&
      blocks.consume_front("b"))
    text = blocks;
  else
    shape.blocks = 0;
  text.consume_front("_");
  return true;
}

/// Several small blocks where one would leave lanes without elements.
static uint16_t usualBlocks(const Product &shape, Element element) {
  unsigned key = shape.m * 100 + shape.k;
  switch (element) {
  case Element::F32:
    return key == 3201 ? 2 : key == 1601 ? 4 : shape.m == 4 ? 16 : 1;
  case Element::F16:
  case Element::BF16:
    return key == 3204 ? 2 : key == 1604 ? 4 : shape.m == 4 ? 16 : 1;
  case Element::I8:
    return key == 3204 ? 2 : key == 1604 ? 4 : shape.m == 4 ? 16 : 1;
  case Element::F64:
    return shape.m == 4 ? 4 : 1;
  default:
    return 1;
  }
}

Handler chooseProduct(Instruction &instruction, const Chip &chip) {
  StringRef name = instruction.mnemonic;
  Product &shape = instruction.product;
  if (chip.generation != 9 || !name.consume_front("v_mfma_"))
    return nullptr;
  shape.isScaled = name.consume_front("scale_");
  auto [result, rest] = name.split('_');
  shape.d = static_cast<uint8_t>(elementNamed(result));
  if (!readShape(rest, shape) || !shape.d)
    return nullptr;
  Element a, b;
  if (rest == "f8f6f4") {
    a = scaledElement(instruction.modifiers.number("cbsz"));
    b = scaledElement(instruction.modifiers.number("blgp"));
  } else if (auto [left, right] = rest.split('_'); right == "fp8" || right == "bf8") {
    a = elementNamed(left);
    b = elementNamed(right);
  } else {
    // Only the 1k forms of bf16 have the shapes of f16.
    a = b = elementNamed(rest);
  }
  if (a == Element::None || b == Element::None)
    return nullptr;
  if (rest == "f8f6f4" && !shape.isScaled)
    shape.isScaled = true;
  if (!shape.blocks)
    shape.blocks = usualBlocks(shape, a);
  shape.a = static_cast<uint8_t>(a);
  shape.b = static_cast<uint8_t>(b);
  unsigned elements = unsigned(shape.m) * shape.k * shape.blocks;
  return elements >= 64 && elements <= 64 * 32 && instruction.operands.size() >= 4 ? multiply
                                                                                   : nullptr;
}

} // namespace gluonc::amdgcn
