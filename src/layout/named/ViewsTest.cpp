#include "layout/named/Views.h"

#include <gtest/gtest.h>

using namespace gluonc::layout;

TEST(Views, TensorsShowTheirOwners) {
  Layout layout = BlockedLayout{{1, 2}, {2, 2}, {1, 2}, {1, 0}, {}};
  EXPECT_EQ(tensorView(layout, {2, 8}), "[[T0:0, T0:1, T1:0, T1:1, T4:0, T4:1, T5:0, T5:1]\n"
                                        "[ T2:0, T2:1, T3:0, T3:1, T6:0, T6:1, T7:0, T7:1]]\n");
}

TEST(Views, CopiesAreSeparatedByBars) {
  Layout layout = BlockedLayout{{1}, {2}, {2}, {0}, {}};
  EXPECT_EQ(tensorView(layout, {2}), "[T0:0|T2:0, T1:0|T3:0]\n");
}

TEST(Views, NumbersHaveOneWidth) {
  Layout layout = BlockedLayout{{1}, {16}, {1}, {0}, {}};
  EXPECT_EQ(tensorView(layout, {16}).substr(0, 16), "[ T0:0,  T1:0,  ");
}

TEST(Views, ThreadsShowTheirElements) {
  Layout layout = BlockedLayout{{1, 2}, {2, 1}, {1, 2}, {1, 0}, {}};
  EXPECT_EQ(hardwareView(layout, {2, 4}), "Warp0:\n(0,0), (1,0)\n(0,1), (1,1)\n"
                                          "Warp1:\n(0,2), (1,2)\n(0,3), (1,3)\n");
}

TEST(Views, MemoryShowsItsElements) {
  Layout layout = SwizzledSharedLayout{1, 1, 2, {1, 0}, {}};
  EXPECT_EQ(tensorView(layout, {2, 2}), "[[(0:0),(0:1)]\n[ (1:1),(1:0)]]\n");
  EXPECT_EQ(hardwareView(layout, {2, 2}),
            "Block: 0:\nOffset: 0 -> (0,0)\nOffset: 1 -> (0,1)\nOffset: 2 -> (1,1)\n"
            "Offset: 3 -> (1,0)\n");
}

TEST(Views, SomeLayoutsHaveNone) {
  EXPECT_EQ(*checkViewable(AutoLayout{}, {4}), "AutoLayout cannot be visualized");
  EXPECT_EQ(*checkViewable(PaddedSharedLayout::identityFor({{{32, 4}}}, {64}, {0}), {64}),
            "PaddedSharedLayout cannot be visualized");
  EXPECT_FALSE(checkViewable(BlockedLayout{{1}, {2}, {2}, {0}, {}}, {2}));
}
