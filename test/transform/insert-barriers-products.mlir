// A wait for warpgroups' products is one of each group of four warps: another may still be reading.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-barriers | FileCheck %s
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-barriers -gluonc-insert-barriers | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!a = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
!b = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @overwrites_operand(
  tt.func public @overwrites_operand(%x: tensor<128x64xf16, #mma>, %z: tensor<128x64xf32, #mma>) {
    %a = ttg.local_alloc : () -> !a
    %b = ttg.local_alloc : () -> !b
    %c = ttg.local_alloc : () -> !a
    // CHECK: ttng.warp_group_dot %
    %d = ttng.warp_group_dot %a, %b, %z {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> tensor<128x64xf32, #mma>
    // CHECK-NEXT: ttng.warp_group_dot_wait
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x64xf32, #mma>
    // What no product reads may be written at once.
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %c : tensor<128x64xf16, #mma> -> !a
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<128x64xf16, #mma> -> !a
    tt.return
  }

  // A barrier in front of the wait says nothing about the product.
  // CHECK-LABEL: @barrier_before_wait(
  tt.func public @barrier_before_wait(%x: tensor<128x64xf16, #mma>, %z: tensor<128x64xf32, #mma>) {
    %a = ttg.local_alloc : () -> !a
    %b = ttg.local_alloc : () -> !b
    // CHECK: ttng.warp_group_dot %
    %d = ttng.warp_group_dot %a, %b, %z {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> tensor<128x64xf32, #mma>
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    // CHECK-NEXT: ttng.warp_group_dot_wait
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x64xf32, #mma>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<128x64xf16, #mma> -> !a
    tt.return
  }

  // A product that is waited for at once.
  // CHECK-LABEL: @synchronous(
  tt.func public @synchronous(%x: tensor<128x64xf16, #mma>, %z: tensor<128x64xf32, #mma>) {
    %a = ttg.local_alloc : () -> !a
    %b = ttg.local_alloc : () -> !b
    // CHECK: ttng.warp_group_dot %
    %d = ttng.warp_group_dot %a, %b, %z {inputPrecision = 0 : i32} : !a * !b -> tensor<128x64xf32, #mma>
    // CHECK-NEXT: ttg.barrier local
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : tensor<128x64xf16, #mma> -> !a
    tt.return
  }

  // Where all meet for the copy's barrier object anyway, that is enough.
  // CHECK-LABEL: @ring(
  tt.func public @ring(%in: !tt.tensordesc<128x64xf16, #s>, %s0: i32, %s1: i32, %t0: i64, %t1: i64, %z: tensor<128x64xf32, #mma>, %n: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !a
    %b = ttg.local_alloc : () -> !b
    %bar = ttg.local_alloc : () -> !bar
    // CHECK: ttng.init_barrier
    ttng.init_barrier %bar, 1 : !bar
    // CHECK: scf.for
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (tensor<128x64xf32, #mma>) : i32 {
      // CHECK-NEXT: ttng.barrier_expect
      ttng.barrier_expect %bar, 16384, %true : !bar
      // CHECK-NEXT: ttng.async_tma_copy_global_to_local
      ttng.async_tma_copy_global_to_local %in[%c0, %i] %a, %bar, %true : !tt.tensordesc<128x64xf16, #s>, !bar -> !a
      // CHECK-NEXT: ttng.wait_barrier
      ttng.wait_barrier %bar, %c0 : !bar
      // CHECK-NEXT: ttng.warp_group_dot %
      %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32, isAsync = true} : !a * !b -> tensor<128x64xf32, #mma>
      // CHECK-NEXT: ttng.warp_group_dot_wait
      %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<128x64xf32, #mma>
      // CHECK-NEXT: scf.yield
      scf.yield %w : tensor<128x64xf32, #mma>
    }
    tt.return
  }
}
