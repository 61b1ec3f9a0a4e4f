// A buffer that a function gets from its callers: all threads read before one writes, also in the
// next iteration.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-barriers | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func private @f
  tt.func private @f(%b: !ttg.memdesc<64xi32, #s, #smem, mutable>, %n: i32) attributes {noinline = true} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.for
    // CHECK: ttg.barrier local
    // CHECK-NEXT: ttg.local_load
    // CHECK: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    // CHECK-NOT: ttg.barrier
    // CHECK: tt.return
    scf.for %i = %c0 to %n step %c1 : i32 {
      %x = ttg.local_load %b : !ttg.memdesc<64xi32, #s, #smem, mutable> -> tensor<64xi32, #l>
      %y = arith.addi %x, %x : tensor<64xi32, #l>
      ttg.local_store %y, %b : tensor<64xi32, #l> -> !ttg.memdesc<64xi32, #s, #smem, mutable>
    }
    tt.return
  }
  tt.func public @k(%n: i32) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<64xi32, #s, #smem, mutable>
    tt.call @f(%b, %n) : (!ttg.memdesc<64xi32, #s, #smem, mutable>, i32) -> ()
    tt.return
  }
}
