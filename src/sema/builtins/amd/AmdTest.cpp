//===- AmdTest.cpp - What AMD's chips have in the language ---------------------===//
#include "sema/TestKernels.h"

#include "gtest/gtest.h"

namespace gluonc::sema {
namespace {

/// Compiles `body` as the kernel `k(p, h, i, w, n)` for a chip.
struct Amd : ::testing::Test {
  void compile(llvm::StringRef chip, llvm::StringRef body, unsigned numCtas = 1) {
    std::string source = std::string(test::prelude) +
                         "from triton.experimental.gluon.language.amd import cdna3, cdna4, cdna5, "
                         "gfx1250, rdna3, rdna4\n"
                         "B = gl.BlockedLayout([1], [64], [4], [0])\n"
                         "L = gl.BlockedLayout([1], [32], [4], [0])\n"
                         "@gluon.jit\n"
                         "def k(p, h, i, w, n):\n";
    for (llvm::StringRef line : llvm::split(body, '\n'))
      source += ("    " + line + "\n").str();
    test::Harness harness(source);
    harness.options.target = target::Target::parse(("hip:" + chip).str()).value();
    harness.options.numCtas = numCtas;
    ir = harness.compile("k", {"*fp32:16", "*bf16:16", "*i32:16", "*fp64:16", "i32"});
    messages = harness.messages();
    kinds.clear();
    for (const diag::Diagnostic &diagnostic : harness.sink.diagnostics)
      kinds.push_back(diagnostic.kind);
  }
  bool has(llvm::StringRef text) const { return llvm::StringRef(ir).contains(text); }
  void expectOnly(diag::Kind kind) {
    ASSERT_EQ(kinds.size(), 1u) << messages;
    EXPECT_EQ(kinds[0], kind) << messages;
  }

  std::string ir, messages;
  std::vector<diag::Kind> kinds;
};

constexpr char kOffsets[] = "o = gl.arange(0, 256, layout=B)\n";
std::string withOffsets(llvm::StringRef code) { return kOffsets + code.str(); }

// -- Buffers -----------------------------------------------------------------------------

TEST_F(Amd, BuffersTakeAScalarPointerAndOffsets) {
  compile("gfx942", withOffsets("x = cdna3.buffer_load(p, o, mask=o < n, other=1, cache='.cg')\n"
                                "cdna3.buffer_store(x, p, o)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("amdg.buffer_load %arg0[")) << ir;
  EXPECT_TRUE(has("cacheModifier = cg")) << ir;
  EXPECT_TRUE(has("amdg.buffer_store")) << ir;
  compile("gfx942", withOffsets("x = cdna3.buffer_load(p + o, o)"));
  expectOnly(diag::Kind::ArgumentKind);
  compile("gfx942", withOffsets("x = cdna3.buffer_load(o, o)"));
  expectOnly(diag::Kind::NotPointer);
  for (const char *offsets : {"n", "o.to(gl.int64)", "o.to(gl.float32)"}) {
    compile("gfx942", withOffsets(std::string("x = cdna3.buffer_load(p, ") + offsets + ")"));
    expectOnly(diag::Kind::ArgumentKind);
  }
}

TEST_F(Amd, BuffersHaveTheRulesOfOtherAccesses) {
  compile("gfx942", withOffsets("x = cdna3.buffer_load(p, o, other=1.0)"));
  expectOnly(diag::Kind::OtherWithoutMask);
  compile("gfx942", withOffsets("x = cdna3.buffer_load(p, o, mask=o)"));
  expectOnly(diag::Kind::MaskNotBoolean);
  compile("gfx942", withOffsets("x = cdna3.buffer_load(p, o, cache='.wt')"));
  expectOnly(diag::Kind::ArgumentChoice);
  compile("gfx942", "w1: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0])\n"
                    "o = gl.arange(0, 8, layout=gl.SliceLayout(1, w1))[:, None]\n"
                    "cdna3.buffer_store(gl.full([8, 8], 1.0, gl.float32, w1), p, o)");
  expectOnly(diag::Kind::PointerShape);
}

TEST_F(Amd, BufferAtomicsAreWhatTheChipHas) {
  for (const char *code :
       {"cdna3.buffer_atomic_add(p, o, 1.0)", "cdna3.buffer_atomic_max(i, o, 1)",
        "cdna3.buffer_atomic_xchg(p, o, 1.0)", "cdna3.buffer_atomic_min(w, o, 1.0)",
        "cdna3.buffer_atomic_and(i, o, 1, sem='relaxed', scope='cta')"}) {
    compile("gfx942", withOffsets(code));
    EXPECT_TRUE(kinds.empty()) << code << ": " << messages;
    EXPECT_TRUE(has("amdg.buffer_atomic_rmw")) << ir;
  }
  compile("gfx942", withOffsets("cdna3.buffer_atomic_and(p, o, 1)"));
  expectOnly(diag::Kind::AtomicType);
  compile("gfx942", withOffsets("cdna3.buffer_atomic_max(h, o, 1)"));
  expectOnly(diag::Kind::AtomicType);
  compile("gfx942", withOffsets("cdna3.buffer_atomic_add(h, o, 1)"));
  expectOnly(diag::Kind::NeedsTarget);
  compile("gfx950", withOffsets("cdna4.buffer_atomic_add(h, o, 1)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  compile("gfx942", withOffsets("cdna3.buffer_atomic_max(p, o, 1)"));
  expectOnly(diag::Kind::NeedsTarget);
  compile("gfx942", withOffsets("cdna3.buffer_atomic_add(i, o, 1, sem='sometimes')"));
  expectOnly(diag::Kind::ArgumentChoice);
}

TEST_F(Amd, OtherChipsLackWhatIsOfAmd) {
  compile("gfx1100", "o = gl.arange(0, 128, layout=L)\ncdna3.buffer_atomic_add(i, o, 1)");
  expectOnly(diag::Kind::NeedsTarget);
  compile("gfx1250", "o = gl.arange(0, 128, layout=L)\n"
                     "gfx1250.buffer_store(cdna5.buffer_load(p, o), p, o)");
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_EQ(test::compileKernel("\n@gluon.jit\ndef k(p):\n"
                                "    o = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], "
                                "[0]))\n"
                                "    x = gl.amd.cdna3.buffer_load(p, o)\n",
                                {"*fp32"})
                .problems,
            "Kind::NeedsTarget 7:9\n");
}

// -- Matrix cores ------------------------------------------------------------------------

/// A product of 64 x 64 results over K = `depth`.
std::string product(llvm::StringRef layout, llvm::StringRef call, llvm::StringRef a = "gl.float16",
                    llvm::StringRef sum = "gl.float32", int width = 4, int size = 64) {
  std::string text = "M: gl.constexpr = " + layout.str() + "\n", s = std::to_string(size);
  std::string w = std::to_string(width);
  text +=
      "a = gl.full([" + s + ", 32], 1, " + a.str() + ", gl.DotOperandLayout(0, M, " + w + "))\n";
  text +=
      "b = gl.full([32, " + s + "], 1, " + a.str() + ", gl.DotOperandLayout(1, M, " + w + "))\n";
  text += "c = gl.full([" + s + ", " + s + "], 1, " + sum.str() + ", M)\n";
  return text + call.str();
}
constexpr char kMfma[] = "gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2])";

TEST_F(Amd, MfmaIsADotInItsLayout) {
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("tt.dot ")) << ir;
  compile("gfx950", product(kMfma, "x = cdna4.mfma(a, b, c)", "gl.int8", "gl.int32"));
  EXPECT_TRUE(kinds.empty()) << messages;
}

TEST_F(Amd, MfmaNotesWhereItsSumsAreToLie) {
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c, cd_regclass=\"a\")"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("amdg.cd_regclass = \"a\"")) << ir;
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c, None)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_FALSE(has("cd_regclass")) << ir;
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c, cd_regclass=\"x\")"));
  expectOnly(diag::Kind::ArgumentChoice);
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c, cd_regclass=1)"));
  expectOnly(diag::Kind::ArgumentChoice);
}

TEST_F(Amd, MfmaRefusesLayoutsOfNewerChips) {
  const char *newer = "gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2])";
  compile("gfx942", product(newer, "x = cdna3.mfma(a, b, c)"));
  expectOnly(diag::Kind::MmaLayout);
  compile("gfx950", product(newer, "x = cdna3.mfma(a, b, c)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  compile("gfx942", product(kMfma, "x = cdna3.mfma(b, a, c)"));
  expectOnly(diag::Kind::MmaLayout);
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, c, c)"));
  expectOnly(diag::Kind::MmaLayout);
}

TEST_F(Amd, MfmaHasTypesOfItsVersion) {
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c)", "gl.float8e4b8"));
  EXPECT_TRUE(kinds.empty()) << messages;
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c)", "gl.float8e5"));
  expectOnly(diag::Kind::MmaTypes);
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c)", "gl.float16", "gl.float16"));
  expectOnly(diag::Kind::MmaTypes);
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c)", "gl.uint8", "gl.int32"));
  expectOnly(diag::Kind::MmaTypes);
  // Doubles have 16 x 16 results.
  compile("gfx942", product(kMfma, "x = cdna3.mfma(a, b, c)", "gl.float64", "gl.float64"));
  expectOnly(diag::Kind::MmaTypes);
}

TEST_F(Amd, MfmaTakesTensorsThatAreSmallerThanAnInstruction) {
  compile("gfx942",
          product(kMfma, "x = cdna3.mfma(a, b, c)", "gl.float16", "gl.float32", 4, /*size=*/16));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("tt.dot ")) << ir;
}

TEST_F(Amd, EachChipHasItsWmma) {
  const char *first = "gl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]])";
  const char *second = "gl.amd.AMDWMMALayout(2, True, [[0, 1], [1, 0]])";
  const char *third = "gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])";
  for (auto [chip, layout, width, call] :
       {std::tuple("gfx1100", first, 16, "rdna3.wmma(a, b, c)"),
        std::tuple("gfx1200", second, 8, "rdna4.wmma(a, b, c)"),
        std::tuple("gfx1250", third, 8, "cdna5.wmma(a, b, c)"),
        std::tuple("gfx1250", third, 8, "gfx1250.wmma(a, b, c)")}) {
    compile(chip, product(layout, call, "gl.float16", "gl.float32", width));
    EXPECT_TRUE(kinds.empty()) << chip << ": " << messages;
    EXPECT_TRUE(has("tt.dot ")) << ir;
  }
  compile("gfx1200", product(second, "rdna3.wmma(a, b, c)", "gl.float16", "gl.float32", 8));
  expectOnly(diag::Kind::NeedsTarget);
  compile("gfx1100", product(second, "rdna3.wmma(a, b, c)", "gl.float16", "gl.float32", 8));
  expectOnly(diag::Kind::MmaLayout);
  compile("gfx1100", product(first, "rdna3.wmma(a, b, c)", "gl.float8e5", "gl.float32", 16));
  expectOnly(diag::Kind::MmaTypes);
  compile("gfx1250", product(third, "cdna5.wmma(a, b, c)", "gl.float32", "gl.float32", 2));
  EXPECT_TRUE(kinds.empty()) << messages;
}

// -- Scales ------------------------------------------------------------------------------

constexpr char kScaled[] = R"(M: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
A: gl.constexpr = gl.DotOperandLayout(0, M, 16)
a = gl.full([64, 64], 1, gl.uint8, A)
b = gl.full([128, 64], 1, gl.uint8, gl.DotOperandLayout(1, M, 16))
c = gl.zeros([64, 64], gl.float32, M)
s = gl.full([64, 4], 127, gl.uint8, cdna4.get_mfma_scale_layout(A, [64, 4]))
)";

TEST_F(Amd, ProductsHaveScalesOrOneForAllOrNone) {
  for (const char *scale : {"s", "None", "127"}) {
    compile("gfx950", std::string(kScaled) + "x = cdna4.mfma_scaled(a, " + scale +
                          ", 'e2m1', b, None, 'e4m3', c)");
    EXPECT_TRUE(kinds.empty()) << scale << ": " << messages;
    EXPECT_TRUE(has("tt.dot_scaled")) << ir;
    EXPECT_TRUE(has("lhs = e2m1 rhs = e4m3")) << ir;
  }
}

TEST_F(Amd, ProductsWithScalesRefuseOthers) {
  auto with = [&](const char *code) { compile("gfx950", std::string(kScaled) + code); };
  with("x = cdna4.mfma_scaled(a, s, 'e3m2', b, None, 'e4m3', c)");
  expectOnly(diag::Kind::ArgumentChoice);
  with("x = cdna4.mfma_scaled(a, s, 'e4m3', b, None, 'e4m3', c)");
  expectOnly(diag::Kind::DotShape);
  with("x = cdna4.mfma_scaled(a, c, 'e2m1', b, None, 'e4m3', c)");
  expectOnly(diag::Kind::BadArgument);
  with("x = cdna4.mfma_scaled(b, s, 'e2m1', b, None, 'e4m3', c)");
  expectOnly(diag::Kind::MmaLayout);
  compile("gfx942",
          std::string(kScaled) + "x = cdna4.mfma_scaled(a, s, 'e2m1', b, None, 'e4m3', c)");
  expectOnly(diag::Kind::NeedsTarget);
}

constexpr char kPairs[] = R"(P: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
W: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
a = gl.full([32, 128], 1, gl.uint8, P)
w = gl.full([32, 256], 1.0, gl.float32, W)
S: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(a, 32, gl.bfloat16, 1)
s = gl.full([32, 8], 127, gl.uint8, S)
)";

TEST_F(Amd, ConversionsTakeScalesFromTheThreadsThatHaveThem) {
  auto with = [&](const char *code) { compile("gfx950", std::string(kPairs) + code); };
  with("x = cdna4.scaled_upcast(a, s, gl.bfloat16, axis=1)\n"
       "y = cdna4.scaled_downcast(x, s, 'e2m1')\nz = cdna4.scaled_downcast(w, s, 'e5m2', axis=1)");
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("amdg.scaled_upcast_fp4")) << ir;
  EXPECT_TRUE(has("amdg.scaled_downcast_fp4")) << ir;
  EXPECT_TRUE(has("amdg.scaled_downcast_fp8")) << ir;
  with("x = cdna4.scaled_upcast(a, s, gl.bfloat16)");
  expectOnly(diag::Kind::BadArgument);
  with("x = cdna4.scaled_upcast(a, s, gl.float32, axis=1)");
  expectOnly(diag::Kind::BadArgument);
  with("x = cdna4.scaled_upcast(a, w, gl.bfloat16, axis=1)");
  expectOnly(diag::Kind::ArgumentKind);
  with("x = cdna4.scaled_upcast(a, gl.convert_layout(s, gl.BlockedLayout([1, 1], [8, 8], [4, 1], "
       "[0, 1])), gl.bfloat16, axis=1)");
  expectOnly(diag::Kind::LayoutForbids);
  with("x = cdna4.scaled_downcast(w, s, 'e3m2')");
  expectOnly(diag::Kind::ArgumentChoice);
  with("x = cdna4.scaled_downcast(a, s, 'e4m3')");
  expectOnly(diag::Kind::ArgumentKind);
}

TEST_F(Amd, PartsAreWholeTilesOfTheLayout) {
  auto with = [&](const char *code) { compile("gfx942", std::string(kPairs) + code); };
  with("x = gl.amd.slice(w, [32, 256], [0, 0])");
  EXPECT_TRUE(has("amdg.extract_slice")) << messages;
  with("x = gl.amd.slice(w, [32, 128], [0, 64])");
  expectOnly(diag::Kind::LayoutForbids);
  with("x = gl.amd.slice(w, [64, 128], [0, 0])");
  expectOnly(diag::Kind::BadArgument);
}

TEST_F(Amd, StagesEndWhereTheirLinesEnd) {
  compile("gfx950", withOffsets("with gl.amd.warp_pipeline_stage('load', priority=2):\n"
                                "    x = gl.load(p + o)\n"
                                "gl.store(p + o, x)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  size_t load = ir.find("tt.load"), border = ir.find("triton.warp_pipeline.border = \"load\"");
  EXPECT_LT(load, border) << ir;
  EXPECT_LT(border, ir.find("tt.store")) << ir;
  compile("gfx950", withOffsets("with gl.amd.warp_pipeline_stage('load', priority=4):\n    pass"));
  expectOnly(diag::Kind::BadArgument);
  compile("gfx950", withOffsets("with gl.amd.hint.sched_barrier():\n    pass"));
  expectOnly(diag::Kind::UnsupportedConstruct);
  compile("gfx1100", "with gl.amd.warp_pipeline_stage('load'):\n    pass");
  expectOnly(diag::Kind::NeedsTarget);
}

// -- Copies past the registers --------------------------------------------------------------

constexpr char kSmem[] = "s = gl.allocate_shared_memory(gl.float32, [256], "
                         "gl.SwizzledSharedLayout(1, 1, 1, [0]))\n";
std::string withBuffer(llvm::StringRef code) { return withOffsets(kSmem + code.str()); }

TEST_F(Amd, CopiesToSharedMemoryAreInGroups) {
  compile("gfx950",
          withBuffer("cdna4.async_copy.global_load_to_shared(s, p + o, mask=o < n, other=1)\n"
                     "cdna4.async_copy.buffer_load_to_shared(s, p, o, cache_modifier='.cg')\n"
                     "cdna4.async_copy.commit_group()\n"
                     "cdna4.async_copy.wait_group(0)\n"
                     "x = cdna4.async_copy.load_shared_relaxed(s, B)\n"
                     "gl.store(p + o, x)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("ttg.async_copy_global_to_local")) << ir;
  EXPECT_TRUE(has("amdg.buffer_load_to_local %arg0[")) << ir;
  EXPECT_TRUE(has("ttg.async_wait {num = 0 : i32}")) << ir;
  EXPECT_TRUE(has("ttg.amdg.syncedViaAsyncWait = true")) << ir;
  compile("gfx1250", "o = gl.arange(0, 128, layout=L)\n"
                     "s = gl.allocate_shared_memory(gl.float32, [128], "
                     "gl.SwizzledSharedLayout(1, 1, 1, [0]))\n"
                     "gfx1250.async_copy.global_to_shared(s, p + o, mask=o < n)\n"
                     "x = cdna4.async_copy.load_shared_relaxed(s, L)\n"
                     "cdna5.async_copy.shared_to_global(p + o, s, mask=o < n)");
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("amdg.async_copy_local_to_global")) << ir;
}

TEST_F(Amd, CopiesToSharedMemoryAreCheckedLikeLoads) {
  compile("gfx950", withBuffer("cdna4.async_copy.global_load_to_shared(s, h + o)"));
  expectOnly(diag::Kind::AsyncCopyMismatch);
  compile("gfx950", withBuffer("cdna4.async_copy.buffer_load_to_shared(s, h, o)"));
  expectOnly(diag::Kind::AsyncCopyMismatch);
  compile("gfx950", withBuffer("cdna4.async_copy.buffer_load_to_shared(s, p + o, o)"));
  expectOnly(diag::Kind::ArgumentKind);
  compile("gfx950", withBuffer("cdna4.async_copy.global_load_to_shared(s, p + o, other=1.0)"));
  expectOnly(diag::Kind::OtherWithoutMask);
  compile("gfx950", withBuffer("cdna4.async_copy.global_load_to_shared(s, p + o, mask=o)"));
  expectOnly(diag::Kind::MaskNotBoolean);
  compile("gfx950", withBuffer("cdna4.async_copy.wait_group(-1)"));
  expectOnly(diag::Kind::ScalarOutOfRange);
  compile("gfx1250", "cdna4.async_copy.commit_group()");
  expectOnly(diag::Kind::NeedsTarget);
  compile("gfx950", "cdna5.async_copy.commit_group()");
  expectOnly(diag::Kind::NeedsTarget);
}

// -- Barriers in LDS, clusters ---------------------------------------------------------------

std::string withBarrier(llvm::StringRef code) {
  return "b = gl.allocate_shared_memory(gl.int64, [2, 1], cdna5.mbarrier.MBarrierLayout())\n" +
         code.str();
}

TEST_F(Amd, BarriersAreBuffersOfOneNumber) {
  compile("gfx1250", withBarrier("cdna5.mbarrier.init(b.index(0), count=128)\n"
                                 "w = gfx1250.mbarrier.arrive(b.index(0), count=2)\n"
                                 "gfx1250.mbarrier.wait(b.index(0), w)\n"
                                 "gfx1250.async_copy.mbarrier_arrive(b.index(1))"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("amdg.init_barrier")) << ir;
  EXPECT_TRUE(has("amdg.arrive_barrier")) << ir;
  compile("gfx1250", withBarrier("cdna5.mbarrier.init(b, count=128)"));
  expectOnly(diag::Kind::ArgumentKind);
  compile("gfx1250", withBarrier("cdna5.mbarrier.init(b.index(0), count=0)"));
  expectOnly(diag::Kind::ScalarOutOfRange);
  compile("gfx1250", withBarrier("cdna5.mbarrier.wait(b.index(0), 1.5)"));
  EXPECT_EQ(kinds.size(), 1u) << messages;
  compile("gfx950", withBarrier("cdna5.mbarrier.arrive(b.index(0))"));
  expectOnly(diag::Kind::NeedsTarget);
}

TEST_F(Amd, ClusterBarriersNeedSeveralCtas) {
  compile("gfx1250", "cdna5.cluster.arrive()\ncdna5.cluster.wait()", 2);
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("amdg.cluster_barrier_arrive")) << ir;
  compile("gfx1250", "cdna5.cluster.arrive()");
  expectOnly(diag::Kind::NeedsCluster);
}

// -- The engine that copies blocks ------------------------------------------------------------

std::string withDescriptor(llvm::StringRef code) {
  return "rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])\n"
         "d = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)\n"
         "s = gl.allocate_shared_memory(gl.float32, [64, 32], rows)\n" +
         code.str();
}

TEST_F(Amd, OffsetsOfCopiesMoveTheDescriptorFirst) {
  compile("gfx1250", withDescriptor("cdna5.tdm.async_load(d, [n, 0], s, pred=n > 3)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_TRUE(has("{clamp_bounds}")) << ir;
  EXPECT_TRUE(has("pred = ")) << ir;
  compile("gfx1250", withDescriptor("gfx1250.tdm.async_load(d, dest=s)\n"
                                    "gfx1250.tdm.async_store(d, src=s)\n"
                                    "gfx1250.tdm.async_wait(1)"));
  EXPECT_TRUE(kinds.empty()) << messages;
  EXPECT_FALSE(has("amdg.update_tensor_descriptor")) << ir;
  EXPECT_TRUE(has("amdg.async_tdm_wait {num = 1 : i32}")) << ir;
}

TEST_F(Amd, DescriptorsAreThoseOfTheEngine) {
  for (const char *layout :
       {"gl.SwizzledSharedLayout(4, 1, 4, [1, 0])", "gl.SwizzledSharedLayout(1, 1, 1, [0, 1])",
        "gl.NVMMASharedLayout(128, 32, 2)", "B"}) {
    compile("gfx1250", std::string("x = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], "
                                   "[64, 32], ") +
                           layout + ")");
    expectOnly(diag::Kind::BadDescriptor);
  }
  compile("gfx1250", "x = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, n], [64, 32], "
                     "gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))");
  expectOnly(diag::Kind::BadDescriptor);
  compile("gfx950", withDescriptor(""));
  EXPECT_EQ(kinds.front(), diag::Kind::NeedsTarget) << messages;
}

TEST_F(Amd, CopiesOfBlocksAreChecked) {
  compile("gfx1250", withDescriptor("cdna5.tdm.async_load(d, [0], s)"));
  expectOnly(diag::Kind::CoordinateCount);
  compile("gfx1250", withDescriptor("t = gl.allocate_shared_memory(gl.float32, [32, 32], rows)\n"
                                    "cdna5.tdm.async_load(d, [0, 0], t)"));
  expectOnly(diag::Kind::DescriptorMismatch);
  compile("gfx1250", withDescriptor("cdna5.tdm.async_load(d, [0, 0])"));
  expectOnly(diag::Kind::ArgumentKind);
  compile("gfx1250", withDescriptor("cdna5.tdm.async_load(d, [0, 0], s, warp_used_hint=7)"));
  expectOnly(diag::Kind::BadArgument);
  compile("gfx1250", withDescriptor("x = cdna5.tdm.update_tensor_descriptor(d)"));
  expectOnly(diag::Kind::BadArgument);
  compile("gfx1250", withDescriptor("x = cdna5.tdm.update_tensor_descriptor(d, set_bounds=[1, 1], "
                                    "clamp_bounds=True)"));
  expectOnly(diag::Kind::BadArgument);
  compile("gfx1250", withDescriptor("cdna5.tdm.async_load_fused([(d, s, 3)])"));
  expectOnly(diag::Kind::BadArgument);
  compile("gfx1250", withDescriptor("cdna5.tdm.async_load_fused([(d, s, 3), (d, s, 1)])"));
  expectOnly(diag::Kind::BadArgument);
  compile("gfx1250", withDescriptor("r = gl.arange(0, 64, layout=L)\n"
                                    "cdna5.tdm.async_gather(d, r, s)"));
  expectOnly(diag::Kind::BadArgument);
}

} // namespace
} // namespace gluonc::sema
