// One rejected program per rule of the tt operations; labels are those of TTOps.td.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics

// return_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{operand types must be the function's result types}}
    tt.return %x : f32
  }
}

// -----
// call_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{'g' is not a function}}
    tt.call @g(%x) : (f32) -> ()
    tt.return
  }
}

// -----
// call_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{type must be the callee's}}
    tt.call @f(%x) : (f32) -> f32
    tt.return
  }
}

// -----
// make_range_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{result must have one dimension of i32}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi64, #l>
    tt.return
  }
}

// -----
// make_range_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{result must have end - start elements}}
    %0 = tt.make_range {end = 64 : i32, start = 32 : i32} : tensor<64xi32, #l>
    tt.return
  }
}

// -----
// splat_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{operand must have the result's element type}}
    %0 = tt.splat %x : f32 -> tensor<64xf16, #l>
    tt.return
  }
}

// -----
// unsplat_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{operand must have exactly one element}}
    %0 = tt.unsplat %x : tensor<64xf32, #l>
    tt.return
  }
}

// -----
// expand_dims_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>>) {
    // expected-error @+1 {{axis must be at most the rank}}
    %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>> -> tensor<64x1xf32, #m>
    tt.return
  }
}

// -----
// expand_dims_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>>) {
    // expected-error @+1 {{with a 1 at the axis}}
    %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>> -> tensor<64x2xf32, #m>
    tt.return
  }
}

// -----
// expand_dims_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{operand must be a slice of the result's layout}}
    %0 = tt.expand_dims %x {axis = 1 : i32} : tensor<64xf32, #l> -> tensor<64x1xf32, #m>
    tt.return
  }
}

// -----
// broadcast_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x1xf32, #m>) {
    // expected-error @+1 {{only dimensions of size 1 can grow, got 64 to 128}}
    %0 = tt.broadcast %x : tensor<64x1xf32, #m> -> tensor<128x64xf32, #m>
    tt.return
  }
}

// -----
// broadcast_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{must have equal ranks}}
    %0 = tt.broadcast %x : tensor<64xf32, #l> -> tensor<64x64xf32, #m>
    tt.return
  }
}

// -----
// broadcast_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mt = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x1xf32, #m>) {
    // expected-error @+1 {{must have equal encodings}}
    %0 = tt.broadcast %x : tensor<64x1xf32, #m> -> tensor<64x64xf32, #mt>
    tt.return
  }
}

// -----
// broadcast_c3
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x1xf32, #m>) {
    // expected-error @+1 {{must have equal element types}}
    %0 = tt.broadcast %x : tensor<64x1xf32, #m> -> tensor<64x64xf16, #m>
    tt.return
  }
}

// -----
// reshape_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x1xf32, #m>) {
    // expected-error @+1 {{must agree in number and type of elements}}
    %0 = tt.reshape %x : tensor<64x1xf32, #m> -> tensor<128xf32, #l>
    tt.return
  }
}

// -----
// reshape_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xf32, #m>) {
    // expected-error @+1 {{elements must stay in their threads}}
    %0 = tt.reshape %x : tensor<64x64xf32, #m> -> tensor<4096xf32, #l>
    tt.return
  }
}

// -----
// trans_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mt = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x32xf32, #m>) {
    // expected-error @+1 {{order must be a permutation}}
    %0 = tt.trans %x {order = array<i32: 1, 1>} : tensor<64x32xf32, #m> -> tensor<32x64xf32, #mt>
    tt.return
  }
}

// -----
// trans_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mt = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x32xf32, #m>) {
    // expected-error @+1 {{result must be the operand's type permuted}}
    %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #m> -> tensor<64x32xf32, #mt>
    tt.return
  }
}

// -----
// trans_c3
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x32xf32, #m>) {
    // expected-error @+1 {{elements must stay in their threads}}
    %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf32, #m> -> tensor<32x64xf32, #m>
    tt.return
  }
}

// -----
// join_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<512xf32, #l>) {
    // expected-error @+1 {{with a last dimension of 2}}
    %0 = tt.join %x, %x : tensor<512xf32, #l> -> tensor<512x4xf32, #j>
    tt.return
  }
}

// -----
// join_c2
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<512xf32, #l1>) {
    // expected-error @+1 {{both halves must lie in one thread}}
    %0 = tt.join %x, %x : tensor<512xf32, #l1> -> tensor<512x2xf32, #j>
    tt.return
  }
}

// -----
// split_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<512x2xf32, #j>) {
    // expected-error @+1 {{with a last dimension of 2}}
    %0, %1 = tt.split %x : tensor<512x2xf32, #j> -> tensor<256xf32, #l>
    tt.return
  }
}

// -----
// split_c2
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<512x2xf32, #j>) {
    // expected-error @+1 {{both halves must lie in one thread}}
    %0, %1 = tt.split %x : tensor<512x2xf32, #j> -> tensor<512xf32, #l1>
    tt.return
  }
}

// -----
// elementwise_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{must agree in shape and encoding}}
    %0 = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32, #l> -> tensor<64xf16, #l1>
    tt.return
  }
}

// -----
// elementwise_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xi64, #l>) {
    // expected-error @+1 {{must agree in shape and encoding}}
    %0 = tt.int_to_ptr %x : tensor<64xi64, #l> -> tensor<32x!tt.ptr<f32>, #l>
    tt.return
  }
}

// -----
// bitcast_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{cannot turn 'f32' into 'i16'}}
    %0 = tt.bitcast %x : f32 -> i16
    tt.return
  }
}

// -----
// bitcast_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: i64) {
    // expected-error @+1 {{cannot turn 'i64' into '!tt.ptr<f32>'}}
    %0 = tt.bitcast %x : i64 -> !tt.ptr<f32>
    tt.return
  }
}

// -----
// fp_to_fp_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{a narrowing conversion must name its rounding}}
    %0 = tt.fp_to_fp %x : f32 -> f16
    tt.return
  }
}

// -----
// addptr_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x!tt.ptr<f32>, #l>, %i: tensor<64xi32, #l1>) {
    // expected-error @+1 {{must agree in shape and encoding}}
    %0 = tt.addptr %x, %i : tensor<64x!tt.ptr<f32>, #l>, tensor<64xi32, #l1>
    tt.return
  }
}

// -----
// inline_asm_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{must agree in shape and encoding}}
    %0 = tt.elementwise_inline_asm "" {constraints = "", packed_element = 1 : i32, pure = true} %x : tensor<64xf32, #l> -> tensor<64xi32, #l1>
    tt.return
  }
}

// -----
// inline_asm_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{packed_element must be positive and divide the 4 elements}}
    %0 = tt.elementwise_inline_asm "" {constraints = "", packed_element = 3 : i32, pure = true} %x : tensor<64xf32, #l> -> tensor<64xi32, #l>
    tt.return
  }
}

// -----
// load_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>) {
    // expected-error @+1 {{result type matches ptr type}}
    %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x!tt.ptr<f32>, #l>) -> tensor<64xf16, #l>
    tt.return
  }
}

// -----
// load_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>, %m: tensor<64xi1, #l1>) {
    // expected-error @+1 {{mask type matches ptr type}}
    %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<64x!tt.ptr<f32>, #l>, tensor<64xi1, #l1>) -> tensor<64xf32, #l>
    tt.return
  }
}

// -----
// load_c3
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>, %m: tensor<64xi1, #l>, %o: tensor<64xf16, #l>) {
    // expected-error @+1 {{other type matches ptr type}}
    %0 = "tt.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<64x!tt.ptr<f32>, #l>, tensor<64xi1, #l>, tensor<64xf16, #l>) -> tensor<64xf32, #l>
    tt.return
  }
}

// -----
// load_c4
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>, %o: tensor<64xf32, #l>) {
    // expected-error @+1 {{other needs a mask}}
    %0 = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<64x!tt.ptr<f32>, #l>, tensor<64xf32, #l>) -> tensor<64xf32, #l>
    tt.return
  }
}

// -----
// store_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>, %v: tensor<64xf32, #l1>) {
    // expected-error @+1 {{value has the type that the pointer points to}}
    "tt.store"(%p, %v) : (tensor<64x!tt.ptr<f32>, #l>, tensor<64xf32, #l1>) -> ()
    tt.return
  }
}

// -----
// store_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>, %v: tensor<64xf32, #l>, %m: tensor<64xi1, #l1>) {
    // expected-error @+1 {{mask type matches ptr type}}
    "tt.store"(%p, %v, %m) : (tensor<64x!tt.ptr<f32>, #l>, tensor<64xf32, #l>, tensor<64xi1, #l1>) -> ()
    tt.return
  }
}

// -----
// atomic_rmw_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<f32>, %v: f16) {
    // expected-error @+1 {{value has the type that the pointer points to}}
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v : (!tt.ptr<f32>, f16) -> f16
    tt.return
  }
}

// -----
// atomic_rmw_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x!tt.ptr<f32>, #l>, %v: tensor<64xf32, #l>, %m: i1) {
    // expected-error @+1 {{mask type matches ptr type}}
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<64x!tt.ptr<f32>, #l>, tensor<64xf32, #l>, i1) -> tensor<64xf32, #l>
    tt.return
  }
}

// -----
// atomic_rmw_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<f32>, %v: f32) {
    // expected-error @+1 {{cannot add elements of type 'f32'}}
    %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
    tt.return
  }
}

// -----
// atomic_rmw_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<i32>, %v: i32) {
    // expected-error @+1 {{cannot fadd elements of type 'i32'}}
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
    tt.return
  }
}

// -----
// atomic_cas_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<i32>, %v: i64) {
    // expected-error @+1 {{value has the type that the pointer points to}}
    %0 = tt.atomic_cas acq_rel, gpu, %p, %v, %v : (!tt.ptr<i32>, i64, i64) -> i64
    tt.return
  }
}

// -----
// reduce_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{axis must be below the rank}}
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
    }) : (tensor<64xf32, #l>) -> f32
    tt.return
  }
}

// -----
// reduce_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xf32, #m>) {
    // expected-error @+1 {{result must be the operand's type without the axis}}
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
    }) : (tensor<64x64xf32, #m>) -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #m}>>
    tt.return
  }
}

// -----
// reduce_c3
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xf32, #m>) {
    // expected-error @+1 {{slice of the operand's layout along the axis}}
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
    }) : (tensor<64x64xf32, #m>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #m}>>
    tt.return
  }
}

// -----
// reduce_c4
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{region must take two scalars per operand}}
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32):
    tt.reduce.return %a : f32
    }) : (tensor<64xf32, #l>) -> f32
    tt.return
  }
}

// -----
// scan_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{axis must be below the rank}}
    %0 = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
    }) : (tensor<64xf32, #l>) -> tensor<64xf32, #l>
    tt.return
  }
}

// -----
// scan_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{results must have the operands' types}}
    %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
    }) : (tensor<64xf32, #l>) -> tensor<64xf32, #l1>
    tt.return
  }
}

// -----
// scan_c3
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{region must take two scalars per operand}}
    %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32):
    tt.scan.return %a : f32
    }) : (tensor<64xf32, #l>) -> tensor<64xf32, #l>
    tt.return
  }
}

// -----
// gather_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>, %i: tensor<64xi32, #l>) {
    // expected-error @+1 {{and the shape and encoding of the indices}}
    %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32, #l>, tensor<64xi32, #l>) -> tensor<64xf32, #l1>
    tt.return
  }
}

// -----
// gather_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x32xf32, #m>, %i: tensor<64x64xi32, #m>) {
    // expected-error @+1 {{must have equal sizes except along the axis}}
    %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64x32xf32, #m>, tensor<64x64xi32, #m>) -> tensor<64x64xf32, #m>
    tt.return
  }
}

// -----
// histogram_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xi32, #m>) {
    // expected-error @+1 {{must have one dimension}}
    %0 = tt.histogram %x : tensor<64x64xi32, #m> -> tensor<64xi32, #l>
    tt.return
  }
}

// -----
// dot_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x32xf32, #m>) {
    // expected-error @+1 {{shapes must be [.., M, K], [.., K, N] and [.., M, N]}}
    %0 = tt.dot %x, %x, %x : tensor<64x32xf32, #m> * tensor<64x32xf32, #m> -> tensor<64x32xf32, #m>
    tt.return
  }
}

// -----
// print_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: f32) {
    // expected-error @+1 {{needs one isSigned flag per value}}
    tt.print "x" {hex = false, isSigned = array<i32>} : %x : f32
    tt.return
  }
}

// -----
// set_auto_layout_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #l>) {
    // expected-error @+1 {{the operand's encoding must be auto}}
    %0 = gluon.set_auto_layout %x : tensor<64xf32, #l> -> tensor<64xf32, #l1>
    tt.return
  }
}

// -----
// set_auto_layout_c2
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64xf32, #gluon.auto_encoding>) {
    // expected-error @+1 {{must agree in shape and element type}}
    %0 = gluon.set_auto_layout %x : tensor<64xf32, #gluon.auto_encoding> -> tensor<32xf32, #l1>
    tt.return
  }
}
