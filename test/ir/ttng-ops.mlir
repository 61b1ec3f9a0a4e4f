// Every ttng operation, and warp specialization, prints as it was read.
// RUN: gluon-opt %s | FileCheck %s
// RUN: gluon-opt %s | gluon-opt -mlir-print-op-generic | gluon-opt | FileCheck %s

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#bytesT = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#l1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#l4 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #b, #smem, mutable>
!buf = !ttg.memdesc<128x64xf16, #s, #smem, mutable>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @barriers
  tt.func public @barriers(%phase: i32, %p: i1) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // CHECK: ttng.init_barrier %[[B:.*]], 1 : !ttg.memdesc<1xi64
    ttng.init_barrier %bar, 1 : !bar
    // CHECK: ttng.barrier_expect %[[B]], 16384, %arg1 : !ttg.memdesc<1xi64
    ttng.barrier_expect %bar, 16384, %p : !bar
    // CHECK: ttng.wait_barrier %[[B]], %arg0 : !ttg.memdesc<1xi64
    ttng.wait_barrier %bar, %phase : !bar
    // CHECK: ttng.wait_barrier %[[B]], %arg0, %arg1 deps %{{.*}} : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<128x64xf16
    ttng.wait_barrier %bar, %phase, %p deps %buf : !bar, !buf
    // CHECK: ttng.arrive_barrier %[[B]], 2 : !ttg.memdesc
    ttng.arrive_barrier %bar, 2 : !bar
    // CHECK: ttng.arrive_barrier %[[B]], 1, %arg1 : !ttg.memdesc
    ttng.arrive_barrier %bar, 1, %p : !bar
    // CHECK: ttng.async_copy_mbarrier_arrive %[[B]] {noIncrement} : !ttg.memdesc
    ttng.async_copy_mbarrier_arrive %bar {noIncrement} : !bar
    // CHECK: ttng.inval_barrier %[[B]] : !ttg.memdesc
    ttng.inval_barrier %bar : !bar
    // CHECK: ttng.fence_async_shared {bCluster = false}
    ttng.fence_async_shared {bCluster = false}
    tt.return
  }

  // Both spellings of a descriptor are read; signedness is kept.
  // CHECK-LABEL: @copies
  // CHECK-SAME: %arg0: !tt.tensordesc<128x64xf16, #shared{{[0-9]*}}>
  // CHECK-SAME: %arg1: !tt.tensordesc<128x64xf16, #shared{{[0-9]*}}>
  // CHECK-SAME: %arg2: !ttng.tensordesc_im2col<128x64xf16, #shared{{[0-9]*}}>
  // CHECK-SAME: %arg3: !tt.tensordesc<16xui8>
  tt.func public @copies(%d: !tt.tensordesc<128x64xf16, #s>, %old: !tt.tensordesc<tensor<128x64xf16, #s>>,
                         %im: !ttng.tensordesc_im2col<128x64xf16, #s>, %u: !tt.tensordesc<16xui8>,
                         %i: i32, %j: i16, %p: i1, %base: !tt.ptr<f16>, %stride: i64) {
    %bar = ttg.local_alloc : () -> !bar
    %buf = ttg.local_alloc : () -> !buf
    // CHECK: ttng.async_tma_copy_global_to_local %arg0[%arg4, %arg4] %[[BUF:[^ ]*]], %[[BAR:[^ ]*]], %arg6 : !tt.tensordesc<128x64xf16, #{{.*}}>, !ttg.memdesc<1xi64, {{.*}}> -> !ttg.memdesc<128x64xf16
    ttng.async_tma_copy_global_to_local %d[%i, %i] %buf, %bar, %p : !tt.tensordesc<128x64xf16, #s>, !bar -> !buf
    // CHECK: ttng.async_tma_copy_global_to_local %arg1[%arg4, %arg4] %[[BUF]], %[[BAR]], %arg6 evictionPolicy = evict_first {multicast}
    ttng.async_tma_copy_global_to_local %old[%i, %i] %buf, %bar, %p evictionPolicy = evict_first {multicast} : !tt.tensordesc<128x64xf16, #s>, !bar -> !buf
    // CHECK: ttng.async_tma_copy_global_to_local %arg2[%arg4, %arg4, %arg4, %arg4] offsets = [%arg5, %arg5] %[[BUF]], %[[BAR]], %arg6 : !ttng.tensordesc_im2col
    ttng.async_tma_copy_global_to_local %im[%i, %i, %i, %i] offsets = [%j, %j] %buf, %bar, %p : !ttng.tensordesc_im2col<128x64xf16, #s>, !bar -> !buf
    // CHECK: ttng.async_tma_copy_local_to_global %arg0[%arg4, %arg4] %[[BUF]] : !tt.tensordesc
    ttng.async_tma_copy_local_to_global %d[%i, %i] %buf : !tt.tensordesc<128x64xf16, #s>, !buf
    // CHECK: ttng.async_tma_reduce add, %arg0[%arg4, %arg4] %[[BUF]] : !tt.tensordesc
    ttng.async_tma_reduce add, %d[%i, %i] %buf : !tt.tensordesc<128x64xf16, #s>, !buf
    // CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    // CHECK: tt.make_tensor_descriptor %arg7, [%arg4, %arg4], [%arg8, %arg8] : <f16>, <128x64xf16
    %made = tt.make_tensor_descriptor %base, [%i, %i], [%stride, %stride] : !tt.ptr<f16>, !tt.tensordesc<128x64xf16, #s>
    tt.return
  }

  // CHECK-LABEL: @made_descriptors
  tt.func public @made_descriptors(%base: !tt.ptr<f16>, %i: i32, %stride: i64) {
    // CHECK: %[[G:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    %g = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    // CHECK-NEXT: ttng.tensormap_create %[[G]], %arg0, [%arg1, %arg1], [%arg1, %arg1], [%arg2], [%arg1, %arg1] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ttng.tensormap_create %g, %base, [%i, %i], [%i, %i], [%stride], [%i, %i] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    // CHECK-NEXT: ttng.tensormap_fenceproxy_acquire %[[G]] : !tt.ptr<i8>
    ttng.tensormap_fenceproxy_acquire %g : !tt.ptr<i8>
    // CHECK-NEXT: ttng.reinterpret_tensor_descriptor %[[G]] : !tt.ptr<i8> to !tt.tensordesc<128x64xf16, #shared{{[0-9]*}}>
    %d = ttng.reinterpret_tensor_descriptor %g : !tt.ptr<i8> to !tt.tensordesc<tensor<128x64xf16, #s>>
    tt.return
  }

  // CHECK-LABEL: @bytes
  tt.func public @bytes(%c: tensor<64x64xi32, #mma>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xi8, #bytes, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xi8, #bytesT, #smem, mutable>
    // CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %arg0 {unsignedA} : !ttg.memdesc<64x64xi8
    %d = ttng.warp_group_dot %a, %b, %c {unsignedA} : !ttg.memdesc<64x64xi8, #bytes, #smem, mutable> * !ttg.memdesc<64x64xi8, #bytesT, #smem, mutable> -> tensor<64x64xi32, #mma>
    tt.return
  }

  // CHECK-LABEL: @dots
  tt.func public @dots(%c: tensor<128x64xf32, #mma>, %ra: tensor<128x64xf16, #dot>, %p: i1) {
    %a = ttg.local_alloc : () -> !buf
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    // CHECK: %[[D:.*]] = ttng.warp_group_dot %[[A:.*]], %[[BM:.*]], %arg0, %arg2 {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<128x64xf16, {{.*}}> * !ttg.memdesc<64x64xf16, {{.*}}> -> tensor<128x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %c, %p {inputPrecision = 0 : i32, isAsync = true} : !buf * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<128x64xf32, #mma>
    // CHECK: ttng.warp_group_dot_wait %[[D]], %[[A]] {pendings = 0 : i32} : tensor<128x64xf32, #mma>, !ttg.memdesc<128x64xf16
    %w:2 = ttng.warp_group_dot_wait %d, %a {pendings = 0 : i32} : tensor<128x64xf32, #mma>, !buf
    // CHECK: ttng.warp_group_dot %arg1, %[[BM]], %{{.*}} : tensor<128x64xf16, #ttg.dot_op{{.*}}> * !ttg.memdesc
    %e = ttng.warp_group_dot %ra, %b, %w#0 : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #s, #smem, mutable> -> tensor<128x64xf32, #mma>
    tt.return
  }

  // Partitions have layouts for warps of their own.
  // CHECK-LABEL: @specialize
  tt.func public @specialize(%x: i32, %y: f32) {
    %bar = ttg.local_alloc : () -> !bar
    // CHECK: %[[R:.*]] = ttg.warp_specialize(%{{.*}}, %arg0) attributes {requestedRegisters = array<i32: 24, 48>}
    // CHECK-NEXT: default {
    // CHECK-NEXT: tt.make_range
    // CHECK-NEXT: ttg.warp_yield %arg1 : f32
    // CHECK-NEXT: }
    // CHECK-NEXT: partition0(%{{.*}}: !ttg.memdesc<1xi64, {{.*}}>, %{{.*}}: i32) num_warps(4) {
    // CHECK-NEXT: ttg.warp_return
    // CHECK-NEXT: }
    // CHECK-NEXT: partition1(%{{.*}}: !ttg.memdesc<1xi64, {{.*}}>, %{{.*}}: i32) num_warps(1) {
    // CHECK-NEXT: tt.make_range
    // CHECK-NEXT: ttg.warp_return
    // CHECK-NEXT: } : (!ttg.memdesc<1xi64, {{.*}}>, i32) -> f32
    %r = ttg.warp_specialize(%bar, %x) attributes {requestedRegisters = array<i32: 24, 48>}
    default {
      %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l4>
      ttg.warp_yield %y : f32
    }
    partition0(%b0: !bar, %x0: i32) num_warps(4) {
      ttg.warp_return
    }
    partition1(%b1: !bar, %x1: i32) num_warps(1) {
      %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l1>
      ttg.warp_return
    } : (!bar, i32) -> f32
    tt.return
  }
}
