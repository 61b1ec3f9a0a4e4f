// Barriers, box copies, dots in flight, partitions: what is right, and each mistake.
#include "sim/KernelTesting.h"

#include <bit>
#include <limits>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;
using gluonc::TensorDescription;
using gluonc::diag::Kind;

namespace {

const char *const kTypes = R"(
#sh = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 32}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
)";

/// Replaces $B by the barrier's type, $T by that of a tile's buffer, $D by the descriptor's.
std::string spell(std::string text) {
  const std::pair<const char *, const char *> words[] = {
      {"$B", "!ttg.memdesc<1xi64, #bar, #smem, mutable>"},
      {"$T", "!ttg.memdesc<16x32xf32, #sh, #smem, mutable>"},
      {"$D", "!tt.tensordesc<16x32xf32, #sh>"}};
  for (auto [from, to] : words)
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, 2, to);
  return kTypes + text;
}

/// A kernel of one descriptor; %bar is a barrier of `count`, %buf a tile's buffer.
std::string kernelOf(const std::string &body, int count = 1) {
  return spell(R"(tt.func public @k(%d: $D) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %bar = ttg.local_alloc : () -> $B
    %buf = ttg.local_alloc : () -> $T
    ttng.init_barrier %bar, )" +
               std::to_string(count) + " : $B\n" + body + "\ntt.return\n}");
}

const std::string kExpect = "ttng.barrier_expect %bar, 2048, %true : $B\n";
const std::string kLoad =
    "ttng.async_tma_copy_global_to_local %d[%c0, %c0] %buf, %bar, %true : $D, $B -> $T\n";
const std::string kWait = "ttng.wait_barrier %bar, %c0 : $B\n";
const std::string kStore = "ttng.async_tma_copy_local_to_global %d[%c0, %c4] %buf : $D, $T\n";
const std::string kStoreWait = "ttng.async_tma_store_wait {pendings = 0 : i32}\n";
const std::string kFence = "ttng.fence_async_shared {bCluster = false}\n";
const std::string kRead = "%x = ttg.local_load %buf : $T -> tensor<16x32xf32, #m>\n";
const std::string kWrite = "%z = arith.constant dense<7.0> : tensor<16x32xf32, #m>\n"
                           "ttg.local_store %z, %buf : tensor<16x32xf32, #m> -> $T\n";

/// Runs over a 16 x 64 tensor of its indices; what it holds afterwards.
struct Outcome {
  explicit Outcome(const std::string &text, std::optional<uint64_t> seed = std::nullopt,
                   void (*change)(TensorDescription &) = nullptr)
      : kernel(text), data(16 * 64) {
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = float(i);
    kernel.memory.add("t", data.data(), data.size() * 4);
    tensor.base = reinterpret_cast<uint64_t>(data.data());
    tensor.rank = 2;
    tensor.shape = {16, 64};
    tensor.strides = {64, 1};
    if (change)
      change(tensor);
    kernel.launch.arguments.push_back(Argument::descriptor(tensor));
    kernel.launch.scheduleSeed = seed;
    fine = kernel.run();
  }
  Kernel kernel;
  std::vector<float> data;
  TensorDescription tensor;
  bool fine = false;
};

void expectFault(const std::string &text, Kind kind) {
  Outcome run(text);
  EXPECT_FALSE(run.fine);
  EXPECT_EQ(run.kernel.firstKind(), kind) << run.kernel.allMessages();
}

} // namespace

TEST(Async, BulkCopiesThereAndBack) {
  Outcome run(kernelOf(kExpect + kLoad + kWait + kStore +
                       "ttng.async_tma_store_wait {pendings = 0 : i32}\n"));
  ASSERT_TRUE(run.fine) << run.kernel.allMessages();
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 64; ++column) {
      int from = column >= 4 && column < 36 ? column - 4 : column;
      EXPECT_EQ(run.data[size_t(row * 64 + column)], float(row * 64 + from));
    }
}

TEST(Async, OutsideOfTheTensorIsZero) {
  Outcome run(kernelOf(kExpect + R"(%c48 = arith.constant 48 : i32
    ttng.async_tma_copy_global_to_local %d[%c0, %c48] %buf, %bar, %true : $D, $B -> $T
    )" + kWait + "ttng.async_tma_copy_local_to_global %d[%c0, %c0] %buf : $D, $T\n" +
                       kStoreWait));
  ASSERT_TRUE(run.fine) << run.kernel.allMessages();
  EXPECT_EQ(run.data[15], 63.0f);
  EXPECT_EQ(run.data[16], 0.0f);
  EXPECT_EQ(run.data[31], 0.0f);
  EXPECT_EQ(run.data[32], 32.0f);
}

TEST(Async, FillsAndRoundsWhatADescriptorSays) {
  const std::string there = kernelOf(kExpect + R"(%c48 = arith.constant 48 : i32
    ttng.async_tma_copy_global_to_local %d[%c0, %c48] %buf, %bar, %true : $D, $B -> $T
    )" + kWait + "ttng.async_tma_copy_local_to_global %d[%c0, %c0] %buf : $D, $T\n" +
                                     kStoreWait);
  Outcome nan(there, std::nullopt, [](TensorDescription &tensor) { tensor.nanPadding = true; });
  ASSERT_TRUE(nan.fine) << nan.kernel.allMessages();
  EXPECT_EQ(nan.data[15], 63.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(nan.data[16]), 0x7ff77ff7u);

  // Ties go to the even neighbour, every NaN becomes one.
  Outcome rounded(kernelOf(kExpect + kLoad + kWait + kStore + kStoreWait), std::nullopt,
                  [](TensorDescription &tensor) {
                    float *data = reinterpret_cast<float *>(tensor.base);
                    data[0] = 1 + 0x1p-11f, data[1] = -1 - 0x3p-11f, data[2] = 1 + 0x1.fp-12f;
                    data[3] = std::numeric_limits<float>::quiet_NaN();
                    tensor.roundToTf32 = true;
                  });
  ASSERT_TRUE(rounded.fine) << rounded.kernel.allMessages();
  EXPECT_EQ(rounded.data[4], 1.0f);
  EXPECT_EQ(rounded.data[5], -1 - 0x1p-9f);
  EXPECT_EQ(rounded.data[6], 1.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(rounded.data[7]), 0x7fffe000u);
}

TEST(Async, ReductionsCombineWithWhatIsThere) {
  Outcome run(kernelOf(kWrite + kFence + "ttng.async_tma_reduce add, %d[%c0, %c4] %buf : $D, $T\n" +
                       kStoreWait));
  ASSERT_TRUE(run.fine) << run.kernel.allMessages();
  EXPECT_EQ(run.data[3], 3.0f);
  EXPECT_EQ(run.data[4], 11.0f);
  EXPECT_EQ(run.data[35], 42.0f);
  EXPECT_EQ(run.data[36], 36.0f);
}

TEST(Async, StoresEndWhereUnitsOf16BytesDo) {
  for (const char *copy : {"ttng.async_tma_reduce add, %d[%c0, %c0] %buf : $D, $T\n",
                           "ttng.async_tma_copy_local_to_global %d[%c0, %c0] %buf : $D, $T\n"}) {
    Outcome run(kernelOf(kWrite + kFence + copy + kStoreWait), std::nullopt,
                [](TensorDescription &tensor) { tensor.shape = {16, 9}; });
    ASSERT_TRUE(run.fine) << run.kernel.allMessages();
    EXPECT_NE(run.data[8], 8.0f);
    EXPECT_NE(run.data[11], 11.0f);
    EXPECT_EQ(run.data[12], 12.0f);
  }
}

TEST(Async, OnlyLoadsBeginBeforeTheTensor) {
  const std::string before = "%m4 = arith.constant -4 : i32\n";
  EXPECT_TRUE(Outcome(kernelOf(before + kExpect +
                               "ttng.async_tma_copy_global_to_local %d[%m4, %m4] %buf, %bar, %true "
                               ": $D, $B -> $T\n" +
                               kWait))
                  .fine);
  for (const char *place : {"%m4, %c0", "%c0, %m4"})
    expectFault(kernelOf(before + kWrite + kFence + "ttng.async_tma_copy_local_to_global %d[" +
                         place + "] %buf : $D, $T\n" + kStoreWait),
                Kind::BoxBeforeTensor);
}

TEST(Async, BoxesBeginAtUnitsOf16Bytes) {
  for (const char *copy : {"ttng.async_tma_reduce add, %d[%c0, %c1] %buf : $D, $T\n",
                           "ttng.async_tma_copy_local_to_global %d[%c0, %c1] %buf : $D, $T\n"}) {
    Outcome run(kernelOf(kWrite + kFence + copy + kStoreWait));
    EXPECT_EQ(run.kernel.firstKind(), Kind::BoxMisaligned);
    EXPECT_EQ(run.kernel.firstMessage(), "the box begins at element 1 of the last dim, byte 4 of a "
                                         "row; a GPU begins at multiples of 16 bytes only");
  }
}

TEST(Async, ReductionsCountAround) {
  auto counted = [](const char *kind, uint32_t limit) {
    std::string text = kTypes + std::string(R"(
      #u = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
      tt.func public @k(%d: !tt.tensordesc<16x32xui32, #sh>) {
        %c0 = arith.constant 0 : i32
        %limit = arith.constant dense<$L> : tensor<16x32xi32, #u>
        %buf = ttg.local_alloc %limit : (tensor<16x32xi32, #u>) -> !ttg.memdesc<16x32xi32, #sh, #smem, mutable>
        ttng.fence_async_shared {bCluster = false}
        ttng.async_tma_reduce $K, %d[%c0, %c0] %buf : !tt.tensordesc<16x32xui32, #sh>, !ttg.memdesc<16x32xi32, #sh, #smem, mutable>
        ttng.async_tma_store_wait {pendings = 0 : i32}
        tt.return
      })");
    text.replace(text.find("$L"), 2, std::to_string(limit));
    text.replace(text.find("$K"), 2, kind);
    Outcome run(text, std::nullopt, [](TensorDescription &tensor) {
      for (uint32_t i = 0; i < 16; ++i)
        reinterpret_cast<uint32_t *>(tensor.base)[i] = i;
    });
    EXPECT_TRUE(run.fine) << run.kernel.allMessages();
    std::vector<uint32_t> results;
    for (uint32_t i = 0; i < 8; ++i)
      results.push_back(std::bit_cast<uint32_t>(run.data[i]));
    return results;
  };
  using Row = std::vector<uint32_t>;
  EXPECT_EQ(counted("inc", 5), (Row{1, 2, 3, 4, 5, 0, 0, 0}));
  EXPECT_EQ(counted("dec", 5), (Row{5, 0, 1, 2, 3, 4, 5, 5}));
}

/// Two images of 8 pixels with 64 channels; `coords` of the first pixel.
std::string pixelsFrom(const std::string &coords) {
  std::string text = kernelOf(kExpect +
                              "%c7 = arith.constant 7 : i32\n%c8 = arith.constant 8 : i32\n"
                              "%o = arith.constant 0 : i16\n"
                              "ttng.async_tma_copy_global_to_local %d[" +
                              coords + R"(] offsets = [%o] %buf, %bar, %true : $D, $B -> $T
    )" + kWait);
  const std::string tiled = "!tt.tensordesc<", pixels = "!ttng.tensordesc_im2col<";
  for (size_t at = 0; (at = text.find(tiled, at)) != std::string::npos;)
    text.replace(at, tiled.size(), pixels);
  return text;
}

void asImages(TensorDescription &tensor) {
  tensor.rank = 3;
  tensor.shape = {2, 8, 64};
  tensor.strides = {512, 64, 1};
}

TEST(Async, PixelsBeginWithinTheBoundingBox) {
  Outcome inside(pixelsFrom("%c0, %c7, %c0"), std::nullopt, asImages);
  EXPECT_TRUE(inside.fine) << inside.kernel.allMessages();
  Outcome outside(pixelsFrom("%c0, %c8, %c0"), std::nullopt, asImages);
  EXPECT_EQ(outside.kernel.firstKind(), Kind::Im2ColStart);
  EXPECT_EQ(outside.kernel.firstMessage(),
            "an im2col load begins at 8 of dim 1, where the bounding box has 0 to 7");
}

TEST(Async, MistakesWithBulkCopies) {
  expectFault(kernelOf(kExpect + kLoad + kRead + kWait), Kind::UnfinishedCopyRead);
  expectFault(kernelOf(kExpect + kLoad + kWrite + kWait), Kind::SharedWriteDuringCopy);
  expectFault(kernelOf(kExpect + kLoad + kWait + kStore + kWrite), Kind::SharedWriteDuringRead);
  expectFault(kernelOf(kStore), Kind::UninitializedSharedRead);
  expectFault(kernelOf(kExpect + kLoad + kWait + kStore), Kind::UnfinishedAtEnd);
}

TEST(Async, ALoadThatNobodyWaitsForDoesNoHarm) {
  Outcome run(kernelOf(kExpect + kLoad));
  EXPECT_TRUE(run.fine) << run.kernel.allMessages();
}

TEST(Async, OrdinaryAccessesNeedAFenceBeforeTheAsynchronousProxy) {
  const std::string end = kStoreWait;
  EXPECT_TRUE(Outcome(kernelOf(kWrite + kFence + kStore + end)).fine);
  expectFault(kernelOf(kWrite + kStore + end), Kind::MissingProxyFence);
  expectFault(kernelOf(kFence + kWrite + kStore + end), Kind::MissingProxyFence);
  expectFault(kernelOf(kWrite + kExpect + kLoad + kWait), Kind::MissingProxyFence);
  expectFault(kernelOf(kWrite + kFence + kRead + kExpect + kLoad + kWait), Kind::MissingProxyFence);
  EXPECT_TRUE(Outcome(kernelOf(kWrite + kRead + kFence + kExpect + kLoad + kWait)).fine);
  // What TMA wrote needs none, and neither does a read before it reads, too.
  EXPECT_TRUE(Outcome(kernelOf(kExpect + kLoad + kWait + kStore + end)).fine);
  EXPECT_TRUE(Outcome(kernelOf(kWrite + kFence + kRead + kStore + end)).fine);
}

TEST(Async, DescriptorsAreMadeAndAcquiredBeforeTheyAreUsed) {
  const std::string place =
      "%g = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>\n";
  const std::string create = R"(%c0l = arith.constant 0 : i64
    %c256 = arith.constant 256 : i64
    %c16 = arith.constant 16 : i32
    %p = tt.int_to_ptr %c0l : i64 -> !tt.ptr<f32>
    ttng.tensormap_create %g, %p, [%c16, %c16], [%c16, %c16], [%c256], [%c1, %c1] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, i32, i64, i32, i32) -> ()
)";
  const std::string acquire = "ttng.tensormap_fenceproxy_acquire %g : !tt.ptr<i8>\n";
  const std::string take = "%e = ttng.reinterpret_tensor_descriptor %g : !tt.ptr<i8> to $D\n";
  Outcome fine(kernelOf(place + create + acquire + take));
  EXPECT_TRUE(fine.fine) << fine.kernel.allMessages();
  expectFault(kernelOf(place + take), Kind::DescriptorNotReady);
  expectFault(kernelOf(place + create + take), Kind::DescriptorNotReady);
  expectFault(kernelOf(place + acquire + take), Kind::DescriptorNotReady);
}

TEST(Async, AStoreMayBeOverwrittenAfterTheWaitForItsReads) {
  Outcome run(kernelOf(kExpect + kLoad + kWait + kStore +
                       "ttng.async_tma_store_wait {pendings = 0 : i32, read_only}\n" + kWrite));
  EXPECT_TRUE(run.fine) << run.kernel.allMessages();
  EXPECT_EQ(run.data[4], 0.0f) << "the store takes the bytes of its time";
}

TEST(Async, ScratchMayBeWhereNothingIsInUse) {
  // Machine code exchanges elements in bytes whose buffer is gone; the store may be reading it.
  const std::string gone = kExpect + kLoad + kWait + kStore + "ttg.local_dealloc %buf : $T\n";
  const std::string convert = R"(
    %z = arith.constant dense<7.0> : tensor<16x32xf32, #m>
    %y = ttg.convert_layout %z {allocation.offset = 0 : i32, allocation.size = 4096 : i32} : tensor<16x32xf32, #m> -> tensor<16x32xf32, #m>
  )";
  const std::string invalidate = "ttng.inval_barrier %bar : $B\n";
  Outcome run(kernelOf(gone + kStoreWait + invalidate + convert));
  EXPECT_TRUE(run.fine) << run.kernel.allMessages();
  expectFault(kernelOf(gone + invalidate + convert + kStoreWait), Kind::SharedWriteDuringRead);
  expectFault(kernelOf(gone + kStoreWait + convert), Kind::BarrierBytesAccessed);
}

TEST(Async, MistakesWithBarriers) {
  expectFault(kernelOf("ttng.init_barrier %bar, 1 : $B"), Kind::BarrierInitializedTwice);
  expectFault(kernelOf("ttng.inval_barrier %bar : $B\n" + kWait), Kind::BarrierNotInitialized);
  expectFault(kernelOf("ttng.arrive_barrier %bar, 3 : $B", 2), Kind::BarrierOverrun);
  expectFault(kernelOf("ttng.barrier_expect %bar, 1048575, %true : $B\n"
                       "ttng.barrier_expect %bar, 1, %true : $B",
                       3),
              Kind::BarrierByteOverflow);
  expectFault(kernelOf("%l = ttg.local_load %bar : $B -> tensor<1xi64, #l>"),
              Kind::BarrierBytesAccessed);
}

TEST(Async, WhatAPredicateSwitchesOffMayBeWrong) {
  const std::string rings = R"(%false = arith.constant false
    %far = arith.constant 7 : i32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<2x1xi64, #bar, #smem, mutable>
    %none = ttg.memdesc_index %ring[%far] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> $B
  )";
  const std::string uses[] = {"ttng.arrive_barrier %none, 1, $P : $B\n",
                              "ttng.wait_barrier %none, %c0, $P : $B\n"};
  for (const std::string &use : uses) {
    auto with = [&](const char *predicate) {
      std::string text = use;
      return kernelOf(rings + text.replace(text.find("$P"), 2, predicate));
    };
    Outcome off(with("%false"));
    EXPECT_TRUE(off.fine) << use << off.kernel.allMessages();
    EXPECT_FALSE(Outcome(with("%true")).fine) << use;
  }
}

TEST(Async, AFaultyPlaceOfALoadCountsOnceItIsWaitedFor) {
  const std::string load = kExpect + R"(%z = arith.remsi %c1, %c0 : i32
    ttng.async_tma_copy_global_to_local %d[%z, %c0] %buf, %bar, %true : $D, $B -> $T
  )";
  Outcome ignored(kernelOf(load));
  EXPECT_TRUE(ignored.fine) << ignored.kernel.allMessages();
  Outcome off(kernelOf("%z = arith.remsi %c1, %c0 : i32\n%no = arith.constant false\n"
                       "ttng.async_tma_copy_global_to_local %d[%z, %c0] %buf, %bar, %no"
                       " : $D, $B -> $T\n"));
  EXPECT_TRUE(off.fine) << off.kernel.allMessages();
  expectFault(kernelOf(load + kWait), Kind::IntegerDivisionFault);
}

TEST(Async, DeadlockSaysWhatIsMissing) {
  Outcome run(kernelOf("ttng.barrier_expect %bar, 4096, %true : $B\n" + kLoad + kWait, 2));
  EXPECT_FALSE(run.fine);
  ASSERT_EQ(run.kernel.firstKind(), Kind::Deadlock) << run.kernel.allMessages();
  EXPECT_NE(run.kernel.firstMessage().find("lacks 1 arrival of 2 and 2048 bytes"),
            std::string::npos)
      << run.kernel.firstMessage();
}

TEST(Async, ABarrierPassesOnceItsPhaseIsOver) {
  Outcome run(kernelOf("ttng.wait_barrier %bar, %c1 : $B\n"
                       "ttng.arrive_barrier %bar, 1 : $B\n" +
                       kWait));
  EXPECT_TRUE(run.fine) << run.kernel.allMessages();
}

namespace {

/// A worker loads, the default partition waits and stores.
std::string specialized(const std::string &consumerWait) {
  return kernelOf(R"(ttg.warp_specialize(%d, %buf, %bar)
    default {
      )" + consumerWait +
                  R"(ttng.async_tma_copy_local_to_global %d[%c0, %c4] %buf : $D, $T
      ttng.async_tma_store_wait {pendings = 0 : i32}
      ttg.warp_yield
    }
    partition0(%wd: $D, %wbuf: $T, %wbar: $B) num_warps(1) {
      %wtrue = arith.constant true
      %w0 = arith.constant 0 : i32
      ttng.barrier_expect %wbar, 2048, %wtrue : $B
      ttng.async_tma_copy_global_to_local %wd[%w0, %w0] %wbuf, %wbar, %wtrue : $D, $B -> $T
      ttg.warp_return
    } : ($D, $T, $B) -> ()
  )");
}

/// Two partitions and a barrier of one arrival: what each does, with %wbuf and %wbar in the worker.
std::string together(const std::string &mine, const std::string &workers,
                     const std::string &before = "", const std::string &after = "") {
  return kernelOf(before + "ttg.warp_specialize(%d, %buf, %bar)\ndefault {\n" + mine +
                  "ttg.warp_yield\n}\npartition0(%wd: $D, %wbuf: $T, %wbar: $B) num_warps(4) {\n" +
                  workers + "ttg.warp_return\n} : ($D, $T, $B) -> ()\n" + after);
}

const std::string kWorkerWrites = "%wz = arith.constant dense<7.0> : tensor<16x32xf32, #m>\n"
                                  "ttg.local_store %wz, %wbuf : tensor<16x32xf32, #m> -> $T\n";
const std::string kWorkerReads = "%wx = ttg.local_load %wbuf : $T -> tensor<16x32xf32, #m>\n";
const std::string kWorkerArrives = "ttng.arrive_barrier %wbar, 1 : $B\n";

/// No schedule may find a fault, or every schedule has to find this one.
void expectAlways(const std::string &text, std::optional<Kind> fault) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Outcome run(text, seed ? std::optional(seed) : std::nullopt);
    ASSERT_EQ(run.fine, !fault) << run.kernel.allMessages() << text;
    if (fault)
      ASSERT_EQ(run.kernel.firstKind(), *fault) << run.kernel.allMessages();
  }
}

} // namespace

TEST(Async, PartitionsSynchronizeAtBarriersUnderEverySchedule) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Outcome run(specialized(kWait), seed ? std::optional(seed) : std::nullopt);
    ASSERT_TRUE(run.fine) << run.kernel.allMessages();
    EXPECT_EQ(run.data[4], 0.0f);
    EXPECT_EQ(run.data[36], 36.0f);
  }
}

TEST(Async, APartitionThatDoesNotWaitIsFound) {
  for (uint64_t seed = 1; seed < 20; ++seed)
    EXPECT_FALSE(Outcome(specialized(""), seed).fine) << seed;
}

TEST(Async, RacesOfPartitionsAreFoundUnderEverySchedule) {
  // A value is handed over: written and read, written twice, read and written.
  expectAlways(together(kWait + kRead, kWorkerWrites + kWorkerArrives, kWrite), std::nullopt);
  expectAlways(together(kRead, kWorkerWrites + kWorkerArrives, kWrite),
               Kind::UnorderedSharedAccess);
  std::string overwrite = "ttg.local_store %z, %buf : tensor<16x32xf32, #m> -> $T\n";
  expectAlways(together(kWait + overwrite, kWorkerReads + kWorkerArrives, kWrite), std::nullopt);
  expectAlways(together(overwrite, kWorkerReads, kWrite), Kind::UnorderedSharedAccess);
  expectAlways(together(overwrite, kWorkerWrites, kWrite), Kind::UnorderedSharedAccess);
  expectAlways(together(overwrite, kWorkerArrives + kWorkerWrites, kWrite),
               Kind::UnorderedSharedAccess);
  // Reads do not race, and the end of the partitions orders everything.
  expectAlways(together(kRead, kWorkerReads, kWrite), std::nullopt);
  expectAlways(together("", kWorkerWrites, kWrite, overwrite + kRead), std::nullopt);
}

TEST(Async, FencesCountOnEitherSideOfAHandOver) {
  auto handOver = [](const std::string &beforeArrival, const std::string &afterArrival,
                     const std::string &afterWait) {
    return together(kWait + afterWait + kStore + kStoreWait,
                    kWorkerWrites + beforeArrival + kWorkerArrives + afterArrival);
  };
  expectAlways(handOver(kFence, "", ""), std::nullopt);
  expectAlways(handOver("", "", kFence), std::nullopt);
  expectAlways(handOver("", "", ""), Kind::MissingProxyFence);
  expectAlways(handOver("", kFence, ""), Kind::MissingProxyFence);
  expectAlways(together("", kWorkerWrites, "", kStore + kStoreWait), Kind::MissingProxyFence);
  expectAlways(together("", kWorkerWrites + kFence, "", kStore + kStoreWait), std::nullopt);
}

TEST(Async, ABufferIsLoadedAgainOnlyAfterItsReader) {
  const std::string load = "%t = arith.constant true\n%w0 = arith.constant 0 : i32\n"
                           "ttng.barrier_expect %bar, 2048, %t : $B\n"
                           "ttng.async_tma_copy_global_to_local %d[%w0, %w0] %buf, %bar, %t"
                           " : $D, $B -> $T\nttng.wait_barrier %bar, %c1 : $B\n";
  std::string filled = kWrite + kFence;
  // A fence on either side of the hand-over shows to the engine that the buffer was read.
  expectAlways(together(kWait + load, kWorkerReads + kFence + kWorkerArrives, filled),
               std::nullopt);
  expectAlways(together(kWait + kFence + load, kWorkerReads + kWorkerArrives, filled),
               std::nullopt);
  expectAlways(together(kWait + load, kWorkerReads + kWorkerArrives, filled),
               Kind::MissingProxyFence);
  expectAlways(together(kWait + load, kFence + kWorkerReads + kWorkerArrives, filled),
               Kind::MissingProxyFence);
  expectAlways(together(kWait + load, kWorkerReads + kWorkerArrives + kFence, filled),
               Kind::MissingProxyFence);
  Outcome early(together(load, kFence + kWorkerReads, filled));
  EXPECT_FALSE(early.fine);
}

TEST(Async, DotsInFlight) {
  auto kernel = [](const std::string &between) {
    std::string text = R"(
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#s16 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
tt.func public @k() {
  %one = arith.constant dense<1.0> : tensor<64x64xf16, #m>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %want = arith.constant dense<64.0> : tensor<64x64xf32, #mma>
  %a = ttg.local_alloc %one : (tensor<64x64xf16, #m>) -> $S
  ttng.fence_async_shared {bCluster = false}
  %d = ttng.warp_group_dot %a, %a, %zero {inputPrecision = 0 : i32, isAsync = true} : $S * $S -> tensor<64x64xf32, #mma>
  )" + between + R"(
  %e = arith.cmpf oeq, %r, %want : tensor<64x64xf32, #mma>
  tt.assert %e, "product" : tensor<64x64xi1, #mma>
  tt.return
})";
    const std::string type = "!ttg.memdesc<64x64xf16, #s16, #smem, mutable>";
    for (size_t at; (at = text.find("$S")) != std::string::npos;)
      text.replace(at, 2, type);
    return text;
  };
  auto without = [](std::string text, const std::string &what) {
    size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.erase(at, what.size());
  };
  auto waitFor = [](int pendings) {
    return "%r = ttng.warp_group_dot_wait %d {pendings = " + std::to_string(pendings) +
           " : i32} : tensor<64x64xf32, #mma>\n";
  };
  std::string overwrite = "ttg.local_store %one, %a : tensor<64x64xf16, #m> -> "
                          "!ttg.memdesc<64x64xf16, #s16, #smem, mutable>\n";
  Kernel fine(kernel(waitFor(0) + overwrite));
  EXPECT_TRUE(fine.run()) << fine.allMessages();
  Kernel unfenced(without(kernel(waitFor(0)), "ttng.fence_async_shared {bCluster = false}"));
  EXPECT_FALSE(unfenced.run());
  EXPECT_EQ(unfenced.firstKind(), Kind::MissingProxyFence) << unfenced.allMessages();
  Kernel early(kernel(waitFor(1)));
  EXPECT_FALSE(early.run());
  EXPECT_EQ(early.firstKind(), Kind::DotNotWaitedFor) << early.allMessages();
  Kernel overwritten(kernel(overwrite + waitFor(0)));
  EXPECT_FALSE(overwritten.run());
  EXPECT_EQ(overwritten.firstKind(), Kind::SharedWriteDuringRead) << overwritten.allMessages();
}
