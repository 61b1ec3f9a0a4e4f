#include "support/Json.h"

#include "gtest/gtest.h"

using gluonc::parseJson;

static std::string nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, DepthHasALimit) {
  EXPECT_TRUE(bool(parseJson(nested(200))));
  for (size_t depth : {size_t(201), size_t(1'000'000)}) {
    auto value = parseJson(nested(depth));
    EXPECT_EQ(toString(value.takeError()), "arrays and objects are more than 200 levels deep");
  }
}

TEST(ParseJson, BracketsInStringsAreNoLevels) {
  EXPECT_TRUE(
      bool(parseJson("[\"" + std::string(300, '[') + "\\\"" + std::string(300, '{') + "\"]")));
}
