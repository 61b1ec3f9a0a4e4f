#include "amdgcn/TestKernel.h"

#include <bit>
#include <cmath>

using namespace gluonc::amdgcn;

static uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// Thread t's word of `in` is in v2.
static const char *const loadWord = "v_lshlrev_b32_e32 v4, 2, v0\n"
                                    "global_load_dword v2, v4, s[2:3]\n"
                                    "s_waitcnt vmcnt(0)\n";

static std::vector<uint32_t> words(unsigned count) {
  std::vector<uint32_t> made(count);
  for (unsigned i = 0; i != count; ++i)
    made[i] = i * 2654435761u + 12345;
  return made;
}

TEST(Execute, ThreadsLoadAndStore) {
  std::vector<uint32_t> in = words(64);
  std::vector<uint32_t> out = resultOf(std::string(loadWord) + "v_add_u32_e32 v1, 7, v2\n", in);
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], in[i] + 7);
}

TEST(Execute, BranchesFollowExec) {
  std::vector<uint32_t> out = resultOf("v_mov_b32_e32 v1, 1\n"
                                       "v_cmp_gt_u32_e32 vcc, 10, v0\n"
                                       "s_and_saveexec_b64 s[4:5], vcc\n"
                                       "s_cbranch_execz .Lend\n"
                                       "v_mov_b32_e32 v1, 2\n"
                                       ".Lend:\n"
                                       "s_or_b64 exec, exec, s[4:5]\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], i < 10 ? 2u : 1u);
}

TEST(Execute, LoopsCount) {
  std::vector<uint32_t> out = resultOf("s_mov_b32 s4, 10\nv_mov_b32_e32 v1, 0\n.Lloop:\n"
                                       "v_add_u32_e32 v1, v1, v0\n"
                                       "s_sub_i32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\n"
                                       "s_cbranch_scc1 .Lloop\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], 10 * i);
}

TEST(Execute, ScalarsCarry) {
  std::vector<uint32_t> out = resultOf("s_mov_b32 s4, -1\ns_mov_b32 s5, 3\n"
                                       "s_add_u32 s4, s4, 2\ns_addc_u32 s5, s5, 0\n"
                                       "s_mul_i32 s5, s5, s4\n"
                                       "s_mov_b32 s6, 0x8000c\ns_bfe_u32 s6, 0x12345678, s6\n"
                                       "s_add_i32 s5, s5, s6\n"
                                       "v_mov_b32_e32 v1, s5\n");
  EXPECT_EQ(out[0], 4u + 0x45u);
}

TEST(Execute, FloatModifiers) {
  std::vector<uint32_t> out = resultOf("v_cvt_f32_u32_e32 v2, v0\n"
                                       "v_fma_f32 v1, -v2, |v2|, 1.0 mul:2\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], bitsOf(2 * (1.0f - float(i) * float(i))));
  out = resultOf("v_cvt_f32_u32_e32 v2, v0\nv_mul_f32_e64 v1, v2, 0.5 clamp\n");
  EXPECT_EQ(out[1], bitsOf(0.5f));
  EXPECT_EQ(out[9], bitsOf(1.0f));
}

TEST(Execute, HalvesAndParts) {
  // The high half of a register by SDWA; sixteen-bit results have zeros above them on gfx9.
  std::vector<uint32_t> out = resultOf("v_mov_b32_e32 v2, 0x42004500\nv_mov_b32_e32 v1, -1\n"
                                       "v_add_f16_sdwa v1, v2, v2 dst_sel:DWORD "
                                       "dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0\n");
  // 3 + 5
  EXPECT_EQ(out[0], 0x4800u);
  out = resultOf("v_mov_b32_e32 v2, 0x42004500\n"
                 "v_pk_add_f16 v1, v2, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_hi:[1,0]\n");
  // 3 + 5 below, -5 + 3 above
  EXPECT_EQ(out[0], 0xc0004800u);
  out =
      resultOf("v_mov_b32_e32 v1, -1\nv_mov_b32_e32 v2, 0x12345678\n"
               "v_mov_b32_sdwa v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0\n");
  EXPECT_EQ(out[0], 0xff78ffffu);
}

TEST(Execute, TrueHalvesOfGfx11) {
  std::vector<uint32_t> out = resultOf("v_mov_b32_e32 v2, 0x42004500\nv_mov_b32_e32 v1, -1\n"
                                       "v_add_f16_e32 v1.h, v2.h, v2.l\n",
                                       {}, "gfx1100");
  EXPECT_EQ(out[0], 0x4800ffffu);
}

TEST(Execute, PairsReadBeforeTheyWrite) {
  std::vector<uint32_t> out = resultOf("v_mov_b32_e32 v2, 5\nv_mov_b32_e32 v3, 9\n"
                                       "v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2\n"
                                       "v_lshl_or_b32 v1, v2, 8, v3\n",
                                       {}, "gfx1100");
  EXPECT_EQ(out[0], 9u << 8 | 5u);
}

TEST(Execute, LanesExchange) {
  std::vector<uint32_t> out =
      resultOf("v_mov_b32_e32 v1, -1\ns_nop 1\n"
               "v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], i % 16 ? i - 1 : ~0u);
  out = resultOf("v_mov_b32_dpp v1, v0 row_half_mirror row_mask:0xf bank_mask:0xf bound_ctrl:1\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], (i & ~7u) + 7 - i % 8);
  out = resultOf("v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v2, 0xb4, v2\n"
                 "ds_bpermute_b32 v1, v2, v0\ns_waitcnt lgkmcnt(0)\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], i ^ 45);
  out = resultOf("ds_swizzle_b32 v1, v0 offset:swizzle(BITMASK_PERM,\"0pi1p\")\n"
                 "s_waitcnt lgkmcnt(0)\n");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], (i & 32) | (((i & 13) | 2) ^ 4));
  out = resultOf("v_readlane_b32 s4, v0, 37\nv_mov_b32_e32 v1, s4\n");
  EXPECT_EQ(out[3], 37u);
}

TEST(Execute, RowsOfGfx11) {
  std::vector<uint32_t> out = resultOf("s_mov_b32 s4, 0x76543210\ns_mov_b32 s5, 0xfedcba98\n"
                                       "v_permlanex16_b32 v1, v0, s4, s5\n",
                                       {}, "gfx1100");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(out[i], i ^ 16);
}

TEST(Execute, SharedMemoryAndBarriers) {
  KernelText kernel;
  kernel.sharedBytes = 1024;
  // Each thread reads what thread 255 - t has written.
  kernel.body = "v_lshlrev_b32_e32 v2, 2, v0\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)\n"
                "s_barrier\nv_sub_u32_e32 v2, 0x3fc, v2\nds_read_b32 v1, v2\n"
                "s_waitcnt lgkmcnt(0)\nresult\n";
  Executed run(kernel, {}, 256);
  EXPECT_EQ(run.message(), "");
  for (unsigned i = 0; i != 256; ++i)
    EXPECT_EQ(run.out[i], 255 - i);
}

TEST(Execute, AtomicsAdd) {
  KernelText kernel;
  kernel.body = "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 0x3e7\n"
                "v_cmp_eq_u32_e32 vcc, 0, v0\ns_mov_b64 s[4:5], exec\ns_mov_b64 exec, vcc\n"
                "global_store_dword v2, v2, s[0:1]\ns_mov_b64 exec, s[4:5]\n"
                "global_atomic_add v1, v2, v0, s[0:1] sc0\ns_waitcnt vmcnt(0)\n";
  Executed run(kernel);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(run.out[0], 63u * 32);
}

TEST(Execute, BuffersEndWhereTheySay) {
  KernelText kernel;
  kernel.body = "s_and_b32 s5, s3, 0xffff\ns_mov_b32 s4, s2\ns_movk_i32 s6, 0x10\n"
                "s_mov_b32 s7, 0x27000\nv_lshlrev_b32_e32 v2, 2, v0\n"
                "buffer_load_dword v1, v2, s[4:7], 0 offen\ns_waitcnt vmcnt(0)\nresult\n";
  Executed run(kernel, words(64));
  EXPECT_EQ(run.message(), "");
  for (unsigned i = 0; i != 64; ++i)
    EXPECT_EQ(run.out[i], i < 4 ? words(64)[i] : 0u);
}
