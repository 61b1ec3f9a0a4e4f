// Copies begin after the reads that follow them, in loops that keep many registers; they do not pass
// waits. Loops that keep few leave the order as it is.
// RUN: gluonc compile %s --target cuda:90 --emit ptx | FileCheck %s
// RUN: sed 's/8192/128/g' %s > %t.mlir
// RUN: gluonc compile %t.mlir --target cuda:90 --emit ptx | FileCheck %s --check-prefix FEW

// CHECK: $L__BB0_2:
// CHECK-NOT: cp.async
// CHECK-COUNT-16: ldmatrix
// CHECK-NOT: ldmatrix
// CHECK: cp.async.ca.shared.global
// CHECK: cp.async.ca.shared.global
// CHECK-NEXT: end inline asm
// CHECK-NEXT: cp.async.commit_group
// CHECK: bra
// CHECK: cp.async.wait_group 0

// FEW: cp.async.ca.shared.global
// FEW: ld.shared
// FEW: cp.async.wait_group 0
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<8192xf32, #s, #smem, mutable>
!next = !ttg.memdesc<256xf32, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ring(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<8192xf32, #b>
    %x = ttg.local_alloc %zero : (tensor<8192xf32, #b>) -> !buf
    %y = ttg.local_alloc : () -> !next
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %pb = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %from = tt.addptr %pb, %i : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    ttg.barrier local
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<8192xf32, #b>) : i32 {
      %copy = ttg.async_copy_global_to_local %from, %y : tensor<256x!tt.ptr<f32>, #b> -> !next
      %group = ttg.async_commit_group
      %v = ttg.local_load %x : !buf -> tensor<8192xf32, #b>
      %more = arith.addf %acc, %v : tensor<8192xf32, #b>
      scf.yield %more : tensor<8192xf32, #b>
    }
    %wait = ttg.async_wait {num = 0 : i32}
    %qb = tt.splat %q : !tt.ptr<f32> -> tensor<8192x!tt.ptr<f32>, #b>
    %j = tt.make_range {end = 8192 : i32, start = 0 : i32} : tensor<8192xi32, #b>
    %to = tt.addptr %qb, %j : tensor<8192x!tt.ptr<f32>, #b>, tensor<8192xi32, #b>
    tt.store %to, %sum : tensor<8192x!tt.ptr<f32>, #b>
    tt.return
  }
}
