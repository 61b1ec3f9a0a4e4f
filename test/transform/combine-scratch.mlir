// Reductions, scans and atomics own scratch where threads of several warps must meet, and only
// there; uses of the same scratch are kept apart by a barrier.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-barriers | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @across_warps(
  tt.func public @across_warps(%x: tensor<128xf32, #wide>) {
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.reduce
    // CHECK: {allocation.offset = [[AT:[0-9]+]] : i32, allocation.size = 16 : i32}
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32, #wide>) -> f32
    // CHECK: ttg.barrier local
    // CHECK-NEXT: tt.scan
    // CHECK: {allocation.offset = [[AT]] : i32, allocation.size = 16 : i32}
    %1 = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<128xf32, #wide>) -> tensor<128xf32, #wide>
    tt.return
  }

  // CHECK-LABEL: @within_a_warp(
  tt.func private @within_a_warp(%x: tensor<4x32xf32, #rows>) {
    // CHECK-NOT: allocation.offset
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4x32xf32, #rows>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #rows}>>
    tt.return
  }

  // CHECK-LABEL: @copies_of_atomics(
  tt.func private @copies_of_atomics(%p: tensor<64x!tt.ptr<i64>, #wide>, %v: tensor<64xi64, #wide>) -> tensor<64xi64, #wide> {
    // CHECK: tt.atomic_rmw {{.*}}allocation.size = 512 : i32
    %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (tensor<64x!tt.ptr<i64>, #wide>, tensor<64xi64, #wide>) -> tensor<64xi64, #wide>
    // CHECK-NOT: allocation.offset
    %1 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (tensor<64x!tt.ptr<i64>, #wide>, tensor<64xi64, #wide>) -> tensor<64xi64, #wide>
    tt.return %0 : tensor<64xi64, #wide>
  }
}
