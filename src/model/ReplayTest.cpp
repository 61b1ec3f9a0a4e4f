//===- ReplayTest.cpp - The rules by which traces get times ---------------------===//
#include "model/TestTrace.h"

namespace gluonc::model {
namespace {

using Kind = ptx::Signal::Kind;

constexpr double memoryLatency = testChip.memoryLatency;

TEST(Replay, DependentLoadsTakeTwiceTheLatency) {
  TestTrace trace;
  trace.load(0, 1);
  trace.load(0, 2, {1});
  trace.math(0, Pipe::Float, 3, {2});
  EXPECT_NEAR(trace.cycles(), 2 * memoryLatency, 30);
}

TEST(Replay, IndependentLoadsOverlap) {
  TestTrace trace;
  for (int32_t reg = 1; reg != 5; ++reg)
    trace.load(0, reg);
  trace.math(0, Pipe::Float, 5, {1, 2, 3, 4});
  EXPECT_NEAR(trace.cycles(), memoryLatency, 30);
}

TEST(Replay, WhatTheFirstLevelCacheHasComesSoon) {
  TestTrace trace;
  trace.load(0, 1, {}, 7);
  trace.load(0, 2, {1}, 7);
  trace.math(0, Pipe::Float, 3, {2});
  EXPECT_NEAR(trace.cycles(), memoryLatency + testChip.firstLevelLatency, 20);
}

TEST(Replay, BankConflictsMultiplyWhatSharedMemoryTakes) {
  auto cyclesOf = [](unsigned wavefronts) {
    TestTrace trace;
    for (int32_t reg = 1; reg != 33; ++reg)
      trace.shared(0, reg, wavefronts);
    trace.math(0, Pipe::Float, 33, {32});
    return trace.cycles();
  };
  EXPECT_NEAR(cyclesOf(8) - cyclesOf(1), 7 * 32, 32);
}

TEST(Replay, WarpsOfAQuarterShareItsPipesAndOthersHaveTheirOwn) {
  auto cyclesOf = [](unsigned warps, unsigned second) {
    TestTrace trace(warps);
    for (int32_t i = 0; i != 100; ++i) {
      trace.math(0, Pipe::Special, 1);
      trace.math(second, Pipe::Special, 1);
    }
    return trace.cycles();
  };
  EXPECT_NEAR(cyclesOf(5, 4), 200 * 8, 40);
  EXPECT_NEAR(cyclesOf(2, 1), 100 * 8, 40);
}

TEST(Replay, TheOldestWarpOfAQuarterGoesFirst) {
  TestTrace trace(5);
  for (unsigned warp : {4u, 0u})
    for (unsigned i = 0; i != 50; ++i)
      trace.math(warp, Pipe::Float, static_cast<int32_t>(i));
  // They end together, and what is behind the barrier comes when both do; the younger one waits.
  for (unsigned warp : {0u, 4u})
    trace.signal(warp, {Kind::Meet, 0, 64});
  Replayed found = trace.run();
  EXPECT_NEAR(found.cycles, 100 + testChip.barrierLatency, 15);
  EXPECT_GT(found.spent[unsigned(Spent::Barriers)], 45);
}

TEST(Replay, AResultIsThereBehindItsLatency) {
  TestTrace trace;
  for (int32_t i = 0; i != 50; ++i)
    trace.math(0, Pipe::Float, 1, {1});
  EXPECT_NEAR(trace.cycles(), 50 * 4, 6);
}

TEST(Replay, NothingMovesAcrossABranch) {
  auto cyclesOf = [](bool branches) {
    TestTrace trace;
    for (int32_t i = 0; i != 10; ++i) {
      trace.load(0, 1);
      trace.math(0, Pipe::Float, 2, {1});
      if (branches) {
        Work branch;
        branch.rule = Rule::Branch;
        branch.latency = testChip.branchLatency;
        trace.add(0, branch);
      }
    }
    return trace.cycles();
  };
  EXPECT_LT(cyclesOf(false), 2 * memoryLatency);
  EXPECT_GT(cyclesOf(true), 10 * memoryLatency);
}

/// A loop that copies a tile and multiplies, `ahead` copies under way.
double pipelined(unsigned ahead) {
  constexpr unsigned tiles = 16;
  TestTrace trace;
  unsigned copied = 0;
  auto copy = [&] {
    if (copied++ < tiles)
      trace.asyncCopy(0);
    trace.queue(0, Rule::Commit, Queue::Copies);
  };
  for (unsigned i = 0; i != ahead; ++i)
    copy();
  for (unsigned i = 0; i != tiles; ++i) {
    trace.queue(0, Rule::Wait, Queue::Copies, ahead - 1);
    trace.product(0, 200);
    trace.queue(0, Rule::Commit, Queue::Products);
    trace.queue(0, Rule::Wait, Queue::Products);
    copy();
  }
  return trace.cycles();
}

TEST(Replay, CopiesThatAreUnderWayHideBehindProducts) {
  constexpr double products = 16 * (200 + testChip.wgmmaLatency);
  EXPECT_GT(pipelined(1), 16 * (200 + memoryLatency));
  EXPECT_LT(pipelined(2), pipelined(1));
  EXPECT_LT(pipelined(3), pipelined(2));
  EXPECT_NEAR(pipelined(4), products + memoryLatency, 200);
}

TEST(Replay, ProductsOfAWarpgroupTakeTurnsAndItGoesOn) {
  TestTrace trace;
  for (unsigned i = 0; i != 8; ++i)
    trace.product(0, 128);
  trace.queue(0, Rule::Commit, Queue::Products);
  for (int32_t i = 0; i != 100; ++i)
    trace.math(0, Pipe::Float, 1, {1});
  trace.queue(0, Rule::Wait, Queue::Products);
  EXPECT_NEAR(trace.cycles(), 8 * 128 + testChip.wgmmaLatency, 20);
}

TEST(Replay, WarpsWaitAtABarrierForTheLastOne) {
  TestTrace trace(2);
  for (unsigned i = 0; i != 100; ++i)
    trace.math(0, Pipe::Float, 1, {1});
  for (unsigned warp : {0u, 1u}) {
    trace.signal(warp, {Kind::Meet, 0, 64});
    trace.math(warp, Pipe::Float, 2);
  }
  Replayed found = trace.run();
  EXPECT_NEAR(found.cycles, 100 * 4 + testChip.barrierLatency, 10);
  EXPECT_GT(found.spent[unsigned(Spent::Barriers)], 350);
}

TEST(Replay, LanesThatWentApartComeToABarrierOneAfterAnother) {
  TestTrace trace(2);
  for (unsigned lanes : {31u, 1u}) {
    trace.signal(0, {Kind::Meet, 0, 64});
    trace.cta().warps[0].back().lanes = static_cast<uint8_t>(lanes);
  }
  trace.signal(1, {Kind::Meet, 0, 64});
  trace.math(1, Pipe::Float, 2);
  Replayed found = trace.run();
  EXPECT_NEAR(found.cycles, testChip.barrierLatency, 15);
  EXPECT_EQ(found.lost, 0u);
}

TEST(Replay, ProductsInTensorMemoryFollowEachOtherAndTheirArrivalWaits) {
  constexpr uint64_t barrier = 64;
  auto cyclesOf = [&](float operandCycles) {
    TestTrace trace(2);
    trace.signal(0, {Kind::Begin, barrier, 1});
    for (int i = 0; i != 10; ++i)
      trace.tensorProduct(0, 100, operandCycles);
    trace.tensorCommit(0, barrier);
    trace.signal(1, {Kind::Ask, barrier, 0, true});
    trace.math(1, Pipe::Float, 1);
    return trace.cycles();
  };
  EXPECT_NEAR(cyclesOf(0), 10 * 100 + testChip.wgmmaLatency, 60);
  // Where their operands take longer to read, that counts.
  EXPECT_NEAR(cyclesOf(150), 10 * 150 + testChip.wgmmaLatency, 60);
}

TEST(Replay, ABoxArrivesAtItsBarrierAndWhoAskedForItGoesOn) {
  constexpr uint64_t barrier = 64;
  constexpr uint32_t bytes = 16384;
  TestTrace trace(2);
  trace.signal(0, {Kind::Begin, barrier, 1});
  trace.signal(0, {Kind::Expect, barrier, bytes});
  trace.signal(0, {Kind::Arrive, barrier, 1});
  trace.loadBox(0, bytes, barrier);
  for (unsigned i = 0; i != 10; ++i)
    trace.math(1, Pipe::Float, 1, {1});
  trace.signal(1, {Kind::Ask, barrier, 0, true});
  trace.math(1, Pipe::Float, 2);
  double copied = bytes / testChip.secondLevelBytesPerCycle + testChip.secondLevelLatency +
                  testChip.boxLatency + testChip.mbarrierLatency;
  EXPECT_NEAR(trace.cycles(), copied, 20);
}

TEST(Replay, ResidentCtasFillEachOthersGaps) {
  TestTrace trace;
  trace.load(0, 1);
  trace.math(0, Pipe::Float, 2, {1});
  EXPECT_NEAR(trace.run(8, 1).cycles, 8 * memoryLatency, 100);
  EXPECT_NEAR(trace.run(8, 8).cycles, memoryLatency, 100);
}

TEST(Replay, SpansHaveWhatTookTimeWithItsLine) {
  TestTrace trace;
  trace.load(0, 1);
  trace.math(0, Pipe::Float, 2, {1});
  Replayed found = trace.run(2);
  ASSERT_EQ(found.spans.size(), 2u);
  EXPECT_EQ(found.spans[0].kind, Span::Kind::Load);
  EXPECT_EQ(found.spans[0].instruction, 0u);
  EXPECT_EQ(found.spans[1].kind, Span::Kind::Cta);
  EXPECT_NEAR(found.spans[0].end - found.spans[0].begin, memoryLatency, 10);
}

TEST(Replay, RegionsLastFromBorderToBorder) {
  TestTrace trace;
  trace.scope(0, 0, false);
  trace.math(0, Pipe::Float, 1);
  trace.math(0, Pipe::Float, 1, {1});
  trace.scope(0, 1, false);
  trace.scope(0, 0, true);
  for (unsigned i = 0; i != 10; ++i)
    trace.math(0, Pipe::Float, 1, {1});
  trace.scope(0, 1, true);
  // Nothing began it.
  trace.scope(0, 2, true);
  Replayed found = trace.run(1);
  ASSERT_EQ(found.spans.size(), 3u);
  auto [latency, cycles] = std::pair(testChip.pipes[unsigned(Pipe::Float)].latency, found.cycles);
  EXPECT_EQ(found.spans[0].kind, Span::Kind::Region);
  EXPECT_EQ(trace.trace.code[found.spans[0].instruction].left, 1u);
  EXPECT_NEAR(found.spans[0].end - found.spans[0].begin, latency, 3);
  EXPECT_EQ(trace.trace.code[found.spans[1].instruction].left, 3u);
  EXPECT_NEAR(found.spans[1].end - found.spans[1].begin, 10 * latency, 3);
  EXPECT_LE(found.spans[1].end, cycles);
}

TEST(Replay, HalfALineOfMemoryTakesLongerThanHalfTheTime) {
  Speeds chip = testChip;
  chip.memoryGranule = 64;
  chip.loneGranule = 90;
  Conditions conditions;
  Multiprocessor processor(chip, conditions);
  CtaTrace cta;
  cta.sectors = {0, 1, 2, 3};
  auto busyAfter = [&](uint32_t begin, uint32_t end, uint64_t owner) {
    Detail detail;
    detail.sectors = {begin, end};
    processor.load({0, 0}, {detail, cta, owner, /*sharers=*/{}, /*bypassesFirstLevel=*/true});
    return processor.busy(Unit::Memory);
  };
  EXPECT_DOUBLE_EQ(busyAfter(0, 2, 1), 90);
  EXPECT_DOUBLE_EQ(busyAfter(2, 4, 1), 128);
  EXPECT_DOUBLE_EQ(busyAfter(0, 4, 1), 128);
  // Another CTA loads a whole line.
  EXPECT_DOUBLE_EQ(busyAfter(0, 4, 2), 256);
}

TEST(Prediction, TimeGrowsByTheRoundsOfTheBusiestMultiprocessor) {
  TestTrace trace;
  for (unsigned i = 0; i != 1000; ++i)
    trace.math(0, Pipe::Float, 1, {1});
  auto microseconds = [&](uint64_t clusters, unsigned resident) {
    Launch launch;
    launch.clusters = clusters;
    launch.residentCtas = resident;
    return predict(trace.trace, testChip, launch).prediction.microseconds;
  };
  // 10 multiprocessors, 4 microseconds a CTA, one for the launch.
  EXPECT_NEAR(microseconds(10, 1), 5, 0.1);
  EXPECT_NEAR(microseconds(11, 1), 9, 0.1);
  EXPECT_NEAR(microseconds(11, 2), 5, 0.1);
  EXPECT_NEAR(microseconds(1000, 1), 401, 5);
}

TEST(Prediction, NamesTheUnitThatIsTheLimit) {
  TestTrace trace(4);
  for (unsigned i = 0; i != 200; ++i)
    for (unsigned warp = 0; warp != 4; ++warp)
      trace.math(warp, Pipe::Special, 1);
  Launch launch;
  EXPECT_EQ(predict(trace.trace, testChip, launch).prediction.limit(), "special");

  TestTrace waits;
  for (int32_t i = 0; i != 20; ++i)
    waits.load(0, 1, {1});
  EXPECT_EQ(predict(waits.trace, testChip, launch).prediction.limit(), "waits for operands");
}

TEST(Prediction, ProductsLowerTheClock) {
  TestTrace trace;
  for (unsigned i = 0; i != 100; ++i)
    trace.product(0, 1000);
  Prediction found = predict(trace.trace, testChip, Launch()).prediction;
  EXPECT_NEAR(found.megahertz, testChip.productMegahertz, 5);
  EXPECT_NEAR(found.microseconds, 1 + 100'000 / testChip.productMegahertz, 3);
}

} // namespace
} // namespace gluonc::model
