//===- OccupancyTest.cpp - CTAs of a multiprocessor, by hand --------------------===//
#include "target/nvidia/Occupancy.h"

#include <gtest/gtest.h>

namespace gluonc::target::nvidia {
namespace {

void expectOccupancy(const char *target, CtaNeeds needs, unsigned ctas, OccupancyLimit limit) {
  std::optional<Occupancy> found = occupancyOf(*Target::parse(target), needs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ctas, ctas);
  EXPECT_EQ(found->warps, ctas * needs.warps);
  EXPECT_EQ(nameOf(found->limit), nameOf(limit));
}

TEST(Occupancy, WarpsOrCtasLimitWhatNeedsLittle) {
  expectOccupancy("cuda:90a", {4, 32, 0}, 16, OccupancyLimit::Warps);
  expectOccupancy("cuda:86", {4, 32, 0}, 12, OccupancyLimit::Warps);
  expectOccupancy("cuda:90a", {1, 32, 0}, 32, OccupancyLimit::Ctas);
  expectOccupancy("cuda:86", {1, 32, 0}, 16, OccupancyLimit::Ctas);
}

TEST(Occupancy, NamesTwoLimitsThatLetInAsMany) {
  // Registers let in 65536 / (128 * 128) = 4, shared memory 228 kB / (56 + 1) kB = 4.
  std::optional<Occupancy> found = occupancyOf(*Target::parse("cuda:90a"), {4, 128, 56 * 1024});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ctas, 4u);
  EXPECT_TRUE(found->isLimitedBy(OccupancyLimit::Registers));
  EXPECT_TRUE(found->isLimitedBy(OccupancyLimit::SharedMemory));
  // What registers take is not known without an assembler.
  found = occupancyOf(*Target::parse("cuda:90a"), {1, 0, 0});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isLimitedBy(OccupancyLimit::Ctas));
  EXPECT_FALSE(found->isLimitedBy(OccupancyLimit::Registers));
}

TEST(Occupancy, RegistersAreGivenOutInUnitsOfAWarp) {
  // 65536 / (255 → 256 times 128 threads) = 2.
  expectOccupancy("cuda:90a", {4, 255, 0}, 2, OccupancyLimit::Registers);
  // 33 become 40: 12 of them, not 15.
  expectOccupancy("cuda:90a", {4, 33, 0}, 12, OccupancyLimit::Registers);
  // A part has 16384: 7 warps of 72 registers, 28 in all, so 3 CTAs of 8.
  expectOccupancy("cuda:90a", {8, 72, 0}, 3, OccupancyLimit::Registers);
  expectOccupancy("cuda:90a", {1, 255, 0}, 8, OccupancyLimit::Registers);
}

TEST(Occupancy, SharedMemoryIncludesWhatTheSystemTakes) {
  expectOccupancy("cuda:90a", {4, 32, 227 * 1024}, 1, OccupancyLimit::SharedMemory);
  // Two of 114 kB with their kilobyte: not 114 + 1 twice.
  expectOccupancy("cuda:90a", {4, 32, 113 * 1024}, 2, OccupancyLimit::SharedMemory);
  expectOccupancy("cuda:90a", {4, 32, 113 * 1024 + 1}, 1, OccupancyLimit::SharedMemory);
}

TEST(Occupancy, NothingIsSaidOfChipsWithoutFigures) {
  EXPECT_FALSE(occupancyOf(*Target::parse("cuda:107a"), {}));
  EXPECT_FALSE(occupancyOf(*Target::parse("hip:gfx942"), {}));
  EXPECT_EQ(occupancyOf(*Target::parse("cuda:90a"), {32, 64, 0})->percent(), 50u);
}

} // namespace
} // namespace gluonc::target::nvidia
