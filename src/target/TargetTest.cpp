#include "target/Features.h"

#include "gtest/gtest.h"

using gluonc::target::Feature;
using gluonc::target::has;
using gluonc::target::Target;

TEST(Target, EverySpellingParsesBackToItself) {
  for (const Target &target : Target::all())
    EXPECT_EQ(Target::parse(target.name()), target) << target.name();
}

TEST(Target, SuffixIsImpliedFromHopperOn) {
  EXPECT_EQ(Target::parse("cuda:90"), Target::parse("cuda:90a"));
  EXPECT_EQ(Target::parse("cuda:90")->chip(), "sm_90a");
  EXPECT_EQ(Target::parse("cuda:90")->irName(), "cuda:90");
  EXPECT_FALSE(Target::parse("cuda:80a"));
}

TEST(Target, NonsenseIsNoTarget) {
  for (const char *text : {"", "cuda", "cuda:", "cuda:81", "cuda:90b", "cuda:9999999999999",
                           "hip:", "hip:gfx1", "metal:1", "cuda:90a "})
    EXPECT_FALSE(Target::parse(text)) << text;
}

TEST(Target, OnlyHopperAndLaterHaveClusters) {
  EXPECT_FALSE(has(*Target::cuda(80), Feature::Clusters));
  EXPECT_TRUE(has(*Target::cuda(90), Feature::Clusters));
  EXPECT_EQ(Target::cuda(80)->maxCtasPerCluster(), 1u);
}

TEST(Target, WavefrontsOfCdnaHave64Lanes) {
  EXPECT_EQ(Target::parse("hip:gfx942")->warpSize(), 64u);
  EXPECT_EQ(Target::parse("hip:gfx1250")->warpSize(), 32u);
}

TEST(Target, WgmmaIsHoppersAlone) {
  EXPECT_FALSE(has(*Target::cuda(89), Feature::WarpgroupMma));
  EXPECT_TRUE(has(*Target::cuda(90), Feature::WarpgroupMma));
  EXPECT_FALSE(has(*Target::cuda(100), Feature::WarpgroupMma));
  EXPECT_EQ(gluonc::target::targetsWith(Feature::WarpgroupMma), "cuda:90");
}

TEST(Target, ChipsOfOtherVendorsLackFeaturesOfNvidia) {
  EXPECT_FALSE(has(*Target::parse("hip:gfx950"), Feature::MatrixLoad));
}
