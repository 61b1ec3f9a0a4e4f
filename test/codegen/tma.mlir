// A block of 64 x 256 halves, swizzled by rows of 64, takes four messages, one per warp: one
// instruction, run by the thread that each warp elects. The descriptor is the parameter itself.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

// CHECK: .param .align 64 .b8 copy_param_0[128]
// CHECK: mbarrier.init.shared::cta.b64 [%[[BAR:r[0-9]+]]], 1;
// CHECK: bar.sync {{.*}}0
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%[[BAR]]], 32768;
// CHECK: elect.sync
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [{{.*}}], [%[[DESC:rd[0-9]+]], {{.*}}], [%[[BAR]]];
// CHECK-NOT: complete_tx
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [%[[BAR]]]
// The thread that ends the barrier waits for those that still look at it.
// CHECK: bar.sync {{.*}}0
// CHECK: mbarrier.inval.shared::cta.b64 [%[[BAR]]];
// CHECK: bar.sync {{.*}}0
// CHECK: fence.proxy.async.shared::cta;
// CHECK: bar.sync {{.*}}0
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%[[DESC]], {{.*}}], [{{.*}}];
// CHECK-NOT: bulk.tensor
// CHECK: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.wait_group.read 0;

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<64x256xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @copy(%in: !tt.tensordesc<64x256xf16, #s>, %s0: i32, %s1: i32, %t0: i64, %t1: i64, %i: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    ttng.init_barrier %bar, 1 : !bar
    ttng.barrier_expect %bar, 32768, %true : !bar
    ttng.async_tma_copy_global_to_local %in[%i, %c0] %buf, %bar, %true : !tt.tensordesc<64x256xf16, #s>, !bar -> !buf
    ttng.wait_barrier %bar, %c0 : !bar
    ttng.inval_barrier %bar : !bar
    %x = ttg.local_load %buf : !buf -> tensor<64x256xf16, #l>
    %y = arith.addf %x, %x : tensor<64x256xf16, #l>
    ttg.local_store %y, %buf : tensor<64x256xf16, #l> -> !buf
    ttng.fence_async_shared {bCluster = false}
    ttng.async_tma_copy_local_to_global %in[%i, %c0] %buf : !tt.tensordesc<64x256xf16, #s>, !buf
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    tt.return
  }
}
