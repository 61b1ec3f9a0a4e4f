#include "sim/machine/Barrier.h"

#include "gtest/gtest.h"

#include <random>

using gluonc::sim::Barrier;

TEST(Barrier, CompletesWhenArrivalsAndBytesAreThere) {
  Barrier barrier = Barrier::initialized(2);
  EXPECT_FALSE(barrier.isComplete(false));
  EXPECT_TRUE(barrier.isComplete(true)) << "the phase before the first counts as complete";
  EXPECT_TRUE(barrier.addBytes(256));
  EXPECT_TRUE(barrier.arrive(2));
  EXPECT_FALSE(barrier.isComplete(false));
  EXPECT_TRUE(barrier.addBytes(-128));
  EXPECT_FALSE(barrier.isComplete(false));
  EXPECT_TRUE(barrier.addBytes(-128));
  EXPECT_TRUE(barrier.isComplete(false));
  EXPECT_EQ(barrier.pending, 2u) << "the next phase needs as many";
}

TEST(Barrier, BytesMayComeBeforeTheyAreAnnounced) {
  Barrier barrier = Barrier::initialized(1);
  EXPECT_TRUE(barrier.addBytes(-64));
  EXPECT_FALSE(barrier.isComplete(false));
  EXPECT_TRUE(barrier.addBytes(64));
  EXPECT_FALSE(barrier.isComplete(false)) << "the arrival is missing";
  EXPECT_TRUE(barrier.arrive(1));
  EXPECT_TRUE(barrier.isComplete(false));
}

TEST(Barrier, RefusesWhatTheHardwareCannotCount) {
  Barrier barrier = Barrier::initialized(1);
  EXPECT_FALSE(barrier.arrive(2));
  EXPECT_FALSE(barrier.addBytes(int64_t(Barrier::kMaxBytes) + 1));
  EXPECT_FALSE(barrier.addBytes(-int64_t(Barrier::kMaxBytes) - 1));
  EXPECT_TRUE(barrier.addBytes(Barrier::kMaxBytes));
  EXPECT_EQ(barrier.pack(), [] {
    Barrier same = Barrier::initialized(1);
    EXPECT_TRUE(same.addBytes(Barrier::kMaxBytes));
    return same.pack();
  }()) << "a refusal changes nothing";
}

TEST(Barrier, PackingKeepsEveryField) {
  std::mt19937 random(7);
  for (int i = 0; i < 10000; ++i) {
    Barrier barrier;
    barrier.count = random() % (Barrier::kMaxCount + 1);
    barrier.pending = random() % (Barrier::kMaxCount + 1);
    barrier.bytes = int32_t(random() % (2 * Barrier::kMaxBytes + 1)) - Barrier::kMaxBytes;
    barrier.phase = random() & 1;
    Barrier again = Barrier::unpack(barrier.pack());
    EXPECT_EQ(again.count, barrier.count);
    EXPECT_EQ(again.pending, barrier.pending);
    EXPECT_EQ(again.bytes, barrier.bytes);
    EXPECT_EQ(again.phase, barrier.phase);
  }
}
