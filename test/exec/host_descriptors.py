"""Descriptors that the host makes: `TensorDescriptor.from_tensor(…)` as an argument."""

# RUN: matmul A='randint(-4, 5, (200, 336), bf16)' B='randint(-4, 5, (520, 336), bf16)' C='empty((200, 520), bf16)' \
#   a='TensorDescriptor.from_tensor(A, [128, 64], gl.NVMMASharedLayout(128, 16, rank=2))' \
#   b='TensorDescriptor.from_tensor(B, [256, 64], gl.NVMMASharedLayout(128, 16, rank=2))' \
#   c='TensorDescriptor.from_tensor(C, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))' m=200 n=520 k=336 STAGES=4 GROUP=16 \
#   BUFFERS=2 REGISTERS=240 --grid 2 --target cuda:90a
# EXPECT: C == (A.to(f32) @ B.to(f32).T).to(bf16)

# What lies outside of a tensor reads as zero or as NaN, and is not written; rows may be apart.
# RUN: copy x='arange(480, f32).reshape((12, 40))' y='full((16, 64), 7.0, f32)' \
#   source='TensorDescriptor.from_tensor(x[:10, :36], [16, 32], gl.NVMMASharedLayout(0, 32, rank=2))' \
#   target='TensorDescriptor.from_tensor(y, [16, 32], gl.NVMMASharedLayout(0, 32, rank=2))' column=32 --target cuda:90a
# EXPECT: all(y[:10, 32:36] == x[:10, 32:36]) and all(y[:, 36:] == 0) and all(y[10:, 32:] == 0) and all(y[:, :32] == 7)
# RUN: copy x='arange(480, f32).reshape((12, 40))' y='zeros((16, 64), f32)' \
#   source='TensorDescriptor.from_tensor(x[:10, :36], [16, 32], gl.NVMMASharedLayout(0, 32, rank=2), padding="nan")' \
#   target='TensorDescriptor.from_tensor(y[:8], [16, 32], gl.NVMMASharedLayout(0, 32, rank=2))' column=32 --target cuda:90a
# EXPECT: all(y[:8, 32:36] == x[:8, 32:36]) and all(isnan(y[:8, 36:])) and all(y[8:] == 0)

# The kernel sees a descriptor's shape and strides.
# RUN: facts x='zeros((3, 10, 16), i32)' d='TensorDescriptor.from_tensor(x, [1, 8, 16], gl.NVMMASharedLayout(0, 32, rank=3))' \
#   out='empty(6, i32)' --target cuda:90a
# EXPECT: out == tensor([3, 10, 16, 160, 16, 1])

# A tensor that nothing has written.
# RUN: copy x='empty((16, 64), f32)' y='empty((16, 64), f32)' \
#   source='TensorDescriptor.from_tensor(x, [16, 32], gl.NVMMASharedLayout(0, 32, rank=2))' \
#   target='TensorDescriptor.from_tensor(y, [16, 32], gl.NVMMASharedLayout(0, 32, rank=2))' column=0 --target cuda:90a
# FAULT: UninitializedRead

# Without a layout, for a kernel of Triton: by the copy engine where there is one that can, else by threads.
# RUN: doubled x='arange(480, f32).reshape((12, 40))' y='full((16, 64), 7.0, f32)' \
#   source='TensorDescriptor.from_tensor(x[:10, :36], [16, 32])' target='TensorDescriptor.from_tensor(y, [16, 32])' \
#   column=32 --target cuda:90a
# EXPECT: all(y[:10, 32:36] == 2 * x[:10, 32:36]) and all(y[:10, 36:] == 0) and all(y[:, :32] == 7)
# RUN: doubled x='arange(480, f32).reshape((12, 40))' y='full((16, 64), 7.0, f32)' \
#   source='TensorDescriptor.from_tensor(x[:10, :36], [16, 32], padding="nan")' target='TensorDescriptor.from_tensor(y, [16, 32])' \
#   column=32 --target cuda:80
# EXPECT: all(y[:10, 32:36] == 2 * x[:10, 32:36]) and all(isnan(y[:10, 36:])) and all(y[:, :32] == 7)
# RUN: doubled x='arange(480, f32).reshape((12, 40))' y='full((16, 64), 7.0, f32)' \
#   source='TensorDescriptor.from_tensor(x[:10, :36], [16, 32])' target='TensorDescriptor.from_tensor(y, [16, 32])' \
#   column=32 --target hip:gfx942
# EXPECT: all(y[:10, 32:36] == 2 * x[:10, 32:36]) and all(y[:10, 36:] == 0) and all(y[:, :32] == 7)

import triton
import triton.language as tl
from hopper_matmul.matmul import matmul
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@triton.jit
def doubled(source, target, column):
    target.store([0, column], source.load([0, column]) * 2)


@gluon.jit
def copy(source, target, column):
    buffer = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    landed = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(landed, count=1)
    mbarrier.expect(landed, source.block_type.nbytes)
    tma.async_copy_global_to_shared(source, [0, column], landed, buffer)
    mbarrier.wait(landed, 0)
    mbarrier.invalidate(landed)
    tma.async_copy_shared_to_global(target, [0, column], buffer)
    tma.store_wait(0)


@gluon.jit
def facts(d, out):
    for i in gl.static_range(3):
        gl.store(out + i, d.shape[i])
        gl.store(out + 3 + i, d.strides[i].to(gl.int32))
