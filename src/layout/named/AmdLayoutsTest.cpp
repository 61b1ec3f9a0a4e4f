//===- AmdLayoutsTest.cpp - Fragments of AMD and tensor memory ------------------===//
//
// Results and operands of single instructions against the rules of the ISA
// manuals ("MFMA register layouts", "WMMA"), written out by lane and register.
//
//===----------------------------------------------------------------------===//
#include "layout/named/Layouts.h"

#include <gtest/gtest.h>

using namespace gluonc::layout;

namespace {

std::pair<int64_t, int64_t> placeOf(const LinearLayout &layout, int reg, int lane) {
  auto at = layout.apply({{Dim::Register, uint32_t(reg)}, {Dim::Lane, uint32_t(lane)}});
  return {at[0].value, at[1].value};
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

AMDMFMALayout mfma(int64_t m, int64_t n, bool transposed, Ints warps = {1, 1}) {
  return {3, {m, n, 8}, transposed, std::move(warps), 32, {1, 1}, {}};
}

AMDWMMALayout wmma(int64_t version, bool transposed, Ints warps = {1, 1},
                   Ints instr = {16, 16, 16}) {
  return AMDWMMALayout::forWarps(version, transposed, warps, std::move(instr), {1, 1}, {});
}

} // namespace

TEST(AMDMFMALayout, ResultsAreThoseOfTheManual) {
  for (int size : {16, 32})
    for (bool transposed : {false, true}) {
      LinearLayout linear = mfma(size, size, transposed).toLinear({size, size});
      ASSERT_EQ(linear.inSize(Dim::Register), size * size / 64);
      for (int lane = 0; lane < 64; ++lane)
        for (int reg = 0; reg < size * size / 64; ++reg) {
          // Groups of 4 rows go to groups of lanes in turn; each lane has one column.
          int64_t row = reg % 4 + 4 * (lane / size) + 4 * (64 / size) * (reg / 4);
          int64_t column = lane % size;
          auto expected = transposed ? std::pair(column, row) : std::pair(row, column);
          ASSERT_EQ(placeOf(linear, reg, lane), expected) << size << transposed;
        }
    }
}

TEST(AMDMFMALayout, WorkedExample) {
  LinearLayout linear = mfma(32, 32, false, {2, 4}).toLinear({128, 128});
  EXPECT_EQ(bases(linear, Dim::Register), "[1,0][2,0][8,0][16,0][64,0]");
  EXPECT_EQ(bases(linear, Dim::Lane), "[0,1][0,2][0,4][0,8][0,16][4,0]");
  EXPECT_EQ(bases(linear, Dim::Warp), "[0,32][0,64][32,0]");
}

TEST(AMDMFMALayout, OperandsAreThoseOfTheManual) {
  // Left operand of 32 x 32 x 8: lane l has row l % 32 and 4 neighbours along K from 4 (l / 32).
  LinearLayout left = Layout(DotOperandLayout{0, mfma(32, 32, false), 4}).toLinear({32, 8});
  LinearLayout right = Layout(DotOperandLayout{1, mfma(32, 32, false), 4}).toLinear({8, 32});
  for (int lane = 0; lane < 64; ++lane)
    for (int reg = 0; reg < 4; ++reg) {
      int64_t k = 4 * (lane / 32) + reg;
      ASSERT_EQ(placeOf(left, reg, lane), std::pair(int64_t(lane % 32), k));
      ASSERT_EQ(placeOf(right, reg, lane), std::pair(k, int64_t(lane % 32)));
    }
}

TEST(AMDWMMALayout, ResultsAreThoseOfTheManuals) {
  for (int64_t version : {1, 2, 3})
    for (bool transposed : {false, true}) {
      LinearLayout linear = wmma(version, transposed).toLinear({16, 16});
      for (int lane = 0; lane < 32; ++lane)
        for (int reg = 0; reg < 8; ++reg) {
          // RDNA3 interleaves the halves of a warp row by row; later chips give each 8 rows.
          int64_t row = version == 1 ? 2 * reg + lane / 16 : 8 * (lane / 16) + reg;
          int64_t column = lane % 16;
          auto expected = transposed ? std::pair(column, row) : std::pair(row, column);
          ASSERT_EQ(placeOf(linear, reg, lane), expected) << version << transposed;
        }
    }
}

TEST(AMDWMMALayout, OperandsAreThoseOfTheManuals) {
  LinearLayout old = Layout(DotOperandLayout{0, wmma(1, false), 16}).toLinear({16, 16});
  LinearLayout next = Layout(DotOperandLayout{0, wmma(2, false), 8}).toLinear({16, 16});
  for (int lane = 0; lane < 32; ++lane) {
    for (int reg = 0; reg < 16; ++reg)
      ASSERT_EQ(placeOf(old, reg, lane), std::pair(int64_t(lane % 16), int64_t(reg)));
    for (int reg = 0; reg < 8; ++reg)
      ASSERT_EQ(placeOf(next, reg, lane),
                std::pair(int64_t(lane % 16), int64_t(8 * (lane / 16) + reg)));
  }
}

TEST(AMDWMMALayout, GridsOfWarpsAreRowMajorBases) {
  AMDWMMALayout layout = AMDWMMALayout::forWarps(3, true, {2, 2}, {16, 16, 32}, {1, 2}, {});
  EXPECT_EQ(layout.regBases, (BasisList{{0, 1}}));
  EXPECT_EQ(layout.warpBases, (BasisList{{0, 2}, {1, 0}}));
  EXPECT_FALSE(layout.validate());
  EXPECT_EQ(bases(layout.toLinear({64, 128}), Dim::Warp), "[0,32][16,0]");
}

TEST(AmdLayouts, ValidationNamesWhatIsWrong) {
  auto problem = [](Layout layout) { return layout.validate().value_or("none"); };
  EXPECT_EQ(problem(mfma(64, 4, false)), "an MFMA layout of 64 x 4 results must be transposed");
  EXPECT_EQ(problem(mfma(8, 8, false)),
            "an MFMA instruction has 32 x 32, 16 x 16, 64 x 4 or 4 x 64 results, not 8 x 8");
  EXPECT_EQ(problem(wmma(4, false)), "the version of a WMMA layout must be from 1 to 3, but is 4");
  EXPECT_EQ(problem(DotOperandLayout{0, wmma(1, false), 4}),
            "k_width must be 8 or 16 for a WMMA layout of version 1, but is 4");
  EXPECT_EQ(*checkFits(mfma(32, 32, true), 1, 32, 1),
            "the layout has 64 threads per warp, but the target has 32");
}

TEST(TensorMemoryLayout, BlocksOf128HaveARowEach) {
  TensorMemoryLayout layout{{128, 64}, 1, {}, false, false};
  ASSERT_FALSE(layout.validate());
  LinearLayout linear = layout.toLinear({128, 128});
  EXPECT_EQ(bases(linear, Dim::Row), "[1,0][2,0][4,0][8,0][16,0][32,0][64,0]");
  EXPECT_EQ(bases(linear, Dim::Col), "[0,1][0,2][0,4][0,8][0,16][0,32][0,64]");
}

TEST(TensorMemoryLayout, BlocksOf64ShareTheRows) {
  LinearLayout below = TensorMemoryLayout{{64, 32}, 1, {}, false, false}.toLinear({128, 32});
  EXPECT_EQ(bases(below, Dim::Row), "[1,0][2,0][4,0][8,0][64,0][16,0][32,0]");
  LinearLayout beside = TensorMemoryLayout{{64, 32}, 1, {}, false, false}.toLinear({64, 64});
  EXPECT_EQ(bases(beside, Dim::Row), "[1,0][2,0][4,0][8,0][0,32][16,0][32,0]");
  LinearLayout alone = TensorMemoryLayout{{64, 32}, 1, {}, false, false}.toLinear({64, 32});
  EXPECT_EQ(bases(alone, Dim::Row), "[1,0][2,0][4,0][8,0][0,0][16,0][32,0]");
}

TEST(TensorMemoryLayout, StridesLeaveColumnsUnused) {
  LinearLayout linear = TensorMemoryLayout{{128, 4}, 2, {}, false, false}.toLinear({128, 4});
  EXPECT_EQ(bases(linear, Dim::Col), "[0,0][0,1][0,2]");
}

TEST(TensorMemoryScalesLayout, FourWarpsHaveCopies) {
  LinearLayout linear = TensorMemoryScalesLayout{{}}.toLinear({128, 8});
  EXPECT_EQ(bases(linear, Dim::Row), "[1,0][2,0][4,0][8,0][16,0][0,0][0,0]");
  EXPECT_EQ(bases(linear, Dim::Col), "[0,1][0,2][32,0][64,0][0,4]");
}

TEST(TensorMemoryLayout, ValidationNamesWhatIsWrong) {
  EXPECT_EQ(
      *TensorMemoryLayout({{96, 64}, 1, {}, false, false}).validate(),
      "the block of a tensor memory layout must be [64 or 128, a power of two up to 512], but "
      "is [96, 64]");
  EXPECT_EQ(*TensorMemoryLayout({{128, 64}, 1, {}, true, false}).validate(),
            "two_ctas needs a cga_layout whose first basis is [1, 0]");
}
