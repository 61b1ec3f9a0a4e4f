// Operands of products that a loop carries are phis of whole words; other tensors are phis of
// elements.
// RUN: gluonc compile %s --target cuda:90 --emit llir | FileCheck %s
// RUN: gluonc compile %s --target cuda:90 --emit ptx | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: @carried
// CHECK-COUNT-16: phi <2 x half>
// CHECK-NEXT: phi {{.*}}half [ {{.*}}0xH3C00
// CHECK-NEXT: phi {{.*}}half [ {{.*}}0xH3C00
// CHECK-COUNT-32: phi {{.*}}float
// CHECK-NOT: phi
// CHECK: wgmma.mma_async

// Nothing is put together before the product.
// PTX: .entry carried
// PTX: wgmma.fence
// PTX-NOT: prmt
// PTX: wgmma.wait_group
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#line = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @carried(%n: i32, %out: !tt.ptr<f16>) {
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a0 = arith.constant dense<1.0> : tensor<64x64xf16, #left>
    %l0 = arith.constant dense<1.0> : tensor<256xf16, #line>
    %d0 = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %a, %l, %d = scf.for %i = %zero to %n step %one iter_args(%ai = %a0, %li = %l0, %di = %d0) -> (tensor<64x64xf16, #left>, tensor<256xf16, #line>, tensor<64x64xf32, #mma>) : i32 {
      %product = ttng.warp_group_dot %ai, %b, %di {inputPrecision = 0 : i32} : tensor<64x64xf16, #left> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
      %narrow = arith.truncf %product : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %next = ttg.convert_layout %narrow : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
      %more = arith.addf %li, %li : tensor<256xf16, #line>
      scf.yield %next, %more, %product : tensor<64x64xf16, #left>, tensor<256xf16, #line>, tensor<64x64xf32, #mma>
    }
    %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #line>
    %base = tt.splat %out : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #line>
    %places = tt.addptr %base, %range : tensor<256x!tt.ptr<f16>, #line>, tensor<256xi32, #line>
    tt.store %places, %l : tensor<256x!tt.ptr<f16>, #line>
    tt.return
  }
}
