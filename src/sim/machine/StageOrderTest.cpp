// Halves of the warps a stage apart: which accesses are at the same time.
#include "sim/machine/StageOrder.h"

#include <gtest/gtest.h>

using namespace gluonc::sim;

namespace {

class StageOrderTest : public testing::Test {
protected:
  StageOrderTest() { order.begin(64); }
  bool conflicts(uint8_t halves, bool writes, uint64_t offset = 8) {
    return order.access(offset, 4, halves, writes, /*place=*/7).has_value();
  }
  static constexpr bool kRead = false, kWrite = true;
  StageOrder order;
};

} // namespace

TEST_F(StageOrderTest, TheEarlyHalfMeetsTheLateOneOfTheStageBefore) {
  EXPECT_FALSE(conflicts(Early | Late, kWrite));
  order.step();
  EXPECT_TRUE(conflicts(Early | Late, kRead));
}

TEST_F(StageOrderTest, AStageInBetweenIsEnough) {
  EXPECT_FALSE(conflicts(Early | Late, kWrite));
  order.step();
  order.step();
  EXPECT_FALSE(conflicts(Early | Late, kRead));
  EXPECT_FALSE(conflicts(Early | Late, kWrite));
}

TEST_F(StageOrderTest, ReadsDoNotDisturbReads) {
  EXPECT_FALSE(conflicts(Early | Late, kRead));
  order.step();
  EXPECT_FALSE(conflicts(Early | Late, kRead));
  order.step();
  EXPECT_TRUE(conflicts(Early, kWrite));
}

TEST_F(StageOrderTest, HalvesThatKeepToThemselvesDoNotMeet) {
  EXPECT_FALSE(conflicts(Late, kWrite));
  EXPECT_FALSE(conflicts(Early, kWrite, 32));
  order.step();
  EXPECT_FALSE(conflicts(Late, kRead));
  EXPECT_FALSE(conflicts(Early, kRead, 32));
}

TEST_F(StageOrderTest, AnAccessOfThisStageDoesNotHideThatOfTheLast) {
  EXPECT_FALSE(conflicts(Late, kRead));
  order.step();
  EXPECT_FALSE(conflicts(Late, kRead));
  EXPECT_TRUE(conflicts(Early, kWrite));
}

TEST_F(StageOrderTest, ItSaysWhoAndWhere) {
  order.access(10, 2, Late, kWrite, 3);
  order.step();
  std::optional<StageOrder::Conflict> found = order.access(8, 8, Early, kRead, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offset, 10u);
  EXPECT_EQ(found->place, 3u);
  EXPECT_TRUE(found->otherWrites);
}

TEST_F(StageOrderTest, TheNextLoopBeginsAnew) {
  EXPECT_FALSE(conflicts(Late, kWrite));
  order.end();
  order.begin(64);
  EXPECT_FALSE(conflicts(Early, kRead));
}
