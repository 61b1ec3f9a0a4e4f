#include "syntax/Parser.h"

#include "syntax/Dump.h"
#include "syntax/Unicode.h"

#include "llvm/ADT/SmallString.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace gluonc;
using namespace gluonc::ast;
using diag::Kind;
using llvm::cast;

namespace {

struct Parsed {
  diag::SourceFile file;
  diag::Collector sink{};
  std::unique_ptr<Module> module;

  explicit Parsed(std::string text) : file("t.py", std::move(text)), module(parse(file, sink)) {}

  /// The dump of the body's statements without the module around them.
  std::string body() const {
    std::string text;
    llvm::raw_string_ostream out(text);
    for (const Stmt *statement : module->body) {
      out << (text.empty() ? "" : "; ");
      dump(*statement, out);
    }
    return text;
  }
  /// "line:column-line:column Kind" of each report.
  std::vector<std::string> reports() const {
    std::vector<std::string> result;
    for (const diag::Diagnostic &d : sink.diagnostics) {
      diag::LineColumn from = file.position(d.span.begin), to = file.position(d.span.end);
      result.push_back(std::to_string(from.line) + ":" + std::to_string(from.column) + "-" +
                       std::to_string(to.line) + ":" + std::to_string(to.column) + " " +
                       diag::info(d.kind).name.str());
    }
    return result;
  }
  std::string message() const {
    return sink.diagnostics.empty() ? "" : sink.diagnostics[0].message;
  }
};

/// The dump of the one expression in `text`.
std::string expr(std::string text) {
  Parsed parsed(std::move(text));
  EXPECT_TRUE(parsed.reports().empty()) << parsed.message();
  std::string result;
  llvm::raw_string_ostream out(result);
  dump(*cast<ExprStmt>(parsed.module->body[0])->value, out);
  return result;
}

std::string stmt(std::string text) {
  Parsed parsed(std::move(text));
  EXPECT_TRUE(parsed.reports().empty()) << parsed.message();
  return parsed.body();
}

using Reports = std::vector<std::string>;

//===----------------------------------------------------------------------===//
// Trees. test/syntax/stdlib_test.py compares millions of lines with CPython; here
// is what the standard library of 3.11 does not contain.
//===----------------------------------------------------------------------===//

TEST(Parser, TypeParametersOfFunctions) {
  EXPECT_EQ(stmt("def f[T: int, *U, **V](): pass"),
            "FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], kwonlyargs=[], "
            "kw_defaults=[], defaults=[]), body=[Pass()], decorator_list=[], "
            "type_params=[TypeVar(name='T', bound=Name(id='int', ctx=Load())), "
            "TypeVarTuple(name='U'), ParamSpec(name='V')])");
}

TEST(Parser, TypeParametersOfClasses) {
  EXPECT_EQ(stmt("class C[T]: pass"), "ClassDef(name='C', bases=[], keywords=[], body=[Pass()], "
                                      "decorator_list=[], type_params=[TypeVar(name='T')])");
}

TEST(Parser, TypeIsAKeywordOnlyBeforeAName) {
  EXPECT_EQ(stmt("type X[T] = T"),
            "TypeAlias(name=Name(id='X', ctx=Store()), type_params=[TypeVar(name='T')], "
            "value=Name(id='T', ctx=Load()))");
  EXPECT_EQ(stmt("type = type"), "Assign(targets=[Name(id='type', ctx=Store())], "
                                 "value=Name(id='type', ctx=Load()))");
  EXPECT_EQ(stmt("type(x)"), "Expr(value=Call(func=Name(id='type', ctx=Load()), "
                             "args=[Name(id='x', ctx=Load())], keywords=[]))");
}

TEST(Parser, MatchIsAKeywordOnlyBeforeABlock) {
  for (std::string text : {"match(x)", "match[x]", "match = 1", "match.x", "match * a, b",
                           "match -x", "match not in x", "match[x]: int", "match: int"})
    EXPECT_EQ(stmt(text).find("Match("), std::string::npos) << text;
  for (std::string subject : {"(x)", "[x]", "*a, b", "-x", "not x", "x", "match", "{}", "(x := y)"})
    EXPECT_EQ(stmt("match " + subject + ":\n case case: pass").find("Match("), 0u) << subject;
}

TEST(Parser, FStringsNestAsInPython312) {
  EXPECT_EQ(expr("f'{a['b']}'"),
            "JoinedStr(values=[FormattedValue(value=Subscript(value=Name(id='a', ctx=Load()), "
            "slice=Constant(value='b'), ctx=Load()), conversion=-1)])");
  EXPECT_EQ(expr("f'{x:{w}.{p}}'"),
            "JoinedStr(values=[FormattedValue(value=Name(id='x', ctx=Load()), conversion=-1, "
            "format_spec=JoinedStr(values=[FormattedValue(value=Name(id='w', ctx=Load()), "
            "conversion=-1), Constant(value='.'), FormattedValue(value=Name(id='p', ctx=Load()), "
            "conversion=-1)]))])");
  // A line break and a backslash within a field.
  EXPECT_EQ(expr("f'{\n'\\n'}'"), "JoinedStr(values=[FormattedValue(value=Constant(value='\\n'), "
                                  "conversion=-1)])");
}

TEST(Parser, FStringDebugShowsTheSource) {
  EXPECT_EQ(expr("f'a{ x = }b'"),
            "JoinedStr(values=[Constant(value='a x = '), FormattedValue(value=Name(id='x', "
            "ctx=Load()), conversion=114), Constant(value='b')])");
  EXPECT_EQ(expr("f'''{\nx # c\n=!s}'''"),
            "JoinedStr(values=[Constant(value='\\nx \\n='), FormattedValue(value=Name(id='x', "
            "ctx=Load()), conversion=115)])");
}

TEST(Parser, AdjacentLiteralsFlatten) {
  EXPECT_EQ(expr("u'a' f'b{x}c' 'd'"),
            "JoinedStr(values=[Constant(value='ab', kind='u'), FormattedValue(value=Name(id='x', "
            "ctx=Load()), conversion=-1), Constant(value='cd')])");
  EXPECT_EQ(expr("'' f'{x}' ''"), "JoinedStr(values=[FormattedValue(value=Name(id='x', "
                                  "ctx=Load()), conversion=-1)])");
  EXPECT_EQ(expr("'' ''"), "Constant(value='')");
  EXPECT_EQ(expr("b'a' b'\\xff'"), "Constant(value=b'a\\xff')");
}

TEST(Parser, BracesInFStrings) {
  EXPECT_EQ(expr("f'{{x}}'"), "JoinedStr(values=[Constant(value='{x}')])");
  EXPECT_EQ(expr("rf'\\{x}'"), "JoinedStr(values=[Constant(value='\\\\'), "
                               "FormattedValue(value=Name(id='x', ctx=Load()), conversion=-1)])");
  EXPECT_EQ(expr("f'\\N{DIGIT ONE}{{'"), "JoinedStr(values=[Constant(value='1{')])");
}

TEST(Parser, EscapesOfStrings) {
  EXPECT_EQ(expr(R"('\a\x41\101\u00e9\U0001F600\N{bullet}\
')"),
            "Constant(value='\\x07AAé😀•')");
  EXPECT_EQ(expr("'\\ud800'"), "Constant(value='\\ud800')");
  EXPECT_EQ(expr("'a\\\r\nb' '''\r\n\r'''"), "Constant(value='ab\\n\\n')");
  EXPECT_EQ(expr("r'\\n'"), "Constant(value='\\\\n')");
}

TEST(Parser, NumbersKeepTheirValue) {
  EXPECT_EQ(expr("0xFFFF_FFFF_FFFF_FFFF_F"), "Constant(value=295147905179352825855)");
  EXPECT_EQ(expr("123456789012345678901234567890"),
            "Constant(value=123456789012345678901234567890)");
  EXPECT_EQ(expr("0o1777777777777777777777"), "Constant(value=18446744073709551615)");
  for (auto [text, repr] :
       std::initializer_list<std::pair<const char *, const char *>>{{"1e16", "1e+16"},
                                                                    {"1e15", "1000000000000000.0"},
                                                                    {"1e-5", "1e-05"},
                                                                    {"0.0001", "0.0001"},
                                                                    {".1", "0.1"},
                                                                    {"1.", "1.0"},
                                                                    {"1e400", "inf"},
                                                                    {"1e-400", "0.0"},
                                                                    {"5e-324", "5e-324"},
                                                                    {"1_0.2_5", "10.25"},
                                                                    {"2j", "2j"},
                                                                    {"1.5J", "1.5j"},
                                                                    {"1e22", "1e+22"},
                                                                    {"123456.789", "123456.789"}})
    EXPECT_EQ(expr(text), std::string("Constant(value=") + repr + ")");
}

TEST(Parser, ConstantsOfferSmallIntegers) {
  Parsed parsed("9223372036854775807\n9223372036854775808\n");
  auto constant = [&](size_t i) {
    return cast<Constant>(cast<ExprStmt>(parsed.module->body[i])->value);
  };
  EXPECT_EQ(constant(0)->smallInteger(), INT64_MAX);
  EXPECT_EQ(constant(1)->smallInteger(), std::nullopt);
  llvm::SmallString<32> digits;
  constant(1)->integer().toStringSigned(digits);
  EXPECT_EQ(digits, "9223372036854775808");
}

TEST(Parser, NamesCompareUnderNfkc) {
  EXPECT_EQ(expr("ﬁ"), "Name(id='fi', ctx=Load())");
  EXPECT_EQ(expr("e\u0301"), "Name(id='é', ctx=Load())");
  EXPECT_EQ(expr("x.𝐀"), "Attribute(value=Name(id='x', ctx=Load()), attr='A', ctx=Load())");
}

TEST(Unicode, NormalizationOrdersMarksAndComposesHangul) {
  EXPECT_EQ(normalizeIdentifier("a\u0301\u0323"), "ạ\u0301");
  EXPECT_EQ(normalizeIdentifier("\u1112\u1161\u11AB"), "한");
  EXPECT_EQ(normalizeIdentifier("ｶﾞ"), "ガ");
}

TEST(Parser, ParenthesizedWithItems) {
  auto items = [](std::string header) {
    Parsed parsed("with " + header + ": pass");
    EXPECT_TRUE(parsed.reports().empty()) << header << ": " << parsed.message();
    return cast<With>(parsed.module->body[0])->items.size();
  };
  EXPECT_EQ(items("(a, b)"), 2u);
  EXPECT_EQ(items("(a as b, c as d,)"), 2u);
  EXPECT_EQ(items("(a, b) as c"), 1u);
  EXPECT_EQ(items("(a, b).c, d"), 2u);
  EXPECT_EQ(items("(yield)"), 1u);
  EXPECT_EQ(items("(a := b, c)"), 1u);
  EXPECT_EQ(items("(a for a in b)"), 1u);
  EXPECT_EQ(items("(*a, b)"), 1u);
  EXPECT_EQ(items("()"), 1u);
}

TEST(Parser, OnlyBareNamesAreSimpleAnnotations) {
  EXPECT_NE(stmt("x: int").find("simple=1"), std::string::npos);
  EXPECT_NE(stmt("(x): int").find("simple=0"), std::string::npos);
  EXPECT_NE(stmt("x.y: int = 1").find("simple=0"), std::string::npos);
}

TEST(Dump, Python311HasNoTypeParameters) {
  Parsed parsed("class C: pass");
  std::string text;
  llvm::raw_string_ostream out(text);
  dump(*parsed.module, out, PythonVersion::Python311);
  EXPECT_EQ(text, "Module(body=[ClassDef(name='C', bases=[], keywords=[], body=[Pass()], "
                  "decorator_list=[])], type_ignores=[])");
}

TEST(Parser, ParseExpressionTakesOneExpression) {
  diag::SourceFile file("<argument>", "Blocked([1], 2)");
  diag::Collector sink;
  EXPECT_TRUE(parseExpression(file, sink)->body);
  for (std::string text : {"", "a b", "a = 1", "a\nb", "pass"}) {
    diag::SourceFile bad("<argument>", text);
    diag::Collector badSink;
    EXPECT_FALSE(parseExpression(bad, badSink)->body) << text;
    EXPECT_TRUE(badSink.hasErrors()) << text;
  }
}

//===----------------------------------------------------------------------===//
// Spans
//===----------------------------------------------------------------------===//

TEST(Parser, SpansCoverTheirText) {
  Parsed parsed("if (a) + b.c(d)[e:f]: # comment\n  x = y ; z\n\n");
  const auto *branch = cast<If>(parsed.module->body[0]);
  EXPECT_EQ(branch->span.text(), "if (a) + b.c(d)[e:f]: # comment\n  x = y ; z");
  const auto *sum = cast<BinOp>(branch->test);
  EXPECT_EQ(sum->span.text(), "(a) + b.c(d)[e:f]");
  EXPECT_EQ(sum->opSpan.text(), "+");
  EXPECT_EQ(sum->left->span.text(), "a");
  const auto *subscript = cast<Subscript>(sum->right);
  EXPECT_EQ(subscript->span.text(), "b.c(d)[e:f]");
  EXPECT_EQ(subscript->slice->span.text(), "e:f");
  EXPECT_EQ(cast<Attribute>(cast<Call>(subscript->value)->func)->attrSpan.text(), "c");
  EXPECT_EQ(branch->body[0]->span.text(), "x = y");
  EXPECT_EQ(branch->body[1]->span.text(), "z");
}

TEST(Parser, SpansReferToTheBytesOfTheFile) {
  Parsed parsed("# coding: latin-1\n'\xE9\xE8' + name\n");
  const auto *sum = cast<BinOp>(cast<ExprStmt>(parsed.module->body[0])->value);
  EXPECT_EQ(sum->right->span.text(), "name");
  EXPECT_EQ(cast<Constant>(sum->left)->text, "éè");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(ParserErrors, EveryStatementReportsItsOwn) {
  Parsed parsed("a = = 1\nb = 2\nif c d:\n  e = )\n  f\ndef g(:\n  h 1\ni = 3\n");
  EXPECT_EQ(parsed.reports(), (Reports{"1:5-1:6 UnexpectedToken", "3:6-3:7 UnexpectedToken",
                                       "4:7-4:8 UnmatchedBracket", "6:6-6:7 UnmatchedBracket"}));
}

TEST(ParserErrors, AnUnclosedBracketDoesNotHideWhatFollows) {
  Parsed parsed("def f():\n  a = g(b, [c]\n  d = h(e\n  if i: j k\nl = f'{m'\nn o\np = (\nq r\n");
  EXPECT_EQ(parsed.reports(), (Reports{"2:8-2:9 UnmatchedBracket", "3:8-3:9 UnmatchedBracket",
                                       "4:11-4:12 UnexpectedToken", "5:9-5:10 UnterminatedString",
                                       "6:3-6:4 UnexpectedToken", "7:5-7:6 UnmatchedBracket",
                                       "8:3-8:4 UnexpectedToken"}));
}

TEST(ParserErrors, AnErrorEndsWithItsLine) {
  for (std::string text : {"f() += 1", "f(): int", "x = f'{a b'", "x = f'{a b}'", "1 2",
                           "match x:\n case 1j + 2j: y\n"})
    EXPECT_EQ(Parsed(text + "\nx y\n").reports().size(), 2u) << text;
}

TEST(ParserErrors, GoodStatementsRemain) {
  Parsed parsed("a\nb c\nd\n");
  EXPECT_EQ(parsed.reports(), (Reports{"2:3-2:4 UnexpectedToken"}));
  EXPECT_EQ(parsed.body(), "Expr(value=Name(id='a', ctx=Load())); "
                           "Expr(value=Name(id='d', ctx=Load()))");
}

TEST(ParserErrors, TargetsMustBeAssignable) {
  for (auto [text, message] : std::initializer_list<std::pair<const char *, const char *>>{
           {"f() = 1", "cannot assign to function call"},
           {"1 = x", "cannot assign to literal"},
           {"None = x", "cannot assign to None"},
           {"(a, b + c) = x", "cannot assign to expression"},
           {"a < b = x", "cannot assign to comparison"},
           {"for f() in x: pass", "cannot assign to function call"},
           {"[x for 1 in y]", "cannot assign to literal"},
           {"with a as f(): pass", "cannot assign to function call"},
           {"del f()", "cannot delete function call"},
           {"del *a", "expected an expression, found '*'"},
           {"a, b += 1", "cannot use augmented assignment on tuple"},
           {"(a.b := 1)", "cannot use an assignment expression with attribute"},
           {"a, b: int", "cannot annotate more than a single target: tuple"}}) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.reports().size(), 1u) << text;
    EXPECT_EQ(parsed.message(), message) << text;
  }
}

TEST(ParserErrors, CaretsPointAtTheCulprit) {
  EXPECT_EQ(Parsed("x = 1 + f() = 2\n").reports(), (Reports{"1:5-1:12 InvalidTarget"}));
  EXPECT_EQ(Parsed("f(a=1, bc)\n").reports(), (Reports{"1:8-1:10 InvalidArguments"}));
  EXPECT_EQ(Parsed("def f(a=1, bc): pass\n").reports(), (Reports{"1:12-1:14 InvalidParameters"}));
  EXPECT_EQ(Parsed("x = 'a' b'c'\n").reports(), (Reports{"1:9-1:13 MixedLiterals"}));
  EXPECT_EQ(Parsed("é = '\\xZ'\n").reports(), (Reports{"1:6-1:8 InvalidEscape"}));
  EXPECT_EQ(Parsed("x = f'{}'\n").reports(), (Reports{"1:8-1:9 InvalidFString"}));
  EXPECT_EQ(Parsed("x = f'a}'\n").reports(), (Reports{"1:8-1:9 InvalidFString"}));
  EXPECT_EQ(Parsed("x = f'{a!x}'\n").reports(), (Reports{"1:10-1:11 InvalidFString"}));
}

TEST(ParserErrors, ParametersAndArguments) {
  for (std::string text :
       {"def f(*): pass", "def f(*, **k): pass", "def f(**k, a): pass", "def f(/): pass",
        "def f(a, /, /): pass", "def f(*a, *b): pass", "def f(*, a, /): pass", "lambda *: 0"}) {
    Parsed parsed(text);
    ASSERT_EQ(parsed.sink.diagnostics.size(), 1u) << text;
    EXPECT_EQ(parsed.sink.diagnostics[0].kind, Kind::InvalidParameters) << text;
  }
  for (std::string text :
       {"f(**a, *b)", "f(**a, b)", "f(x for x in y, 1)", "f(1, x for x in y)", "f(a.b=1)"}) {
    Parsed parsed(text);
    ASSERT_EQ(parsed.sink.diagnostics.size(), 1u) << text;
    EXPECT_EQ(parsed.sink.diagnostics[0].kind, Kind::InvalidArguments) << text;
  }
}

TEST(ParserErrors, Patterns) {
  for (std::string text : {"*a", "f'{x}'", "a as _", "1 + 2", "1j + 2j", "{**_}", "{**a, 1: b}",
                           "C(a=1, b)", "(*a)"}) {
    Parsed parsed("match x:\n case " + text + ": pass");
    ASSERT_EQ(parsed.sink.diagnostics.size(), 1u) << text;
    EXPECT_EQ(parsed.sink.diagnostics[0].kind, Kind::InvalidPattern) << text;
  }
}

TEST(ParserErrors, BlocksMustBeIndented) {
  Parsed parsed("def f():\nx = 1\nfor a in b:\n\nclass C:\n");
  EXPECT_EQ(parsed.reports(),
            (Reports{"2:1-2:2 MissingBlock", "5:1-5:6 MissingBlock", "6:1-6:1 MissingBlock"}));
  EXPECT_EQ(parsed.message(), "expected an indented block after a function definition");
  EXPECT_EQ(Parsed("a\n  b\nc\n").reports(), (Reports{"2:3-2:3 BadIndentation"}));
}

TEST(ParserErrors, TryNeedsAHandler) {
  EXPECT_EQ(Parsed("try:\n  a\nb\n").reports(), (Reports{"3:1-3:2 UnexpectedToken"}));
  EXPECT_EQ(Parsed("try: a\nexcept: b\nexcept* C: d\n").reports().size(), 2u);
}

TEST(ParserErrors, CommonMistakesGetHints) {
  Parsed print("print 'a'\n");
  EXPECT_EQ(print.message(), "missing parentheses in call to 'print'");
  Parsed equal("if x = 1: pass\n");
  ASSERT_EQ(equal.sink.diagnostics.size(), 1u);
  EXPECT_EQ(equal.sink.diagnostics[0].hints[0], "use '==' to compare or ':=' to assign");
}

TEST(ParserErrors, AnUnknownEscapeIsAWarning) {
  Parsed parsed("x = '\\d'\n");
  EXPECT_FALSE(parsed.sink.hasErrors());
  EXPECT_EQ(parsed.reports(), (Reports{"1:6-1:8 UnknownEscape"}));
  EXPECT_EQ(parsed.body(), "Assign(targets=[Name(id='x', ctx=Store())], "
                           "value=Constant(value='\\\\d'))");
}

TEST(ParserErrors, ReportsStopAtAHundred) {
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "a b\n";
  Parsed parsed(text);
  EXPECT_EQ(parsed.sink.diagnostics.size(), 101u);
  EXPECT_EQ(parsed.sink.diagnostics.back().kind, Kind::TooManyErrors);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

std::string repeat(std::string text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(ParserBounds, ABracketBombIsReportedFast) {
  for (std::string piece : {"(", "[", "{", "([{", "f'{", "f(", "x[", "{1:"}) {
    auto start = std::chrono::steady_clock::now();
    Parsed parsed(repeat(piece, 10'000'000 / piece.size()));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << piece;
    EXPECT_TRUE(parsed.sink.hasErrors()) << piece;
  }
}

TEST(ParserBounds, DeepTreesAreReported) {
  for (std::string text :
       {repeat("-", 100'000) + "1", repeat("not ", 100'000) + "1",
        repeat("lambda: ", 100'000) + "1", repeat("1 if 2 else ", 100'000) + "3",
        repeat("1 + ", 100'000) + "1", repeat("1 ** ", 100'000) + "1", "a" + repeat(".b", 100'000),
        "a" + repeat("()", 100'000), "a" + repeat("[0]", 100'000),
        "if a: b\n" + repeat("elif a: b\n", 100'000),
        "match a:\n case " + repeat("a(", 150) + repeat("{1:", 60) + "b"}) {
    Parsed parsed(text);
    ASSERT_FALSE(parsed.sink.diagnostics.empty()) << text.substr(0, 20);
    EXPECT_EQ(parsed.sink.diagnostics[0].kind, Kind::NestingTooDeep) << text.substr(0, 20);
    EXPECT_NE(parsed.sink.diagnostics[0].message.find("00"), std::string::npos);
    EXPECT_LE(parsed.module->height, maxHeight);
  }
}

TEST(ParserBounds, WideTreesAreFine) {
  for (std::string text : {"x = [" + repeat("1, ", 100'000) + "]", "a" + repeat(" or a", 100'000),
                           "a" + repeat(" < a", 100'000), repeat("a = ", 100'000) + "1",
                           repeat("'a' ", 100'000), repeat("x\n", 100'000)})
    EXPECT_TRUE(Parsed(text).reports().empty()) << text.substr(0, 20);
}

TEST(ParserBounds, TooLongDecimalNumbersAreReported) {
  EXPECT_TRUE(Parsed(repeat("9", 4300)).reports().empty());
  EXPECT_EQ(Parsed(repeat("9", 4301)).sink.diagnostics[0].kind, Kind::InvalidNumber);
  EXPECT_TRUE(Parsed("0x" + repeat("f", 100'000)).reports().empty());
}

} // namespace
