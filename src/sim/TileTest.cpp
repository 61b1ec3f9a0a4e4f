// Shapes, reductions, scans, dots, shared memory.
#include "sim/KernelTesting.h"

#include <cmath>
#include <numeric>

using namespace gluonc::sim;
using namespace gluonc::sim::testing;
using gluonc::diag::Kind;

namespace {

/// A kernel on a 16x8 i32 tile %x, loaded row-major from %src, that stores the i32 tile
/// %r of `shape` and `layout` row-major to %out.
std::string tileKernel(const std::string &body, const std::string &resultPointers) {
  return R"(
tt.func public @k(%src: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c8 = arith.constant dense<8> : tensor<16x1xi32, #m>
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #m1>
  %r8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #m0>
  %e16 = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32, #m1> -> tensor<16x1xi32, #m>
  %e8 = tt.expand_dims %r8 {axis = 0 : i32} : tensor<8xi32, #m0> -> tensor<1x8xi32, #m>
  %rows = arith.muli %e16, %c8 : tensor<16x1xi32, #m>
  %b16 = tt.broadcast %rows : tensor<16x1xi32, #m> -> tensor<16x8xi32, #m>
  %b8 = tt.broadcast %e8 : tensor<1x8xi32, #m> -> tensor<16x8xi32, #m>
  %i = arith.addi %b16, %b8 : tensor<16x8xi32, #m>
  %p = tt.splat %src : !tt.ptr<i32> -> tensor<16x8x!tt.ptr<i32>, #m>
  %a = tt.addptr %p, %i : tensor<16x8x!tt.ptr<i32>, #m>, tensor<16x8xi32, #m>
  %x = tt.load %a : tensor<16x8x!tt.ptr<i32>, #m>
)" + body +
         resultPointers + "  tt.return\n}";
}

/// Stores %r : tensor<N x i32, LAYOUT> to %out.
std::string store1D(int n, const std::string &layout) {
  std::string count = std::to_string(n), type = "tensor<" + count + "xi32, " + layout + ">",
              pointers = "tensor<" + count + "x!tt.ptr<i32>, " + layout + ">";
  return "  %ri = tt.make_range {end = " + count + " : i32, start = 0 : i32} : " + type +
         "\n  %po = tt.splat %out : !tt.ptr<i32> -> " + pointers +
         "\n  %ao = tt.addptr %po, %ri : " + pointers + ", " + type +
         "\n  tt.store %ao, %r : " + pointers + "\n";
}
/// Stores %r : tensor<16x8xi32, #m> to %out.
const char *const kStore2D = R"(
  %po = tt.splat %out : !tt.ptr<i32> -> tensor<16x8x!tt.ptr<i32>, #m>
  %ao = tt.addptr %po, %i : tensor<16x8x!tt.ptr<i32>, #m>, tensor<16x8xi32, #m>
  tt.store %ao, %r : tensor<16x8x!tt.ptr<i32>, #m>
)";

std::vector<int32_t> runTile(const std::string &text, size_t results,
                             std::vector<int32_t> source = {}) {
  Kernel kernel(text);
  if (source.empty()) {
    source.resize(128);
    for (int i = 0; i < 128; ++i)
      source[i] = (i * 37 + 11) % 101;
  }
  std::vector<int32_t> out(results, -12345);
  kernel.buffer("src", source).buffer("out", out);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  return out;
}

int32_t value(int row, int column) { return ((row * 8 + column) * 37 + 11) % 101; }

const char *const kAdd = R"( ({
  ^bb0(%l: i32, %q: i32):
    %s = arith.addi %l, %q : i32
    tt.NAME.return %s : i32
  }) : )";

std::string combine(const std::string &name, const std::string &attributes,
                    const std::string &types) {
  std::string region = kAdd;
  region.replace(region.find("NAME"), 4, name);
  return "  %r = \"tt." + name + "\"(%x) <{" + attributes + "}>" + region + types + "\n";
}

} // namespace

TEST(Tile, BroadcastRepeatsRowsAndColumns) {
  auto out =
      runTile(tileKernel("  %r = arith.addi %b16, %b8 : tensor<16x8xi32, #m>\n", kStore2D), 128);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i);
}

TEST(Tile, ReduceSumsAlongEitherAxis) {
  auto rows = runTile(tileKernel(combine("reduce", "axis = 1 : i32",
                                         "(tensor<16x8xi32, #m>) -> tensor<16xi32, #m1>"),
                                 store1D(16, "#m1")),
                      16);
  auto columns = runTile(tileKernel(combine("reduce", "axis = 0 : i32",
                                            "(tensor<16x8xi32, #m>) -> tensor<8xi32, #m0>"),
                                    store1D(8, "#m0")),
                         8);
  for (int row = 0; row < 16; ++row) {
    int sum = 0;
    for (int column = 0; column < 8; ++column)
      sum += value(row, column);
    EXPECT_EQ(rows[row], sum);
  }
  for (int column = 0; column < 8; ++column) {
    int sum = 0;
    for (int row = 0; row < 16; ++row)
      sum += value(row, column);
    EXPECT_EQ(columns[column], sum);
  }
}

TEST(Tile, ReduceCarriesSeveralValues) {
  // argmax along axis 1, the lower index winning.
  auto out = runTile(tileKernel(R"(
  %m:2 = "tt.reduce"(%x, %b8) <{axis = 1 : i32}> ({
  ^bb0(%v0: i32, %i0: i32, %v1: i32, %i1: i32):
    %gt = arith.cmpi sgt, %v0, %v1 : i32
    %eq = arith.cmpi eq, %v0, %v1 : i32
    %lt = arith.cmpi slt, %i0, %i1 : i32
    %tie = arith.andi %eq, %lt : i1
    %first = arith.ori %gt, %tie : i1
    %v = arith.select %first, %v0, %v1 : i32
    %j = arith.select %first, %i0, %i1 : i32
    tt.reduce.return %v, %j : i32, i32
  }) : (tensor<16x8xi32, #m>, tensor<16x8xi32, #m>) -> (tensor<16xi32, #m1>, tensor<16xi32, #m1>)
  %c100 = arith.constant dense<1000> : tensor<16xi32, #m1>
  %w = arith.muli %m#0, %c100 : tensor<16xi32, #m1>
  %r = arith.addi %w, %m#1 : tensor<16xi32, #m1>
)",
                                store1D(16, "#m1")),
                     16);
  for (int row = 0; row < 16; ++row) {
    int best = 0;
    for (int column = 1; column < 8; ++column)
      if (value(row, column) > value(row, best))
        best = column;
    EXPECT_EQ(out[row], value(row, best) * 1000 + best);
  }
}

TEST(Tile, ScanAccumulatesForwardsAndBackwards) {
  for (bool reverse : {false, true})
    for (int axis : {0, 1}) {
      auto out = runTile(tileKernel(combine("scan",
                                            "axis = " + std::to_string(axis) +
                                                " : i32, reverse = " + (reverse ? "true" : "false"),
                                            "(tensor<16x8xi32, #m>) -> tensor<16x8xi32, #m>"),
                                    kStore2D),
                         128);
      for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 8; ++column) {
          int sum = 0, at = axis ? column : row, size = axis ? 8 : 16;
          for (int k = reverse ? at : 0; k <= (reverse ? size - 1 : at); ++k)
            sum += axis ? value(row, k) : value(k, column);
          EXPECT_EQ(out[row * 8 + column], sum) << reverse << axis << row << column;
        }
    }
}

TEST(Tile, ScanCombinesInOrderWhenTheOperationDoesNotCommute) {
  // "Keep the later one" leaves every element as it is; a swapped order would smear.
  auto out = runTile(tileKernel(R"(
  %r = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%l: i32, %q: i32):
    tt.scan.return %q : i32
  }) : (tensor<16x8xi32, #m>) -> tensor<16x8xi32, #m>
)",
                                kStore2D),
                     128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(out[row * 8 + column], value(row, column));
}

TEST(Tile, TransposeReshapeAndConvertMoveElementsRowMajor) {
  auto out = runTile(tileKernel(R"(
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x8xi32, #m> -> tensor<8x16xi32, #t>
  %f = tt.reshape %t allow_reorder : tensor<8x16xi32, #t> -> tensor<128xi32, #l>
  %r = ttg.convert_layout %f : tensor<128xi32, #l> -> tensor<128xi32, #l2>
)",
                                store1D(128, "#l2"))
                         .insert(0, R"(
#t = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#l2 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
)"),
                     128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(out[column * 16 + row], value(row, column));
}

TEST(Tile, SplitUndoesJoin) {
  auto out = runTile(tileKernel(R"(
  %y = arith.addi %x, %x : tensor<16x8xi32, #m>
  %j = tt.join %x, %y : tensor<16x8xi32, #m> -> tensor<16x8x2xi32, #j>
  %f:2 = tt.split %j : tensor<16x8x2xi32, #j> -> tensor<16x8xi32, #m>
  %r = arith.subi %f#1, %f#0 : tensor<16x8xi32, #m>
)",
                                kStore2D)
                         .insert(0, R"(
#j = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
)"),
                     128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(out[row * 8 + column], value(row, column));
}

TEST(Tile, GatherPicksAlongTheAxis) {
  auto out = runTile(tileKernel(R"(
  %seven = arith.constant dense<7> : tensor<16x8xi32, #m>
  %idx = arith.subi %seven, %b8 : tensor<16x8xi32, #m>
  %r = tt.gather %x[%idx] {axis = 1 : i32} : (tensor<16x8xi32, #m>, tensor<16x8xi32, #m>) -> tensor<16x8xi32, #m>
)",
                                kStore2D),
                     128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(out[row * 8 + column], value(row, 7 - column));
}

TEST(Tile, HistogramCountsTheBinsThatTheMaskLetsThrough) {
  auto out = runTile(tileKernel(R"(
  %f = tt.reshape %x allow_reorder : tensor<16x8xi32, #m> -> tensor<128xi32, #l>
  %ten = arith.constant dense<64> : tensor<128xi32, #l>
  %m = arith.cmpi slt, %f, %ten : tensor<128xi32, #l>
  %r = tt.histogram %f, %m : tensor<128xi32, #l> -> tensor<128xi32, #l>
)",
                                store1D(128, "#l")),
                     128);
  std::vector<int> expected(128);
  for (int i = 0; i < 128; ++i)
    if ((i * 37 + 11) % 101 < 64)
      ++expected[(i * 37 + 11) % 101];
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], expected[i]) << i;
}

TEST(Tile, UnsplatGivesTheOneElement) {
  auto out = runTile(R"(
tt.func public @k(%src: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %x = tt.load %src : !tt.ptr<i32>
  %t = tt.splat %x : i32 -> tensor<1xi32, #l>
  %u = tt.unsplat %t : tensor<1xi32, #l>
  tt.store %out, %u : !tt.ptr<i32>
  tt.return
})",
                     1, {42});
  EXPECT_EQ(out[0], 42);
}

TEST(Tile, DotMultipliesMatrices) {
  Kernel kernel(R"(
tt.func public @k(%out: !tt.ptr<f32>) {
  %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #m1>
  %r8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #m0>
  %e16 = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32, #m1> -> tensor<16x1xi32, #m>
  %e8 = tt.expand_dims %r8 {axis = 0 : i32} : tensor<8xi32, #m0> -> tensor<1x8xi32, #m>
  %b16 = tt.broadcast %e16 : tensor<16x1xi32, #m> -> tensor<16x8xi32, #m>
  %b8 = tt.broadcast %e8 : tensor<1x8xi32, #m> -> tensor<16x8xi32, #m>
  %s = arith.subi %b16, %b8 : tensor<16x8xi32, #m>
  %a = arith.sitofp %s : tensor<16x8xi32, #m> to tensor<16x8xf16, #m>
  %q8 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #m1>
  %f8 = tt.expand_dims %q8 {axis = 1 : i32} : tensor<8xi32, #m1> -> tensor<8x1xi32, #m>
  %g8 = tt.broadcast %f8 : tensor<8x1xi32, #m> -> tensor<8x8xi32, #m>
  %h8 = tt.broadcast %e8 : tensor<1x8xi32, #m> -> tensor<8x8xi32, #m>
  %t = arith.muli %g8, %h8 : tensor<8x8xi32, #m>
  %b = arith.sitofp %t : tensor<8x8xi32, #m> to tensor<8x8xf16, #m>
  %c = arith.constant dense<5.000000e-01> : tensor<16x8xf32, #m>
  %d = tt.dot %a, %b, %c : tensor<16x8xf16, #m> * tensor<8x8xf16, #m> -> tensor<16x8xf32, #m>
  %c8 = arith.constant dense<8> : tensor<16x8xi32, #m>
  %rows = arith.muli %b16, %c8 : tensor<16x8xi32, #m>
  %i = arith.addi %rows, %b8 : tensor<16x8xi32, #m>
  %po = tt.splat %out : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #m>
  %ao = tt.addptr %po, %i : tensor<16x8x!tt.ptr<f32>, #m>, tensor<16x8xi32, #m>
  tt.store %ao, %d : tensor<16x8x!tt.ptr<f32>, #m>
  tt.return
})");
  std::vector<float> out(128);
  kernel.buffer("out", out);
  EXPECT_TRUE(kernel.run()) << kernel.allMessages();
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      float sum = 0.5f;
      for (int k = 0; k < 8; ++k)
        sum += float(row - k) * float(k * column);
      EXPECT_EQ(out[row * 8 + column], sum);
    }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {
const char *const kSharedLayouts = R"(
#swizzled = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#swizzledT = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [0, 1]}>
#padded = #ttg.padded_shared<[16:+4] {order = [1, 0], shape = [16, 8]}>
#t = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#flat1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
)";
} // namespace

TEST(SharedMemory, EveryLayoutGivesBackWhatWasStored) {
  for (const char *layout : {"#swizzled", "#swizzledT", "#padded"}) {
    std::string memdesc = std::string("!ttg.memdesc<16x8xi32, ") + layout + ", #smem, mutable>";
    auto out = runTile(
        tileKernel("  %s = ttg.local_alloc : () -> " + memdesc +
                       "\n  ttg.local_store %x, %s : tensor<16x8xi32, #m> -> " + memdesc +
                       "\n  ttg.barrier local\n  %r = ttg.local_load %s : " + memdesc +
                       " -> tensor<16x8xi32, #m>\n  ttg.local_dealloc %s : " + memdesc + "\n",
                   kStore2D)
            .insert(0, kSharedLayouts),
        128);
    for (int i = 0; i < 128; ++i)
      ASSERT_EQ(out[i], value(i / 8, i % 8)) << layout;
  }
}

TEST(SharedMemory, BytesLieWhereTheSwizzleSays) {
  // Read through a plain view of the same bytes: row r has its groups of two XORed by r mod 4.
  auto out = runTile(tileKernel(R"(
  %s = ttg.local_alloc %x : (tensor<16x8xi32, #m>) -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %f = ttg.memdesc_reinterpret %s : !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable> -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  %r = ttg.local_load %f : !ttg.memdesc<16x8xi32, #flat, #smem, mutable> -> tensor<16x8xi32, #m>
)",
                                kStore2D)
                         .insert(0, kSharedLayouts),
                     128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int group = column / 2 ^ row % 4;
      EXPECT_EQ(out[row * 8 + group * 2 + column % 2], value(row, column)) << row << column;
    }
}

TEST(SharedMemory, ViewsTransposeSliceAndReshape) {
  auto transposed = runTile(tileKernel(R"(
  %s = ttg.local_alloc %x : (tensor<16x8xi32, #m>) -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %v = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable> -> !ttg.memdesc<8x16xi32, #swizzledT, #smem, mutable>
  %y = ttg.local_load %v : !ttg.memdesc<8x16xi32, #swizzledT, #smem, mutable> -> tensor<8x16xi32, #t>
  %f = tt.reshape %y allow_reorder : tensor<8x16xi32, #t> -> tensor<128xi32, #l>
  %r = ttg.convert_layout %f : tensor<128xi32, #l> -> tensor<128xi32, #l>
)",
                                       store1D(128, "#l"))
                                .insert(0, kSharedLayouts),
                            128);
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      ASSERT_EQ(transposed[column * 16 + row], value(row, column));

  auto sliced = runTile(tileKernel(R"(
  %s = ttg.local_alloc %x : (tensor<16x8xi32, #m>) -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  %v = ttg.memdesc_subslice %s[8, 4] : !ttg.memdesc<16x8xi32, #flat, #smem, mutable> -> !ttg.memdesc<8x4xi32, #flat, #smem, mutable, 16x8>
  %y = ttg.local_load %v : !ttg.memdesc<8x4xi32, #flat, #smem, mutable, 16x8> -> tensor<8x4xi32, #m>
  %r = tt.reshape %y allow_reorder : tensor<8x4xi32, #m> -> tensor<32xi32, #l>
)",
                                   store1D(32, "#l"))
                            .insert(0, kSharedLayouts),
                        32);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 4; ++column)
      ASSERT_EQ(sliced[row * 4 + column], value(row + 8, column + 4));

  auto reshaped = runTile(tileKernel(R"(
  %s = ttg.local_alloc %x : (tensor<16x8xi32, #m>) -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  %v = ttg.memdesc_reshape %s : !ttg.memdesc<16x8xi32, #flat, #smem, mutable> -> !ttg.memdesc<8x16xi32, #flat, #smem, mutable>
  %y = ttg.local_load %v : !ttg.memdesc<8x16xi32, #flat, #smem, mutable> -> tensor<8x16xi32, #m>
  %r = tt.reshape %y allow_reorder : tensor<8x16xi32, #m> -> tensor<128xi32, #l>
)",
                                     store1D(128, "#l"))
                              .insert(0, kSharedLayouts),
                          128);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(reshaped[i], value(i / 8, i % 8));
}

namespace {

/// Copies two tiles into a ring of two buffers and reads one of them after `wait`.
std::string ringKernel(const std::string &wait, int index) {
  return tileKernel(R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pick = arith.constant )" +
                        std::to_string(index) + R"( : i32
  %s = ttg.local_alloc : () -> !ttg.memdesc<2x16x8xi32, #swizzled, #smem, mutable>
  %s0 = ttg.memdesc_index %s[%c0] : !ttg.memdesc<2x16x8xi32, #swizzled, #smem, mutable> -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %s1 = ttg.memdesc_index %s[%c1] : !ttg.memdesc<2x16x8xi32, #swizzled, #smem, mutable> -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %t0 = ttg.async_copy_global_to_local %a, %s0 : tensor<16x8x!tt.ptr<i32>, #m> -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %g0 = ttg.async_commit_group tokens %t0
  %two = arith.constant dense<2> : tensor<16x8xi32, #m>
  %even = arith.remsi %i, %two : tensor<16x8xi32, #m>
  %zero = arith.constant dense<0> : tensor<16x8xi32, #m>
  %mask = arith.cmpi eq, %even, %zero : tensor<16x8xi32, #m>
  %t1 = ttg.async_copy_global_to_local %a, %s1 mask %mask : tensor<16x8x!tt.ptr<i32>, #m> -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %g1 = ttg.async_commit_group tokens %t1
)" + wait + R"(
  %v = ttg.memdesc_index %s[%pick] : !ttg.memdesc<2x16x8xi32, #swizzled, #smem, mutable> -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %r = ttg.local_load %v : !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable> -> tensor<16x8xi32, #m>
)",
                    kStore2D)
      .insert(0, kSharedLayouts);
}

} // namespace

TEST(SharedMemory, AsyncCopiesArriveGroupByGroup) {
  auto first = runTile(ringKernel("%w = ttg.async_wait %g0 {num = 1 : i32}", 0), 128);
  auto second = runTile(ringKernel("%w = ttg.async_wait %g1 {num = 0 : i32}", 1), 128);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(first[i], value(i / 8, i % 8));
    EXPECT_EQ(second[i], i % 2 ? 0 : value(i / 8, i % 8));
  }
}

TEST(SharedMemory, ReadingAnUnfinishedCopyIsAFault) {
  for (const char *wait : {"", "%w = ttg.async_wait %g0 {num = 1 : i32}"}) {
    Kernel kernel(ringKernel(wait, 1));
    std::vector<int32_t> source(128), out(128);
    kernel.buffer("src", source).buffer("out", out);
    EXPECT_FALSE(kernel.run());
    EXPECT_EQ(kernel.firstKind(), Kind::UnfinishedCopyRead) << kernel.allMessages();
  }
}

TEST(SharedMemory, ReadingWhatNobodyWroteIsAFault) {
  Kernel kernel(tileKernel(R"(
  %s = ttg.local_alloc : () -> !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable>
  %r = ttg.local_load %s : !ttg.memdesc<16x8xi32, #swizzled, #smem, mutable> -> tensor<16x8xi32, #m>
)",
                           kStore2D)
                    .insert(0, kSharedLayouts));
  std::vector<int32_t> source(128), out(128);
  kernel.buffer("src", source).buffer("out", out);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::UninitializedSharedRead) << kernel.allMessages();
}

TEST(SharedMemory, RingIndicesAreChecked) {
  Kernel kernel(ringKernel("%w = ttg.async_wait %g0 {num = 0 : i32}", 2));
  std::vector<int32_t> source(128), out(128);
  kernel.buffer("src", source).buffer("out", out);
  EXPECT_FALSE(kernel.run());
  EXPECT_EQ(kernel.firstKind(), Kind::ElementIndexOutOfRange) << kernel.allMessages();
}

TEST(SharedMemory, AllocationOffsetsOfTheModuleAreTakenAsTheyAre) {
  // Two live buffers at one place: the second store clobbers the first.
  auto out = runTile(tileKernel(R"(
  %y = arith.addi %x, %x : tensor<16x8xi32, #m>
  %s = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  %t = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  ttg.local_store %x, %s : tensor<16x8xi32, #m> -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  ttg.local_store %y, %t : tensor<16x8xi32, #m> -> !ttg.memdesc<16x8xi32, #flat, #smem, mutable>
  %r = ttg.local_load %s : !ttg.memdesc<16x8xi32, #flat, #smem, mutable> -> tensor<16x8xi32, #m>
)",
                                kStore2D)
                         .insert(0, kSharedLayouts),
                     128);
  EXPECT_EQ(out[5], 2 * value(0, 5));
}
