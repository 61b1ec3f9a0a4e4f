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

// -- PartitionedSharedLayout ----------------------------------------------------------

Ints PartitionedSharedLayout::pieceShape(llvm::ArrayRef<int64_t> shape) const {
  Ints piece(shape);
  piece[partitionDim] /= pieces();
  return piece;
}

Problem PartitionedSharedLayout::validate() const {
  if (Problem problem = checkPowers("num_partitions and num_groups", {numPartitions, numGroups}))
    return problem;
  if (pieces() > maxDimSize)
    return std::string("num_partitions and num_groups are too large");
  bool isSuitable = partitionLayout.as<SwizzledSharedLayout>() ||
                    partitionLayout.as<PaddedSharedLayout>() ||
                    partitionLayout.as<SharedLinearLayout>();
  if (!isSuitable)
    return "partition_layout must be a SwizzledSharedLayout, a PaddedSharedLayout or a "
           "SharedLinearLayout, but is " +
           partitionLayout.toString();
  if (Problem problem = partitionLayout.validate())
    return problem;
  if (partitionDim < 0 || partitionDim >= int64_t(rank()))
    return "partition_dim " + std::to_string(partitionDim) +
           " is no dimension of a layout of rank " + std::to_string(rank());
  return std::nullopt;
}

Problem PartitionedSharedLayout::checkShape(llvm::ArrayRef<int64_t> shape) const {
  if (shape[partitionDim] < pieces())
    return "the shape " + listText(shape) + " cannot be cut into " + std::to_string(pieces()) +
           " pieces along dimension " + std::to_string(partitionDim);
  return layout::checkShape(partitionLayout, pieceShape(shape));
}

LinearLayout PartitionedSharedLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  Dim axis = Dim::axis(partitionDim);
  LinearLayout whole =
      partitionLayout.toLinear(pieceShape(shape)) *
      LinearLayout::identity1D(llvm::Log2_64(numPartitions), Dim::Partition, axis) *
      LinearLayout::identity1D(llvm::Log2_64(numGroups), Dim::Offset, axis);
  llvm::SmallVector<uint64_t> offsets(whole.packedBases(Dim::Offset));
  llvm::append_range(offsets, whole.packedBases(Dim::Partition));
  llvm::SmallVector<Dim, 2> ins;
  for (DimSize in : whole.inDims())
    if (in.dim != Dim::Partition)
      ins.push_back(in.dim);
  return whole.sublayout(ins, axes(shape.size())).withBases(Dim::Offset, offsets);
}

// -- Size and alignment -----------------------------------------------------------------

int64_t sharedElements(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  GL_CHECK(layout.isShared());
  int64_t elements = layout.toLinear(shape).inSize(Dim::Offset);
  if (const PaddedSharedLayout *padded = paddedPart(layout))
    return padded->physicalOffset(elements - 1) + 1;
  return elements;
}

const PaddedSharedLayout *paddedPart(const Layout &layout) {
  const auto *partitioned = layout.as<PartitionedSharedLayout>();
  return (partitioned ? partitioned->partitionLayout : layout).as<PaddedSharedLayout>();
}

int64_t sharedAlignment(const Layout &layout) {
  if (const auto *linear = layout.as<SharedLinearLayout>())
    return std::max<int64_t>(linear->alignment, 16);
  // The swizzle is a function of address bits, so that its pattern must start at its own multiple.
  if (const auto *nvmma = layout.as<NVMMASharedLayout>())
    return 128 * nvmma->maxPhase();
  if (const auto *partitioned = layout.as<PartitionedSharedLayout>())
    return sharedAlignment(partitioned->partitionLayout);
  return 16;
}

} // namespace gluonc::layout
