// Four CTAs: their number enters indices and masks like that of a warp, and what lies in another
// CTA is reached through the cluster's window of shared memory.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

// CHECK: .reqntid 128
// CHECK-NEXT: .explicitcluster
// CHECK-NEXT: .reqnctapercluster 4, 1, 1
// CHECK: %cluster_ctarank
// A program is a cluster.
// CHECK: %ctaid.x
// CHECK: mbarrier.init.shared::cta.b64 [{{.*}}], 12;
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: barrier.cluster.arrive.relaxed.aligned;
// CHECK: barrier.cluster.wait.aligned;
// The barrier lies in CTA 0.
// CHECK: mapa.shared::cluster.u32 [[BAR:%r[0-9]+]],
// CHECK: mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [[[BAR]]], 64;
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{{.*}}], 2;
// CHECK: bra.uni skip;
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// One thread of the CTAs whose number has the lower bit 0 signals both that differ there.
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{{.*}}], 1;
// The sum of each CTA, then of the four.
// CHECK: shfl.sync.bfly.b32
// CHECK: barrier.cluster.arrive.aligned;
// CHECK: barrier.cluster.wait.aligned;
// CHECK-COUNT-4: ld.shared::cluster.b32
// CHECK: barrier.cluster.arrive.aligned;
// CHECK: barrier.cluster.wait.aligned;
// CHECK: ret;

#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1], [2]]}>
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1], [2]]}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0], [0]]}>
#smem = #ttg.shared_memory
!own = !ttg.memdesc<4xi64, #own, #smem, mutable>
!one = !ttg.memdesc<1xi64, #one, #smem, mutable>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @sum(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %pid = tt.get_program_id x : i32
    %one = ttg.local_alloc : () -> !one
    %own = ttg.local_alloc : () -> !own
    ttng.init_barrier %one, 3 : !one
    ttng.init_barrier %own, 1 : !own
    ttng.barrier_expect %one, 64, %true : !one
    ttng.arrive_barrier %one, 2 : !one
    ttng.wait_barrier %one, %c0 : !one
    ttng.arrive_barrier %own, 1 {fromCTA = 2 : i32} : !own
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #l>
    %p = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
    %a = tt.addptr %p, %i : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
    %v = tt.load %a : tensor<512x!tt.ptr<f32>, #l>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%p0: f32, %q0: f32):
      %sum = arith.addf %p0, %q0 : f32
      tt.reduce.return %sum : f32
    }) : (tensor<512xf32, #l>) -> f32
    %to = tt.addptr %y, %pid : !tt.ptr<f32>, i32
    tt.store %to, %s : !tt.ptr<f32>
    tt.return
  }
}
