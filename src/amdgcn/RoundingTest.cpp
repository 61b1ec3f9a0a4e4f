#include "amdgcn/TestKernel.h"

#include <bit>
#include <cmath>

using namespace gluonc::amdgcn;

static uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// The result of an instruction in v1 after MODE's field for 32 bits, or the other, is set.
static uint32_t rounded(const std::string &instruction, unsigned direction, bool isNarrow = false,
                        const std::string &chip = "gfx942") {
  std::string field =
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, " + std::string(isNarrow ? "2" : "0") + ", 2), ";
  return resultOf("v_mov_b32_e32 v2, 1.0\nv_mov_b32_e32 v3, 0x33000000\n"
                  "v_mov_b32_e32 v4, 0x3c00\nv_mov_b32_e32 v5, 1\nv_mov_b32_e32 v6, 0xbc00\n" +
                      field + std::to_string(direction) + "\n" + instruction + "\n" + field + "0\n",
                  {}, chip)[0];
}

TEST(Rounding, OfSumsOfFloats) {
  float next = std::nextafter(1.0f, 2.0f);
  for (const char *chip : {"gfx942", "gfx1100", "gfx1200"}) {
    EXPECT_EQ(rounded("v_add_f32_e32 v1, v2, v3", 0, false, chip), bitsOf(1));
    EXPECT_EQ(rounded("v_add_f32_e32 v1, v2, v3", 1, false, chip), bitsOf(next));
    EXPECT_EQ(rounded("v_add_f32_e32 v1, v2, v3", 2, false, chip), bitsOf(1));
    EXPECT_EQ(rounded("v_fma_f32 v1, -v2, v2, -v3", 2, false, chip), bitsOf(-next));
    EXPECT_EQ(rounded("v_fma_f32 v1, -v2, v2, -v3", 3, false, chip), bitsOf(-1));
  }
}

TEST(Rounding, OfHalves) {
  // 1 + 2^-24, and its negative.
  EXPECT_EQ(rounded("v_add_f16_e32 v1, v4, v5", 0, true), 0x3c00u);
  EXPECT_EQ(rounded("v_add_f16_e32 v1, v4, v5", 1, true), 0x3c01u);
  EXPECT_EQ(rounded("v_fma_f16 v1, v4, v4, v5", 1, true) & 0xffff, 0x3c01u);
  EXPECT_EQ(rounded("v_sub_f16_e32 v1, v6, v5", 2, true), 0xbc01u);
  EXPECT_EQ(rounded("v_sub_f16_e32 v1, v6, v5", 3, true), 0xbc00u);
  // The field for 32 bits does not matter.
  EXPECT_EQ(rounded("v_add_f16_e32 v1, v4, v5", 1, false), 0x3c00u);
  // 65504 + 65504
  EXPECT_EQ(rounded("v_mov_b32_e32 v7, 0x7bff\nv_add_f16_e32 v1, v7, v7", 3, true), 0x7bffu);
  EXPECT_EQ(rounded("v_mov_b32_e32 v7, 0x7bff\nv_add_f16_e32 v1, v7, v7", 1, true), 0x7c00u);
}

TEST(Rounding, OfConversions) {
  std::string third = "v_mov_b32_e32 v8, 0x55555555\nv_mov_b32_e32 v9, 0x3fd55555\n";
  EXPECT_EQ(rounded(third + "v_cvt_f32_f64_e32 v1, v[8:9]", 1), 0x3eaaaaabu);
  EXPECT_EQ(rounded(third + "v_cvt_f32_f64_e32 v1, v[8:9]", 2), 0x3eaaaaaau);
  EXPECT_EQ(rounded("v_mov_b32_e32 v8, 0x1000001\nv_cvt_f32_u32_e32 v1, v8", 1), 0x4b800001u);
  EXPECT_EQ(rounded("v_mov_b32_e32 v8, 0x3f800001\nv_cvt_f16_f32_e32 v1, v8", 1, true), 0x3c01u);
}

TEST(Rounding, OfDoubles) {
  std::string numbers = "v_mov_b32_e32 v8, 0\nv_mov_b32_e32 v9, 0x3ff00000\n"
                        "v_mov_b32_e32 v10, 0\nv_mov_b32_e32 v11, 0x3c000000\n";
  // The low words of 1 + 2^-63
  EXPECT_EQ(
      rounded(numbers + "v_add_f64 v[12:13], v[8:9], v[10:11]\nv_mov_b32_e32 v1, v12", 1, true),
      1u);
  EXPECT_EQ(
      rounded(numbers + "v_add_f64 v[12:13], v[8:9], v[10:11]\nv_mov_b32_e32 v1, v12", 2, true),
      0u);
}

TEST(Rounding, InstructionsThatAreNotKnownToFollowMode) {
  KernelText kernel;
  kernel.body = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\nv_rcp_f32_e32 v1, v0\n";
  EXPECT_EQ(Executed(kernel).message(),
            "the executor only rounds this instruction to nearest, MODE says otherwise");
}
