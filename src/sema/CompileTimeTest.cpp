// Compile-time evaluation: expression text against what Python prints.

#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

namespace {

/// The repr of `text` in the scope of `source`, or the names of the diagnostics.
std::string evaluated(const std::string &text, const std::string &source = "") {
  Harness harness(prelude + source);
  std::optional<Value> value =
      evaluate(harness.program, *harness.module, text, {}, "<text>", harness.sink);
  if (!value)
    return harness.problems();
  return value->repr() + harness.problems();
}

struct Case {
  const char *text;
  const char *expected;
};

void expectAll(llvm::ArrayRef<Case> cases) {
  for (const Case &c : cases)
    EXPECT_EQ(evaluated(c.text), c.expected) << c.text;
}

} // namespace

TEST(CompileTime, IntegersHaveArbitraryPrecision) {
  expectAll({{"2 ** 100", "1267650600228229401496703205376"},
             {"2 ** 64 - 2 ** 64", "0"},
             {"9223372036854775807 + 1", "9223372036854775808"},
             {"-9223372036854775808 - 1", "-9223372036854775809"},
             {"(-9223372036854775808) // -1", "9223372036854775808"},
             {"(-9223372036854775808) % -1", "0"},
             {"3037000500 * 3037000500 * 3037000500", "28011385488055777750125000000"},
             {"1 << 70", "1180591620717411303424"},
             {"(1 << 70) >> 68", "4"},
             {"-(1 << 70) >> 200", "-1"},
             {"(1 << 70) & ((1 << 70) - 1)", "0"},
             {"(1 << 100) // 7 % 1000", "482"},
             {"0 ** 0", "1"},
             {"(-1) ** 1000001", "-1"},
             {"(-3) ** 3", "-27"},
             {"2 ** -1", "0.5"},
             {"-(-9223372036854775808)", "9223372036854775808"},
             {"~5", "-6"}});
}

TEST(CompileTime, DivisionFloors) {
  expectAll({{"7 // 2", "3"},
             {"-7 // 2", "-4"},
             {"7 // -2", "-4"},
             {"-7 % 3", "2"},
             {"7 % -3", "-2"},
             {"-7.5 // 2", "-4.0"},
             {"-7.5 % 2", "0.5"},
             {"7 / 2", "3.5"},
             {"True / 2", "0.5"},
             {"1 // 0", "Kind::CompileTimeDivisionByZero 1:1\n"},
             {"1.0 / 0", "Kind::CompileTimeDivisionByZero 1:1\n"},
             {"5 % 0", "Kind::CompileTimeDivisionByZero 1:1\n"}});
}

TEST(CompileTime, FloatsPrintAsPythonPrintsThem) {
  expectAll({{"1.0", "1.0"},
             {"0.1 + 0.2", "0.30000000000000004"},
             {"1e16", "1e+16"},
             {"1e15", "1000000000000000.0"},
             {"0.0001", "0.0001"},
             {"0.00001", "1e-05"},
             {"float('-inf')", "-inf"},
             {"float('nan') == float('nan')", "False"},
             {"-0.0", "-0.0"},
             {"1.5e300 * 1e10", "inf"}});
}

TEST(CompileTime, OversizedResultsAreRejected) {
  expectAll({{"1 << 1000000000", "Kind::NumberTooLarge 1:1\n"},
             {"2 ** (10 ** 9)", "Kind::NumberTooLarge 1:1\n"},
             {"'x' * (10 ** 12)", "Kind::NumberTooLarge 1:1\n"},
             {"[0] * (1 << 40)", "Kind::NumberTooLarge 1:1\n"},
             {"'' * (10 ** 30)", "''"},
             {"1 >> (1 << 90)", "0"}});
}

TEST(CompileTime, BooleansAndComparisons) {
  expectAll({{"True + True", "2"},
             {"True & False", "False"},
             {"True ^ True", "False"},
             {"1 < 2 < 3", "True"},
             {"1 < 3 < 2", "False"},
             {"1 == 1.0", "True"},
             {"2 ** 70 > 2 ** 69", "True"},
             {"'a' < 'b'", "True"},
             {"(1, 2) < (1, 3)", "True"},
             {"[1] == (1,)", "False"},
             {"None is None", "True"},
             {"0 or 'x'", "'x'"},
             {"1 and 0", "0"},
             {"not []", "True"},
             {"3 in [1, 2, 3]", "True"},
             {"'b' not in 'abc'", "False"},
             {"1 < 'a'", "Kind::BadOperands 1:1\n"},
             {"1 if 2 > 1 else undefined", "1"}});
}

TEST(CompileTime, SequencesSliceAndUnpack) {
  expectAll({{"[1, 2, 3][-1]", "3"},
             {"(1, 2, 3, 4)[1:3]", "(2, 3)"},
             {"[0, 1, 2, 3, 4][::-2]", "[4, 2, 0]"},
             {"'hello'[1:-1]", "'ell'"},
             {"[*range(3), 9]", "[0, 1, 2, 9]"},
             {"(1,) + (2, 3)", "(1, 2, 3)"},
             {"[1, 2] * 2", "[1, 2, 1, 2]"},
             {"{'a': 1, 'b': 2}['b']", "2"},
             {"[1][5]", "Kind::IndexOutOfRange 1:1\n"},
             {"[1]['x']", "Kind::BadIndex 1:1\n"},
             {"{'a': 1}['z']", "Kind::BadIndex 1:1\n"},
             {"[1, 2, 3][::0]", "Kind::BadIndex 1:1\n"}});
}

TEST(CompileTime, ComprehensionsKeepTheirVariables) {
  expectAll({{"[i * j for i in range(3) for j in range(2) if i != j]", "[0, 0, 0, 2]"},
             {"sum(i for i in range(5))", "10"},
             {"{k: v for k, v in zip('ab', [1, 2])}", "{'a': 1, 'b': 2}"},
             {"([i for i in range(2)], i)", "Kind::UnknownName 1:25\n"}});
}

TEST(CompileTime, BuiltinFunctions) {
  expectAll({{"len([1, 2])", "2"},
             {"len(range(0, 10, 3))", "4"},
             {"min(3, 1, 2)", "1"},
             {"max([3, 1, 2])", "3"},
             {"abs(-4)", "4"},
             {"int(3.9)", "3"},
             {"int('42')", "42"},
             {"bool([])", "False"},
             {"str(1.5)", "'1.5'"},
             {"all([1, 0])", "False"},
             {"any([0, 2])", "True"},
             {"list(enumerate('ab'))", "[(0, 'a'), (1, 'b')]"},
             {"sorted([3, 1, 2], reverse=True)", "[3, 2, 1]"},
             {"sorted(['bb', 'a'], key=lambda s: len(s))", "['a', 'bb']"},
             {"tuple(reversed([1, 2]))", "(2, 1)"},
             {"isinstance(4, int), isinstance('a', (int, str))", "(True, True)"},
             {"getattr(gl.float32, 'itemsize')", "4"},
             {"getattr(4, 'nothing', 7)", "7"},
             {"hasattr(gl, 'BlockedLayout')", "True"},
             {"len(4)", "Kind::BadArgument 1:5\n"}});
}

TEST(CompileTime, MethodsOfNumbersStringsAndLists) {
  expectAll({{"(1023).bit_length()", "10"},
             {"', '.join(['a', 'b'])", "'a, b'"},
             {"'a.b'.split('.')", "['a', 'b']"},
             {"'abc'.startswith('ab')", "True"},
             {"(1, 2, 1).count(1)", "2"},
             {"[5, 6].index(6)", "1"},
             {"{'a': 1}.get('b', 3)", "3"},
             {"f'{3 + 4}-{1 / 3:.2f}-{255:x}-{7:03}-{\"s\"!r}'", "\"7-0.33-ff-007-'s'\""}});
}

TEST(CompileTime, MathFunctions) {
  expectAll({{"math.prod([2, 3, 4])", "24"},
             {"math.log2(8)", "3.0"},
             {"math.ceil(1.2)", "2"},
             {"math.gcd(12, 18)", "6"},
             {"math.sqrt(-1)", "Kind::BadArgument 1:1\n"}});
}

TEST(CompileTime, LaunchHelpers) {
  expectAll({{"gl.cdiv(1000, 128)", "8"},
             {"triton.cdiv(1000, 1000)", "1"},
             {"triton.next_power_of_2(1000)", "1024"},
             {"gl.load(4)", "Kind::NeedsKernel 1:1\n"},
             {"gl.num_warps()", "Kind::NeedsKernel 1:1\n"},
             {"gl.cdiv(5, 0)", "Kind::CompileTimeDivisionByZero 1:1\n"}});
}

TEST(CompileTime, DTypesHaveTheirAttributes) {
  expectAll({{"gl.float16.primitive_bitwidth", "16"},
             {"gl.bfloat16", "bf16"},
             {"gl.int1.is_int_signed()", "False"},
             {"gl.float8e5.is_fp8()", "True"},
             {"gl.pointer_type(gl.int64).element_ty", "int64"},
             {"gl.float32 == gl.float64", "False"},
             {"gl.float31", "Kind::UnknownAttribute 1:4\n"}});
}

TEST(CompileTime, LayoutsHaveTheirFields) {
  expectAll(
      {{"gl.BlockedLayout([1, 2], [4, 8], warps_per_cta=[4, 1], order=[1, 0])",
        "BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])"},
       {"gl.BlockedLayout([1], [32], [4], [0]).warps_per_cta", "(4,)"},
       {"gl.SliceLayout(1, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])).parent.order",
        "(1, 0)"},
       {"gl.SwizzledSharedLayout(8, 2, 4, order=[1, 0]).max_phase", "4"},
       {"gl.BlockedLayout([1], [32], [4], [0]) == gl.BlockedLayout([1], [32], [4], [0])", "True"},
       {"gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16).swizzle_byte_width", "128"},
       {"gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]).instr_shape", "(16, 8)"},
       {"gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2).rank", "2"},
       {"gl.nvidia.hopper.mbarrier.MBarrierLayout.multicta(4, True).cga_layout", "((0,), (1,))"},
       {"gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [4, 1]).tiles_per_warp", "(1, 1)"},
       {"gl.amd.AMDWMMALayout(3, True, [2, 2]) == "
        "gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]])",
        "True"},
       {"gl.nvidia.blackwell.TensorMemoryLayout([128, 64], 1, [2, 1]).cga_layout", "((1, 0),)"},
       {"gl.to_linear_layout(gl.BlockedLayout([1], [2], [2], [0]), [4]).warp_bases", "((2,),)"},
       {"gl.to_linear_layout(gl.SwizzledSharedLayout(1, 1, 2, [1, 0]), [2, 2]).offset_bases",
        "((0, 1), (1, 1))"},
       {"gl.to_linear_layout(gl.AutoLayout(), [4]) == gl.AutoLayout()", "True"},
       {"gl.BlockedLayout([1], [2], [1], [0]).format_tensor_view([2])", "'[T0:0, T1:0]\\n'"},
       {"isinstance(gl.AutoLayout(), gl.AutoLayout)", "True"},
       {"gl.BlockedLayout([1], [32], [4], [1])", "Kind::InvalidLayout 1:1\n"},
       {"gl.BlockedLayout([3], [32], [4], [0])", "Kind::InvalidLayout 1:1\n"},
       {"gl.BlockedLayout(1, [32], [4], [0])", "Kind::BadArgument 1:18\n"},
       {"gl.SliceLayout(2, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]))",
        "Kind::InvalidLayout 1:1\n"},
       {"gl.SliceLayout(0, 4)", "Kind::BadArgument 1:19\n"}});
}

TEST(CompileTime, FunctionsOfTheFileRunAsPython) {
  const char *source = R"(
import torch
WARPS = 4
def helper(n, *rest, scale=1, **more):
    total = 0
    for i in range(n):
        if i == 3:
            continue
        if i > 5:
            break
        total += i * scale
    else:
        total = -1
    while total > 100:
        total //= 2
    return total, rest, len(more)

def layout_for(dim, vec=1):
    if dim == 1:
        return gl.BlockedLayout([vec], [32], [WARPS], [0])
    bases = []
    for i in range(dim):
        bases.append([0] * dim)
        bases[-1][i] = 1 << i
    return bases

def outer(n):
    def inner(x):
        return x + n
    return [inner(i) for i in range(2)]

def bad():
    raise ValueError(f"no {WARPS}")

def swap(a, b):
    (a, b), c = (b, a), 3
    return a, b, c
)";
  EXPECT_EQ(evaluated("helper(10)", source), "(12, (), 0)");
  EXPECT_EQ(evaluated("helper(2, 7, 8, scale=5, x=1)", source), "(-1, (7, 8), 1)");
  EXPECT_EQ(evaluated("layout_for(1, vec=2)", source), "BlockedLayout([2], [32], [4], [0])");
  EXPECT_EQ(evaluated("layout_for(2)", source), "[[1, 0], [0, 2]]");
  EXPECT_EQ(evaluated("outer(10)", source), "[10, 11]");
  EXPECT_EQ(evaluated("swap(1, 2)", source), "(2, 1, 3)");
  EXPECT_EQ(evaluated("bad()", source), "Kind::CompileTimeRaise 35:5\n");
  EXPECT_EQ(evaluated("torch.zeros(3)", source), "Kind::HostValue 1:7\n");
}

TEST(CompileTime, RunawayCodeEnds) {
  const char *source = R"(
def forever():
    while True:
        pass
def deeper(n):
    return deeper(n + 1)
)";
  EXPECT_EQ(evaluated("forever()", source).substr(0, 23), "Kind::EvaluationTooLong");
  EXPECT_EQ(evaluated("deeper(0)", source).substr(0, 30), "Kind::NestingTooDeepToEvaluate");
  EXPECT_EQ(evaluated("[0 for i in range(10 ** 15)]", source).substr(0, 23),
            "Kind::EvaluationTooLong");
}

TEST(CompileTime, NothingHoldsItself) {
  const char *source = R"(
class Node:
    def __init__(self):
        self.next = None
def listed():
    a = []
    b = [a]
    a.append(b)
def stored():
    d = {}
    d["d"] = (1, d)
def linked():
    n = Node()
    m = Node()
    n.next = m
    m.next = n
)";
  EXPECT_EQ(evaluated("listed()", source).substr(0, 17), "Kind::BadArgument");
  EXPECT_EQ(evaluated("stored()", source).substr(0, 14), "Kind::BadIndex");
  EXPECT_EQ(evaluated("linked()", source).substr(0, 18), "Kind::BadClassBody");
}

TEST(CompileTime, AStatementMayBindANameAnew) {
  const char *source = R"(
def f(x):
    return x + 1
def twice(g):
    return lambda x: g(g(x))
f = twice(f)
f = twice(f)
n = 1
n = n + 1
)";
  EXPECT_EQ(evaluated("f(0)", source), "4");
  EXPECT_EQ(evaluated("n", source), "2");
}

TEST(CompileTime, ExceptionsThatNobodyCatchesAreReported) {
  const char *source = R"(
def wrong():
    try:
        return int("x")
    except KeyError:
        return 1
def fatal():
    try:
        while True:
            pass
    except Exception:
        return 1
)";
  EXPECT_EQ(evaluated("wrong()", source).substr(0, 22), "Kind::BadArgument 6:20");
  EXPECT_EQ(evaluated("fatal()", source).substr(0, 23), "Kind::EvaluationTooLong");
}

TEST(CompileTime, EarlierArgumentsAreVisible) {
  Harness harness(prelude);
  NamedValue names[] = {{"n", Value::integer(1000)}, {"BLOCK", Value::integer(256)}};
  std::optional<Value> grid = evaluate(harness.program, *harness.module, "(gl.cdiv(n, BLOCK), 1)",
                                       names, "<grid>", harness.sink);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->repr(), "(4, 1)");
}

TEST(CompileTime, GridLambdasAreCalledWithTheMetaDict) {
  Harness harness(std::string(prelude) + "import triton\nGRID = lambda META: "
                                         "(triton.cdiv(1000, META['BLOCK']), )\n");
  std::optional<Value> lambda =
      evaluate(harness.program, *harness.module, "GRID", {}, "<grid>", harness.sink);
  ASSERT_TRUE(lambda);
  Value meta = Value::dict({{Value::string("BLOCK"), Value::integer(64)}});
  std::optional<Value> grid = callFunction(harness.program, *lambda, {meta}, harness.sink);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->repr(), "(16,)");
}
