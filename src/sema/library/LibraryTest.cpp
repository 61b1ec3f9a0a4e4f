//===- LibraryTest.cpp - The functions of `tl` in the kernel language ---------===//
#include "sema/library/Library.h"

#include "sema/TestKernels.h"

#include "gtest/gtest.h"

namespace gluonc::sema::test {
namespace {

const char *const tritonPrelude = "import triton\n"
                                  "import triton.language as tl\n"
                                  "@triton.jit\n";

/// Compiles the kernel `k` of `parameters` whose body is `body`, each line indented by four.
Result compileTriton(const std::string &parameters, const std::string &body,
                     std::vector<std::string> arguments = {}) {
  Harness harness(tritonPrelude + ("def k(" + parameters + "):\n") + body);
  Result result;
  result.ir = harness.compile("k", std::move(arguments));
  result.problems = harness.problems();
  result.messages = harness.messages();
  return result;
}

size_t count(const std::string &text, llvm::StringRef what) {
  return llvm::StringRef(text).count(what);
}

/// Verified IR comes out, and holds `operation`.
void expectIr(const std::string &body, const char *operation) {
  Result result = compileTriton("x, out", body, {"*fp32:16", "*fp32:16"});
  EXPECT_EQ(result.messages, "") << body;
  EXPECT_NE(result.ir.find(operation), std::string::npos) << body << result.ir;
}

void expectProblem(const std::string &body, const std::string &problems) {
  Result result = compileTriton("x, out", body, {"*fp32:16", "*fp32:16"});
  EXPECT_EQ(result.problems, problems) << body << result.messages;
}

// -- Shapes, elements ----------------------------------------------------------------

TEST(Library, StandardFunctionsGiveIr) {
  std::string block = "    i = tl.arange(0, 64)\n"
                      "    v = tl.load(x + i)\n";
  expectIr(block + "    tl.store(out + i, tl.sigmoid(v))\n", "math.exp");
  expectIr(block + "    tl.store(out + i, v.sigmoid())\n", "math.exp");
  expectIr(block + "    tl.store(out + i, tl.softmax(v))\n", "tt.reduce");
  expectIr(block + "    tl.store(out + i, tl.flip(v))\n", "tt.bitcast");
  expectIr(block + "    tl.store(out + i, v.reshape(8, 8).flip(0).ravel())\n", "tt.reduce");
  expectIr(block + "    tl.store(out + i, tl.flip(v > 0))\n", "tt.reduce");
  expectIr(block + "    tl.store(out + i, v.sort(descending=True))\n", "tt.reduce");
  expectIr(block + "    w = tl.interleave(v, v)\n"
                   "    tl.store(out + tl.arange(0, 128), w)\n",
           "tt.join");
  expectIr(block + "    w = tl.squeeze(tl.unsqueeze(v, 0), 0)\n"
                   "    tl.store(out + i, w)\n",
           "tensor<1x64xf32");
  expectIr(block + "    tl.store(out + i, v.view(8, 8).view([64]))\n", "tt.reshape");
  expectIr(block + "    both = v.logical_and(v > 1).logical_or(v < 0)\n"
                   "    tl.store(out + i, both)\n",
           "arith.ori");
}

TEST(Library, CatPutsBlocksBehindEachOther) {
  expectIr("    a = tl.full([8, 4], 1.0, tl.float32)\n"
           "    b = tl.cat(a, a, dim=1)\n"
           "    c = tl.cat(b, b, can_reorder=True)\n"
           "    tl.static_assert(b.shape == (8, 8))\n"
           "    tl.static_assert(c.shape == (16, 8))\n"
           "    tl.store(out, tl.sum(tl.load(x + c.to(tl.int32))))\n",
           "tt.trans");
}

TEST(Library, ScalarsGetDimensions) {
  expectIr("    s = tl.load(x)\n"
           "    i = tl.arange(0, 64)\n"
           "    tl.static_assert(s[None].shape == (1,))\n"
           "    tl.static_assert(s[None, None].shape == (1, 1))\n"
           "    tl.static_assert(tl.expand_dims(s, 0).shape == (1,))\n"
           "    tl.static_assert(tl.expand_dims(i, (0, -1)).shape == (1, 64, 1))\n"
           "    tl.static_assert(i.expand_dims([1, 2]).shape == (64, 1, 1))\n"
           "    tl.store(out + i, i + s[None])\n",
           "tt.splat");
  expectProblem("    tl.expand_dims(tl.arange(0, 64), (0, 0))\n", "Kind::BadArgument 5:38\n");
  expectProblem("    tl.expand_dims(tl.arange(0, 64), (0, 4))\n", "Kind::AxisOutOfRange 5:38\n");
  expectProblem("    tl.load(x)[:]\n", "Kind::SubscriptRank 5:5\n");
}

TEST(Library, SwizzleWalksGroupsOfRows) {
  // Known at compile time: 4 x 4 in groups of 2 rows.
  expectIr("    a, b = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 4, 4, 2)\n"
           "    tl.store(out + a * 4 + b, 1.0)\n",
           "arith.divsi");
}

// -- Sorting -----------------------------------------------------------------------------

TEST(Library, TypesSayWhetherTheyAreOfBlocks) {
  expectIr("    v = tl.full([8, 16], 1.0, tl.float32)\n"
           "    tl.static_assert(v.type.get_block_shapes() == (8, 16))\n"
           "    tl.static_assert(v.type.is_block() and not v.dtype.is_block())\n"
           "    tl.static_assert(tl.float8e5b16.is_fp8e5b16() and not v.dtype.is_fp8e4b8())\n"
           "    tl.store(out + tl.arange(0, 16), tl.sum(v, 0))\n",
           "tt.reduce");
  expectProblem("    tl.static_assert(x.dtype.get_block_shapes() == ())\n",
                "Kind::UnknownAttribute 5:30\n");
}

TEST(Library, SortingTakesAStepForEachPairOfBits) {
  Result result = compileTriton("x, out",
                                "    i = tl.arange(0, 64)\n"
                                "    tl.store(out + i, tl.sort(tl.load(x + i)))\n",
                                {"*fp32:16", "*fp32:16"});
  EXPECT_EQ(result.messages, "");
  // 1 + 2 + … + 6 exchanges.
  EXPECT_EQ(count(result.ir, "\"tt.reduce\""), 21u);
}

TEST(Library, TopkMergesWhatIsLeft) {
  Result result = compileTriton("x, out",
                                "    i = tl.arange(0, 64)\n"
                                "    v = tl.topk(tl.load(x + i), 4)\n"
                                "    tl.static_assert(v.shape == (4,))\n"
                                "    tl.store(out + tl.arange(0, 4), v)\n",
                                {"*fp16:16", "*fp16:16"});
  EXPECT_EQ(result.messages, "");
  // Blocks of 4 take 1 + 2 exchanges, each of 4 rounds a maximum and 2 exchanges.
  EXPECT_EQ(count(result.ir, "\"tt.reduce\""), 3u + 4u * 3u);
}

TEST(Library, OnlyTheLastDimensionIsSorted) {
  expectProblem("    tl.sort(tl.full([8, 8], 1.0, tl.float32), dim=0)\n",
                "Kind::StaticAssertFailed 5:5\n");
  expectProblem("    tl.topk(tl.full([8], 1.0, tl.float32), 3)\n",
                "Kind::StaticAssertFailed 5:5\n");
}

// -- Random numbers ---------------------------------------------------------------------

TEST(Library, RandomNumbersTakeTenRounds) {
  Result result = compileTriton("x, out, seed",
                                "    i = tl.arange(0, 64)\n"
                                "    tl.store(out + i, tl.rand(seed, i))\n",
                                {"*fp32:16", "*fp32:16", "i32"});
  EXPECT_EQ(result.messages, "");
  EXPECT_EQ(count(result.ir, "tt.mulhiui"), 20u);
}

TEST(Library, RandomFunctionsGiveIr) {
  std::string block = "    i = tl.arange(0, 64)\n";
  expectIr(block + "    tl.store(out + i, tl.randn(3, i.to(tl.int64)))\n", "math.log");
  expectIr(block + "    a, b, c, d = tl.rand4x(3, i, n_rounds=7)\n"
                   "    tl.store(out + i, a + b + c + d)\n",
           "tt.mulhiui");
  expectIr(block + "    a, b, c, d = tl.randn4x(3, i)\n"
                   "    tl.store(out + i, a + b + c + d)\n",
           "math.cos");
  expectIr(block + "    w = i.to(tl.uint64)\n"
                   "    a, b, c, d = tl.philox(3, w, w, w, w)\n"
                   "    tl.store(out + i, tl.uint_to_uniform_float(a))\n",
           "arith.sitofp");
  expectIr(block + "    tl.store(out + i, triton.language.random.randint(3, i))\n", "tt.mulhiui");
}

TEST(Library, SeedsAreIntegers) {
  expectProblem("    tl.rand(0.5, tl.arange(0, 64))\n", "Kind::StaticAssertFailed 5:5\n");
}

// -- Block pointers, descriptors -----------------------------------------------------------

TEST(Library, LoopsCarryTheOffsetsOfBlockPointers) {
  Result result =
      compileTriton("x, out, m, n",
                    "    p = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (16, 32), (1, 0))\n"
                    "    q = tl.make_block_ptr(out, (m, n), (n, 1), (0, 0), (16, 32), (1, 0))\n"
                    "    acc = tl.zeros((16, 32), tl.float32)\n"
                    "    for i in range(0, n, 32):\n"
                    "        acc += tl.load(p, boundary_check=(0, 1), padding_option='zero')\n"
                    "        p = tl.advance(p, (0, 32))\n"
                    "    tl.store(q, acc.to(q.dtype.element_ty), boundary_check=(0,))\n",
                    {"*fp32:16", "*fp32:16", "i32", "i32"});
  EXPECT_EQ(result.messages, "");
  // One offset and the sum: what stays the same is not carried.
  EXPECT_NE(result.ir.find("-> (i32, tensor<16x32xf32, #gluon.auto_encoding>)"), std::string::npos)
      << result.ir;
}

TEST(Library, BlockPointersHaveNoMasks) {
  std::string pointer = "    p = tl.make_block_ptr(x, (64,), (1,), (0,), (64,), (0,))\n";
  expectProblem(pointer + "    tl.load(p, mask=True)\n", "Kind::StaticAssertFailed 6:5\n");
  expectProblem(pointer + "    tl.load(p, boundary_check=(0,), padding_option='one')\n",
                "Kind::CompileTimeRaise 6:5\n");
  expectProblem(pointer + "    tl.advance(p, (64,))\n", "Kind::UnusedResult 6:5\n");
  expectProblem("    tl.load(x, boundary_check=(0,))\n", "Kind::BadArgument 5:31\n");
  expectProblem("    tl.make_block_ptr(3, (64,), (1,), (0,), (64,), (0,))\n",
                "Kind::StaticAssertFailed 5:5\n");
  expectProblem("    tl.make_block_ptr(x, (64, 64), (1,), (0,), (64,), (0,))\n",
                "Kind::StaticAssertFailed 5:5\n");
}

TEST(Library, DescriptorsReadAndWriteBlocks) {
  std::string descriptor = "    d = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [16, 32])\n"
                           "    tl.static_assert(d.dtype == tl.float32)\n"
                           "    tl.static_assert(d.block_shape[1] == 32)\n";
  expectIr(descriptor + "    d.store([0, 0], d.load([16, 32]) + d.shape[0])\n",
           "tt.descriptor_load");
  expectIr(descriptor + "    v = tl.load_tensor_descriptor(d, [0, 0])\n"
                        "    tl.store_tensor_descriptor(d, [16, 0], v)\n",
           "tt.descriptor_store");
  expectIr(descriptor + "    d.atomic_add([0, 0], d.load([16, 32]))\n", "tt.descriptor_reduce add");
  // The copy engine has no minimum of float32.
  expectIr(descriptor + "    d.atomic_min([0, 0], d.load([16, 32]))\n", "tt.atomic_rmw");
  std::string rows = "    r = tl.make_tensor_descriptor(x, [64, 64], [64, 1], [1, 32])\n"
                     "    i = tl.arange(0, 16)\n";
  expectIr(rows + "    r.scatter(r.gather(i, 32), i + 3, 0)\n", "tt.store");
  expectProblem(rows + "    r.gather(i.reshape(4, 4), 0)\n", "Kind::StaticAssertFailed 7:5\n");
  expectProblem(descriptor + "    d.store([0, 0], tl.zeros([16, 16], tl.float32))\n",
                "Kind::StaticAssertFailed 8:5\n");
  expectProblem("    tl.make_tensor_descriptor(x, [64], [2], [64])\n",
                "Kind::StaticAssertFailed 5:5\n");
}

/// The IR of a kernel of a host's descriptor on `target`, whose argument has type `text`.
static std::string compileDescribed(llvm::StringRef target, const char *text, const char *body) {
  Harness harness(std::string(tritonPrelude) + "def k(d, n):\n" + body);
  harness.options.target = *target::Target::parse(target);
  std::string problem;
  std::optional<ArgSpec> spec = ArgSpec::parseDescriptor(
      text, [](llvm::StringRef) -> std::optional<Value> { return std::nullopt; }, problem);
  auto kernel = harness.program.kernel(*harness.module, "k", harness.sink);
  auto module = specialize(harness.program, *kernel, {*spec, ArgSpec::scalar(dtypes::int32)},
                           harness.options, harness.context, harness.sink);
  if (!module)
    return harness.messages();
  std::string ir;
  llvm::raw_string_ostream(ir) << *module;
  return ir;
}

TEST(Library, HostDescriptorsAreTheCopyEnginesWhereThereIsOne) {
  const char *copy = "    d.store([0, n], d.load([n, 0]))\n";
  std::string ir = compileDescribed("cuda:90a", "tensordesc<fp32[16,32]>", copy);
  EXPECT_NE(ir.find("elementBitWidth = 32}>>, %arg1: i32, %arg2: i32, %arg3: i64, %arg4: i64, "
                    "%arg5: i32)"),
            std::string::npos)
      << ir;
  EXPECT_NE(ir.find("tt.descriptor_load"), std::string::npos) << ir;
  // The engine moves 16 bytes of a row or more.
  ir = compileDescribed("cuda:90a", "tensordesc<fp16[16,4]>", copy);
  EXPECT_NE(ir.find("tt.load"), std::string::npos) << ir;
  ir = compileDescribed("cuda:90a", "tensordesc<fp32[1,32]>", "    d.gather(tl.arange(0, 8), n)\n");
  EXPECT_NE(ir.find("a descriptor that the kernel makes"), std::string::npos) << ir;
  // Rows by number since Blackwell.
  const char *rows = "    d.scatter(d.gather(tl.arange(0, 8), n), tl.arange(8, 16), n)\n";
  ir = compileDescribed("cuda:100a", "tensordesc<fp32[1,32]>", rows);
  EXPECT_NE(ir.find("ttng.async_tma_gather"), std::string::npos) << ir;
  EXPECT_NE(ir.find("ttng.async_tma_scatter"), std::string::npos) << ir;
  ir = compileDescribed("cuda:100a", "tensordesc<fp32[1,4]>", rows);
  EXPECT_NE(ir.find("32 bytes or more"), std::string::npos) << ir;
}

TEST(Library, HostDescriptorsArePointerExtentsAndStridesElsewhere) {
  Harness harness(std::string(tritonPrelude) + "def k(d, n):\n"
                                               "    tl.static_assert(d.block_shape == (16, 32))\n"
                                               "    d.store([0, n], d.load([n, 0]))\n");
  harness.options.target = *target::Target::parse("cuda:80");
  std::string problem;
  auto noLayout = [](llvm::StringRef) -> std::optional<Value> { return std::nullopt; };
  auto parse = [&](llvm::StringRef text) {
    return ArgSpec::parseDescriptor(text, noLayout, problem);
  };
  std::optional<ArgSpec> spec = parse("tensordesc<fp32[16,32],nan,tf32,aligned>");
  ASSERT_TRUE(spec) << problem;
  EXPECT_EQ(spec->text(), "tensordesc<fp32[16, 32],nan,tf32,aligned>");
  EXPECT_EQ(parse("tensordesc<fp16[16, 32]>")->text(), "tensordesc<fp16[16, 32]>");
  EXPECT_FALSE(parse("tensordesc<i32[16, 32],nan>"));
  EXPECT_FALSE(parse("tensordesc<fp32[16, 32],nil>"));
  EXPECT_FALSE(parse("tensordesc<fp16[16, 32],tf32>"));
  auto kernel = harness.program.kernel(*harness.module, "k", harness.sink);
  auto module = specialize(harness.program, *kernel, {*spec, ArgSpec::scalar(dtypes::int32)},
                           harness.options, harness.context, harness.sink);
  ASSERT_TRUE(module) << harness.messages();
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  // The last stride is 1.
  EXPECT_NE(text.find("tt.divisibility = 16 : i32}, %arg1: i32, %arg2: i32 {tt.divisibility = 16 : "
                      "i32}, %arg3: i64, %arg4: i32)"),
            std::string::npos)
      << text;
}

TEST(Library, EveryFunctionIsDocumented) {
  std::string page = libraryPage();
  for (const LibraryName &name : libraryNames())
    if (llvm::StringRef last = name.path.substr(name.path.rfind('.') + 1); !last.starts_with("_"))
      EXPECT_NE(page.find((name.path + "`\n\n").str()), std::string::npos) << name.path.str();
  // A signature without a word behind it.
  EXPECT_EQ(page.find("```\n\n\n"), std::string::npos);
  EXPECT_NE(page.find("topk(x, k, dim=None, descending=True)"), std::string::npos);
}

// -- Names -------------------------------------------------------------------------------

TEST(Library, MistakesAreShownWhereTheProgramCalls) {
  Result result = compileTriton("x, out", "    tl.flip(tl.arange(0, 64), 4)\n", {"*fp32", "*fp32"});
  EXPECT_EQ(result.problems, "Kind::CompileTimeRaise 5:5\n");
  EXPECT_NE(result.messages.find("in the library"), std::string::npos) << result.messages;
}

TEST(Library, NamesAreSuggested) {
  Result result = compileTriton("x, out", "    tl.soft_max(x)\n", {"*fp32", "*fp32"});
  EXPECT_NE(result.messages.find("did you mean `softmax`?"), std::string::npos) << result.messages;
}

TEST(Library, FunctionsOfDevicesAreFoundElsewhere) {
  Result result = compileTriton("x, out", "    tl.math.tanh(x)\n", {"*fp32", "*fp32"});
  EXPECT_NE(result.messages.find("it is `tl.extra.libdevice.tanh`"), std::string::npos)
      << result.messages;
}

TEST(Library, ReductionsTakeTheLibrarysFunctions) {
  std::string block = "    i = tl.arange(0, 64)\n    v = tl.load(x + i)\n";
  for (const char *name : {"sum", "prod"})
    expectIr(block + "    tl.store(out, tl.reduce(v, 0, tl.standard._" + name + "_combine))\n",
             "tt.reduce");
  for (const char *name : {"max", "min"})
    for (const char *way : {"left", "fast"})
      expectIr(block + "    w, j = tl.reduce((v, i), 0, tl.standard._arg" + name +
                   "_combine_tie_break_" + way + ")\n    tl.store(out + j, w)\n",
               "tt.reduce");
  expectIr(block + "    j = tl.reduce(i, 0, tl.standard._xor_combine)\n"
                   "    j |= tl.reduce(i, 0, tl.standard._or_combine)\n"
                   "    j += tl.reduce(i, 0, tl.standard._elementwise_max)\n"
                   "    tl.store(out + j, tl.reduce(v, 0, tl.standard._elementwise_min))\n",
           "arith.xori");
}

TEST(Library, PrivateNamesThatProgramsImport) {
  Harness harness("import triton\n"
                  "import triton.language as tl\n"
                  "from triton.language.core import _constexpr_to_value, builtin, get_int_dtype\n"
                  "from triton.language.standard import _log2\n"
                  "@builtin\n"
                  "def half(n, *, _semantic=None):\n"
                  "    return _constexpr_to_value(n) // 2\n"
                  "@triton.jit\n"
                  "def k(out, N: tl.constexpr):\n"
                  "    tl.static_assert(half(N) == 8)\n"
                  "    tl.static_assert(_log2(N) == 4)\n"
                  "    tl.static_assert(get_int_dtype(16, signed=False) == tl.uint16)\n"
                  "    tl.static_assert(N < tl.TRITON_MAX_TENSOR_NUMEL)\n"
                  "    tl.static_assert(tl.pi32_t == tl.pointer_type(tl.int32))\n"
                  "    tl.store(out, 1.0)\n");
  EXPECT_NE(harness.compile("k", {"*fp32", "=16"}), "");
  EXPECT_EQ(harness.messages(), "");
}

TEST(Library, KernelsAskForTheirTarget) {
  expectIr("    tl.static_assert(tl.target_info.is_cuda())\n"
           "    tl.static_assert(not tl.target_info.is_hip_cdna4())\n"
           "    tl.static_assert(tl.target_info.cuda_capability_geq(9))\n"
           "    tl.static_assert(not tl.target_info.cuda_capability_geq(9, 1))\n"
           "    tl.static_assert(tl.target_info.current_target().arch == 90)\n"
           "    tl.static_assert(tl.extra.cuda.num_threads() == 128)\n"
           "    tl.static_assert(tl.extra.hip.utils.num_warps() == 4)\n"
           "    tl.store(out, tl.extra.cuda.libdevice.tanh(tl.load(x)))\n"
           "    tl.store(out, (tl.extra.cuda.utils.globaltimer() + "
           "tl.extra.cuda.smid()).to(tl.float32))\n",
           "elementwise_inline_asm");
}

} // namespace
} // namespace gluonc::sema::test
