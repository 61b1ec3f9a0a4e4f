// Which allocations views may be of, and how many bytes they take.
#include "transform/analysis/SharedUse.h"

#include "transform/PassTesting.h"

using namespace gluonc;

namespace {

class SharedUseTest : public PassTest {
protected:
  /// The names of the allocations that the result (or argument) may be a view of.
  std::string aliasesOf(mlir::Value value) {
    BufferAliases aliases(kernel());
    const llvm::BitVector *found = aliases.of(value);
    if (!found)
      return "none";
    std::string all;
    for (unsigned index : found->set_bits())
      for (const char *name : {"a", "b", "c"})
        if (aliases.allocations()[index]->hasAttr(name))
          all += name;
    return all;
  }
  std::string aliasesOf(llvm::StringRef name) { return aliasesOf(named(name)->getResult(0)); }

  ttg::LocalAllocOp alloc(llvm::StringRef name) {
    return llvm::cast<ttg::LocalAllocOp>(named(name));
  }
};

const std::string kAllocs = R"(
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = ttg.local_alloc {a} : () -> !row
    %b = ttg.local_alloc {b} : () -> !row
    %c = ttg.local_alloc {c} : () -> !ring
)";

} // namespace

TEST_F(SharedUseTest, AViewIsOfWhatItWasCutFrom) {
  parse("%n: i32", kAllocs + "%v = ttg.memdesc_index %c[%n] {view} : !ring -> !row\n");
  EXPECT_EQ(aliasesOf("view"), "c");
  EXPECT_EQ(aliasesOf("a"), "a");
}

TEST_F(SharedUseTest, ASelectedBufferIsEither) {
  parse("%q: i1", kAllocs + "%v = arith.select %q, %a, %b {view} : !row\n");
  EXPECT_EQ(aliasesOf("view"), "ab");
}

TEST_F(SharedUseTest, WhatALoopSwapsIsEither) {
  parse("%n: i32", kAllocs + R"(
    %v = ttg.memdesc_index %c[%n] : !ring -> !row
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %a, %q = %b) -> (!row, !row) : i32 {
      scf.yield %q, %p : !row, !row
    } {loop})");
  mlir::Operation *loop = named("loop");
  for (mlir::Value value : loop->getResults())
    EXPECT_EQ(aliasesOf(value), "ab");
  for (mlir::Value value : llvm::cast<mlir::scf::ForOp>(loop).getRegionIterArgs())
    EXPECT_EQ(aliasesOf(value), "ab");
}

TEST_F(SharedUseTest, WhatABranchYieldsIsEither) {
  parse("%q: i1", kAllocs + R"(
    %v = scf.if %q -> (!row) {
      scf.yield %a : !row
    } else {
      scf.yield %b : !row
    } {branch})");
  EXPECT_EQ(aliasesOf("branch"), "ab");
}

TEST_F(SharedUseTest, PartitionsSeeWhatTheyCapture) {
  parse("", kAllocs + R"(
    ttg.warp_specialize(%b) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield
    }
    partition0(%p: !row) num_warps(4) {
      ttg.local_dealloc %p {use} : !row
      ttg.warp_return
    } : (!row) -> ())");
  EXPECT_EQ(aliasesOf(named("use")->getOperand(0)), "b");
}

TEST_F(SharedUseTest, WhatTheKernelGotIsNoKnownView) {
  parse("%p: !row", kAllocs + "ttg.local_dealloc %p {use} : !row\n");
  EXPECT_EQ(aliasesOf(named("use")->getOperand(0)), "none");
}

TEST_F(SharedUseTest, BytesCountRingsAndPadding) {
  parse("", R"(
    %a = ttg.local_alloc {a} : () -> !row
    %b = ttg.local_alloc {b} : () -> !ring
    %c = ttg.local_alloc {c} : () -> !ttg.memdesc<2x64x64xf32, #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>, #smem, mutable>)");
  EXPECT_EQ(bufferBytesOf(alloc("a")), 512 * 4);
  EXPECT_EQ(bufferBytesOf(alloc("b")), 2 * 512 * 4);
  // Behind every 64 elements but the last lie 4 that hold nothing.
  EXPECT_EQ(bufferBytesOf(alloc("c")), 2 * (64 * 64 + 63 * 4) * 4);
}

TEST_F(SharedUseTest, AnAlignmentThatIsAskedForWins) {
  parse("", R"(
    %a = ttg.local_alloc {a, alignment = 64 : i32} : () -> !buf
    %b = ttg.local_alloc {b} : () -> !buf)");
  EXPECT_EQ(bufferAlignmentOf(alloc("a")), 64);
  EXPECT_EQ(bufferAlignmentOf(alloc("b")), 1024);
}
