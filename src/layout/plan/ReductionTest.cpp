//===- ReductionTest.cpp - Who meets whom along an axis ----------------------===//
#include "layout/plan/Reduction.h"
#include "layout/named/Layouts.h"
#include "layout/plan/Scan.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace gluonc::layout;

namespace {

LinearLayout make(std::vector<LinearLayout::InBases> ins, std::vector<DimSize> outs) {
  return LinearLayout::create(ins, outs).value();
}

const Dim reg = Dim::Register, lane = Dim::Lane, warp = Dim::Warp;
const Dim row = Dim::axis(0), col = Dim::axis(1);

TEST(Reduction, GoesFromRegistersToLanesToSlots) {
  LinearLayout layout =
      make({{reg, {{1}}}, {lane, {{2}, {4}, {8}, {16}, {32}}}, {warp, {{64}}}}, {{row, 7}});
  ReductionPlan plan = planReduction(layout, 0).value();
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_EQ(plan.groups[0].registers.size(), 2u);
  EXPECT_EQ(plan.laneXors.size(), 5u);
  EXPECT_EQ(plan.slotLog2, 1u);
  EXPECT_EQ(plan.slotImages.back(), 1u);
  EXPECT_EQ(plan.placeImages.back(), 0u);
  EXPECT_EQ(plan.scratchBytes(4), 16);
}

TEST(Reduction, LanesOfAWarpFindTheirSlotsSideBySide) {
  // Four columns a thread, rows over eight warps.
  LinearLayout layout = make({{reg, {{0, 1}, {0, 2}}},
                              {lane, {{0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 0}}},
                              {warp, {{4, 0}, {8, 0}, {16, 0}}}},
                             {{row, 5}, {col, 5}});
  ReductionPlan plan = planReduction(layout, 0).value();
  EXPECT_EQ(plan.slotLog2, 3u);
  EXPECT_EQ(plan.placeImages, (llvm::SmallVector<uint32_t, 10>{1, 2, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(plan.groups[1].place, 8u);
  // 16 bytes of a lane lie beside those of the next.
  EXPECT_EQ(plan.offsetOf(1, 0), 4u);
  EXPECT_EQ(plan.offsetOf(0, 3), 3u);
  EXPECT_EQ(plan.offsetOf(0, 4), 4u * 32);
}

TEST(Reduction, CopiesAreNotCountedTwice) {
  // Lane bits 3 and 4 hold copies, and the warp repeats what register bit 0 gives.
  LinearLayout layout =
      make({{reg, {{1}}}, {lane, {{2}, {4}, {8}, {0}, {0}}}, {warp, {{1}}}}, {{row, 4}});
  ReductionPlan plan = planReduction(layout, 0).value();
  EXPECT_EQ(plan.laneXors, (llvm::SmallVector<uint32_t, 5>{1, 2, 4}));
  EXPECT_EQ(plan.slotLog2, 0u);
  EXPECT_EQ(plan.scratchBytes(4), 0);
}

TEST(Reduction, LanesThatMixDimsMeetWhereTheRowIsTheSame) {
  // Lanes 1 and 2 both change the row, together they do not.
  LinearLayout layout =
      make({{reg, {}}, {lane, {{1, 1}, {1, 2}}}, {warp, {}}}, {{row, 1}, {col, 2}});
  ReductionPlan plan = planReduction(layout, 1).value();
  EXPECT_EQ(plan.laneXors, (llvm::SmallVector<uint32_t, 5>{3}));
  EXPECT_EQ(plan.slotLog2, 1u);
}

TEST(Scan, LanesOfAWarpHaveNeighbouringPositions) {
  // Four columns a thread, rows over warps.
  LinearLayout layout = make({{reg, {{0, 1}, {0, 2}, {2, 0}}},
                              {lane, {{0, 4}, {0, 8}, {0, 16}, {0, 32}, {1, 0}}},
                              {warp, {{4, 0}}}},
                             {{row, 3}, {col, 6}});
  ScanPlan plan = planScan(layout, 0).value();
  EXPECT_EQ(plan.positionImages, (llvm::SmallVector<uint32_t, 10>{1, 2, 4, 8, 0, 0}));
  EXPECT_EQ(plan.positions, (llvm::SmallVector<uint32_t, 16>{0, 16, 32, 48, 0, 16, 32, 48}));
}

TEST(Scan, StepsFollowTheBitsOfTheAxis) {
  LinearLayout layout = make({{reg, {{1}, {16}}}, {lane, {{2}, {4}}}, {warp, {{8}}}}, {{row, 5}});
  ScanPlan plan = planScan(layout, 0).value();
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_FALSE(plan.steps[0].inLane);
  EXPECT_TRUE(plan.steps[2].inLane);
  EXPECT_EQ(plan.steps[2].lowLanes, 1u);
  EXPECT_EQ(plan.slotLog2, 2u);
  EXPECT_EQ(plan.slots[2], 2u);
  EXPECT_EQ(plan.slotImages.back(), 1u);
}

TEST(Scan, LayoutThatSplitsABitOfTheAxisHasNoPlan) {
  LinearLayout repeated = make({{reg, {{1}}}, {lane, {{1}}}, {warp, {}}}, {{row, 1}});
  EXPECT_FALSE(planScan(repeated, 0).has_value());
  LinearLayout mixed = make({{reg, {{1, 1}}}, {lane, {{1, 0}}}, {warp, {}}}, {{row, 1}, {col, 1}});
  EXPECT_FALSE(planScan(mixed, 1).has_value());
}

// Comparing each register with all others of its group took minutes here.
TEST(Reduction, PlanningTakesTimeInProportionToTheRegisters) {
  auto start = std::chrono::steady_clock::now();
  BlockedLayout layout{{1 << 16}, {32}, {4}, {0}, {}};
  std::optional<ReductionPlan> plan = planReduction(layout.toLinear({1 << 23}), 0);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->groups.size(), 1u);
  EXPECT_EQ(plan->groups[0].registers.size(), size_t{1} << 16);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

} // namespace
