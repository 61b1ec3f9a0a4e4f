// RUN: gluon-opt %s -gluonc-inline | FileCheck %s
//
// A partition calls a function that calls one that asks not to be inlined. Its threads would meet
// at the barrier of the default warps, so nothing stays a call.

// CHECK-LABEL: tt.func public @kernel
// CHECK: partition0
// CHECK-NOT: tt.call
// CHECK: tt.store
// CHECK-NOT: tt.call
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @inner(%p: !tt.ptr<i32>) attributes {noinline = true} {
    %c = arith.constant 1 : i32
    tt.store %p, %c : !tt.ptr<i32>
    tt.return
  }
  tt.func private @outer(%p: !tt.ptr<i32>) attributes {noinline = false} {
    tt.call @inner(%p) : (!tt.ptr<i32>) -> ()
    tt.return
  }
  tt.func public @kernel(%p: !tt.ptr<i32>) {
    ttg.warp_specialize(%p)
    default {
      ttg.warp_yield
    }
    partition0(%q: !tt.ptr<i32>) num_warps(4) {
      tt.call @outer(%q) : (!tt.ptr<i32>) -> ()
      ttg.warp_return
    } : (!tt.ptr<i32>) -> ()
    tt.return
  }
}
