// Shared memory, asynchronous copies and aggregates: what source gives which operations, and
// what is refused.

#include "sema/TestKernels.h"
#include "sema/value/ArgSpec.h"

#include <gtest/gtest.h>

using namespace gluonc;
using namespace gluonc::sema;
using namespace gluonc::sema::test;

namespace {

const char *const sharedPrelude =
    "from triton.experimental.gluon.language.nvidia.hopper import async_copy as cp, mbarrier\n"
    "B = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))\n"
    "S = gl.constexpr(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))\n"
    "L = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))\n"
    "F = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))\n";

/// Specializes a kernel of these statements; `m` is a [32, 64] fp32 buffer, `r` a ring of three.
Result shared(const std::string &body, const char *target = "cuda:90") {
  Harness harness(std::string(prelude) + sharedPrelude +
                  "@gluon.jit\ndef k(p, n):\n"
                  "    m = gl.allocate_shared_memory(gl.float32, [32, 64], S)\n"
                  "    r = gl.allocate_shared_memory(gl.float32, [3, 128], F)\n    " +
                  body + "\n");
  harness.options.target = *target::Target::parse(target);
  Result result;
  result.ir = harness.compile("k", {"*fp32", "i32"});
  result.problems = harness.problems();
  return result;
}

/// The kinds alone: columns are those of generated text.
std::string kinds(const std::string &body, const char *target = "cuda:90") {
  return llvm::StringRef(shared(body, target).problems).split(' ').first.str();
}

bool has(const Result &result, llvm::StringRef text) {
  return llvm::StringRef(result.ir).contains(text);
}

} // namespace

TEST(SharedMemory, EachMethodIsOneOperation) {
  Result result = shared("m.store(gl.zeros([32, 64], gl.float32, B))\n"
                         "    x = m.permute([1, 0]).load(gl.BlockedLayout([4, 1], [8, 4], [1, 4], "
                         "[0, 1]))\n"
                         "    y = m.slice(32, 32, dim=1).load(B)\n"
                         "    z = r.index(n).load(L)\n"
                         "    w = m.reinterpret(gl.int16, [64, 64], S).load(B)\n"
                         "    r._keep_alive()");
  EXPECT_EQ(result.problems, "");
  for (const char *op : {"ttg.local_store", "ttg.memdesc_trans", "ttg.memdesc_subslice",
                         "ttg.memdesc_index", "ttg.memdesc_reinterpret", "ttg.local_dealloc"})
    EXPECT_TRUE(has(result, op)) << op;
}

TEST(SharedMemory, AsyncCopiesAreOneOperationEach) {
  Result result = shared("cp.async_load(r.index(n), p + gl.arange(0, 128, layout=L), n > 0)\n"
                         "    cp.commit_group()\n    cp.wait_group(2)");
  EXPECT_EQ(result.problems, "");
  EXPECT_TRUE(has(result, "ttg.async_copy_global_to_local"));
  EXPECT_TRUE(has(result, "ttg.async_commit_group"));
  EXPECT_TRUE(has(result, "ttg.async_wait {num = 2"));
}

TEST(SharedMemory, AllocationRefusesWhatDoesNotFit) {
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [128], L)"), "Kind::LayoutNotShared");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [128], 4)"), "Kind::LayoutNotShared");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.int1, [128], F)"), "Kind::SharedElement");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [2, 2, 128], F)"), "Kind::SharedRank");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [0, 128], F)"), "Kind::RingSize");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [96], F)"), "Kind::ShapeNotPowerOfTwo");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [64], F, gl.arange(0, 64, layout=L))"),
            "Kind::SharedStoreMismatch");
}

// As in Triton 3.6, which gives each CTA a barrier of its own, whatever the bases say.
TEST(SharedMemory, BarriersOfCtasThatAreNotThereAreOneInEachCta) {
  Result result =
      shared("b = gl.allocate_shared_memory(gl.int64, [1], "
             "mbarrier.MBarrierLayout(cga_layout=[[0], [1]]))\n    mbarrier.init(b, 1)");
  EXPECT_EQ(result.problems, "");
  EXPECT_TRUE(has(result, "!ttg.memdesc<1xi64"));
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [1], "
                  "gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[1]]))"),
            "Kind::LayoutDoesNotFit");
  EXPECT_EQ(kinds("gl.allocate_shared_memory(gl.float32, [128], "
                  "gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[1]]))"),
            "Kind::LayoutDoesNotFit");
}

TEST(SharedMemory, ViewsRefuseWhatTheLayoutForbids) {
  EXPECT_EQ(kinds("m.index(0)"), "Kind::ViewForbidden");
  EXPECT_EQ(kinds("r.load(L)"), "Kind::ViewForbidden");
  EXPECT_EQ(kinds("r.index(3)"), "Kind::BufferIndexRange");
  EXPECT_EQ(kinds("r.index(-1)"), "Kind::BufferIndexRange");
  EXPECT_EQ(kinds("r.index(n.to(gl.int64))"), "Kind::BufferIndexType");
  EXPECT_EQ(kinds("r.index(1.0)"), "Kind::BufferIndexType");
  EXPECT_EQ(kinds("m.slice(8, 16)"), "Kind::SliceWindow");
  EXPECT_EQ(kinds("m.slice(0, 3)"), "Kind::SliceWindow");
  EXPECT_EQ(kinds("m.slice(0, 4)"), "Kind::ViewForbidden"); // rows 4 to 7 are swizzled
  EXPECT_EQ(kinds("m.slice(0, 16, 2)"), "Kind::AxisOutOfRange");
  EXPECT_EQ(kinds("m.permute([0, 0])"), "Kind::NotPermutation");
  EXPECT_EQ(kinds("m.reshape([64, 64])"), "Kind::ReshapeSize");
  EXPECT_EQ(kinds("m.slice(0, 16).reshape([16, 64])"), "Kind::ViewForbidden");
  EXPECT_EQ(kinds("m.reinterpret(gl.float64, [32, 64], S)"), "Kind::ReinterpretSize");
  EXPECT_EQ(kinds("m.slice(0, 16, 1).reinterpret(gl.float16, [256], F)"), "Kind::ViewForbidden");
  EXPECT_EQ(kinds("r.index(2).reinterpret(gl.float32, [256], F)"), "Kind::ReinterpretSize");
  EXPECT_EQ(kinds("r.slice(1, 2).reinterpret(gl.float32, [512], F)"), "Kind::ReinterpretSize");
  EXPECT_EQ(kinds("m.store(gl.zeros([32, 64], gl.float16, B))"), "Kind::SharedStoreMismatch");
}

TEST(SharedMemory, AsyncCopiesRefuseOtherShapesTypesAndTargets) {
  EXPECT_EQ(kinds("cp.async_load(r.index(0), p + gl.arange(0, 256, layout=L))"),
            "Kind::AsyncCopyMismatch");
  EXPECT_EQ(kinds("cp.async_load(r.index(0), p)"), "Kind::AsyncCopyMismatch");
  EXPECT_EQ(kinds("cp.wait_group(-1)"), "Kind::ScalarOutOfRange");
  EXPECT_EQ(kinds("cp.wait_group(n)"), "Kind::ConstexprRequired");
  EXPECT_EQ(kinds("cp.commit_group()", "hip:gfx942"), "Kind::NeedsTarget");
}

TEST(Aggregates, ConstructorsAreChecked) {
  const std::string source = "@gluon.aggregate\nclass A:\n    x: gl.tensor\n    y: gl.constexpr\n"
                             "@gluon.jit\ndef k(n):\n    ";
  auto problem = [&](const std::string &body) {
    std::string all = compileKernel(source + body + "\n", {"i32"}).problems;
    return llvm::StringRef(all).split(' ').first.str();
  };
  EXPECT_EQ(problem("a = A(n, 4)"), "");
  EXPECT_EQ(problem("a = A(4, 4)"), "Kind::FieldType");
  EXPECT_EQ(problem("a = A(n, n)"), "Kind::FieldType");
  EXPECT_EQ(problem("a = A(n)"), "Kind::MissingArgument");
  EXPECT_EQ(problem("a = A(n, 4, 5)"), "Kind::TooManyArguments");
  EXPECT_EQ(problem("a = A(n, 4, x=n)"), "Kind::DuplicateArgument");
  EXPECT_EQ(problem("a = A(n, z=4)"), "Kind::UnexpectedArgument");
  EXPECT_EQ(problem("a = A(n, 4).z"), "Kind::UnknownField");
  EXPECT_EQ(problem("a = A(n, 4)\n    a.x = n"), "Kind::InstanceImmutable");
  EXPECT_EQ(problem("a = A(n, 4) + A(n, 4)"), "Kind::BadOperands");
  EXPECT_EQ(problem("a = A(n, 4)\n    if n > 0:\n        a = A(n, 5)"), "Kind::IfTypeMismatch");
  EXPECT_EQ(problem("a = A(n, 4)\n    for i in range(n):\n        a = A(n, 5)"),
            "Kind::LoopTypeMismatch");
}

TEST(Aggregates, ConstructorsOfTheUserMustSetEveryField) {
  EXPECT_EQ(compileKernel("@gluon.aggregate\nclass A:\n    x: gl.tensor\n"
                          "    def __init__(self, x):\n        pass\n"
                          "@gluon.jit\ndef k(n):\n    a = A(n)\n",
                          {"i32"})
                .problems,
            "Kind::FieldNotSet 10:9\n");
}

TEST(Aggregates, NoInstanceHoldsItself) {
  for (const char *value : {"self", "(1, self)", "self.f"}) {
    std::string source = std::string("@gluon.aggregate\nclass A:\n    x: gl.constexpr\n"
                                     "    def f(self):\n        return 1\n"
                                     "    def __init__(self):\n        self.x = ") +
                         value + "\n@gluon.jit\ndef k(n):\n    a = A()\n";
    EXPECT_EQ(compileKernel(source, {"i32"}).problems, "Kind::BadClassBody 9:9\n") << value;
  }
}

TEST(Aggregates, ConstructorsAreFunctions) {
  EXPECT_EQ(compileKernel("@gluon.aggregate\nclass A:\n    x: gl.tensor\n    __init__ = 3\n"
                          "@gluon.jit\ndef k(n):\n    a = A(n)\n",
                          {"i32"})
                .problems,
            "Kind::BadClassBody 9:9\n");
}

TEST(SharedMemory, BankConflictsAreCountedAtCompileTime) {
  const char *asserts = "x = gl.zeros([32, 32], gl.float32, gl.BlockedLayout([1, 1], [32, 1], "
                        "[1, 4], [0, 1]))\n"
                        "    plain = gl.allocate_shared_memory(gl.float32, [32, 32], "
                        "gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))\n"
                        "    swizzled = gl.allocate_shared_memory(gl.float32, [32, 32], "
                        "gl.SwizzledSharedLayout(1, 1, 32, [1, 0]))\n"
                        "    gl.static_assert(gl.bank_conflicts(x.type, plain.type) == 31)\n"
                        "    gl.static_assert(gl.bank_conflicts(x.type, swizzled.type) == 0)";
  EXPECT_EQ(shared(asserts).problems, "");
  EXPECT_EQ(kinds("gl.bank_conflicts(m.type, m.type)"), "Kind::ArgumentKind");
}

TEST(Aggregates, FieldsOfBasesComeFirst) {
  EXPECT_EQ(compileKernel("@gluon.aggregate\nclass A:\n    x: gl.tensor\n"
                          "    @gluon.jit\n    def f(self):\n        return self.x\n"
                          "@gluon.aggregate\nclass B(A):\n    y: gl.constexpr\n"
                          "@gluon.jit\ndef k(n):\n    b = B(n, 7)\n    c = b.f() + b.y\n"
                          "    gl.static_assert(isinstance(b, A))\n",
                          {"i32"})
                .problems,
            "");
}
