#include "amdgcn/TestKernel.h"

#include <bit>

using namespace gluonc::amdgcn;

// What single chips spell or encode differently.

static std::vector<uint32_t> resultOn(const std::string &chip, const std::string &body,
                                      std::vector<uint32_t> in = {}) {
  KernelText kernel;
  kernel.chip = chip;
  kernel.sharedBytes = 1024;
  kernel.body = body + "result\n";
  Executed run(kernel, std::move(in), 32);
  EXPECT_EQ(run.message(), "");
  return run.out;
}

TEST(Encodings, HalvesOfARegisterInFlight) {
  // Both loads are under way; they end in order.
  std::vector<uint32_t> out = resultOn("gfx1100",
                                       "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v1, 0\n"
                                       "global_load_d16_b16 v1, v4, s[2:3]\n"
                                       "global_load_d16_hi_b16 v1, v4, s[2:3] offset:4\n"
                                       "s_waitcnt vmcnt(0)\n",
                                       {0x11112222, 0x33334444});
  EXPECT_EQ(out[0], 0x44442222u);
  KernelText kernel;
  kernel.chip = "gfx1100";
  kernel.sharedBytes = 64;
  // Two counters: nobody knows which load ends first.
  kernel.body = "v_mov_b32_e32 v4, 0\nglobal_load_d16_b16 v1, v4, s[2:3]\n"
                "ds_load_u16_d16_hi v1, v4\n";
  EXPECT_EQ(Executed(kernel, {1}, 32).message(),
            "v1 is still being loaded: nothing has waited for vmcnt");
}

TEST(Encodings, OffsetsOfSharedMemoryFollowBasesBelowZero) {
  EXPECT_EQ(resultOn("gfx1100", "v_mov_b32_e32 v2, -4\nv_mov_b32_e32 v3, 7\n"
                                "ds_store_b32 v2, v3 offset:16\ns_waitcnt lgkmcnt(0)\n"
                                "ds_load_b32 v1, v2 offset:16\ns_waitcnt lgkmcnt(0)\n")[0],
            7u);
}

TEST(Encodings, CompareAndStoreNamesTheNewValueFirst) {
  std::string body = "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 5\nv_mov_b32_e32 v4, 9\n"
                     "ds_store_b32 v2, v3\nds_cmpstore_rtn_b32 v5, v2, v4, v3\n"
                     "ds_load_b32 v1, v2\ns_waitcnt lgkmcnt(0)\nv_lshl_or_b32 v1, v5, 8, v1\n";
  // The first lane finds 5, the others 9.
  std::vector<uint32_t> out = resultOn("gfx1100", body);
  EXPECT_EQ(out[0], 5u << 8 | 9);
  EXPECT_EQ(out[1], 9u << 8 | 9);
}

TEST(Encodings, OffsetsInElementsOnGfx1250) {
  EXPECT_EQ(resultOn("gfx1250",
                     "s_mov_b32 s4, 2\ns_load_b32 s5, s[2:3], s4 offset:0x4 scale_offset\n"
                     "v_mov_b32_e32 v2, 1\nglobal_load_b32 v3, v2, s[2:3] scale_offset\n"
                     "s_wait_kmcnt 0x0\ns_wait_loadcnt 0x0\nv_lshl_or_b32 v1, s5, 8, v3\n",
                     {10, 11, 12, 13})[0],
            13u << 8 | 11);
}

TEST(Encodings, PairsOfGfx1250) {
  EXPECT_EQ(resultOn("gfx1250", "v_mov_b32_e32 v2, 0x3c\nv_mov_b32_e32 v3, 0x66\n"
                                "v_dual_lshlrev_b32 v4, 8, v2 :: v_dual_bitop2_b32 v5, v2, v3 "
                                "bitop3:0x14\nv_or_b32_e32 v1, v4, v5\n")[0],
            0x3c00u | (0x3c ^ 0x66));
}

TEST(Encodings, LiteralsOf64Bits) {
  EXPECT_EQ(resultOn("gfx1250", "s_mov_b64 s[4:5], 0x123456789abcdef0\nv_mov_b32_e32 v1, s4\n")[0],
            0x9abcdef0u);
  // 1.25 + 2 is 3.25, and of a short literal for a double the upper half is meant.
  EXPECT_EQ(resultOn("gfx1250", "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 0x3ff40000\n"
                                "v_add_f64_e32 v[4:5], 2.0, v[2:3]\n"
                                "v_add_f64_e32 v[4:5], 0x40100000, v[4:5]\n"
                                "v_mov_b32_e32 v1, v5\n")[0],
            uint32_t(std::bit_cast<uint64_t>(7.25) >> 32));
}

TEST(Encodings, UpperBitsOfRegisterNumbers) {
  // v300 = 5, v301 = v300 + 2, and back below 256.
  EXPECT_EQ(resultOn("gfx1250", "s_set_vgpr_msb 64\nv_mov_b32_e32 v44, 5\n"
                                "s_set_vgpr_msb 0x44\nv_add_nc_u32_e32 v45, 2, v44\n"
                                "s_set_vgpr_msb 1\nv_mov_b32_e32 v1, v45\ns_set_vgpr_msb 0\n")[0],
            7u);
}

TEST(Encodings, UpperBitsOfRegisterNumbersComeWithTheMode) {
  // Of the destination, whose bits are the first.
  EXPECT_EQ(resultOn("gfx1250", "v_mov_b32_e32 v44, 3\n"
                                "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 25, 1), 0x1001\n"
                                "v_mov_b32_e32 v44, 5\n"
                                "s_set_vgpr_msb 1\nv_mov_b32_e32 v1, v44\ns_set_vgpr_msb 0\n")[0],
            5u);
  // Other chips have no such bits.
  EXPECT_EQ(resultOn("gfx1200", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 25, 1), 0x1001\n"
                                "v_mov_b32_e32 v1, 5\n")[0],
            5u);
}

TEST(Encodings, UpperBitsSayNothingOfScales) {
  // Results are in v[290:297], the scales 1 in v97 and v98; v353 and v354 are not numbers.
  std::string text =
      "v_mov_b32_e32 v97, 0x7f7f7f7f\nv_mov_b32_e32 v98, 0x7f7f7f7f\n"
      "s_set_vgpr_msb 64\nv_mov_b32_e32 v97, -1\nv_mov_b32_e32 v98, -1\ns_set_vgpr_msb 0\n";
  for (unsigned reg = 2; reg != 34; ++reg)
    text += "v_mov_b32_e32 v" + std::to_string(reg) + ", 0x38383838\n";
  text += "s_set_vgpr_msb 64\n"
          "v_wmma_scale_f32_16x16x128_f8f6f4 v[34:41], v[2:17], v[18:33], 0, v97, v98\n"
          "s_set_vgpr_msb 1\nv_mov_b32_e32 v1, v34\ns_set_vgpr_msb 0\n";
  EXPECT_EQ(resultOf(text, {}, "gfx1250")[0], std::bit_cast<uint32_t>(128.0f));
}

TEST(Encodings, SumsThatAreCompared) {
  auto result = [](const std::string &text) {
    return resultOf("v_mov_b32_e32 v2, 0x7ffffff0\nv_mov_b32_e32 v3, 0x20\n" + text, {},
                    "gfx1250")[0];
  };
  EXPECT_EQ(result("v_add_max_i32 v1, v2, v3, 7\n"), 7u);
  EXPECT_EQ(result("v_add_max_i32 v1, v2, v3, 7 clamp\n"), 0x7fffffffu);
  EXPECT_EQ(result("v_add_min_i32 v1, v2, v3, 7\n"), 0x80000010u);
  EXPECT_EQ(result("v_add_max_u32 v1, v2, v3, 7\n"), 0x80000010u);
  EXPECT_EQ(result("v_add_min_u32 v1, -1, v3, v2 clamp\n"), 0x7ffffff0u);
}

TEST(Encodings, FieldsThatOlderCompilersLeaveZero) {
  // tensor_load_to_lds s[4:7], s[8:15], switched off by s4; and a product with scales.
  EXPECT_EQ(resultOf("s_mov_b32 s4, 0\n.long 0xd0710001, 0x00000000, 0x7c7c0804\n"
                     "v_mov_b32_e32 v1, 3\n",
                     {}, "gfx1250")[0],
            3u);
  std::string zeros = "v_mov_b32_e32 v97, 0x7f\nv_mov_b32_e32 v98, 0x7f\n";
  for (unsigned reg = 2; reg != 42; ++reg)
    zeros += "v_mov_b32_e32 v" + std::to_string(reg) + ", 0\n";
  EXPECT_EQ(resultOf(zeros + ".long 0xcc350000, 0x0002c561, 0xcc330822, 0x0c8a0512\n"
                             "v_mov_b32_e32 v1, v34\n",
                     {}, "gfx1250")[0],
            0u);
}

TEST(Encodings, BanksOfLoadsToLds) {
  // The bank of results is meant, and the first source's.
  std::string text = "s_set_vgpr_msb 64\nv_lshlrev_b32_e32 v3, 2, v0\ns_set_vgpr_msb 0\n"
                     "v_lshlrev_b32_e32 v4, 2, v0\ns_set_vgpr_msb 0x44\n"
                     "global_load_async_to_lds_b32 v3, v4, s[2:3]\ns_set_vgpr_msb 0\n"
                     "s_wait_asynccnt 0x0\nds_load_b32 v1, v4\ns_wait_dscnt 0x0\n";
  std::vector<uint32_t> in(64, 7);
  EXPECT_EQ(resultOf(text, in, "gfx1250")[5], 7u);
}
