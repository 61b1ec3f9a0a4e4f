// What sizes scratch, or asks which threads hold an element, needs layouts.
// RUN: gluon-opt %s -verify-diagnostics -gluonc-allocate-shared
// RUN: gluon-opt %s -verify-diagnostics -gluonc-insert-barriers
// RUN: gluon-opt %s -verify-diagnostics -gluonc-legalize-combines

#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @unknown_layout(%x: tensor<64x64xf32, #gluon.auto_encoding>, %p: tensor<64x64x!tt.ptr<f32>, #m>) {
    // expected-error @+1 {{needs layouts that have been resolved}}
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #gluon.auto_encoding> -> tensor<64x64xf32, #m>
    tt.store %p, %0 : tensor<64x64x!tt.ptr<f32>, #m>
    tt.return
  }
}
