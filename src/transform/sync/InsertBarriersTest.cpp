// Where barriers come to stand: none missing, none doubled.
#include "transform/PassTesting.h"

using namespace gluonc;

namespace {

class InsertBarriersTest : public PassTest {
protected:
  /// What the kernel does in order, with the barriers that were inserted.
  std::string synchronized(const std::string &body) {
    parse("%x: !x, %n: i32, %q: i1", "%zero = arith.constant 0 : i32\n"
                                     "%one = arith.constant 1 : i32\n" +
                                         body);
    allocate();
    EXPECT_TRUE(run(createInsertBarriersPass()));
    std::string once = order();
    EXPECT_TRUE(run(createInsertBarriersPass()));
    EXPECT_EQ(order(), once) << "a second run adds nothing";
    return once;
  }
};

const std::string kA = "%a = ttg.local_alloc : () -> !row\n";
const std::string kB = "%b = ttg.local_alloc : () -> !row\n";
const std::string kBarrier = "ttg.barrier local\n";
const std::string kFor = "scf.for %i = %zero to %n step %one : i32 {\n";

std::string store(const std::string &buffer) {
  return "ttg.local_store %x, " + buffer + " : !x -> !row\n";
}
std::string load(const std::string &buffer) {
  static int count = 0;
  return "%load" + std::to_string(++count) + " = ttg.local_load " + buffer + " : !row -> !x\n";
}

} // namespace

TEST_F(InsertBarriersTest, ALoadWaitsForTheStoresOfOthers) {
  EXPECT_EQ(synchronized(kA + store("%a") + load("%a")), "local_store barrier local_load");
}

TEST_F(InsertBarriersTest, AStoreWaitsForTheLoadsAndStoresOfOthers) {
  EXPECT_EQ(synchronized(kA + load("%a") + store("%a") + store("%a")),
            "local_load barrier local_store barrier local_store");
}

TEST_F(InsertBarriersTest, LoadsDoNotWaitForLoads) {
  EXPECT_EQ(synchronized(kA + load("%a") + load("%a")), "local_load local_load");
}

TEST_F(InsertBarriersTest, OtherBuffersDoNotMatter) {
  EXPECT_EQ(synchronized(kA + kB + store("%a") + load("%b") + store("%b")),
            "local_store local_load barrier local_store");
}

TEST_F(InsertBarriersTest, BuffersAtTheSameBytesDo) {
  EXPECT_EQ(synchronized(kA + store("%a") + kB + store("%b")), "local_store barrier local_store");
}

TEST_F(InsertBarriersTest, OneBarrierServesAll) {
  EXPECT_EQ(synchronized(kA + kB + store("%a") + store("%b") + load("%a") + load("%b")),
            "local_store local_store barrier local_load local_load");
}

TEST_F(InsertBarriersTest, TheBarrierOfTheProgramIsEnough) {
  EXPECT_EQ(synchronized(kA + store("%a") + kBarrier + load("%a")),
            "local_store barrier local_load");
}

TEST_F(InsertBarriersTest, TheNextIterationCountsAsWhatFollows) {
  EXPECT_EQ(synchronized(kA + kFor + store("%a") + load("%a") + "}\n"),
            "for { barrier local_store barrier local_load }");
  EXPECT_EQ(synchronized(kA + kFor + load("%a") + "}\n"), "for { local_load }");
}

TEST_F(InsertBarriersTest, ALoopMayNotRunAtAll) {
  EXPECT_EQ(synchronized(kA + store("%a") + kFor + kBarrier + "}\n" + load("%a")),
            "local_store for { barrier } barrier local_load");
}

TEST_F(InsertBarriersTest, EitherBranchCounts) {
  EXPECT_EQ(synchronized(kA + "scf.if %q {\n" + store("%a") + "}\n" + load("%a")),
            "if { local_store } barrier local_load");
  EXPECT_EQ(synchronized(kA + store("%a") + "scf.if %q {\n" + kBarrier + "}\n" + load("%a")),
            "local_store if { barrier } barrier local_load");
  EXPECT_EQ(synchronized(kA + store("%a") + "scf.if %q {\n" + kBarrier + "} else {\n" + kBarrier +
                         "}\n" + load("%a")),
            "local_store if { barrier | barrier } local_load");
}

TEST_F(InsertBarriersTest, BuffersOfARingAtConstantIndicesAreApart) {
  const std::string ring = "%ring = ttg.local_alloc : () -> !ring\n"
                           "%a = ttg.memdesc_index %ring[%zero] : !ring -> !row\n"
                           "%b = ttg.memdesc_index %ring[%one] : !ring -> !row\n"
                           "%c = ttg.memdesc_index %ring[%n] : !ring -> !row\n";
  EXPECT_EQ(synchronized(ring + store("%a") + store("%b")), "local_store local_store");
  EXPECT_EQ(synchronized(ring + store("%a") + store("%c")), "local_store barrier local_store");
}

TEST_F(InsertBarriersTest, OthersKnowOfCopiesThatOneThreadAwaitedAfterABarrier) {
  const std::string wait = "%w = ttg.async_wait {num = 0 : i32}\n";
  EXPECT_EQ(synchronized(kA + wait + load("%a")), "async_wait barrier local_load");
  EXPECT_EQ(synchronized(kA + wait + kBarrier + load("%a")), "async_wait barrier local_load");
}

TEST_F(InsertBarriersTest, PartitionsAreLookedAtAloneAndSynchronizeAtBothEnds) {
  EXPECT_EQ(synchronized(kA + kB + store("%a") + store("%b") +
                         "ttg.warp_specialize(%b) attributes {requestedRegisters = "
                         "array<i32: 24>}\ndefault {\n" +
                         load("%a") + "ttg.warp_yield\n}\n" +
                         "partition0(%o: !row) num_warps(4) {\n"
                         "%y = arith.constant dense<0.0> : !x\n"
                         "ttg.local_store %y, %o : !x -> !row\n"
                         "%z = ttg.local_load %o : !row -> !x\nttg.warp_return\n"
                         "} : (!row) -> ()\n" +
                         load("%b")),
            "local_store local_store warp_specialize { local_load | "
            "local_store barrier local_load } local_load");
}

TEST_F(InsertBarriersTest, TheEndsOfAWarpSpecializeThatCapturesNothingAreBarriers) {
  EXPECT_EQ(synchronized(kA + store("%a") +
                         "ttg.warp_specialize() attributes {requestedRegisters = array<i32: 24>}\n"
                         "default {\n" +
                         load("%a") +
                         "ttg.warp_yield\n}\n"
                         "partition0() num_warps(4) {\nttg.warp_return\n} : () -> ()\n" +
                         store("%a")),
            "local_store warp_specialize { local_load } local_store");
}

TEST_F(InsertBarriersTest, ScratchOfTwoConversionsNeedsABarrierInBetween) {
  EXPECT_EQ(synchronized("%c = arith.constant dense<0.0> : tensor<32x64xf32, #m>\n"
                         "%0 = ttg.convert_layout %c : tensor<32x64xf32, #m> -> "
                         "tensor<32x64xf32, #t>\n"
                         "%1 = ttg.convert_layout %0 : tensor<32x64xf32, #t> -> "
                         "tensor<32x64xf32, #m>\n"),
            "convert_layout barrier convert_layout");
}

TEST_F(InsertBarriersTest, AConversionSynchronizesWhatWasStoredBefore) {
  EXPECT_EQ(synchronized(kA + store("%a") +
                         "%c = arith.constant dense<0.0> : tensor<32x64xf32, #m>\n"
                         "%0 = ttg.convert_layout %c : tensor<32x64xf32, #m> -> "
                         "tensor<32x64xf32, #t>\n" +
                         load("%a")),
            "local_store convert_layout local_load");
}
