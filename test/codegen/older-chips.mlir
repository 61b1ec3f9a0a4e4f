// What came with Hopper is refused for older chips at its place, never by ptxas.
// RUN: split-file %s %t
// RUN: not gluonc compile %t/fence.mlir --target cuda:80 --emit ptx 2>&1 | FileCheck %s --check-prefix=FENCE
// RUN: not gluonc compile %t/expect.mlir --target cuda:89 --emit ptx 2>&1 | FileCheck %s --check-prefix=EXPECT
// RUN: not gluonc compile %t/registers.mlir --target cuda:86 --emit ptx 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not gluonc compile %t/cluster.mlir --target cuda:80 --emit ptx 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: gluonc compile %t/fence.mlir --target cuda:90a --emit ptx -o %t/fence.ptx
// RUN: gluonc compile %t/registers.mlir --target cuda:90a --emit ptx -o %t/registers.ptx

// FENCE: fence.mlir:4:5: error: `ttng.fence_async_shared` has no machine code yet on cuda:80 [GL4001 UnsupportedInCodegen]
// EXPECT: expect.mlir:8:5: error: `ttng.barrier_expect` has no machine code yet on cuda:89
// REGISTERS: registers.mlir:4:5: error: a number of registers for each partition has no machine code yet on cuda:86
// CLUSTER: cluster.mlir:3:3: error: a cluster of several CTAs has no machine code yet on cuda:80

//--- fence.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fence() {
    ttng.fence_async_shared {bCluster = false}
    tt.return
  }
}
//--- expect.mlir
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @expect(%p: i1) {
    %bar = ttg.local_alloc : () -> !bar
    ttng.init_barrier %bar, 1 : !bar
    ttng.barrier_expect %bar, 64, %p : !bar
    tt.return
  }
}
//--- registers.mlir

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @registers(%p: !tt.ptr<i32>, %n: i32) {
    ttg.warp_specialize(%p, %n) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield
    }
    partition0(%q: !tt.ptr<i32>, %m: i32) num_warps(4) {
      tt.store %q, %m : !tt.ptr<i32>
      ttg.warp_return
    } : (!tt.ptr<i32>, i32) -> ()
    tt.return
  }
}
//--- cluster.mlir

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster() {
    tt.return
  }
}
