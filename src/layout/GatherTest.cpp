//===- GatherTest.cpp ---------------------------------------------------------===//
//
// The plan is interpreted on a register file and compared with the definition.
//
//===----------------------------------------------------------------------===//
#include "layout/Gather.h"

#include "layout/Layouts.h"

#include "gtest/gtest.h"

#include <random>

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
  unsigned laneBits = result.inLog2(Dim::Lane);
  for (uint32_t warp = 0; warp < result.inSize(Dim::Warp); ++warp)
    for (uint32_t lane = 0; lane < result.inSize(Dim::Lane); ++lane)
      for (uint32_t reg = 0; reg < result.inSize(Dim::Register); ++reg) {
        uint32_t index = random() % source.outSize(Dim::axis(axis));
        uint64_t thread = lane | uint64_t(warp) << laneBits;
        uint32_t fromLane = plan.lanes[reg] ^ applyImages(plan.laneImages, thread) ^
                            applyImages(plan.indexLanes, index);
        uint32_t which =
            applyImages(plan.registerImages, thread) ^ applyImages(plan.indexRegisters, index);
        ASSERT_TRUE(llvm::is_contained(plan.candidates, which));
        uint32_t fromRegister = which ^ plan.registers[reg];
        auto coords = result.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}});
        auto found =
            source.apply({{Dim::Register, fromRegister}, {Dim::Lane, fromLane}, {Dim::Warp, warp}});
        for (Coord coord : coords)
          for (Coord other : found)
            if (coord.dim == other.dim)
              ASSERT_EQ(other.value, coord.dim == Dim::axis(axis) ? index : coord.value);
      }
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
  unsigned planned = 0;
  auto pick = [&](std::initializer_list<int64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  auto blocked = [&] {
    int64_t lanes = pick({1, 2, 4, 8, 16, 32}), warps = pick({1, 2, 4});
    layout::Ints order = random() % 2 ? layout::Ints{1, 0} : layout::Ints{0, 1};
    return Layout(BlockedLayout{
        {pick({1, 2}), pick({1, 2, 4})}, {32 / lanes, lanes}, {4 / warps, warps}, order, {}});
  };
  for (unsigned round = 0; round < 400; ++round) {
    int64_t rows = pick({1, 4, 16, 64}), columns = pick({4, 16, 32});
    unsigned axis = random() % 2;
    LinearLayout source = registersOf(blocked(), {rows, columns});
    llvm::SmallVector<int64_t> shape = {rows, columns};
    shape[axis] = pick({4, 32});
    LinearLayout result = registersOf(blocked(), shape);
    if (std::optional<WarpGatherPlan> plan = planWarpGather(source, result, axis, 1 << 12)) {
      ++planned;
      expectGathers(*plan, source, result, axis, round);
    }
  }
  EXPECT_GT(planned, 20u);
}

} // namespace
} // namespace gluonc::layout
