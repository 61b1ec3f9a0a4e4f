#include "layout/named/Parts.h"

#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

// -- SwizzledSharedLayout -------------------------------------------------------------

Problem SwizzledSharedLayout::validate() const {
  if (order.empty())
    return "a swizzled layout needs at least one dimension";
  if (order.size() > 8)
    return "a swizzled layout can have at most 8 dimensions";
  if (Problem problem = checkPowers("vec, per_phase and max_phase", {vec, perPhase, maxPhase}))
    return problem;
  if (Problem problem = checkOrder(order))
    return problem;
  return checkCga(cga, rank());
}

LinearLayout SwizzledSharedLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  LinearLayout cluster = cgaToLinear(cga, rank());
  Ints share = shapePerCta(Layout(*this), shape);
  llvm::SmallVector<DimSize, 4> sizes = axisSizes(share);

  llvm::SmallVector<LinearLayout::InBases, 1> ins{{Dim::Offset, {}}};
  auto add = [&](int64_t dim, int64_t value) -> llvm::SmallVector<int64_t, 4> & {
    auto &basis = ins[0].bases.emplace_back(rank(), 0);
    basis[dim] = value;
    return basis;
  };
  for (auto [nth, dim] : llvm::enumerate(order)) {
    for (int64_t value = 1; value < share[dim]; value *= 2) {
      auto &basis = add(dim, value);
      // Only the second-fastest dim, the row, moves the columns.
      if (nth == 1)
        basis[order[0]] = vec * (value / perPhase % maxPhase) % share[order[0]];
    }
  }
  std::optional<LinearLayout> tile = LinearLayout::create(ins, sizes);
  GL_CHECK(tile.has_value());
  return combine(*tile, cluster, shape);
}

// -- PaddedSharedLayout ---------------------------------------------------------------

PaddedSharedLayout PaddedSharedLayout::identityFor(llvm::ArrayRef<IntervalPadding> paddings,
                                                   llvm::ArrayRef<int64_t> shape,
                                                   llvm::ArrayRef<int64_t> order, BasisList cga) {
  PaddedSharedLayout result{{paddings.begin(), paddings.end()}, {}, std::move(cga), Ints(shape)};
  Ints share = shapePerCta(Layout(result), shape);
  for (int64_t dim : order) {
    for (int64_t value = 1; value < share[dim]; value *= 2) {
      Ints basis(shape.size(), 0);
      basis[dim] = value;
      result.offsetBases.push_back(std::move(basis));
    }
  }
  return result;
}

Problem PaddedSharedLayout::validate() const {
  if (shape.empty())
    return "a padded layout needs at least one dimension";
  if (shape.size() > 8)
    return "a padded layout can have at most 8 dimensions";
  if (paddings.empty())
    return "a padded layout needs at least one pair of interval and padding";
  for (auto [i, pair] : llvm::enumerate(paddings)) {
    if (Problem problem = checkPowers("intervals and paddings", {pair.interval, pair.padding}))
      return problem;
    for (const IntervalPadding &other : llvm::ArrayRef(paddings).take_front(i))
      if (other.interval == pair.interval)
        return "interval " + std::to_string(pair.interval) + " is given twice";
  }
  if (Problem problem = checkPowers("the sizes of a padded layout's shape", shape))
    return problem;
  if (log2Product(shape) > 24)
    return "the shape " + listText(shape) + " has too many elements";
  if (Problem problem = checkBases("offset_bases", offsetBases, rank()))
    return problem;
  if (Problem problem = checkCga(cga, rank()))
    return problem;
  Ints share = shapePerCta(Layout(*this), shape);
  for (const Ints &basis : offsetBases)
    for (auto [component, size] : llvm::zip_equal(basis, share))
      if (component >= size)
        return "offset_bases has the basis " + listText(basis) +
               ", which lies outside each CTA's share " + listText(share);
  if (!fromBases({{Dim::Offset, &offsetBases}}, share).isInvertible())
    return "offset_bases must name each element of the shape exactly once";
  return std::nullopt;
}

LinearLayout PaddedSharedLayout::toLinear(llvm::ArrayRef<int64_t> tensor) const {
  LinearLayout tile = fromBases({{Dim::Offset, &offsetBases}}, shapePerCta(Layout(*this), shape));
  return combine(tile, cgaToLinear(cga, rank()), tensor);
}

int64_t PaddedSharedLayout::physicalOffset(int64_t logical) const {
  int64_t physical = logical;
  for (const IntervalPadding &pair : paddings)
    physical += logical / pair.interval * pair.padding;
  return physical;
}

int64_t PaddedSharedLayout::maxVector() const {
  // A padding that is no multiple of the vector would leave later vectors unaligned.
  int64_t elements = maxDimSize;
  for (const IntervalPadding &pair : paddings)
    elements = std::min({elements, pair.interval, pair.padding});
  return elements;
}

// -- SharedLinearLayout ---------------------------------------------------------------

Ints SharedLinearLayout::shape() const {
  Ints sizes(rank(), 1);
  for (const BasisList *bases : {&offsetBases, &blockBases})
    for (const Ints &basis : *bases)
      // Asked before validation, too: bases may have any length and any components.
      for (auto [size, component] : llvm::zip(sizes, basis))
        size = std::max<int64_t>(
            size, llvm::PowerOf2Ceil(std::clamp<int64_t>(component, 0, maxDimSize) + 1));
  return sizes;
}

Problem SharedLinearLayout::validate() const {
  if (offsetBases.empty())
    return "a shared linear layout needs at least one offset basis";
  if (rank() == 0 || rank() > 8)
    return "a shared linear layout needs between one and 8 dimensions";
  if (Problem problem = checkBases("offset_bases", offsetBases, rank()))
    return problem;
  if (Problem problem = checkBases("block_bases", blockBases, rank()))
    return problem;
  if (!isPowerOf2(alignment) || alignment > maxDimSize)
    return "the alignment must be a power of two, but is " + std::to_string(alignment);
  if (log2Product(shape()) > 24 || offsetBases.size() + blockBases.size() > 36)
    return "the shared linear layout is too large";
  // Bases of zeros repeat all memory, each copy at the same offset; others would repeat some
  // elements elsewhere.
  LinearLayout all = fromBases({{Dim::Offset, &offsetBases}, {Dim::Block, &blockBases}}, shape());
  if (!all.removeZeroBases(Dim::Offset).removeZeroBases(Dim::Block).isInjective())
    return "the bases of the shared linear layout must be independent of each other, or zeros";
  return std::nullopt;
}

Problem SharedLinearLayout::checkShape(llvm::ArrayRef<int64_t> tensor) const {
  if (!toLinear(tensor).isSurjective())
    return "the shared linear layout does not cover the shape " + listText(tensor) +
           ": some elements have no place";
  return std::nullopt;
}

LinearLayout SharedLinearLayout::toLinear(llvm::ArrayRef<int64_t> tensor) const {
  LinearLayout own = fromBases({{Dim::Offset, &offsetBases}, {Dim::Block, &blockBases}}, shape());
  llvm::SmallVector<DimSize, 4> sizes = axisSizes(tensor);
  return own.notSmaller(sizes).notLarger(sizes);
}

// -- Size and alignment -----------------------------------------------------------------

int64_t sharedElements(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  GL_CHECK(layout.isShared());
  int64_t elements = layout.toLinear(shape).inSize(Dim::Offset);
  if (const auto *padded = layout.as<PaddedSharedLayout>())
    return padded->physicalOffset(elements - 1) + 1;
  return elements;
}

int64_t sharedAlignment(const Layout &layout) {
  if (const auto *linear = layout.as<SharedLinearLayout>())
    return std::max<int64_t>(linear->alignment, 16);
  // The swizzle is a function of address bits, so that its pattern must start at its own multiple.
  if (const auto *nvmma = layout.as<NVMMASharedLayout>())
    return 128 * nvmma->maxPhase();
  return 16;
}

} // namespace gluonc::layout
