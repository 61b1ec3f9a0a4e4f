// One rejected program per rule of the ttng operations and of warp specialization; labels are
// those of TTNGOps.td and TTGOps.td.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics

// barrier_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{a one-dimensional buffer of i64}}
    ttng.init_barrier %buf, 1 : !buf
    tt.return
  }
}

// -----
// barrier_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{count must be 1 to 1048575, got 0}}
    ttng.init_barrier %bar, 0 : !bar
    tt.return
  }
}

// -----
// barrier_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{count must be 1 to 1048575, got -1}}
    ttng.arrive_barrier %bar, -1 : !bar
    tt.return
  }
}

// -----
// barrier_c3
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{fromCTA must be between 0 and 0}}
    ttng.arrive_barrier %bar, 1 {fromCTA = 1 : i32} : !bar
    tt.return
  }
}

// -----
// cluster_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{needs a cluster of several CTAs}}
    ttng.cluster_barrier
    tt.return
  }
}

// -----
// cluster_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{needs a cluster of several CTAs}}
    ttng.fence_mbarrier_init_release_cluster
    tt.return
  }
}

// -----
// tma_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{expected 2 coordinates, one per dim of the block, got 1}}
    ttng.async_tma_copy_global_to_local %d[%i] %buf, %bar, %p : !tt.tensordesc<128x64xf16, #s>, !bar -> !buf
    tt.return
  }
}

// -----
// tma_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{takes 3 to 5 coordinates, got 2}}
    ttng.async_tma_copy_global_to_local %im[%i, %i] %buf, %bar, %p : !ttng.tensordesc_im2col<128x64xf16, #s>, !bar -> !buf
    tt.return
  }
}

// -----
// tma_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{takes 2 offsets, got 1}}
    ttng.async_tma_copy_global_to_local %im[%i, %i, %i, %i] offsets = [%j] %buf, %bar, %p : !ttng.tensordesc_im2col<128x64xf16, #s>, !bar -> !buf
    tt.return
  }
}

// -----
// tma_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{offsets are for im2col copies only}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] offsets = [%j] %buf, %bar, %p : !tt.tensordesc<128x64xf16, #s>, !bar -> !buf
    tt.return
  }
}

// -----
// tma_c3
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %o = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #b2, #smem, mutable>
    // expected-error @+1 {{layouts of descriptor and buffer must be equal}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %o : !tt.tensordesc<128x64xf16, #s>, !ttg.memdesc<128x64xf16, #b2, #smem, mutable>
    tt.return
  }
}

// -----
// tma_c4
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %o = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    // expected-error @+1 {{must have the descriptor's block shape and element type}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %o : !tt.tensordesc<128x64xf16, #s>, !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----
// async_tma_reduce_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{has no 'and' for 'f16'}}
    ttng.async_tma_reduce and, %d[%i, %i] %buf : !tt.tensordesc<128x64xf16, #s>, !buf
    tt.return
  }
}

// -----
// async_tma_reduce_c1: sums and bits of 64 bits are those of numbers without sign.
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 64}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x16xi64, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<64x16xui64, #s>, %e: !tt.tensordesc<64x16xsi64, #s>, %buf: !buf, %i: i32) {
    ttng.async_tma_reduce or, %d[%i, %i] %buf : !tt.tensordesc<64x16xui64, #s>, !buf
    ttng.async_tma_reduce min, %e[%i, %i] %buf : !tt.tensordesc<64x16xsi64, #s>, !buf
    // expected-error @+1 {{has no 'or' for 'si64'}}
    ttng.async_tma_reduce or, %e[%i, %i] %buf : !tt.tensordesc<64x16xsi64, #s>, !buf
    tt.return
  }
}

// -----
// make_tensor_descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{one size and one stride per dim}}
    %o = tt.make_tensor_descriptor %base, [%i], [%n] : !tt.ptr<f16>, !tt.tensordesc<128x64xf16, #s>
    tt.return
  }
}

// -----
// make_tensor_descriptor_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{element type must be the descriptor's}}
    %o = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<64x64xbf16, #s>
    tt.return
  }
}

// -----
// descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{at least 16 bytes in the last dimension of a block, but 4 elements of 16 bits have 8}}
    %o = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<64x4xf16, #s>
    tt.return
  }
}

// -----
// descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{128 bytes for the layout's swizzle, but 32 elements of 16 bits have 64}}
    %o = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<64x32xf16, #s>
    tt.return
  }
}

// -----
// descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{of 16-bit elements cannot have a layout of 32-bit ones}}
    %o = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>>
    tt.return
  }
}

// -----
// descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{cannot have a transposed layout}}
    %o = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>>
    tt.return
  }
}

// -----
// descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{blocks of 1 dimensions, but its layout has rank 2}}
    %o = tt.make_tensor_descriptor %base, [%i], [%n] : !tt.ptr<f16>, !tt.tensordesc<64xf16, #s>
    tt.return
  }
}

// -----
// descriptor_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{needs an NVMMASharedLayout}}
    %o = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16, #b2>
    tt.return
  }
}

// -----
// make_tensor_descriptor_c3
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %b8 = tt.bitcast %base : !tt.ptr<f16> -> !tt.ptr<i16>
    // expected-error @+1 {{only floats can be padded with NaN}}
    %o = tt.make_tensor_descriptor %b8, [%i, %i], [%n, %n] {padding = 2 : i32} : !tt.ptr<i16>, !tt.tensordesc<64x64xui16, #s>
    tt.return
  }
}

// -----
// barrier_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{count must be 1 to 1048575, got 1048576}}
    ttng.init_barrier %bar, 1048576 : !bar
    tt.return
  }
}

// -----
// barrier_c4
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{bytes must be 0 to 1048575, got 1048576}}
    ttng.barrier_expect %bar, 1048576, %p : !bar
    tt.return
  }
}

// -----
// barrier_c4
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{bytes must be 0 to 1048575, got -16}}
    ttng.barrier_expect %bar, -16, %p : !bar
    tt.return
  }
}

// -----
// tma_c6
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %ring = ttg.local_alloc : () -> !ttg.memdesc<3x4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
    %part = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable> -> !ttg.memdesc<4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
    %narrow = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>>
    // expected-error @+1 {{begins at a multiple of 128 bytes of shared memory, but this part of a buffer may begin at an odd multiple of 64}}
    ttng.async_tma_copy_global_to_local %narrow[%i, %i] %part, %bar, %p : !tt.tensordesc<4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>>, !bar -> !ttg.memdesc<4x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
    tt.return
  }
}

// -----
// tma_c6
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %rows = ttg.local_alloc : () -> !ttg.memdesc<64x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
    %part = ttg.memdesc_subslice %rows[3, 0] : !ttg.memdesc<64x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable> -> !ttg.memdesc<1x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable, 64x8>
    %row = tt.make_tensor_descriptor %base, [%i, %i], [%n, %n] : !tt.ptr<f16>, !tt.tensordesc<1x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>>
    // expected-error @+1 {{may begin at an odd multiple of 16}}
    ttng.async_tma_copy_local_to_global %row[%i, %i] %part : !tt.tensordesc<1x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>>, !ttg.memdesc<1x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable, 64x8>
    tt.return
  }
}

// -----
// tma_c8
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %part = ttg.local_alloc : () -> !ttg.memdesc<64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>, #smem, mutable>
    %bytes = tt.bitcast %base : !tt.ptr<f16> -> !tt.ptr<i8>
    %fours = tt.make_tensor_descriptor %bytes, [%i, %i], [%n, %n] : !tt.ptr<i8>, !tt.tensordesc<64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>>
    // expected-error @+1 {{only loads may have an fp4_padded layout}}
    ttng.async_tma_copy_local_to_global %fours[%i, %i] %part : !tt.tensordesc<64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>>, !ttg.memdesc<64x64xi8, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>, #smem, mutable>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>>
    // expected-error @+1 {{must have an NVMMADistributedLayout of version 3}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 32, 16]}>>
    // expected-error @+1 {{groups of four warps share the rows, but warps_per_cta is [2, 2]}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 32, 16]}>>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>>
    // expected-error @+1 {{instructions have 128 columns, but the accumulator has 64x64}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<32x64xf32, #mma>
    // expected-error @+1 {{M of each CTA must be a multiple of 64, but the accumulator has 32x64}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<32x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<32x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-error @+1 {{`a` must have K a multiple of 16 for elements of 16 bits, got 8}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x8xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem, mutable> * !ttg.memdesc<8x64xf16, #s, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #b2, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-error @+1 {{`b` has a layout that wgmma cannot read}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #s, #smem, mutable> * !ttg.memdesc<64x64xf16, #b2, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-error @+1 {{`b` has elements of 32 bits, which wgmma reads only if they are contiguous along K}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable> * !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c5
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = arith.constant dense<0.0> : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>>
    %y = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-error @+1 {{`a` in registers must have DotOperandLayout(0, <the layout of the accumulator>, 2)}}
    %r = ttng.warp_group_dot %x, %y, %z {inputPrecision = 0 : i32} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>> * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c3
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable>
    %z = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    // expected-error @+1 {{multiplies f32 as tf32 only, got inputPrecision = ieee}}
    %r = ttng.warp_group_dot %x, %x, %z : !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable> * !ttg.memdesc<64x64xf32, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>, #smem, mutable> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %c = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    // expected-error @+1 {{shapes must be}}
    %r = ttng.warp_group_dot %buf, %buf, %c : !buf * !buf -> tensor<128x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c3
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xbf16, #s, #smem, mutable>
    %c = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    // expected-error @+1 {{there is no such instruction}}
    %r = ttng.warp_group_dot %buf, %b, %c : !buf * !ttg.memdesc<64x64xbf16, #s, #smem, mutable> -> tensor<128x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_c4
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %c = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
    // expected-error @+1 {{only integers are unsigned}}
    %r = ttng.warp_group_dot %buf, %b, %c {unsignedB} : !buf * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<128x64xf32, #mma>
    tt.return
  }
}

// -----
// warp_group_dot_wait_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{needs at least one input}}
    "ttng.warp_group_dot_wait"() {pendings = 0 : i32} : () -> ()
    tt.return
  }
}

// -----
// warp_specialize_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{must be powers of two, got 3}}
    ttg.warp_specialize(%i)
    default {
      ttg.warp_yield
    }
    partition0(%a: i32) num_warps(3) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----
// warp_specialize_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{register requests for 2}}
    ttg.warp_specialize(%i) attributes {requestedRegisters = array<i32: 24, 24>}
    default {
      ttg.warp_yield
    }
    partition0(%a: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----
// warp_specialize_c3
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) attributes {noinline = true} {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // expected-error @+1 {{cannot be in a noinline function}}
    ttg.warp_specialize(%i)
    default {
      ttg.warp_yield
    }
    partition0(%a: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----
// warp_specialize_c4
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    ttg.warp_specialize(%i)
    default {
    // expected-error @+1 {{must yield the results}}
      ttg.warp_yield %j : i16
    }
    partition0(%a: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----
// warp_specialize.partitions_c1
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 1>}> ({
      ttg.warp_yield
    }, {
    // expected-error @+1 {{partition 0 must have the captures as its arguments}}
      "ttg.warp_specialize.partitions"(%i) ({
        ttg.warp_return
      }) : (i32) -> ()
    }) : () -> ()
    tt.return
  }
}

// -----
// warp_specialize.partitions_c2
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#b2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xf16, #s>, %im: !ttng.tensordesc_im2col<128x64xf16, #s>,
                    %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %n: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    %x = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4>}> ({
      ttg.warp_yield
    }, {
    // expected-error @+1 {{cannot capture tensors}}
      "ttg.warp_specialize.partitions"(%x) ({
      ^bb0(%y: tensor<64x64xf32, #mma>):
        ttg.warp_return
      }) : (tensor<64x64xf32, #mma>) -> ()
    }) : () -> ()
    tt.return
  }
}

// -----
// tensor_c3 in a partition: it has one warp
#l4 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(1) {
      // expected-error @+1 {{4 warps}}
      %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l4>
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----
// a descriptor of a block without dims
module {
  // expected-error @+1 {{tensor of known sizes}}
  tt.func public @f(%d: !tt.tensordesc<f16>) {
    tt.return
  }
}

// -----
// tensormap_create_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%g: !tt.ptr<i8>, %base: !tt.ptr<f16>, %i: i32, %s: i64) {
    // expected-error @+1 {{1 to 5 box lengths}}
    ttng.tensormap_create %g, %base, [%i, %i], [%i, %i], [%s, %s], [%i, %i] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i64, i32, i32) -> ()
    tt.return
  }
}

// -----
// tensormap_create_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%g: !tt.ptr<i8>, %base: !tt.ptr<f16>, %i: i32, %s: i64) {
    // expected-error @+1 {{a code that the copy engine does not know}}
    ttng.tensormap_create %g, %base, [%i, %i], [%i, %i], [%s], [%i, %i] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 4 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    tt.return
  }
}

// -----
// tma_c7
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
!part = !ttg.memdesc<128x64xi32, #s, #smem, mutable, 256x64>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xi32, #s>, %i: i32) {
    %buf = ttg.local_alloc : () -> !ttg.memdesc<256x64xi32, #s, #smem, mutable>
    %part = ttg.memdesc_subslice %buf[128, 0] : !ttg.memdesc<256x64xi32, #s, #smem, mutable> -> !part
    // expected-error @+1 {{source subview may have an origin in another CTA}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %part : !tt.tensordesc<128x64xi32, #s>, !part
    tt.return
  }
}

// -----
// tma_c7
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32, CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
!part = !ttg.memdesc<128x64xi32, #s, #smem, mutable, 256x64>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%d: !tt.tensordesc<128x64xi32, #s>, %i: i32) {
    %buf = ttg.local_alloc : () -> !ttg.memdesc<256x64xi32, #s, #smem, mutable>
    %part = ttg.memdesc_subslice %buf[128, 0] : !ttg.memdesc<256x64xi32, #s, #smem, mutable> -> !part
    // expected-error @+1 {{source subview may have an origin in another CTA}}
    ttng.async_tma_reduce add, %d[%i, %i] %part : !tt.tensordesc<128x64xi32, #s>, !part
    tt.return
  }
}
