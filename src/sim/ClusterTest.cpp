// CTAs of a cluster beside each other: what they may do in each other's memory, and what not.
#include "sim/KernelTesting.h"

using namespace gluonc::sim;
using namespace gluonc::sim::testing;
using gluonc::diag::Kind;

namespace {

/// Of two CTAs: #l divides 256 elements, the lower half to CTA 0; #f the other way round; in #b
/// both have all. #half, #both: shared memory likewise.
const std::string kLayouts = R"(
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>
#half = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#both = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
)";

/// Fills %buf, executes `middle`, and stores all of it as each CTA sees it; `end` comes last.
std::string exchangeKernel(const std::string &middle, const std::string &end) {
  return kLayouts + R"(tt.func public @k(%out: !tt.ptr<i32>) {
    %buf = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #half, #smem, mutable>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    ttg.local_store %i, %buf : tensor<256xi32, #l> -> !ttg.memdesc<256xi32, #half, #smem, mutable>
)" + middle +
         R"(
    %x = ttg.local_load %buf : !ttg.memdesc<256xi32, #half, #smem, mutable> -> tensor<256xi32, #b>
    %j = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %s = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
    %q = tt.addptr %s, %j : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %q, %x : tensor<256x!tt.ptr<i32>, #b>
)" + end +
         "\ntt.return\n}";
}

const std::string kBarrier = "ttng.cluster_barrier {relaxed = false}\n";
const std::string kRelaxed = "ttng.cluster_barrier {relaxed = true}\n";
const std::string kArrive = "ttng.cluster_arrive {relaxed = false}\n";
const std::string kWait = "ttng.cluster_wait\n";

/// What a kernel of two CTAs reports under every one of these schedules; nothing if they differ.
struct Outcome {
  explicit Outcome(const std::string &text, unsigned ctas = 2) {
    for (int seed = -1; seed < 20; ++seed) {
      Kernel kernel(text, ctas);
      std::vector<int32_t> out(256);
      kernel.buffer("out", out);
      if (seed >= 0)
        kernel.launch.scheduleSeed = uint64_t(seed);
      fine &= kernel.run();
      kinds.push_back(kernel.firstKind());
      message = kernel.firstMessage();
      notes.clear();
      for (const gluonc::diag::Diagnostic &diagnostic : kernel.sink.diagnostics)
        for (const auto &label : diagnostic.labels)
          notes += label.text + "\n";
      data = out;
    }
  }
  std::optional<Kind> kind() const {
    for (auto each : kinds)
      if (each != kinds.front())
        return std::nullopt;
    return kinds.front();
  }
  bool fine = true;
  std::vector<std::optional<Kind>> kinds;
  std::string message, notes;
  std::vector<int32_t> data;
};

TEST(Cluster, CtasSynchronizeAndReadEachOther) {
  for (const std::string &barrier : {kBarrier, kArrive + kWait}) {
    Outcome outcome(exchangeKernel(barrier, kBarrier));
    EXPECT_TRUE(outcome.fine) << outcome.message;
    for (int32_t i = 0; i < 256; ++i)
      ASSERT_EQ(outcome.data[i], i);
  }
}

TEST(Cluster, PeersReadsNeedABarrierThatReleases) {
  Outcome without(exchangeKernel("", kBarrier));
  for (auto kind : without.kinds)
    EXPECT_TRUE(kind == Kind::UnorderedSharedAccess || kind == Kind::UninitializedSharedRead);
  Outcome relaxed(exchangeKernel(kRelaxed, kBarrier));
  EXPECT_EQ(relaxed.kind(), Kind::UnorderedSharedAccess);
  EXPECT_NE(relaxed.message.find("by CTA "), std::string::npos) << relaxed.message;
}

TEST(Cluster, NoCtaLeavesWhileOthersReadItsMemory) {
  Outcome outcome(exchangeKernel(kBarrier, ""));
  EXPECT_EQ(outcome.kind(), Kind::SharedMemoryOutlived) << outcome.message;
  EXPECT_EQ(Outcome(exchangeKernel(kBarrier, kRelaxed)).kind(), Kind::SharedMemoryOutlived);
}

TEST(Cluster, HalvesOfBarriersAlternate) {
  Outcome twice(exchangeKernel(kArrive + kArrive + kWait, kBarrier));
  EXPECT_EQ(twice.kind(), Kind::ClusterBarrierMisused);
  EXPECT_EQ(Outcome(exchangeKernel(kWait, kBarrier)).kind(), Kind::ClusterBarrierMisused);
}

/// Each CTA has a barrier for `count` arrivals.
std::string signalKernel(const std::string &body, int count) {
  std::string text = kLayouts + R"(tt.func public @k(%out: !tt.ptr<i32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> $B
    ttng.init_barrier %bar, )" +
                     std::to_string(count) + " : $B\n" + kBarrier + body + "\ntt.return\n}";
  for (size_t at; (at = text.find("$B")) != std::string::npos;)
    text.replace(at, 2, "!ttg.memdesc<2xi64, #half, #smem, mutable>");
  return text;
}

const std::string kSignalAll = "ttng.arrive_barrier %bar, 1, %true {fromCTA = 0 : i32} : $B\n";
const std::string kAwait = "ttng.wait_barrier %bar, %c0 : $B\n";

TEST(Cluster, ArrivalsReachOtherCtas) {
  EXPECT_TRUE(Outcome(signalKernel(kSignalAll + kAwait + kBarrier, 1)).fine);
}

TEST(Cluster, DeadlockNamesTheCtas) {
  Outcome outcome(signalKernel(kSignalAll + kAwait + kBarrier, 2));
  EXPECT_EQ(outcome.kind(), Kind::Deadlock);
  EXPECT_EQ(outcome.message,
            "the program can never go on: CTA 0 waits for the barrier at byte 0 of "
            "CTA 0 (phase 0); the barrier lacks 1 arrival of 2");
  EXPECT_NE(
      outcome.notes.find("CTA 1 waits for the barrier at byte 0 of CTA 1 (phase 0); the barrier "
                         "lacks 1 arrival of 2"),
      std::string::npos)
      << outcome.notes;
}

TEST(Cluster, NoCtaLeavesBeforeItsBarriersAreSignalled) {
  EXPECT_EQ(Outcome(signalKernel(kSignalAll, 2)).kind(), Kind::SharedMemoryOutlived);
}

TEST(Cluster, PartitionsOfCtasSynchronizeEachForItself) {
  Outcome outcome(kLayouts + R"(tt.func public @k(%out: !tt.ptr<i32>) {
    ttg.warp_specialize(%out)
    default {
      ttng.cluster_barrier {relaxed = false}
      ttg.warp_yield
    }
    partition0(%p: !tt.ptr<i32>) num_warps(4) {
      %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
      %x = ttg.convert_layout %i : tensor<256xi32, #l> -> tensor<256xi32, #b>
      %s = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
      %q = tt.addptr %s, %x : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
      tt.store %q, %x : tensor<256x!tt.ptr<i32>, #b>
      ttg.warp_return
    } : (!tt.ptr<i32>) -> ()
    tt.return
  })");
  EXPECT_TRUE(outcome.fine) << outcome.message;
  EXPECT_EQ(outcome.data[255], 255);
}

TEST(Cluster, TheFirstCtaCountsForAll) {
  Outcome outcome(kLayouts + R"(tt.func public @k(%out: !tt.ptr<i32>) {
    %true = arith.constant true
    %c7 = arith.constant 7 : i32
    %c1 = arith.constant 1 : i32
    %old = tt.atomic_rmw add, acq_rel, gpu, %out, %c7, %true : (!tt.ptr<i32>, i32, i1) -> i32
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #l>
    %s = tt.splat %out : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #l>
    %q = tt.addptr %s, %i : tensor<256x!tt.ptr<i32>, #l>, tensor<256xi32, #l>
    %v = tt.splat %old : i32 -> tensor<256xi32, #l>
    %m = tt.splat %c1 : i32 -> tensor<256xi32, #l>
    %w = arith.addi %v, %m : tensor<256xi32, #l>
    %x = tt.load %q : tensor<256x!tt.ptr<i32>, #l>
    %y = arith.addi %x, %w : tensor<256xi32, #l>
    tt.store %q, %y : tensor<256x!tt.ptr<i32>, #l>
    tt.return
  })");
  EXPECT_TRUE(outcome.fine) << outcome.message;
  EXPECT_EQ(outcome.data[0], 8);
  EXPECT_EQ(outcome.data[200], 1);
}

TEST(Cluster, APollYieldsToOtherPartitions) {
  std::string text = R"(tt.func public @k(%out: !tt.ptr<i32>) {
    %true = arith.constant true
    %c7 = arith.constant 7 : i32
    ttg.warp_specialize(%out)
    default {
      %done = tt.atomic_poll acquire, gpu, %out, %c7 : !tt.ptr<i32>, i32 -> i1
      ttg.warp_yield
    }
    partition0(%p: !tt.ptr<i32>) num_warps(4) {
      %seven = arith.constant 7 : i32
      tt.store %p, %seven : !tt.ptr<i32>
      ttg.warp_return
    } : (!tt.ptr<i32>) -> ()
    tt.return
  })";
  EXPECT_TRUE(Outcome(text, 1).fine);
  size_t at = text.find("%seven = arith.constant 7");
  EXPECT_EQ(Outcome(text.replace(at, 25, "%seven = arith.constant 6"), 1).kind(),
            Kind::PollNeverEnds);
}

} // namespace
