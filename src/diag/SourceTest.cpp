#include "diag/Source.h"

#include "gtest/gtest.h"

using namespace gluonc::diag;

TEST(SourceFile, ColumnsCountCodePoints) {
  SourceFile file("a.py", "x = 'h\u00e9' + y\n");
  uint32_t offset = static_cast<uint32_t>(file.text().find('+'));
  EXPECT_EQ(file.position(offset).line, 1u);
  EXPECT_EQ(file.position(offset).column, 10u);
}

TEST(SourceFile, ColumnsOfLongLines) {
  std::string text = "first\n";
  for (int i = 0; i < 1000; ++i)
    text += "aä";
  SourceFile file("k.py", text);
  for (uint32_t i : {0u, 84u, 85u, 86u, 170u, 999u}) {
    EXPECT_EQ(file.position(6 + 3 * i).column, 2 * i + 1);
    EXPECT_EQ(file.position(6 + 3 * i + 1).column, 2 * i + 2);
  }
}

TEST(SourceFile, EveryKindOfLineBreakStartsALine) {
  SourceFile file("a.py", "a\nb\r\nc\rd");
  EXPECT_EQ(file.lineCount(), 4u);
  EXPECT_EQ(file.line(2), "b");
  EXPECT_EQ(file.line(3), "c");
  EXPECT_EQ(file.line(4), "d");
  EXPECT_EQ(file.line(5), "");
}

TEST(SourceFile, PositionPastTheEndIsTheLastLine) {
  SourceFile file("a.py", "ab");
  EXPECT_EQ(file.position(100).line, 1u);
  EXPECT_EQ(file.position(100).column, 3u);
}

TEST(SourceManager, SpanAtUndoesPosition) {
  SourceManager sources;
  const SourceFile *file = sources.add("a.py", "first\n\u00e9\u00e9 z = 1\n");
  uint32_t offset = static_cast<uint32_t>(file->text().find('z'));
  LineColumn at = file->position(offset);
  Span span = sources.spanAt("a.py", at.line, at.column);
  EXPECT_EQ(span.begin, offset);
  EXPECT_EQ(span.text(), "z");
}

TEST(SourceManager, UnknownPlacesGiveEmptySpans) {
  SourceManager sources;
  sources.add("a.py", "x\n");
  EXPECT_FALSE(sources.spanAt("b.py", 1, 1));
  EXPECT_FALSE(sources.spanAt("a.py", 0, 1));
  EXPECT_FALSE(sources.spanAt("a.py", 9, 1));
}

TEST(SourceManager, EqualTextUnderOnePathIsOneFile) {
  SourceManager sources;
  const SourceFile *first = sources.add("a.py", "x");
  EXPECT_EQ(sources.add("a.py", "x"), first);
  const SourceFile *second = sources.add("a.py", "y");
  EXPECT_NE(second, first);
  EXPECT_EQ(sources.find("a.py"), second);
}
