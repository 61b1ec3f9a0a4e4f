#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

/// Runs four waves of gfx1250 that have eight named barriers.
static Executed runWaves(const std::string &body, unsigned barriers = 2) {
  KernelText kernel;
  kernel.chip = "gfx1250";
  kernel.sharedBytes = 1024;
  kernel.body = "v_lshrrev_b32_e32 v1, 5, v0\n"
                "v_readfirstlane_b32 s8, v1\n" +
                body + "result\n";
  kernel.directives = ".amdhsa_named_barrier_count " + std::to_string(barriers) + "\n";
  return Executed(kernel, {}, 128);
}

/// The words of `out` that the first lanes of the waves leave.
static std::vector<uint32_t> ofWaves(const Executed &run) {
  return {run.out[0], run.out[32], run.out[64], run.out[96]};
}

static const std::string swap = "v_lshlrev_b32_e32 v2, 2, v0\nds_store_b32 v2, v0\n"
                                "s_wait_dscnt 0x0\n";
static const std::string fetch = "v_xor_b32_e32 v2, 0x80, v2\nds_load_b32 v1, v2\n"
                                 "s_wait_dscnt 0x0\n";

TEST(Barriers, NamedOnesBelongToPairsOfWaves) {
  // Waves 0 and 1 meet at barrier 1, waves 2 and 3 at barrier 2.
  std::string meet = "s_lshr_b32 s9, s8, 1\ns_add_co_i32 s9, s9, 1\ns_mov_b32 m0, s9\n"
                     "s_barrier_join m0\ns_or_b32 m0, s9, 0x20000\n"
                     "s_barrier_signal m0\ns_barrier_wait 1\n";
  Executed run = runWaves(swap + meet + fetch);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(ofWaves(run), (std::vector<uint32_t>{32, 0, 96, 64}));
}

TEST(Barriers, MembersOfABarrierThatOneWaveInitializes) {
  // Wave 0 sets up barrier 3 for all, who signal it by its number and join it first.
  std::string setUp = "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lready\ns_mov_b32 m0, 0x40003\n"
                      "s_barrier_init m0\n.Lready:\ns_barrier_signal -1\ns_barrier_wait -1\n"
                      "s_barrier_join 3\n";
  Executed run = runWaves(setUp + swap + "s_barrier_signal 3\ns_barrier_wait 1\n" + fetch);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(ofWaves(run), (std::vector<uint32_t>{32, 0, 96, 64}));
}

TEST(Barriers, WhoOnlySignalsDoesNotWait) {
  // Wave 0 waits for the other three, twice; they never wait.
  std::string text = "s_mov_b32 s10, 2\n"
                     "s_barrier_join 1\n"
                     "s_barrier_signal -1\ns_barrier_wait -1\n"
                     ".Lagain:\n"
                     "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 .Lwaits\n"
                     "s_mov_b32 m0, 0x30001\ns_barrier_signal m0\n"
                     "s_branch .Lnext\n"
                     ".Lwaits:\ns_barrier_wait 1\n"
                     ".Lnext:\ns_barrier_signal -1\ns_barrier_wait -1\n"
                     "s_sub_co_i32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 .Lagain\n";
  EXPECT_EQ(runWaves(text).message(), "");
}

TEST(Barriers, WhoLeavesIsNotWaitedFor) {
  std::string text = "s_barrier_join 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lset\n"
                     "s_mov_b32 m0, 0x40001\ns_barrier_init m0\n.Lset:\n"
                     "s_barrier_signal -1\ns_barrier_wait -1\n"
                     "s_cmp_eq_u32 s8, 3\ns_cbranch_scc1 .Lleave\n"
                     "s_barrier_signal 1\ns_barrier_wait 1\ns_branch .Lend\n"
                     ".Lleave:\ns_barrier_leave\n.Lend:\n";
  EXPECT_EQ(runWaves(text).message(), "");
}

TEST(Barriers, StateAndFirst) {
  std::string text = "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lother\n"
                     "s_mov_b32 m0, 0x50002\ns_barrier_signal_isfirst m0\n"
                     "s_cselect_b32 s10, 1, 0\n"
                     "s_barrier_signal_isfirst 2\ns_cselect_b32 s11, 1, 0\n"
                     "s_get_barrier_state s12, 2\ns_wait_kmcnt 0x0\n"
                     "s_lshl1_add_u32 s10, s10, s11\ns_lshl_b32 s10, s10, 24\n"
                     "s_or_b32 s10, s10, s12\nv_mov_b32_e32 v1, s10\n.Lother:\n";
  Executed run = runWaves(text);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(run.out[0], 2u << 24 | 2 << 16 | 5 << 4 | 1);
  EXPECT_NE(runWaves("s_get_barrier_state s12, -1\nv_mov_b32_e32 v1, s12\n")
                .message()
                .find("nothing has waited for kmcnt"),
            std::string::npos);
}

TEST(Barriers, Faults) {
  auto said = [](const std::string &text, unsigned barriers = 2) {
    return runWaves(text, barriers).message();
  };
  EXPECT_EQ(said("s_barrier_signal 1\n"), "nobody has said how many waves belong to barrier 1");
  EXPECT_EQ(said("s_barrier_join 5\n", 1),
            "barrier 5 is not one of the 4 named ones that the kernel asks for");
  EXPECT_EQ(said("s_mov_b32 m0, 0x20001\ns_barrier_join m0\ns_cmp_lg_u32 s8, 0\n"
                 "s_cbranch_scc1 .Lend\ns_barrier_signal m0\ns_barrier_wait 1\n.Lend:\n"),
            "the wave waits at a barrier for ever: others wait elsewhere");
  EXPECT_EQ(said("s_mov_b32 m0, 0x10001\ns_barrier_signal m0\ns_barrier_wait 1\n"),
            "the wave has joined no barrier that it could wait for");
  // The barrier that is always there holds nobody up.
  EXPECT_EQ(said("s_barrier_join 0\ns_barrier_signal 0\ns_barrier_wait 0\n"), "");
}
