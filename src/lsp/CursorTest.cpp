#include "lsp/Cursor.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::lsp;

/// The cursor is where the text ends.
static Cursor cursorBehind(const char *text) {
  const diag::SourceFile file("k.py", text);
  return cursorAt(file, static_cast<uint32_t>(file.text().size()));
}

TEST(Cursor, NamesTheObjectBeforeADot) {
  EXPECT_EQ(cursorBehind("x = gl.").object, "gl");
  EXPECT_EQ(cursorBehind("x = gl.nvidia.hop").object, "gl.nvidia");
  EXPECT_EQ(cursorBehind("x = gl").object, "");
  EXPECT_EQ(cursorBehind("x.\ngl.nv").object, "gl");
  EXPECT_TRUE(cursorBehind("f(x).y").isMemberOfOther);
  EXPECT_TRUE(cursorBehind("f(x).").isMemberOfOther);
  EXPECT_TRUE(cursorBehind("f(x).y.z").isMemberOfOther);
  EXPECT_FALSE(cursorBehind("a, b.c").isMemberOfOther);
}

TEST(Cursor, FindsTheInnermostOpenCall) {
  Cursor cursor = cursorBehind("def k(p):\n    gl.store(p, gl.load(p, [1, 2], mask=a, oth");
  ASSERT_TRUE(cursor.call);
  EXPECT_EQ(cursor.call->callee, "gl.load");
  EXPECT_EQ(cursor.call->argument, 3u);
  EXPECT_EQ(cursor.call->keyword, "");
  EXPECT_EQ(cursor.call->keywords, std::vector<std::string>{"mask"});
  cursor = cursorBehind("gl.store(p, gl.load(p), mask=a");
  EXPECT_EQ(cursor.call->callee, "gl.store");
  EXPECT_EQ(cursor.call->keyword, "mask");
  EXPECT_EQ(cursorBehind("gl.zeros([1, ").call->callee, "gl.zeros");
}

TEST(Cursor, TakesParametersOfADefinitionForNoCall) {
  EXPECT_FALSE(cursorBehind("def k(a, b").call);
  EXPECT_FALSE(cursorBehind("f(a)").call);
  EXPECT_FALSE(cursorBehind("x = (a, ").call);
}

TEST(Cursor, KnowsTextFromCode) {
  EXPECT_TRUE(cursorBehind("# gl.").isInText);
  EXPECT_TRUE(cursorBehind("x = 1  # gl.").isInText);
  EXPECT_TRUE(cursorBehind("x = 'gl.").isInText);
  EXPECT_FALSE(cursorBehind("x = 1  # gl\ny").isInText);
  EXPECT_FALSE(cursorBehind("x = 1  # gl\n").isInText);
}
