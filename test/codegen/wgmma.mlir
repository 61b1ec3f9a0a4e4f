// Products of a warp group. Descriptors: lines of 128 bytes, 1024 bytes from 8 rows to the next 8;
// 32 bytes from one step of K to the next where K is contiguous, 2048 where it is not. A zero
// accumulator is not read; others stay where they are.
// RUN: gluonc compile %s --target cuda:90 --emit ptx -o - | %python %S/matrix_descriptors.py > %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %if ptxas %{ gluonc compile %s --target cuda:90a --emit cubin -o %t.cubin %}

// CHECK: .entry dots
// CHECK: or.b64 {{.*}}, {address 0, leading 0, stride 1024, swizzle 128};
// CHECK: wgmma.fence.sync.aligned;
// CHECK: add.s64 {{.*}}, {address 32, leading 0, stride 1024, swizzle 128};
// CHECK: add.s64 {{.*}}, {address 2048, leading 0, stride 1024, swizzle 128};
// The steps of K are one piece of assembly on the same registers.
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1, 0, 1;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1, 1, 1, 0, 1;
// CHECK-NOT: wgmma.fence
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK-NEXT: // end inline asm
// CHECK: wgmma.wait_group.sync.aligned 0;

// The second product adds to the first where the flag says so.
// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, %p{{[0-9]+}}, 1, 1, 1;
// CHECK-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}}, %rd{{[0-9]+}}, 1, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 0;

// Other types have no transposed operands, integers no scale.
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8.satfinite {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8.satfinite {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 1;
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.wait_group.sync.aligned 0;

// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.s32.u8.s8.satfinite

// 8-bit floats are added up in float32 every so many elements.
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1;
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: add{{(.rn)?}}.f32
// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {{{.*}}}, %rd{{[0-9]+}}, %rd{{[0-9]+}}, 0, 1, 1;
// CHECK: add{{(.rn)?}}.f32
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#mma8 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bytes = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#bytesT = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.shared = 40960 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @dots(%n: i32) attributes {noinline = false} {
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %zero8 = arith.constant dense<0.0> : tensor<64x64xf32, #mma8>
    %zeros = arith.constant dense<0> : tensor<64x64xi32, #mma8>
    %c0 = arith.constant 0 : i32
    %use = arith.cmpi sgt, %n, %c0 : i32
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %b = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %x = ttg.local_alloc {allocation.offset = 16384 : i32} : () -> !ttg.memdesc<64x64xi8, #bytes, #smem, mutable>
    %y = ttg.local_alloc {allocation.offset = 20480 : i32} : () -> !ttg.memdesc<64x64xi8, #bytesT, #smem, mutable>
    %u = ttg.memdesc_reinterpret %x : !ttg.memdesc<64x64xi8, #bytes, #smem, mutable> -> !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable>
    %v = ttg.memdesc_reinterpret %y : !ttg.memdesc<64x64xi8, #bytesT, #smem, mutable> -> !ttg.memdesc<64x64xf8E5M2, #bytesT, #smem, mutable>
    %out = ttg.local_alloc {allocation.offset = 24576 : i32} : () -> !ttg.memdesc<64x64xf32, #plain, #smem, mutable>
    %ints = ttg.local_alloc {allocation.offset = 24576 : i32} : () -> !ttg.memdesc<64x64xi32, #plain, #smem, mutable>
    %d = ttng.warp_group_dot %a, %b, %zero {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : tensor<64x64xf32, #mma>
    %r = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %e = ttng.warp_group_dot %r, %b, %w, %use {inputPrecision = 0 : i32} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    ttg.local_store %e, %out : tensor<64x64xf32, #mma> -> !ttg.memdesc<64x64xf32, #plain, #smem, mutable>
    %f = ttng.warp_group_dot %x, %y, %zeros {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xi8, #bytes, #smem, mutable> * !ttg.memdesc<64x64xi8, #bytesT, #smem, mutable> -> tensor<64x64xi32, #mma8>
    ttg.local_store %f, %ints : tensor<64x64xi32, #mma8> -> !ttg.memdesc<64x64xi32, #plain, #smem, mutable>
    %h = ttng.warp_group_dot %x, %y, %zeros {inputPrecision = 0 : i32, unsignedA} : !ttg.memdesc<64x64xi8, #bytes, #smem, mutable> * !ttg.memdesc<64x64xi8, #bytesT, #smem, mutable> -> tensor<64x64xi32, #mma8>
    ttg.local_store %h, %ints : tensor<64x64xi32, #mma8> -> !ttg.memdesc<64x64xi32, #plain, #smem, mutable>
    %g = ttng.warp_group_dot %u, %v, %zero8 {inputPrecision = 0 : i32, maxNumImpreciseAcc = 32 : i32} : !ttg.memdesc<64x64xf8E4M3FN, #bytes, #smem, mutable> * !ttg.memdesc<64x64xf8E5M2, #bytesT, #smem, mutable> -> tensor<64x64xf32, #mma8>
    ttg.local_store %g, %out : tensor<64x64xf32, #mma8> -> !ttg.memdesc<64x64xf32, #plain, #smem, mutable>
    tt.return
  }
}
