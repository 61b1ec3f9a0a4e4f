// What operations do to which bytes of shared memory, when, and who synchronizes.
#include "transform/analysis/SharedAccesses.h"

#include "transform/PassTesting.h"

using namespace gluonc;

namespace {

class SharedAccessesTest : public PassTest {
protected:
  void describe(const std::string &arguments, const std::string &body) {
    parse(arguments, "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n" + body);
    allocate();
    accesses.emplace(kernel());
  }

  const Effect &effectOf(llvm::StringRef name) {
    static const Effect none;
    const Effect *effect = accesses->of(named(name));
    EXPECT_TRUE(effect) << name.str();
    return effect ? *effect : none;
  }
  const Access &access(llvm::StringRef name) { return (*accesses)[effectOf(name).before[0]]; }
  bool conflict(llvm::StringRef one, llvm::StringRef other) {
    return accesses->conflict(effectOf(one).before[0], effectOf(other).before[0]);
  }

  std::optional<SharedAccesses> accesses;
};

} // namespace

TEST_F(SharedAccessesTest, LoadsAndStoresTouchTheBytesOfTheirBuffer) {
  describe("%x: !x", R"(
    %a = ttg.local_alloc : () -> !ring
    %b = ttg.local_alloc : () -> !row
    ttg.local_store %x, %b {store} : !x -> !row
    %0 = ttg.local_load %b {load} : !row -> !x
    ttg.local_dealloc %a : !ring)");
  EXPECT_EQ(access("store").begin, 4096);
  EXPECT_EQ(access("store").end, 4096 + 2048);
  EXPECT_TRUE(access("store").writes);
  EXPECT_FALSE(access("load").writes);
  EXPECT_FALSE(access("store").byUnit);
  EXPECT_EQ(effectOf("store").after, effectOf("store").before);
  EXPECT_FALSE(accesses->haveUnits());
}

TEST_F(SharedAccessesTest, OneOfTwoThatConflictWrites) {
  describe("%x: !x", R"(
    %a = ttg.local_alloc : () -> !row
    %b = ttg.local_alloc : () -> !row
    ttg.local_store %x, %a {store} : !x -> !row
    %0 = ttg.local_load %a {load} : !row -> !x
    %1 = ttg.local_load %a {again} : !row -> !x
    %2 = ttg.local_load %b {other} : !row -> !x)");
  EXPECT_TRUE(conflict("store", "load"));
  EXPECT_TRUE(conflict("load", "store"));
  EXPECT_FALSE(conflict("load", "again"));
  EXPECT_FALSE(conflict("store", "other"));
}

TEST_F(SharedAccessesTest, WindowsAtConstantPlacesAreToldApart) {
  describe("%x: !x, %n: i32, %y: tensor<16x32xf32, #m>", R"(
    %ring = ttg.local_alloc : () -> !ring
    %a = ttg.memdesc_index %ring[%zero] : !ring -> !row
    %b = ttg.memdesc_index %ring[%one] : !ring -> !row
    %c = ttg.memdesc_index %ring[%n] : !ring -> !row
    ttg.local_store %x, %a {first} : !x -> !row
    ttg.local_store %x, %b {second} : !x -> !row
    ttg.local_store %x, %c {any} : !x -> !row
    %all = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #s2, #smem, mutable>
    %u = ttg.memdesc_subslice %all[0, 0] : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    %v = ttg.memdesc_subslice %all[16, 0] : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    ttg.local_store %y, %u {upper} : tensor<16x32xf32, #m> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    ttg.local_store %y, %v {lower} : tensor<16x32xf32, #m> -> !ttg.memdesc<16x32xf32, #s2, #smem, mutable, 32x32>
    %0 = ttg.local_load %all {whole} : !ttg.memdesc<32x32xf32, #s2, #smem, mutable> -> tensor<32x32xf32, #m>)");
  EXPECT_FALSE(conflict("first", "second"));
  EXPECT_TRUE(conflict("first", "any"));
  EXPECT_TRUE(conflict("second", "any"));
  EXPECT_FALSE(conflict("upper", "lower"));
  EXPECT_TRUE(conflict("upper", "whole"));
  EXPECT_TRUE(conflict("lower", "whole"));
}

TEST_F(SharedAccessesTest, ABufferThatMayBeTwoTouchesBoth) {
  describe("%x: !x, %q: i1", R"(
    %a = ttg.local_alloc : () -> !row
    %b = ttg.local_alloc : () -> !row
    %c = arith.select %q, %a, %b : !row
    ttg.local_store %x, %c {store} : !x -> !row
    ttg.local_dealloc %a : !row
    ttg.local_dealloc %b : !row)");
  EXPECT_EQ(effectOf("store").before.size(), 2u);
}

TEST_F(SharedAccessesTest, WhatACopyBringsIsOverAtNoPlaceOfTheProgram) {
  describe("%d: !desc, %n: i32, %p: i1", R"(
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !buf
    ttng.async_tma_copy_global_to_local %d[%n, %n] %a, %bar, %p {copy} : !desc, !bar -> !buf
    %0 = ttg.local_load %a {load} : !buf -> !tile)");
  const Effect &copy = effectOf("copy");
  llvm::SmallVector<unsigned> byUnit;
  for (unsigned index : copy.before)
    if ((*accesses)[index].byUnit)
      byUnit.push_back(index);
  ASSERT_EQ(byUnit.size(), 1u);
  EXPECT_TRUE((*accesses)[byUnit[0]].writes);
  EXPECT_FALSE(llvm::is_contained(copy.after, byUnit[0]));
  EXPECT_TRUE(accesses->haveUnits());
}

TEST_F(SharedAccessesTest, WhatDotsReadIsPendingFromTheWaitForThemOn) {
  describe("%c: !sum", R"(
    %a = ttg.local_alloc : () -> !buf
    %0 = ttng.warp_group_dot %a, %a, %c {dot, inputPrecision = 0 : i32, isAsync = true} : !buf * !buf -> !sum
    %1 = ttng.warp_group_dot_wait %0 {wait, pendings = 0 : i32} : !sum)");
  EXPECT_TRUE(effectOf("dot").after.empty());
  EXPECT_EQ(effectOf("wait").after, effectOf("dot").before);
}

TEST_F(SharedAccessesTest, ABarrierSynchronizesAndTouchesNothing) {
  describe("", "%a = ttg.local_alloc : () -> !row\nttg.barrier local {barrier}\n"
               "ttg.barrier global_write {other}\nttg.local_dealloc %a : !row\n");
  EXPECT_TRUE(effectOf("barrier").synchronizes);
  EXPECT_TRUE(effectOf("barrier").before.empty());
  EXPECT_FALSE(accesses->of(named("other")));
}

TEST_F(SharedAccessesTest, AWaitOfOneThreadAsksForABarrier) {
  describe("", "%w = ttg.async_wait {wait, num = 0 : i32}\n");
  EXPECT_TRUE(effectOf("wait").needsSynchronizing);
  EXPECT_FALSE(effectOf("wait").synchronizes);
}

TEST_F(SharedAccessesTest, UsesOfABarrierObjectConflictWithItsBeginningOnly) {
  describe("%n: i32, %p: i1", R"(
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 {init} : !bar
    ttng.wait_barrier %bar, %n {wait} : !bar
    ttng.wait_barrier %bar, %n {again} : !bar)");
  EXPECT_TRUE(conflict("init", "wait"));
  EXPECT_FALSE(conflict("wait", "again"));
}

TEST_F(SharedAccessesTest, AConversionWritesItsScratchSynchronizesAndReadsIt) {
  describe("%x: tensor<32x64xf32, #m>",
           "%0 = ttg.convert_layout %x {convert} : tensor<32x64xf32, #m> -> "
           "tensor<32x64xf32, #t>\n");
  const Effect &effect = effectOf("convert");
  EXPECT_TRUE(effect.synchronizes);
  ASSERT_EQ(effect.before.size(), 1u);
  ASSERT_EQ(effect.after.size(), 1u);
  EXPECT_TRUE((*accesses)[effect.before[0]].writes);
  EXPECT_FALSE((*accesses)[effect.after[0]].writes);
}
