"""Tensor memory and the products that use it: nvidia.blackwell."""

# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x64b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x64b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x128b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x128b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x256b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x256b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b_splitn"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b_splitn"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 128), f32)' dst='empty((128, 128), f32)' M=128 N=128 BM=128 BN=128 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 256), f32)' dst='empty((128, 256), f32)' M=128 N=256 BM=128 BN=256 STRIDE=1 VARIANT='"32x32b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((64, 64), f32)' dst='empty((64, 64), f32)' M=64 N=64 BM=64 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((64, 64), f32)' dst='empty((64, 64), f32)' M=64 N=64 BM=64 BN=64 STRIDE=1 VARIANT='"32x32b_splitn"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((64, 64), f32)' dst='empty((64, 64), f32)' M=64 N=64 BM=64 BN=32 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BM=64 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((64, 64), f32)' dst='empty((64, 64), f32)' M=64 N=64 BM=64 BN=64 STRIDE=1 VARIANT='"16x64b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((64, 64), f32)' dst='empty((64, 64), f32)' M=64 N=64 BM=64 BN=64 STRIDE=1 VARIANT='"16x256b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=2 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x64b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=2 VARIANT='"16x64b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x128b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=2 VARIANT='"16x128b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x256b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), f16)' dst='empty((128, 64), f16)' M=128 N=64 BM=128 BN=64 STRIDE=2 VARIANT='"16x256b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((128, 64), bf16)' dst='empty((128, 64), bf16)' M=128 N=64 BM=128 BN=64 STRIDE=2 VARIANT='"32x32b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randint(-99, 99, (128, 64), i8)' dst='empty((128, 64), i8)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randint(-99, 99, (128, 16), i8)' dst='empty((128, 16), i8)' M=128 N=16 BM=128 BN=16 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randint(-99, 99, (128, 64), i32)' dst='empty((128, 64), i32)' M=128 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"16x128b"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: moved src='randn((256, 64), f32)' dst='empty((256, 64), f32)' M=256 N=64 BM=128 BN=64 STRIDE=1 VARIANT='"32x32b"' WARPS=4 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' M=128 N=64 K=64 BM=128 BN=64 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), bf16)' b='randint(-4, 5, (64, 128), bf16)' c='empty((128, 128), f32)' M=128 N=128 K=64 BM=128 BN=128 STRIDE=1 TA=True --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 256), f16)' c='empty((128, 256), f32)' M=128 N=256 K=128 BM=128 BN=256 STRIDE=1 TB=True WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' M=128 N=64 K=64 BM=128 BN=64 STRIDE=1 TA=True TB=True --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-2, 3, (128, 64), f16)' b='randint(-2, 3, (64, 64), f16)' c='empty((128, 64), f16)' M=128 N=64 K=64 BM=128 BN=64 STRIDE=2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((128, 64), f32)' M=128 N=64 K=64 BM=128 BN=64 STRIDE=1 TB=True --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 128), gl.float8e4nv)' b='randint(-4, 5, (128, 64), gl.float8e5)' c='empty((128, 64), f32)' M=128 N=64 K=128 BM=128 BN=64 STRIDE=1 TB=True --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 128), gl.float8e5)' b='randint(-4, 5, (128, 64), gl.float8e4nv)' c='empty((128, 64), f32)' M=128 N=64 K=128 BM=128 BN=64 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-2, 3, (128, 128), gl.float8e4nv)' b='randint(-2, 3, (128, 64), gl.float8e4nv)' c='empty((128, 64), f16)' M=128 N=64 K=128 BM=128 BN=64 STRIDE=2 TB=True --grid 1 --target cuda:100a
# EXPECT: c == (a @ b).to(f16)
# RUN: product a='randint(-100, 100, (128, 64), i8)' b='randint(-100, 100, (64, 64), i8)' c='empty((128, 64), i32)' M=128 N=64 K=64 BM=128 BN=64 STRIDE=1 TB=True --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(0, 256, (128, 64), u8)' b='randint(-128, 128, (64, 64), i8)' c='empty((128, 64), i32)' M=128 N=64 K=64 BM=128 BN=64 STRIDE=1 TB=True --grid 1 --target cuda:100a
# EXPECT: c == a.to(i32) @ b.to(i32)
# RUN: product a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((64, 64), f32)' M=64 N=64 K=64 BM=64 BN=64 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((64, 128), f32)' M=64 N=128 K=64 BM=64 BN=64 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' M=128 N=64 K=64 BM=64 BN=64 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 256), f16)' c='empty((256, 256), f32)' M=256 N=256 K=64 BM=128 BN=256 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 256), f16)' c='empty((128, 256), f32)' M=128 N=256 K=64 BM=128 BN=128 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 32), f16)' b='randint(-4, 5, (32, 16), f16)' c='empty((128, 16), f32)' M=128 N=16 K=32 BM=128 BN=16 STRIDE=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 16), f16)' b='randint(-4, 5, (16, 8), f16)' c='empty((128, 8), f32)' M=128 N=8 K=16 BM=128 BN=8 STRIDE=1 TB=True --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: from_tensor_memory a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' M=128 N=64 K=64 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: from_tensor_memory a='randint(-4, 5, (128, 128), bf16)' b='randint(-4, 5, (128, 128), bf16)' c='empty((128, 128), f32)' M=128 N=128 K=128 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: chained a='randint(-4, 5, (128, 256), f16)' b='randint(-4, 5, (256, 64), f16)' c='empty((128, 64), f32)' n=4 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: chained a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' n=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: in_rings src='randn((3, 128, 32), f32)' dst='empty((3, 128, 32), f32)' --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: in_slices src='randn((128, 64), f32)' dst='empty((128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:, :32] == src[:, 32:] and dst[:, 32:] == src[:, :32]
# RUN: seen_as_halves src='randint(-9, 9, (128, 64), f16)' dst='empty((128, 64), f16)' --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: stored_if src='randn((128, 32), f32)' dst='empty((128, 32), f32)' on=1 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: stored_if src='randn((128, 32), f32)' dst='empty((128, 32), f32)' on=0 --grid 1 --target cuda:100a
# EXPECT: dst == 0
# RUN: skipped a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' on=0 --grid 1 --target cuda:100a
# EXPECT: c == 1
# RUN: skipped a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' on=1 --grid 1 --target cuda:100a
# EXPECT: c == a @ b + 1
# RUN: two_sums a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((2, 128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: c[0] == a @ b and c[1] == 2 * (a @ b)
# RUN: by_partitions a='randint(-4, 5, (128, 256), f16)' b='randint(-4, 5, (256, 64), f16)' c='empty((128, 64), f32)' n=4 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: too_early a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' --grid 1 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: overwritten a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' --grid 1 --target cuda:100a
# FAULT: SharedWriteDuringRead
# RUN: never_set a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' --grid 1 --target cuda:100a
# FAULT: UninitializedSharedRead
# RUN: never_told a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' --grid 1 --target cuda:100a
# FAULT: UnfinishedAtEnd
# RUN: told_by_others a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' --grid 1 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: in_odd_slices src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 256), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:, 80:104] == src[:, :24]
# RUN: in_odd_slices src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 256), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:, 104:168] == src[:, 24:88] + 1
# RUN: in_odd_slices src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 256), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:, 168:208] == src[:, 88:]
# RUN: in_odd_slices src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 256), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:, :80] == 0
# RUN: in_odd_slices src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 256), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:, 208:] == 0
# RUN: in_stages src='randint(-99, 99, (4, 128, 32), f32)' dst='empty((4, 128, 32), f32)' --grid 1 --target cuda:100a
# EXPECT: dst[:1] == src[:1] and dst[1:2] == 2 * src[1:2] and dst[2:3] == src[2:3] - 1 and dst[3:] == src[3:]

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, mbarrier, tcgen05_commit,
                                                                 tcgen05_mma)


@gluon.jit
def places(rows: gl.constexpr, columns: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, rows, gl.SliceLayout(1, layout))
    j = gl.arange(0, columns, gl.SliceLayout(0, layout))
    return i[:, None] * columns + j[None, :]


@gluon.jit
def operand(pointer, rows: gl.constexpr, columns: gl.constexpr, transposed: gl.constexpr):
    """A tile in shared memory, contiguous along its first dim if `transposed`."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    value = gl.load(pointer + places(rows, columns, layout))
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([rows, columns], value.dtype, transposed=transposed)
    return gl.allocate_shared_memory(value.dtype, [rows, columns], shared, value)


@gluon.jit
def barrier():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    return bar


@gluon.jit
def put(pointer, tmem, rows: gl.constexpr, columns: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    value = gl.convert_layout(tmem.load(), layout)
    gl.store(pointer + places(rows, columns, layout), value)


@gluon.jit
def moved(src, dst, M: gl.constexpr, N: gl.constexpr, BM: gl.constexpr, BN: gl.constexpr, STRIDE: gl.constexpr,
          VARIANT: gl.constexpr, WARPS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [WARPS, 1], [1, 0])
    value = gl.load(src + places(M, N, layout))
    # What lies beside it stays.
    other = allocate_tensor_memory(gl.float32, [128, 32], TensorMemoryLayout([128, 32], 1))
    other.store(gl.full([128, 32], 7.0, gl.float32, other.get_reg_layout()))
    tmem = allocate_tensor_memory(value.dtype, [M, N], TensorMemoryLayout([BM, BN], STRIDE))
    registers: gl.constexpr = tmem.get_reg_layout(instr_variant=VARIANT)
    tmem.store(gl.convert_layout(value, registers))
    # By another shape than it was stored.
    value = gl.convert_layout(tmem.load(), layout)
    gl.store(dst + places(M, N, layout), value)
    back = gl.convert_layout(tmem.load(registers), layout)
    gl.device_assert(back == value)
    gl.device_assert(other.load() == 7.0)


@gluon.jit
def product(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, BM: gl.constexpr, BN: gl.constexpr,
            STRIDE: gl.constexpr, TA: gl.constexpr = False, TB: gl.constexpr = False, WARPS: gl.constexpr = 4):
    x = operand(a, M, K, TA)
    y = operand(b, K, N, TB)
    acc = allocate_tensor_memory(c.dtype.element_ty, [M, N], TensorMemoryLayout([BM, BN], STRIDE))
    bar = barrier()
    tcgen05_mma(x, y, acc, use_acc=False)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(c, acc, M, N)


@gluon.jit
def from_tensor_memory(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    value = gl.load(a + places(M, K, layout))
    x = allocate_tensor_memory(value.dtype, [M, K], TensorMemoryLayout([128, K], 1))
    x.store(gl.convert_layout(value, x.get_reg_layout()))
    y = operand(b, K, N, False)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([128, N], 1))
    bar = barrier()
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, M, N)


@gluon.jit
def chained(a, b, c, n):
    """n products into one sum, one told after the other."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    x = gl.allocate_shared_memory(gl.float16, [128, 64], wide)
    y = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    i = gl.arange(0, 128, gl.SliceLayout(1, layout))
    j = gl.arange(0, 64, gl.SliceLayout(0, layout))
    k = gl.arange(0, 64, gl.SliceLayout(1, layout))
    use = False
    for step in range(n):
        x.store(gl.load(a + i[:, None] * (64 * n) + (step * 64 + j)[None, :]))
        y.store(gl.load(b + (step * 64 + k)[:, None] * 64 + j[None, :]))
        fence_async_shared()
        tcgen05_mma(x, y, acc, use_acc=use, mbarriers=[bar])
        mbarrier.wait(bar, step & 1)
        use = True
    put(c, acc, 128, 64)


@gluon.jit
def in_rings(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    ring = allocate_tensor_memory(gl.float32, [3, 128, 32], TensorMemoryLayout([128, 32], 1))
    registers: gl.constexpr = ring.index(0).get_reg_layout()
    for i in range(3):
        value = gl.load(src + i * 4096 + places(128, 32, layout))
        ring.index(i).store(gl.convert_layout(value, registers))
    for i in range(3):
        put(dst + i * 4096, ring.index(i), 128, 32)


@gluon.jit
def in_slices(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tmem = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    value = gl.load(src + places(128, 64, layout))
    tmem.store(gl.convert_layout(value, tmem.get_reg_layout()))
    left = tmem.slice(0, 32)
    right = tmem.slice(32, 32)
    x = left.load()
    left.store(right.load())
    right.store(x)
    put(dst, tmem, 128, 64)


@gluon.jit
def in_odd_slices(src, dst):
    """Slices that begin at no multiple of their length."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    pool = allocate_tensor_memory(gl.float32, [128, 256], TensorMemoryLayout([128, 256], 1))
    pool.store(gl.zeros([128, 256], gl.float32, pool.get_reg_layout()))
    part = pool.slice(80, 128)
    part.store(gl.convert_layout(gl.load(src + places(128, 128, layout)), part.get_reg_layout()))
    seen = part.slice(24, 64)
    seen.store(seen.load() + 1)
    put(dst, pool.reinterpret(layout=TensorMemoryLayout([128, 64], 1)), 128, 256)


@gluon.jit
def in_stages(src, dst):
    """Slices of a ring along its first dim."""
    ring = allocate_tensor_memory(gl.float32, [4, 128, 32], TensorMemoryLayout([128, 32], 1))
    registers: gl.constexpr = ring.index(0).get_reg_layout()
    for i in gl.static_range(4):
        ring.index(i).store(gl.load(src + i * 4096 + places(128, 32, registers)))
    middle = ring.slice(1, 2, dim=0)
    lower = middle.reinterpret().index(0)
    lower.store(lower.load() * 2)
    upper = middle.slice(1, 1, dim=0).index(0)
    upper.store(upper.load() - 1)
    for i in gl.static_range(4):
        put(dst + i * 4096, ring.index(i), 128, 32)


@gluon.jit
def seen_as_halves(src, dst):
    """The sum's columns hold the operand of the next product."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    acc.store(gl.zeros([128, 64], gl.float32, acc.get_reg_layout()))
    half = acc.slice(32, 32).reinterpret(gl.float16, [128, 64], TensorMemoryLayout([128, 64], 1))
    value = gl.load(src + places(128, 64, layout))
    half.store(gl.convert_layout(value, half.get_reg_layout()))
    gl.device_assert(acc.slice(0, 32).load() == 0)
    put(dst, half, 128, 64)


@gluon.jit
def stored_if(src, dst, on):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tmem = allocate_tensor_memory(gl.float32, [128, 32], TensorMemoryLayout([128, 32], 1))
    registers: gl.constexpr = tmem.get_reg_layout()
    tmem.store(gl.zeros([128, 32], gl.float32, registers))
    tmem.store(gl.convert_layout(gl.load(src + places(128, 32, layout)), registers), pred=on > 0)
    put(dst, tmem, 128, 32)


@gluon.jit
def skipped(a, b, c, on):
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    layout: gl.constexpr = TensorMemoryLayout([128, 64], 1)
    registers: gl.constexpr = gl.nvidia.blackwell.get_tmem_reg_layout(gl.float32, [128, 64], layout, 4)
    acc = allocate_tensor_memory(gl.float32, [128, 64], layout, gl.full([128, 64], 1.0, gl.float32, registers))
    bar = barrier()
    tcgen05_mma(x, y, acc, pred=on > 0)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def two_sums(a, b, c):
    """Products that follow each other, in one sum and in another."""
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    ring = allocate_tensor_memory(gl.float32, [2, 128, 64], TensorMemoryLayout([128, 64], 1))
    first = barrier()
    second = barrier()
    tcgen05_mma(x, y, ring.index(0), use_acc=False, mbarriers=[first])
    tcgen05_mma(x, y, ring.index(1), use_acc=False)
    tcgen05_mma(x, y, ring.index(1), mbarriers=[second])
    mbarrier.wait(first, 0)
    put(c, ring.index(0), 128, 64)
    mbarrier.wait(second, 0)
    put(c + 8192, ring.index(1), 128, 64)
    # The first `put` exchanges elements in shared memory while the second product reads.
    x._keep_alive()
    y._keep_alive()


@gluon.jit
def multiply(xs, ys, acc, full, free, done, n):
    for step in range(n):
        slot = step % 2
        mbarrier.wait(full.index(slot), step // 2 & 1)
        tcgen05_mma(xs.index(slot), ys.index(slot), acc, use_acc=step > 0, mbarriers=[free.index(slot)])
    tcgen05_commit(done)


@gluon.jit
def fill(a, b, c, xs, ys, acc, full, free, done, n):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    i = gl.arange(0, 128, gl.SliceLayout(1, layout))
    j = gl.arange(0, 64, gl.SliceLayout(0, layout))
    k = gl.arange(0, 64, gl.SliceLayout(1, layout))
    for step in range(n):
        slot = step % 2
        mbarrier.wait(free.index(slot), (step // 2 & 1) ^ 1)
        xs.index(slot).store(gl.load(a + i[:, None] * (64 * n) + (step * 64 + j)[None, :]))
        ys.index(slot).store(gl.load(b + (step * 64 + k)[:, None] * 64 + j[None, :]))
        fence_async_shared()
        mbarrier.arrive(full.index(slot), count=1)
    mbarrier.wait(done, 0)
    put(c, acc, 128, 64)


@gluon.jit
def by_partitions(a, b, c, n):
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    xs = gl.allocate_shared_memory(gl.float16, [2, 128, 64], wide)
    ys = gl.allocate_shared_memory(gl.float16, [2, 64, 64], wide)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    done = barrier()
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    gl.warp_specialize([(fill, (a, b, c, xs, ys, acc, full, free, done, n)),
                        (multiply, (xs, ys, acc, full, free, done, n))], [1])


@gluon.jit
def too_early(a, b, c):
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])
    put(c, acc, 128, 64)
    mbarrier.wait(bar, 0)


@gluon.jit
def overwritten(a, b, c):
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])
    x.store(gl.zeros([128, 64], gl.float16, layout))
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def never_set(a, b, c):
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    tcgen05_mma(x, y, acc, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def never_told(a, b, c):
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    tcgen05_mma(x, y, acc, use_acc=False)


@gluon.jit
def told_by_others(a, b, c):
    """A commit tells of what its own partition started, and of nothing else."""
    x = operand(a, 128, 64, False)
    y = operand(b, 64, 64, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    go = barrier()
    gl.warp_specialize([(start_and_read, (x, y, acc, c, bar, go)), (tell, (bar, go))], [1])


@gluon.jit
def start_and_read(x, y, acc, c, bar, go):
    tcgen05_mma(x, y, acc, use_acc=False)
    mbarrier.arrive(go, count=1)
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def tell(bar, go):
    mbarrier.wait(go, 0)
    tcgen05_commit(bar)
