//===- MmaLayoutsTest.cpp - Fragments against the PTX manual ------------------===//
//
// The expected positions are written here from the tables of the PTX ISA
// ("Matrix fragments for mma.m16n8k*", "wgmma register fragments"), by groupID =
// lane / 4 and threadID_in_group = lane % 4; nothing comes from the layouts.
//
//===----------------------------------------------------------------------===//
#include "layout/named/Layouts.h"

#include "layout/RandomLayouts.h"
#include "layout/named/Inference.h"

#include <gtest/gtest.h>

#include <set>

using namespace gluonc::layout;

namespace {

struct Place {
  int64_t row, column;
  bool operator==(const Place &) const = default;
};

/// c0, c1, ... of a 16 x 8 result: row groupID, or groupID + 8 for c2 and c3.
Place resultOfM16N8(int i, int lane) { return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; }

/// a0, a1, ... of the left operand, of elements of `bits` bits; K is 256 / bits. 32 bits of
/// neighbours make a register; registers 0, 1 are the upper and lower 8 rows of the first half of
/// K, registers 2, 3 those of the second half.
Place leftOfM16N8(int i, int lane, int bits) {
  int perRegister = 32 / bits, reg = i / perRegister;
  return {lane / 4 + 8 * (reg % 2),
          lane % 4 * perRegister + i % perRegister + (reg / 2) * 4 * perRegister};
}

/// b0, b1, ...: register 0 is the first half of K, register 1 the second; the column is groupID.
Place rightOfM16N8(int i, int lane, int bits) {
  int perRegister = 32 / bits, reg = i / perRegister;
  return {lane % 4 * perRegister + i % perRegister + reg * 4 * perRegister, lane / 4};
}

/// D of wgmma m64nNk*: warp w of the group has rows 16 w to 16 w + 15.
Place resultOfWgmma(int i, int lane, int warp) {
  return {16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + lane % 4 * 2 + i % 2};
}

/// A of wgmma in registers: the fragment of m16n8 in each warp.
Place leftOfWgmma(int i, int lane, int warp, int bits) {
  Place inWarp = leftOfM16N8(i, lane, bits);
  return {16 * warp + inWarp.row, inWarp.column};
}

Place placeOf(const LinearLayout &layout, int reg, int lane, int warp = 0) {
  auto at = layout.apply(
      {{Dim::Register, uint32_t(reg)}, {Dim::Lane, uint32_t(lane)}, {Dim::Warp, uint32_t(warp)}});
  return {at[0].value, at[1].value};
}

NVMMADistributedLayout mma2(Ints warps = {1, 1}, BasisList cga = {}) {
  return {{2, 0}, std::move(warps), {16, 8}, std::move(cga)};
}
NVMMADistributedLayout mma3(int64_t n, Ints warps = {4, 1}) {
  return {{3, 0}, std::move(warps), {16, n, 16}, {}};
}

std::string bases(const LinearLayout &layout, Dim in) {
  std::string text;
  for (unsigned i = 0; i < layout.inLog2(in); ++i) {
    text += "[";
    for (auto [d, component] : llvm::enumerate(layout.basis(in, i)))
      text += (d ? "," : "") + std::to_string(component);
    text += "]";
  }
  return text;
}

} // namespace

TEST(NVMMADistributedLayout, ResultOfOneInstructionIsThatOfTheManual) {
  LinearLayout linear = mma2().toLinear({16, 8});
  ASSERT_EQ(linear.inSize(Dim::Register), 4);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(placeOf(linear, i, lane), resultOfM16N8(i, lane)) << lane << " " << i;
}

TEST(NVMMADistributedLayout, ResultOfAWarpGroupIsThatOfTheManual) {
  for (int64_t n : {8, 16, 64, 256}) {
    LinearLayout linear = mma3(n).toLinear({64, n});
    ASSERT_EQ(linear.inSize(Dim::Register), n / 2);
    for (int warp = 0; warp < 4; ++warp)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < n / 2; ++i)
          ASSERT_EQ(placeOf(linear, i, lane, warp), resultOfWgmma(i, lane, warp));
  }
}

TEST(NVMMADistributedLayout, LargerTensorsRepeatTheInstructionRowByRow) {
  // In units of instructions: 2 x 2 warps, each with the instructions 2 rows and 4 columns apart.
  LinearLayout linear = mma2({2, 2}).toLinear({64, 64});
  ASSERT_EQ(linear.inSize(Dim::Register), 4 * 2 * 4);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 32; ++i) {
        Place inside = resultOfM16N8(i % 4, lane);
        int instruction = i / 4;
        int64_t row = 16 * (warp / 2) + 32 * (instruction / 4) + inside.row;
        int64_t column = 8 * (warp % 2) + 16 * (instruction % 4) + inside.column;
        ASSERT_EQ(placeOf(linear, i, lane, warp), (Place{row, column}));
      }
}

TEST(NVMMADistributedLayout, WarpGroupsStandBelowEachOther) {
  LinearLayout linear = mma3(16, {4, 2}).toLinear({64, 32});
  for (int warp = 0; warp < 8; ++warp)
    EXPECT_EQ(placeOf(linear, 0, 0, warp), (Place{16 * (warp % 4), 16 * (warp / 4)}));
}

TEST(NVMMADistributedLayout, WorkedExamples) {
  LinearLayout two = mma2().toLinear({32, 32});
  EXPECT_EQ(bases(two, Dim::Register), "[0,1][8,0][0,8][0,16][16,0]");
  EXPECT_EQ(bases(two, Dim::Lane), "[0,2][0,4][1,0][2,0][4,0]");
  LinearLayout three = mma3(16).toLinear({128, 16});
  EXPECT_EQ(bases(three, Dim::Register), "[0,1][8,0][0,8][64,0]");
  EXPECT_EQ(bases(three, Dim::Warp), "[16,0][32,0]");
  // A batch of two products, one for each warp of the pair.
  NVMMADistributedLayout batch{{2, 0}, {2, 1, 2}, {1, 16, 8}, {}};
  ASSERT_FALSE(batch.validate());
  LinearLayout cube = batch.toLinear({4, 16, 16});
  EXPECT_EQ(bases(cube, Dim::Register), "[0,0,1][0,8,0][2,0,0]");
  EXPECT_EQ(bases(cube, Dim::Warp), "[0,0,8][1,0,0]");
}

TEST(NVMMADistributedLayout, ClustersSplitTheTensor) {
  LinearLayout linear = mma2({4, 1}, {{1, 0}}).toLinear({128, 16});
  EXPECT_EQ(bases(linear, Dim::Block), "[64,0]");
  EXPECT_EQ(bases(linear, Dim::Warp), "[16,0][32,0]");
}

TEST(DotOperandLayout, LeftOperandsAreThoseOfTheManual) {
  for (int bits : {8, 16, 32}) {
    Layout layout = DotOperandLayout{0, mma2(), 32 / bits};
    ASSERT_FALSE(layout.validate());
    LinearLayout linear = layout.toLinear({16, 256 / bits});
    ASSERT_EQ(linear.inSize(Dim::Register), 4 * 32 / bits);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4 * 32 / bits; ++i)
        ASSERT_EQ(placeOf(linear, i, lane), leftOfM16N8(i, lane, bits)) << bits;
  }
}

TEST(DotOperandLayout, RightOperandsAreThoseOfTheManual) {
  for (int bits : {8, 16, 32}) {
    Layout layout = DotOperandLayout{1, mma2(), 32 / bits};
    ASSERT_FALSE(layout.validate());
    LinearLayout linear = layout.toLinear({256 / bits, 8});
    ASSERT_EQ(linear.inSize(Dim::Register), 2 * 32 / bits);
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2 * 32 / bits; ++i)
        ASSERT_EQ(placeOf(linear, i, lane), rightOfM16N8(i, lane, bits)) << bits;
  }
}

TEST(DotOperandLayout, WarpGroupsTakeTheLeftOperandFromRegisters) {
  for (int bits : {8, 16, 32}) {
    Layout layout = DotOperandLayout{0, mma3(64), 32 / bits};
    LinearLayout linear = layout.toLinear({64, 256 / bits});
    for (int warp = 0; warp < 4; ++warp)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4 * 32 / bits; ++i)
          ASSERT_EQ(placeOf(linear, i, lane, warp), leftOfWgmma(i, lane, warp, bits));
  }
}

TEST(DotOperandLayout, OperandsOfDoublesAreThoseOfTheManual) {
  // mma.m8n8k4: a0 and b0 only.
  NVMMADistributedLayout parent{{2, 0}, {1, 1}, {8, 8}, {}};
  ASSERT_FALSE(parent.validate());
  LinearLayout left = Layout(DotOperandLayout{0, parent, 1}).toLinear({8, 4});
  LinearLayout right = Layout(DotOperandLayout{1, parent, 1}).toLinear({4, 8});
  LinearLayout result = parent.toLinear({8, 8});
  ASSERT_EQ(left.inSize(Dim::Register), 1);
  ASSERT_EQ(result.inSize(Dim::Register), 2);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(placeOf(left, 0, lane), (Place{lane / 4, lane % 4}));
    EXPECT_EQ(placeOf(right, 0, lane), (Place{lane % 4, lane / 4}));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(placeOf(result, i, lane), (Place{lane / 4, lane % 4 * 2 + i}));
  }
}

TEST(DotOperandLayout, WorkedExamples) {
  LinearLayout wide = Layout(DotOperandLayout{0, mma3(16, {4, 2}), 4}).toLinear({128, 64});
  EXPECT_EQ(bases(wide, Dim::Register), "[0,1][0,2][8,0][0,16][0,32][64,0]");
  EXPECT_EQ(bases(wide, Dim::Lane), "[0,4][0,8][1,0][2,0][4,0]");
  EXPECT_EQ(bases(wide, Dim::Warp), "[16,0][32,0][0,0]");
  LinearLayout right = Layout(DotOperandLayout{1, mma2({2, 2}), 8}).toLinear({64, 16});
  EXPECT_EQ(bases(right, Dim::Register), "[1,0][2,0][4,0][32,0]");
  EXPECT_EQ(bases(right, Dim::Lane), "[8,0][16,0][0,1][0,2][0,4]");
  EXPECT_EQ(bases(right, Dim::Warp), "[0,8][0,0]");
}

// Every warp must be able to compute its part of the result from what its own threads hold.
TEST(DotOperandLayout, WarpsHaveTheRowsAndColumnsOfTheirResult) {
  RandomLayouts random(50);
  for (int trial = 0; trial < 100; ++trial) {
    NVMMADistributedLayout parent = mma2(random.factors(random.below(4), 2));
    int64_t m = 16 << random.below(4), n = 8 << random.below(4), k = 16 << random.below(3);
    LinearLayout left = Layout(DotOperandLayout{0, parent, 2}).toLinear({m, k});
    LinearLayout right = Layout(DotOperandLayout{1, parent, 2}).toLinear({k, n});
    LinearLayout result = parent.toLinear({m, n});
    auto held = [](const LinearLayout &layout, int warp, unsigned axis) {
      std::set<int64_t> all;
      for (int reg = 0; reg < layout.inSize(Dim::Register); ++reg)
        for (int lane = 0; lane < 32; ++lane) {
          Place place = placeOf(layout, reg, lane, warp);
          all.insert(axis ? place.column : place.row);
        }
      return all;
    };
    for (int warp = 0; warp < result.inSize(Dim::Warp); ++warp) {
      ASSERT_EQ(held(left, warp, 0), held(result, warp, 0));
      ASSERT_EQ(held(right, warp, 1), held(result, warp, 1));
      ASSERT_EQ(held(left, warp, 1).size(), size_t(k));
    }
  }
}

// Without tensor cores each thread must have whole rows and columns.
TEST(DotOperandLayout, ThreadsHaveAllOfKForTheirResult) {
  RandomLayouts random(51);
  for (int trial = 0; trial < 100; ++trial) {
    BlockedLayout parent = random.blocked(2, 5, 2);
    int64_t m = int64_t{1} << random.below(7), n = int64_t{1} << random.below(7), k = 8;
    Layout leftLayout = DotOperandLayout{0, parent, 0},
           rightLayout = DotOperandLayout{1, parent, 0};
    ASSERT_FALSE(leftLayout.validate());
    LinearLayout left = leftLayout.toLinear({m, k}), right = rightLayout.toLinear({k, n});
    LinearLayout result = parent.toLinear({m, n});
    for (int warp = 0; warp < 4; ++warp)
      for (int lane = 0; lane < 32; ++lane) {
        std::set<std::pair<int64_t, int64_t>> lefts, rights;
        for (int reg = 0; reg < left.inSize(Dim::Register); ++reg)
          lefts.insert({placeOf(left, reg, lane, warp).row, placeOf(left, reg, lane, warp).column});
        for (int reg = 0; reg < right.inSize(Dim::Register); ++reg)
          rights.insert(
              {placeOf(right, reg, lane, warp).row, placeOf(right, reg, lane, warp).column});
        for (int reg = 0; reg < result.inSize(Dim::Register); ++reg) {
          Place place = placeOf(result, reg, lane, warp);
          for (int64_t at = 0; at < k; ++at) {
            ASSERT_TRUE(lefts.count({place.row, at}));
            ASSERT_TRUE(rights.count({at, place.column}));
          }
        }
      }
  }
}

TEST(DotOperandLayout, CtasThatDifferAlongTheOtherOperandHaveCopies) {
  Layout left = DotOperandLayout{0, mma2({4, 1}, {{1, 0}, {0, 1}}), 2};
  EXPECT_EQ(left.cga(), (BasisList{{1, 0}, {0, 0}}));
  EXPECT_EQ(bases(left.toLinear({128, 32}), Dim::Block), "[64,0][0,0]");
}

TEST(MmaLayouts, ValidationNamesWhatIsWrong) {
  auto problem = [](Layout layout) { return layout.validate().value_or("none"); };
  EXPECT_EQ(problem(NVMMADistributedLayout{{1, 0}, {4, 1}, {16, 8}, {}}),
            "the version of an MMA layout must be [2, 0] or [3, 0], but is [1, 0]");
  EXPECT_EQ(problem(NVMMADistributedLayout{{2, 0}, {4}, {16, 8}, {}}),
            "warps_per_cta of an MMA layout must have two or three dimensions, but is [4]");
  EXPECT_EQ(problem(NVMMADistributedLayout{{2, 0}, {3, 1}, {16, 8}, {}}),
            "warps_per_cta must be powers of two, but are [3, 1]");
  EXPECT_EQ(problem(NVMMADistributedLayout{{2, 0}, {4, 1}, {16, 16}, {}}),
            "instr_shape of a version 2 MMA layout must be [16, 8], or [8, 8] for float64, with a "
            "leading 1 for three dimensions, but is [16, 16]");
  EXPECT_EQ(problem(NVMMADistributedLayout{{3, 0}, {4, 1}, {16, 512, 16}, {}}),
            "instr_shape of a version 3 MMA layout must be [16, N, K] with N from 8 to 256, but is "
            "[16, 512, 16]");
  EXPECT_EQ(problem(NVMMADistributedLayout{{3, 0}, {4, 1}, {8, 64, 16}, {}}),
            "instr_shape of a version 3 MMA layout must be [16, N, K] with N from 8 to 256, but is "
            "[8, 64, 16]");
  EXPECT_EQ(problem(NVMMADistributedLayout{{3, 0}, {4, 1}, {32, 64, 16}, {}}), "none");
  EXPECT_EQ(problem(DotOperandLayout{2, mma2(), 2}), "the operand index must be 0 or 1, but is 2");
  EXPECT_EQ(problem(DotOperandLayout{0, AutoLayout{}, 2}),
            "the parent of a dot operand layout must be a blocked or an MMA layout, but is "
            "AutoLayout()");
  EXPECT_EQ(problem(DotOperandLayout{0, mma2(), 0}),
            "k_width must be a power of two where the parent is an MMA layout, but is 0");
  EXPECT_EQ(problem(DotOperandLayout{1, mma3(64), 2}),
            "only operand 0 of a version 3 MMA can be in registers");
  EXPECT_EQ(problem(DotOperandLayout{0, BlockedLayout{{1, 1}, {32, 1}, {4, 1}, {1, 0}, {}}, 2}),
            "k_width must be 0 where the parent is a blocked layout, but is 2");
}

TEST(MmaLayouts, FitOnlyTheirNumberOfWarps) {
  EXPECT_FALSE(checkFits(mma2({2, 2}), 4, 32, 1));
  EXPECT_EQ(*checkFits(Layout(DotOperandLayout{0, mma2({2, 2}), 2}), 8, 32, 1),
            "the layout has 4 warps, but the context has 8");
}

TEST(MmaLayouts, PrintAsTheLanguageConstructsThem) {
  EXPECT_EQ(Layout(DotOperandLayout{0, mma2({4, 1}), 2}).toString(),
            "DotOperandLayout(operand_index=0, parent=NVMMADistributedLayout(version=[2, 0], "
            "warps_per_cta=[4, 1], instr_shape=[16, 8]), k_width=2)");
}

// -- Shared memory -----------------------------------------------------------------------

namespace {

/// Where TMA puts an element of a box, by the manual's picture of the swizzle modes: rows of S
/// bytes one behind the other, 16-byte groups XORed with address bits 7 and up.
int64_t swizzledByte(int64_t row, int64_t byteInRow, int64_t swizzle) {
  int64_t address = row * swizzle + byteInRow;
  int64_t mask = swizzle == 128 ? 0x70 : swizzle == 64 ? 0x30 : swizzle == 32 ? 0x10 : 0;
  return address ^ (address >> 3 & mask);
}

} // namespace

TEST(NVMMASharedLayout, AddressesAreThoseOfTheHardwaresSwizzle) {
  for (int64_t swizzle : {32, 64, 128})
    for (int64_t bits : {8, 16, 32})
      for (bool transposed : {false, true}) {
        int64_t bytes = bits / 8, rows = 64, columns = 256 / bytes;
        NVMMASharedLayout layout{swizzle, bits, 2, transposed, false, {}};
        ASSERT_FALSE(layout.validate());
        Ints shape = transposed ? Ints{columns, rows} : Ints{rows, columns};
        ASSERT_FALSE(checkShape(layout, shape));
        LinearLayout linear = layout.toLinear(shape);
        ASSERT_TRUE(linear.isInvertible());
        LinearLayout inverse = *linear.invert();
        int64_t panel = swizzle / bytes;
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < columns; ++c) {
            int64_t expected =
                (c / panel) * rows * panel + swizzledByte(r, c % panel * bytes, swizzle) / bytes;
            uint32_t row = r, column = c;
            auto at = inverse.apply({{Dim::axis(0), transposed ? column : row},
                                     {Dim::axis(1), transposed ? row : column}});
            ASSERT_EQ(at[0].value, expected) << Layout(layout).toString() << r << " " << c;
          }
      }
}

TEST(NVMMASharedLayout, WithoutASwizzleBoxesAreRowMajor) {
  NVMMASharedLayout layout{0, 16, 1, false, false, {}};
  EXPECT_EQ(bases(layout.toLinear({8}), Dim::Offset), "[1][2][4]");
  // Two boxes of 256 columns, one behind the other.
  NVMMASharedLayout wide{0, 8, 2, false, false, {}};
  EXPECT_EQ(bases(wide.toLinear({2, 512}), Dim::Offset),
            "[0,1][0,2][0,4][0,8][0,16][0,32][0,64][0,128][1,0][0,256]");
}

TEST(NVMMASharedLayout, LeadingDimsAreRows) {
  NVMMASharedLayout cube{32, 16, 3, false, false, {}};
  EXPECT_EQ(bases(cube.toLinear({2, 8, 16}), Dim::Offset),
            "[0,0,1][0,0,2][0,0,4][0,0,8][0,1,0][0,2,0][0,4,8][1,0,0]");
}

TEST(NVMMASharedLayout, PaddedNibblesLeaveEverySecondEightBytesUnused) {
  NVMMASharedLayout layout{128, 8, 2, false, true, {}};
  ASSERT_FALSE(layout.validate());
  LinearLayout linear = layout.toLinear({8, 64});
  EXPECT_EQ(bases(linear, Dim::Offset), "[0,1][0,2][0,4][0,0][0,8][0,16][0,32][1,8][2,16][4,32]");
  EXPECT_EQ(sharedElements(layout, {8, 64}), 1024);
}

TEST(NVMMASharedLayout, SmallShapesAreRefused) {
  NVMMASharedLayout layout{128, 16, 2, false, false, {}};
  EXPECT_EQ(*checkShape(layout, {64, 32}),
            "a swizzle of 128 bytes needs at least 64 contiguous elements, but each CTA has 32 of "
            "the shape [64, 32]");
  EXPECT_EQ(*checkShape(layout, {4, 64}),
            "a swizzled layout needs at least 8 rows, but each CTA has 4 of the shape [4, 64]");
  EXPECT_EQ(*NVMMASharedLayout({48, 16, 2, false, false, {}}).validate(),
            "swizzle_byte_width must be 0, 32, 64 or 128, but is 48");
  EXPECT_EQ(*NVMMASharedLayout({64, 8, 2, false, true, {}}).validate(),
            "fp4_padded needs a swizzle_byte_width of 128 and an element_bitwidth of 8");
}

TEST(NVMMASharedLayout, DefaultsAreTheWidestThatFit) {
  auto swizzle = [](Ints shape, int64_t bits, bool transposed = false, bool fp4 = false,
                    BasisList cga = {}) {
    NVMMASharedLayout layout = NVMMASharedLayout::defaultFor(shape, bits, transposed, fp4, cga);
    EXPECT_FALSE(layout.validate());
    EXPECT_FALSE(checkShape(layout, shape)) << Layout(layout).toString();
    return layout.swizzleByteWidth;
  };
  EXPECT_EQ(swizzle({128, 64}, 16), 128);
  EXPECT_EQ(swizzle({128, 32}, 16), 64);
  EXPECT_EQ(swizzle({128, 16}, 16), 32);
  EXPECT_EQ(swizzle({128, 8}, 16), 0);
  EXPECT_EQ(swizzle({32, 128}, 16, true), 64);
  EXPECT_EQ(swizzle({4, 64}, 16), 0);
  EXPECT_EQ(swizzle({2, 4, 64}, 16), 128);
  EXPECT_EQ(swizzle({256}, 8), 0);
  EXPECT_EQ(swizzle({128, 64}, 8, false, true), 128);
  EXPECT_EQ(swizzle({128, 64}, 16, false, false, {{0, 1}}), 64);
}

TEST(NVMMASharedLayout, BuffersStartAtAMultipleOfThePattern) {
  const std::pair<int64_t, int64_t> expected[] = {{0, 128}, {32, 256}, {64, 512}, {128, 1024}};
  for (auto [swizzle, alignment] : expected)
    EXPECT_EQ(sharedAlignment(NVMMASharedLayout{swizzle, 16, 2, false, false, {}}), alignment);
}
