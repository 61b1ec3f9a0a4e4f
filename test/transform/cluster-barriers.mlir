// Where CTAs of a cluster meet in each other's shared memory without the program's knowledge.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-cluster-barriers | FileCheck %s
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-cluster-barriers -gluonc-insert-cluster-barriers | FileCheck %s

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#row = #ttg.slice<{dim = 1, parent = #a}>
#own = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#one = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[0, 1]]}>
#sb = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
!own = !ttg.memdesc<2xi64, #own, #smem, mutable>
!one = !ttg.memdesc<1xi64, #one, #smem, mutable>
!mine = !ttg.memdesc<64x64xf32, #sb, #smem, mutable>
!buf = !ttg.memdesc<64x64xf32, #s, #smem, mutable>

module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Others may still read the first scratch when the second is written in the same place; and
  // nobody leaves while others read.
  // CHECK-LABEL: @reductions(
  tt.func public @reductions(%x: tensor<64x64xf32, #a>) {
    // CHECK: tt.reduce
    // CHECK: }) {{.*}} -> tensor<64xf32
    // CHECK-NEXT: ttng.cluster_barrier{{$}}
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x64xf32, #a>) -> tensor<64xf32, #row>
    // CHECK-NEXT: tt.reduce
    // CHECK: }) {{.*}} -> tensor<64xf32
    // CHECK-NEXT: ttng.cluster_barrier{{$}}
    // CHECK-NEXT: tt.return
    %1 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x64xf32, #a>) -> tensor<64xf32, #row>
    tt.return
  }

  // What stays within CTAs costs nothing.
  // CHECK-LABEL: @within(
  // CHECK-NOT: cluster_barrier
  // CHECK: tt.return
  tt.func public @within(%x: tensor<64x64xf32, #a>) {
    %a = ttg.local_alloc %x : (tensor<64x64xf32, #a>) -> !buf
    %y = ttg.local_load %a : !buf -> tensor<64x64xf32, #a>
    tt.return
  }

  // CHECK-LABEL: @changed(
  tt.func public @changed(%x: tensor<64x64xf32, #a>) {
    // CHECK: ttg.convert_layout
    // CHECK-NEXT: ttng.cluster_barrier{{$}}
    // CHECK-NEXT: tt.return
    %y = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    tt.return
  }

  // The program's own buffer is its own business, until the end.
  // CHECK-LABEL: @own_business(
  tt.func public @own_business(%x: tensor<64x64xf32, #b>) {
    // CHECK: ttg.local_alloc
    // CHECK-NEXT: ttng.cluster_barrier
    // CHECK-NEXT: ttg.local_load
    // CHECK-NEXT: ttng.cluster_barrier
    // CHECK-NEXT: tt.return
    %a = ttg.local_alloc %x : (tensor<64x64xf32, #b>) -> !buf
    ttng.cluster_barrier
    %y = ttg.local_load %a : !buf -> tensor<64x64xf32, #b>
    tt.return
  }

  // A barrier that others signal is known to them before its first use, once for all of them.
  // CHECK-LABEL: @published(
  tt.func public @published(%n: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %a = ttg.local_alloc : () -> !one
    %b = ttg.local_alloc : () -> !own
    // CHECK: ttng.init_barrier
    // CHECK-NEXT: ttng.init_barrier
    // CHECK-NEXT: ttng.fence_mbarrier_init_release_cluster
    // CHECK-NEXT: ttng.cluster_barrier {relaxed = true}
    // CHECK-NEXT: ttng.arrive_barrier
    ttng.init_barrier %a, 1 : !one
    ttng.init_barrier %b, 1 : !own
    ttng.arrive_barrier %a, 1 : !one
    ttng.arrive_barrier %b, 1 : !own
    // CHECK-NOT: cluster
    // CHECK: ttng.wait_barrier
    ttng.wait_barrier %a, %c0 : !one
    // CHECK-NEXT: ttng.cluster_barrier{{$}}
    // CHECK-NEXT: tt.return
    tt.return
  }

  // A barrier of the cluster that stands there anyway will do.
  // CHECK-LABEL: @published_by_program(
  tt.func public @published_by_program(%n: i32) {
    %a = ttg.local_alloc : () -> !own
    // CHECK: ttng.init_barrier
    // CHECK-NEXT: ttng.fence_mbarrier_init_release_cluster
    // CHECK-NEXT: ttng.cluster_barrier{{$}}
    // CHECK-NEXT: ttng.arrive_barrier {{.*}}fromCTA
    ttng.init_barrier %a, 1 : !own
    ttng.cluster_barrier
    ttng.arrive_barrier %a, 1 {fromCTA = 0 : i32} : !own
    tt.return
  }

  // Nor do barriers cost anything that every CTA keeps to itself.
  // CHECK-LABEL: @private(
  // CHECK-NOT: cluster
  // CHECK: tt.return
  tt.func public @private(%n: i32) {
    %c0 = arith.constant 0 : i32
    %a = ttg.local_alloc : () -> !own
    ttng.init_barrier %a, 1 : !own
    ttng.arrive_barrier %a, 1 : !own
    ttng.wait_barrier %a, %c0 : !own
    tt.return
  }

  // In front of a loop, not in it.
  // CHECK-LABEL: @published_before_loop(
  tt.func public @published_before_loop(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !one
    // CHECK: ttng.init_barrier
    // CHECK: ttng.fence_mbarrier_init_release_cluster
    // CHECK-NEXT: ttng.cluster_barrier {relaxed = true}
    // CHECK-NEXT: scf.for
    // CHECK-NOT: fence
    ttng.init_barrier %a, 1 : !one
    scf.for %i = %c0 to %n step %c1 : i32 {
      ttng.arrive_barrier %a, 1 : !one
      ttng.wait_barrier %a, %c0 : !one
    }
    tt.return
  }

  // Parts that take over what others may still read: all meet before them, not in each iteration.
  // CHECK-LABEL: @before_parts(
  tt.func public @before_parts(%x: tensor<64x64xf32, #a>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zeros = arith.constant dense<0.0> : tensor<64x64xf32, #b>
    // CHECK: ttg.convert_layout
    // CHECK: ttng.cluster_barrier{{$}}
    // CHECK-NEXT: ttg.warp_specialize
    // CHECK-NOT: cluster_barrier
    // CHECK: tt.return
    %y = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ttg.warp_specialize(%n) attributes {warpGroupStartIds = array<i32: 4>}
    default {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %buffer = ttg.local_alloc %zeros : (tensor<64x64xf32, #b>) -> !mine
        %z = ttg.local_load %buffer : !mine -> tensor<64x64xf32, #b>
      }
      ttg.warp_yield
    }
    partition0(%m: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
