// Where buffers and scratch come to lie: alive together apart, in few bytes.
#include "transform/PassTesting.h"

#include <random>

using namespace gluonc;

namespace {

struct Interval {
  int64_t begin, end;
};

class AllocateSharedTest : public PassTest {
protected:
  int64_t offsetOf(llvm::StringRef name) {
    auto offset = named(name)->getAttrOfType<mlir::IntegerAttr>(ttg::allocationOffsetAttr);
    EXPECT_TRUE(offset) << name.str();
    return offset ? offset.getInt() : -1;
  }
  int64_t total() { return (*module)->getAttrOfType<mlir::IntegerAttr>(ttg::sharedAttr).getInt(); }
};

/// A buffer of so many floats.
std::string buffer(int64_t size) {
  return "!ttg.memdesc<" + std::to_string(size) + "xf32, #s, #smem, mutable>";
}
std::string alloc(const std::string &name, int64_t size) {
  return "%" + name + " = ttg.local_alloc {" + name + "} : () -> " + buffer(size) + "\n";
}
/// A use that keeps the buffer alive up to here.
std::string use(const std::string &name, int64_t size) {
  static int count = 0;
  return "%use" + std::to_string(++count) + " = ttg.local_load %" + name + " : " + buffer(size) +
         " -> tensor<" + std::to_string(size) + "xf32, #l>\n";
}

bool overlap(Interval a, Interval b) { return a.begin < b.end && b.begin < a.end; }

} // namespace

TEST_F(AllocateSharedTest, BuffersOneAfterTheOtherShareTheirBytes) {
  parse("", alloc("a", 512) + use("a", 512) + alloc("b", 512) + use("b", 512));
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("b"), 0);
  EXPECT_EQ(total(), 2048);
}

TEST_F(AllocateSharedTest, BuffersAliveTogetherLieApartTheLargestFirst) {
  parse("", alloc("a", 128) + alloc("b", 512) + alloc("c", 256) + use("a", 128) + use("b", 512) +
                use("c", 256));
  allocate();
  EXPECT_EQ(offsetOf("b"), 0);
  EXPECT_EQ(offsetOf("c"), 2048);
  EXPECT_EQ(offsetOf("a"), 3072);
  EXPECT_EQ(total(), 3584);
}

TEST_F(AllocateSharedTest, SmallBuffersFillGaps) {
  // `small` lies above `large`, which has gone when `late` comes: it fits below.
  parse("", alloc("small", 128) + alloc("large", 512) + use("large", 512) + alloc("middle", 256) +
                alloc("late", 64) + use("small", 128) + use("middle", 256) + use("late", 64));
  allocate();
  EXPECT_EQ(offsetOf("large"), 0);
  EXPECT_EQ(offsetOf("middle"), 0);
  EXPECT_EQ(offsetOf("small"), 2048);
  EXPECT_EQ(offsetOf("late"), 1024);
  EXPECT_EQ(total(), 2560);
}

TEST_F(AllocateSharedTest, ABufferFromOutsideLivesUntilItsLoopEnds) {
  parse("%n: i32", alloc("a", 512) + alloc("before", 128) + use("before", 128) +
                       "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
                       "scf.for %i = %zero to %n step %one : i32 {\n" +
                       use("a", 512) + alloc("inside", 512) + use("inside", 512) + "}\n" +
                       alloc("behind", 512) + use("behind", 512));
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("inside"), 2048);
  EXPECT_EQ(offsetOf("behind"), 0);
}

TEST_F(AllocateSharedTest, BuffersOfOneIterationShareTheirBytes) {
  parse("%n: i32", "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
                   "scf.for %i = %zero to %n step %one : i32 {\n" +
                       alloc("a", 512) + use("a", 512) + alloc("b", 512) + use("b", 512) + "}\n");
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("b"), 0);
}

TEST_F(AllocateSharedTest, AViewKeepsItsBufferAlive) {
  parse("%i: i32", R"(
    %a = ttg.local_alloc {a} : () -> !ring
    %view = ttg.memdesc_index %a[%i] : !ring -> !row
    %b = ttg.local_alloc {b} : () -> !row
    %0 = ttg.local_load %b : !row -> !x
    %1 = ttg.local_load %view : !row -> !x)");
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("b"), 4096);
}

TEST_F(AllocateSharedTest, PartitionsThatRunAtOnceShareNothing) {
  parse("", R"(
    ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24, 24>}
    default {
      %a = ttg.local_alloc {a} : () -> !row
      ttg.local_dealloc %a : !row
      ttg.warp_yield
    }
    partition0() num_warps(4) {
      %b = ttg.local_alloc {b} : () -> !row
      ttg.local_dealloc %b : !row
      %c = ttg.local_alloc {c} : () -> !row
      ttg.local_dealloc %c : !row
      ttg.warp_return
    }
    partition1() num_warps(4) {
      %d = ttg.local_alloc {d} : () -> !row
      ttg.local_dealloc %d : !row
      ttg.warp_return
    } : () -> ()
    %behind = ttg.local_alloc {behind} : () -> !row
    ttg.local_dealloc %behind : !row)");
  allocate();
  std::map<llvm::StringRef, int64_t> at;
  for (llvm::StringRef name : {"a", "b", "c", "d", "behind"})
    at[name] = offsetOf(name);
  EXPECT_EQ(at["a"], 0);
  EXPECT_EQ(at["b"], 2048);
  // Those of one partition come one after the other.
  EXPECT_EQ(at["c"], 2048);
  EXPECT_EQ(at["d"], 4096);
  EXPECT_EQ(at["behind"], 0);
}

TEST_F(AllocateSharedTest, PartitionsThatRunOneAfterTheOtherShareTheirBytes) {
  std::string specialize;
  for (const char *name : {"a", "b"})
    specialize += std::string("ttg.warp_specialize() attributes {requestedRegisters = "
                              "array<i32: 24>}\ndefault {\nttg.warp_yield\n}\n"
                              "partition0() num_warps(4) {\n") +
                  alloc(name, 512) + use(name, 512) + "ttg.warp_return\n} : () -> ()\n";
  parse("", specialize);
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("b"), 0);
}

TEST_F(AllocateSharedTest, WhatPartitionsCaptureLivesUntilAllHaveEnded) {
  parse("", R"(
    %a = ttg.local_alloc {a} : () -> !row
    ttg.warp_specialize(%a) attributes {requestedRegisters = array<i32: 24>}
    default {
      %b = ttg.local_alloc {b} : () -> !row
      ttg.local_dealloc %b : !row
      ttg.warp_yield
    }
    partition0(%p: !row) num_warps(4) {
      %0 = ttg.local_load %p : !row -> tensor<512xf32, #l>
      ttg.warp_return
    } : (!row) -> ())");
  allocate();
  EXPECT_NE(offsetOf("a"), offsetOf("b"));
}

TEST_F(AllocateSharedTest, WhatACopyReadsLivesUntilTheWaitForIt) {
  std::string copy = "%a = ttg.local_alloc {a} : () -> !buf\n"
                     "ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !desc, !buf\n";
  std::string wait = "ttng.async_tma_store_wait {pendings = 0 : i32, read_only}\n";
  std::string other = "%b = ttg.local_alloc {b} : () -> !buf\n"
                      "%x = ttg.local_load %b : !buf -> !tile\n";
  parse("%d: !desc, %i: i32", copy + other + wait);
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("b"), 8192);
  parse("%d: !desc, %i: i32", copy + wait + other);
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("b"), 0);
}

TEST_F(AllocateSharedTest, ABarrierThatNobodyInvalidatesLivesUntilTheEnd) {
  const std::string type = "!ttg.memdesc<1xi64, #s, #smem, mutable>";
  const std::string begin = "%bar = ttg.local_alloc {bar} : () -> " + type +
                            "\nttng.init_barrier %bar, 1 : " + type + "\n";
  const std::string other = alloc("a", 512) + use("a", 512);
  parse("", begin + other);
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("bar"), 2048);
  parse("", begin + "ttng.inval_barrier %bar : " + type + "\n" + other);
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("bar"), 0);
}

TEST_F(AllocateSharedTest, ASwizzledBufferBeginsWhereItsPatternDoes) {
  parse("", R"(
    %large = ttg.local_alloc {large} : () -> !ttg.memdesc<33x64xf32, #s, #smem, mutable>
    %a = ttg.local_alloc {a} : () -> !buf
    ttg.local_dealloc %a : !buf
    ttg.local_dealloc %large : !ttg.memdesc<33x64xf32, #s, #smem, mutable>)");
  allocate();
  // 33 * 64 * 4 = 8448 bytes, then the next multiple of 1024.
  EXPECT_EQ(offsetOf("large"), 0);
  EXPECT_EQ(offsetOf("a"), 9216);
  EXPECT_EQ(total(), 9216 + 8192);
}

TEST_F(AllocateSharedTest, ScratchAvoidsWhatIsAliveAndTakesWhatIsNot) {
  parse("%x: tensor<32x64xf32, #m>", R"(
    %dead = ttg.local_alloc {dead} : () -> !row
    ttg.local_dealloc %dead : !row
    %a = ttg.local_alloc {a} : () -> !row
    %0 = ttg.convert_layout %x {scratch} : tensor<32x64xf32, #m> -> tensor<32x64xf32, #t>
    ttg.local_dealloc %a : !row)");
  allocate();
  int64_t size =
      named("scratch")->getAttrOfType<mlir::IntegerAttr>(ttg::allocationSizeAttr).getInt();
  ASSERT_GT(size, 2048);
  EXPECT_EQ(offsetOf("scratch"), 0);
  EXPECT_EQ(offsetOf("a"), size);
  EXPECT_EQ(offsetOf("dead"), 0);
}

TEST_F(AllocateSharedTest, ConversionsDoWithLessWhereThereIsNotMore) {
  // 32768 bytes of scratch by themselves; 420 rows leave 17408, 438 leave 8192, 446 leave 4096,
  // which takes vectors of 8 bytes.
  const std::string columns =
      "tensor<128x128xf32, #ttg.blocked<{sizePerThread = [128, 1], threadsPerWarp = [1, 32], "
      "warpsPerCTA = [1, 4], order = [0, 1]}>>";
  const std::string conversion =
      " : " + columns +
      " -> tensor<128x128xf32, #ttg.blocked<{sizePerThread = [1, 4], "
      "threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>\n";
  auto sizes = [&](int64_t rows) {
    const std::string ring =
        "!ttg.memdesc<" + std::to_string(rows) + "x128xf32, #s, #smem, mutable>\n";
    parse("%x: " + columns, "%before = ttg.convert_layout %x {before}" + conversion +
                                "%a = ttg.local_alloc : () -> " + ring +
                                "%0 = ttg.convert_layout %x {inside, allocation.size = 64 : i32}" +
                                conversion + "ttg.local_dealloc %a : " + ring);
    allocate();
    auto size = [&](llvm::StringRef name) {
      return named(name)->getAttrOfType<mlir::IntegerAttr>(ttg::allocationSizeAttr).getInt();
    };
    return std::pair(size("before"), size("inside"));
  };
  EXPECT_EQ(sizes(8), std::pair(int64_t{32768}, int64_t{32768}));
  // What is alive beside the buffer takes less, the other not.
  EXPECT_EQ(sizes(420), std::pair(int64_t{32768}, int64_t{16384}));
  EXPECT_LE(total(), 232448);
  EXPECT_EQ(sizes(438), std::pair(int64_t{32768}, int64_t{8192}));
  EXPECT_LE(total(), 232448);
  EXPECT_EQ(sizes(446), std::pair(int64_t{32768}, int64_t{4096}));
  EXPECT_LE(total(), 232448);
}

TEST_F(AllocateSharedTest, ScratchAvoidsABufferThatItsOperationUsesLast) {
  // 64 elements for 128 threads: those with copies get the old values through scratch.
  parse("%v: tensor<64xi32, #l>", R"(
    %a = ttg.local_alloc {a} : () -> !ttg.memdesc<64xi32, #s, #smem, mutable>
    %old = ttg.local_atomic_scatter_rmw add, %a[%v], %v {scratch, axis = 0 : i32} : (!ttg.memdesc<64xi32, #s, #smem, mutable>, tensor<64xi32, #l>, tensor<64xi32, #l>) -> tensor<64xi32, #l>
    %sum = arith.addi %old, %v : tensor<64xi32, #l>)");
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
  EXPECT_EQ(offsetOf("scratch"), 256);
}

TEST_F(AllocateSharedTest, WhatAnEarlierRunSaidIsForgotten) {
  parse("", "%a = ttg.local_alloc {a, allocation.offset = 4096 : i32} : () -> !row\n"
            "ttg.local_dealloc %a : !row");
  allocate();
  EXPECT_EQ(offsetOf("a"), 0);
}

TEST_F(AllocateSharedTest, TooManyBytesAreReportedWithWhatTakesThem) {
  parse("", alloc("a", 32768) + alloc("b", 32768) + alloc("c", 64) + use("c", 64) +
                use("a", 32768) + use("b", 32768));
  EXPECT_FALSE(run(createAllocateSharedPass(*target::Target::parse("cuda:90a"))));
  EXPECT_EQ(kind, diag::Kind::SharedMemoryExceeded);
  EXPECT_EQ(notes, 3u);
}

// Of buffers with random sizes and lives no two overlap in time and place at once, and there are no
// more bytes than two such packings would need.
TEST_F(AllocateSharedTest, NoTwoOfManyOverlapInTimeAndPlace) {
  std::mt19937 random(7);
  auto below = [&](unsigned n) { return int(random() % n); };
  for (int round = 0; round < 50; ++round) {
    constexpr int kBuffers = 16, kSteps = 24;
    struct Life {
      int size, first, last;
    };
    std::vector<Life> lives;
    for (int i = 0; i < kBuffers; ++i) {
      int first = below(kSteps), last = first + below(kSteps - first);
      lives.push_back({128 << below(4), first, last});
    }
    std::string body;
    std::vector<int64_t> alive(kSteps, 0);
    for (int step = 0; step < kSteps; ++step) {
      for (int i = 0; i < kBuffers; ++i)
        if (lives[i].first == step)
          body += alloc("b" + std::to_string(i), lives[i].size);
      for (int i = 0; i < kBuffers; ++i) {
        if (lives[i].last == step)
          body += use("b" + std::to_string(i), lives[i].size);
        if (lives[i].first <= step && step <= lives[i].last)
          alive[step] += 4 * lives[i].size;
      }
    }
    parse("", body);
    allocate();
    std::vector<Interval> places;
    for (int i = 0; i < kBuffers; ++i) {
      int64_t begin = offsetOf("b" + std::to_string(i));
      places.push_back({begin, begin + 4 * lives[i].size});
    }
    for (int i = 0; i < kBuffers; ++i)
      for (int j = 0; j < i; ++j)
        EXPECT_FALSE(lives[i].first <= lives[j].last && lives[j].first <= lives[i].last &&
                     overlap(places[i], places[j]))
            << "buffers " << i << " and " << j << " of round " << round;
    int64_t peak = *std::max_element(alive.begin(), alive.end());
    EXPECT_GE(total(), peak);
    EXPECT_LE(total(), 2 * peak);
  }
}
