// Encodings and types print as they were read.
// RUN: gluon-opt %s | FileCheck %s
// RUN: gluon-opt %s | gluon-opt | FileCheck %s

// CHECK: #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked = #ttg.blocked<{order = [1, 0], sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1]}>
// CHECK: #blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = {{\[\[}}1, 0]]}>
#cga = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[1, 0]]}>
// CHECK-DAG: #linear = #ttg.linear<{register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}>
#linear = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>
// CHECK-DAG: #generic_linear = #ttg.generic_linear<{register = {{\[\[}}0, 1]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 2], [1, 2]], block = []}>
#generic = #ttg.generic_linear<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 2], [1, 2]], block = []}>
// CHECK-DAG: #mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
// Both spellings of WMMA, and of two CTAs of tensor memory.
// CHECK-DAG: #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true}>
#mfma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], isTransposed = true}>
// CHECK-DAG: #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}, instrShape = [16, 16, 128]}>
#wmma = #ttg.amd_wmma<{version = 3, isTranspose = true, warpsPerCTA = [2, 2], instrShape = [16, 16, 128]}>
// CHECK-DAG: #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = {{\[\[}}1, 0]]>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2>
// CHECK-DAG: #ttng.tensor_memory_scales_encoding<>
#scales = #ttng.tensor_memory_scales_encoding<>
// CHECK-DAG: = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nvmma = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, rank = 3}>
#nvmma3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true, rank = 3}>
// CHECK-DAG: = #ttg.padded_shared<[128:+8, 256:+4] {order = [1, 0], shape = [64, 64]}>
#padded = #ttg.padded_shared<[128:+8, 256:+4] {order = [1, 0], shape = [64, 64]}>
// CHECK-DAG: = #ttg.padded_shared<[2:+2] {offset = {{\[\[}}2], [1]], block = []}>
#padded1 = #ttg.padded_shared<[2:+2] {offset = [[2], [1]], block = []}>
// CHECK-DAG: = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 32>
#shlinear = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 32>
// CHECK-DAG: #smem = #ttg.shared_memory
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func private @tensors
  // CHECK-SAME: tensor<64x64xf32, #blocked>
  // CHECK-SAME: tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>
  // CHECK-SAME: tensor<512x!tt.ptr<f32>, #linear>
  // CHECK-SAME: tensor<32x4xi1, #generic_linear>
  // CHECK-SAME: tensor<64x256xf32, #mma>
  // CHECK-SAME: tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  // CHECK-SAME: tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
  // CHECK-SAME: tensor<8xf8E4M3FN, #gluon.auto_encoding>
  // CHECK-SAME: tensor<8xbf16, #gluon.coalesced_encoding>
  tt.func private @tensors(tensor<64x64xf32, #blocked>,
                           tensor<64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>,
                           tensor<512x!tt.ptr<f32>, #linear>, tensor<32x4xi1, #generic>,
                           tensor<64x256xf32, #mma>,
                           tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>,
                           tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>,
                           tensor<8xf8E4M3FN, #gluon.auto_encoding>,
                           tensor<8xbf16, #gluon.coalesced_encoding>)
  // CHECK-LABEL: tt.func private @more
  // CHECK-SAME: !tt.ptr<f32, 3>, !ttg.async.token, tensor<64x64xf32, #blocked1>
  tt.func private @more(!tt.ptr<f32, 3>, !ttg.async.token, tensor<64x64xf32, #cga>)
  // CHECK-LABEL: tt.func private @amd
  tt.func private @amd(tensor<128x64xf32, #mfma>, tensor<64x64xf32, #wmma>)
  // CHECK-LABEL: tt.func private @tensor_memory
  // CHECK-SAME: #ttng.tensor_memory, mutable
  tt.func private @tensor_memory(!ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>,
                                 !ttg.memdesc<128x8xi8, #scales, #ttng.tensor_memory, mutable>)
  // CHECK-LABEL: tt.func private @buffers
  // CHECK-SAME: !ttg.memdesc<4x128x64xf16, #{{shared[0-9]*}}, #smem, mutable>
  // CHECK-SAME: !ttg.memdesc<64x32xf32, #{{shared[0-9]*}}, #smem, 64x64>
  // CHECK-SAME: !ttg.memdesc<64x32xf32, #{{shared[0-9]*}}, #smem, mutable, 2x64x64>
  tt.func private @buffers(!ttg.memdesc<4x128x64xf16, #swizzled, #smem, mutable>,
                           !ttg.memdesc<64x32xf32, #swizzled, #smem, 64x64>,
                           !ttg.memdesc<64x32xf32, #swizzled, #smem, mutable, 2x64x64>,
                           !ttg.memdesc<4xf32, #padded1, #smem>, !ttg.memdesc<64x64xf32, #padded, #smem>,
                           !ttg.memdesc<4x4xf32, #shlinear, #smem>,
                           !ttg.memdesc<64x64xf16, #nvmma, #smem>, !ttg.memdesc<8x8x128xi8, #nvmma3, #smem>)
}
