// A tensor that no GPU holds is refused with its size before ptxas takes minutes for it.
// RUN: not gluonc compile %s --target cuda:90a --emit cubin 2>&1 | FileCheck %s

// CHECK: large-tensor.mlir:[[@LINE+5]]:{{.*}}error: a tensor of 8192 elements a thread, 2048 at most, has no machine code yet on cuda:90a
// CHECK-SAME: GL4001 UnsupportedInCodegen
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @million(%p: !tt.ptr<i32>) attributes {noinline = false} {
    %i = tt.make_range {end = 1048576 : i32, start = 0 : i32} : tensor<1048576xi32, #blocked>
    %pb = tt.splat %p : !tt.ptr<i32> -> tensor<1048576x!tt.ptr<i32>, #blocked>
    %a = tt.addptr %pb, %i : tensor<1048576x!tt.ptr<i32>, #blocked>, tensor<1048576xi32, #blocked>
    tt.store %a, %i : tensor<1048576x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
