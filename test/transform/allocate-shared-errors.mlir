// RUN: gluon-opt %s -split-input-file -verify-diagnostics -gluonc-pipeline=cuda:90a

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{the kernel needs 262144 bytes of shared memory, but cuda:90a has 232448}}
  tt.func public @too_much() {
    // expected-note @+1 {{262144 bytes for a buffer of [65536] 'f32'}}
    %a = ttg.local_alloc : () -> !ttg.memdesc<65536xf32, #s, #smem, mutable>
    ttg.local_dealloc %a : !ttg.memdesc<65536xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----
// What is alive at one time counts, largest first; what is not is not listed.
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{the kernel needs 245760 bytes of shared memory, but cuda:90a has 232448}}
  tt.func public @together() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<4096xf32, #s, #smem, mutable>
    ttg.local_dealloc %a : !ttg.memdesc<4096xf32, #s, #smem, mutable>
    // expected-note @+1 {{49152 bytes for a buffer of [3, 4096] 'f32'}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<3x4096xf32, #s, #smem, mutable>
    // expected-note @+1 {{196608 bytes for a buffer of [3, 16384] 'f32'}}
    %c = ttg.local_alloc : () -> !ttg.memdesc<3x16384xf32, #s, #smem, mutable>
    ttg.local_dealloc %b : !ttg.memdesc<3x4096xf32, #s, #smem, mutable>
    ttg.local_dealloc %c : !ttg.memdesc<3x16384xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{recursive functions cannot be compiled}}
  tt.func private @f() {
    tt.call @f() : () -> ()
    tt.return
  }
  tt.func public @g() {
    tt.call @f() : () -> ()
    tt.return
  }
}

// -----
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @second_life(%x: tensor<512xf32, #l>, %p: tensor<512x!tt.ptr<f32>, #l>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a = ttg.local_alloc %x : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %a) -> (!ttg.memdesc<512xf32, #s, #smem>) : i32 {
      // expected-error @+1 {{a buffer allocated in a loop cannot be used in the next iteration}}
      %b = ttg.local_alloc %x : (tensor<512xf32, #l>) -> !ttg.memdesc<512xf32, #s, #smem>
      %y = ttg.local_load %q : !ttg.memdesc<512xf32, #s, #smem> -> tensor<512xf32, #l>
      tt.store %p, %y : tensor<512x!tt.ptr<f32>, #l>
      scf.yield %b : !ttg.memdesc<512xf32, #s, #smem>
    }
    tt.return
  }
}
