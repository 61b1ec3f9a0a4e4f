// One rejected program per rule of the operations at indices.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics

// -----
// indexed_c1
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{indices and values must agree in shape and encoding}}
    %0 = ttg.local_gather %b[%i] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<32x64xi32, #l> -> tensor<32x32xf32, #l>
    tt.return
  }
}

// -----
// indexed_c2
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{values must have the buffer's element type}}
    ttg.local_scatter %b[%i], %h {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<32x64xi32, #l>, tensor<32x64xf16, #l>
    tt.return
  }
}

// -----
// indexed_c3
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{indices must have the buffer's rank and fit it outside of the axis}}
    %0 = ttg.local_gather %b[%j] {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<128x128xi32, #l> -> tensor<128x128xf32, #l>
    tt.return
  }
}

// -----
// indexed_c3
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{indices must have the buffer's rank and fit it outside of the axis}}
    %0 = ttg.local_gather %b[%i] {axis = 2 : i32} : !ttg.memdesc<64x64xf32, #s, #smem, mutable>, tensor<32x64xi32, #l> -> tensor<32x64xf32, #l>
    tt.return
  }
}

// -----
// indexed_c5
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<16x64xf32, #s, #smem, mutable>, %i: tensor<16x64xi32, #l>) {
    // expected-error @+1 {{takes one buffer, not a ring of them}}
    %0 = ttg.local_gather %b[%i] {axis = 1 : i32} : !ttg.memdesc<16x64xf32, #s, #smem, mutable>, tensor<16x64xi32, #l> -> tensor<16x64xf32, #l>
    tt.return
  }
}

// -----
// indexed_c4
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{cannot store to an immutable buffer}}
    ttg.local_scatter %c[%i], %v {axis = 0 : i32} : !ttg.memdesc<64x64xf32, #s, #smem>, tensor<32x64xi32, #l>, tensor<32x64xf32, #l>
    tt.return
  }
}

// -----
// map_elementwise_c1
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{operands and results must agree in shape and encoding}}
    %0 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
    ^bb0(%a: f32):
      tt.map_elementwise.return %a : f32
    }) : (tensor<32x64xf32, #l>) -> tensor<64x64xf32, #l>
    tt.return
  }
}

// -----
// map_elementwise_c2
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{pack must be positive and divide the}}
    %0 = "tt.map_elementwise"(%v) <{pack = 3 : i32}> ({
    ^bb0(%a: f32):
      tt.map_elementwise.return %a : f32
    }) : (tensor<32x64xf32, #l>) -> tensor<32x64xf32, #l>
    tt.return
  }
}

// -----
// map_elementwise_c3
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{region must take and return `pack` scalars of each tensor}}
    %0 = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
    ^bb0(%a: f32):
      tt.map_elementwise.return %a : f32
    }) : (tensor<32x64xf32, #l>) -> tensor<32x64xf32, #l>
    tt.return
  }
}

// -----
// inline_asm_c3
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{the text names operand}}
    %0 = tt.elementwise_inline_asm "mov.b32 $0, $2;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %v : tensor<32x64xf32, #l> -> tensor<32x64xf32, #l>
    tt.return
  }
}

// -----
// atomic_poll_c1
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{needs an integer of 16, 32 or 64 bits}}
    %0 = tt.atomic_poll acquire, gpu, %q, %k : !tt.ptr<i8>, i8 -> i1
    tt.return
  }
}

// -----
// atomic_poll_c2
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{must be relaxed or acquire}}
    %0 = tt.atomic_poll release, gpu, %p, %n : !tt.ptr<i32>, i32 -> i1
    tt.return
  }
}

// -----
// fp4_to_fp_c1
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{result must hold f16 or bf16}}
    %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<32x64xi8, #l> -> tensor<32x128xf32, #l>
    tt.return
  }
}

// -----
// fp4_to_fp_c2
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{twice as large along the axis}}
    %0 = ttg.fp4_to_fp %x {axis = 0 : i32} : tensor<32x64xi8, #l> -> tensor<32x128xf16, #l>
    tt.return
  }
}

// -----
// fp4_to_fp_c3
#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%b: !ttg.memdesc<64x64xf32, #s, #smem, mutable>, %c: !ttg.memdesc<64x64xf32, #s, #smem>, %v: tensor<32x64xf32, #l>, %i: tensor<32x64xi32, #l>, %j: tensor<128x128xi32, #l>, %h: tensor<32x64xf16, #l>, %x: tensor<32x64xi8, #l>, %p: !tt.ptr<i32>, %q: !tt.ptr<i8>, %n: i32, %k: i8) {
    // expected-error @+1 {{both numbers of a byte must lie in its thread}}
    %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<32x64xi8, #l> -> tensor<32x128xf16, #l>
    tt.return
  }
}


// -----
// atomic_load_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<!tt.ptr<i8>>) {
    // expected-error @+1 {{needs integers or floats}}
    %0 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<!tt.ptr<i8>>) -> !tt.ptr<i8>
    tt.return
  }
}

// -----
// atomic_load_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<i32>) {
    // expected-error @+1 {{must be relaxed or acquire}}
    %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
    tt.return
  }
}

// -----
// atomic_store_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<!tt.ptr<i8>>, %q: !tt.ptr<i8>) {
    // expected-error @+1 {{needs integers or floats}}
    tt.atomic_store release, gpu, %p, %q : !tt.ptr<!tt.ptr<i8>>
    tt.return
  }
}

// -----
// atomic_store_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<i32>, %n: i32) {
    // expected-error @+1 {{must be relaxed or release}}
    tt.atomic_store acq_rel, gpu, %p, %n : !tt.ptr<i32>
    tt.return
  }
}
