//===- TensorMemoryLayouts.cpp - The tensor memory of sm_100 -----------------===//
//
// An address is a row (128 of them, 32 for each warp of a group) and a column;
// here columns count in elements.  A block of 128 rows has a row for each of its
// own; a block of 64 rows leaves every second group of 16 rows to a second block,
// or to nobody.
//
//===----------------------------------------------------------------------===//
#include "layout/named/Parts.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

namespace {

LinearLayout spread(int64_t size, Dim in, Dim out) {
  return LinearLayout::identity1D(size > 1 ? llvm::Log2_64(size) : 0, in, out);
}

const Dim rows = Dim::axis(0), columns = Dim::axis(1);

/// rows and columns of memory -> a tile, then whole tiles in further columns, down first.
LinearLayout repeat(LinearLayout tile, const BasisList &cga, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> share) {
  for (unsigned d : {0, 1})
    tile *= spread(share[d] / tile.outSize(Dim::axis(d)), Dim::Col, Dim::axis(d));
  static constexpr Dim memory[] = {Dim::Row, Dim::Col};
  LinearLayout local = tile.transposeOuts(axes(2)).transposeIns(memory).notLarger(axisSizes(share));
  return (local * cgaToLinear(cga, 2).notLarger(axisSizes(shape))).transposeOuts(axes(2));
}

} // namespace

Problem TensorMemoryLayout::validate() const {
  if (block.size() != 2 || (block[0] != 64 && block[0] != 128) || !isPowerOf2(block[1]) ||
      block[1] > 512)
    return "the block of a tensor memory layout must be [64 or 128, a power of two up to 512], but "
           "is " +
           listText(block);
  if (colStride != 1 && colStride != 2 && colStride != 4)
    return "col_stride must be 1, 2 or 4, but is " + std::to_string(colStride);
  if (fp4Padded && colStride != 1)
    return "fp4_padded needs a col_stride of 1";
  if (Problem problem = checkCga(cga, 2))
    return problem;
  if (twoCtas && (cga.empty() || cga.front() != Ints{1, 0}))
    return "two_ctas needs a cga_layout whose first basis is [1, 0]";
  return std::nullopt;
}

LinearLayout TensorMemoryLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == 2);
  Ints share = shapePerCta(Layout(*this), shape);
  int64_t m = block[0], n = std::min(block[1], share[1]);
  BasisList down, right;
  for (int64_t value = 1; value < m; value *= 2)
    down.push_back({value, 0});
  for (int64_t value = 1; value < n; value *= 2)
    right.push_back({0, value});
  Ints size{m, n};
  if (m == 64 && twoCtas) {
    // The lower rows hold the other half of the columns.
    if (!right.empty())
      down.push_back(right.pop_back_val());
  } else if (m == 64) {
    // Every second group of 16 rows belongs to the next block, below or to the right, if any.
    Ints next{0, 0};
    if (share[0] > 64)
      next[0] = 64, size[0] = 128;
    else if (share[1] > n)
      next[1] = n, size[1] = 2 * n;
    down.insert(down.begin() + 4, next);
  }
  LinearLayout tile = LinearLayout::zeros1D(llvm::Log2_64(colStride) + fp4Padded, Dim::Col, rows) *
                      fromBases({{Dim::Row, &down}, {Dim::Col, &right}}, size);
  return repeat(std::move(tile), cga, shape, share);
}

Problem TensorMemoryScalesLayout::validate() const { return checkCga(cga, 2); }

LinearLayout TensorMemoryScalesLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == 2);
  Ints share = shapePerCta(Layout(*this), shape);
  LinearLayout tile = spread(32, Dim::Row, rows) * LinearLayout::zeros1D(2, Dim::Row, rows) *
                      spread(4, Dim::Col, columns) * spread(2, Dim::Col, rows);
  if (share[0] > 64)
    tile *= spread(2, Dim::Col, rows);
  return repeat(std::move(tile), cga, shape, share);
}

} // namespace gluonc::layout
