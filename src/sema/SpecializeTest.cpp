#include "sema/TestKernels.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

static size_t occurrences(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Specialize, CopyKernelBecomesLoadAndStore) {
  Result result = compileKernel(
      R"(
@gluon.jit
def k(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    pid = gl.program_id(0)
    at = pid * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = at < n
    gl.store(dst + at, gl.load(src + at, mask=inside), mask=inside)
)",
      {"*fp32:16", "*fp32:16", "i32", "=256", "=gl.BlockedLayout([2], [32], [4], [0])"});
  EXPECT_EQ(result.messages, "");
  EXPECT_TRUE(contains(result.ir, "tt.func public @k(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : "
                                  "i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, "
                                  "%arg2: i32) attributes {noinline = false}"))
      << result.ir;
  EXPECT_TRUE(contains(result.ir, "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], "
                                  "warpsPerCTA = [4], order = [0]}>"))
      << result.ir;
  EXPECT_TRUE(contains(result.ir, "\"ttg.num-warps\" = 4 : i32")) << result.ir;
  EXPECT_TRUE(contains(result.ir, "ttg.target = \"cuda:90\"")) << result.ir;
  EXPECT_EQ(occurrences(result.ir, "tt.load"), 1u) << result.ir;
  EXPECT_EQ(occurrences(result.ir, "tt.store"), 1u) << result.ir;
}

TEST(Specialize, NamesOfVariablesChangeLocationsAlone) {
  const std::string text = std::string(prelude) + R"(
@gluon.jit
def twice(v):
    w = v * 2
    return w

@gluon.jit
def k(p, n):
    pair = (n, twice(n))
    for i in range(n):
        pair = (pair[0], pair[1] + i)
    gl.store(p, pair[1])
)";
  Harness plain(text), naming(text);
  naming.options.namesVariables = true;
  std::string without = plain.compile("k", {"*i32", "i32"});
  EXPECT_NE(without, "") << plain.messages();
  EXPECT_EQ(naming.compile("k", {"*i32", "i32"}), without);
}

TEST(Specialize, ArgumentsBecomeParametersOrConstants) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, one, pair, nothing, flag: gl.constexpr, rest=4):
    gl.static_assert(one == 1)
    gl.static_assert(nothing is None)
    gl.static_assert(flag == "text")
    gl.store(p, pair[1] + rest + pair[0])
)",
                                {"*i64", "=1", "=(2, 3)", "=None", "='text'"});
  EXPECT_EQ(result.messages, "");
  EXPECT_TRUE(contains(result.ir, "@k(%arg0: !tt.ptr<i64>) ")) << result.ir;
}

TEST(Specialize, TuplesOfRuntimeArgumentsAreFlattened) {
  Harness harness(std::string(prelude) + R"(
@gluon.jit
def k(state, out):
    gl.store(out, state[0] + state.b[1])
)");
  ArgSpec inner = ArgSpec::tuple(
      {ArgSpec::compileTime(Value::integer(5)), ArgSpec::scalar(dtypes::int32, true)});
  ArgSpec specs[] = {ArgSpec::tuple({ArgSpec::scalar(dtypes::int32), inner}, {"a", "b"}),
                     ArgSpec::pointer(dtypes::int32)};
  auto kernel = harness.program.kernel(*harness.module, "k", harness.sink);
  auto module =
      specialize(harness.program, *kernel, specs, harness.options, harness.context, harness.sink);
  ASSERT_TRUE(module) << harness.messages();
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  EXPECT_TRUE(contains(text, "@k(%arg0: i32, %arg1: i32 {tt.divisibility = 16 : i32}, %arg2: "
                             "!tt.ptr<i32> {tt.divisibility = 16 : i32})"))
      << text;
}

TEST(Specialize, PlainAssignmentMaterializes) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p):
    small = 3
    large = 3000000000
    real = 0.5
    gl.static_assert(small.dtype == gl.int32)
    gl.static_assert(large.dtype == gl.uint32)
    gl.static_assert(real.dtype == gl.float32)
    nothing = None
    gl.static_assert(nothing is None)
    kind = gl.float16
    gl.static_assert(kind == gl.float16)
    fixed: gl.constexpr = 3
    gl.static_assert(fixed // 2 == 1)
    gl.static_assert(-fixed // 2 == -2)
    gl.store(p, small)
)",
                                {"*i32"});
  EXPECT_EQ(result.messages, "");
  EXPECT_NE(result.ir, "");
}

TEST(Specialize, TensorsKnowTheirTypes) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, L: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, L))
    tile = rows[:, None]
    gl.static_assert(tile.shape[0] == 64 and tile.shape[1] == 1)
    gl.static_assert(tile.type.layout == L)
    gl.static_assert(tile.type.layout.order[0] == 1)
    gl.static_assert(rows.dtype == gl.int32)
    gl.static_assert(p.dtype.element_ty == gl.float16)
    gl.static_assert(p.dtype.element_ty.primitive_bitwidth == 16)
    gl.static_assert(rows.numel == 64)
    gl.static_assert(isinstance(rows, gl.tensor))
    gl.static_assert(isinstance(rows, gl.base_value) and isinstance(rows.type, gl.base_type))
    gl.static_assert(len(tile.shape) == 2)
    wide = rows.to(gl.float32).to(gl.float16)
    gl.store(p + rows, wide)
)",
                                {"*fp16", "=gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])"});
  EXPECT_EQ(result.messages, "");
}

TEST(Specialize, ConstexprFunctionsRunAtCompileTime) {
  Result result = compileKernel(R"(
@gluon.constexpr_function
def layout_of(warps, vec):
    table = {1: [vec]}
    return gl.BlockedLayout(table[1], [32], [warps], [0])

@gluon.constexpr_function
def ranks(x):
    return [len(x.type.shape)] * 2

@gluon.jit
def k(p):
    layout: gl.constexpr = layout_of(gl.num_warps(), 4)
    at = gl.arange(0, 512, layout=layout)
    pair: gl.constexpr = ranks(at)
    gl.static_assert(pair[1] == 1)
    gl.store(p + at, 0)
)",
                                {"*i32"});
  EXPECT_EQ(result.messages, "");
  EXPECT_TRUE(contains(result.ir, "sizePerThread = [4]")) << result.ir;
}

TEST(Specialize, FunctionsAreCompileTimeValues) {
  Result result = compileKernel(R"(
@gluon.jit
def twice(x):
    return x * 2
@gluon.jit
def apply(f: gl.constexpr, x):
    return f(x)
@gluon.jit
def k(p, n, F: gl.constexpr):
    gl.store(p, apply(twice, n) + F(n))
)",
                                {"*i32", "i32", "=twice"});
  EXPECT_EQ(result.messages, "");
  EXPECT_EQ(occurrences(result.ir, "arith.muli"), 2u) << result.ir;
}

TEST(Specialize, BooleanOperatorsDropCompileTimeOperands) {
  Result result = compileKernel(R"(
@gluon.jit
def k(p, n, C: gl.constexpr):
    gl.static_assert((C and 7) == 7)
    gl.static_assert(not (None or False))
    if C and n > 1 and n < 9:
        gl.store(p, 1)
    if not C and n > 1:
        gl.store(p, undefined_elsewhere)
)",
                                {"*i32", "i32", "=True"});
  EXPECT_EQ(result.messages, "");
  EXPECT_EQ(occurrences(result.ir, "arith.andi"), 1u) << result.ir;
}

TEST(Specialize, OptionsBecomeModuleAttributes) {
  Harness harness(std::string(prelude) + "@gluon.jit\ndef k():\n    \"doc\"\n    pass\n");
  harness.options.numWarps = 8;
  harness.options.maxnreg = 128;
  std::string text = harness.compile("k", {});
  EXPECT_TRUE(contains(text, "\"ttg.num-warps\" = 8 : i32")) << text;
  EXPECT_TRUE(contains(text, "ttg.maxnreg = 128 : i32")) << text;
  EXPECT_TRUE(contains(text, "tt.func public @k() ")) << text;
}

TEST(Specialize, LocationsCarryTheCallChain) {
  Harness harness(std::string(prelude) + "@gluon.jit\ndef f(p):\n    gl.store(p, 1)\n"
                                         "@gluon.jit\ndef k(p):\n    f(p)\n");
  auto kernel = harness.program.kernel(*harness.module, "k", harness.sink);
  ArgSpec specs[] = {ArgSpec::pointer(dtypes::int32)};
  auto module =
      specialize(harness.program, *kernel, specs, harness.options, harness.context, harness.sink);
  ASSERT_TRUE(module);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo(true, /*prettyForm=*/true));
  EXPECT_TRUE(contains(text, " at #loc")) << text;
  EXPECT_TRUE(contains(text, "k.py:5:5")) << text;
  EXPECT_TRUE(contains(text, "k.py:8:5")) << text;
}

TEST(Specialize, ObserverIsToldOfExpressionsAndOfNamesBeingBound) {
  Harness harness(std::string(prelude) + R"(
@gluon.jit
def k(p, N: gl.constexpr):
    at = gl.arange(0, N, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(p + at, gl.load(p + at) + missing)
)");
  std::vector<ArgSpec> arguments = {ArgSpec::pointer(*DType::parse("fp32")),
                                    ArgSpec::compileTime(Value::integer(256))};
  std::string seen;
  auto function = harness.program.kernel(*harness.module, "k", harness.sink);
  auto result = specialize(harness.program, *function, arguments, harness.options, harness.context,
                           harness.sink, [&](diag::Span place, const Value &value) {
                             seen += std::string(place.text()) + ": " +
                                     (value.isCompileTime() ? value.repr() : value.typeName()) +
                                     "\n";
                           });
  EXPECT_FALSE(result);
  const char *layout = " in BlockedLayout([1], [32], [4], [0])\n";
  for (const std::string &expected :
       {std::string("p: pointer<fp32>\n"), std::string("N: gl.constexpr: 256\n"),
        std::string("\nat: int32[256]") + layout,
        std::string("\ngl.load(p + at): fp32[256]") + layout})
    EXPECT_TRUE(contains(seen, expected)) << expected << seen;
}
