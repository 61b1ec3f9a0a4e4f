//===- OccupancyTest.cpp - Workgroups of a compute unit, by hand -------------------===//
#include "target/amd/Occupancy.h"

#include <gtest/gtest.h>

namespace gluonc::target::amd {
namespace {

void expectOccupancy(const char *target, WorkgroupNeeds needs, unsigned workgroups,
                     OccupancyLimit limit) {
  std::optional<Occupancy> found = occupancyOf(*Target::parse(target), needs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ctas, workgroups);
  EXPECT_EQ(found->warps, workgroups * needs.waves);
  EXPECT_EQ(nameOf(found->limit), nameOf(limit));
}

TEST(AmdOccupancy, WavesOrWorkgroupsLimitWhatNeedsLittle) {
  expectOccupancy("hip:gfx942", {4, 32, 0}, 8, OccupancyLimit::Warps);
  expectOccupancy("hip:gfx942", {1, 32, 0}, 32, OccupancyLimit::Warps);
  expectOccupancy("hip:gfx1250", {4, 32, 0}, 16, OccupancyLimit::Warps);
}

TEST(AmdOccupancy, RegistersAreGivenOutInGranules) {
  // 512 / 168 = 3 waves of each of four SIMDs; accumulators are among the registers.
  expectOccupancy("hip:gfx942", {4, 165, 0}, 3, OccupancyLimit::Registers);
  expectOccupancy("hip:gfx942", {4, 512, 0}, 1, OccupancyLimit::Registers);
  expectOccupancy("hip:gfx950", {8, 128, 0}, 2, OccupancyLimit::Registers);
}

TEST(AmdOccupancy, LdsIsThatOfAComputeUnit) {
  expectOccupancy("hip:gfx942", {4, 64, 32 * 1024}, 2, OccupancyLimit::SharedMemory);
  expectOccupancy("hip:gfx950", {4, 64, 32 * 1024}, 5, OccupancyLimit::SharedMemory);
}

TEST(AmdOccupancy, OfOtherChipsNothingIsSaid) {
  EXPECT_FALSE(occupancyOf(*Target::parse("hip:gfx1100"), {4, 64, 0}));
}

} // namespace
} // namespace gluonc::target::amd
