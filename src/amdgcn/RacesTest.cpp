#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

static constexpr const char *unwaited =
    "is read, which another wave wrote: no barrier that follows the write's end lies between";
static constexpr const char *overwritten =
    "is written while another wave may still read it: no barrier that follows the read's end lies "
    "between";

/// What is said of a kernel of four waves that has 1024 bytes of LDS.
static std::string saidOf(std::string body, const std::string &chip = "gfx942") {
  KernelText kernel;
  kernel.chip = chip;
  kernel.sharedBytes = 1024;
  kernel.body = std::move(body);
  return Executed(kernel, std::vector<uint32_t>(256), chip == "gfx942" ? 256 : 128).message();
}

static bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// Which of two accesses comes first depends on whose turn it is.
static bool isRace(const std::string &text) {
  return has(text, unwaited) || has(text, overwritten);
}

/// v2 is the thread's own place, v3 that of a thread of another wave.
static const std::string places = "v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v3, 0x100, v2\n";

TEST(Races, ReadsOfOthersWritesNeedABarrier) {
  std::string write = places + "ds_write_b32 v2, v0\n", read = "ds_read_b32 v1, v3\n";
  EXPECT_EQ(saidOf(write + "s_waitcnt lgkmcnt(0)\ns_barrier\n" + read), "");
  EXPECT_TRUE(isRace(saidOf(write + "s_waitcnt lgkmcnt(0)\n" + read)));
  // Each wave may read what it wrote itself.
  EXPECT_EQ(saidOf(write + "ds_read_b32 v1, v2\n"), "");
}

TEST(Races, WritesEndBeforeTheBarrier) {
  std::string write = places + "ds_write_b32 v2, v0\n", read = "s_barrier\nds_read_b32 v1, v3\n";
  EXPECT_TRUE(isRace(saidOf(write + read)));
  EXPECT_TRUE(isRace(saidOf(write + "s_waitcnt lgkmcnt(1)\n" + read)));
  EXPECT_EQ(saidOf(write + "ds_write_b32 v2, v3\ns_waitcnt lgkmcnt(0)\n" + read), "");
  // Of two writes the last one is still under way.
  EXPECT_TRUE(isRace(saidOf(write + "ds_write_b32 v2, v3\ns_waitcnt lgkmcnt(1)\n" + read)));
}

TEST(Races, SplitBarriers) {
  std::string write = "v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v3, 0x100, v2\n"
                      "ds_store_b32 v2, v0\n";
  std::string wait = "s_wait_dscnt 0x0\n", read = "ds_load_b32 v1, v3\n";
  std::string signal = "s_barrier_signal -1\n", pass = "s_barrier_wait -1\n";
  EXPECT_EQ(saidOf(write + wait + signal + pass + read, "gfx1200"), "");
  EXPECT_TRUE(isRace(saidOf(write + signal + wait + pass + read, "gfx1200")));
  EXPECT_TRUE(isRace(saidOf(write + wait + signal + read + pass, "gfx1200")));
}

TEST(Races, WritesOverWhatOthersRead) {
  std::string begin = places + "ds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
                               "ds_read_b32 v1, v3\ns_waitcnt lgkmcnt(0)\n";
  EXPECT_TRUE(isRace(saidOf(begin + "ds_write_b32 v2, v3\n")));
  EXPECT_EQ(saidOf(begin + "s_barrier\nds_write_b32 v2, v3\n"), "");
  // The second read may not have ended.
  std::string again = "ds_read_b32 v1, v3\ns_waitcnt lgkmcnt(";
  std::string end = ")\ns_barrier\nds_write_b32 v2, v3\n";
  EXPECT_EQ(saidOf(begin + again + "0" + end), "");
  EXPECT_TRUE(isRace(saidOf(begin + again + "1" + end)));
}

TEST(Races, WavesThatWriteTheSame) {
  std::string same = "v_and_b32_e32 v2, 0x3c, v0\nds_write_b32 v2, v2\n";
  EXPECT_EQ(saidOf(same + "ds_read_b32 v1, v2\n"), "");
  EXPECT_TRUE(isRace(saidOf("v_and_b32_e32 v2, 0x3c, v0\nds_write_b32 v2, v0\n"
                            "ds_read_b32 v1, v2\n")));
}

TEST(Races, AtomicsTakeTurns) {
  std::string zero = "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 1\n";
  std::string add = "ds_add_u32 v2, v3\ns_waitcnt lgkmcnt(0)\n", read = "ds_read_b32 v1, v2\n";
  EXPECT_EQ(saidOf(zero + add + "s_barrier\n" + read), "");
  EXPECT_TRUE(isRace(saidOf(zero + add + read)));
  // But not with the writes that make them begin with zero.
  std::string own = "v_lshlrev_b32_e32 v2, 2, v0\nv_mov_b32_e32 v3, 1\nds_write_b32 v2, v3\n"
                    "s_waitcnt lgkmcnt(0)\n";
  EXPECT_TRUE(isRace(saidOf(own + "v_mov_b32_e32 v2, 0\n" + add)));
}

TEST(Races, TransfersNeedWaitAndBarrier) {
  std::string load = "v_lshlrev_b32_e32 v4, 2, v0\nv_readfirstlane_b32 s4, v4\n"
                     "s_mov_b32 m0, s4\ns_nop 0\nglobal_load_lds_dword v4, s[2:3]\n";
  std::string read = "v_xor_b32_e32 v4, 0x100, v4\nds_read_b32 v1, v4\n";
  EXPECT_EQ(saidOf(load + "s_waitcnt vmcnt(0)\ns_barrier\n" + read), "");
  EXPECT_TRUE(isRace(saidOf(load + "s_waitcnt vmcnt(0)\n" + read)));
  EXPECT_TRUE(has(saidOf(load + "s_barrier\n" + read), "nothing has waited for"));
}
