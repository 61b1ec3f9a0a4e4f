// A call reaches other CTAs if what is called does: CTAs meet before the next such call, and before
// the kernel ends.
// RUN: gluon-opt %s -gluonc-allocate-shared -gluonc-insert-cluster-barriers | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func private @sum
  // CHECK-NOT: ttng.cluster_barrier
  tt.func private @sum(%n: i32) -> i32 attributes {noinline = true} {
    %x = tt.splat %n : i32 -> tensor<1024xi32, #l>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<1024xi32, #l>) -> i32
    tt.return %s : i32
  }
  tt.func private @through(%n: i32) -> i32 attributes {noinline = true} {
    %s = tt.call @sum(%n) : (i32) -> i32
    tt.return %s : i32
  }
  tt.func private @alone(%n: i32) -> i32 attributes {noinline = true} {
    tt.return %n : i32
  }

  // CHECK-LABEL: @reaches
  // CHECK: tt.call @sum
  // CHECK-NEXT: ttng.cluster_barrier
  // CHECK-NEXT: tt.call @through
  // CHECK-NEXT: ttng.cluster_barrier
  // CHECK-NEXT: tt.return
  tt.func public @reaches(%n: i32) {
    %s = tt.call @sum(%n) : (i32) -> i32
    %t = tt.call @through(%s) : (i32) -> i32
    tt.return
  }

  // CHECK-LABEL: @stays
  // CHECK-NOT: ttng.cluster_barrier
  tt.func public @stays(%n: i32) {
    %s = tt.call @alone(%n) : (i32) -> i32
    %t = tt.call @alone(%s) : (i32) -> i32
    tt.return
  }
}
