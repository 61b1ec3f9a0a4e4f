// Two copies of two messages each for one barrier object, and four warps: the second copy is sent by
// the warps that the first leaves free, so that no warp sends twice.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

// CHECK: shfl.sync.idx.b32 [[WARP:%r[0-9]+]], {{%r[0-9]+}}, 0, 31, -1;
// CHECK: setp.lt.u32 {{%p[0-9]+}}, [[WARP]], 2;
// CHECK: complete_tx::bytes
// Two of four: the numbers from 2 on have bit 1.
// CHECK: shr.u32 [[HALF:%r[0-9]+]], [[WARP]], 1;
// CHECK: and.b32 [[BIT:%r[0-9]+]], [[HALF]], 1;
// CHECK: setp.ne.b32 [[FREE:%p[0-9]+]], [[BIT]], 0;
// CHECK: and.pred [[SENDS:%p[0-9]+]], {{.*}}[[FREE]];
// CHECK: @[[SENDS]] cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<16x128xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @copy(%a: !tt.tensordesc<16x128xf16, #s>, %s0: i32, %s1: i32, %t0: i64, %t1: i64, %c: !tt.tensordesc<16x128xf16, #s>, %s2: i32, %s3: i32, %t2: i64, %t3: i64, %i: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %x = ttg.local_alloc : () -> !buf
    %y = ttg.local_alloc : () -> !buf
    ttng.init_barrier %bar, 1 : !bar
    ttng.barrier_expect %bar, 8192, %true : !bar
    ttng.async_tma_copy_global_to_local %a[%i, %c0] %x, %bar, %true : !tt.tensordesc<16x128xf16, #s>, !bar -> !buf
    ttng.async_tma_copy_global_to_local %c[%i, %c0] %y, %bar, %true : !tt.tensordesc<16x128xf16, #s>, !bar -> !buf
    ttng.wait_barrier %bar, %c0 : !bar
    ttng.async_tma_copy_local_to_global %c[%i, %c0] %x : !tt.tensordesc<16x128xf16, #s>, !buf
    ttng.async_tma_copy_local_to_global %a[%i, %c0] %y : !tt.tensordesc<16x128xf16, #s>, !buf
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
}
