// Descriptors that a kernel makes get a place in global memory each.
// RUN: gluon-opt %s -gluonc-lower-descriptors -gluonc-allocate-global-scratch | FileCheck %s

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 32}>
#s3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, rank = 3}>

// CHECK: module attributes {
// CHECK-SAME: ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 256 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @make(
  // CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[Q:.*]]: !tt.ptr<i8>, %[[N:.*]]: i32, %[[S:.*]]: i64
  tt.func public @make(%p: !tt.ptr<f32>, %q: !tt.ptr<i8>, %n: i32, %s: i64) {
    %one = arith.constant 1 : i64
    // One message moves 16 of the 64 columns. Dims count from the innermost, strides bytes.
    // CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
    // CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i32
    // CHECK-DAG: %[[BYTES:.*]] = arith.muli %[[S]], %c4_i64
    // CHECK: %[[A:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32, ttg.global_scratch_memory_offset = 0 : i32} : !tt.ptr<i8>
    // CHECK-NEXT: ttng.tensormap_create %[[A]], %[[P]], [%[[C16]], %[[C32]]], [%[[N]], %[[N]]], [%[[BYTES]]], [%[[O:.*]], %[[O]]] {elem_type = 7 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 2 : i32}
    // CHECK-NEXT: ttng.tensormap_fenceproxy_acquire %[[A]] : !tt.ptr<i8>
    // CHECK-NEXT: ttng.reinterpret_tensor_descriptor %[[A]] : !tt.ptr<i8> to !tt.tensordesc<32x64xf32
    %0 = tt.make_tensor_descriptor %p, [%n, %n], [%s, %one] {padding = 2 : i32} : !tt.ptr<f32>, !tt.tensordesc<32x64xf32, #s>
    // CHECK: %[[B:.*]] = ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
    // CHECK-NEXT: ttng.tensormap_create %[[B]], %[[Q]], {{.*}} {elem_type = 0 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}
    %1 = tt.make_tensor_descriptor %q, [%n, %n, %n], [%s, %s, %one] : !tt.ptr<i8>, !tt.tensordesc<4x8x128xi8, #s3>
    tt.return
  }
}
