// One rejected program per rule of the ttg operations; labels are those of TTGOps.td.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics

// convert_layout_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mt = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xf32, #m>) {
    // expected-error @+1 {{must have equal shapes}}
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #m> -> tensor<64x32xf32, #mt>
    tt.return
  }
}

// -----
// convert_layout_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mt = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xf32, #m>) {
    // expected-error @+1 {{must have equal element types}}
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #m> -> tensor<64x64xf16, #mt>
    tt.return
  }
}

// -----
// local_alloc_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{result must be in shared memory}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #s, #s, mutable>
    tt.return
  }
}

// -----
// local_alloc_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{result must be a whole buffer}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x32xf32, #s, #smem, mutable, 64x64>
    tt.return
  }
}

// -----
// local_alloc_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{must be mutable}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// local_alloc_c4
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<64x64xf16, #m>) {
    // expected-error @+1 {{must agree in shape and element type}}
    %0 = ttg.local_alloc %x : (tensor<64x64xf16, #m>) -> !ttg.memdesc<64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// local_alloc_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{elements must be whole bytes, got 'i1'}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x64xi1, #s, #smem, mutable>
    tt.return
  }
}

// -----
// local_load_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>) {
    // expected-error @+1 {{must agree in shape and element type}}
    %0 = ttg.local_load %b : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> tensor<64x32xf32, #m>
    tt.return
  }
}

// -----
// local_store_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %x: tensor<64x32xf32, #m>) {
    // expected-error @+1 {{must agree in shape and element type}}
    ttg.local_store %x, %b : tensor<64x32xf32, #m> -> !ttg.memdesc<64x64xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----
// local_store_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem>, %x: tensor<64x64xf32, #m>) {
    // expected-error @+1 {{cannot store to an immutable buffer}}
    ttg.local_store %x, %b : tensor<64x64xf32, #m> -> !ttg.memdesc<64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// local_alloc_c4, of a ring
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%x: tensor<16x32xf32, #m>) {
    // expected-error @+1 {{takes one buffer, not a ring of them}}
    %0 = ttg.local_alloc %x : (tensor<16x32xf32, #m>) -> !ttg.memdesc<16x32xf32, #s1, #smem, mutable>
    tt.return
  }
}

// -----
// local_load_c1, of a ring
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<16x32xf32, #s1, #smem, mutable>) {
    // expected-error @+1 {{takes one buffer, not a ring of them}}
    %0 = ttg.local_load %b : !ttg.memdesc<16x32xf32, #s1, #smem, mutable> -> tensor<16x32xf32, #m>
    tt.return
  }
}

// -----
// local_store_c1, of a ring
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<16x32xf32, #s1, #smem, mutable>, %x: tensor<16x32xf32, #m>) {
    // expected-error @+1 {{takes one buffer, not a ring of them}}
    ttg.local_store %x, %b : tensor<16x32xf32, #m> -> !ttg.memdesc<16x32xf32, #s1, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_trans_c4
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<16x32xf32, #s1, #smem, mutable>) {
    // expected-error @+1 {{takes one buffer, not a ring of them}}
    %0 = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf32, #s1, #smem, mutable> -> !ttg.memdesc<32x16xf32, #s1, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_reshape_c4
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<16x32xf32, #s1, #smem, mutable>) {
    // expected-error @+1 {{takes one buffer, not a ring of them}}
    %0 = ttg.memdesc_reshape %b : !ttg.memdesc<16x32xf32, #s1, #smem, mutable> -> !ttg.memdesc<512xf32, #s1, #smem, mutable>
    tt.return
  }
}

// -----
// view_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<2x64x64xf32, #s, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{has the memory space and mutability of its source}}
    %0 = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// view_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<2x64x64xf32, #s, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{has the element type of its source}}
    %0 = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x64xi32, #s, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_index_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<2x64x64xf32, #s, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{without the first dimension}}
    %0 = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_index_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<2x64x64xf32, #s, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{must have equal encodings}}
    %0 = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x64xf32, #st, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_index_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<2x64x32xf32, #s, #smem, mutable, 2x64x64>, %i: i32) {
    // expected-error @+1 {{cannot index a subslice}}
    %0 = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64x32xf32, #s, #smem, mutable, 2x64x64> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_subslice_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>) {
    // expected-error @+1 {{must agree in rank, encoding and alloc shape}}
    %0 = ttg.memdesc_subslice %b[0] : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable, 64x64>
    tt.return
  }
}

// -----
// memdesc_subslice_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>) {
    // expected-error @+1 {{must agree in rank, encoding and alloc shape}}
    %0 = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----
// memdesc_subslice_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>) {
    // expected-error @+1 {{the window leaves the source in dimension 1}}
    %0 = ttg.memdesc_subslice %b[0, 64] : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable, 64x64>
    tt.return
  }
}

// -----
// memdesc_subslice_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>) {
    // expected-error @+1 {{offset must be a multiple of the window in dimension 1}}
    %0 = ttg.memdesc_subslice %b[0, 16] : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable, 64x64>
    tt.return
  }
}

// -----
// memdesc_subslice_c4
#sw = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #sw, #smem, mutable>) {
    // expected-error @+1 {{cannot cut along the swizzling pattern}}
    %0 = ttg.memdesc_subslice %b[4, 0] : !ttg.memdesc<64x64xf32, #sw, #smem, mutable> -> !ttg.memdesc<4x64xf32, #sw, #smem, mutable, 64x64>
    tt.return
  }
}

// -----
// memdesc_trans_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem>) {
    // expected-error @+1 {{order must be a permutation}}
    %0 = ttg.memdesc_trans %b {order = array<i32: 0, 0>} : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<64x64xf32, #st, #smem>
    tt.return
  }
}

// -----
// memdesc_trans_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem>) {
    // expected-error @+1 {{the source's shape permuted by order}}
    %0 = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<64x32xf32, #st, #smem>
    tt.return
  }
}

// -----
// memdesc_trans_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem>) {
    // expected-error @+1 {{elements must stay in place}}
    %0 = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// memdesc_reshape_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem>) {
    // expected-error @+1 {{must have equal numbers of elements}}
    %0 = ttg.memdesc_reshape %b : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<2048xf32, #s1, #smem>
    tt.return
  }
}

// -----
// memdesc_reshape_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x32xf32, #s, #smem, 64x64>) {
    // expected-error @+1 {{cannot reshape a subslice}}
    %0 = ttg.memdesc_reshape %b : !ttg.memdesc<64x32xf32, #s, #smem, 64x64> -> !ttg.memdesc<2048xf32, #s1, #smem>
    tt.return
  }
}

// -----
// memdesc_reshape_c3
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #st, #smem>) {
    // expected-error @+1 {{elements must stay in place}}
    %0 = ttg.memdesc_reshape %b : !ttg.memdesc<64x64xf32, #st, #smem> -> !ttg.memdesc<4096xf32, #s1, #smem>
    tt.return
  }
}

// -----
// memdesc_reinterpret_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x32xf32, #s, #smem, 64x64>) {
    // expected-error @+1 {{cannot reinterpret a subslice with gaps}}
    %0 = ttg.memdesc_reinterpret %b : !ttg.memdesc<64x32xf32, #s, #smem, 64x64> -> !ttg.memdesc<2048xf32, #s1, #smem>
    tt.return
  }
}

// -----
// memdesc_reinterpret_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem>) {
    // expected-error @+1 {{result needs 32768 bytes, but the source has 16384}}
    %0 = ttg.memdesc_reinterpret %b : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<8192xf32, #s1, #smem>
    tt.return
  }
}

// -----
// memdesc_reinterpret_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#pad = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #pad, #smem>) {
    // expected-error @+1 {{must have equal paddings}}
    %0 = ttg.memdesc_reinterpret %b : !ttg.memdesc<64x64xf32, #pad, #smem> -> !ttg.memdesc<64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// async_copy_c1
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x64x!tt.ptr<f32>, #m>, %b: !ttg.memdesc<64x64xf16, #s, #smem, mutable>) {
    // expected-error @+1 {{must agree in shape and element type}}
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<64x64x!tt.ptr<f32>, #m> -> <64x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----
// async_copy_c2
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x64x!tt.ptr<f32>, #m>, %b: !ttg.memdesc<64x64xf32, #s, #smem>) {
    // expected-error @+1 {{cannot store to an immutable buffer}}
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<64x64x!tt.ptr<f32>, #m> -> <64x64xf32, #s, #smem>
    tt.return
  }
}

// -----
// async_copy_c3
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: tensor<64x64x!tt.ptr<f32>, #m>, %b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %m: i1) {
    // expected-error @+1 {{mask type matches ptr type}}
    %0 = "ttg.async_copy_global_to_local"(%p, %b, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (tensor<64x64x!tt.ptr<f32>, #m>, !ttg.memdesc<64x64xf32, #s, #smem, mutable>, i1) -> !ttg.async.token
    tt.return
  }
}

// -----
// global_scratch_alloc_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    // expected-error @+1 {{a positive size and an alignment that is a power of two}}
    %0 = ttg.global_scratch_alloc {alignment = 100 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    tt.return
  }
}
