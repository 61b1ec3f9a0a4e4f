// Branches, loops, calls: what becomes scf and what stays at compile time.

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

size_t occurrences(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Compiles and expects no diagnostics.
std::string ir(const std::string &body, std::vector<std::string> arguments) {
  Result result = compileKernel(body, std::move(arguments));
  EXPECT_EQ(result.messages, "") << body;
  return result.ir;
}

} // namespace

TEST(ControlFlow, StaticIfWalksOneBranchOnly) {
  std::string text = ir(R"(
@gluon.jit
def k(p, FLAG: gl.constexpr):
    if FLAG:
        gl.store(p, 1)
    else:
        gl.store(p, "not even a value" + 3)
)",
                        {"*i32", "=True"});
  EXPECT_EQ(occurrences(text, "tt.store"), 1u);
  EXPECT_FALSE(contains(text, "scf.if"));
}

TEST(ControlFlow, IfYieldsWhatItsBranchesChange) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    x = 1
    same = 7
    if n > 3:
        x = 2
        both = n + 1
        one = 5
    else:
        both = n
    gl.store(p, x + both + same)
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "%1:2 = scf.if %0 -> (i32, i32)")) << text;
}

TEST(ControlFlow, NamesOfOneBranchAreGoneAfterTheIf) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    if n > 3:
        x = 2
    gl.store(p, x)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UndefinedAfterControlFlow 8:17\n");
}

TEST(ControlFlow, BranchesMustAgreeOnTypes) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    x = 1
    if n > 3:
        x = 2.0
    gl.store(p, x)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::IfTypeMismatch 7:8\n") << result.messages;
}

TEST(ControlFlow, EarlyReturnTakesTheRestIntoTheOtherBranch) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    if n > 3:
        return
    if n > 1:
        gl.store(p, 1)
        return
    gl.store(p, 2)
)",
                        {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "scf.if"), 2u) << text;
  EXPECT_EQ(occurrences(text, "tt.return"), 1u) << text;
}

TEST(ControlFlow, WhatFollowsReturnsThatMayGoOnStandsOnce) {
  std::string source = "@gluon.jit\ndef k(p, n):\n    x = n\n";
  for (int i = 0; i < 30; ++i)
    source += "    if x > 3:\n        if n > 1:\n            return\n        x = x * 2\n";
  std::string text = ir(source + "    gl.store(p, x)\n", {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "tt.store"), 1u);
  EXPECT_EQ(occurrences(text, "arith.muli"), 30u);
}

TEST(ControlFlow, ReturnsDoNotNestWithoutEnd) {
  std::string source = "@gluon.jit\ndef k(p, n):\n";
  for (int i = 0; i < 2000; ++i)
    source += "    if n == 3:\n        return\n";
  EXPECT_EQ(occurrences(ir(source + "    gl.store(p, n)\n", {"*i32", "i32"}), "tt.store"), 1u);
}

// As behind any other `if`.
TEST(ControlFlow, BranchesOfWhichOneMayReturnMeet) {
  const char *head = R"(
@gluon.jit
def k(p, n):
    x = 1
    if n > 3:
        if n > 7:
            return
)";
  EXPECT_EQ(
      compileKernel(std::string(head) + "        x = 2.0\n    gl.store(p, x)\n", {"*i32", "i32"})
          .problems,
      "Kind::IfTypeMismatch 7:8\n");
  EXPECT_EQ(
      compileKernel(std::string(head) + "        y = 2\n    gl.store(p, y)\n", {"*i32", "i32"})
          .problems,
      "Kind::UndefinedAfterControlFlow 11:17\n");
  EXPECT_EQ(
      compileKernel(std::string(head) + "        y = 2\n    gl.store(p, n, mask=1.5)\n",
                    {"*i32", "i32"})
          .problems.size(),
      compileKernel("@gluon.jit\ndef k(p, n):\n    gl.store(p, n, mask=1.5)\n", {"*i32", "i32"})
              .problems.size() +
          1);
}

TEST(ControlFlow, WaysThatEndWithoutAValueAreTold) {
  Result result = compileKernel(R"(
@gluon.jit
def pick(x):
    if x > 10:
        if x > 20:
            return x
        x = x + 1
    x = x * 2

@gluon.jit
def k(p, n):
    gl.store(p, pick(n))
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::ReturnTypeMismatch 8:13\n") << result.messages;
}

TEST(ControlFlow, CalleesMayReturnEarlyEvenInsideLoops) {
  std::string text = ir(R"(
@gluon.jit
def clamp(x, FAST: gl.constexpr):
    if FAST:
        return x
    if x > 10:
        return 10
    elif x < 0:
        return 0
    return x

@gluon.jit
def k(p, n):
    for i in range(n):
        gl.store(p + i, clamp(i - 3, False))
)",
                        {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "scf.if"), 2u) << text;
  EXPECT_EQ(occurrences(text, "scf.for"), 1u) << text;
}

TEST(ControlFlow, ReturnsMustAgreeOnTypes) {
  Result result = compileKernel(R"(
@gluon.jit
def pick(x):
    if x > 10:
        return 1.5
    return x

@gluon.jit
def k(p, n):
    gl.store(p, pick(n))
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::ReturnTypeMismatch 8:5\n");
}

TEST(ControlFlow, ReturnInADeviceLoopIsRejected) {
  for (const char *body : {"        return\n", "        if i > 2:\n            return\n"}) {
    Result result = compileKernel(std::string("@gluon.jit\ndef k(p, n):\n"
                                              "    for i in range(n):\n") +
                                      body,
                                  {"*i32", "i32"});
    EXPECT_EQ(result.problems.substr(0, 18), "Kind::ReturnInLoop") << body;
  }
}

TEST(ControlFlow, ForCarriesOnlyWhatChanges) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n, FLAG: gl.constexpr):
    total = 0
    untouched = 5
    for i in range(0, n, 2):
        if FLAG:
            untouched = 6.0
        total += i * untouched
        inner = total
    gl.store(p, total)
)",
                        {"*i32", "i32", "=False"});
  EXPECT_TRUE(contains(text, "iter_args(%arg3 = %c0_i32) -> (i32)")) << text;
}

TEST(ControlFlow, SwappedVariablesAreCarriedBoth) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    a = 0
    b = 1
    for i in range(n):
        a, b = b, a + b
    gl.store(p, a)
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "-> (i32, i32)")) << text;
}

TEST(ControlFlow, VariableMayTakeAnUnchangedOnesValue) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    a = 0
    b = n + 1
    for i in range(n):
        a = b
        if n == 7:
            b = b
    gl.store(p, a)
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "-> (i32)")) << text;
}

TEST(ControlFlow, TuplesAreCarriedItemByItem) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    state = (0, 1.0, None)
    for i in range(n):
        state = (state[0] + i, state[1] * 2.0, None)
    gl.store(p, state[0])
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "-> (i32, f32)")) << text;
}

TEST(ControlFlow, CarriedTypesMustNotChange) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    x = 0
    for i in range(n):
        x += 0.5
    gl.store(p, x)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::LoopTypeMismatch 8:9\n");
}

TEST(ControlFlow, ConstexprDoesNotChangeInADeviceLoop) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n, X: gl.constexpr):
    for i in range(n):
        X = X + 1
    gl.store(p, X)
)",
                                {"*i32", "i32", "=3"});
  EXPECT_EQ(result.problems, "Kind::ConstexprInLoop 7:9\n");
}

TEST(ControlFlow, LoopVariableHasNoValueAfterTheLoop) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    for i in range(n):
        gl.store(p + i, i)
    gl.store(p, i)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::UndefinedAfterControlFlow 8:17\n");
}

TEST(ControlFlow, NegativeStepCountsDown) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    for i in range(n, 0, -2):
        gl.store(p + i, i)
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "arith.subi")) << text;
  EXPECT_TRUE(contains(text, "scf.for")) << text;
}

TEST(ControlFlow, BoundsArePromotedToOneType) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n, m):
    for i in range(n, m):
        gl.store(p + i, 1)
)",
                        {"*i32", "i32", "i64"});
  EXPECT_TRUE(contains(text, ": i64 {") || contains(text, " : i64")) << text;
}

TEST(ControlFlow, StaticRangeUnrollsAndRebindsTypes) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    x = 0
    for i in gl.static_range(6, 0, -2):
        x = x + i if i > 2 else x + 0.5
        gl.store(p + i, i)
)",
                        {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "tt.store"), 3u) << text;
}

TEST(ControlFlow, EarlyReturnInAnUnrolledLoop) {
  std::string text = ir(R"(
@gluon.jit
def first_above(p, n):
    for i in gl.static_range(3):
        if gl.load(p + i) > n:
            return i
    return -1

@gluon.jit
def k(p, n):
    gl.store(p, first_above(p, n))
)",
                        {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "scf.if"), 3u) << text;
  EXPECT_EQ(occurrences(text, "tt.load"), 3u) << text;
}

TEST(ControlFlow, WhileKeepsItsConditionInTheFirstRegion) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    i = 0
    while i < n:
        gl.store(p + i, i)
        i += 1
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "scf.while (%arg2 = %c0_i32) : (i32) -> i32")) << text;
  EXPECT_TRUE(contains(text, "scf.condition(")) << text;
}

TEST(ControlFlow, WhileNeedsABooleanOfTheDevice) {
  for (const char *test : {"True", "p + gl.arange(0, 1)"}) {
    Result result = compileKernel(std::string("@gluon.jit\ndef k(p, n):\n    while ") + test +
                                      ":\n        n += 1\n",
                                  {"*i32", "i32"});
    EXPECT_EQ(result.problems, "Kind::BadCondition 5:11\n") << test;
  }
}

TEST(ControlFlow, WhileAsksWhetherANumberIsZero) {
  std::string text =
      ir("@gluon.jit\ndef k(p, n):\n    while n:\n        n -= 1\n    gl.store(p, n)\n",
         {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "arith.cmpi ne")) << text;
}

TEST(ControlFlow, ChainsEvaluateEachOperandOnce) {
  std::string text =
      ir("@gluon.jit\ndef k(p, n):\n    gl.store(p, (0 < gl.load(p) < n) + 0)\n", {"*i32", "i32"});
  size_t load = text.find("tt.load");
  ASSERT_NE(load, std::string::npos) << text;
  EXPECT_EQ(text.find("tt.load", load + 1), std::string::npos) << text;
  // A comparison that is known to fail ends the chain: what follows is not looked at.
  EXPECT_EQ(
      compileKernel("@gluon.jit\ndef k(p):\n    gl.static_assert(not 3 < 2 < missing)\n", {"*i32"})
          .problems,
      "");
}

TEST(ControlFlow, TernaryOnADeviceConditionYields) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    gl.store(p, n + 1 if n > 3 else 0)
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "-> (i32)")) << text;
  Result result = compileKernel("@gluon.jit\ndef k(p, n):\n    gl.store(p, 1.0 if n > 3 else 0)\n",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::TernaryTypeMismatch 5:17\n");
}

TEST(ControlFlow, CallsBindDefaultsKeywordsAndStars) {
  std::string text = ir(R"(
@gluon.jit
def add(a, b=2, *rest, scale: gl.constexpr = 1):
    total = a + b
    for i in gl.static_range(len(rest)):
        total += rest[i] * scale
    return total

@gluon.jit
def k(p, n):
    extra = (n, n)
    gl.store(p, add(n))
    gl.store(p, add(b=n, a=n))
    gl.store(p, add(n, n, *extra, scale=3))
)",
                        {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "tt.store"), 3u);
  EXPECT_EQ(occurrences(text, "arith.muli"), 2u) << text;
}

TEST(ControlFlow, LiteralArgumentsStayCompileTime) {
  std::string text = ir(R"(
@gluon.jit
def tile(SIZE):
    return gl.arange(0, SIZE, layout=gl.BlockedLayout([1], [32], [gl.num_warps()], [0]))

@gluon.jit
def k(p):
    gl.store(p + tile(128), 0)
)",
                        {"*i32"});
  EXPECT_TRUE(contains(text, "tensor<128xi32")) << text;
}

TEST(ControlFlow, CalleesRecordTheCallChain) {
  Result result = compileKernel(R"(
@gluon.jit
def inner(p):
    gl.store(p, missing)

@gluon.jit
def middle(p):
    inner(p)

@gluon.jit
def k(p):
    middle(p)
)",
                                {"*i32"});
  EXPECT_EQ(result.problems, "Kind::UnknownName 6:17\n");
  EXPECT_EQ(occurrences(result.messages, "called from here"), 2u) << result.messages;
}

TEST(ControlFlow, AssertsVanishWithoutDebug) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    assert n > 0, "positive"
    gl.store(p, n)
)",
                        {"*i32", "i32"});
  EXPECT_FALSE(contains(text, "tt.assert")) << text;
}

TEST(ControlFlow, ListComprehensionsGiveTuples) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    parts = [n + i for i in (1, 2, 3) if i != 2]
    gl.store(p, parts[0] + parts[1])
)",
                        {"*i32", "i32"});
  EXPECT_EQ(occurrences(text, "arith.addi"), 3u) << text;
}

TEST(ControlFlow, LoopsCarryTheirHints) {
  std::string text = ir(R"(
import triton.language as tl
@gluon.jit
def k(p, n):
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=True, warp_specialize=False,
                      disable_licm=True):
        gl.store(p + i, i)
    while tl.condition(n > 0, disable_licm=True):
        n -= 1
    while n < 0:
        n += 1
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "{tt.disable_licm, tt.flatten, tt.loop_unroll_factor = 2 : i32, "
                             "tt.num_stages = 3 : i32}"))
      << text;
  EXPECT_EQ(occurrences(text, "tt.disable_licm"), 2u) << text;
}

TEST(ControlFlow, BothLanguagesHaveACore) {
  for (const char *module : {"triton.language", "triton.experimental.gluon.language"}) {
    std::string source = std::string("import ") + module + R"( as tl
@tl.core._aggregate
class Pair:
    first: gl.tensor
    def __init__(self, first):
        self.first = first
@gluon.jit
def k(p, n):
    gl.store(p, Pair(n).first)
)";
    EXPECT_TRUE(contains(ir(source, {"*i32", "i32"}), "tt.store")) << module;
  }
}

TEST(ControlFlow, WhatIsStillToComeIsNamedWhole) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n):
    gl.nvidia.blackwell.clc.clc_result(p)
)",
                                {"*i32", "i32"});
  EXPECT_EQ(result.problems, "Kind::NotSupportedYet 6:5\n");
  EXPECT_TRUE(contains(result.messages, "`nvidia.blackwell.clc.clc_result`")) << result.messages;
}

TEST(ControlFlow, HintsAboutWhatLoopsCarryAreOperations) {
  std::string text = ir(R"(
@gluon.jit
def k(p, n):
    a = p
    for i in range(n):
        if i > 2:
            gl.multiple_of(a, 32)
        gl.store(a, 1)
        a += n
    while n < 9:
        gl.multiple_of(n, 256)
        n += 1
    gl.store(a, n)
)",
                        {"*i32", "i32"});
  EXPECT_TRUE(contains(text, "{tt.divisibility = dense<32> : tensor<1xi32>} : !tt.ptr<i32>"))
      << text;
  EXPECT_TRUE(contains(text, "{tt.divisibility = dense<256> : tensor<1xi32>} : i32")) << text;
}
