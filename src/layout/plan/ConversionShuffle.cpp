//===- ConversionShuffle.cpp - Conversions by warp shuffles ----------------===//
//
// In one shuffle every lane offers one register and reads what one lane offers.
// Trouble arises where a register bit and a lane bit change places: two readers
// of one lane then want different registers of it.  The cure is to let readers
// fetch in different orders: in round k, lane l fetches its register k ^ M(l).
//
// Write the wanted move as  (k, l) -> register Rk(k) ^ Rl(l), lane Lk(k) ^ Ll(l).
// In round k lane l then reads
//
//   lane      t = N(l) ^ Lk(k)         with N = Ll ^ Lk M
//   register  Rk(k) ^ Rl(l) ^ Rk(M(l))
//
// All readers of a lane agree if the second line, for k = 0, is a function f of
// N(l).  Then lane t offers in round k the register  Rk(k) ^ f(Lk(k)) ^ f(t):
// a fixed register, once each lane has exchanged its registers by f(t).  So
//
//   before: exchange by f(lane);  a shuffle per round;  after: exchange by M(lane)
//
// M is found one lane bit at a time.  For a bijective move the greedy choice
// never fails: if bit i of the lane needs help, the lanes reached so far cannot
// include all that the registers reach, else the move would not be onto.
//
//===----------------------------------------------------------------------===//
#include "layout/plan/ConversionParts.h"

#include "layout/linear/Gf2.h"

#include "llvm/ADT/STLExtras.h"

namespace gluonc::layout {

uint32_t ShufflePlan::sourceLane(uint32_t lane, uint32_t laneXor) const {
  uint32_t result = laneXor;
  for (; lane; lane &= lane - 1)
    result ^= laneMap[llvm::countr_zero(lane)];
  return result;
}

bool ShufflePlan::laneMapIsIdentity() const {
  for (auto [i, image] : llvm::enumerate(laneMap))
    if (image != 1u << i)
      return false;
  return true;
}

namespace {

/// Where a single bit of the destination reads from.
struct Place {
  uint64_t reg, lane;
  Place operator^(const Place &other) const { return {reg ^ other.reg, lane ^ other.lane}; }
};

/// The map lane -> register mask with these images of the lane bits, as the fewest exchanges.
llvm::SmallVector<LaneSwap, 2> factor(llvm::ArrayRef<uint64_t> images) {
  llvm::SmallVector<LaneSwap, 2> swaps;
  Gf2Span span;
  for (uint64_t image : images)
    if (span.insert(image, uint64_t{1} << swaps.size()))
      swaps.push_back({static_cast<uint32_t>(image), 0});
  for (auto [lane, image] : llvm::enumerate(images))
    for (uint64_t rest = span.reduce(image).combination; rest; rest &= rest - 1)
      swaps[llvm::countr_zero(rest)].laneMask |= 1u << lane;
  return swaps;
}

class ShufflePlanner {
public:
  ShufflePlanner(const LinearLayout &sources, const LinearLayout &dst) : sources(sources) {
    auto place = [&](Dim in, unsigned i) {
      uint64_t packed = sources.packedBasis(in, i);
      return Place{sources.outComponent(packed, Dim::Register),
                   sources.outComponent(packed, Dim::Lane)};
    };
    collectDistinct(dst);
    for (unsigned bit : distinctBits)
      ofRegister.push_back(place(Dim::Register, bit));
    for (unsigned i = 0; i < sources.inLog2(Dim::Lane); ++i)
      ofLane.push_back(place(Dim::Lane, i));
  }

  std::optional<ShufflePlan> plan() {
    for (const Place &lane : ofLane)
      if (!chooseHelp(lane))
        return std::nullopt;
    return build();
  }

private:
  /// Finds the destination registers that hold different elements, and for each other one its
  /// twin among them.
  void collectDistinct(const LinearLayout &dst) {
    Gf2Span span;
    llvm::SmallVector<uint32_t, 8> images;
    for (auto [i, basis] : llvm::enumerate(dst.packedBases(Dim::Register))) {
      if (span.insert(basis, uint64_t{1} << distinctBits.size()))
        distinctBits.push_back(i);
      images.push_back(span.reduce(basis).combination);
    }
    for (uint32_t reg = 0; reg < 1u << images.size(); ++reg) {
      uint32_t index = 0;
      for (uint32_t rest = reg; rest; rest &= rest - 1)
        index ^= images[llvm::countr_zero(rest)];
      destination.push_back(index);
    }
  }

  Place ofRegisters(uint64_t mask) const {
    Place place{0, 0};
    for (; mask; mask &= mask - 1)
      place = place ^ ofRegister[llvm::countr_zero(mask)];
    return place;
  }

  /// Chooses M of the next lane bit, preferring none, then one already in use, then few bits.
  bool chooseHelp(const Place &lane) {
    if (accept(lane, 0))
      return true;
    for (uint64_t mask : llvm::SmallVector<uint64_t, 6>(help))
      if (mask && accept(lane, mask))
        return true;
    for (unsigned i = 0; i < ofRegister.size(); ++i)
      if (accept(lane, uint64_t{1} << i))
        return true;
    // Sums of bits are needed only for moves that are not permutations of bits.
    for (uint64_t mask = 1; mask < uint64_t{1} << std::min<size_t>(ofRegister.size(), 8); ++mask)
      if (accept(lane, mask))
        return true;
    return false;
  }

  bool accept(const Place &lane, uint64_t mask) {
    Place fetched = lane ^ ofRegisters(mask);
    Gf2Span::Reduced reduced = offered.reduce(fetched.lane);
    if (!reduced.rest && reduced.combination != fetched.reg)
      return false;
    offered.insert(fetched.lane, fetched.reg);
    laneMap.push_back(fetched.lane);
    help.push_back(mask);
    return true;
  }

  ShufflePlan build() const {
    ShufflePlan plan;
    plan.sourceLog2 = sources.outLog2(Dim::Register);
    plan.resultLog2 = distinctBits.size();
    plan.laneMap = laneMap;
    plan.destination = destination;
    llvm::SmallVector<uint64_t, 6> exchanged;
    for (unsigned i = 0; i < sources.outLog2(Dim::Lane); ++i)
      exchanged.push_back(offered.reduce(uint64_t{1} << i).combination);
    plan.before = factor(exchanged);
    plan.after = factor(help);
    for (uint32_t k = 0; k < 1u << plan.resultLog2; ++k) {
      Place place = ofRegisters(k);
      uint64_t reg = place.reg ^ offered.reduce(place.lane).combination;
      plan.rounds.push_back({static_cast<uint32_t>(reg), static_cast<uint32_t>(place.lane), k});
    }
    return plan;
  }

  const LinearLayout &sources;
  llvm::SmallVector<unsigned, 8> distinctBits;
  llvm::SmallVector<uint32_t, 16> destination;
  llvm::SmallVector<Place, 8> ofRegister, ofLane;
  /// f: lanes that are read, tagged with how their registers are exchanged.
  Gf2Span offered;
  llvm::SmallVector<uint32_t, 6> laneMap;
  /// M, one mask of result registers for each lane bit.
  llvm::SmallVector<uint64_t, 6> help;
};

} // namespace

std::optional<ShufflePlan> planShuffles(const LinearLayout &sources, const LinearLayout &dst) {
  return ShufflePlanner(sources, dst).plan();
}

} // namespace gluonc::layout
