// Where fences between threads and asynchronous units come to stand: none missing, none doubled.
#include "transform/PassTesting.h"

using namespace gluonc;

namespace {

class InsertProxyFencesTest : public PassTest {
protected:
  std::string fenced(const std::string &body) {
    parse("%d: !desc, %x: !tile, %c: !sum, %n: i32, %p: i1",
          "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
          "%bar = ttg.local_alloc : () -> !bar\n%a = ttg.local_alloc : () -> !buf\n"
          "%b = ttg.local_alloc : () -> !buf\n" +
              body + "ttg.local_dealloc %a : !buf\nttg.local_dealloc %b : !buf\n");
    allocate();
    EXPECT_TRUE(run(createInsertProxyFencesPass()));
    std::string once = order();
    EXPECT_TRUE(run(createInsertProxyFencesPass()));
    EXPECT_EQ(order(), once) << "a second run adds nothing";
    return once;
  }
};

const std::string kFence = "ttng.fence_async_shared {bCluster = false}\n";
const std::string kWait = "ttng.async_tma_store_wait {pendings = 0 : i32, read_only}\n";

std::string store(const std::string &buffer) {
  return "ttg.local_store %x, " + buffer + " : !tile -> !buf\n";
}
std::string load(const std::string &buffer) {
  static int count = 0;
  return "%load" + std::to_string(++count) + " = ttg.local_load " + buffer + " : !buf -> !tile\n";
}
std::string copyOut(const std::string &buffer) {
  return "ttng.async_tma_copy_local_to_global %d[%n, %n] " + buffer + " : !desc, !buf\n";
}
std::string copyIn(const std::string &buffer) {
  return "ttng.async_tma_copy_global_to_local %d[%n, %n] " + buffer +
         ", %bar, %p : !desc, !bar -> !buf\n";
}
std::string dot(const std::string &a, const std::string &b) {
  static int count = 0;
  return "%dot" + std::to_string(++count) + " = ttng.warp_group_dot " + a + ", " + b +
         ", %c {inputPrecision = 0 : i32} : !buf * !buf -> !sum\n";
}

const std::string kOut = "async_tma_copy_local_to_global", kIn = "async_tma_copy_global_to_local";

} // namespace

TEST_F(InsertProxyFencesTest, ACopySeesWhatThreadsStoredBehindAFence) {
  EXPECT_EQ(fenced(store("%a") + copyOut("%a")), "local_store fence_async_shared " + kOut);
}

TEST_F(InsertProxyFencesTest, ACopyOverwritesWhatThreadsLoadedBehindAFence) {
  EXPECT_EQ(fenced(load("%a") + copyIn("%a")), "local_load fence_async_shared " + kIn);
}

TEST_F(InsertProxyFencesTest, WhatBothReadNeedsNone) {
  EXPECT_EQ(fenced(load("%a") + copyOut("%a")), "local_load " + kOut);
}

TEST_F(InsertProxyFencesTest, ADotSeesWhatThreadsStoredBehindAFence) {
  EXPECT_EQ(fenced(store("%a") + dot("%a", "%b") + dot("%a", "%b")),
            "local_store fence_async_shared warp_group_dot warp_group_dot");
}

TEST_F(InsertProxyFencesTest, OtherBuffersDoNotMatter) {
  EXPECT_EQ(fenced(store("%a") + copyOut("%b")), "local_store " + kOut);
}

TEST_F(InsertProxyFencesTest, OneFenceServesAll) {
  EXPECT_EQ(fenced(store("%a") + store("%b") + copyOut("%a") + copyOut("%b")),
            "local_store local_store fence_async_shared " + kOut + " " + kOut);
}

TEST_F(InsertProxyFencesTest, TheFenceOfTheProgramIsEnough) {
  EXPECT_EQ(fenced(store("%a") + kFence + copyOut("%a")), "local_store fence_async_shared " + kOut);
}

TEST_F(InsertProxyFencesTest, ABarrierIsNoFence) {
  EXPECT_EQ(fenced(store("%a") + "ttg.barrier local\n" + copyOut("%a")),
            "local_store barrier fence_async_shared " + kOut);
}

TEST_F(InsertProxyFencesTest, AFenceServesUntilThreadsStoreAgain) {
  EXPECT_EQ(fenced(store("%a") + copyOut("%a") + kWait + store("%a") + copyOut("%a")),
            "local_store fence_async_shared " + kOut +
                " async_tma_store_wait local_store fence_async_shared " + kOut);
}

TEST_F(InsertProxyFencesTest, TheNextIterationCountsAsWhatFollows) {
  const std::string loop = "scf.for %i = %zero to %n step %one : i32 {\n";
  EXPECT_EQ(fenced(loop + copyIn("%a") + load("%a") + "}\n"),
            "for { fence_async_shared " + kIn + " local_load }");
  EXPECT_EQ(fenced(loop + copyOut("%a") + load("%a") + "}\n"), "for { " + kOut + " local_load }");
}

TEST_F(InsertProxyFencesTest, AFenceOnOneWayIsNotEnough) {
  EXPECT_EQ(fenced(store("%a") + "scf.if %p {\n" + kFence + "}\n" + copyOut("%a")),
            "local_store if { fence_async_shared } fence_async_shared " + kOut);
}

TEST_F(InsertProxyFencesTest, KernelsWithoutAsynchronousUnitsGetNone) {
  EXPECT_EQ(fenced(store("%a") + load("%a")), "local_store local_load");
}

TEST_F(InsertProxyFencesTest, CopiesIntoOtherCtasNeedAFenceOfTheCluster) {
  fenced(load("%a") + "ttng.async_tma_copy_global_to_local %d[%n, %n] %a, %bar, %p {multicast} : "
                      "!desc, !bar -> !buf\n");
  int fences = 0;
  kernel().walk([&](ttng::FenceAsyncSharedOp fence) {
    ++fences;
    EXPECT_TRUE(fence.getBCluster());
  });
  EXPECT_EQ(fences, 1);
}
