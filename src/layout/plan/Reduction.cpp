#include "layout/plan/Reduction.h"

#include "layout/linear/Gf2.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

namespace gluonc::layout {
namespace {

/// A subspace of axis values in echelon form, highest pivot first.
class Span {
public:
  uint32_t reduce(uint32_t value) const {
    for (uint32_t row : rows)
      if (value & llvm::bit_floor(row))
        value ^= row;
    return value;
  }
  bool insert(uint32_t value) {
    value = reduce(value);
    if (!value)
      return false;
    rows.insert(llvm::lower_bound(rows, value, std::greater<uint32_t>()), value);
    return true;
  }
  unsigned size() const { return rows.size(); }
  /// Which coset `value` lies in: the bits of its residue that are no pivots. Linear.
  uint32_t cosetOf(uint32_t value) const {
    uint32_t pivots = 0, coset = 0;
    for (uint32_t row : rows)
      pivots |= llvm::bit_floor(row);
    value = reduce(value);
    for (unsigned bit = 0, out = 0; bit < 32; ++bit)
      if (!(pivots >> bit & 1))
        coset |= (value >> bit & 1) << (out++ & 31);
    return coset;
  }

private:
  llvm::SmallVector<uint32_t, 8> rows;
};

} // namespace

LanesFirst::LanesFirst(llvm::ArrayRef<uint32_t> laneImages, unsigned positionLog2) {
  uint32_t placed = 0;
  auto place = [&](uint32_t image) {
    if (!llvm::isPowerOf2_32(image) || (placed & image))
      return;
    placed |= image;
    order.push_back(llvm::countr_zero(image));
  };
  llvm::for_each(laneImages, place);
  for (unsigned bit = 0; bit < positionLog2; ++bit)
    place(1u << bit);
}

uint32_t LanesFirst::operator()(uint32_t position) const {
  uint32_t moved = 0;
  for (auto [to, from] : llvm::enumerate(order))
    moved |= (position >> from & 1) << to;
  return moved;
}

uint32_t positionWithout(const LinearLayout &layout, uint64_t packed, unsigned axis) {
  uint32_t position = 0;
  unsigned shift = 0;
  for (unsigned i = 0; layout.hasOut(Dim::axis(i)); ++i) {
    if (i == axis)
      continue;
    position |= layout.outComponent(packed, Dim::axis(i)) << shift;
    shift += layout.outLog2(Dim::axis(i));
  }
  return position;
}

static int64_t wholeUnits(int64_t bytes) { return (bytes + 15) & ~int64_t{15}; }

int64_t ReductionPlan::slotBytes(int64_t elementBytes) const {
  return slotLog2 ? wholeUnits(elementBytes << (positionLog2 + slotLog2)) : 0;
}

int64_t ReductionPlan::scratchBytes(int64_t elementBytes) const {
  int64_t exchanged = blockXors.empty() ? 0 : wholeUnits(elementBytes << positionLog2);
  return slotBytes(elementBytes) + exchanged;
}

/// Whether each CTA, with those that share its positions, holds every value of the axis.
static bool coversAxis(const LinearLayout &source, Dim axis, llvm::ArrayRef<uint32_t> blockXors) {
  Gf2Span held;
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (uint64_t basis : source.packedBases(in))
      held.insert(basis);
  for (uint32_t block : blockXors)
    held.insert(source.applyPacked(source.packIn({{Dim::Block, block}})));
  for (unsigned bit = 0; bit < source.outLog2(axis); ++bit)
    if (held.reduce(uint64_t{1} << (source.outShift(axis) + bit)).rest)
      return false;
  return true;
}

std::optional<ReductionPlan> planReduction(const LinearLayout &source, unsigned axis) {
  Dim dim = Dim::axis(axis);
  auto image = [&](Dim in, uint32_t value) {
    return source.applyPacked(source.packIn({{in, value}}));
  };
  auto axisOf = [&](uint64_t packed) { return source.outComponent(packed, dim); };
  auto positionOf = [&](uint64_t packed) { return positionWithout(source, packed, axis); };

  ReductionPlan plan;
  plan.positionLog2 = source.totalOutLog2() - source.outLog2(dim);
  Span reached;
  llvm::SmallDenseMap<uint32_t, unsigned> groupOf;
  llvm::SmallDenseSet<uint64_t> seen;
  for (uint32_t reg = 0; reg < source.inSize(Dim::Register); ++reg) {
    uint64_t packed = image(Dim::Register, reg);
    // A register that repeats an element would count it twice.
    if (!seen.insert(packed).second)
      continue;
    auto [entry, fresh] = groupOf.try_emplace(positionOf(packed), plan.groups.size());
    if (fresh)
      plan.groups.push_back({entry->first, 0, 0, {}});
    ReductionPlan::Group &group = plan.groups[entry->second];
    if (!fresh)
      reached.insert(axisOf(packed) ^ axisOf(image(Dim::Register, group.registers.front())));
    group.registers.push_back(reg);
  }
  for (ReductionPlan::Group &group : plan.groups)
    llvm::sort(group.registers, [&](uint32_t a, uint32_t b) {
      return axisOf(image(Dim::Register, a)) < axisOf(image(Dim::Register, b));
    });

  for (uint32_t lane = 1; lane < source.inSize(Dim::Lane); ++lane) {
    uint64_t packed = image(Dim::Lane, lane);
    if (positionOf(packed) == 0 && reached.insert(axisOf(packed)))
      plan.laneXors.push_back(lane);
  }

  uint32_t blocks = source.hasIn(Dim::Block) ? source.inSize(Dim::Block) : 1;
  for (uint32_t block = 1; block < blocks; ++block) {
    uint64_t packed = image(Dim::Block, block);
    if (positionOf(packed) == 0 && reached.insert(axisOf(packed)))
      plan.blockXors.push_back(block);
  }
  if (blocks > 1 && !coversAxis(source, dim, plan.blockXors))
    return std::nullopt;

  plan.slotLog2 = source.outLog2(dim) - reached.size();
  llvm::SmallVector<uint32_t, 5> laneImages;
  for (uint64_t basis : source.packedBases(Dim::Lane))
    laneImages.push_back(positionOf(basis));
  LanesFirst placeOf(laneImages, plan.positionLog2);
  for (ReductionPlan::Group &group : plan.groups) {
    group.place = placeOf(group.position);
    group.slot = reached.cosetOf(axisOf(image(Dim::Register, group.registers.front())));
  }
  for (Dim in : {Dim::Lane, Dim::Warp})
    for (uint64_t basis : source.packedBases(in)) {
      plan.placeImages.push_back(placeOf(positionOf(basis)));
      plan.slotImages.push_back(reached.cosetOf(axisOf(basis)));
    }
  return plan;
}

} // namespace gluonc::layout
