// A copy of fewer than 4 neighbouring bytes per thread is refused at its place.
// RUN: not gluonc compile %s --target cuda:90 --emit ptx 2>&1 | FileCheck %s

// CHECK: async-copy-narrow.mlir:[[@LINE+9]]:{{.*}}error: an asynchronous copy of 2 neighbouring bytes per thread (4, 8 or 16 are possible) has no machine code
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fetch(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %ab = tt.splat %a : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #blocked>
    %ap = tt.addptr %ab, %r : tensor<128x!tt.ptr<f16>, #blocked>, tensor<128xi32, #blocked>
    %x = ttg.local_alloc : () -> !ttg.memdesc<128xf16, #shared, #ttg.shared_memory, mutable>
    %t = ttg.async_copy_global_to_local %ap, %x : tensor<128x!tt.ptr<f16>, #blocked> -> <128xf16, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}
