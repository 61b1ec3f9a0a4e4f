#include "layout/plan/Conversion.h"

#include "layout/linear/Gf2.h"
#include "layout/plan/ConversionParts.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

LinearLayout withOwnerDims(const LinearLayout &layout) {
  static constexpr Dim owners[] = {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block};
  LinearLayout result = layout;
  for (Dim dim : owners)
    if (!result.hasIn(dim))
      result = result.withBases(dim, {});
  return result.transposeIns(owners);
}

LinearLayout nearestSources(const LinearLayout &srcLayout, const LinearLayout &dstLayout) {
  LinearLayout src = withOwnerDims(srcLayout);
  LinearLayout dst = withOwnerDims(dstLayout);
  llvm::SmallVector<Dim, 4> outs;
  for (const DimSize &out : src.outDims())
    outs.push_back(out.dim);
  dst = dst.transposeOuts(outs);

  // `copies` spans the differences between owners of the same element.
  Gf2Span elements, copies;
  for (auto [i, basis] : llvm::enumerate(src.packedBases())) {
    Gf2Span::Reduced reduced = elements.reduce(basis);
    uint64_t self = uint64_t{1} << i;
    if (reduced.rest)
      elements.insert(basis, self);
    else
      copies.insert(self ^ reduced.combination, 0);
  }

  llvm::SmallVector<uint64_t, 16> bases;
  for (const DimSize &in : dst.inDims()) {
    for (auto [i, basis] : llvm::enumerate(dst.packedBases(in.dim))) {
      Gf2Span::Reduced any = elements.reduce(basis);
      GL_CHECK(any.rest == 0);
      uint64_t self = i < src.inLog2(in.dim) ? uint64_t{1} << (src.inShift(in.dim) + i) : 0;
      // A reduced vector is the least of its coset. With the block in the highest bits and the
      // register in the lowest, the least difference from our own place is the nearest owner.
      bases.push_back(self ^ copies.reduce(any.combination ^ self).rest);
    }
  }
  return LinearLayout::fromPacked(dst.inDims(), src.inDims(), bases);
}

static RegisterPlan planRegisters(const LinearLayout &sources) {
  RegisterPlan plan;
  for (uint32_t reg = 0; reg < sources.inSize(Dim::Register); ++reg)
    plan.source.push_back(sources.outComponent(
        sources.applyPacked(sources.packIn({{Dim::Register, reg}})), Dim::Register));
  return plan;
}

ConversionPlan planConversion(const LinearLayout &src, const LinearLayout &dst,
                              unsigned elementBits, const ConversionOptions &options) {
  LinearLayout sources = nearestSources(src, dst);
  if (!sources.isTrivialOver({Dim::Warp, Dim::Block}))
    return planThroughShared(src, dst, elementBits, options);
  if (sources.isTrivialOver({Dim::Lane})) {
    if (sources.isTrivialOver({Dim::Register}))
      return IdentityPlan();
    return planRegisters(sources);
  }
  std::optional<ShufflePlan> shuffles = planShuffles(sources, dst);
  if (shuffles && shuffles->before.size() <= options.maxSwaps &&
      shuffles->after.size() <= options.maxSwaps)
    return std::move(*shuffles);
  return planThroughShared(src, dst, elementBits, options);
}

int64_t scratchBytes(const ConversionPlan &plan) {
  const auto *shared = std::get_if<SharedPlan>(&plan);
  return shared ? shared->scratchBytes : 0;
}

llvm::StringRef describe(const ConversionPlan &plan) {
  static constexpr llvm::StringRef names[] = {"identity", "registers", "shuffle", "shared"};
  return names[plan.index()];
}

} // namespace gluonc::layout
