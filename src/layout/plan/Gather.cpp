#include "layout/plan/Gather.h"

namespace gluonc::layout {
namespace {

/// Where an element lies in the source.
struct Place {
  uint32_t reg, lane, warp;
};

uint32_t combineImages(llvm::ArrayRef<uint32_t> images, uint32_t bits) {
  uint32_t combined = 0;
  for (auto [bit, image] : llvm::enumerate(images))
    if (bits >> bit & 1)
      combined ^= image;
  return combined;
}

/// Looks up where the source holds the coordinates of a result's input bit, axis aside.
class Finder {
public:
  Finder(const LinearLayout &inverse, unsigned axis) : inverse(inverse), axis(axis) {}

  Place operator()(const LinearLayout &result, uint64_t packed) const {
    llvm::SmallVector<Coord, 4> coords;
    for (DimSize out : result.outDims())
      if (out.dim != Dim::axis(axis))
        coords.push_back({out.dim, result.outComponent(packed, out.dim)});
    return placeOf(inverse.applyPacked(inverse.packIn(coords)));
  }
  Place placeOf(uint64_t packed) const {
    return {inverse.outComponent(packed, Dim::Register), inverse.outComponent(packed, Dim::Lane),
            inverse.outComponent(packed, Dim::Warp)};
  }

private:
  const LinearLayout &inverse;
  unsigned axis;
};

/// Every XOR of some of the images.
llvm::SmallVector<uint32_t, 8> spanOf(llvm::ArrayRef<uint32_t> images) {
  llvm::SmallVector<uint32_t, 8> span = {0};
  for (uint32_t image : images)
    if (!llvm::is_contained(span, image))
      for (size_t i = 0, size = span.size(); i < size; ++i)
        span.push_back(span[i] ^ image);
  return span;
}

} // namespace

llvm::SmallVector<uint32_t, 20> holderImages(const LinearLayout &source) {
  llvm::SmallVector<uint32_t, 20> images(source.totalOutLog2(), 0);
  std::optional<LinearLayout> inverse = source.pseudoInvert();
  if (!inverse || !inverse->hasOut(Dim::Block))
    return images;
  for (DimSize out : source.outDims())
    for (unsigned bit = 0; bit < out.log2; ++bit)
      images[source.outShift(out.dim) + bit] =
          inverse->outComponent(inverse->packedBasis(out.dim, bit), Dim::Block);
  return images;
}

uint32_t gatherPlace(const LinearLayout &source, const LinearLayout &result, uint64_t packed,
                     unsigned axis) {
  uint32_t place = 0;
  for (DimSize out : result.outDims())
    if (out.dim != Dim::axis(axis))
      place |= result.outComponent(packed, out.dim) << source.outShift(out.dim);
  return place;
}

bool gatherStaysInCta(const LinearLayout &source, const LinearLayout &result, unsigned axis) {
  if (!source.inLog2(Dim::Block))
    return true;
  llvm::SmallVector<uint32_t, 20> holders = holderImages(source);
  // Whether CTAs whose numbers differ so hold the same elements.
  auto holdSame = [&](uint32_t difference) {
    return source.applyPacked(source.packIn({{Dim::Block, difference}})) == 0;
  };
  for (unsigned bit = 0; bit < source.outLog2(Dim::axis(axis)); ++bit)
    if (!holdSame(holders[source.outShift(Dim::axis(axis)) + bit]))
      return false;
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned bit = 0; bit < result.inLog2(in); ++bit) {
      uint32_t place = gatherPlace(source, result, result.packedBasis(in, bit), axis);
      if (!holdSame(combineImages(holders, place) ^ (in == Dim::Block ? 1u << bit : 0)))
        return false;
    }
  return true;
}

std::optional<WarpGatherPlan> planWarpGather(const LinearLayout &source, const LinearLayout &result,
                                             unsigned axis, unsigned maxShuffles) {
  std::optional<LinearLayout> inverse = source.pseudoInvert();
  if (!inverse || !gatherStaysInCta(source, result, axis))
    return std::nullopt;
  Finder find(*inverse, axis);
  WarpGatherPlan plan;
  for (int64_t reg = 0; reg < result.inSize(Dim::Register); ++reg) {
    Place place = find(result, result.applyPacked(result.packIn({{Dim::Register, uint32_t(reg)}})));
    if (place.warp)
      return std::nullopt;
    plan.lanes.push_back(place.lane);
    plan.registers.push_back(place.reg);
  }
  for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned bit = 0; bit < result.inLog2(in); ++bit) {
      Place place = find(result, result.packedBasis(in, bit));
      // The warp reads its own registers, or any where all warps have the same.
      bool isCopy = in == Dim::Warp && source.packedBasis(Dim::Warp, bit) == 0;
      uint32_t own = in == Dim::Warp && !isCopy ? 1u << bit : 0;
      if (place.warp != own)
        return std::nullopt;
      plan.laneImages.push_back(place.lane);
      plan.registerImages.push_back(place.reg);
    }
  Dim along = Dim::axis(axis);
  llvm::SmallVector<uint32_t, 20> varying(plan.registerImages.begin(), plan.registerImages.end());
  for (unsigned bit = 0; bit < inverse->inLog2(along); ++bit) {
    Place place = find.placeOf(inverse->packedBasis(along, bit));
    if (place.warp)
      return std::nullopt;
    plan.indexLanes.push_back(place.lane);
    plan.indexRegisters.push_back(place.reg);
    varying.push_back(place.reg);
  }
  plan.candidates = spanOf(varying);
  if (plan.candidates.size() * plan.lanes.size() > maxShuffles)
    return std::nullopt;
  return plan;
}

} // namespace gluonc::layout
