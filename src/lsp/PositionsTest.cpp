#include "lsp/Positions.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::lsp;

TEST(Positions, CountUtf16Units) {
  // One, two, three and four bytes; one, one, one and two units.
  const diag::SourceFile file("k.py", "a\na\u00e9\u20ac\U0001d465b\n");
  const std::pair<uint32_t, protocol::Position> same[] = {
      {0, {0, 0}}, {1, {0, 1}}, {2, {1, 0}}, {3, {1, 1}}, {5, {1, 2}}, {8, {1, 3}}, {12, {1, 5}}};
  for (auto [offset, position] : same) {
    EXPECT_EQ(positionOf(file, offset), position) << offset;
    EXPECT_EQ(offsetOf(file, position), offset) << offset;
  }
}

TEST(Positions, BeyondALineOrTheFileAreItsEnd) {
  const diag::SourceFile file("k.py", "ab\ncd");
  EXPECT_EQ(offsetOf(file, {0, 99}), 2u);
  EXPECT_EQ(offsetOf(file, {99, 0}), 5u);
  EXPECT_EQ(offsetOf(file, {-1, -1}), 0u);
  EXPECT_EQ(positionOf(file, 99), protocol::Position(1, 2));
}

TEST(Positions, AreInFilesOfTheUserOnly) {
  const diag::SourceFile library("<library>", "x"), own("/tmp/k.py", "x");
  EXPECT_FALSE(locationOf({&library, 0, 1}));
  EXPECT_FALSE(locationOf({}));
  ASSERT_TRUE(locationOf({&own, 0, 1}));
  EXPECT_EQ(locationOf({&own, 0, 1})->uri.file(), "/tmp/k.py");
}
