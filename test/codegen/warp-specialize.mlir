// Workers wait at barrier 1 for the number of what to do; partitions meet at barriers of their own,
// one of a single warp without hardware barrier. A captured scalar that is computed goes through
// shared memory, buffers and arguments do not.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

#l4 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #s, #smem, mutable>

// CHECK: .entry two(
// CHECK: .reqntid 256
// CHECK: .maxnreg 248
// CHECK: mbarrier.init.shared::cta.b64
// CHECK: st.volatile.shared.b32
// CHECK: atom.shared.exch.b32
// CHECK: barrier.sync 1, 256;
// CHECK: bar.sync 0, 128;
// CHECK: mbarrier.arrive.shared::cta.b64 _
// CHECK: barrier.sync 1, 256;
// CHECK: atom.shared.exch.b32
// CHECK: barrier.sync 1, 256;
// CHECK: barrier.sync 1, 256;
// CHECK: atom.shared.or.b32
// CHECK: shfl.sync.idx.b32
// CHECK: setmaxnreg.dec.sync.aligned.u32 24;
// CHECK: ld.volatile.shared.b32 %[[PHASE:r[0-9]+]]
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [{{.*}}], %[[PHASE]];
// CHECK: bar.warp.sync
// CHECK: mbarrier.arrive.shared::cta.b64 _
// Registers are taken back behind the meeting: no warp without a part may take them earlier.
// CHECK: barrier.sync 1, 256;
// CHECK: setmaxnreg.inc.sync.aligned.u32 248;
// Nothing else can be announced, so workers do not go back for it.
// CHECK: barrier.sync 1, 256;
// CHECK: ret;
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @two(%n: i32) {
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    %pid = tt.get_program_id x : i32
    %phase = arith.xori %pid, %n : i32
    ttg.warp_specialize(%bar, %phase) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttng.arrive_barrier %bar, 1 : !bar
      ttg.warp_yield
    }
    partition0(%b: !bar, %p: i32) num_warps(1) {
      ttng.wait_barrier %b, %p : !bar
      ttng.arrive_barrier %b, 1 : !bar
      ttg.warp_return
    } : (!bar, i32) -> ()
    tt.return
  }
}
