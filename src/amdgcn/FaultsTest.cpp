#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

static std::vector<uint32_t> words(unsigned count) {
  std::vector<uint32_t> made(count);
  for (unsigned i = 0; i != count; ++i)
    made[i] = i * 2654435761u + 12345;
  return made;
}

TEST(Faults, LoadsNeedTheirWait) {
  KernelText kernel;
  kernel.body = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v1, v4, s[2:3]\n"
                "v_add_u32_e32 v2, v1, v1\n";
  Executed run(kernel, words(64));
  EXPECT_EQ(run.message(), "v1 is still being loaded: nothing has waited for vmcnt");
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->instruction, "v_add_u32_e32 v2, v1, v1");
}

TEST(Faults, WaitsLetTheOldestGo) {
  std::string loads = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v1, v4, s[2:3]\n"
                      "global_load_dword v2, v4, s[2:3]\ns_waitcnt vmcnt(1)\n";
  KernelText kernel;
  kernel.body = loads + "v_mov_b32_e32 v3, v1\n";
  EXPECT_EQ(Executed(kernel, words(64)).message(), "");
  kernel.body = loads + "v_mov_b32_e32 v3, v2\n";
  EXPECT_EQ(Executed(kernel, words(64)).message(),
            "v2 is still being loaded: nothing has waited for vmcnt");
}

TEST(Faults, FullCountersLetTheOldestGo) {
  KernelText kernel;
  std::string loads = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v1, v4, s[2:3]\n";
  for (unsigned i = 0; i != 62; ++i)
    loads += "global_load_dword v2, v4, s[2:3]\n";
  kernel.body = loads + "v_mov_b32_e32 v3, v1\n";
  EXPECT_EQ(Executed(kernel, words(64)).message(),
            "v1 is still being loaded: nothing has waited for vmcnt");
  kernel.body = loads + "global_load_dword v2, v4, s[2:3]\nv_mov_b32_e32 v3, v1\n";
  EXPECT_EQ(Executed(kernel, words(64)).message(), "");
}

TEST(Faults, ScalarLoadsEndInAnyOrder) {
  KernelText kernel;
  kernel.body = "s_load_dword s4, s[2:3], 0x0\ns_load_dword s5, s[2:3], 0x4\n"
                "s_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4\n";
  EXPECT_EQ(Executed(kernel, words(64)).message(),
            "s4 is still being loaded: nothing has waited for lgkmcnt");
}

TEST(Faults, SplitCountersOfGfx12) {
  KernelText kernel;
  kernel.chip = "gfx1200";
  kernel.sharedBytes = 256;
  kernel.body = "v_lshlrev_b32_e32 v4, 2, v0\nds_load_b32 v1, v4\ns_wait_loadcnt 0x0\n"
                "v_mov_b32_e32 v2, v1\n";
  EXPECT_EQ(Executed(kernel, {}, 32).message(),
            "v1 is still being loaded: nothing has waited for dscnt");
}

TEST(Faults, TransfersIntoSharedMemoryNeedTheirWait) {
  KernelText kernel;
  kernel.sharedBytes = 256;
  std::string body = "v_lshlrev_b32_e32 v4, 2, v0\ns_mov_b32 m0, 0\ns_nop 0\n"
                     "global_load_lds_dword v4, s[2:3]\n";
  std::string read = "ds_read_b32 v1, v4\ns_waitcnt lgkmcnt(0)\nresult\n";
  kernel.body = body + "s_waitcnt vmcnt(0)\n" + read;
  Executed run(kernel, words(64));
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(run.out[63], words(64)[63]);
  kernel.body = body + read;
  EXPECT_EQ(Executed(kernel, words(64)).message(),
            "LDS byte 0x0 is read while a transfer into it is under way that nothing has waited "
            "for");
}

TEST(Faults, MemoryEnds) {
  KernelText kernel;
  kernel.body = "v_lshlrev_b32_e32 v4, 2, v0\nglobal_load_dword v1, v4, s[2:3]\n";
  Executed run(kernel, words(40));
  EXPECT_NE(run.message().find("a load of 4 bytes at"), std::string::npos);
  ASSERT_TRUE(run.fault);
  EXPECT_EQ(run.fault->lane, 40u);
  kernel.body = "ds_read_b32 v1, v0 offset:512\n";
  EXPECT_EQ(Executed(kernel).message(),
            "LDS address 0x200 is outside of the 0 bytes that the workgroup has");
}

TEST(Faults, WordsOfWhichAPartIsMemory) {
  // The argument is two bytes, the upper ones of the second word.
  std::string load = "v_mov_b32_e32 v4, 0\nglobal_load_dword v3, v4, s[2:3] offset:4\n"
                     "s_waitcnt vmcnt(0)\n";
  std::string swap = "global_atomic_cmpswap v1, v4, v[2:3], s[2:3] offset:4 sc0\n"
                     "s_waitcnt vmcnt(0)\n";
  KernelText kernel;
  kernel.body = load +
                "v_mov_b32_e32 v2, 0x7777\nv_and_b32_e32 v5, 0xffff, v3\n"
                "v_lshl_or_b32 v2, v2, 16, v5\n" +
                swap;
  std::vector<uint32_t> in = {1, 0x12345678, 2};
  Range before = {0, 4}, upper = {6, 8};
  EXPECT_EQ(Executed(kernel, in, 1, 1, 1, 1, upper).message(), "");
  kernel.body = load + "v_mov_b32_e32 v2, 0x77777777\n" + swap;
  EXPECT_EQ(Executed(kernel, in, 1, 1, 1, 1, upper).message(),
            "an atomic access changes bytes beside all memory that the kernel was given");
  // What does not fit is not swapped.
  kernel.body = load + "v_mov_b32_e32 v2, 0x77777777\nv_mov_b32_e32 v3, 0\n" + swap;
  EXPECT_EQ(Executed(kernel, in, 1, 1, 1, 1, upper).message(), "");
  kernel.body = load;
  EXPECT_NE(Executed(kernel, in, 1, 1, 1, 1, before).message().find("a load of 4 bytes at"),
            std::string::npos);
  kernel.body = "v_mov_b32_e32 v4, 0\nglobal_atomic_add v4, v4, s[2:3] offset:4\n";
  EXPECT_NE(Executed(kernel, in, 1, 1, 1, 1, upper).message().find("a store of 4 bytes at"),
            std::string::npos);
}

TEST(Faults, WavesThatWaitForNobody) {
  KernelText kernel;
  // The first wave waits twice, the other one loops.
  kernel.body = "v_readfirstlane_b32 s4, v0\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lother\n"
                "s_barrier\n.Lother:\n.Lspin:\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lspin\n";
  EXPECT_EQ(Executed(kernel, {}, 128).message(), "the wave runs without end");
}

TEST(Faults, WavesThatAskForEver) {
  KernelText kernel;
  kernel.body = ".Lask:\ns_sleep 1\nv_mov_b32_e32 v4, 0\n"
                "global_load_dword v5, v4, s[2:3]\ns_waitcnt vmcnt(0)\n"
                "v_cmp_eq_u32_e32 vcc, 7, v5\ns_cbranch_vccz .Lask\n";
  EXPECT_EQ(Executed(kernel, {0}).message(),
            "the wave asks again and again for what no other wave will do");
  EXPECT_EQ(Executed(kernel, {7}).message(), "");
}

TEST(Faults, UnknownInstructionsAreFaults) {
  KernelText kernel;
  kernel.body = "v_lerp_u8 v1, v2, v3, v4\n";
  Executed run(kernel);
  EXPECT_EQ(run.message(), "the executor does not know this instruction");
  EXPECT_EQ(run.fault->instruction, "v_lerp_u8 v1, v2, v3, v4");
}

TEST(Faults, OtherFilesAreRefused) {
  std::string error;
  EXPECT_EQ(load("no code object", error), nullptr);
  EXPECT_FALSE(error.empty());
}
