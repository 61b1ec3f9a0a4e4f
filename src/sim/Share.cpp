#include "sim/Share.h"

#include "layout/LinearLayout.h"

namespace gluonc::sim {

uint32_t Share::elementOf(uint32_t lane, uint32_t rank) const {
  for (uint32_t rest = split; rest; rest &= rest - 1) {
    uint32_t below = (rest & -rest) - 1;
    lane = (lane & ~below) << 1 | (lane & below);
  }
  return lane + begins[rank];
}

uint32_t Share::laneOf(uint32_t element) const {
  uint32_t lane = 0, bit = 1;
  for (uint32_t rest = ~split; rest && (rest & -rest) <= element; rest &= rest - 1, bit <<= 1)
    lane |= element & (rest & -rest) ? bit : 0;
  return lane;
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
    share.wholeLanes *= uint32_t(size);
  share.lanes = share.wholeLanes;
  share.begins.assign(ctas, 0);
  return share;
}

namespace {

/// Whether the vectors span all bits that any of them has.
bool spanTheirBits(llvm::ArrayRef<uint32_t> vectors) {
  uint32_t all = 0, found = 0;
  llvm::SmallVector<uint32_t, 32> reduced;
  for (uint32_t vector : vectors) {
    all |= vector;
    for (uint32_t earlier : reduced)
      vector = std::min(vector, vector ^ earlier);
    if (vector)
      reduced.push_back(vector), ++found;
  }
  return found == uint32_t(llvm::popcount(all));
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
  llvm::SmallVector<uint32_t, 32> within;
  for (layout::DimSize in : linear.inDims())
    if (in.dim != Dim::Block)
      for (uint64_t basis : linear.packedBases(in.dim)) {
        leaves = false;
        uint32_t number = numberOf(basis);
        within.push_back(leaves ? 0 : number);
      }
  if (!spanTheirBits(within))
    return std::nullopt;
  uint32_t own = 0;
  for (uint32_t number : within)
    own |= number;
  llvm::SmallVector<uint32_t, 4> images;
  leaves = false;
  for (uint64_t basis : linear.packedBases(Dim::Block)) {
    images.push_back(numberOf(basis) & ~own);
    share.split |= images.back();
  }
  if (leaves || !spanTheirBits(images))
    return std::nullopt;
  for (uint32_t cta = 0; cta < ctas; ++cta)
    for (size_t bit = 0; bit < images.size(); ++bit)
      if (cta >> bit & 1)
        share.begins[cta] ^= images[bit];
  uint32_t stride = 1;
  for (size_t dim = rank; dim-- > 0;) {
    uint32_t size = uint32_t(shape[dim]);
    for (uint32_t bit = 1; bit < size; bit *= 2)
      if (share.split & bit * stride)
        share.shape[dim] /= 2;
    stride *= size;
  }
  share.lanes = share.wholeLanes >> llvm::popcount(share.split);
  return share;
}

} // namespace gluonc::sim
