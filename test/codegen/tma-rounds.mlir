// 16 x 512 halves are eight messages: four warps send them in two rounds. 16 x 128 are two: warps 2
// and 3 send nothing. Where a warp's message lies is arithmetic on its number.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

// CHECK: shfl.sync.idx.b32 [[WARP:%r[0-9]+]], {{%r[0-9]+}}, 0, 31, -1;
// CHECK: shl.b32 [[COLUMN:%r[0-9]+]], [[WARP]], 6;
// CHECK: @[[ELECTED:%p[0-9]+]] cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}, {[[COLUMN]], {{.*}}}]
// CHECK: add.s32 [[NEXT:%r[0-9]+]], [[COLUMN]], 256;
// CHECK: @[[ELECTED]] cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [{{.*}}], [{{.*}}, {[[NEXT]], {{.*}}}]
// CHECK-NOT: complete_tx
// CHECK: setp.lt.u32 [[SENDS:%p[0-9]+]], [[WARP]], 2;
// CHECK: and.pred [[BOTH:%p[0-9]+]], {{.*}}[[SENDS]];
// CHECK: @[[BOTH]] cp.async.bulk.tensor.2d.global.shared::cta.bulk_group
// CHECK-NOT: bulk.tensor
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!in = !ttg.memdesc<16x512xf16, #s, #smem, mutable>
!out = !ttg.memdesc<16x128xf16, #s, #smem, mutable, 16x512>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @copy(%in: !tt.tensordesc<16x512xf16, #s>, %s0: i32, %s1: i32, %t0: i64, %t1: i64, %out: !tt.tensordesc<16x128xf16, #s>, %s2: i32, %s3: i32, %t2: i64, %t3: i64, %i: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !in
    ttng.init_barrier %bar, 1 : !bar
    ttng.barrier_expect %bar, 16384, %true : !bar
    ttng.async_tma_copy_global_to_local %in[%i, %c0] %buf, %bar, %true : !tt.tensordesc<16x512xf16, #s>, !bar -> !in
    ttng.wait_barrier %bar, %c0 : !bar
    %view = ttg.memdesc_subslice %buf[0, 256] : !in -> !out
    ttng.async_tma_copy_local_to_global %out[%i, %c0] %view : !tt.tensordesc<16x128xf16, #s>, !out
    ttng.async_tma_store_wait {pendings = 0 : i32}
    tt.return
  }
}
