//===- SharingTest.cpp - Who loads the same -----------------------------------===//
#include "model/Sharing.h"
#include "model/TestTrace.h"
#include "ptx/TestKernel.h"

namespace gluonc::model {
namespace {

/// Sharers of the one load of a kernel's body, by so many CTAs.
Sharers sharersOf(const std::string &address, unsigned ctas) {
  Sharing sharing(1);
  ptx::Launch launch = ptx::threads(32);
  launch.grid = {ctas, 1, 1};
  launch.observer = &sharing;
  ptx::Executed run(
      "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd2, %r2, 128;\nadd.s64 %rd3, %in, %rd2;\n"
      "and.b32 %r3, %r2, 31;\nmul.wide.u32 %rd4, %r3, 128;\nadd.s64 %rd5, %in, %rd4;\n"
      "ld.global.b32 %r1, [" +
          address + "];",
      launch, 64, std::vector<uint32_t>(1024, 1));
  EXPECT_TRUE(run.isFine()) << run.message();
  return sharing.sharers().end()[-2];
}

TEST(ModelSharing, CountsTheClustersThatLoadASector) {
  EXPECT_EQ(sharersOf("%in", 8).all, 8);
  EXPECT_EQ(sharersOf("%in", 8).near, 8);
  EXPECT_EQ(sharersOf("%rd3", 8).all, 1);
}

TEST(ModelSharing, TellsNeighboursFromClustersFarApart) {
  // CTAs 0 and 32 load the same, 1 and 33, and so on.
  EXPECT_EQ(sharersOf("%rd5", 64).all, 2);
  EXPECT_EQ(sharersOf("%rd5", 64).near, 1);
}

TEST(ModelSharing, LooksAtClustersThatRunTogether) {
  EXPECT_EQ(waveOf(3, 100), (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(waveOf(10, 3), (std::vector<uint64_t>{3, 4, 5}));
  EXPECT_EQ(waveOf(100'000, 100'000).size(), mostSharing);
}

/// Cycles of a CTA that loads much, each sector with so many others.
double cyclesOf(Sharers sharers, const Speeds &chip = testChip) {
  TestTrace trace;
  for (int32_t i = 0; i != 60; ++i)
    trace.load(0, i);
  trace.math(0, Pipe::Float, 61, {59});
  for (Sharers &each : trace.trace.sharers)
    each = sharers;
  Launch launch;
  launch.clusters = 1000;
  launch.residentCtas = 4;
  return predict(trace.trace, chip, launch).prediction.cycles;
}

TEST(ModelSharing, MemoryGivesOnceWhatManyLoad) {
  EXPECT_GT(cyclesOf({1, 1}), 1.3 * cyclesOf({8, 8}));
  EXPECT_GT(cyclesOf({2, 2}), cyclesOf({8, 8}));
}

TEST(ModelSharing, TheSecondLevelCacheServesNeighboursFaster) {
  Speeds chip = testChip;
  chip.distinctBytesPerCycle = 4;
  // So many that memory is not the limit.
  EXPECT_GT(cyclesOf({64, 1}, chip), 1.3 * cyclesOf({64, 64}, chip));
  EXPECT_GT(cyclesOf({1, 1}, chip), 1.3 * cyclesOf({64, 1}, chip));
}

} // namespace
} // namespace gluonc::model
