// The whole pipeline on a kernel that transposes through shared memory; what comes out is stable.
// RUN: gluon-opt %s -gluonc-pipeline=cuda:90a | FileCheck %s
// RUN: gluon-opt %s -gluonc-pipeline=cuda:90a -o %t && gluon-opt %t -gluonc-pipeline=cuda:90a | FileCheck %s
// RUN: not gluon-opt %s -gluonc-pipeline=cuda:1 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: unknown target 'cuda:1'

#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory

// CHECK: ttg.shared = 4096 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @transpose
  tt.func public @transpose(%src: tensor<32x32x!tt.ptr<f32>, #m>, %dst: tensor<32x32x!tt.ptr<f32>, #m>) {
    // CHECK-NEXT: tt.load
    %x = tt.load %src : tensor<32x32x!tt.ptr<f32>, #m>
    // CHECK-NEXT: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #m>) -> !ttg.memdesc<32x32xf32, #s, #smem>
    // CHECK-NEXT: ttg.memdesc_trans
    %t = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf32, #s, #smem> -> !ttg.memdesc<32x32xf32, #st, #smem>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    %y = ttg.local_load %t : !ttg.memdesc<32x32xf32, #st, #smem> -> tensor<32x32xf32, #m>
    // CHECK-NEXT: tt.store
    tt.store %dst, %y : tensor<32x32x!tt.ptr<f32>, #m>
    tt.return
  }
}
