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

TEST(Compatibility, TheLatestOfTwoIsNearer) {
  EXPECT_TRUE(isNearer(*Target::parse("cuda:86"), *Target::parse("cuda:80")));
  EXPECT_FALSE(isNearer(*Target::parse("cuda:80"), *Target::parse("cuda:80")));
}
