#include "layout/named/Parts.h"

#include "layout/linear/Gf2.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::layout {

// -- BlockedLayout ------------------------------------------------------------------

Problem BlockedLayout::validate() const {
  size_t n = order.size();
  if (n == 0)
    return "a blocked layout needs at least one dimension";
  if (sizePerThread.size() != n || threadsPerWarp.size() != n || warpsPerCta.size() != n)
    return "size_per_thread, threads_per_warp, warps_per_cta and order must have equal lengths, "
           "but have " +
           std::to_string(sizePerThread.size()) + ", " + std::to_string(threadsPerWarp.size()) +
           ", " + std::to_string(warpsPerCta.size()) + " and " + std::to_string(n);
  if (Problem problem = checkPowers("size_per_thread", sizePerThread))
    return problem;
  if (Problem problem = checkPowers("threads_per_warp", threadsPerWarp))
    return problem;
  if (Problem problem = checkPowers("warps_per_cta", warpsPerCta))
    return problem;
  if (Problem problem = checkOrder(order))
    return problem;
  // The tile as a whole must stay within what a packed index can hold.
  unsigned bits =
      log2Product(sizePerThread) + log2Product(threadsPerWarp) + log2Product(warpsPerCta);
  if (bits > 24 || n > 24)
    return "a blocked layout's tile is too large";
  return checkCga(cga, n);
}

Owners BlockedLayout::owners() const { return {product(threadsPerWarp), product(warpsPerCta)}; }

LinearLayout BlockedLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  GL_CHECK(shape.size() == rank());
  auto spread = [&](Dim in, const Ints &sizes) {
    llvm::SmallVector<unsigned, 4> log2s, fastestFirst;
    for (int64_t size : sizes)
      log2s.push_back(llvm::Log2_64(size));
    llvm::append_range(fastestFirst, order);
    return LinearLayout::identityND(in, log2s, fastestFirst);
  };
  LinearLayout tile = spread(Dim::Register, sizePerThread) * spread(Dim::Lane, threadsPerWarp) *
                      spread(Dim::Warp, warpsPerCta);
  return combine(tile, cgaToLinear(cga, rank()), shape);
}

// -- SliceLayout --------------------------------------------------------------------

Problem SliceLayout::validate() const {
  if (!parent.isDistributed() || parent.isPlaceholder())
    return "the parent of a slice layout must be a distributed layout, but is " + parent.toString();
  if (Problem problem = parent.validate())
    return "in the parent of a slice layout: " + *problem;
  if (*parent.rank() < 2)
    return "the parent of a slice layout must have at least two dimensions";
  if (dim < 0 || dim >= *parent.rank())
    return "slice dimension " + std::to_string(dim) + " is out of range for a parent of rank " +
           std::to_string(*parent.rank());
  return std::nullopt;
}

Owners SliceLayout::owners() const { return ownersOf(parent); }

LinearLayout SliceLayout::toLinear(llvm::ArrayRef<int64_t> shape) const {
  Ints whole(shape);
  whole.insert(whole.begin() + dim, 1);
  LinearLayout linear = parent.toLinear(whole);
  // The sliced dim has size 1, so that renumbering the others only renames them.
  llvm::SmallVector<Dim, 4> ins, kept;
  for (const DimSize &in : linear.inDims())
    ins.push_back(in.dim);
  for (unsigned d = 0; d < whole.size(); ++d)
    if (d != dim)
      kept.push_back(Dim::axis(d));
  return linear.sublayout(ins, kept).reshapeOuts(axisSizes(shape)).removeZeroBases(Dim::Register);
}

// -- DistributedLinearLayout ----------------------------------------------------------

BasisList blockBasesToCga(const BasisList &blockBases, llvm::ArrayRef<int64_t> shape) {
  // The nonzero block bases of a dim are its highest bits, so the lowest of them is the share.
  // Asked before validation, too, hence the care with lengths and signs.
  BasisList result = blockBases;
  for (unsigned d = 0; d < shape.size(); ++d) {
    int64_t share = shape[d];
    for (const Ints &basis : blockBases)
      if (d < basis.size() && basis[d] > 0)
        share = std::min(share, basis[d]);
    for (Ints &basis : result)
      if (d < basis.size())
        basis[d] /= std::max<int64_t>(share, 1);
  }
  return result;
}

Problem DistributedLinearLayout::validate() const {
  if (shape.empty())
    return "a linear layout needs at least one dimension";
  if (shape.size() > 24)
    return "a linear layout can have at most 24 dimensions";
  if (Problem problem = checkPowers("the sizes of a linear layout's shape", shape))
    return problem;
  const std::pair<const char *, const BasisList *> fields[] = {{"reg_bases", &regBases},
                                                               {"lane_bases", &laneBases},
                                                               {"warp_bases", &warpBases},
                                                               {"block_bases", &blockBases}};
  unsigned bits = 0;
  for (auto [name, bases] : fields) {
    if (Problem problem = checkBases(name, *bases, rank()))
      return problem;
    for (const Ints &basis : *bases)
      for (auto [component, size] : llvm::zip_equal(basis, shape))
        if (component >= size)
          return std::string(name) + " has the basis " + listText(basis) +
                 ", which lies outside the shape " + listText(shape);
    bits += bases->size();
  }
  if (bits > 36 || log2Product(shape) > 24)
    return "the linear layout is too large";
  if (!toLinear(shape).isSurjective())
    return "the linear layout does not cover its shape " + listText(shape) +
           ": some elements have no owner";
  return std::nullopt;
}

Owners DistributedLinearLayout::owners() const {
  return {int64_t{1} << laneBases.size(), int64_t{1} << warpBases.size()};
}

Problem DistributedLinearLayout::inferFromText() {
  return inferShape({&regBases, &laneBases, &warpBases, &blockBases}, shape);
}

LinearLayout DistributedLinearLayout::toLinear(llvm::ArrayRef<int64_t> tensor) const {
  LinearLayout own = fromBases({{Dim::Register, &regBases},
                                {Dim::Lane, &laneBases},
                                {Dim::Warp, &warpBases},
                                {Dim::Block, &blockBases}},
                               shape);
  if (tensor == llvm::ArrayRef<int64_t>(shape))
    return own;
  llvm::SmallVector<Dim, 4> fastestFirst;
  for (unsigned d : orderOf(own))
    fastestFirst.push_back(Dim::axis(d));
  llvm::SmallVector<DimSize, 4> sizes = axisSizes(tensor);
  return own.transposeOuts(fastestFirst)
      .notSmaller(sizes)
      .notLarger(sizes)
      .transposeOuts(axes(rank()));
}

bool DistributedLinearLayout::isPermutation() const {
  llvm::SmallVector<uint64_t, 16> seen;
  LinearLayout linear = toLinear(shape);
  for (uint64_t basis : linear.packedBases()) {
    if (!basis)
      continue;
    if (!llvm::has_single_bit(basis) || llvm::is_contained(seen, basis))
      return false;
    seen.push_back(basis);
  }
  return true;
}

} // namespace gluonc::layout
