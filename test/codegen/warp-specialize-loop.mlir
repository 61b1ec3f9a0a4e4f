// Partitions in a loop: their warps go back to wait for the next announcement.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #s, #smem, mutable>

// The meetings behind a partition stand in front of where it asks what to do.
// CHECK: atom.shared.or.b32
// CHECK-NOT: barrier.sync
// CHECK: mbarrier.arrive.shared::cta.b64 _
// CHECK-NEXT: // end inline asm
// CHECK-NEXT: bra.uni $L__BB
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @often(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttg.warp_specialize(%bar)
      default {
        ttg.warp_yield
      }
      partition0(%b: !bar) num_warps(1) {
        ttng.arrive_barrier %b, 1 : !bar
        ttg.warp_return
      } : (!bar) -> ()
    }
    tt.return
  }
}
