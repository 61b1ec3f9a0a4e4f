#include "layout/plan/Scan.h"

#include "layout/plan/Reduction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::layout {
namespace {

struct Place {
  Dim in;
  unsigned bit;
};

/// The bit of register, lane or warp that holds each bit of the axis, lowest first; in all CTAs
/// alike.
std::optional<llvm::SmallVector<Place, 12>> placesOf(const LinearLayout &source, Dim axis) {
  llvm::SmallVector<Place, 12> places(source.outLog2(axis), Place{Dim::Block, 0});
  uint64_t unit = uint64_t{1} << source.outShift(axis);
  for (unsigned bit = 0; bit < source.inLog2(Dim::Block); ++bit)
    if (source.basis(Dim::Block, bit, axis))
      return std::nullopt;
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (auto [bit, basis] : llvm::enumerate(source.packedBases(in))) {
      uint32_t along = source.outComponent(basis, axis);
      if (!along)
        continue;
      unsigned place = llvm::countr_zero(along);
      if (basis != unit << place || places[place].in != Dim::Block)
        return std::nullopt;
      places[place] = {in, static_cast<unsigned>(bit)};
    }
  for (const Place &place : places)
    if (place.in == Dim::Block)
      return std::nullopt;
  return places;
}

} // namespace

int64_t ScanPlan::scratchBytes(int64_t elementBytes) const {
  if (!slotLog2)
    return 0;
  return ((elementBytes << (positionLog2 + slotLog2)) + 15) & ~int64_t{15};
}

std::optional<ScanPlan> planScan(const LinearLayout &source, unsigned axis) {
  Dim dim = Dim::axis(axis);
  std::optional<llvm::SmallVector<Place, 12>> places = placesOf(source, dim);
  if (!places)
    return std::nullopt;
  ScanPlan plan;
  plan.positionLog2 = source.totalOutLog2() - source.outLog2(dim);
  unsigned done = 0;
  for (const Place &place : *places) {
    if (place.in == Dim::Warp)
      break;
    bool inLane = place.in == Dim::Lane;
    uint32_t bit = 1u << place.bit;
    plan.steps.push_back({inLane, bit, plan.lowRegisters, plan.lowLanes});
    (inLane ? plan.lowLanes : plan.lowRegisters) |= bit;
    ++done;
  }
  plan.slotLog2 = places->size() - done;
  for (uint32_t reg = 0; reg < source.inSize(Dim::Register); ++reg) {
    uint64_t packed = source.applyPacked(source.packIn({{Dim::Register, reg}}));
    plan.positions.push_back(positionWithout(source, packed, axis));
    plan.slots.push_back(source.outComponent(packed, dim) >> done);
  }
  for (Dim in : {Dim::Lane, Dim::Warp})
    for (uint64_t basis : source.packedBases(in)) {
      plan.positionImages.push_back(positionWithout(source, basis, axis));
      plan.slotImages.push_back(source.outComponent(basis, dim) >> done);
    }
  LanesFirst placeOf(llvm::ArrayRef(plan.positionImages).take_front(source.inLog2(Dim::Lane)),
                     plan.positionLog2);
  for (uint32_t &position : plan.positions)
    position = placeOf(position);
  for (uint32_t &image : plan.positionImages)
    image = placeOf(image);
  return plan;
}

} // namespace gluonc::layout
