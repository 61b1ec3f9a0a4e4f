// RUN: gluon-opt %s -gluonc-inline | FileCheck %s
// RUN: gluon-opt %s -gluonc-inline -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-NOT: @square
  tt.func private @square(%x: f32) -> f32 {
    %0 = arith.mulf %x, %x : f32 loc("k.py":3:9)
    tt.return %0 : f32
  ^dead:
    %1 = arith.constant 0.0 : f32
    tt.return %1 : f32
  }
  // CHECK-NOT: @fourth
  tt.func private @fourth(%x: f32) -> f32 {
    %0 = tt.call @square(%x) : (f32) -> f32 loc("k.py":6:9)
    %1 = tt.call @square(%0) : (f32) -> f32
    tt.return %1 : f32
  }
  // CHECK: tt.func private @kept
  tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
    // CHECK-NEXT: arith.mulf
    %0 = tt.call @square(%x) : (f32) -> f32
    tt.return %0 : f32
  }
  tt.func private @early(%x: f32, %c: i1) -> f32 {
    cf.cond_br %c, ^a, ^b
  ^a:
    tt.return %x : f32
  ^b:
    %0 = arith.negf %x : f32
    tt.return %0 : f32
  }
  // CHECK-LABEL: @nested
  tt.func public @nested(%p: !tt.ptr<f32>, %x: f32) {
    // CHECK-NEXT: arith.mulf
    // CHECK-NEXT: arith.mulf
    // LOC-DAG: loc(callsite(#loc{{[0-9]*}} at #loc{{[0-9]*}}))
    %0 = tt.call @fourth(%x) : (f32) -> f32 loc("k.py":9:9)
    // CHECK-NEXT: tt.store
    tt.store %p, %0 : !tt.ptr<f32>
    // CHECK-NEXT: tt.call @kept
    %1 = tt.call @kept(%x) : (f32) -> f32
    tt.return
  }
  // CHECK-LABEL: @early_return
  tt.func public @early_return(%x: f32, %c: i1) -> f32 {
    // CHECK-NEXT: cf.cond_br
    // CHECK-NOT: tt.call
    %0 = tt.call @early(%x, %c) : (f32, i1) -> f32
    // CHECK: ^bb3(%[[R:.*]]: f32):
    // CHECK-NEXT: tt.return %[[R]]
    tt.return %0 : f32
  }
}
