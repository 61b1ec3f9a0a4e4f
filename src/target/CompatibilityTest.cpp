#include "target/Compatibility.h"

#include "gtest/gtest.h"

using namespace gluonc::target;

static bool runs(const char *chip, const char *code) {
  return runs(*Target::parse(chip), *Target::parse(code));
}

TEST(Compatibility, EveryChipRunsItsOwnCode) {
  for (const Target &target : Target::all())
    EXPECT_TRUE(runs(target, target)) << target.name();
}

TEST(Compatibility, CodeOfAnEarlierMinorCapabilityRuns) {
  EXPECT_TRUE(runs("cuda:86", "cuda:80"));
  EXPECT_TRUE(runs("cuda:89", "cuda:86"));
  EXPECT_FALSE(runs("cuda:80", "cuda:86"));
  EXPECT_FALSE(runs("cuda:90a", "cuda:89"));
}

TEST(Compatibility, ArchitectureSpecificCodeRunsNowhereElse) {
  EXPECT_FALSE(runs("cuda:103a", "cuda:100a"));
  EXPECT_FALSE(runs("hip:gfx950", "hip:gfx942"));
  EXPECT_FALSE(runs("cuda:80", "hip:gfx942"));
}

TEST(Compatibility, PtxIsCompiledForLaterChipsUnlessItIsSpecific) {
  Target hopper = *Target::parse("cuda:90a"), blackwell = *Target::parse("cuda:103a");
  EXPECT_TRUE(runsPtx(hopper, "sm_80"));
  EXPECT_TRUE(runsPtx(hopper, "sm_90"));
  EXPECT_TRUE(runsPtx(hopper, "sm_90a"));
  EXPECT_FALSE(runsPtx(hopper, "sm_100"));
  EXPECT_FALSE(runsPtx(blackwell, "sm_100a"));
  EXPECT_TRUE(runsPtx(blackwell, "sm_100f"));
  EXPECT_FALSE(runsPtx(hopper, "sm_80f"));
  for (const char *none : {"", "sm_", "sm_a", "sm_90ab", "sm_9x", "gfx942"})
    EXPECT_FALSE(runsPtx(hopper, none)) << none;
}

TEST(Compatibility, TheLatestOfTwoIsNearer) {
  EXPECT_TRUE(isNearer(*Target::parse("cuda:86"), *Target::parse("cuda:80")));
  EXPECT_FALSE(isNearer(*Target::parse("cuda:80"), *Target::parse("cuda:80")));
}
