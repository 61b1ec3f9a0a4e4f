//===- GatherTest.cpp ---------------------------------------------------------===//
//
// The plan is interpreted on a register file and compared with the definition.
//
//===----------------------------------------------------------------------===//
#include "layout/plan/Gather.h"

#include "layout/named/Layouts.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

namespace gluonc::layout {
namespace {

LinearLayout registersOf(const Layout &layout, llvm::ArrayRef<int64_t> shape) {
  return layout.toLinear(shape).removeZeroBases(Dim::Register);
}

uint32_t applyImages(llvm::ArrayRef<uint32_t> images, uint64_t bits) {
  uint32_t value = 0;
  for (auto [i, image] : llvm::enumerate(images))
    if (bits >> i & 1)
      value ^= image;
  return value;
}

/// Every thread reads where the plan says, at random indices, and must find the right element.
void expectGathers(const WarpGatherPlan &plan, const LinearLayout &source,
                   const LinearLayout &result, unsigned axis, unsigned seed) {
  std::mt19937 random(seed);
  unsigned laneBits = result.inLog2(Dim::Lane), threadBits = laneBits + result.inLog2(Dim::Warp);
  for (uint32_t cta = 0; cta < 1u << result.inLog2(Dim::Block); ++cta)
    for (uint32_t warp = 0; warp < result.inSize(Dim::Warp); ++warp)
      for (uint32_t lane = 0; lane < result.inSize(Dim::Lane); ++lane)
        for (uint32_t reg = 0; reg < result.inSize(Dim::Register); ++reg) {
          uint32_t index = random() % source.outSize(Dim::axis(axis));
          uint64_t thread = lane | uint64_t(warp) << laneBits | uint64_t(cta) << threadBits;
          uint32_t fromLane = plan.lanes[reg] ^ applyImages(plan.laneImages, thread) ^
                              applyImages(plan.indexLanes, index);
          uint32_t which =
              applyImages(plan.registerImages, thread) ^ applyImages(plan.indexRegisters, index);
          ASSERT_TRUE(llvm::is_contained(plan.candidates, which));
          uint32_t fromRegister = which ^ plan.registers[reg];
          auto at = [&](const LinearLayout &layout, uint32_t reg, uint32_t lane) {
            return layout.apply(
                {{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}, {Dim::Block, cta}});
          };
          for (Coord coord : at(result, reg, lane))
            for (Coord other : at(source, fromRegister, fromLane))
              if (coord.dim == other.dim)
                ASSERT_EQ(other.value, coord.dim == Dim::axis(axis) ? index : coord.value);
        }
}

/// By looking: whether each CTA holds every element that differs along the axis from one of its
/// part of the result, and whether the holders of elements are linear as told.
bool findsAllAtHome(const LinearLayout &source, const LinearLayout &result, unsigned axis) {
  std::set<std::pair<uint32_t, uint64_t>> held;
  auto forAll = [](const LinearLayout &layout, auto visit) {
    for (uint64_t in = 0; in < uint64_t{1} << layout.totalInLog2(); ++in)
      visit(layout.inComponent(in, Dim::Block), layout.applyPacked(in));
  };
  forAll(source, [&](uint32_t cta, uint64_t place) { held.insert({cta, place}); });
  llvm::SmallVector<uint32_t, 20> images = holderImages(source);
  for (uint64_t place = 0; place < uint64_t{1} << source.totalOutLog2(); ++place)
    EXPECT_TRUE(held.count({applyImages(images, place), place}));
  bool all = true;
  forAll(result, [&](uint32_t cta, uint64_t packed) {
    uint64_t place = gatherPlace(source, result, packed, axis);
    for (uint64_t index = 0; index < uint64_t(source.outSize(Dim::axis(axis))); ++index)
      all &= held.count({cta, place | index << source.outShift(Dim::axis(axis))}) > 0;
  });
  return all;
}

TEST(Gather, StaysInTheWarpAlongARowOfLanes) {
  Layout layout = BlockedLayout{{1, 4}, {2, 16}, {4, 1}, {1, 0}, {}};
  LinearLayout linear = registersOf(layout, {32, 64});
  std::optional<WarpGatherPlan> rows = planWarpGather(linear, linear, 1);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->candidates.size(), 4u);
  expectGathers(*rows, linear, linear, 1, 1);
  // Along the other axis the rows lie in different warps.
  EXPECT_FALSE(planWarpGather(linear, linear, 0));
}

TEST(Gather, RefusesWhatTakesManyShuffles) {
  Layout layout = BlockedLayout{{1, 32}, {32, 1}, {4, 1}, {1, 0}, {}};
  LinearLayout linear = registersOf(layout, {128, 32});
  EXPECT_FALSE(planWarpGather(linear, linear, 1));
  EXPECT_TRUE(planWarpGather(linear, linear, 1, 32 * 32));
}

TEST(Gather, PlansOfRandomBlockedLayoutsFindTheirElements) {
  std::mt19937 random(7);
  unsigned planned = 0, atHome = 0;
  auto pick = [&](std::initializer_list<int64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  auto blocked = [&](unsigned ctaBits) {
    BasisList cga;
    for (unsigned bit = 0, used = 0; bit < ctaBits; ++bit) {
      unsigned dim = random() % 3;
      cga.push_back(dim == 2 ? layout::Ints{0, 0} : layout::Ints{dim == 0, dim == 1});
      // Two bits of one dim are its first and its second.
      if (dim < 2 && std::exchange(used, dim + 1) == dim + 1)
        cga.back()[dim] = 2;
    }
    int64_t lanes = pick({1, 2, 4, 8, 16, 32}), warps = pick({1, 2, 4});
    layout::Ints order = random() % 2 ? layout::Ints{1, 0} : layout::Ints{0, 1};
    return Layout(BlockedLayout{
        {pick({1, 2}), pick({1, 2, 4})}, {32 / lanes, lanes}, {4 / warps, warps}, order, cga});
  };
  for (unsigned round = 0; round < 400; ++round) {
    int64_t rows = pick({1, 4, 16, 64}), columns = pick({4, 16, 32});
    unsigned axis = random() % 2;
    unsigned ctaBits = random() % 3;
    LinearLayout source = registersOf(blocked(ctaBits), {rows, columns});
    llvm::SmallVector<int64_t> shape = {rows, columns};
    shape[axis] = pick({4, 32});
    LinearLayout result = registersOf(blocked(ctaBits), shape);
    bool staysInCta = gatherStaysInCta(source, result, axis);
    EXPECT_EQ(staysInCta, findsAllAtHome(source, result, axis)) << round;
    atHome += ctaBits && staysInCta;
    if (std::optional<WarpGatherPlan> plan = planWarpGather(source, result, axis, 1 << 12)) {
      ++planned;
      expectGathers(*plan, source, result, axis, round);
    }
  }
  EXPECT_GT(planned, 20u);
  EXPECT_GT(atHome, 20u);
}

} // namespace
} // namespace gluonc::layout
