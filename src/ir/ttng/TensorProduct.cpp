//===- TensorProduct.cpp - Which products of, and copies to, tensor memory exist --===//
//
// A cluster divides a product like any tile: CTAs whose sums have different rows need
// different rows of a, those with different columns different columns of b. With two CTAs
// the first bit of a CTA's number divides the rows of sums and of a, and the columns of b.
//
//===----------------------------------------------------------------------===//
#include "ir/Encoding.h"
#include "ir/Views.h"
#include "ir/ttng/AsyncUnitRules.h"
#include "ir/ttng/TensorMemoryRules.h"
#include "layout/named/Blocks.h"

using namespace mlir;
namespace tmem = gluonc::target::nvidia::tmem;
namespace tcgen05 = gluonc::target::nvidia::tcgen05;

namespace gluonc::ttng {

using target::nvidia::MatrixElement;

namespace {

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

const layout::TensorMemoryLayout *tensorLayout(ttg::MemDescType type) {
  auto encoding = dyn_cast_or_null<TensorMemoryEncodingAttr>(type.getEncoding());
  return encoding ? &encoding.getValue() : nullptr;
}

/// What a bit of a CTA's number adds to the coordinates of a buffer's elements.
using Split = std::pair<uint32_t, uint32_t>;

Split splitOf(ttg::MemDescType type, unsigned bit) {
  const layout::LinearLayout *memory = linearOrNull(type);
  if (!memory || !memory->hasIn(layout::Dim::Block) || bit >= memory->inLog2(layout::Dim::Block))
    return {0, 0};
  return {memory->basis(layout::Dim::Block, bit, layout::Dim::axis(0)),
          memory->basis(layout::Dim::Block, bit, layout::Dim::axis(1))};
}

unsigned blockBits(ttg::MemDescType type) {
  const layout::LinearLayout *memory = linearOrNull(type);
  return memory && memory->hasIn(layout::Dim::Block) ? memory->inLog2(layout::Dim::Block) : 0;
}

/// The shape of a CTA's share.
std::pair<int64_t, int64_t> shareShape(ttg::MemDescType type) {
  std::pair<int64_t, int64_t> shape = {type.getShape()[0], type.getShape()[1]};
  for (unsigned bit = 0; bit < blockBits(type); ++bit) {
    auto [row, column] = splitOf(type, bit);
    shape.first /= row ? 2 : 1;
    shape.second /= column ? 2 : 1;
  }
  return shape;
}

/// Checks a product, and finds its instruction.
class Rules {
public:
  Rules(ttg::MemDescType a, ttg::MemDescType b, ttg::MemDescType d, std::string &why,
        bool sanitized)
      : a(a), b(b), d(d), sum(tensorLayout(d)), left(tensorLayout(a)), why(why),
        sanitized(sanitized) {}

  bool checkPlaces();
  bool findKind();
  bool findScaledKind(const ScaledOperands &operands);
  bool checkScales(const ScaledOperands &operands);
  bool checkTiles();
  bool checkClusters();
  bool checkOperands();

  TensorProduct product;

private:
  bool no(std::string reason) {
    why = std::move(reason);
    return false;
  }
  std::optional<bool> readsOperand(ttg::MemDescType type, const TensorProduct::Operand &operand,
                                   unsigned outerAxis, unsigned outer) const;
  bool sharesLanes() const;
  bool checkSplit(StringRef name, ttg::MemDescType type, unsigned bit, Split expected);

  ttg::MemDescType a, b, d;
  const layout::TensorMemoryLayout *sum, *left;
  std::string &why;
  bool sanitized;
};

bool Rules::checkPlaces() {
  for (auto [type, name] : {std::pair(a, "`a`"), {b, "`b`"}, {d, "`acc`"}})
    if (type.getRank() != 2 || ringDims(type))
      return no(std::string(name) + " must be one matrix, got shape of " +
                std::to_string(type.getRank()) + " dimensions");
  if (!d.isTensorMemory() || !sum)
    return no("`acc` must be in tensor memory, in a TensorMemoryLayout");
  if (!b.isShared())
    return no("`b` must be in shared memory");
  if (!a.isShared() && !(a.isTensorMemory() && left))
    return no("`a` must be in shared memory, or in tensor memory in a TensorMemoryLayout");
  return true;
}

bool Rules::findKind() {
  auto aElement = matrixElement(a.getElementType()), bElement = matrixElement(b.getElementType()),
       dElement = matrixElement(d.getElementType());
  std::optional<tcgen05::Kind> kind;
  if (aElement && bElement && dElement)
    kind = tcgen05::kindOf(*aElement, *bElement, *dElement);
  auto isHalf = [](std::optional<MatrixElement> element) {
    return element == MatrixElement::F16 || element == MatrixElement::BF16;
  };
  if (sanitized && !kind && isHalf(aElement) && isHalf(bElement) && dElement == MatrixElement::F32)
    kind = tcgen05::Kind::F16;
  if (!kind)
    return no("there is no instruction for " + typeText(a.getElementType()) + " * " +
              typeText(b.getElementType()) + " -> " + typeText(d.getElementType()));
  product.form = {*kind, *aElement, *bElement, *dElement};
  product.depth = tcgen05::depth(*kind, elementBits(a.getElementType()));
  return true;
}

bool Rules::checkTiles() {
  ArrayRef<int64_t> m = a.getShape(), n = b.getShape(), sums = d.getShape();
  const int64_t k = m[1] * product.a.perElement;
  if (m[0] != sums[0] || n[1] != sums[1] || k != n[0] * product.b.perElement)
    return no("shapes must be [M, K], [K, N] and [M, N]");
  const unsigned sumBits = elementBits(d.getElementType());
  if (sum->colStride != int64_t(tmem::columnBits / sumBits) || sum->fp4Padded)
    return no("`acc` must have a column for each element: col_stride = " +
              std::to_string(tmem::columnBits / sumBits));
  const tcgen05::Kind kind = product.form.kind;
  if (tcgen05::isScaled(kind) && sum->block[0] != int64_t(tcgen05::rows))
    return no("`acc` must have " + std::to_string(tcgen05::rows) +
              " rows in a block; there are no scales for others");
  auto [rows, columns] = shareShape(d);
  product.ctas = sum->twoCtas ? 2 : 1;
  product.rows = unsigned(sum->block[0]);
  product.columns = unsigned(std::min<int64_t>(sum->block[1], columns));
  if (!tcgen05::hasColumns(kind, product.rows, product.columns, product.ctas))
    return no("there is no instruction of " + std::to_string(product.columns) +
              " columns; a block has " + std::to_string(8 * product.ctas) + " to " +
              std::to_string(tcgen05::maxColumns));
  if (rows % product.rows || k % product.depth)
    return no("M must be a multiple of the block's " + std::to_string(product.rows) +
              " rows and K of " + std::to_string(product.depth));
  product.tilesDown = rows / product.rows;
  product.tilesRight = columns / product.columns;
  product.steps = k / product.depth;
  if (product.ctas == 2 && product.tilesRight != 1)
    return no("with two CTAs `acc` has one block along N");
  product.form.rows = product.rows * product.ctas;
  product.form.columns = product.columns;
  return true;
}

bool Rules::checkSplit(StringRef name, ttg::MemDescType type, unsigned bit, Split expected) {
  Split split = splitOf(type, bit);
  if (split == expected)
    return true;
  auto text = [](Split each) {
    return "[" + std::to_string(each.first) + ", " + std::to_string(each.second) + "]";
  };
  return no((name + " must lie in the CTAs as `acc` does: bit ").str() + std::to_string(bit) +
            " of a CTA's number leads to element " + text(split) + ", not " + text(expected));
}

bool Rules::checkClusters() {
  const uint32_t columnsOfB = uint32_t(shareShape(d).second) / 2;
  for (unsigned bit = 0; bit < blockBits(d); ++bit) {
    auto [row, column] = splitOf(d, bit);
    const bool isPair = product.ctas == 2 && bit == 0;
    if (!checkSplit("`a`", a, bit, {row, 0}) ||
        !checkSplit("`b`", b, bit, {0, isPair ? columnsOfB : column}))
      return false;
  }
  return true;
}

/// Whether the instruction reads an operand in shared memory, and whether it is transposed.
std::optional<bool> Rules::readsOperand(ttg::MemDescType type,
                                        const TensorProduct::Operand &operand, unsigned outerAxis,
                                        unsigned outer) const {
  const layout::LinearLayout *memory = linearOrNull(type);
  if (!memory)
    return std::nullopt;
  const unsigned bytes = elementBytes(type.getElementType()), kAxis = 1 - outerAxis;
  layout::LinearLayout padded;
  if (operand.isPadded)
    padded = layout::countPadding(*memory, kAxis), memory = &padded;
  auto descriptor = layout::describeMatrix(*memory, outerAxis, kAxis, bytes, outer,
                                           target::nvidia::matrixDepthBits / 8 / bytes);
  return descriptor ? std::optional(!descriptor->contiguousK) : std::nullopt;
}

/// Whether each instruction finds its rows of `a` in the rows of tensor memory that its sum has.
bool Rules::sharesLanes() const {
  // Of two CTAs with 64 rows each, half of the columns lies in other rows of memory.
  if (product.ctas == 2 && product.rows == tcgen05::smallRows)
    return false;
  auto laneOf = [](ttg::MemDescType type, int64_t row, int64_t column) {
    return layout::tensorMemoryOffset(toLinear(type), elementBits(type.getElementType()),
                                      {row, column}) >>
           16;
  };
  for (int64_t m = 0; m < product.tilesDown; ++m) {
    const int64_t row = m * product.rows;
    const uint32_t lane = laneOf(d, row, 0);
    for (int64_t n = 0; n < product.tilesRight; ++n)
      if (laneOf(d, row, n * product.columns) != lane)
        return false;
    for (int64_t step = 0; step < product.steps; ++step)
      if (laneOf(a, row, step * product.depth / product.a.perElement) != lane)
        return false;
  }
  return true;
}

bool Rules::checkOperands() {
  auto isKMajor = [&](MatrixElement element) {
    return element == MatrixElement::F32 || element == MatrixElement::E2M1 ||
           !tcgen05::transposes(product.form.kind);
  };
  auto reads = [&](StringRef name, ttg::MemDescType type, const TensorProduct::Operand &operand,
                   MatrixElement element, unsigned outerAxis, unsigned outer, bool &transposes) {
    std::optional<bool> transposed = readsOperand(type, operand, outerAxis, outer);
    transposes = transposed.value_or(false);
    if (sanitized)
      return true;
    if (transposed && !(*transposed && isKMajor(element)))
      return true;
    return no(
        (name + " must lie in shared memory as tensor cores read it: an NVMMASharedLayout").str() +
        (isKMajor(element) ? " that is contiguous along K" : ""));
  };
  if (a.isShared()) {
    if (!reads("`a`", a, product.a, product.form.a, 0, product.rows, product.form.transposesA))
      return false;
  } else if (left->colStride != 1 || left->block[0] != sum->block[0] ||
             left->twoCtas != sum->twoCtas) {
    return no("`a` in tensor memory must have col_stride = 1, and rows in a block and two_ctas as "
              "`acc`");
  } else if (!sharesLanes()) {
    return no(
        "`a` in tensor memory must have its rows where `acc` has them: with 64 rows in a block "
        "both have one block along K or N, and two CTAs take 128");
  }
  return reads("`b`", b, product.b, product.form.b, 1, product.columnsOfB(),
               product.form.transposesB);
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

std::optional<MatrixElement> scaledElement(tt::ScaleDotElemType type) {
  switch (type) {
  case tt::ScaleDotElemType::E4M3:
    return MatrixElement::E4M3;
  case tt::ScaleDotElemType::E5M2:
    return MatrixElement::E5M2;
  case tt::ScaleDotElemType::E2M1:
    return MatrixElement::E2M1;
  default:
    return std::nullopt;
  }
}

/// Whether the layout of a buffer has room for a byte for each of its nibbles.
bool isPadded(ttg::MemDescType type) {
  if (const layout::TensorMemoryLayout *layout = tensorLayout(type))
    return layout->fp4Padded;
  if (auto encoding = dyn_cast_or_null<ttg::NVMMASharedEncodingAttr>(type.getEncoding()))
    return encoding.getValue().fp4Padded;
  // Of a view: the byte 8 places on is the same one.
  const layout::LinearLayout *memory = linearOrNull(type);
  constexpr unsigned groupLog2 = 3;
  return memory && elementBits(type.getElementType()) == 8 &&
         memory->inLog2(layout::Dim::Offset) > groupLog2 &&
         llvm::all_of(memory->basis(layout::Dim::Offset, groupLog2),
                      [](int64_t value) { return value == 0; });
}

bool Rules::findScaledKind(const ScaledOperands &operands) {
  auto aElement = scaledElement(operands.aType), bElement = scaledElement(operands.bType);
  if (!aElement || !bElement)
    return no("elements with scales are e4m3, e5m2 or e2m1");
  for (auto [type, element, operand, name] :
       {std::tuple(a, *aElement, &product.a, "`a`"), {b, *bElement, &product.b, "`b`"}}) {
    std::optional<MatrixElement> has = matrixElement(type.getElementType());
    if (!has || (*has != MatrixElement::I8 && *has != element))
      return no(std::string(name) +
                " must be of bytes, or of the type that it is said to be, got " +
                typeText(type.getElementType()));
    operand->perElement = element == MatrixElement::E2M1 ? 2 : 1;
    operand->isPadded = isPadded(type);
  }
  auto isScales = [](ttg::MemDescType type) {
    return type.isTensorMemory() && type.getRank() == 2 &&
           isa_and_nonnull<TensorMemoryScalesEncodingAttr>(type.getEncoding());
  };
  for (auto [type, name] :
       {std::pair(operands.aScale, "`a_scale`"), {operands.bScale, "`b_scale`"}})
    if (!isScales(type))
      return no(std::string(name) + " must be in tensor memory, in a TensorMemoryScalesLayout");
  Type scale = operands.aScale.getElementType();
  if (scale != operands.bScale.getElementType() ||
      !(scale.isInteger(8) || isa<Float8E4M3FNType>(scale)))
    return no("scales must be uint8 (powers of two), or float8e4nv, of both");
  const int64_t k = a.getShape()[1] * product.a.perElement, count = operands.aScale.getShape()[1];
  product.scaleBlock = k % count ? 0 : unsigned(k / count);
  auto type = scale.isInteger(8) ? tcgen05::ScaleElement::UE8M0 : tcgen05::ScaleElement::UE4M3;
  auto kind = tcgen05::scaledKindOf(*aElement, *bElement, type, product.scaleBlock);
  if (!kind || !d.getElementType().isF32())
    return no("there is no instruction for these: elements have a uint8 scale for each 32 along K, "
              "or e2m1 elements a float8e4nv for each 16, and sums are float32; here are " +
              std::to_string(count) + " scales for " + std::to_string(k) + " elements, and " +
              typeText(d.getElementType()));
  product.form = {*kind, *aElement, *bElement, MatrixElement::F32};
  product.form.scale = type;
  product.depth = tcgen05::depth(*kind, 8);
  for (auto [element, operand, name] :
       {std::tuple(*aElement, product.a, "`a`"), {*bElement, product.b, "`b`"}})
    if (!sanitized &&
        operand.isPadded != (element == MatrixElement::E2M1 && !tcgen05::packsNibbles(*kind)))
      return no(std::string(name) +
                (operand.isPadded ? " must not have an fp4_padded layout: only e2m1 beside 8-bit "
                                    "elements has"
                                  : " must have an fp4_padded layout, as it is e2m1 beside 8-bit "
                                    "elements"));
  return true;
}

bool Rules::checkScales(const ScaledOperands &operands) {
  ArrayRef<int64_t> ofA = operands.aScale.getShape(), ofB = operands.bScale.getShape();
  if (ofA[0] != d.getShape()[0] || ofB[0] != d.getShape()[1] || ofA[1] != ofB[1])
    return no("scales must be of shapes [M, K / " + std::to_string(product.scaleBlock) +
              "] and [N, K / " + std::to_string(product.scaleBlock) + "]");
  for (unsigned bit = 0; bit < blockBits(d); ++bit) {
    auto [row, column] = splitOf(d, bit);
    if (!checkSplit("`a_scale`", operands.aScale, bit, {row, 0}) ||
        !checkSplit("`b_scale`", operands.bScale, bit, {column, 0}))
      return false;
  }
  return true;
}

} // namespace

std::optional<TensorProduct> tensorProduct(ttg::MemDescType a, ttg::MemDescType b,
                                           ttg::MemDescType d, std::string &why, bool sanitized) {
  Rules rules(a, b, d, why, sanitized);
  if (!rules.checkPlaces() || !rules.findKind() || !rules.checkTiles() || !rules.checkClusters() ||
      !rules.checkOperands())
    return std::nullopt;
  return rules.product;
}

std::optional<TensorProduct> tensorProduct(const ScaledOperands &operands, std::string &why,
                                           bool sanitized) {
  Rules rules(operands.a, operands.b, operands.d, why, sanitized);
  if (!rules.checkPlaces() || !rules.findScaledKind(operands) || !rules.checkTiles() ||
      !rules.checkScales(operands) || !rules.checkClusters() || !rules.checkOperands())
    return std::nullopt;
  return rules.product;
}

SmallVector<uint32_t, 4> commitTargets(TypeRange buffers, bool twoCtas) {
  SmallVector<uint32_t, 4> sets;
  for (Type type : buffers) {
    const layout::LinearLayout *memory = linearOrNull(cast<ttg::MemDescType>(type));
    const uint32_t bits = (memory ? layout::blockCopies(*memory) : 0) | uint32_t(twoCtas);
    if (bits)
      sets.push_back(bits);
  }
  if (buffers.empty() && twoCtas)
    sets.push_back(1);
  return sets;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether each CTA has the same part of both, which may be the whole.
static bool areSplitAlike(const layout::LinearLayout &a, const layout::LinearLayout &b) {
  using layout::Dim;
  auto count = [](const layout::LinearLayout &layout) {
    return layout.hasIn(Dim::Block) ? layout.inLog2(Dim::Block) : 0;
  };
  if (count(a) != count(b))
    return false;
  for (unsigned bit = 0; bit != count(a); ++bit)
    for (const layout::DimSize &out : a.outDims())
      if (a.basis(Dim::Block, bit, out.dim) != b.basis(Dim::Block, bit, out.dim))
        return false;
  return true;
}

std::optional<TensorCopy> tensorCopy(ttg::MemDescType source, ttg::MemDescType target,
                                     std::string &why) {
  auto no = [&](std::string reason) {
    why = std::move(reason);
    return std::nullopt;
  };
  if (!source.isShared() || ringDims(source))
    return no("`src` must be one buffer in shared memory");
  if (!target.isTensorMemory() || ringDims(target) || target.getRank() != 2)
    return no("`dst` must be one buffer in tensor memory");
  if (source.getShape() != target.getShape() || source.getElementType() != target.getElementType())
    return no("`src` and `dst` must agree in shape and element type");
  const unsigned bits = elementBits(source.getElementType());
  const bool isScales = isa_and_nonnull<TensorMemoryScalesEncodingAttr>(target.getEncoding());
  const layout::TensorMemoryLayout *tile = tensorLayout(target);
  if (!isScales && (!tile || tile->block[0] != int64_t(tmem::rows) || bits != tmem::columnBits))
    return no("`dst` must be of 32-bit elements in a TensorMemoryLayout of " +
              std::to_string(tmem::rows) + " rows, or of scales");
  using layout::Dim;
  const layout::LinearLayout *shared = linearOrNull(source), *memory = linearOrNull(target);
  if (!shared || !memory)
    return no("layouts must be known");
  auto log2Of = [&](unsigned dim) {
    return layout::DimSize{Dim::axis(dim), llvm::Log2_64(uint64_t(target.getShape()[dim]))};
  };
  // Of a slice, the rest is left out.
  std::optional<layout::LinearLayout> places =
      memory->notLarger({log2Of(0), log2Of(1)}).invertAndCompose(*shared);
  if (!places)
    return no("`src` must hold every element of `dst`");
  if (!areSplitAlike(*memory, *shared) ||
      (places->hasOut(Dim::Block) && !places->sublayoutIsZero({Dim::Row, Dim::Col}, {Dim::Block})))
    return no("`src` and `dst` must lie in the CTAs alike");
  auto offsetOf = [&](Dim in, unsigned bit) {
    return bit < places->inLog2(in) ? places->basis(in, bit, Dim::Offset) * bits / 8 : 0;
  };
  TensorCopy copy;
  copy.isRepeated = isScales;
  copy.rows = isScales ? tmem::rowsPerWarp : tmem::rows;
  const unsigned below = llvm::Log2_32(tmem::rowsPerWarp);
  if (isScales != (!offsetOf(Dim::Row, below) && !offsetOf(Dim::Row, below + 1)))
    return no("`dst` must have all its rows");
  // Neighbouring columns that hold something.
  unsigned filled = 0;
  while (filled < places->inLog2(Dim::Col) && offsetOf(Dim::Col, filled))
    ++filled;
  copy.bits = !isScales && bits << filled >= 256 ? 256 : 128;
  if (bits << filled < copy.bits)
    return no("`dst` must have 128 bits beside each other in a row");
  const unsigned perMessage = copy.bits / bits;
  // Columns that hold nothing of `dst`, as between the blocks of a slice, are none of `src`.
  auto descriptor = layout::describePlaces(places->removeZeroBases(Dim::Col), Dim::Row, Dim::Col,
                                           bits / 8, copy.rows, perMessage);
  if (!descriptor || !descriptor->contiguousK || (isScales && descriptor->swizzleBytes))
    return no(isScales
                  ? "`src` must lie in shared memory as scales are copied: blocks of 128 rows "
                    "and 4 columns, not swizzled, in which byte (m mod 32) * 16 + (m / 32) * 4 "
                    "+ k is scale (m, k)"
                  : "`src` must lie in shared memory as tensor cores read it: an "
                    "NVMMASharedLayout that is not transposed");
  copy.descriptor = *descriptor;
  for (uint32_t column = 0; column < places->inSize(Dim::Col); column += perMessage) {
    bool isHole = false;
    for (unsigned bit = 0; bit < places->inLog2(Dim::Col); ++bit)
      isHole |= column >> bit & 1 && !offsetOf(Dim::Col, bit);
    if (isHole)
      continue;
    const uint64_t place = places->applyPacked(places->packIn({{Dim::Col, column}}));
    copy.messages.push_back(
        {places->outComponent(place, Dim::Offset) * bits / 8, column * bits / tmem::columnBits});
  }
  return copy;
}

} // namespace gluonc::ttng
