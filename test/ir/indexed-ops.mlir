// Operations at indices, on groups of elements and on fp4 print as they were read.
// RUN: gluon-opt %s | FileCheck %s
// RUN: gluon-opt %s | gluon-opt -mlir-print-op-generic | gluon-opt | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @indexed
  tt.func public @indexed(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %m: tensor<32x64xi1, #l>) {
    // CHECK: ttg.local_gather %arg0[%arg2] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #shared, #smem, mutable>, tensor<32x64xi32, #blocked> -> tensor<32x64xf32, #blocked>
    %0 = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<32x64xi32, #l> -> tensor<32x64xf32, #l>
    // CHECK: ttg.local_scatter %arg0[%arg2], %arg1 {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #shared, #smem, mutable>, tensor<32x64xi32, #blocked>, tensor<32x64xf32, #blocked>
    ttg.local_scatter %b[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<32x64xi32, #l>, tensor<32x64xf32, #l>
    // CHECK: ttg.local_atomic_scatter_rmw fadd, %arg0[%arg2], %arg1, %arg3 {axis = 0 : i32} : (!ttg.memdesc<64x64xf32, #shared, #smem, mutable>, tensor<32x64xf32, #blocked>, tensor<32x64xi32, #blocked>, tensor<32x64xi1, #blocked>) -> tensor<32x64xf32, #blocked>
    %1 = ttg.local_atomic_scatter_rmw fadd, %b[%i], %v, %m {axis = 0 : i32} : (!ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<32x64xf32, #l>, tensor<32x64xi32, #l>, tensor<32x64xi1, #l>) -> tensor<32x64xf32, #l>
    tt.return
  }
  // CHECK-LABEL: @mapped
  tt.func public @mapped(%v: tensor<32x64xf32, #l>, %p: !tt.ptr<i32>, %n: i32, %t: i64) {
    // CHECK: "tt.map_elementwise"(%arg0) <{pack = 2 : i32}>
    // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : f32, f32
    %0 = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      tt.map_elementwise.return %c, %a : f32, f32
    }) : (tensor<32x64xf32, #l>) -> tensor<32x64xf32, #l>
    // CHECK: tt.atomic_poll acquire, gpu, %arg1, %arg2 : !tt.ptr<i32>, i32 -> i1
    %1 = tt.atomic_poll acquire, gpu, %p, %n : !tt.ptr<i32>, i32 -> i1
    // CHECK: tt.atomic_poll relaxed, sys, %arg1, %arg2 timeout %arg3 : !tt.ptr<i32>, i32 -> i1
    %2 = tt.atomic_poll relaxed, sys, %p, %n timeout %t : !tt.ptr<i32>, i32 -> i1
    // CHECK: tt.atomic_load acquire, gpu, %arg1 : (!tt.ptr<i32>) -> i32
    %3 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> i32
    // CHECK: tt.atomic_load relaxed, cta, %arg1, %{{.*}} : (!tt.ptr<i32>, i1) -> i32
    %4 = tt.atomic_load relaxed, cta, %p, %1 : (!tt.ptr<i32>, i1) -> i32
    // CHECK: tt.atomic_store release, sys, %arg1, %arg2 : !tt.ptr<i32>
    tt.atomic_store release, sys, %p, %n : !tt.ptr<i32>
    // CHECK: tt.atomic_store relaxed, gpu, %arg1, %arg2, %{{.*}} : !tt.ptr<i32>
    tt.atomic_store relaxed, gpu, %p, %n, %1 : !tt.ptr<i32>
    tt.return
  }
}
