//===- NvmmaShared.cpp - Shared memory for tensor cores and TMA --------------===//
//
// One message of the tensor memory accelerator writes a box, row-major, whose
// rows are at most as wide as the swizzle:
//
//   8 rows of S bytes   the pattern: 16-byte groups XORed by row / perPhase
//   box                 such patterns below each other
//   each CTA's share    boxes, along the rows first, then along the columns
//
//===----------------------------------------------------------------------===//
#include "layout/named/Parts.h"

#include "support/Error.h"
#include "target/nvidia/BoxCopies.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

namespace tma = target::nvidia::tma;

namespace {

constexpr int64_t patternRows = 8;

int64_t patternColumns(const NVMMASharedLayout &l) {
  return 8 * std::max(tma::unitBytes, l.swizzleByteWidth) / l.elementBitWidth;
}

/// 8 bytes of 4-bit elements, 8 bytes of nothing: both halves name the same elements.
int64_t packed(int64_t column) { return column / 16 * 8 + column % 8; }

/// offset -> (row, column) of one pattern.
LinearLayout pattern(const NVMMASharedLayout &l) {
  auto place = [&](int64_t column) { return l.fp4Padded ? packed(column) : column; };
  BasisList bases;
  for (int64_t column = 1; column < patternColumns(l); column *= 2)
    bases.push_back({0, place(column)});
  for (int64_t row = 1; row < patternRows; row *= 2)
    bases.push_back({row, place(l.vec() * (row / l.perPhase() % l.maxPhase()))});
  return fromBases({{Dim::Offset, &bases}},
                   {patternRows, patternColumns(l) / (l.fp4Padded ? 2 : 1)});
}

/// The dims from fastest to slowest.
llvm::SmallVector<unsigned, 4> fastestFirst(const NVMMASharedLayout &l) {
  llvm::SmallVector<unsigned, 4> dims;
  for (unsigned d = l.rank(); d-- > 0;)
    dims.push_back(l.transposed ? (d + 1) % l.rank() : d);
  return dims;
}

/// log2 of the rows and columns of a box as a matrix: leading dims are rows, unless the first one
/// is contiguous. (With three dims, the dims before the last are columns then.)
std::pair<unsigned, unsigned> matrixLog2(const NVMMASharedLayout &l, llvm::ArrayRef<int64_t> box) {
  unsigned leading = log2Product(box.drop_back()), last = llvm::Log2_64(box.back());
  return l.transposed ? std::pair(last, leading) : std::pair(leading, last);
}

/// A box row by row, swizzled.
LinearLayout swizzledBox(const NVMMASharedLayout &l, llvm::ArrayRef<DimSize> sizes,
                         std::pair<unsigned, unsigned> size) {
  Dim columnsFirst[] = {Dim::axis(1), Dim::axis(0)};
  return pattern(l)
      .notSmaller({{Dim::axis(0), size.first}, {Dim::axis(1), size.second}})
      .transposeOuts(columnsFirst)
      .reshapeOuts(sizes);
}

} // namespace

NVMMASharedLayout NVMMASharedLayout::defaultFor(llvm::ArrayRef<int64_t> shape, int64_t elementBits,
                                                bool transposed, bool fp4Padded, BasisList cga) {
  NVMMASharedLayout result{0,          elementBits, static_cast<int64_t>(shape.size()),
                           transposed, fp4Padded,   std::move(cga)};
  Ints share = shapePerCta(Layout(result), shape);
  if (share.size() < 2)
    return result;
  int64_t columns = transposed ? share.front() : share.back();
  int64_t rows = product(share) / columns;
  int64_t bytes = columns * elementBits / 8 * (fp4Padded ? 2 : 1);
  for (int64_t width : {128, 64, 32})
    if (bytes % width == 0 && rows >= patternRows) {
      result.swizzleByteWidth = width;
      break;
    }
  return result;
}

Problem NVMMASharedLayout::validate() const {
  if (!tma::isSwizzle(swizzleByteWidth))
    return "swizzle_byte_width must be 0, 32, 64 or 128, but is " +
           std::to_string(swizzleByteWidth);
  if (!llvm::is_contained({8, 16, 32, 64}, elementBitWidth))
    return "element_bitwidth must be 8, 16, 32 or 64, but is " + std::to_string(elementBitWidth);
  if (numDims < 1 || numDims > 8)
    return "the rank of an NVMMA shared layout must be from 1 to 8, but is " +
           std::to_string(numDims);
  if (numDims == 1 && swizzleByteWidth)
    return "an NVMMA shared layout of rank 1 cannot be swizzled";
  if (fp4Padded && (swizzleByteWidth != 128 || elementBitWidth != 8))
    return "fp4_padded needs a swizzle_byte_width of 128 and an element_bitwidth of 8";
  return checkCga(cga, rank());
}

Ints NVMMASharedLayout::messageShape(llvm::ArrayRef<int64_t> shape) const {
  Ints box;
  for (int64_t size : shapePerCta(Layout(*this), shape))
    box.push_back(std::min(size, tma::maxBoxLength));
  if (swizzleByteWidth) {
    int64_t &columns = transposed ? box.front() : box.back();
    columns = std::min(columns, patternColumns(*this) / (fp4Padded ? 2 : 1));
  }
  return box;
}

Problem NVMMASharedLayout::inferFromText() {
  if (!cga.empty())
    numDims = cga.front().size();
  return std::nullopt;
}

Problem NVMMASharedLayout::checkShape(llvm::ArrayRef<int64_t> shape) const {
  if (!swizzleByteWidth)
    return std::nullopt;
  Ints share = shapePerCta(Layout(*this), shape);
  int64_t columns = transposed ? share.front() : share.back();
  int64_t needed = patternColumns(*this) / (fp4Padded ? 2 : 1);
  if (columns < needed)
    return "a swizzle of " + std::to_string(swizzleByteWidth) + " bytes needs at least " +
           std::to_string(needed) + " contiguous elements, but each CTA has " +
           std::to_string(columns) + " of the shape " + listText(shape);
  int64_t rows = int64_t{1} << matrixLog2(*this, messageShape(shape)).first;
  if (rows < patternRows)
    return "a swizzled layout needs at least " + std::to_string(patternRows) +
           " rows, but each CTA has " + std::to_string(rows) + " of the shape " + listText(shape);
  return std::nullopt;
}

LinearLayout NVMMASharedLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  Ints box = messageShape(shape);
  llvm::SmallVector<DimSize, 4> sizes;
  LinearLayout plain = LinearLayout::identity1D(0, Dim::Offset, Dim::axis(0));
  for (unsigned d : fastestFirst(*this)) {
    sizes.push_back({Dim::axis(d), llvm::Log2_64(box[d])});
    plain *= LinearLayout::identity1D(llvm::Log2_64(box[d]), Dim::Offset, Dim::axis(d));
  }
  LinearLayout tile = swizzleByteWidth ? swizzledBox(*this, sizes, matrixLog2(*this, box)) : plain;
  return combine(tile.transposeOuts(axes(rank())), cgaToLinear(cga, rank()), shape);
}

} // namespace gluonc::layout
