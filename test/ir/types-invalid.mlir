// Rules for tensor and buffer types; labels are those of TensorRules.cpp.
// RUN: gluon-opt %s -split-input-file -verify-diagnostics

// tensor_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{has no encoding}}
  tt.func public @f(%x: tensor<64xf32>) {
    tt.return
  }
}

// -----
// tensor_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{is not distributed}}
  tt.func public @f(%x: tensor<64x64xf32, #s>) {
    tt.return
  }
}

// -----
// tensor_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{rank}}
  tt.func public @f(%x: tensor<64x64xf32, #l>) {
    tt.return
  }
}

// -----
// tensor_c2
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{dimension 0 of the shape [48] has size}}
  tt.func public @f(%x: tensor<48xf32, #l>) {
    tt.return
  }
}

// -----
// tensor_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{powers of two}}
  tt.func public @f(%x: tensor<48xf32, #gluon.auto_encoding>) {
    tt.return
  }
}

// -----
// tensor_c3
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{warps}}
  tt.func public @f(%x: tensor<64xf32, #l>) {
    tt.return
  }
}

// -----
// tensor_c3
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  // expected-error @+1 {{threads per warp}}
  tt.func public @f(%x: tensor<64xf32, #l>) {
    tt.return
  }
}

// -----
// tensor_c3
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{CTA}}
  tt.func public @f(%x: tensor<64xf32, #l>) {
    tt.return
  }
}

// -----
// memdesc_c1
#l = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{is not a shared one}}
  tt.func public @f(%x: !ttg.memdesc<64xf32, #l, #smem>) {
    tt.return
  }
}

// -----
// memdesc_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{the encoding has rank 2}}
  tt.func public @f(%x: !ttg.memdesc<64xf32, #s, #smem>) {
    tt.return
  }
}

// -----
// memdesc_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{dimension 0 of the shape [48, 64] has size}}
  tt.func public @f(%x: !ttg.memdesc<48x64xf32, #s, #smem>) {
    tt.return
  }
}

// -----
// memdesc_c2
#s = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [64, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{the padded layout is made for the shape [64, 32], not for [32, 16]}}
  tt.func public @f(%x: !ttg.memdesc<32x16xf32, #s, #smem>) {
    tt.return
  }
}

// -----
// memdesc_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{CTA}}
  tt.func public @f(%x: !ttg.memdesc<64x64xf32, #s, #smem>) {
    tt.return
  }
}
