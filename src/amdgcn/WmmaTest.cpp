#include "amdgcn/TestKernel.h"

#include <bit>

using namespace gluonc::amdgcn;

static uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// The sum over k of a(row, k) b(k, column), where a(row, k) = row + k and b(k, column) = column -
/// k.
static float expected(unsigned row, unsigned column, unsigned size) {
  float sum = 0;
  for (unsigned k = 0; k != size; ++k)
    sum += float(row + k) * (float(column) - float(k));
  return sum;
}

/// Whole numbers in the halves of registers from `first` on. K of half i of a lane is base + i, and
/// base is in v3, the lane's line in v4.
static std::string fragment(unsigned first, unsigned registers, bool isB, unsigned run = 0) {
  std::string text;
  for (unsigned i = 0; i != 2 * registers; ++i) {
    unsigned place = run && i >= run ? i + run : i;
    text += "v_add_nc_u32_e32 v5, " + std::to_string(place) + ", v3\n";
    text += isB ? "v_sub_nc_u32_e32 v5, v4, v5\n" : "v_add_nc_u32_e32 v5, v4, v5\n";
    text += "v_cvt_f32_i32_e32 v5, v5\nv_cvt_pk_rtz_f16_f32_e32 v6, v5, v5\nv_and_b32_e32 v6, "
            "0xffff, v6\n";
    std::string reg = "v" + std::to_string(first + i / 2);
    text += i % 2 ? "v_lshl_or_b32 " + reg + ", v6, 16, " + reg + "\n"
                  : "v_mov_b32_e32 " + reg + ", v6\n";
  }
  return text;
}

/// The lane's line is in v4 and the first K of its half in v3, times `step`.
static std::string places(unsigned step) {
  return "v_and_b32_e32 v4, 15, v0\nv_lshrrev_b32_e32 v3, 4, v0\nv_mul_u32_u24_e32 v3, " +
         std::to_string(step) + ", v3\n";
}

static std::vector<uint32_t> productOf(const std::string &body, const std::string &chip,
                                       unsigned result) {
  KernelText kernel;
  kernel.chip = chip;
  kernel.body = body + "v_mov_b32_e32 v1, v" + std::to_string(result) + "\nresult\n";
  Executed run(kernel, {}, 32);
  EXPECT_EQ(run.message(), "") << chip;
  return run.out;
}

TEST(Wmma, BothHalvesHoldAllOfThemOnGfx11) {
  std::string body = places(0) + fragment(16, 8, false) + fragment(24, 8, true) +
                     "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[24:31], 0\n";
  for (unsigned reg : {0u, 3u, 7u}) {
    std::vector<uint32_t> out = productOf(body, "gfx1100", 32 + reg);
    for (unsigned lane = 0; lane != 32; ++lane)
      EXPECT_EQ(out[lane], bitsOf(expected(2 * reg + lane / 16, lane % 16, 16)));
  }
}

TEST(Wmma, HalvesThatDifferOnGfx11) {
  KernelText kernel;
  kernel.chip = "gfx1100";
  kernel.body = places(1) + fragment(16, 8, false) + fragment(24, 8, true) +
                "v_wmma_f32_16x16x16_f16 v[32:39], v[16:23], v[24:31], 0\n";
  EXPECT_EQ(Executed(kernel, {}, 32).message(),
            "both halves of the wave must hold the same rows of a product");
}

TEST(Wmma, HalvesShareKOnGfx12) {
  std::string body = places(8) + fragment(16, 4, false) + fragment(24, 4, true) +
                     "v_wmma_f32_16x16x16_f16 v[32:39], v[16:19], v[24:27], 1.0\n";
  std::vector<uint32_t> out = productOf(body, "gfx1200", 34);
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(out[lane], bitsOf(1 + expected(2 + lane / 16 * 8, lane % 16, 16)));
}

TEST(Wmma, RunsOfEightAlongKOnGfx1250) {
  std::string body = places(8) + fragment(16, 8, false, 8) + fragment(24, 8, true, 8) +
                     "v_wmma_f32_16x16x32_f16 v[32:39], v[16:23], v[24:31], 0\n";
  std::vector<uint32_t> out = productOf(body, "gfx1250", 39);
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(out[lane], bitsOf(expected(7 + lane / 16 * 8, lane % 16, 32)));
}

TEST(Wmma, SignsOfIntegers) {
  std::string body = "v_mov_b32_e32 v16, -1\nv_mov_b32_e32 v17, -1\nv_mov_b32_e32 v18, 0x01010101\n"
                     "v_mov_b32_e32 v19, v18\n"
                     "v_wmma_i32_16x16x16_iu8 v[32:39], v[16:17], v[18:19], 5";
  EXPECT_EQ(productOf(body + " neg_lo:[1,0,0]\n", "gfx1200", 32)[9], uint32_t(5 - 16));
  EXPECT_EQ(productOf(body + "\n", "gfx1200", 32)[9], 5u + 255 * 16);
}

/// A and B of e4m3 and fp4 ones; the scales of block i of a line are 2^i and 2^line mod 4.
TEST(Wmma, ScalesOnGfx1250) {
  std::string body = "v_and_b32_e32 v4, 3, v0\nv_add_nc_u32_e32 v4, 127, v4\n"
                     "v_mul_lo_u32 v4, v4, 0x01010101\nv_mov_b32_e32 v5, 0x8281807f\n";
  for (unsigned i = 0; i != 16; ++i)
    body += "v_mov_b32_e32 v" + std::to_string(16 + i) + ", 0x38383838\n";
  for (unsigned i = 0; i != 8; ++i)
    body += "v_mov_b32_e32 v" + std::to_string(40 + i) + ", 0x22222222\n";
  body += "v_wmma_scale_f32_16x16x128_f8f6f4 v[48:55], v[16:31], v[40:47], 0, v5, v4 "
          "matrix_b_fmt:MATRIX_FMT_FP4\n";
  std::vector<uint32_t> out = productOf(body, "gfx1250", 48);
  for (unsigned lane = 0; lane != 32; ++lane)
    EXPECT_EQ(out[lane], bitsOf(32.0f * (1 + 2 + 4 + 8) * float(1 << lane % 4)));
}

TEST(Wmma, UpperLanesMayHoldTheScales) {
  std::string body = "v_mov_b32_e32 v4, 0x7f7f7f7f\nv_cmp_lt_u32_e32 vcc_lo, 15, v0\n"
                     "v_cndmask_b32_e64 v5, 0, 0x80808080, vcc_lo\n";
  for (unsigned i = 0; i != 8; ++i)
    body += "v_mov_b32_e32 v" + std::to_string(16 + i) + ", 0x22222222\n";
  body += "v_wmma_scale_f32_16x16x128_f8f6f4 v[48:55], v[16:23], v[16:23], 0, v5, v4 "
          "matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4 "
          "matrix_a_scale:MATRIX_SCALE_ROW1\n";
  EXPECT_EQ(productOf(body, "gfx1250", 50)[20], bitsOf(256));
}
