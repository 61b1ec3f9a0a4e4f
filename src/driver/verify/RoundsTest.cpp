#include "driver/verify/Rounds.h"

#include "gtest/gtest.h"

#include <set>

namespace gluonc::driver {
namespace {

TEST(VerifyRounds, RangesAreTwoIntegersWithDotsBetween) {
  std::optional<IntegerRange> range = IntegerRange::parse("-3..300");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, -3);
  EXPECT_EQ(range->high, 300);
  for (llvm::StringRef text : {"300", "0..", "..4", "x[0]..4", "1...2", "randn(n)"})
    EXPECT_FALSE(IntegerRange::parse(text)) << text.str();
}

TEST(VerifyRounds, DrawsStayInRangeAndReachItsEndsAndBlocks) {
  std::set<int64_t> drawn;
  for (uint64_t seed = 0; seed != 2000; ++seed) {
    int64_t value = draw({0, 300}, {128}, seed);
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 300);
    drawn.insert(value);
  }
  for (int64_t value : {0, 1, 127, 128, 129, 255, 256, 257, 300})
    EXPECT_TRUE(drawn.count(value)) << value;
  EXPECT_GT(drawn.size(), 200u);
}

TEST(VerifyRounds, WholeRangeOfIntegersCanBeDrawnFrom) {
  for (uint64_t seed = 0; seed != 100; ++seed)
    draw({INT64_MIN, INT64_MAX}, {128}, seed);
}

TEST(VerifyRounds, OneSeedDrawsTheSameArguments) {
  auto drawn = [](uint64_t seed) {
    std::vector<ArgumentText> arguments = {{"n", "0..1000000", {}, {}}, {"BLOCK", "128", {}, {}}};
    std::string empty;
    EXPECT_TRUE(drawArguments(arguments, seed, empty));
    return arguments[0].value;
  };
  EXPECT_EQ(drawn(7), drawn(7));
  EXPECT_NE(drawn(7), drawn(8));
}

TEST(VerifyRounds, EmptyRangeIsNamed) {
  std::vector<ArgumentText> arguments = {{"n", "5..4", {}, {}}};
  std::string empty;
  EXPECT_FALSE(drawArguments(arguments, 0, empty));
  EXPECT_EQ(empty, "n");
}

} // namespace
} // namespace gluonc::driver
