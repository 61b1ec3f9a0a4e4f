#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

static KernelText kernelOf(const std::string &body) {
  KernelText kernel;
  kernel.chip = "gfx1250";
  kernel.body = body + "result\n";
  return kernel;
}

static std::vector<uint32_t> resultOn1250(const std::string &body) {
  Executed run(kernelOf(body), {}, 32);
  EXPECT_EQ(run.message(), "");
  return run.out;
}

// Lane 3's scales are those of bytes 2 and 0x7f00: the numbers of lanes 3 and 19 get different
// ones.
static const char *const scalesOfLane3 =
    "v_mov_b32_e32 v3, 0x7f7f\nv_cmp_eq_u32_e32 vcc_lo, 3, v0\n"
    "v_mov_b32_e32 v5, 0x8281\nv_cndmask_b32_e32 v3, v3, v5, vcc_lo\n";

TEST(ScaledConversions, HalvesOfTheWaveReadTheirBytesInTheLowerLanes) {
  // 1, 2, 3, 4, 6, -1, 0, 0.5 as e2m1, the first one lowest.
  std::string body = std::string(scalesOfLane3) + "v_mov_b32_e32 v2, 0x10a76542\n" +
                     "v_cvt_scale_pk8_bf16_fp4 v[8:11], v2, v3\n";
  std::vector<uint32_t> first = resultOn1250(body + "v_mov_b32_e32 v1, v8\n");
  EXPECT_EQ(first[0], 0x40003f80u);
  EXPECT_EQ(first[3], 0x41004080u);
  EXPECT_EQ(first[19], 0x41804100u);
  EXPECT_EQ(resultOn1250(body + "v_mov_b32_e32 v1, v11\n")[0], 0x3f000000u);
}

TEST(ScaledConversions, BytesShareTheScaleOfTheLowerLane) {
  // e4m3: 1 and 448; e5m2: 1 and infinity.
  std::string body = std::string(scalesOfLane3) + "v_mov_b32_e32 v6, 0x7e38\nv_mov_b32_e32 v7, 0\n";
  std::vector<uint32_t> out =
      resultOn1250(body + "v_cvt_scale_pk8_bf16_fp8 v[8:11], v[6:7], v3\nv_mov_b32_e32 v1, v8\n");
  EXPECT_EQ(out[0], 0x43e03f80u);
  EXPECT_EQ(out[3], 0x44e04080u);
  EXPECT_EQ(out[19], 0x44e04080u);
  out = resultOn1250("v_mov_b32_e32 v6, 0x7c3c\nv_mov_b32_e32 v7, 0\nv_mov_b32_e32 v3, 0x80\n"
                     "v_cvt_scale_pk8_f16_bf8 v[8:11], v[6:7], v3\nv_mov_b32_e32 v1, v8\n");
  EXPECT_EQ(out[5], 0x7c004000u);
}

TEST(ScaledConversions, DivideByTheExponentOfAFloat) {
  // 3 / 2, the rest 0; of the scale only the exponent counts.
  std::string body = "v_mov_b32_e32 v8, 0x40400000\nv_mov_b32_e32 v9, 0\nv_mov_b32_e32 v10, 0\n"
                     "v_mov_b32_e32 v11, 0\nv_mov_b32_e32 v12, 0\nv_mov_b32_e32 v13, 0\n"
                     "v_mov_b32_e32 v14, 0\nv_mov_b32_e32 v15, 0xc3e00000\n"
                     "v_mov_b32_e32 v3, 0x40200000\n";
  EXPECT_EQ(resultOn1250(body + "v_cvt_scalef32_pk8_fp8_f32 v[4:5], v[8:15], v3\n"
                                "v_mov_b32_e32 v1, v4\n")[0],
            0x3cu);
  EXPECT_EQ(resultOn1250(body + "v_cvt_scalef32_pk8_fp8_f32 v[4:5], v[8:15], v3\n"
                                "v_mov_b32_e32 v1, v5\n")[0],
            0xf6000000u);
  // 4-bit floats end at 6.
  EXPECT_EQ(resultOn1250(body + "v_cvt_scalef32_pk8_fp4_f32 v1, v[8:15], v3\n")[0], 0xf0000003u);
}

TEST(ScaledConversions, WhatIsNotKnownIsAFault) {
  EXPECT_EQ(Executed(kernelOf("v_cvt_scale_pk8_bf16_fp4 v[8:11], v0, v0 scale_sel:2\n"), {}, 32)
                .message(),
            "the executor does not know where this selection has its scales");
  EXPECT_EQ(Executed(kernelOf("s_mov_b32 exec_lo, 0xffff0000\n"
                              "v_cvt_scale_pk8_bf16_fp4 v[8:11], v0, v0\n"),
                     {}, 32)
                .message(),
            "other lanes read the scale of a lane that is masked off");
}
