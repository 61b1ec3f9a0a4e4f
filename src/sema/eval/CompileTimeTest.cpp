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

TEST(CompileTime, IntegersOfEveryWidthMeetFloats) {
  expectAll({{"1.0 * 10**20", "1e+20"},
             {"(1 << 64) - 1 < 0.5", "False"},
             {"0xFFFFFFFFFFFFFFFF / 2", "9.223372036854776e+18"},
             {"10**40 / 10**39", "10.0"},
             {"(2**53 + 1) == 9007199254740992.0", "False"},
             {"2**1023 * 3 > float('inf')", "False"},
             {"2**1024 > 1e308", "True"},
             {"float(2**1024)", "Kind::NumberTooLarge 1:1\n"},
             {"2**1024 * 1.0", "Kind::NumberTooLarge 1:1\n"},
             {"10**400 / 10**399", "10.0"},
             {"1 / 2**1074", "5e-324"},
             {"0 / -5", "-0.0"},
             {"2 ** -1", "0.5"},
             {"10.0 ** 400", "Kind::NumberTooLarge 1:1\n"},
             {"(-8) ** 0.5", "Kind::BadOperands 1:1\n"},
             {"0.0 % -3", "-0.0"},
             {"-0.0 % 3", "0.0"},
             {"1 // float('-inf')", "-1.0"},
             {"float('inf') // 1", "nan"},
             {"int(1e30)", "1000000000000000019884624838656"},
             {"int('-0x_ff', 16)", "-255"},
             {"int('1_000')", "1000"},
             {"round(1234, -2)", "1200"},
             {"round(-15, -1)", "-20"},
             {"round(2.5)", "2"},
             {"round(2.675, 2)", "2.67"},
             {"round(15.0, -1)", "20.0"},
             {"pow(3, 10**9, 10**20)", "44278655220000000001"},
             {"{1: 'a', 1.0: 'b', True: 'c'}", "{1: 'c'}"},
             {"2**70 in {float(2**70): 1}", "True"}});
}

TEST(CompileTime, TextIsCountedInCharacters) {
  expectAll({{"len('日本')", "2"},
             {"'日本'[1]", "'本'"},
             {"'aé日'[::-1]", "'日éa'"},
             {"'xé'.find('é')", "1"},
             {"f\"{'é':>3}|\"", "'  é|'"},
             {"'é'.upper()", "Kind::BadArgument 1:1\n"},
             {"chr(0x1F600)", "'😀'"},
             {"ord('é')", "233"},
             {"'\\x00\\u2028'", "'\\x00\\u2028'"},
             {"str(range(5))", "'range(0, 5)'"},
             {"range(10)[::2]", "range(0, 10, 2)"},
             {"range(0, 3, 2) == range(0, 4, 2)", "True"},
             {"bool(range(0))", "False"}});
}

TEST(CompileTime, FormatsAreThoseOfPython) {
  expectAll({{"format(1234567, '020,')", "'0,000,000,001,234,567'"},
             {"format(True, '5')", "'    1'"},
             {"format(100.0, '.3')", "'1e+02'"},
             {"format(0.000123, '#.3g')", "'0.000123'"},
             {"format(255, '#_x')", "'0xff'"},
             {"f\"{'a'!r:>5}\"", "\"  'a'\""},
             {"'{:{}}|{{}}'.format(3, 5)", "'    3|{}'"},
             {"'}'.format()", "Kind::BadArgument 1:1\n"},
             {"'%05.1f %-4d| %c' % (2.25, 7, 'x')", "'002.2 7   | x'"},
             {"format([1], '5')", "Kind::BadArgument 1:8\n"},
             {"format(1, '99999')", "Kind::BadArgument 1:8\n"}});
}

TEST(CompileTime, ValuesCountAsSteps) {
  for (const char *expression :
       {"[[0] * 1000000 for i in range(100)]", "len(str([[0] * 10000] * 10000))",
        "[str((1 << 65000) // 3 + i) for i in range(100000)]", "set(list(range(300000)))",
        "[q in [1] * 1000000 for q in range(2, 100000)]", "list(zip(*[[0] * 1000000] * 1000))",
        "sum([[0] * 1000 for i in range(10000)], [])", "list(range(10**10))",
        "[('a' * 1000000).strip('a') for i in range(100000)]",
        "[[0] * 1000000 == [0] * 1000000 for i in range(1000)]"})
    EXPECT_EQ(evaluated(expression).substr(0, 23), "Kind::EvaluationTooLong") << expression;
  EXPECT_EQ(evaluated("str(['a' * 1000000] * 1000000)"), "Kind::NumberTooLarge 1:1\n");
}

TEST(CompileTime, ValuesNestToALimit) {
  const char *source = R"(
def deep(n):
    a = []
    for i in range(n):
        a = [a]
    return a

def shared(n):
    t = (1,)
    for i in range(n):
        t = (t, t)
    return t

def outermost_first(n):
    first = last = []
    for i in range(n):
        inner = []
        last.append(inner)
        last.append(inner)
        last = inner
    return first

def cyclic():
    a = []
    a += [a]
)";
  EXPECT_EQ(evaluated("len(deep(900))", source), "1");
  for (const char *expression :
       {"deep(100000) is None", "shared(2000) is None", "str(outermost_first(2000))",
        "outermost_first(2000) == outermost_first(2000)"})
    EXPECT_NE(evaluated(expression, source).find("Kind::"), std::string::npos) << expression;
  EXPECT_EQ(evaluated("shared(40) is None", source).substr(0, 23), "Kind::EvaluationTooLong");
  EXPECT_EQ(evaluated("len(str(outermost_first(40)))", source).substr(0, 6), "Kind::");
  EXPECT_EQ(evaluated("isinstance(outermost_first(100000), tuple)", source), "False");
  EXPECT_EQ(evaluated("cyclic()", source).substr(0, 17), "Kind::BadArgument");
}

TEST(CompileTime, TuplesOfKernelsCountAsSteps) {
  for (const char *grown : {"(t, t)", "(t,)"}) {
    Result result = compileKernel("@gluon.jit\n"
                                  "def k(x):\n"
                                  "    t = (1,)\n"
                                  "    for i in gl.static_range(1001):\n"
                                  "        t = " +
                                      std::string(grown) +
                                      "\n"
                                      "    gl.store(x, 1)\n",
                                  {"*i32"});
    EXPECT_NE(result.problems.find("Kind::"), std::string::npos) << grown;
    EXPECT_EQ(result.ir, "") << grown;
  }
}

TEST(CompileTime, ListsDeleteOnlyWhatTheyHave) {
  const char *source = R"(
def delete(at):
    a = [1, 2, 3]
    del a[at]
    return a
)";
  EXPECT_EQ(evaluated("delete(-3)", source), "[2, 3]");
  EXPECT_EQ(evaluated("delete(3)", source).substr(0, 21), "Kind::IndexOutOfRange");
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
             {"{'a': 1}['z']", "Kind::MissingKey 1:1\n"},
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
  expectAll(
      {{"gl.float16.primitive_bitwidth", "16"},
       {"gl.bfloat16", "bf16"},
       {"gl.int1.is_int_signed()", "False"},
       {"gl.float8e5.is_fp8()", "True"},
       {"gl.pointer_type(gl.int64).element_ty", "int64"},
       {"isinstance(gl.pointer_type(gl.int64), gl.pointer_type)", "True"},
       {"isinstance(gl.int64, gl.pointer_type)", "False"},
       {"isinstance(gl.int64, gl.base_type), isinstance(gl.int64, gl.base_value)", "(True, False)"},
       {"isinstance((1, 2), gl.base_value), isinstance([1], gl.base_value)", "(True, False)"},
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
       {"gl.amd.AMDWMMALayout(1, True, [2, 2], [], None, [], None, None, None) == "
        "gl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]])",
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
  Harness harness(std::string(prelude) + source);
  (void)evaluate(harness.program, *harness.module, "deeper(0)", {}, "<text>", harness.sink);
  EXPECT_NE(harness.messages().find("more than 1500 inside each other"), std::string::npos)
      << harness.messages();
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

TEST(CompileTime, StatementsSeeWhatWasBoundBeforeThem) {
  const char *source = R"(
v = 1
def default(a=v, *, b=v * 10):
    return a + b + v * 100
later = lambda a=v: a + v * 10
w = v + 1
def base():
    return 7
first = base
flag = True
if flag:
    chosen = v * 1000
else:
    chosen = 0
flag = False
class Pair:
    size = v
    def get(self, a=v):
        return self.size * 10 + a
def now():
    return w
before = now()
w = w + 10
v = 2
v = v + 1
def base():
    return 8
again = default
def default(a=v, *, b=v):
    return a * b
)";
  EXPECT_EQ(evaluated("again()", source), "311");
  EXPECT_EQ(evaluated("default()", source), "9");
  EXPECT_EQ(evaluated("later()", source), "31");
  EXPECT_EQ(evaluated("(before, w, now())", source), "(2, 12, 12)");
  EXPECT_EQ(evaluated("(first(), base())", source), "(7, 8)");
  EXPECT_EQ(evaluated("chosen", source), "1000");
  EXPECT_EQ(evaluated("Pair().get()", source), "11");
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
