// RUN: gluon-opt %s -split-input-file -verify-diagnostics -gluonc-check-barrier-bytes

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<64x64xf16, #s>
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!bars = !ttg.memdesc<2x1xi64, #b, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Twice what comes.
  tt.func public @too_many(%d: !desc, %i: i32) {
    %true = arith.constant true
    %buf = ttg.local_alloc : () -> !buf
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    // expected-error @+1 {{the barrier expects 16384 bytes, but the copies for it bring 8192: its phase never ends}}
    ttng.barrier_expect %bar, 16384, %true : !bar
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %true : !desc, !bar -> !buf
    // expected-note @+1 {{this would wait for ever}}
    ttng.wait_barrier %bar, %i : !bar
    tt.return
  }
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<64x64xf16, #s>
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Nobody says what comes.
  tt.func public @none(%d: !desc, %i: i32) {
    %true = arith.constant true
    %buf = ttg.local_alloc : () -> !buf
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    // expected-error @+1 {{the barrier expects 0 bytes, but the copies for it bring 8192: its bytes never add up}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %true : !desc, !bar -> !buf
    ttng.arrive_barrier %bar, 1 : !bar
    // expected-note @+1 {{this would wait for ever}}
    ttng.wait_barrier %bar, %i : !bar
    tt.return
  }
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<64x64xf16, #s>
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!bars = !ttg.memdesc<2x1xi64, #b, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // In a ring, too few.
  tt.func public @too_few(%d: !desc, %i: i32) {
    %true = arith.constant true
    %buf = ttg.local_alloc : () -> !buf
    %bars = ttg.local_alloc : () -> !bars
    %bar = ttg.memdesc_index %bars[%i] : !bars -> !bar
    // expected-warning @+1 {{the barrier expects 8192 bytes, but the copies for it bring 16384: its bytes never add up}}
    ttng.barrier_expect %bar, 8192, %true : !bar
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %true : !desc, !bar -> !buf
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %true : !desc, !bar -> !buf
    tt.return
  }
}

// -----

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<64x64xf16, #s>
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Nothing is said where sums agree, where a loop may make up for what lacks, where conditions
  // differ, and where another function may copy.
  tt.func public @fine(%d: !desc, %i: i32, %p: i1) {
    %true = arith.constant true
    %buf = ttg.local_alloc : () -> !buf
    %equal = ttg.local_alloc : () -> !bar
    ttng.barrier_expect %equal, 8192, %p : !bar
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %equal, %p : !desc, !bar -> !buf
    %loop = ttg.local_alloc : () -> !bar
    ttng.barrier_expect %loop, 16384, %true : !bar
    scf.for %k = %i to %i step %i : i32 {
      ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %loop, %true : !desc, !bar -> !buf
    }
    %differ = ttg.local_alloc : () -> !bar
    ttng.barrier_expect %differ, 8192, %true : !bar
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %differ, %p : !desc, !bar -> !buf
    %passed = ttg.local_alloc : () -> !bar
    ttng.barrier_expect %passed, 8192, %true : !bar
    tt.call @copies(%d, %buf, %passed) : (!desc, !buf, !bar) -> ()
    tt.return
  }
  tt.func private @copies(%d: !desc, %buf: !buf, %bar: !bar) attributes {noinline = true} {
    tt.return
  }
}
