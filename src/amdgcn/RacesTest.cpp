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

/// v2 is the thread's own place, v3 that of a thread two waves of 32 lanes further.
static const std::string pairs = "v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v3, 0x80, v2\n"
                                 "v_lshrrev_b32_e32 v4, 5, v0\nv_readfirstlane_b32 s8, v4\n"
                                 "ds_store_b32 v2, v0\ns_wait_dscnt 0x0\n";

static std::string saidOfNamed(const std::string &body) {
  KernelText kernel;
  kernel.chip = "gfx1250";
  kernel.sharedBytes = 1024;
  kernel.body = body;
  kernel.directives = ".amdhsa_named_barrier_count 1\n";
  return Executed(kernel, std::vector<uint32_t>(256), 128).message();
}

TEST(Races, NamedBarriers) {
  // Waves 0 and 1 meet at barrier 1, waves 2 and 3 at barrier 2.
  std::string meet = "s_lshr_b32 s9, s8, 1\ns_add_co_i32 s9, s9, 1\ns_mov_b32 m0, s9\n"
                     "s_barrier_join m0\ns_or_b32 m0, s9, 0x20000\n"
                     "s_barrier_signal m0\ns_barrier_wait 1\n";
  EXPECT_EQ(saidOfNamed(pairs + meet + "ds_load_b32 v1, v3\n"), "");
  // Waves 0 and 2 do not meet.
  std::string far = "v_xor_b32_e32 v3, 0x100, v2\nds_load_b32 v1, v3\n";
  EXPECT_TRUE(isRace(saidOfNamed(pairs + meet + far)));
  EXPECT_TRUE(isRace(saidOfNamed(pairs + "ds_load_b32 v1, v3\n" + meet)));
}

TEST(Races, WhoSignalsWithoutWaitingLearnsNothing) {
  // All but wave 0 only signal.
  std::string meet = "s_barrier_join 1\ns_barrier_signal -1\ns_barrier_wait -1\n"
                     "ds_store_b32 v2, v3\ns_wait_dscnt 0x0\ns_mov_b32 m0, 0x40001\n"
                     "s_barrier_signal m0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lon\n"
                     "s_barrier_wait 1\n.Lon:\n";
  std::string zero = "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lend\n", one = "s_cmp_lg_u32 s8, 1\n"
                                                                         "s_cbranch_scc1 .Lend\n";
  std::string read = "ds_load_b32 v1, v3\n.Lend:\n";
  EXPECT_EQ(saidOfNamed(pairs + meet + zero + read), "");
  EXPECT_TRUE(isRace(saidOfNamed(pairs + meet + one + read)));
}

/// Thread 0 makes a barrier at address 512 that so many arrivals end, and all threads know.
static std::string barrierOf(unsigned arrivals) {
  return "s_mov_b32 s40, exec_lo\nv_cmpx_eq_u32_e32 0, v0\nv_mov_b32_e32 v5, 0x200\n"
         "v_mov_b32_e32 v6, " +
         std::to_string(arrivals - 1) + "\nv_mov_b32_e32 v7, v6\nds_store_b64 v5, v[6:7]\n" +
         "s_mov_b32 exec_lo, s40\ns_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\n"
         "v_mov_b32_e32 v5, 0x200\nv_mov_b32_e32 v8, 1\nv_mov_b32_e32 v9, 0\n";
}

static const std::string poll = ".Lpoll:\ns_sleep 1\nds_load_b32 v6, v5\n"
                                "s_wait_dscnt 0x0\nv_and_b32_e32 v6, 0x20000000, v6\n"
                                "v_cmp_eq_u32_e32 vcc_lo, 0, v6\ns_cbranch_vccnz .Lpoll\n";

TEST(Races, BarriersInLds) {
  std::string begin = pairs + barrierOf(128), change = "ds_store_b32 v2, v3\n";
  std::string arrive = "ds_atomic_barrier_arrive_rtn_b64 v[10:11], v5, v[8:9]\n";
  std::string read = "ds_load_b32 v1, v3\n";
  // What a wave has written before, others see who see the phase end.
  EXPECT_EQ(saidOfNamed(begin + change + arrive + poll + read), "");
  EXPECT_TRUE(isRace(saidOfNamed(begin + change + arrive + read)));
  EXPECT_TRUE(isRace(saidOfNamed(begin + arrive + change + poll + read)));
}

TEST(Races, CopiesThatArriveAtBarriersInLds) {
  std::string begin = pairs + barrierOf(128);
  std::string copy = "global_load_async_to_lds_b32 v2, v2, s[2:3]\n";
  std::string arrive = "ds_atomic_async_barrier_arrive_b64 v5\n", read = "ds_load_b32 v1, v3\n";
  EXPECT_EQ(saidOfNamed(begin + copy + arrive + poll + read), "");
  EXPECT_TRUE(
      has(saidOfNamed(begin + copy + arrive + "ds_load_b32 v1, v2\n"), "nothing has waited for"));
  EXPECT_TRUE(has(saidOfNamed(begin + arrive + copy + poll + "ds_load_b32 v1, v2\n"),
                  "nothing has waited for"));
}

TEST(Races, StoresFromLds) {
  std::string store = "global_store_async_from_lds_b32 v2, v2, s[0:1]\n";
  std::string over = "ds_store_b32 v2, v3\n", wait = "s_wait_asynccnt 0x0\n";
  EXPECT_EQ(saidOfNamed(pairs + store + wait + over), "");
  EXPECT_TRUE(has(saidOfNamed(pairs + store + over),
                  "is written while a transfer from it is under way that nothing has waited for"));
  EXPECT_TRUE(has(saidOfNamed(pairs + over + store),
                  "is read by a transfer before the wave has waited for its own write"));
}

TEST(Races, TransfersDoNotWaitForReads) {
  std::string read = pairs + "ds_load_b32 v1, v2\n";
  std::string copy = "global_load_async_to_lds_b32 v2, v2, s[2:3]\n";
  EXPECT_EQ(saidOfNamed(read + "s_wait_dscnt 0x0\n" + copy), "");
  EXPECT_TRUE(has(saidOfNamed(read + copy),
                  "is written by a transfer before the wave has waited for its own read"));
}
