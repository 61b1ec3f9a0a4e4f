// Layouts of scales and of LDS against those that Triton 3.9 gives for the same questions.
#include "layout/named/AmdOperands.h"

#include "gtest/gtest.h"

using namespace gluonc::layout;

namespace {

Layout mfmaOperand(Ints shape, int64_t index, int64_t kWidth = 16) {
  AMDMFMALayout parent{4, shape, true, {2, 2}};
  parent.fillDefaults();
  return DotOperandLayout{index, parent, kWidth};
}

Layout wmmaOperand(Ints shape, int64_t index, bool transposed = false) {
  return DotOperandLayout{index, AMDWMMALayout{3, transposed, {{0, 1}, {1, 0}}, {}, shape, {}}, 16};
}

DistributedLinearLayout basesOf(const LayoutOrProblem &found) {
  const Layout *layout = std::get_if<Layout>(&found);
  EXPECT_TRUE(layout) << std::get<std::string>(found);
  return layout ? *layout->as<DistributedLinearLayout>() : DistributedLinearLayout{};
}

using Bases = BasisList;

} // namespace

TEST(AmdOperands, ScalesOfMfmaFollowTheLanesOfTheOperand) {
  auto narrow = basesOf(mfmaScaleLayout(mfmaOperand({16, 16, 128}, 0), {64, 4}, 32));
  EXPECT_EQ(narrow.regBases, (Bases{{32, 0}}));
  EXPECT_EQ(narrow.laneBases, (Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(narrow.warpBases, (Bases{{0, 0}, {16, 0}}));
  auto wide = basesOf(mfmaScaleLayout(mfmaOperand({32, 32, 64}, 1), {64, 4}, 32));
  EXPECT_EQ(wide.regBases, (Bases{{0, 2}}));
  EXPECT_EQ(wide.warpBases, (Bases{{32, 0}, {0, 0}}));
}

TEST(AmdOperands, ScalesOfWmmaUseTheUpperHalfForTheFirstRepetition) {
  auto repeated = basesOf(wmmaScaleLayout(wmmaOperand({16, 16, 128}, 0), {64, 4}, 32));
  EXPECT_EQ(repeated.regBases, (Bases{{0, 1}, {0, 2}}));
  EXPECT_EQ(repeated.laneBases, (Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {32, 0}}));
  EXPECT_EQ(repeated.warpBases, (Bases{{0, 0}, {16, 0}}));
  auto alone = basesOf(wmmaScaleLayout(wmmaOperand({16, 16, 128}, 0), {32, 4}, 32));
  EXPECT_EQ(alone.laneBases, (Bases{{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}}));
  auto half = basesOf(wmmaScaleLayout(wmmaOperand({16, 16, 128}, 0), {64, 4}, 16));
  EXPECT_EQ(half.regBases, (Bases{{0, 1}, {0, 2}, {0, 0}}));
}

TEST(AmdOperands, ScalesOfWmmaAreSplitAsTheClusterIs) {
  AMDWMMALayout parent{3, true, {{0, 1}, {1, 0}}, {}, {16, 16, 128}, {{0, 0}, {1, 0}}};
  for (int64_t index : {0, 1}) {
    auto split = basesOf(wmmaScaleLayout(DotOperandLayout{index, parent, 16}, {128, 4}, 32));
    EXPECT_EQ(split.laneBases.back(), (Ints{32, 0}));
    EXPECT_EQ(split.blockBases, (Bases{{0, 0}, {64, 0}}));
  }
  parent.cga = {{1, 0}, {2, 0}};
  auto once = basesOf(wmmaScaleLayout(DotOperandLayout{0, parent, 16}, {32, 4}, 32));
  EXPECT_EQ(once.laneBases, (Bases{{1, 0}, {2, 0}, {4, 0}, {0, 0}, {0, 0}}));
  EXPECT_EQ(once.blockBases, (Bases{{8, 0}, {16, 0}}));
}

TEST(AmdOperands, ScalesOfWmmaFollowTheBatchesOfWavesAndRegisters) {
  AMDWMMALayout parent{3, false, {{1, 0, 0}, {0, 1, 0}}, {}, {16, 16, 128}, {}, 3};
  auto left = basesOf(wmmaScaleLayout(DotOperandLayout{0, parent, 16}, {4, 64, 4}, 32));
  EXPECT_EQ(left.regBases, (Bases{{0, 0, 1}, {0, 0, 2}, {2, 0, 0}}));
  EXPECT_EQ(left.laneBases, (Bases{{0, 1, 0}, {0, 2, 0}, {0, 4, 0}, {0, 8, 0}, {0, 32, 0}}));
  EXPECT_EQ(left.warpBases, (Bases{{1, 0, 0}, {0, 16, 0}}));
  auto right = basesOf(wmmaScaleLayout(DotOperandLayout{1, parent, 16}, {1, 16, 4}, 32));
  EXPECT_EQ(right.laneBases.back(), (Ints{0, 0, 0}));
  EXPECT_EQ(right.warpBases, (Bases{{0, 0, 0}, {0, 0, 0}}));
  LayoutOrProblem flat = wmmaScaleLayout(DotOperandLayout{1, parent, 16}, {16, 4}, 32);
  EXPECT_TRUE(std::holds_alternative<std::string>(flat));
}

TEST(AmdOperands, QuestionsAboutOtherLayoutsAreRefused) {
  auto refuses = [](const LayoutOrProblem &answer) {
    return std::holds_alternative<std::string>(answer);
  };
  EXPECT_TRUE(refuses(mfmaScaleLayout(AutoLayout{}, {64, 4}, 32)));
  EXPECT_TRUE(refuses(mfmaScaleLayout(mfmaOperand({16, 16, 128}, 0), {64, 4}, 16)));
  EXPECT_TRUE(refuses(mfmaScaleLayout(mfmaOperand({16, 16, 128}, 0), {64}, 32)));
  EXPECT_TRUE(refuses(mfmaScaleLayout(mfmaOperand({16, 16, 128}, 0), {64, 3}, 32)));
  EXPECT_TRUE(refuses(wmmaScaleLayout(mfmaOperand({16, 16, 128}, 0), {64, 4}, 32)));
  EXPECT_TRUE(refuses(wmmaScaleLayout(wmmaOperand({16, 16, 128}, 0), {64, 4}, 8)));
}

TEST(AmdOperands, RowsThatShareABankAreMovedApart) {
  Layout operand = mfmaOperand({16, 16, 32}, 0, 8);
  auto padded = mfmaPaddedLayout(*operand.as<DotOperandLayout>(), {128, 64}, 16, true);
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->paddings.front(), (IntervalPadding{512, 16}));
  EXPECT_EQ(padded->offsetBases, (Bases{{0, 1},
                                        {0, 2},
                                        {0, 4},
                                        {0, 8},
                                        {0, 16},
                                        {0, 32},
                                        {16, 0},
                                        {32, 0},
                                        {64, 0},
                                        {1, 0},
                                        {2, 0},
                                        {4, 0},
                                        {8, 0}}));
  EXPECT_FALSE(Layout(*padded).validate());
  EXPECT_FALSE(mfmaPaddedLayout(*operand.as<DotOperandLayout>(), {128, 64}, 32, true));
  Layout tall = mfmaOperand({32, 32, 16}, 0, 8);
  EXPECT_FALSE(mfmaPaddedLayout(*tall.as<DotOperandLayout>(), {32, 64}, 16, true));
}

/// Warps 0 and 1 are to read different pieces of both operands.
TEST(AmdOperands, PartitionedProductsKeepWarpsApart) {
  PartitionedDot dot{{256, 128},
                     {128, 128},
                     {PaddedSharedLayout::identityFor({{{64, 8}}}, {256, 64}, {1, 0}),
                      PaddedSharedLayout::identityFor({{{128, 8}}}, {64, 128}, {1, 0})},
                     {false, false},
                     4,
                     {16, 16, 32},
                     true};
  llvm::SmallVector<Layout, 3> made;
  ASSERT_FALSE(makePartitionedDot(dot, made));
  const auto *a = made[0].as<PartitionedSharedLayout>(), *b = made[1].as<PartitionedSharedLayout>();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(std::tuple(a->numPartitions, a->numGroups, a->partitionDim), std::tuple(2, 2, 0));
  EXPECT_EQ(std::tuple(b->numPartitions, b->numGroups, b->partitionDim), std::tuple(2, 1, 1));
  EXPECT_EQ(paddedPart(made[0])->shape, (Ints{64, 64}));
  EXPECT_FALSE(checkShape(made[0], {256, 64}));
  const auto *sums = made[2].as<AMDWMMALayout>();
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->warpBases, (Bases{{4, 4}, {2, 0}}));
  EXPECT_EQ(sums->regBases, (Bases{{0, 1}, {0, 2}, {1, 0}, {4, 0}}));
  dot.warps = 8;
  made.clear();
  ASSERT_FALSE(makePartitionedDot(dot, made));
  EXPECT_EQ(made[2].as<AMDWMMALayout>()->warpBases, (Bases{{4, 4}, {2, 0}, {4, 0}}));
  dot.warps = 2;
  EXPECT_EQ(*makePartitionedDot(dot, made), "there are 4 or 8 warps, not 2");
  dot.warps = 4;
  dot.slice[0] = 32;
  EXPECT_EQ(*makePartitionedDot(dot, made), "a slice along M has 64 to 256 elements, not 32");
}

TEST(AmdOperands, ThreadsHoldScalesOfTheirElements) {
  Layout elements = BlockedLayout{{1, 32}, {8, 8}, {4, 1}, {1, 0}, {}};
  LinearLayout all = elements.toLinear({32, 256});
  Layout scales = scalesOf(all, 1, 32);
  EXPECT_TRUE(holdsScales(all, scales.toLinear({32, 8}), 1, 32));
  Layout away = BlockedLayout{{1, 1}, {8, 8}, {4, 1}, {0, 1}, {}};
  EXPECT_FALSE(holdsScales(all, away.toLinear({32, 8}), 1, 32));
}

TEST(AmdOperands, PartsAreWholeTiles) {
  Layout layout = BlockedLayout{{1, 4}, {8, 8}, {4, 1}, {1, 0}, {}};
  LinearLayout whole = layout.toLinear({64, 64});
  EXPECT_TRUE(holdsPart(whole, layout.toLinear({32, 32}), {32, 32}));
  EXPECT_FALSE(holdsPart(whole, layout.toLinear({32, 32}), {16, 0}));
  EXPECT_FALSE(holdsPart(whole, layout.toLinear({32, 32}), {0, 4}));
}
