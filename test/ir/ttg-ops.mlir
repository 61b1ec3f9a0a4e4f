// Every ttg operation prints as it was read.
// RUN: gluon-opt %s | FileCheck %s
// RUN: gluon-opt %s | gluon-opt -mlir-print-op-generic | gluon-opt | FileCheck %s

#l = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#w = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @buffers
  tt.func public @buffers(%x: tensor<64x64xf32, #l>, %i: i32) {
    // CHECK: ttg.convert_layout %arg0 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
    %0 = ttg.convert_layout %x : tensor<64x64xf32, #l> -> tensor<64x64xf32, #t>
    // CHECK: ttg.convert_layout %arg0 {force_warp_shuffle} : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
    %1 = ttg.convert_layout %x {force_warp_shuffle} : tensor<64x64xf32, #l> -> tensor<64x64xf32, #t>
    // CHECK: ttg.local_alloc %arg0 : (tensor<64x64xf32, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    %2 = ttg.local_alloc %x : (tensor<64x64xf32, #l>) -> !ttg.memdesc<64x64xf32, #s, #smem>
    // CHECK: ttg.local_alloc {alignment = 16 : i32} : () -> !ttg.memdesc<2x64x64xf32, #shared, #smem, mutable>
    %3 = ttg.local_alloc {alignment = 16 : i32} : () -> !ttg.memdesc<2x64x64xf32, #s, #smem, mutable>
    // CHECK: ttg.memdesc_index %{{.*}}[%arg1] : !ttg.memdesc<2x64x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    %4 = ttg.memdesc_index %3[%i] : !ttg.memdesc<2x64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x64xf32, #s, #smem, mutable>
    // CHECK: ttg.local_store %arg0, %{{.*}} : tensor<64x64xf32, #blocked> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    ttg.local_store %x, %4 : tensor<64x64xf32, #l> -> !ttg.memdesc<64x64xf32, #s, #smem, mutable>
    // CHECK: ttg.memdesc_subslice %{{.*}}[0, 32] : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf32, #shared, #smem, mutable, 64x64>
    %5 = ttg.memdesc_subslice %4[0, 32] : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> !ttg.memdesc<64x32xf32, #s, #smem, mutable, 64x64>
    // CHECK: ttg.local_load %{{.*}} : !ttg.memdesc<64x32xf32, #shared, #smem, mutable, 64x64> -> tensor<64x32xf32, #blocked>
    %6 = ttg.local_load %5 : !ttg.memdesc<64x32xf32, #s, #smem, mutable, 64x64> -> tensor<64x32xf32, #l>
    // CHECK: ttg.memdesc_trans %{{.*}} {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf32, #shared, #smem> -> !ttg.memdesc<64x64xf32, #shared1, #smem>
    %7 = ttg.memdesc_trans %2 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<64x64xf32, #st, #smem>
    // CHECK: ttg.memdesc_reshape %{{.*}} : !ttg.memdesc<64x64xf32, #shared, #smem> -> !ttg.memdesc<4096xf32, #shared2, #smem>
    %8 = ttg.memdesc_reshape %2 : !ttg.memdesc<64x64xf32, #s, #smem> -> !ttg.memdesc<4096xf32, #s1, #smem>
    // CHECK: ttg.memdesc_reinterpret %{{.*}} : !ttg.memdesc<4096xf32, #shared2, #smem> -> !ttg.memdesc<8192xf16, #shared2, #smem>
    %9 = ttg.memdesc_reinterpret %8 : !ttg.memdesc<4096xf32, #s1, #smem> -> !ttg.memdesc<8192xf16, #s1, #smem>
    // CHECK: ttg.local_dealloc %{{.*}} : !ttg.memdesc<2x64x64xf32, #shared, #smem, mutable>
    ttg.local_dealloc %3 : !ttg.memdesc<2x64x64xf32, #s, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: @synchronization
  tt.func public @synchronization(%p: tensor<64x64x!tt.ptr<f32>, #l>, %m: tensor<64x64xi1, #l>, %o: tensor<64x64xf32, #l>) {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #s, #smem, mutable>
    // CHECK: ttg.async_copy_global_to_local %arg0, %{{.*}} mask %arg1 other %arg2 cacheModifier = cg {contiguity = 4 : i32} : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #shared, #smem, mutable>
    %1 = ttg.async_copy_global_to_local %p, %0 mask %m other %o cacheModifier = cg {contiguity = 4 : i32} : tensor<64x64x!tt.ptr<f32>, #l> -> <64x64xf32, #s, #smem, mutable>
    // CHECK: ttg.async_commit_group tokens %{{.*}}
    %2 = ttg.async_commit_group tokens %1
    // CHECK: ttg.async_wait %{{.*}} {num = 1 : i32}
    %3 = ttg.async_wait %2 {num = 1 : i32}
    // CHECK: ttg.async_wait {num = 0 : i32}
    %4 = ttg.async_wait {num = 0 : i32}
    // CHECK: ttg.local_load %{{.*}} token %{{.*}} : !ttg.memdesc<64x64xf32, #shared, #smem, mutable> -> tensor<64x64xf32, #blocked>
    %5 = ttg.local_load %0 token %4 : !ttg.memdesc<64x64xf32, #s, #smem, mutable> -> tensor<64x64xf32, #l>
    // CHECK: ttg.barrier local
    ttg.barrier local
    // CHECK: ttg.barrier global_read|global_write
    ttg.barrier global_read|global_write
    // CHECK: ttg.barrier all
    ttg.barrier all
    // CHECK: ttg.barrier none
    ttg.barrier none
    tt.return
  }

  // CHECK-LABEL: @formats
  tt.func public @formats(%x: tensor<64x64xi8, #l>) {
    // CHECK: ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<64x64xi8, #blocked> -> tensor<64x128xf16, #blocked2>
    %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x64xi8, #l> -> tensor<64x128xf16, #w>
    tt.return
  }
}
