// Two rows of a thread: the elements of each are added one after the other, the first row first.
// (One row alone is a tree: reduce.ttgir.)
// RUN: gluonc compile %s --target cuda:90 --emit llir | FileCheck %s

// CHECK-LABEL: @two
// CHECK: %[[S:.*]] = fadd contract float %[[E:.*]], %[[F:.*]]
// CHECK-NEXT: %[[T:.*]] = fadd contract float %[[S]], %[[G:.*]]
// CHECK-NEXT: %[[U:.*]] = fadd contract float %[[T]], %[[H:.*]]
// CHECK-NEXT: %[[V:.*]] = fadd contract float %[[I:.*]], %[[J:.*]]
// CHECK-NEXT: %[[W:.*]] = fadd contract float %[[V]], %[[K:.*]]
// CHECK-NEXT: fadd contract float %[[W]], %[[M:.*]]
#two = #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>) attributes {noinline = false} {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #two}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #two}>> -> tensor<1x128xi32, #two>
    %b = tt.broadcast %e : tensor<1x128xi32, #two> -> tensor<8x128xi32, #two>
    %y = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #two}>>
    %z = tt.expand_dims %y {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #two}>> -> tensor<8x1xi32, #two>
    %k = tt.broadcast %z : tensor<8x1xi32, #two> -> tensor<8x128xi32, #two>
    %i = arith.addi %b, %k : tensor<8x128xi32, #two>
    %p = tt.splat %in : !tt.ptr<f32> -> tensor<8x128x!tt.ptr<f32>, #two>
    %q = tt.addptr %p, %i : tensor<8x128x!tt.ptr<f32>, #two>, tensor<8x128xi32, #two>
    %x = tt.load %q : tensor<8x128x!tt.ptr<f32>, #two>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %c: f32):
      %sum = arith.addf %a, %c : f32
      tt.reduce.return %sum : f32
    }) : (tensor<8x128xf32, #two>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #two}>>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #two}>>
    tt.store %o, %s : tensor<8x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #two}>>
    tt.return
  }
}
