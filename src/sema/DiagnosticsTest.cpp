// One kernel per mistake: the kind and the place of its diagnostic.

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

namespace {

/// Problems of a kernel `k(p, n, C: gl.constexpr)` with this body, which starts in line 1 of
/// the report: places are relative to the body.
std::string problemsOf(const std::string &body, const std::string &before = "") {
  std::string indented;
  for (llvm::StringRef rest = body; !rest.empty();) {
    auto [line, tail] = rest.split('\n');
    indented += "    " + line.str() + "\n";
    rest = tail;
  }
  Result result = compileKernel(before + "@gluon.jit\ndef k(p, n, C: gl.constexpr):\n" + indented,
                                {"*i32:16", "i32", "=4"});
  size_t end = result.problems.find('\n');
  if (end != std::string::npos && result.problems.find(' ') < end) {
    // "Kind line:column" with the line relative to the body.
    size_t space = result.problems.find(' '), colon = result.problems.find(':', space);
    int first = 5 + int(std::count(before.begin(), before.end(), '\n'));
    int line = std::stoi(result.problems.substr(space + 1, colon - space - 1)) - first + 1;
    int column = std::stoi(result.problems.substr(colon + 1, end - colon - 1)) - 4;
    return result.problems.substr(0, space + 1) + std::to_string(line) + ":" +
           std::to_string(column);
  }
  return result.problems;
}

struct Mistake {
  const char *body;
  const char *expected;
};

} // namespace

TEST(Diagnostics, EveryMistakeOfAStatementHasItsKindAndPlace) {
  Mistake mistakes[] = {
      {"x = missing", "Kind::UnknownName 1:5"},
      {"x = gl.laod(p)", "Kind::UnknownAttribute 1:8"},
      {"x = n.laod(p)", "Kind::UnknownAttribute 1:7"},
      {"x = sum((1, 2))", "Kind::UnknownName 1:5"},
      {"x = 3\nx: gl.constexpr = 4", "Kind::ConstexprReassigned 2:1"},
      {"x: gl.constexpr = n\ngl.arange(0, x)", "Kind::ConstexprRequired 2:14"},
      {"x: gl.constexpr\nx = n\ngl.arange(0, x)", "Kind::ConstexprRequired 3:14"},
      {"x = gl.BlockedLayout([1], [32], [4], [0])", "Kind::NeedsConstexpr 1:5"},
      {"x = 'text'", "Kind::NeedsConstexpr 1:5"},
      {"if (1, 2):\n    pass", "Kind::BadCondition 1:4"},
      {"a, *b = 1, 2, 3", "Kind::UnsupportedConstruct 1:4"},
      {"for i in (1, 2):\n    pass", "Kind::NotIterable 1:10"},
      {"for i in range(1.5):\n    pass", "Kind::BadLoopBound 1:10"},
      {"for i in range(0, 4, 0):\n    pass", "Kind::ZeroStep 1:10"},
      {"for i in gl.static_range(0, 4, 0):\n    pass", "Kind::ZeroStep 1:32"},
      {"for i in gl.static_range(n):\n    pass", "Kind::ConstexprRequired 1:26"},
      {"a, b = (1, 2, 3)", "Kind::UnpackCount 1:1"},
      {"a, b = n", "Kind::NotIterable 1:8"},
      {"t = (1, 2)\nx = t[n]", "Kind::ConstexprRequired 2:5"},
      {"t = (1, 2)\nx = t[2]", "Kind::IndexOutOfRange 2:5"},
      {"x = n[0]", "Kind::BadIndex 1:7"},
      {"x = C['a']", "Kind::BadIndex 1:5"},
      {"x = C + 'a'", "Kind::BadOperands 1:5"},
      {"x = -'a'", "Kind::BadOperand 1:5"},
      {"x = C // 0", "Kind::CompileTimeDivisionByZero 1:5"},
      {"x = C << 100000000", "Kind::NumberTooLarge 1:5"},
      {"gl.static_assert(C == 5, 'five')", "Kind::StaticAssertFailed 1:1"},
      {"gl.static_assert(n == 5)", "Kind::ConstexprRequired 1:18"},
      {"gl.static_print('C is', C)", "Kind::StaticPrint 1:1"},
      {"x = C(1)", "Kind::NotCallable 1:5"},
      {"gl.load()", "Kind::MissingArgument 1:1"},
      {"gl.load(p, msk=None)", "Kind::UnexpectedArgument 1:16"},
      {"gl.program_id(0, 1)", "Kind::TooManyArguments 1:18"},
      {"gl.load(p, mask=None, pointer=p)", "Kind::DuplicateArgument 1:31"},
      {"x: gl.constexpr = f'{n}'", "Kind::ConstexprRequired 1:22"},
      {"x: gl.constexpr = gl.constexpr(n)", "Kind::ConstexprRequired 1:32"},
      {"x: gl.constexpr = gl.BlockedLayout([1], [32], [4], [7])", "Kind::InvalidLayout 1:19"},
      {"x: gl.constexpr = len(n)", "Kind::BadArgument 1:23"},
      {"x: gl.constexpr = int(n)", "Kind::BadArgument 1:23"},
      {"return n", "Kind::KernelReturnsValue 1:1"},
      {"x = gl.tensor(n)", "Kind::NotSupportedYet 1:5"},
      {"with n:\n    pass", "Kind::UnsupportedConstruct 1:6"},
  };
  for (const Mistake &mistake : mistakes)
    EXPECT_EQ(problemsOf(mistake.body), mistake.expected) << mistake.body;
}

TEST(Diagnostics, ConstructsOutsideTheLanguageAreNamed) {
  Mistake constructs[] = {
      {"for i in range(n):\n    break", "2:5"},
      {"for i in range(n):\n    continue", "2:5"},
      {"for i in range(n):\n    pass\nelse:\n    pass", "1:1"},
      {"x = lambda: 3", "1:5"},
      {"x = {1: 2}", "1:5"},
      {"x = {1, 2}", "1:5"},
      {"x = {i for i in (1, 2)}", "1:5"},
      {"x = {i: i for i in (1, 2)}", "1:5"},
      {"x = (i for i in (1, 2))", "1:5"},
      {"x = [i + j for i in (1, 2) for j in (1, 2)]", "1:5"},
      {"try:\n    pass\nexcept E:\n    pass", "1:1"},
      {"import os", "1:1"},
      {"global g", "1:1"},
      {"del n", "1:1"},
      {"x = 1 in (1, 2)", "1:5"},
      {"x = 1 < C in (2, 3)", "1:5"},
      {"x = p @ p", "1:5"},
      {"def f():\n    pass", "1:1"},
      {"class A:\n    pass", "1:1"},
      {"p[0] = 1", "1:1"},
      {"p.x = 1", "1:1"},
      {"a, *b = (1, 2)", "1:4"},
      {"a = b = 3", "1:1"},
      {"yield n", "1:1"},
      {"match n:\n    case _:\n        pass", "1:1"},
      {"x = ...", "1:5"},
      {"x = 3j", "1:5"},
      {"x = b'a'", "1:5"},
  };
  for (const Mistake &construct : constructs)
    EXPECT_EQ(problemsOf(construct.body),
              std::string("Kind::UnsupportedConstruct ") + construct.expected)
        << construct.body;
}

TEST(Diagnostics, OnlyABranchThatIsReachedRaises) {
  EXPECT_EQ(problemsOf("raise E"), "Kind::CompileTimeRaise 1:1");
  EXPECT_EQ(problemsOf("if C == 5:\n    raise ValueError(f'no {C}')"), "");
  EXPECT_EQ(problemsOf("if C == 4:\n    raise ValueError(f'no {C}')"),
            "Kind::CompileTimeRaise 2:5");
  EXPECT_EQ(problemsOf("if n == 4:\n    raise ValueError"), "Kind::CompileTimeRaise 2:5");
  Harness harness(std::string(prelude) +
                  "@gluon.jit\ndef k(C: gl.constexpr):\n    raise ValueError(f'no {C}')\n");
  EXPECT_EQ(harness.compile("k", {"=4"}), "");
  EXPECT_NE(harness.messages().find("raises ValueError: no 4"), std::string::npos)
      << harness.messages();
}

TEST(Diagnostics, KernelsTakeNoUnnamedKeywords) {
  // In the kernel itself, and in a function that it calls.
  Result kernel = compileKernel("@gluon.jit\ndef k(p, **more):\n    pass\n", {"*i32"});
  EXPECT_EQ(kernel.problems, "Kind::UnsupportedConstruct 4:12\n");
  EXPECT_EQ(problemsOf("f(p, n=3)", "@gluon.jit\ndef f(x, **more):\n    pass\n"),
            "Kind::UnsupportedConstruct -3:8");
}

TEST(Diagnostics, GlobalsMustBelongToTheLanguage) {
  EXPECT_EQ(problemsOf("x = p + N", "N = 4\n"), "Kind::NonConstexprGlobal 1:9");
  EXPECT_EQ(problemsOf("x = p + N", "N: gl.constexpr = 4\n"), "Kind::NonConstexprGlobal 1:9");
  EXPECT_EQ(problemsOf("x = p + N", "N = gl.constexpr(4)\n"), "");
  EXPECT_EQ(problemsOf("x = p + N", "N = 2 * gl.constexpr(4) + 1\n"), "");
  EXPECT_EQ(problemsOf("x = p + N", "import torch\nN = torch.cuda.device_count()\n"),
            "Kind::HostValue 1:9");
  EXPECT_EQ(problemsOf("x: gl.constexpr = L", "L = gl.BlockedLayout([1], [32], [4], [0])\n"), "");
  EXPECT_EQ(problemsOf("h(n)", "def h(x):\n    return x\n"), "Kind::HostFunctionCall 1:1");
  EXPECT_EQ(problemsOf("x = A", "A = B\nB = A\n"), "Kind::HostValue 1:5");
}

TEST(Diagnostics, CallsOfJitFunctionsAreChecked) {
  const char *callee = "@gluon.jit\ndef f(a, b: gl.constexpr, c=3):\n    return a\n";
  EXPECT_EQ(problemsOf("f(n)", callee), "Kind::MissingArgument 1:1");
  EXPECT_EQ(problemsOf("f(n, n)", callee), "");
  EXPECT_EQ(problemsOf("f(n, 1, 2, 3)", callee), "Kind::TooManyArguments 1:12");
  EXPECT_EQ(problemsOf("f(n, 1, a=2)", callee), "Kind::DuplicateArgument 1:11");
  EXPECT_EQ(problemsOf("f(n, 1, d=2)", callee), "Kind::UnexpectedArgument 1:11");
  EXPECT_EQ(problemsOf("f(n, 1)", "@gluon.jit\ndef f(a, b):\n    return g(a, b)\n"
                                  "@gluon.jit\ndef g(a, b):\n    return f(a, b)\n")
                .substr(0, 22),
            "Kind::EndlessRecursion");
}

TEST(Diagnostics, MisspeltNamesGetASuggestion) {
  for (auto [body, hint] : {std::pair{"gl.laod(p)", "did you mean `load`?"},
                            {"gl.BlokedLayout", "did you mean `BlockedLayout`?"},
                            {"x = hleper", "did you mean `helper`?"},
                            {"value = 3\n    x = valeu", "did you mean `value`?"}}) {
    std::string source = "helper = 3\n@gluon.jit\ndef k(p):\n    ";
    Result result = compileKernel(source + body + "\n", {"*i32"});
    EXPECT_NE(result.messages.find(hint), std::string::npos) << result.messages;
  }
}

TEST(Diagnostics, KernelsAreFoundByName) {
  Harness harness(std::string(prelude) + "@gluon.jit\ndef memcpy(p):\n    pass\n"
                                         "def helper(p):\n    pass\nX = 4\n");
  EXPECT_EQ(harness.compile("memcopy", {"*i32"}), "");
  EXPECT_EQ(harness.compile("helper", {"*i32"}), "");
  EXPECT_EQ(harness.compile("X", {"*i32"}), "");
  EXPECT_EQ(harness.compile("memcpy", {"*i32", "i32"}), "");
  EXPECT_EQ(harness.compile("memcpy", {}), "");
  EXPECT_EQ(harness.problems(), "Kind::MissingKernel\nKind::NotAKernel 6:5\nKind::NotAKernel 8:1\n"
                                "Kind::KernelArgumentCount 4:5\nKind::MissingArgument 4:12\n");
}

TEST(Diagnostics, ConstexprParametersNeedValues) {
  Result result =
      compileKernel("@gluon.jit\ndef k(p, C: gl.constexpr):\n    pass\n", {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::ConstexprRequired 4:10\n");
}

TEST(Diagnostics, UnrollingHasABudget) {
  EXPECT_EQ(problemsOf("for i in gl.static_range(1 << 60):\n    pass").substr(0, 23),
            "Kind::EvaluationTooLong");
}

TEST(Diagnostics, DeepExpressionsDoNotOverflowTheStack) {
  // 190 pairs of parentheses are within what the parser accepts.
  std::string deep = "n";
  for (int i = 0; i < 190; ++i)
    deep = "-(" + deep + ")";
  EXPECT_EQ(problemsOf("gl.store(p, " + deep + ")"), "");
}
