// Two CTAs with one half each of what the engine loads, then two with the same tile, which it loads
// once for both; and values stored from registers, counted by a barrier.
// RUN: split-file %s %t
// RUN: gluonc compile %t/multicast.ttgir --target cuda:90a --emit ptx | FileCheck %s --check-prefix=MULTI
// RUN: %if ptxas %{ gluonc compile %t/multicast.ttgir --target cuda:90a --emit cubin -o %t.cubin %}
// RUN: not gluonc compile %t/barrier.ttgir --target cuda:90a --emit ptx 2>&1 | FileCheck %s --check-prefix=BARRIER

// MULTI: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [
// The CTA with the copies' least number sends it, to the mask 3.
// MULTI: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{{.*}}], [{{.*}}], [{{.*}}], %rs{{[0-9]+}};
// MULTI: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [{{.*}}], {{.*}}, [{{.*}}];
// MULTI: barrier.cluster.wait.aligned;
// MULTI-NEXT: ret;

// A barrier of both cannot count what the engine brings to one.
// BARRIER: error: a bulk load that concerns another CTA has no machine code yet on cuda:90a

//--- multicast.ttgir
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#same = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 0]]}>
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<2xi64, #own, #smem, mutable>
!half = !ttg.memdesc<64x64xf16, #half, #smem, mutable>
!same = !ttg.memdesc<64x64xf16, #same, #smem, mutable>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @loads(%in: !tt.tensordesc<64x64xf16, #half>, %s0: i32, %s1: i32, %t0: i64, %t1: i64,
                        %all: !tt.tensordesc<64x64xf16, #same>, %u0: i32, %u1: i32, %v0: i64, %v1: i64) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #l>
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !half
    %b = ttg.local_alloc : () -> !same
    ttng.init_barrier %bar, 1 : !bar
    ttng.barrier_expect %bar, 12288, %true : !bar
    ttng.async_tma_copy_global_to_local %in[%c0, %c0] %a, %bar, %true : !tt.tensordesc<64x64xf16, #half>, !bar -> !half
    ttng.async_tma_copy_global_to_local %all[%c0, %c0] %b, %bar, %true {multicast} : !tt.tensordesc<64x64xf16, #same>, !bar -> !same
    ttng.wait_barrier %bar, %c0 : !bar
    ttng.barrier_expect %bar, 8192, %true : !bar
    ttng.async_shared_store %x, %b, %bar : tensor<64x64xf16, #l> -> !same, !bar
    tt.return
  }
}

//--- barrier.ttgir
#half = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #one, #smem, mutable>
!half = !ttg.memdesc<64x64xf16, #half, #smem, mutable>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @loads(%in: !tt.tensordesc<64x64xf16, #half>, %s0: i32, %s1: i32, %t0: i64, %t1: i64) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %bar = ttg.local_alloc : () -> !bar
    %a = ttg.local_alloc : () -> !half
    ttng.init_barrier %bar, 1 : !bar
    ttng.async_tma_copy_global_to_local %in[%c0, %c0] %a, %bar, %true : !tt.tensordesc<64x64xf16, #half>, !bar -> !half
    tt.return
  }
}
