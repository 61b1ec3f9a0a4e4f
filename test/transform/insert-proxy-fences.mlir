// Fences between threads and engines: none missing, none doubled.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-proxy-fences | FileCheck %s
// Where they stand already, nothing is added.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-proxy-fences -gluonc-insert-proxy-fences | FileCheck %s
// Threads meet behind a fence.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-proxy-fences -gluonc-insert-barriers | FileCheck %s --check-prefix=MEET

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!ring = !ttg.memdesc<2x64x64xf16, #s, #smem, mutable>
!tile = tensor<64x64xf16, #l>
!desc = !tt.tensordesc<64x64xf16, #s>
!sum = tensor<64x64xf32, #mma>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // A copy engine reads what threads stored.
  // CHECK-LABEL: @store_then_copy(
  // MEET-LABEL: @store_then_copy(
  tt.func public @store_then_copy(%d: !desc, %x: !tile, %i: i32) {
    %a = ttg.local_alloc : () -> !buf
    // CHECK: ttg.local_store
    // MEET: ttg.local_store
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK-NEXT: ttng.fence_async_shared {bCluster = false}
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    // MEET-NEXT: ttng.fence_async_shared
    // MEET-NEXT: ttg.barrier local
    // MEET-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !desc, !buf
    // Nobody wrote since.
    // CHECK-NEXT: ttng.async_tma_reduce
    ttng.async_tma_reduce add, %d[%i, %i] %a : !desc, !buf
    tt.return
  }

  // A barrier is no fence, a fence is one wherever it stands.
  // CHECK-LABEL: @there_already(
  tt.func public @there_already(%d: !desc, %x: !tile, %i: i32) {
    %a = ttg.local_alloc : () -> !buf
    // CHECK: ttg.local_store
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !desc, !buf
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    // CHECK: ttg.local_store
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK-NEXT: ttng.fence_async_shared
    ttng.fence_async_shared {bCluster = false}
    // CHECK-NEXT: ttg.barrier local
    ttg.barrier local
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !desc, !buf
    tt.return
  }

  // Products read operands that threads stored; what a copy brought needs nothing.
  // CHECK-LABEL: @products(
  tt.func public @products(%d: !desc, %x: !tile, %c: !sum, %i: i32, %p: i1) {
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !buf
    %b = ttg.local_alloc : () -> !buf
    // CHECK: ttng.async_tma_copy_global_to_local
    ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %bar, %p : !desc, !bar -> !buf
    // CHECK-NEXT: ttng.wait_barrier
    ttng.wait_barrier %bar, %i : !bar
    // CHECK-NEXT: ttng.warp_group_dot
    %0 = ttng.warp_group_dot %b, %b, %c {inputPrecision = 0 : i32} : !buf * !buf -> !sum
    // CHECK-NEXT: ttg.local_store
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttng.warp_group_dot
    %1 = ttng.warp_group_dot %a, %b, %0 {inputPrecision = 0 : i32} : !buf * !buf -> !sum
    tt.return
  }

  // A copy overwrites what threads read: one fence, in the loop.
  // CHECK-LABEL: @loop(
  tt.func public @loop(%d: !desc, %i: i32, %p: i1, %n: i32, %x: !tile) -> !tile {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !buf
    // CHECK: scf.for
    %r = scf.for %k = %zero to %n step %one iter_args(%sum = %x) -> (!tile) : i32 {
      // CHECK-NEXT: ttng.fence_async_shared
      // CHECK-NEXT: ttng.async_tma_copy_global_to_local
      ttng.async_tma_copy_global_to_local %d[%k, %i] %a, %bar, %p : !desc, !bar -> !buf
      // CHECK-NEXT: ttng.wait_barrier
      ttng.wait_barrier %bar, %i : !bar
      // CHECK-NEXT: ttg.local_load
      %y = ttg.local_load %a : !buf -> !tile
      %s = arith.addf %sum, %y : !tile
      // CHECK-NOT: fence
      scf.yield %s : !tile
    }
    // CHECK: tt.return
    tt.return %r : !tile
  }

  // The second fence covers what the first was for: in a loop that is seen at the end.
  // CHECK-LABEL: @loop_once(
  tt.func public @loop_once(%d: !desc, %i: i32, %p: i1, %n: i32, %x: !tile) {
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %a = ttg.local_alloc : () -> !buf
    // CHECK: scf.for
    scf.for %k = %zero to %n step %one : i32 {
      // CHECK-NEXT: ttng.async_tma_store_wait
      ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
      // CHECK-NEXT: ttg.local_store
      ttg.local_store %x, %a : !tile -> !buf
      // CHECK-NEXT: ttng.fence_async_shared
      // CHECK-NEXT: ttng.async_tma_copy_local_to_global
      ttng.async_tma_copy_local_to_global %d[%k, %i] %a : !desc, !buf
      // CHECK-NEXT: }
    }
    tt.return
  }

  // Other buffers, and other places of a ring, do not matter.
  // CHECK-LABEL: @elsewhere(
  tt.func public @elsewhere(%d: !desc, %x: !tile, %i: i32, %p: i1) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bar = ttg.local_alloc : () -> !bar
    %ring = ttg.local_alloc : () -> !ring
    %a = ttg.memdesc_index %ring[%zero] : !ring -> !buf
    %b = ttg.memdesc_index %ring[%one] : !ring -> !buf
    // CHECK: ttg.local_store
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %bar, %p : !desc, !bar -> !buf
    // CHECK-NEXT: ttg.memdesc_index
    %c = ttg.memdesc_index %ring[%i] : !ring -> !buf
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %c : !desc, !buf
    tt.return
  }

  // A fence on one way only is not enough.
  // CHECK-LABEL: @branches(
  tt.func public @branches(%d: !desc, %x: !tile, %i: i32, %p: i1) {
    %a = ttg.local_alloc : () -> !buf
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK: scf.if
    scf.if %p {
      // CHECK-NEXT: ttng.fence_async_shared {bCluster = false}
      // CHECK-NEXT: }
      ttng.fence_async_shared {bCluster = false}
    }
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !desc, !buf
    tt.return
  }

  // Copies to other CTAs need a fence of the cluster.
  // CHECK-LABEL: @multicast(
  tt.func public @multicast(%d: !desc, %x: !tile, %i: i32, %p: i1) {
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !buf
    %y = ttg.local_load %a : !buf -> !tile
    // CHECK: ttng.fence_async_shared {bCluster = false}
    ttng.fence_async_shared {bCluster = false}
    // CHECK-NEXT: ttng.fence_async_shared {bCluster = true}
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %bar, %p {multicast} : !desc, !bar -> !buf
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %bar, %p : !desc, !bar -> !buf
    tt.return
  }

  // What was stored before partitions, the engine of one may read; what partitions did, the kernel.
  // CHECK-LABEL: @partitions(
  tt.func public @partitions(%d: !desc, %x: !tile, %i: i32, %p: i1) {
    %a = ttg.local_alloc : () -> !buf
    %b = ttg.local_alloc : () -> !buf
    ttg.local_store %x, %a : !tile -> !buf
    // CHECK: ttg.warp_specialize
    ttg.warp_specialize(%a, %b, %d, %i) attributes {requestedRegisters = array<i32: 24>}
    default {
      // CHECK: ttg.local_load
      %y = ttg.local_load %b : !buf -> !tile
      // CHECK-NEXT: ttg.warp_yield
      ttg.warp_yield
    }
    // CHECK: partition0
    partition0(%pa: !buf, %pb: !buf, %pd: !desc, %pi: i32) num_warps(1) {
      // CHECK-NEXT: ttng.async_tma_copy_local_to_global %{{.*}} %[[PB:[^ ]*]] :
      ttng.async_tma_copy_local_to_global %pd[%pi, %pi] %pb : !desc, !buf
      // CHECK-NEXT: ttng.fence_async_shared
      // CHECK-NEXT: ttng.async_tma_copy_local_to_global
      ttng.async_tma_copy_local_to_global %pd[%pi, %pi] %pa : !desc, !buf
      ttg.warp_return
    } : (!buf, !buf, !desc, i32) -> ()
    // CHECK: ttg.local_alloc
    %bar = ttg.local_alloc : () -> !bar
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %bar, %p : !desc, !bar -> !buf
    tt.return
  }

  // Functions that stay are taken to touch everything, before and behind.
  // CHECK-LABEL: @callee(
  tt.func private @callee(%d: !desc, %a: !buf, %i: i32) attributes {noinline = true} {
    %mine = ttg.local_alloc : () -> !buf
    // CHECK: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %mine : !desc, !buf
    tt.return
  }
  // CHECK-LABEL: @caller(
  tt.func public @caller(%d: !desc, %i: i32) {
    %a = ttg.local_alloc : () -> !buf
    // CHECK: tt.call
    tt.call @callee(%d, %a, %i) : (!desc, !buf, i32) -> ()
    // CHECK-NEXT: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_local_to_global
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !desc, !buf
    tt.return
  }

  // Scratch of an exchange lies where a buffer lies later.
  // CHECK-LABEL: @scratch(
  tt.func public @scratch(%d: !desc, %x: tensor<64x64xf16, #l>, %i: i32, %p: i1) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>> {
    %0 = ttg.convert_layout %x : tensor<64x64xf16, #l> -> tensor<64x64xf16, #mma>
    // CHECK: ttg.convert_layout
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !buf
    // CHECK: ttng.fence_async_shared
    // CHECK-NEXT: ttng.async_tma_copy_global_to_local
    ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %bar, %p : !desc, !bar -> !buf
    %1 = arith.extf %0 : tensor<64x64xf16, #mma> to tensor<64x64xf32, #mma>
    %2 = "tt.reduce"(%1) ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) {axis = 1 : i32} : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    tt.return %2 : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  }
}
