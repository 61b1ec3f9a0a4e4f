#include "sim/machine/Share.h"

#include "layout/linear/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::sim {

uint32_t Share::toWhole(uint32_t element, uint32_t rank) const {
  uint32_t skewed = begins[rank];
  for (auto [bit, change] : llvm::enumerate(skew))
    skewed ^= element >> bit & 1 ? change : 0;
  for (uint32_t rest = split; rest; rest &= rest - 1) {
    uint32_t below = (rest & -rest) - 1;
    element = (element & ~below) << 1 | (element & below);
  }
  return element ^ skewed;
}

uint32_t Share::toShare(uint32_t whole) const {
  uint32_t element = 0, bit = 1;
  for (uint32_t rest = ~split; rest && (rest & -rest) <= whole; rest &= rest - 1, bit <<= 1)
    element |= whole & (rest & -rest) ? bit : 0;
  return element;
}

bool Share::isLeast(uint32_t rank, uint32_t among) const {
  for (uint32_t other = 0; other < rank; ++other)
    if (begins[other] == begins[rank] && !((other ^ rank) & among))
      return false;
  return true;
}

bool Share::hasCopies() const {
  for (uint32_t rank = 1; rank < begins.size(); ++rank)
    if (!isLeast(rank))
      return true;
  return false;
}

Share wholeShare(llvm::ArrayRef<int64_t> shape, uint32_t ctas) {
  Share share;
  share.shape.assign(shape.begin(), shape.end());
  for (int64_t size : shape)
    share.wholeElements *= uint32_t(size);
  share.elements = share.run = share.wholeElements;
  share.begins.assign(ctas, 0);
  return share;
}

namespace {

/// Vectors of bits, each with a lowest bit that no other has.
class Reduced {
public:
  void add(uint32_t vector) {
    vector = reduce(vector);
    if (!vector)
      return;
    const uint32_t pivot = vector & -vector;
    for (uint32_t &row : rows)
      row ^= row & pivot ? vector : 0;
    rows.push_back(vector);
  }
  /// What is left of a vector without the lowest bits.
  uint32_t reduce(uint32_t vector) const {
    for (uint32_t row : rows)
      vector ^= vector & row & -row ? row : 0;
    return vector;
  }
  llvm::SmallVector<uint32_t, 32> rows;
};

/// Takes the bits from shapes that CTAs are told apart by.
void divide(Share &share) {
  uint32_t stride = 1;
  for (size_t dim = share.shape.size(); dim-- > 0;) {
    const uint32_t size = uint32_t(share.shape[dim]);
    for (uint32_t bit = 1; bit < size; bit *= 2)
      if (share.split & bit * stride)
        share.shape[dim] /= 2;
    stride *= size;
  }
  share.elements = share.wholeElements >> llvm::popcount(share.split);
}

void setSkew(Share &share, const Reduced &own) {
  share.skew.assign(share.elements > 1 ? llvm::Log2_32_Ceil(share.elements) : 0, 0);
  for (uint32_t row : own.rows)
    if (uint32_t change = row & share.split)
      share.skew[llvm::Log2_32(share.toShare(row & -row))] = change;
  share.run = share.elements;
  for (size_t bit = share.skew.size(); bit-- > 0;)
    if (share.skew[bit])
      share.run = 1u << bit;
  if (share.split)
    share.run = std::min(share.run, share.split & -share.split);
  if (llvm::all_of(share.skew, [](uint32_t change) { return !change; }))
    share.skew.clear();
}

} // namespace

std::optional<Share> shareOf(llvm::ArrayRef<int64_t> shape, const layout::LinearLayout &linear,
                             uint32_t ctas) {
  using layout::Dim;
  Share share = wholeShare(shape, ctas);
  const size_t rank = shape.size(), layoutRank = linear.outDims().size();
  bool leaves = false;
  /// The number of an element, as far as it lies within the window.
  auto numberOf = [&](uint64_t packed) {
    uint32_t number = 0, stride = 1;
    for (size_t back = 1; back <= std::max(rank, layoutRank); ++back) {
      uint32_t at =
          back <= layoutRank ? linear.outComponent(packed, Dim::axis(layoutRank - back)) : 0;
      uint32_t size = back <= rank ? uint32_t(shape[rank - back]) : 1;
      leaves |= at >= size;
      number += at % size * stride;
      stride *= size;
    }
    return number;
  };
  Reduced own, others;
  for (layout::DimSize in : linear.inDims())
    if (in.dim != Dim::Block)
      for (uint64_t basis : linear.packedBases(in.dim)) {
        leaves = false;
        uint32_t number = numberOf(basis);
        own.add(leaves ? 0 : number);
      }
  llvm::SmallVector<uint32_t, 4> images;
  leaves = false;
  for (uint64_t basis : linear.packedBases(Dim::Block)) {
    images.push_back(own.reduce(numberOf(basis)));
    share.split |= images.back();
    others.add(images.back());
  }
  if (leaves || others.rows.size() != size_t(llvm::popcount(share.split)))
    return std::nullopt;
  for (uint32_t cta = 0; cta < ctas; ++cta)
    for (size_t bit = 0; bit < images.size(); ++bit)
      if (cta >> bit & 1)
        share.begins[cta] ^= images[bit];
  divide(share);
  setSkew(share, own);
  return share;
}

} // namespace gluonc::sim
