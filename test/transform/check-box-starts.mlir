// RUN: gluon-opt %s -verify-diagnostics -gluonc-check-box-starts

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<64x64xf16, #s>
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Any row will do; what is not known is left to the simulator.
  tt.func public @starts(%d: !desc, %buf: !buf, %bar: !bar, %i: i32) {
    %true = arith.constant true
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %before = arith.constant -1 : i32
    ttng.async_tma_copy_global_to_local %d[%c4, %c8] %buf, %bar, %true : !desc, !bar -> !buf
    ttng.async_tma_copy_global_to_local %d[%c4, %i] %buf, %bar, %true : !desc, !bar -> !buf
    // expected-warning @+1 {{the box begins at element 4 of the last dim, byte 8 of a row; a GPU begins at multiples of 16 bytes only}}
    ttng.async_tma_copy_global_to_local %d[%c8, %c4] %buf, %bar, %true : !desc, !bar -> !buf
    // expected-warning @+2 {{what a bulk copy stores begins at -1 of dim 1; only loads may begin before the tensor does}}
    // expected-warning @+1 {{element -1 of the last dim, byte -2}}
    ttng.async_tma_copy_local_to_global %d[%c8, %before] %buf : !desc, !buf
    // expected-warning @+1 {{element 4 of the last dim, byte 8}}
    ttng.async_tma_reduce add, %d[%c8, %c4] %buf : !desc, !buf
    tt.return
  }
}
