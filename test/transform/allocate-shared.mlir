// RUN: gluon-opt %s -split-input-file -gluonc-allocate-shared | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// Buffers that are not alive together share their bytes.
// CHECK: module attributes {{.*}}ttg.shared = 2048 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @one_after_the_other
  tt.func public @one_after_the_other(%x: tensor<512xf32, #l>) {
    // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
    %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
    // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
    %b = ttg.local_alloc %0 : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
    %1 = ttg.local_load %b : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
    tt.return
  }
}

// -----
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// The largest is placed first, the others fill up from the bottom.
// CHECK: module attributes {{.*}}ttg.shared = 3584 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @together
  tt.func public @together(%x: tensor<128xf32, #l>, %y: tensor<512xf32, #l>, %z: tensor<256xf32, #l>) {
    // CHECK: ttg.local_alloc %arg0 {allocation.offset = 3072 : i32}
    %a = ttg.local_alloc %x : (tensor<128xf32, #l>) -> !ttg.memdesc<128xf32, #s, #smem>
    // CHECK: ttg.local_alloc %arg1 {allocation.offset = 0 : i32}
    %b = ttg.local_alloc %y : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
    // CHECK: ttg.local_alloc %arg2 {allocation.offset = 2048 : i32}
    %c = ttg.local_alloc %z : (tensor<256xf32, #l>) -> !ttg.memdesc<256xf32, #s, #smem>
    %0 = ttg.local_load %a : !ttg.memdesc<128xf32, #s, #smem> -> tensor<128xf32, #l>
    %1 = ttg.local_load %b : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
    %2 = ttg.local_load %c : !ttg.memdesc<256xf32, #s, #smem> -> tensor<256xf32, #l>
    tt.return
  }
}

// -----
#m = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

// A conversion's scratch avoids what is alive around it; one within a thread needs none.
// CHECK: module attributes {{.*}}ttg.shared = 8192 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @scratch
  tt.func public @scratch(%x: tensor<32x32xf32, #m>) {
    // CHECK: ttg.local_alloc %arg0 {allocation.offset = [[A:[0-9]+]] : i32}
    %a = ttg.local_alloc %x : (tensor<32x32xf32, #m>) -> !ttg.memdesc<32x32xf32, #s, #smem>
    // CHECK-NOT: allocation.offset = [[A]] :
    // CHECK: ttg.convert_layout %arg0 {allocation.offset = {{[0-9]+}} : i32, allocation.size = 4096 : i32}
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #m> -> tensor<32x32xf32, #t>
    // CHECK: ttg.convert_layout %arg0 : tensor
    %1 = ttg.convert_layout %x : tensor<32x32xf32, #m> -> tensor<32x32xf32, #m>
    %2 = ttg.local_load %a : !ttg.memdesc<32x32xf32, #s, #smem> -> tensor<32x32xf32, #m>
    tt.return
  }
}

// -----
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A buffer used in a loop is alive until the loop is over: %b may not take its bytes.
// CHECK: module attributes {{.*}}ttg.shared = 4096 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @loop
  tt.func public @loop(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
    %a = ttg.local_alloc %x : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %0 = ttg.local_load %a : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
      // CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 2048 : i32}
      %b = ttg.local_alloc %0 : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
      %1 = ttg.local_load %b : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
    }
    tt.return
  }
}

// -----
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

// A buffer that a loop carries around is alive throughout it, and so are all that it may be.
// CHECK: module attributes {{.*}}ttg.shared = 6144 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @carried
  tt.func public @carried(%x: tensor<512xf32, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!ttg.memdesc<512xf32, #s, #smem, mutable>, !ttg.memdesc<512xf32, #s, #smem, mutable>) : i32 {
      ttg.local_store %x, %p : tensor<512xf32, #l> -> !ttg.memdesc<512xf32, #s, #smem, mutable>
      %c = ttg.local_alloc %x : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
      %0 = ttg.local_load %c : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
      scf.yield %q, %p : !ttg.memdesc<512xf32, #s, #smem, mutable>, !ttg.memdesc<512xf32, #s, #smem, mutable>
    }
    tt.return
  }
}

// -----
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#pad = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory

// Padding and the buffers of a ring count; an alignment that was asked for is kept.
// CHECK: module attributes {{.*}}ttg.shared = 34824 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @sizes
  tt.func public @sizes() {
    // CHECK: allocation.offset = 0 : i32
    %a = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf32, #pad, #smem, mutable>
    // CHECK: alignment = 1024 : i32, allocation.offset = 34816 : i32
    %b = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    ttg.local_dealloc %a : !ttg.memdesc<2x64x64xf32, #pad, #smem, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}

// -----
// No shared memory, no bytes.
// CHECK: module attributes {{.*}}ttg.shared = 0 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @none() {
    tt.return
  }
}

// -----
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#l2 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

// What is taken for a swizzled buffer begins where the pattern does.
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @reinterpreted
  tt.func public @reinterpreted(%i: i32) -> (tensor<16x64xf16, #l2>, tensor<16xf32, #l>) {
    // CHECK: ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<33x16xf32
    %ring = ttg.local_alloc : () -> !ttg.memdesc<33x16xf32, #s, #smem, mutable>
    // CHECK: ttg.local_alloc {allocation.offset = 3072 : i32} : () -> !ttg.memdesc<512xf32
    %raw = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #s, #smem, mutable>
    %view = ttg.memdesc_reinterpret %raw : !ttg.memdesc<512xf32, #s, #smem, mutable> -> !ttg.memdesc<16x64xf16, #n, #smem, mutable>
    %x = ttg.local_load %view : !ttg.memdesc<16x64xf16, #n, #smem, mutable> -> tensor<16x64xf16, #l2>
    %one = ttg.memdesc_index %ring[%i] : !ttg.memdesc<33x16xf32, #s, #smem, mutable> -> !ttg.memdesc<16xf32, #s, #smem, mutable>
    %y = ttg.local_load %one : !ttg.memdesc<16xf32, #s, #smem, mutable> -> tensor<16xf32, #l>
    tt.return %x, %y : tensor<16x64xf16, #l2>, tensor<16xf32, #l>
  }
}
