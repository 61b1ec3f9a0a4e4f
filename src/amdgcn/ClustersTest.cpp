#include "amdgcn/TestKernel.h"

using namespace gluonc::amdgcn;

/// Runs so many workgroups of two waves of gfx1250. `rank` is in s8, the cluster's number in s9,
/// the wave's in s10.
static Executed runClusters(const std::string &body, unsigned workgroups, unsigned clusterSize) {
  KernelText kernel;
  kernel.chip = "gfx1250";
  kernel.sharedBytes = 1024;
  kernel.body = "s_and_b32 s8, ttmp6, 15\ns_mov_b32 s9, ttmp9\nv_lshrrev_b32_e32 v1, 5, v0\n"
                "v_readfirstlane_b32 s10, v1\n" +
                body;
  std::vector<uint32_t> in(256);
  for (unsigned i = 0; i != in.size(); ++i)
    in[i] = 1000 + i;
  return Executed(kernel, in, 64, 1024, workgroups, clusterSize);
}

/// Thread 0 of a workgroup stores s12 at the workgroup's place.
static const std::string store = "s_lshl_b32 s13, s9, 1\ns_add_co_i32 s13, s13, s8\n"
                                 "s_lshl_b32 s13, s13, 2\nv_mov_b32_e32 v5, s13\n"
                                 "v_mov_b32_e32 v6, s12\nglobal_store_b32 v5, v6, s[0:1]\n";

TEST(Clusters, NumbersOfWorkgroups) {
  // In the order of LLVM's intrinsics: cluster, workgroup, flat workgroup, last workgroup.
  std::string text = "s_lshl_b32 s12, s9, 8\ns_lshl_b32 s14, s8, 12\ns_or_b32 s12, s12, s14\n"
                     "s_getreg_b32 s14, hwreg(HW_REG_IB_STS2, 21, 4)\ns_or_b32 s12, s12, s14\n"
                     "s_bfe_u32 s14, ttmp6, 0x40018\ns_lshl_b32 s14, s14, 16\n"
                     "s_or_b32 s12, s12, s14\ns_bfe_u32 s14, ttmp6, 0x4000c\n"
                     "s_lshl_b32 s14, s14, 20\ns_or_b32 s12, s12, s14\n"
                     "s_getreg_b32 s14, hwreg(HW_REG_IB_STS2, 6, 4)\ns_cmp_lg_u32 s14, 0\n"
                     "s_cselect_b32 s14, 1, 0\ns_lshl_b32 s14, s14, 24\n"
                     "s_or_b32 s12, s12, s14\n";
  Executed run = runClusters(text + store, 4, 2);
  EXPECT_EQ(run.message(), "");
  for (unsigned cluster : {0, 1})
    for (unsigned rank : {0, 1})
      EXPECT_EQ(run.out[2 * cluster + rank], 0x1110000u | rank << 12 | cluster << 8 | rank);
}

TEST(Clusters, BarrierOfTheCluster) {
  // One wave of each workgroup signals; workgroup 0 sees what workgroup 1 stored before.
  std::string text = "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 .Lmeet\ns_mov_b32 s12, 77\n" + store +
                     "s_wait_storecnt 0x0\n.Lmeet:\ns_barrier_signal -1\ns_barrier_wait -1\n"
                     "s_cmp_lg_u32 s10, 0\ns_cbranch_scc1 .Lwait\ns_barrier_signal -3\n"
                     ".Lwait:\ns_barrier_wait -3\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lend\n"
                     "v_mov_b32_e32 v5, 4\nglobal_load_b32 v6, v5, s[0:1]\n"
                     "s_wait_loadcnt 0x0\nglobal_store_b32 v5, v6, s[0:1] offset:4\n.Lend:\n";
  Executed run = runClusters(text, 2, 2);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(run.out[2], 77u);
}

/// All workgroups load a word each lane, together with those of a mask.
static std::string loadTogether(unsigned mask) {
  return "s_mov_b32 m0, " + std::to_string(mask) +
         "\nv_lshlrev_b32_e32 v2, 2, v0\ncluster_load_async_to_lds_b32 v2, v2, s[2:3]\n"
         "s_wait_asynccnt 0x0\nds_load_b32 v3, v2\ncluster_load_b32 v4, v2, s[2:3]\n"
         "s_wait_loadcnt_dscnt 0x0\nv_add_nc_u32_e32 v3, v3, v4\nv_readfirstlane_b32 s12, v3\n";
}

TEST(Clusters, LoadsOfSeveralWorkgroups) {
  std::string first =
      "s_cmp_lg_u32 s10, 0\ns_cbranch_scc1 .Lend\n" + loadTogether(3) + store + ".Lend:\n";
  Executed run = runClusters(first, 2, 2);
  EXPECT_EQ(run.message(), "");
  EXPECT_EQ(run.out[0], 2000u);
  EXPECT_EQ(run.out[1], 2000u);
}

TEST(Clusters, Faults) {
  EXPECT_EQ(runClusters(loadTogether(2), 2, 2).message(),
            "the mask 0x2 leaves out workgroup 0, which loads");
  EXPECT_EQ(runClusters(loadTogether(7), 2, 2).message(),
            "the mask 0x7 means more workgroups than the 2 of the cluster");
  std::string some = "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Lend\n" + loadTogether(3) + ".Lend:\n";
  EXPECT_EQ(runClusters(some, 2, 2).message(),
            "the load is for workgroup 1 of the cluster, too, which has asked for the same 0 "
            "times in place of 1");
  EXPECT_EQ(runClusters("s_barrier_signal -3\ns_barrier_wait -3\n", 2, 2).message(),
            "a wave has signalled the cluster's barrier for this workgroup already");
  EXPECT_EQ(runClusters("", 3, 2).message(), "the grid is no multiple of the cluster");
}
