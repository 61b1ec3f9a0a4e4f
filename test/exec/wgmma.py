"""Products of warp groups: nvidia.hopper.warpgroup_mma."""

# RUN: product a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 KI=16 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), bf16)' b='randint(-4, 5, (64, 128), bf16)' c='empty((128, 128), f32)' \
#   M=128 N=128 K=64 KI=16 TA=True --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 256), f16)' c='empty((128, 256), f32)' \
#   M=128 N=256 K=128 KI=16 WARPS=8 TB=True --grid 1 --num-warps 8
# EXPECT: c == a @ b
# RUN: product a='randint(-2, 3, (64, 64), f16)' b='randint(-2, 3, (64, 64), f16)' c='empty((64, 64), f16)' \
#   M=64 N=64 K=64 KI=16 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 KI=8 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), gl.float8e4nv)' b='randint(-4, 5, (64, 64), gl.float8e5)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-100, 100, (64, 64), i8)' b='randint(-100, 100, (64, 64), i8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (64, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 KI=8 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (64, 64), gl.float8e4nv)' b='randint(-4, 5, (64, 64), gl.float8e4nv)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: chained a='randint(-4, 5, (64, 256), f16)' b='randint(-4, 5, (256, 64), f16)' c='empty((64, 64), f32)' n=4 --grid 1
# EXPECT: c == a @ b
# RUN: chained a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((64, 64), f32)' n=1 --grid 1
# EXPECT: c == a @ b

# Every width, every type, from shared memory and from registers.
# RUN: product a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 8), f16)' c='empty((64, 8), f32)' \
#   M=64 N=8 K=64 KI=16 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 32), bf16)' b='randint(-4, 5, (32, 16), bf16)' c='empty((64, 16), f32)' \
#   M=64 N=16 K=32 KI=16 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), f32)' b='randint(-4, 5, (64, 32), f32)' c='empty((64, 32), f32)' \
#   M=64 N=32 K=64 KI=8 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), gl.float8e5)' b='randint(-4, 5, (64, 128), gl.float8e4nv)' c='empty((64, 128), f32)' \
#   M=64 N=128 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-2, 3, (64, 64), gl.float8e4nv)' b='randint(-2, 3, (64, 256), gl.float8e5)' c='empty((64, 256), f16)' \
#   M=64 N=256 K=64 KI=32 TB=True --grid 1
# EXPECT: c == (a @ b).to(f16)
# RUN: product a='randint(-128, 128, (64, 64), i8)' b='randint(-128, 128, (64, 8), i8)' c='empty((64, 8), i32)' \
#   M=64 N=8 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-2, 3, (64, 64), f16)' b='randint(-2, 3, (64, 8), f16)' c='empty((64, 8), f16)' \
#   M=64 N=8 K=64 KI=16 --grid 1
# EXPECT: c == (a @ b).to(f16)
# RUN: from_registers a='randint(-4, 5, (64, 64), bf16)' b='randint(-4, 5, (64, 256), bf16)' c='empty((64, 256), f32)' \
#   M=64 N=256 K=64 KI=16 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (64, 64), gl.float8e5)' b='randint(-4, 5, (64, 16), gl.float8e4nv)' c='empty((64, 16), f32)' \
#   M=64 N=16 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-2, 3, (64, 64), gl.float8e5)' b='randint(-2, 3, (64, 32), gl.float8e5)' c='empty((64, 32), f16)' \
#   M=64 N=32 K=64 KI=32 TB=True --grid 1
# EXPECT: c == (a @ b).to(f16)
# RUN: from_registers a='randint(-128, 128, (64, 64), i8)' b='randint(-128, 128, (64, 128), i8)' c='empty((64, 128), i32)' \
#   M=64 N=128 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a @ b
# Bytes with or without sign, on either side.
# RUN: product a='randint(0, 256, (64, 64), u8)' b='randint(0, 256, (64, 64), u8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a.to(i32) @ b.to(i32)
# RUN: product a='randint(0, 256, (128, 64), u8)' b='randint(-128, 128, (64, 32), i8)' c='empty((128, 32), i32)' \
#   M=128 N=32 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a.to(i32) @ b.to(i32)
# RUN: from_registers a='randint(-128, 128, (64, 64), i8)' b='randint(0, 256, (64, 64), u8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a.to(i32) @ b.to(i32)
# RUN: from_registers a='randint(0, 256, (64, 64), u8)' b='randint(0, 256, (64, 64), u8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a.to(i32) @ b.to(i32)
# Sums of float8 with few bits: at most so many of K are left to the tensor cores.
# RUN: exactly a='randint(-4, 5, (64, 256), gl.float8e4nv)' b='randint(-4, 5, (256, 64), gl.float8e4nv)' \
#   c='empty((64, 64), f32)' MOST=64 --grid 1
# EXPECT: c == a @ b + 3
# RUN: exactly a='full((64, 256), 240, gl.float8e4nv)' b='full((256, 64), 13, gl.float8e4nv)' c='empty((64, 64), f32)' \
#   MOST=32 --grid 1
# EXPECT: c == 256 * 240 * 13 + 3

# Warps next to each other, instructions narrower than their part, warps with copies.
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((128, 128), f32)' \
#   M=128 N=128 K=64 KI=16 WARPS=4 ACROSS=2 NI=64 --grid 1 --num-warps 8
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), bf16)' b='randint(-4, 5, (64, 256), bf16)' c='empty((64, 256), f32)' \
#   M=64 N=256 K=64 KI=16 WARPS=4 ACROSS=4 NI=64 --grid 1 --num-warps 16
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=8 TB=True WARPS=8 ACROSS=2 NI=32 --grid 1 --num-warps 16
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (256, 64), gl.float8e4nv)' b='randint(-4, 5, (64, 64), gl.float8e4nv)' c='empty((256, 64), f32)' \
#   M=256 N=64 K=64 KI=32 TB=True WARPS=16 NI=32 --grid 1 --num-warps 16
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), i8)' b='randint(-4, 5, (64, 64), i8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=64 KI=32 TB=True WARPS=8 --grid 1 --num-warps 8
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (256, 64), f16)' b='randint(-4, 5, (64, 32), f16)' c='empty((256, 32), f32)' \
#   M=256 N=32 K=64 KI=16 NI=16 --grid 1
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((128, 128), f32)' \
#   M=128 N=128 K=64 KI=16 WARPS=4 ACROSS=2 NI=64 --grid 1 --num-warps 8
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (128, 64), i8)' b='randint(-4, 5, (64, 64), i8)' c='empty((128, 64), i32)' \
#   M=128 N=64 K=64 KI=32 TB=True WARPS=8 ACROSS=2 NI=32 --grid 1 --num-warps 16
# EXPECT: c == a @ b
# RUN: from_registers a='randint(-4, 5, (64, 64), gl.float8e4nv)' b='randint(-4, 5, (64, 64), gl.float8e5)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 KI=32 TB=True WARPS=8 --grid 1 --num-warps 8
# EXPECT: c == a @ b
# Every swizzle, with either dim contiguous.
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=False TB=False SA=32 SB=32 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=True TB=False SA=32 SB=32 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=False TB=True SA=32 SB=32 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=True TB=True SA=32 SB=32 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=False TB=False SA=64 SB=64 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=True TB=True SA=64 SB=64 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=False TB=False SA=128 SB=128 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=64 KI=16 TA=True TB=True SA=128 SB=128 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 32), f32)' b='randint(-4, 5, (32, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=32 KI=8 TB=True SA=32 SB=64 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 128), gl.float8e4nv)' b='randint(-4, 5, (128, 64), gl.float8e4nv)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=128 KI=32 TB=True SA=64 SB=32 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (128, 128), i8)' b='randint(-4, 5, (128, 64), i8)' c='empty((128, 64), i32)' \
#   M=128 N=64 K=128 KI=32 TB=True SA=32 SB=128 --grid 1
# EXPECT: c == a @ b

# What tf32 does not hold is cut off, not rounded: 1 + 3/4 of its last place is 1.
# RUN: product a='full((64, 64), 1 + 3 * 2 ** -12, f32)' b='full((64, 64), -1 - 2 ** -11, f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 KI=8 TB=True --grid 1
# EXPECT: c == -64
# RUN: from_registers a='full((64, 64), 1 + 3 * 2 ** -12, f32)' b='full((64, 64), 1 + 2 ** -10, f32)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 KI=8 TB=True --grid 1
# EXPECT: c == 64 + 2 ** -4
# Every element goes through unchanged, the smallest ones too.
# RUN: product a='rand((64, 64), gl.float8e4nv) / 64' b='where(arange(64)[:, None] == arange(64), 1.0, 0.0).to(gl.float8e4nv)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a
# RUN: product a='rand((64, 64), gl.float8e5) / 32768' b='where(arange(64)[:, None] == arange(64), 1.0, 0.0).to(gl.float8e5)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 KI=32 TB=True --grid 1
# EXPECT: c == a
# Integer sums stop at the ends of their range.
# RUN: saturated c='zeros((64, 64), i32)' start=2147483000 term=100 --grid 1
# EXPECT: c == 2147483647
# RUN: saturated c='zeros((64, 64), i32)' start=-2147483000 term=-100 --grid 1
# EXPECT: c == -2147483648

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, warpgroup_mma, warpgroup_mma_init,
                                                              warpgroup_mma_wait)


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, stride, layout: gl.constexpr):
    r = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return r[:, None] * stride + c[None, :]


@gluon.jit
def buffer(p, M: gl.constexpr, N: gl.constexpr, T: gl.constexpr, WARPS: gl.constexpr, SWIZZLE: gl.constexpr = None):
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [WARPS, 1], [1, 0])
    element: gl.constexpr = p.dtype.element_ty
    if SWIZZLE is None:
        smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, N], element, transposed=T)
    else:
        smem: gl.constexpr = gl.NVMMASharedLayout(SWIZZLE, element.primitive_bitwidth, 2, transposed=T)
    return gl.allocate_shared_memory(element, [M, N], smem, gl.load(p + places(M, N, N, rows)))


# NI columns an instruction; the warps are WARPS groups of four rows and ACROSS columns.
@gluon.jit
def product(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, KI: gl.constexpr, TA: gl.constexpr = False,
            TB: gl.constexpr = False, WARPS: gl.constexpr = 4, NI: gl.constexpr = None, ACROSS: gl.constexpr = 1,
            SA: gl.constexpr = None, SB: gl.constexpr = None):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [WARPS, ACROSS], [16, N if NI is None else NI, KI])
    x, y = buffer(a, M, K, TA, WARPS * ACROSS, SA), buffer(b, K, N, TB, WARPS * ACROSS, SB)
    fence_async_shared()
    z = warpgroup_mma(x, y, gl.zeros([M, N], c.dtype.element_ty, layout=sums), is_async=True)
    z = warpgroup_mma_wait(0, deps=[z])
    gl.store(c + places(M, N, N, sums), z)


@gluon.jit
def from_registers(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, KI: gl.constexpr,
                   TB: gl.constexpr = False, WARPS: gl.constexpr = 4, NI: gl.constexpr = None,
                   ACROSS: gl.constexpr = 1):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [WARPS, ACROSS], [16, N if NI is None else NI, KI])
    left: gl.constexpr = gl.DotOperandLayout(0, sums, KI // 8)
    x = buffer(a, M, K, False, WARPS * ACROSS).load(left)
    y = buffer(b, K, N, TB, WARPS * ACROSS)
    fence_async_shared()
    z = gl.full([M, N], 7, c.dtype.element_ty, layout=sums)
    z = warpgroup_mma(x, y, z, use_acc=False)
    gl.store(c + places(M, N, N, sums), z)


# The accumulator is carried around a loop; the first product overwrites it.
@gluon.jit
def chained(a, b, c, n):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    x = gl.allocate_shared_memory(gl.float16, [2, 64, 64], smem)
    y = gl.allocate_shared_memory(gl.float16, [2, 64, 64], smem)
    z = gl.full([64, 64], 7, gl.float32, layout=sums)
    for i in range(n):
        x.index(i % 2).store(gl.load(a + i * 64 + places(64, 64, n * 64, rows)))
        y.index(i % 2).store(gl.load(b + i * 64 * 64 + places(64, 64, 64, rows)))
        fence_async_shared()
        z = warpgroup_mma(x.index(i % 2), y.index(i % 2), z, use_acc=i != 0, is_async=True)
        z = warpgroup_mma_wait(0, deps=[z])
    gl.store(c + places(64, 64, 64, sums), z)


@gluon.jit
def saturated(c, start, term: gl.constexpr):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32])
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 64], gl.int8)
    x = gl.allocate_shared_memory(gl.int8, [64, 64], smem, gl.full([64, 64], term, gl.int8, layout=rows))
    y = gl.allocate_shared_memory(gl.int8, [64, 64], smem, gl.full([64, 64], 100, gl.int8, layout=rows))
    fence_async_shared()
    z = gl.zeros([64, 64], gl.int32, layout=sums) + start
    z = warpgroup_mma(x, y.permute((1, 0)), z)
    gl.store(c + places(64, 64, 64, sums), z)


@gluon.jit
def exactly(a, b, c, MOST: gl.constexpr):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32])
    x, y = buffer(a, 64, 256, False, 4), buffer(b, 256, 64, True, 4)
    fence_async_shared()
    z = warpgroup_mma_init(gl.full([64, 64], 3, gl.float32, layout=sums))
    z = warpgroup_mma(x, y, z, use_acc=True, precision="tf32", max_num_imprecise_acc=MOST, is_async=True)
    z, _ = warpgroup_mma_wait(num_outstanding=0, deps=(z, x))
    gl.store(c + places(64, 64, 64, sums), z)
