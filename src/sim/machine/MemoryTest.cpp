#include "sim/machine/Memory.h"

#include "gtest/gtest.h"

using namespace gluonc::sim;

TEST(Memory, RangesMayTouchButNotOverlap) {
  char bytes[100];
  Memory memory;
  EXPECT_TRUE(memory.add("a", bytes + 10, 20));
  EXPECT_TRUE(memory.add("b", bytes + 30, 20));
  EXPECT_TRUE(memory.add("c", bytes, 10));
  EXPECT_FALSE(memory.add("d", bytes + 49, 10));
  EXPECT_FALSE(memory.add("e", bytes + 5, 6));
  EXPECT_FALSE(memory.add("f", bytes + 10, 1));
  memory.remove(bytes + 30);
  EXPECT_TRUE(memory.add("g", bytes + 30, 5));
}

TEST(Memory, FindGivesTheRangeOfEachByteAndNoOther) {
  char bytes[100];
  Memory memory;
  memory.add("a", bytes + 10, 20);
  memory.add("b", bytes + 50, 20);
  uint64_t start = reinterpret_cast<uint64_t>(bytes);
  EXPECT_EQ(memory.find(start + 9), nullptr);
  EXPECT_EQ(memory.find(start + 10)->name(), "a");
  EXPECT_EQ(memory.find(start + 29)->name(), "a");
  EXPECT_EQ(memory.find(start + 30), nullptr);
  EXPECT_EQ(memory.find(start + 69)->name(), "b");
  EXPECT_EQ(memory.nearest(start + 33)->name(), "a");
  EXPECT_EQ(memory.nearest(start + 48)->name(), "b");
  EXPECT_EQ(memory.nearest(start + 99)->name(), "b");
}

TEST(Memory, PointersOfAnArgumentStayInItsPart) {
  char bytes[100];
  Memory memory;
  memory.add("a", bytes, 100);
  uint64_t start = reinterpret_cast<uint64_t>(bytes);
  EXPECT_FALSE(memory.hasParts());
  EXPECT_EQ(memory.findPart(start + 40)->bytes(), 100u);
  memory.addPart("x", bytes + 40, 20, Memory::Access::ReadOnly);
  EXPECT_TRUE(memory.hasParts());
  EXPECT_EQ(memory.findPart(start + 40)->name(), "x");
  EXPECT_EQ(memory.findPart(start + 60)->name(), "a");
  EXPECT_EQ(memory.find(start + 40)->name(), "a");
}

TEST(Memory, EveryByteOfAPoisonedRangeIsTrackedByItself) {
  std::vector<char> bytes(300);
  uint64_t base = reinterpret_cast<uint64_t>(bytes.data());
  Range range("r", base, bytes.size(), true, true);
  EXPECT_EQ(range.firstUnwritten(base, 1), 0u);
  range.markWritten(base + 60, 10);
  range.markWritten(base + 100, 200);
  for (uint64_t at = 0; at < 300; ++at) {
    bool written = (at >= 60 && at < 70) || at >= 100;
    EXPECT_EQ(range.firstUnwritten(base + at, 1) == 1, written) << at;
  }
  EXPECT_EQ(range.firstUnwritten(base + 62, 20), 8u);
  EXPECT_EQ(range.firstUnwritten(base + 100, 200), 200u);
}

TEST(Memory, ContainsDoesNotWrapAround) {
  Range range("r", 1000, 100, true, false);
  EXPECT_TRUE(range.contains(1000, 100));
  EXPECT_FALSE(range.contains(1000, 101));
  EXPECT_FALSE(range.contains(1050, ~uint64_t(0) - 10));
  EXPECT_FALSE(range.contains(999, 1));
  EXPECT_FALSE(range.contains(1101, 0));
}
