// Kernels that ask for too much or too little.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics -gluonc-resolve-layouts

#k = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @conflict(%p: tensor<256x!tt.ptr<i32>, #k>, %q: tensor<256x!tt.ptr<i32>, #l>) {
    // expected-error @+1 {{this tensor would need two layouts at once}}
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #gluon.auto_encoding>
    // expected-note @+1 {{BlockedLayout([1], [32], [4], [0]) is asked for here}}
    %x = gluon.set_auto_layout %r : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #k>
    // expected-note @+1 {{BlockedLayout([2], [32], [4], [0]) is asked for here}}
    %y = gluon.set_auto_layout %r : tensor<256xi32, #gluon.auto_encoding> -> tensor<256xi32, #l>
    tt.store %p, %x : tensor<256x!tt.ptr<i32>, #k>
    tt.store %q, %y : tensor<256x!tt.ptr<i32>, #l>
    tt.return
  }
}

// -----
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nothing(%p: !tt.ptr<f32>) {
    // expected-error @+1 {{nothing says which layout this tensor has}}
    %c = arith.constant dense<2.0> : tensor<256xf32, #gluon.auto_encoding>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #gluon.auto_encoding>
    tt.store %s, %c : tensor<256x!tt.ptr<f32>, #gluon.auto_encoding>
    tt.return
  }
}

// -----
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{a function that takes or returns tensors in AutoLayout or CoalescedLayout must be inlined}}
  tt.func private @f(%x: tensor<256xf32, #gluon.auto_encoding>) attributes {noinline = true} {
    tt.return
  }
}

// -----
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%p: !tt.ptr<f32>) {
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    // expected-error @+1 {{CoalescedLayout works with one CTA only}}
    %x = tt.load %s : tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.store %s, %x : tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.return
  }
}
