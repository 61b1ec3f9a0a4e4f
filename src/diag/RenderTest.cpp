#include "diag/Render.h"

#include "llvm/Support/JSON.h"

#include "gtest/gtest.h"

#include <set>

using namespace gluonc::diag;

namespace {

std::string text(const Diagnostic &diagnostic) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  renderText(diagnostic, stream);
  return out;
}

Diagnostic sample(Span span) {
  return {allKinds().empty() ? Kind() : Kind(0), Severity::Error, span, "it is wrong", {}, {}};
}

} // namespace

TEST(Render, CaretStandsUnderTheSpan) {
  SourceFile file("k.py", "a = 1\n    value = bad + 2\n");
  uint32_t begin = static_cast<uint32_t>(file.text().find("bad"));
  std::string out = text(sample({&file, begin, begin + 3}));
  EXPECT_NE(out.find("k.py:2:13: error: it is wrong"), std::string::npos) << out;
  EXPECT_NE(out.find("   2 |     value = bad + 2\n     |             ^~~\n"), std::string::npos)
      << out;
}

TEST(Render, SpanOverSeveralLinesIsCutAtTheFirst) {
  SourceFile file("k.py", "f(a,\n  b)\n");
  std::string out = text(sample({&file, 0, 9}));
  EXPECT_NE(out.find("| ^~~~\n"), std::string::npos) << out;
}

TEST(Render, VeryLongLineShowsOnlyTheNeighbourhood) {
  SourceFile file("k.py", std::string(1'000'000, '('));
  std::string out = text(sample({&file, 500'000, 500'001}));
  EXPECT_LT(out.size(), 1000u);
  EXPECT_NE(out.find('^'), std::string::npos);
}

TEST(Render, SpanAtTheEndOfTheFileIsShown) {
  SourceFile file("k.py", "x");
  EXPECT_NE(text(sample({&file, 1, 1})).find("|  ^"), std::string::npos);
}

TEST(Render, JsonIsOneLineWithPlaceAndLabels) {
  SourceFile file("k.py", "a\nbcd\n");
  Diagnostic diagnostic = sample({&file, 2, 4});
  diagnostic.labels.push_back({{&file, 0, 1}, "from \"here\""});
  diagnostic.hints.push_back("do not");
  std::string out;
  llvm::raw_string_ostream stream(out);
  renderJson(diagnostic, stream);
  EXPECT_EQ(llvm::StringRef(out).count('\n'), 1u);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value));
  const llvm::json::Object &object = *value->getAsObject();
  EXPECT_EQ(object.getInteger("line"), 2);
  EXPECT_EQ(object.getInteger("column"), 1);
  EXPECT_EQ(object.getInteger("end_column"), 3);
  EXPECT_EQ(object.getArray("labels")->front().getAsObject()->getString("text"), "from \"here\"");
  EXPECT_EQ(object.getString("severity"), "error");
}

TEST(Format, ReplacesArgumentsAndLeavesOtherBraces) {
  EXPECT_EQ(format("{0} and {1} and {0}", {"a", "b"}), "a and b and a");
  EXPECT_EQ(format("{x} {9} {", {"a"}), "{x} {9} {");
}

TEST(Kinds, NumbersAreUnique) {
  std::set<unsigned> numbers;
  for (const KindInfo &kind : allKinds())
    EXPECT_TRUE(numbers.insert(kind.number).second) << kind.name.str();
}

TEST(Sink, CountsErrorsAndNotWarnings) {
  Collector sink;
  sink.submit(sample({}));
  Diagnostic warning = sample({});
  warning.severity = Severity::Warning;
  sink.submit(warning);
  EXPECT_EQ(sink.errorCount(), 1u);
  EXPECT_EQ(sink.diagnostics.size(), 2u);
}
