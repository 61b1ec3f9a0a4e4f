// Two default warps fill half a group of four: the other two have no part, yet meet the others twice.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #s, #smem, mutable>

// CHECK: .entry narrow(
// CHECK: .reqntid 384
// CHECK: shr.u32 %[[WARP:r[0-9]+]], %{{.*}}, 5;
// CHECK: shfl.sync.idx.b32 %[[SAME:r[0-9]+]], %[[WARP]]
// CHECK: shr.u32 %[[GROUP:r[0-9]+]], %[[SAME]], 2;
// CHECK: setp.eq.b32 %[[FIRST:p[0-9]+]], %[[GROUP]], 0;
// CHECK-NEXT: @%[[FIRST]] bra $L__BB0_[[NONE:[0-9]+]];
// CHECK: $L__BB0_[[NONE]]:
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: barrier.sync 1, 384;
// CHECK-NEXT: end inline asm
// CHECK-NEXT: begin inline asm
// CHECK-NEXT: barrier.sync 1, 384;
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @narrow(%n: i32) {
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    ttg.warp_specialize(%bar, %n)
    default {
      ttng.arrive_barrier %bar, 1 : !bar
      ttg.warp_yield
    }
    partition0(%b: !bar, %p: i32) num_warps(4) {
      ttng.wait_barrier %b, %p : !bar
      ttg.warp_return
    }
    partition1(%b: !bar, %p: i32) num_warps(4) {
      ttng.wait_barrier %b, %p : !bar
      ttg.warp_return
    } : (!bar, i32) -> ()
    tt.return
  }
}
