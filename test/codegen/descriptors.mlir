// A descriptor that the kernel makes is put together in shared memory by one thread, copied to the
// program's part of the scratch memory by one warp, and acquired by whoever starts copies.
// RUN: gluonc compile %s --target cuda:90a --emit ptx | FileCheck %s
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

// Older assemblers take strides for something else.
// CHECK: .version 8.6
// CHECK: ld.param.b64 %[[SCRATCH:rd[0-9]+]], [store_param_3];
// The CTA's number, times 128.
// CHECK: %ctaid.z;
// CHECK: %nctaid.y;
// CHECK: %ctaid.y;
// CHECK: %nctaid.x;
// CHECK: %ctaid.x;
// CHECK: shl.b64 %{{.*}}, 7;
// CHECK: st.shared.b32 [{{.*}}], 0;
// CHECK: bar.warp.sync
// CHECK: tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%[[AT:r[0-9]+]]], %rd{{[0-9]+}};
// CHECK: tensormap.replace.tile.rank.shared::cta.b1024.b32 [%[[AT]]], 1;
// CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%[[AT]]], 0, %{{.*}};
// CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%[[AT]]], 1, %{{.*}};
// CHECK: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%[[AT]]], 0, %{{.*}};
// CHECK: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%[[AT]]], 1, %{{.*}};
// CHECK: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%[[AT]]], 0, %{{.*}};
// CHECK: tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%[[AT]]], 0, %{{.*}};
// CHECK: tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%[[AT]]], 1, %{{.*}};
// CHECK: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%[[AT]]], 6;
// Fields of zero are so already: interleave_layout and fill_mode.
// CHECK-NEXT: // end inline asm
// CHECK-NEXT: // begin inline asm
// CHECK-NEXT: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%[[AT]]], 3;
// CHECK: bar.warp.sync
// CHECK: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%[[PLACE:rd[0-9]+]]], [%[[AT]]], 128;
// CHECK: bar.sync
// CHECK: fence.proxy.tensormap::generic.acquire.gpu [%[[PLACE]]], 128;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [

#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#l = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
!buf = !ttg.memdesc<64x64xf16, #s, #smem, mutable>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  tt.func public @store(%p: !tt.ptr<f16>, %n: i32, %stride: i64) {
    %c0 = arith.constant 0 : i32
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%n, %n], [%stride, %one] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16, #s>
    %x = arith.constant dense<1.0> : tensor<64x64xf16, #l>
    %buf = ttg.local_alloc %x : (tensor<64x64xf16, #l>) -> !buf
    ttng.async_tma_copy_local_to_global %d[%c0, %c0] %buf : !tt.tensordesc<64x64xf16, #s>, !buf
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    tt.return
  }
}
