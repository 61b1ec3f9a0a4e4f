// An operation without machine code is named at its place, and nothing aborts.
// RUN: not gluonc compile %s --target cuda:90 --emit ptx 2>&1 | FileCheck %s

// CHECK: unsupported.mlir:[[@LINE+9]]:{{.*}}error: `math.tan` has no machine code yet on cuda:90a
// CHECK-SAME: GL4001 UnsupportedInCodegen
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tangents(%p: !tt.ptr<f32>) attributes {noinline = false} {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %pb = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %pb, %i : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %f = arith.sitofp %i : tensor<128xi32, #blocked> to tensor<128xf32, #blocked>
    %h = math.tan %f : tensor<128xf32, #blocked>
    tt.store %a, %h : tensor<128x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
