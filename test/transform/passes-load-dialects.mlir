// A pass may be the first to use operations of a dialect.
// RUN: split-file %s %t
// RUN: gluon-opt %t/cluster.mlir -gluonc-allocate-shared -gluonc-insert-cluster-barriers | FileCheck %s --check-prefix=CLUSTER
// RUN: gluon-opt %t/layout.mlir -gluonc-resolve-layouts | FileCheck %s --check-prefix=LAYOUT

//--- cluster.mlir
// CLUSTER: ttng.cluster_barrier
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @reduction(%x: tensor<64x64xf32, #a>) {
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      tt.reduce.return %s : f32
    }) : (tensor<64x64xf32, #a>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #a}>>
    tt.return
  }
}

//--- layout.mlir
// LAYOUT: #ttg.blocked
// LAYOUT: @coalesced
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @coalesced(%p: !tt.ptr<f32>) {
    %0 = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #gluon.coalesced_encoding>
    %1 = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    %2 = tt.addptr %1, %0 : tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>, tensor<256xi32, #gluon.coalesced_encoding>
    %3 = tt.load %2 : tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.store %2, %3 : tensor<256x!tt.ptr<f32>, #gluon.coalesced_encoding>
    tt.return
  }
}
