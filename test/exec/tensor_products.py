"""Products of tensor memory with scales, of two CTAs, and copies to tensor memory."""

# RUN: copied src='randn((128, 64), f32)' dst='empty((128, 64), f32)' M=128 N=64 BN=64 SWIZZLE=128 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: copied src='randn((128, 16), f32)' dst='empty((128, 16), f32)' M=128 N=16 BN=16 SWIZZLE=64 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: copied src='randn((128, 4), f32)' dst='empty((128, 4), f32)' M=128 N=4 BN=4 SWIZZLE=0 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: copied src='randint(-99, 99, (256, 64), i32)' dst='empty((256, 64), i32)' M=256 N=64 BN=32 SWIZZLE=128 --grid 1 --target cuda:100a
# EXPECT: dst == src
# RUN: scaled a='randint(-4, 5, (128, 128), gl.float8e4nv)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' sa='randint(120, 131, (128, 4), u8)' sb='randint(120, 131, (64, 4), u8)' c='empty((128, 64), f32)' left='empty((128, 128), f32)' right='empty((64, 128), f32)' M=128 N=64 K=128 A='"e4m3"' B='"e4m3"' --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(-4, 5, (128, 256), gl.float8e5)' b='randint(-4, 5, (128, 256), gl.float8e4nv)' sa='randint(120, 131, (128, 8), u8)' sb='randint(120, 131, (128, 8), u8)' c='empty((128, 128), f32)' left='empty((128, 256), f32)' right='empty((128, 256), f32)' M=128 N=128 K=256 A='"e5m2"' B='"e4m3"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(-4, 5, (256, 128), gl.float8e5)' b='randint(-4, 5, (128, 128), gl.float8e5)' sa='randint(120, 131, (256, 4), u8)' sb='randint(120, 131, (128, 4), u8)' c='empty((256, 128), f32)' left='empty((256, 128), f32)' right='empty((128, 128), f32)' M=256 N=128 K=128 A='"e5m2"' B='"e5m2"' COPY=True WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(-4, 5, (128, 128), gl.float8e5)' b='randint(-4, 5, (256, 128), gl.float8e5)' sa='randint(120, 131, (128, 4), u8)' sb='randint(120, 131, (256, 4), u8)' c='empty((128, 256), f32)' left='empty((128, 128), f32)' right='empty((256, 128), f32)' M=128 N=256 K=128 A='"e5m2"' B='"e5m2"' COPY=True --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(0, 256, (128, 128), u8)' b='randint(0, 256, (128, 128), u8)' sa='randint(120, 131, (128, 8), u8)' sb='randint(120, 131, (128, 8), u8)' c='empty((128, 128), f32)' left='empty((128, 256), f32)' right='empty((128, 256), f32)' M=128 N=128 K=256 A='"e2m1"' B='"e2m1"' COPY=True WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(0, 256, (128, 64), u8)' b='randint(0, 256, (64, 64), u8)' sa='randint(1, 5, (128, 8), gl.float8e4nv)' sb='randint(1, 5, (64, 8), gl.float8e4nv)' c='empty((128, 64), f32)' left='empty((128, 128), f32)' right='empty((64, 128), f32)' M=128 N=64 K=128 A='"e2m1"' B='"e2m1"' VEC=16 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(0, 256, (128, 128), u8)' b='randint(0, 256, (128, 128), u8)' sa='randint(1, 5, (128, 16), gl.float8e4nv)' sb='randint(1, 5, (128, 16), gl.float8e4nv)' c='empty((128, 128), f32)' left='empty((128, 256), f32)' right='empty((128, 256), f32)' M=128 N=128 K=256 A='"e2m1"' B='"e2m1"' VEC=16 COPY=True WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# Of a view of more dims, which has no layout by name.
# RUN: scaled a='randint(0, 256, (128, 64), u8)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' sa='randint(120, 131, (128, 4), u8)' sb='randint(120, 131, (64, 4), u8)' c='empty((128, 64), f32)' left='empty((128, 128), f32)' right='empty((64, 128), f32)' M=128 N=64 K=128 A='"e2m1"' B='"e4m3"' BOXES=4 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(-4, 5, (128, 128), gl.float8e4nv)' b='randint(0, 256, (64, 64), u8)' sa='randint(120, 131, (128, 4), u8)' sb='randint(120, 131, (64, 4), u8)' c='empty((128, 64), f32)' left='empty((128, 128), f32)' right='empty((64, 128), f32)' M=128 N=64 K=128 A='"e4m3"' B='"e2m1"' --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# By the TMA, which spreads 4-bit floats to bytes: two messages of 64 bytes a row.
# RUN: loaded a='randint(0, 256, (128, 128), u8)' b='randint(-4, 5, (64, 256), gl.float8e4nv)' sa='randint(120, 131, (128, 8), u8)' sb='randint(120, 131, (64, 8), u8)' c='empty((128, 64), f32)' left='empty((128, 256), f32)' right='empty((64, 256), f32)' EXTENT=128 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# Behind the tensor's end there are zeros.
# RUN: loaded a='randint(0, 256, (128, 128), u8)' b='randint(-4, 5, (64, 256), gl.float8e4nv)' sa='randint(120, 131, (128, 8), u8)' sb='randint(120, 131, (64, 8), u8)' c='empty((128, 64), f32)' left='empty((128, 256), f32)' right='empty((64, 256), f32)' EXTENT=64 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left[:, :128] @ right[:, :128].T, 1e-6, 1e-3)
# RUN: scaled a='randint(0, 256, (128, 128), u8)' b='randint(-4, 5, (128, 256), gl.float8e5)' sa='randint(120, 131, (128, 8), u8)' sb='randint(120, 131, (128, 8), u8)' c='empty((128, 128), f32)' left='empty((128, 256), f32)' right='empty((128, 256), f32)' M=128 N=128 K=256 A='"e2m1"' B='"e5m2"' COPY=True WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# Two scales a row: half of a column of tensor memory.
# RUN: scaled a='randint(0, 256, (128, 32), u8)' b='randint(0, 256, (64, 32), u8)' sa='randint(120, 131, (128, 2), u8)' sb='randint(120, 131, (64, 2), u8)' c='empty((128, 64), f32)' left='empty((128, 64), f32)' right='empty((64, 64), f32)' M=128 N=64 K=64 A='"e2m1"' B='"e2m1"' --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: scaled a='randint(-4, 5, (128, 64), gl.float8e4nv)' b='randint(-4, 5, (128, 64), gl.float8e4nv)' sa='randint(120, 131, (128, 2), u8)' sb='randint(120, 131, (128, 2), u8)' c='empty((128, 128), f32)' left='empty((128, 64), f32)' right='empty((128, 64), f32)' M=128 N=128 K=64 A='"e4m3"' B='"e4m3"' WARPS=8 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# Scales come by turns into one place, which products still read when the copy of it is told.
# RUN: scaled_steps a='randint(-4, 5, (256, 512), gl.float8e4nv)' b='randint(-4, 5, (128, 512), gl.float8e4nv)' sa='randint(120, 131, (256, 16), u8)' sb='randint(120, 131, (128, 16), u8)' c='empty((256, 128), f32)' left='empty((256, 512), f32)' right='empty((128, 512), f32)' STEPS=4 --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-2)
# RUN: pair a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' M=256 N=128 K=64 BM=128 --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: pair a='randint(-4, 5, (128, 64), bf16)' b='randint(-4, 5, (64, 64), bf16)' c='empty((128, 64), f32)' M=128 N=64 K=64 BM=64 --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: pair a='randint(-4, 5, (512, 128), gl.float8e4nv)' b='randint(-4, 5, (128, 256), gl.float8e4nv)' c='empty((512, 256), f32)' M=512 N=256 K=128 BM=128 TB=True --num-ctas 2 --grid 2 --target cuda:100a
# EXPECT: c == a @ b
# RUN: apart a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' CGA='[[1, 0]]' CGA_A='[[1, 0]]' CGA_B='[[0, 0]]' BN=128 --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: apart a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' CGA='[[0, 1], [1, 0]]' CGA_A='[[0, 0], [1, 0]]' CGA_B='[[0, 1], [0, 0]]' BN=64 --num-ctas 4 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: scaled_pair a='randint(-4, 5, (256, 128), gl.float8e4nv)' b='randint(-4, 5, (128, 128), gl.float8e4nv)' sa='randint(120, 131, (256, 4), u8)' sb='randint(120, 131, (128, 4), u8)' c='empty((256, 128), f32)' left='empty((256, 128), f32)' right='empty((128, 128), f32)' --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: loaded_pair a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (192, 128), f16)' c='empty((256, 128), f32)' STEPS=3 CGA='[[1, 0]]' CGA_A='[[1, 0]]' CGA_B='[[0, 1]]' M=256 N=128 BN=128 MULTICAST=False --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: loaded_pair a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (192, 256), f16)' c='empty((256, 256), f32)' STEPS=3 CGA='[[1, 0], [0, 1]]' CGA_A='[[1, 0], [0, 0]]' CGA_B='[[0, 1], [0, 2]]' M=256 N=256 BN=128 MULTICAST=True --num-ctas 4 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: loaded_pair a='randint(-4, 5, (512, 128), f16)' b='randint(-4, 5, (128, 256), f16)' c='empty((512, 256), f32)' STEPS=2 CGA='[[1, 0], [0, 1], [2, 0]]' CGA_A='[[1, 0], [0, 0], [2, 0]]' CGA_B='[[0, 1], [0, 2], [0, 0]]' M=512 N=256 BN=128 MULTICAST=True --num-ctas 8 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: pair_in_partitions a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: scales_too_early sa='randint(120, 131, (128, 4), u8)' dst='empty((128, 4), u8)' --grid 1 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: scales_overwritten a='randint(-4, 5, (128, 128), gl.float8e4nv)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' sa='randint(120, 131, (128, 4), u8)' sb='randint(120, 131, (64, 4), u8)' c='empty((128, 64), f32)' --grid 1 --target cuda:100a
# FAULT: SharedWriteDuringRead
# RUN: peer_not_told a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' --num-ctas 2 --grid 1 --target cuda:100a
# FAULT: UnorderedSharedAccess
# RUN: scales_in_a_row a='randint(-4, 5, (128, 128), gl.float8e4nv)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' c='empty((128, 64), f32)' DONE=False --grid 1 --target cuda:100a
# EXPECT: c == 3 * (a @ b.T)
# RUN: scales_in_a_row a='randint(-4, 5, (128, 128), gl.float8e4nv)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' c='empty((128, 64), f32)' DONE=True --grid 1 --target cuda:100a
# FAULT: UninitializedSharedRead
# RUN: spread a='randint(0, 256, (128, 64), u8)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' sa='randint(120, 131, (128, 4), u8)' sb='randint(120, 131, (64, 4), u8)' c='empty((128, 64), f32)' left='empty((128, 128), f32)' right='empty((64, 128), f32)' --grid 1 --target cuda:100a
# EXPECT: allclose(c, left @ right.T, 1e-6, 1e-3)
# RUN: copied_rows src='randint(-999, 999, (128, 64), i32)' dst='empty((256, 64), i32)' BN=32 --grid 1 --target cuda:100a
# EXPECT: dst[128:] == src and dst[:128] == 0 * src - 7
# RUN: copied_rows src='randint(-999, 999, (128, 64), i32)' dst='empty((256, 64), i32)' BN=8 --grid 1 --target cuda:100a
# EXPECT: dst[128:] == src and dst[:128] == 0 * src - 7
# RUN: copied_rows src='randint(-999, 999, (128, 64), i32)' dst='empty((256, 64), i32)' BN=4 --grid 1 --target cuda:100a
# EXPECT: dst[128:] == src and dst[:128] == 0 * src - 7
# RUN: pair a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' M=256 N=128 K=64 BM=128 SYNC=False --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: c == a @ b
# RUN: counted out='empty(4, i32)' --num-ctas 4 --grid 1 --target cuda:100a
# EXPECT: out == tensor([1, 2, 4, 1])
# RUN: loaded_for_both a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((256, 128), f32)' src='randint(-99, 99, (64, 32), f32)' dst='empty((2, 64, 32), f32)' --num-ctas 2 --grid 1 --target cuda:100a
# EXPECT: dst[:1] == src and dst[1:] == src
# RUN: seen_as_words src='randint(-100, 100, (64, 16), i8)' dst='empty((128, 32), i8)' --grid 1 --target cuda:100a
# EXPECT: dst[:96] == dst[32:]
# RUN: seen_as_words src='randint(-100, 100, (64, 16), i8)' dst='empty((128, 32), i8)' --grid 1 --target cuda:100a
# EXPECT: dst[:32, :4] == src[:32, :4] and dst[:32, 4:8] == src[32:, :4] and dst[:32, 8:12] == src[:32, 4:8] and dst[:32, 28:] == src[32:, 12:]

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, TensorMemoryScalesLayout,
                                                                 allocate_tensor_memory, fence_async_shared, mbarrier, tma,
                                                                 tcgen05_commit, tcgen05_copy, tcgen05_mma,
                                                                 tcgen05_mma_barrier_count, tcgen05_mma_scaled)


@gluon.jit
def places(rows: gl.constexpr, columns: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, rows, gl.SliceLayout(1, layout))
    j = gl.arange(0, columns, gl.SliceLayout(0, layout))
    return i[:, None] * columns + j[None, :]


@gluon.jit
def barrier():
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    return bar


@gluon.jit
def put(pointer, tmem, rows: gl.constexpr, columns: gl.constexpr, CGA: gl.constexpr = []):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0], CGA)
    value = gl.convert_layout(tmem.load(), layout)
    gl.store(pointer + places(rows, columns, layout), value)


@gluon.jit
def copied(src, dst, M: gl.constexpr, N: gl.constexpr, BN: gl.constexpr, SWIZZLE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    value = gl.load(src + places(M, N, layout))
    shared: gl.constexpr = gl.NVMMASharedLayout(SWIZZLE, 32, 2)
    x = gl.allocate_shared_memory(value.dtype, [M, N], shared, value)
    tmem = allocate_tensor_memory(value.dtype, [M, N], TensorMemoryLayout([128, BN], 1))
    bar = barrier()
    tcgen05_copy(x, tmem)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(dst, tmem, M, N)


@gluon.jit
def nibble(bits):
    """The value of four bits: a sign, two of exponent, one of mantissa."""
    exponent = (bits >> 1) & 3
    half = (bits & 1).to(gl.float32) * 0.5
    value = gl.where(exponent == 0, half, (1 + half) * gl.exp2(exponent.to(gl.float32) - 1))
    return value * gl.where(bits & 8 == 0, 1.0, -1.0)


@gluon.jit
def spell_out(pointer, scales, to, rows: gl.constexpr, K: gl.constexpr, TYPE: gl.constexpr, VEC: gl.constexpr,
              layout: gl.constexpr):
    """The operand in f32, times its scales, by other means than tensor cores."""
    i = gl.arange(0, rows, gl.SliceLayout(1, layout))[:, None]
    k = gl.arange(0, K, gl.SliceLayout(0, layout))[None, :]
    if TYPE == "e2m1":
        byte = gl.load(pointer + i * (K // 2) + k // 2).to(gl.int32)
        value = nibble((byte >> (4 * (k % 2))) & 15)
    else:
        value = gl.load(pointer + i * K + k).to(gl.float32)
    scale = gl.load(scales + i * (K // VEC) + k // VEC)
    if scale.dtype == gl.uint8:
        factor = gl.exp2(scale.to(gl.float32) - 127)
    else:
        factor = scale.to(gl.float32)
    gl.store(to + i * K + k, value * factor)


@gluon.jit
def operand(pointer, rows: gl.constexpr, K: gl.constexpr, TYPE: gl.constexpr, PADDED: gl.constexpr, BOXES: gl.constexpr = 0):
    bytes: gl.constexpr = K // 2 if TYPE == "e2m1" else K
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    value = gl.load(pointer + places(rows, bytes, layout))
    if BOXES:
        boxed: gl.constexpr = gl.NVMMASharedLayout(128, 8, rank=4, fp4_padded=PADDED)
        x = gl.allocate_shared_memory(value.dtype, [BOXES, rows // BOXES, 1, bytes], boxed).reshape([rows, bytes])
        x.store(value)
        fence_async_shared()
        return x
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([rows, bytes], value.dtype, fp4_padded=PADDED)
    return gl.allocate_shared_memory(value.dtype, [rows, bytes], shared, value)


@gluon.jit
def scales_of(pointer, rows: gl.constexpr, columns: gl.constexpr, COPY: gl.constexpr):
    tmem = allocate_tensor_memory(pointer.dtype.element_ty, [rows, columns], TensorMemoryScalesLayout())
    if COPY:
        layout: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [gl.num_warps(), 1], [1, 0])
        down: gl.constexpr = [[128, 0]] if rows == 256 else []
        right: gl.constexpr = [[0, 4], [0, 8]][:columns // 8]
        shared: gl.constexpr = gl.SharedLinearLayout(
            [[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]] + right + down)
        value = gl.load(pointer + places(rows, columns, layout))
        x = gl.allocate_shared_memory(value.dtype, [rows, columns], shared, value)
        tcgen05_copy(x, tmem)
    else:
        registers: gl.constexpr = tmem.get_reg_layout()
        tmem.store(gl.load(pointer + places(rows, columns, registers)))
    return tmem


@gluon.jit
def scaled(a, b, sa, sb, c, left, right, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, A: gl.constexpr,
           B: gl.constexpr, VEC: gl.constexpr = 32, COPY: gl.constexpr = False, WARPS: gl.constexpr = 4,
           BOXES: gl.constexpr = 0):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [WARPS, 1], [1, 0])
    spell_out(a, sa, left, M, K, A, VEC, layout)
    spell_out(b, sb, right, N, K, B, VEC, layout)
    x = operand(a, M, K, A, A == "e2m1" and B != "e2m1", BOXES)
    y = operand(b, N, K, B, B == "e2m1" and A != "e2m1")
    x_scale = scales_of(sa, M, K // VEC, COPY)
    y_scale = scales_of(sb, N, K // VEC, COPY)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([128, N], 1))
    bar = barrier()
    tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, A, B, use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, M, N)


@gluon.jit
def loaded(a, b, sa, sb, c, left, right, EXTENT: gl.constexpr):
    """4-bit floats that the TMA loads, times 8-bit ones."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    spell_out(a, sa, left, 128, 256, "e2m1", 32, layout)
    spell_out(b, sb, right, 64, 256, "e4m3", 32, layout)
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 8, 2, fp4_padded=True)
    desc = tma.make_tensor_descriptor(a, [128, EXTENT], [128, 1], [128, 128], shared)
    x = gl.allocate_shared_memory(gl.uint8, [128, 128], shared)
    here, bar = barrier(), barrier()
    mbarrier.expect(here, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], here, x)
    y = operand(b, 64, 256, "e4m3", False)
    x_scale = scales_of(sa, 128, 8, False)
    y_scale = scales_of(sb, 64, 8, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    mbarrier.wait(here, 0)
    tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e2m1", "e4m3", use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def shared_operand(pointer, rows: gl.constexpr, columns: gl.constexpr, CGA: gl.constexpr, transposed: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], CGA)
    value = gl.load(pointer + places(rows, columns, layout))
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([rows, columns], value.dtype, transposed=transposed,
                                                                cga_layout=CGA)
    return gl.allocate_shared_memory(value.dtype, [rows, columns], shared, value)


@gluon.jit
def pair(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, BM: gl.constexpr, TB: gl.constexpr = False,
         SYNC: gl.constexpr = True):
    """Two CTAs multiply together. What threads of both wrote is there for the product, SYNC or not."""
    x = shared_operand(a, M, K, [[1, 0]], False)
    y = shared_operand(b, K, N, [[0, 1]], TB)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([BM, N], 1, [[1, 0]], True))
    bar = barrier()
    fence_async_shared(cluster=True)
    if SYNC:
        gl.barrier(cluster=True)
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, M, N, [[1, 0]])


@gluon.jit
def multiply_together(x, y, acc, bar):
    gl.barrier(cluster=True)
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])


@gluon.jit
def take_half(c, acc, bar):
    mbarrier.wait(bar, 0)
    put(c, acc, 256, 128, [[1, 0]])


@gluon.jit
def pair_in_partitions(a, b, c):
    """A partition synchronizes with that of the other CTA."""
    x = shared_operand(a, 256, 64, [[1, 0]], False)
    y = shared_operand(b, 64, 128, [[0, 1]], False)
    acc = allocate_tensor_memory(gl.float32, [256, 128], TensorMemoryLayout([128, 128], 1, [[1, 0]], True))
    bar = barrier()
    fence_async_shared()
    gl.warp_specialize([(take_half, (c, acc, bar)), (multiply_together, (x, y, acc, bar))], [1])


@gluon.jit
def apart(a, b, c, CGA: gl.constexpr, CGA_A: gl.constexpr, CGA_B: gl.constexpr, BN: gl.constexpr):
    """Each CTA multiplies for itself."""
    x = shared_operand(a, 256, 64, CGA_A, False)
    y = shared_operand(b, 64, 128, CGA_B, False)
    acc = allocate_tensor_memory(gl.float32, [256, 128], TensorMemoryLayout([128, BN], 1, CGA))
    bar = barrier()
    tcgen05_mma(x, y, acc, use_acc=False)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(c, acc, 256, 128, CGA)


@gluon.jit
def scaled_pair(a, b, sa, sb, c, left, right):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[1, 0]])
    spell_out(a, sa, left, 256, 128, "e4m3", 32, layout)
    spell_out(b, sb, right, 128, 128, "e4m3", 32, layout)
    x = shared_operand(a, 256, 128, [[1, 0]], False)
    y = shared_operand(b, 128, 128, [[1, 0]], False)
    x_scale = allocate_tensor_memory(gl.uint8, [256, 4], TensorMemoryScalesLayout([[1, 0]]))
    y_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout([[0, 0]]))
    x_scale.store(gl.load(sa + places(256, 4, x_scale.get_reg_layout())))
    y_scale.store(gl.load(sb + places(128, 4, y_scale.get_reg_layout())))
    acc = allocate_tensor_memory(gl.float32, [256, 128], TensorMemoryLayout([128, 128], 1, [[1, 0]], True))
    bar = barrier()
    fence_async_shared()
    gl.barrier(cluster=True)
    tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e4m3", "e4m3", use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, 256, 128, [[1, 0]])


@gluon.jit
def step_of(pointer, step, rows: gl.constexpr, columns: gl.constexpr, stride, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], CGA)
    i = gl.arange(0, rows, gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, columns, gl.SliceLayout(0, layout))[None, :]
    return gl.load(pointer + i * stride + step * columns + j)


@gluon.jit
def scaled_steps(a, b, sa, sb, c, left, right, STEPS: gl.constexpr):
    """Each CTA has the scales of its rows, and all those of the columns."""
    half: gl.constexpr = [[1, 0]]
    all: gl.constexpr = [[0, 0]]
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], half)
    spell_out(a, sa, left, 256, 128 * STEPS, "e4m3", 32, layout)
    spell_out(b, sb, right, 128, 128 * STEPS, "e4m3", 32, layout)
    wide: gl.constexpr = gl.NVMMASharedLayout(128, 8, 2, cga_layout=half)
    chunk: gl.constexpr = [[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
    x = gl.allocate_shared_memory(gl.float8e4nv, [256, 128], wide)
    y = gl.allocate_shared_memory(gl.float8e4nv, [128, 128], wide)
    x_scale = gl.allocate_shared_memory(gl.uint8, [256, 4], gl.SharedLinearLayout(chunk, [[128, 0]]))
    y_scale = gl.allocate_shared_memory(gl.uint8, [128, 4], gl.SharedLinearLayout(chunk, all))
    x_scales = allocate_tensor_memory(gl.uint8, [256, 4], TensorMemoryScalesLayout(half))
    y_scales = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout(all))
    acc = allocate_tensor_memory(gl.float32, [256, 128], TensorMemoryLayout([128, 128], 1, half, True))
    bar = barrier()
    for step in range(STEPS):
        x.store(step_of(a, step, 256, 128, 128 * STEPS, half))
        y.store(step_of(b, step, 128, 128, 128 * STEPS, half))
        x_scale.store(step_of(sa, step, 256, 4, 4 * STEPS, half))
        y_scale.store(step_of(sb, step, 128, 4, 4 * STEPS, all))
        fence_async_shared()
        gl.barrier(cluster=True)
        tcgen05_copy(x_scale, x_scales)
        tcgen05_copy(y_scale, y_scales)
        tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scales, y_scales, "e4m3", "e4m3", use_acc=step > 0,
                           mbarriers=[bar])
        mbarrier.wait(bar, step & 1)
    put(c, acc, 256, 128, half)


@gluon.jit
def scales_too_early(sa, dst):
    tmem = scales_of(sa, 128, 4, True)
    value = tmem.load()
    gl.store(dst + places(128, 4, tmem.get_reg_layout()), value)


@gluon.jit
def scales_overwritten(a, b, sa, sb, c):
    """The next store does not wait for the product that uses the scales."""
    x = operand(a, 128, 128, "e4m3", False)
    y = operand(b, 64, 128, "e4m3", False)
    x_scale = scales_of(sa, 128, 4, False)
    y_scale = scales_of(sb, 64, 4, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e4m3", "e4m3", use_acc=False, mbarriers=[bar])
    x_scale.store(gl.full([128, 4], 127, gl.uint8, x_scale.get_reg_layout()))
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def peer_not_told(a, b, c):
    """The second CTA reads its half of the sum without waiting."""
    x = shared_operand(a, 256, 64, [[1, 0]], False)
    y = shared_operand(b, 64, 128, [[0, 1]], False)
    acc = allocate_tensor_memory(gl.float32, [256, 128], TensorMemoryLayout([128, 128], 1, [[1, 0]], True))
    acc.store(gl.zeros([256, 128], gl.float32, acc.get_reg_layout()))
    bar = barrier()
    fence_async_shared()
    gl.barrier(cluster=True)
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])
    put(c, acc, 256, 128, [[1, 0]])


@gluon.jit
def loaded_pair(a, b, c, STEPS: gl.constexpr, CGA: gl.constexpr, CGA_A: gl.constexpr, CGA_B: gl.constexpr,
                M: gl.constexpr, N: gl.constexpr, BN: gl.constexpr, MULTICAST: gl.constexpr):
    """Loads tell one barrier of each pair; products tell those of all CTAs whose buffers they used."""
    wide_a: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2, cga_layout=CGA_A)
    wide_b: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2, cga_layout=CGA_B)
    a_desc = tma.make_tensor_descriptor(a, [M, 64 * STEPS], [64 * STEPS, 1], [M, 64], wide_a)
    b_desc = tma.make_tensor_descriptor(b, [64 * STEPS, N], [N, 1], [64, N], wide_b)
    x = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    y = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_type.shape, b_desc.layout)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([128, BN], 1, CGA, True))
    full = mbarrier.allocate_mbarrier(two_ctas=True)
    mbarrier.init(full, count=1)
    free = mbarrier.allocate_mbarrier()
    mbarrier.init(free, count=tcgen05_mma_barrier_count([x, y], MULTICAST, True))
    for step in range(STEPS):
        mbarrier.expect(full, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
        tma.async_load(a_desc, [0, step * 64], full, x, multicast=MULTICAST)
        tma.async_load(b_desc, [step * 64, 0], full, y, multicast=MULTICAST)
        mbarrier.wait(full, step & 1)
        tcgen05_mma(x, y, acc, use_acc=step > 0, multicast=MULTICAST, mbarriers=[free])
        mbarrier.wait(free, step & 1)
    put(c, acc, M, N, CGA)


@gluon.jit
def scales_in_a_row(a, b, c, DONE: gl.constexpr):
    """Copies and products follow each other: a copy overwrites scales that a product still uses."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [4, 1], [1, 0])
    packed: gl.constexpr = gl.SharedLinearLayout([[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]])
    x = operand(a, 128, 128, "e4m3", False)
    y = operand(b, 64, 128, "e4m3", False)
    y_scale = allocate_tensor_memory(gl.uint8, [64, 4], TensorMemoryScalesLayout())
    y_scale.store(gl.full([64, 4], 127, gl.uint8, y_scale.get_reg_layout()))
    x_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    for i in gl.static_range(2):
        scales = gl.allocate_shared_memory(gl.uint8, [128, 4], packed, gl.full([128, 4], 127 + i, gl.uint8, rows))
        fence_async_shared()
        tcgen05_copy(scales, x_scale)
        tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e4m3", "e4m3", use_acc=i > 0)
    # Nobody misses what was never written while no product is done with it.
    never = gl.allocate_shared_memory(gl.uint8, [128, 4], packed)
    tcgen05_copy(never, x_scale)
    tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e4m3", "e4m3", pred=DONE)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def spread(a, b, sa, sb, c, left, right):
    """4-bit floats in tensor memory, each in the middle of a byte, times 8-bit ones."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    spell_out(a, sa, left, 128, 128, "e2m1", 32, layout)
    spell_out(b, sb, right, 64, 128, "e4m3", 32, layout)
    bytes = allocate_tensor_memory(gl.uint8, [128, 128], TensorMemoryLayout([128, 128], 1))
    registers: gl.constexpr = bytes.get_reg_layout()
    m = gl.arange(0, 128, gl.SliceLayout(1, registers))[:, None]
    k = gl.arange(0, 128, gl.SliceLayout(0, registers))[None, :]
    two = gl.load(a + m * 64 + k // 2)
    bytes.store(gl.where(k % 2 == 0, (two & 15) << 2, (two & 240) >> 2))
    x = bytes.reinterpret(gl.uint8, [128, 64], TensorMemoryLayout([128, 64], 1, fp4_padded=True))
    y = operand(b, 64, 128, "e4m3", False)
    x_scale = scales_of(sa, 128, 4, False)
    y_scale = scales_of(sb, 64, 4, False)
    acc = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    bar = barrier()
    tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e2m1", "e4m3", use_acc=False, mbarriers=[bar])
    mbarrier.wait(bar, 0)
    put(c, acc, 128, 64)


@gluon.jit
def copied_rows(src, dst, BN: gl.constexpr):
    """A copy to the second half of the rows of a buffer, which lies beside the first half."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tmem = allocate_tensor_memory(gl.int32, [256, 64], TensorMemoryLayout([128, BN], 1))
    tmem.store(gl.full([256, 64], -7, gl.int32, tmem.get_reg_layout()))
    x = gl.allocate_shared_memory(gl.int32, [128, 64], gl.NVMMASharedLayout(128, 32, 2), gl.load(src + places(128, 64, layout)))
    bar = barrier()
    fence_async_shared()
    tcgen05_copy(x, tmem.slice(128, 128, dim=0))
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(dst, tmem, 256, 64)


@gluon.jit
def count_of(out, at: gl.constexpr, CGA: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2, cga_layout=CGA)
    x = gl.allocate_shared_memory(gl.float16, [512, 64], shared)
    gl.store(out + at, tcgen05_mma_barrier_count([x], True, False))


@gluon.jit
def counted(out):
    """So many CTAs as hold the same as CTA 0 tell its barrier."""
    count_of(out, 0, [[1, 0], [2, 0]])
    count_of(out, 1, [[0, 0], [1, 0]])
    count_of(out, 2, [[0, 0], [0, 0]])
    count_of(out, 3, [[2, 0], [1, 0]])


@gluon.jit
def seen_as_words(src, dst):
    """What is copied as scales is there for each warp's rows."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [4, 1], [1, 0])
    packed: gl.constexpr = gl.SharedLinearLayout(
        [[0, 1], [0, 2], [32, 0], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]])
    x = gl.allocate_shared_memory(gl.int8, [64, 16], packed, gl.load(src + places(64, 16, layout)))
    pool = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    scales = pool.slice(32, 32).reinterpret(gl.int8, [64, 16], TensorMemoryScalesLayout())
    bar = barrier()
    fence_async_shared()
    tcgen05_copy(x, scales)
    tcgen05_commit(bar)
    mbarrier.wait(bar, 0)
    put(dst, scales.reinterpret(shape=[128, 32], layout=TensorMemoryLayout([128, 32], 1)), 128, 32)


@gluon.jit
def loaded_for_both(a, b, c, src, dst):
    """One load for the pair, which tells the pair's barrier of the bytes of both."""
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 32, 2, cga_layout=[[0, 0]])
    desc = tma.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], shared)
    x = gl.allocate_shared_memory(gl.float32, [64, 32], shared)
    bar = mbarrier.allocate_mbarrier(two_ctas=True)
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, desc.nbytes_per_cta)
    tma.async_load(desc, [0, 0], bar, x, multicast=True)
    mbarrier.wait(bar, 0)
    # The first CTA has waited.
    gl.barrier(cluster=True)
    mbarrier.invalidate(bar)
    layout: gl.constexpr = gl.BlockedLayout([1, 1, 4], [1, 4, 8], [1, 4, 1], [2, 1, 0], [[1, 0, 0]])
    part: gl.constexpr = gl.SliceLayout(0, layout)
    i = gl.arange(0, 2, gl.SliceLayout(1, gl.SliceLayout(2, layout)))[:, None, None]
    gl.store(dst + i * 2048 + places(64, 32, part)[None, :, :], x.load(part)[None, :, :])
    # What makes the CTAs a pair.
    pair(a, b, c, 256, 128, 64, 128)
