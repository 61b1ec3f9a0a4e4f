// Partitions get warps after the kernel's own, the largest first, and registers by groups of four
// warps; the default warps get what is left. Buffers of parts that run at the same time are apart,
// and nobody's barrier waits for another part.
// RUN: gluon-opt %s -gluonc-pipeline=cuda:90a | FileCheck %s
// RUN: gluon-opt %s -gluonc-pipeline=cuda:90a | gluon-opt -gluonc-pipeline=cuda:90a | FileCheck %s

#l4 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #s, #smem, mutable>
!buf = !ttg.memdesc<128xf32, #s, #smem, mutable>

// 12 warps share 65536 registers: 168 each at the start.
// CHECK: ttg.maxnreg = 168 : i32
// CHECK-SAME: "ttg.total-num-warps" = 12 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @f
  tt.func public @f(%x: tensor<128xf32, #l4>, %phase: i32, %p: !tt.ptr<f32>) {
    // CHECK: ttg.local_alloc {allocation.offset = [[BAR:[0-9]+]] : i32} : () -> !ttg.memdesc<1xi64
    %bar = ttg.local_alloc : () -> !bar
    // CHECK: ttng.init_barrier
    ttng.init_barrier %bar, 1 : !bar
    // No barrier: all meet at the start.
    // CHECK-NEXT: ttg.warp_specialize({{.*}}) attributes {actualRegisters = array<i32: 248, 48, 200>,
    // CHECK-SAME: warpGroupStartIds = array<i32: 8, 4>
    ttg.warp_specialize(%bar, %phase) attributes {requestedRegisters = array<i32: 41, 200>}
    default {
      // CHECK: ttg.local_alloc {allocation.offset = [[A:[0-9]+]] : i32} : () -> !ttg.memdesc<128xf32
      %buf = ttg.local_alloc : () -> !buf
      // CHECK: ttg.local_store
      ttg.local_store %x, %buf : tensor<128xf32, #l4> -> !buf
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_load
      %y = ttg.local_load %buf : !buf -> tensor<128xf32, #l4>
      ttg.local_store %y, %buf : tensor<128xf32, #l4> -> !buf
      // An arrival is a meeting.
      // CHECK: ttng.arrive_barrier
      ttng.arrive_barrier %bar, 1 : !bar
      // CHECK-NEXT: ttg.local_load
      %z = ttg.local_load %buf : !buf -> tensor<128xf32, #l4>
      ttg.local_store %z, %buf : tensor<128xf32, #l4> -> !buf
      ttg.warp_yield
    }
    partition0(%b0: !bar, %phase0: i32) num_warps(1) {
      ttng.wait_barrier %b0, %phase0 : !bar
      ttg.warp_return
    }
    partition1(%b1: !bar, %phase1: i32) num_warps(4) {
      // CHECK-NOT: allocation.offset = [[A]] :
      // CHECK: ttg.local_alloc {allocation.offset = {{[0-9]+}} : i32} : () -> !ttg.memdesc<128xf32
      %c = arith.constant dense<1.0> : tensor<128xf32, #l4>
      %buf = ttg.local_alloc : () -> !buf
      ttg.local_store %c, %buf : tensor<128xf32, #l4> -> !buf
      // CHECK: ttng.wait_barrier
      ttng.wait_barrier %b1, %phase1 : !bar
      // CHECK-NEXT: ttg.barrier local
      // CHECK-NEXT: ttg.local_load
      %y = ttg.local_load %buf : !buf -> tensor<128xf32, #l4>
      ttg.local_store %y, %buf : tensor<128xf32, #l4> -> !buf
      ttg.warp_return
    } : (!bar, i32) -> ()
    tt.return
  }
}
