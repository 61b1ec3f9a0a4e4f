"""What AMD's chips have in the language: buffers, matrix cores. The simulator runs it for each chip."""

# RUN: copy src='randn(1000, f32)' dst='zeros(1100, f32)' n=1000 layout='gl.BlockedLayout([2], [64], [4], [0])' --grid 2 --target hip:gfx942
# EXPECT: abs(dst[0:1000] - src).max() + abs(dst[1000:1024] + 1).max() == 0
# RUN: copy src='randint(-99, 99, 1000, i8)' dst='zeros(1100, i8)' n=1000 layout='gl.BlockedLayout([8], [64], [4], [0])' --grid 2 --target hip:gfx950
# EXPECT: abs(dst[0:1000] - src).max() + abs(dst[1000:1024] + 1).max() == 0
# RUN: copy src='randn(1000, f16)' dst='zeros(1100, f16)' n=1000 layout='gl.BlockedLayout([2], [32], [4], [0])' --grid 2 --target hip:gfx1250
# EXPECT: abs(dst[0:1000] - src).max() + abs(dst[1000:1024] + 1).max() == 0
# RUN: copy src='randn(1000, f64)' dst='zeros(1100, f64)' n=1000 layout='gl.BlockedLayout([2], [32], [4], [0])' --grid 2 --target hip:gfx1100
# EXPECT: abs(dst[0:1000] - src).max() + abs(dst[1000:1024] + 1).max() == 0
# RUN: without_other src='randn(100, f32)' dst='empty(256, f32)' --grid 1 --target hip:gfx942
# EXPECT: abs(dst[0:100] - src).max() + abs(dst[100:256]).max() == 0
# RUN: behind_the_end src='randn(64, f32)' dst='empty(64, f32)' --grid 1 --target hip:gfx942
# EXPECT: dst == where(arange(64, i32) % 2 == 0, src, zeros(64, f32))
# RUN: outside src='randn(64, f32)' dst='empty(128, f32)' --grid 1 --target hip:gfx942
# FAULT: OutOfBoundsAccess
# RUN: flags x='randint(0, 2, 256, i32)' p='zeros(256, i1)' y='empty(256, i32)' --grid 1 --target hip:gfx950
# EXPECT: y == 1 - x
# RUN: count x='randint(0, 8, 256, i32)' y='zeros(8, i32)' --grid 1 --target hip:gfx942
# EXPECT: (y[3] == sum(where(x == 3, 1, 0))) & (sum(y) == 256)
# RUN: updates x='randint(-1000, 1000, 256, i32)' y='zeros(8, i32)' --grid 1 --target hip:gfx950
# EXPECT: (y[0] == max(x)) & (y[1] == min(x)) & (y[3] == 0) & (y[5] >= -1000) & (y[6] == 0)
# RUN: extrema x='randn(256, f64)' y='zeros(2, f64)' layout='gl.BlockedLayout([1], [64], [4], [0])' --grid 1 --target hip:gfx942
# EXPECT: (y[0] == max(x)) & (y[1] == min(x))
# RUN: extrema x='randn(256, f32)' y='zeros(2, f32)' layout='gl.BlockedLayout([1], [32], [4], [0])' --grid 1 --target hip:gfx1200
# EXPECT: (y[0] == max(x)) & (y[1] == min(x))
# RUN: sums x='randint(-4, 4, 256, f16)' y='zeros(8, f16)' --grid 1 --target hip:gfx942
# EXPECT: sum(y) == sum(x)
# Tiles that are smaller than the instruction's.
# RUN: product a='randn((8, 32), f16)' b='randn((32, 64), f16)' c='randn((8, 64), f32)' d='empty((8, 64), f32)' K=32 \
#   M=8 N=64 mma='gl.amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx950
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((8, 32), f16)' b='randn((32, 32), f16)' c='randn((8, 32), f32)' d='empty((8, 32), f32)' K=32 \
#   M=8 N=32 mma='gl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]])' width=16 lanes='[4, 8]' kind='"rdna3"' --grid 1 --target hip:gfx1100
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((32, 32), f16)' b='randn((32, 4), f16)' c='randn((32, 4), f32)' d='empty((32, 4), f32)' K=32 \
#   M=32 N=4 mma='gl.amd.AMDWMMALayout(1, False, [[0, 1], [1, 0]])' width=16 lanes='[4, 8]' kind='"rdna3"' --grid 1 --target hip:gfx1100
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((64, 32), f16)' b='randn((32, 8), f16)' c='randn((64, 8), f32)' d='empty((64, 8), f32)' K=32 \
#   M=64 N=8 mma='gl.amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx950
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((16, 32), f16)' b='randn((32, 16), f16)' c='randn((16, 16), f32)' d='empty((16, 16), f32)' K=32 \
#   M=16 N=16 mma='gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [1, 4])' width=4 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((2, 32), f16)' b='randn((32, 4), f16)' c='randn((2, 4), f32)' d='empty((2, 4), f32)' K=32 \
#   M=2 N=4 mma='gl.amd.cdna3.AMDMFMALayout(3, [32, 32, 8], True, [1, 4])' width=4 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((4, 32), f16)' b='randn((32, 32), f16)' c='randn((4, 32), f32)' d='empty((4, 32), f32)' K=32 \
#   M=4 N=32 mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])' width=8 lanes='[4, 8]' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((32, 32), f16)' b='randn((32, 2), f16)' c='randn((32, 2), f32)' d='empty((32, 2), f32)' K=32 \
#   M=32 N=2 mma='gl.amd.AMDWMMALayout(2, True, [[0, 1], [1, 0]])' width=8 lanes='[4, 8]' kind='"rdna4"' --grid 1 --target hip:gfx1200
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((8, 32), f16)' b='randn((32, 64), f16)' c='randn((8, 64), f32)' d='empty((8, 64), f32)' K=32 \
#   M=8 N=64 mma='gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx950
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((64, 32), f16)' b='randn((32, 8), f16)' c='randn((64, 8), f32)' d='empty((64, 8), f32)' K=32 \
#   M=64 N=8 mma='gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx950
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((16, 32), f16)' b='randn((32, 16), f16)' c='randn((16, 16), f32)' d='empty((16, 16), f32)' K=32 \
#   M=16 N=16 mma='gl.amd.AMDMFMALayout(3, [32, 32, 8], False, [1, 4])' width=4 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((2, 32), f16)' b='randn((32, 4), f16)' c='randn((2, 4), f32)' d='empty((2, 4), f32)' K=32 \
#   M=2 N=4 mma='gl.amd.cdna3.AMDMFMALayout(3, [32, 32, 8], False, [1, 4])' width=4 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((4, 32), f16)' b='randn((32, 32), f16)' c='randn((4, 32), f32)' d='empty((4, 32), f32)' K=32 \
#   M=4 N=32 mma='gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])' width=8 lanes='[4, 8]' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((32, 32), f16)' b='randn((32, 2), f16)' c='randn((32, 2), f32)' d='empty((32, 2), f32)' K=32 \
#   M=32 N=2 mma='gl.amd.AMDWMMALayout(2, False, [[0, 1], [1, 0]])' width=8 lanes='[4, 8]' kind='"rdna4"' --grid 1 --target hip:gfx1200
# EXPECT: allclose(d, c + a @ b, 1e-5, 1e-4)
# RUN: product a='randn((64, 32), f16)' b='randn((32, 64), f16)' c='randn((64, 64), f32)' d='empty((64, 64), f32)' K=32 \
#   mma='gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2])' width=4 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, a @ b + c)
# Lanes have places for 32 and 64 elements along K; there are 16 and 32, which some lanes hold twice.
# RUN: product a='randint(-4, 5, (64, 16), f16)' b='randint(-4, 5, (16, 64), f16)' c='randint(-9, 9, (64, 64), f32)' d='empty((64, 64), f32)' \
#   K=16 mma='gl.amd.AMDMFMALayout(3, [16, 16, 16], False, [2, 2])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: d == a.to(f32) @ b.to(f32) + c
# RUN: product a='randint(-9, 9, (64, 32), i8)' b='randint(-9, 9, (32, 64), i8)' c='randint(-9, 9, (64, 64), i32)' d='empty((64, 64), i32)' K=32 \
#   mma='gl.amd.AMDMFMALayout(3, [32, 32, 16], True, [2, 2])' width=16 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: d == a.to(i32) @ b.to(i32) + c
# RUN: product a='randn((64, 64), bf16)' b='randn((64, 64), bf16)' c='randn((64, 64), f32)' d='empty((64, 64), f32)' K=64 \
#   mma='gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx950
# EXPECT: allclose(d, a @ b + c)
# RUN: product a='randint(-9, 9, (64, 64), i8)' b='randint(-9, 9, (64, 64), i8)' c='randint(-9, 9, (64, 64), i32)' d='empty((64, 64), i32)' K=64 \
#   mma='gl.amd.AMDMFMALayout(3, [16, 16, 32], True, [4, 1])' width=8 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: d == a @ b + c
# RUN: product a='randn((64, 16), f64)' b='randn((16, 64), f64)' c='randn((64, 64), f64)' d='empty((64, 64), f64)' K=16 \
#   mma='gl.amd.AMDMFMALayout(3, [16, 16, 4], True, [2, 2], 64)' width=1 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, a @ b + c)
# RUN: product a='randn((64, 32), f32)' b='randn((32, 64), f32)' c='randn((64, 64), f32)' d='empty((64, 64), f32)' K=32 \
#   mma='gl.amd.AMDMFMALayout(3, [32, 32, 2], True, [2, 2])' width=1 lanes='[4, 16]' --grid 1 --target hip:gfx942
# EXPECT: allclose(d, a @ b + c)
# RUN: product a='randn((64, 32), f16)' b='randn((32, 64), f16)' c='randn((64, 64), f32)' d='empty((64, 64), f32)' K=32 \
#   mma='gl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]])' width=16 lanes='[4, 8]' kind='"rdna3"' --grid 1 --target hip:gfx1100
# EXPECT: allclose(d, a @ b + c)
# RUN: product a='randint(-9, 9, (64, 32), i8)' b='randint(-9, 9, (32, 64), i8)' c='randint(-9, 9, (64, 64), i32)' d='empty((64, 64), i32)' K=32 \
#   mma='gl.amd.AMDWMMALayout(2, False, [[0, 1], [1, 0]])' width=8 lanes='[4, 8]' kind='"rdna4"' --grid 1 --target hip:gfx1200
# EXPECT: d == a @ b + c
# RUN: product a='randn((64, 64), bf16)' b='randn((64, 64), bf16)' c='randn((64, 64), f32)' d='empty((64, 64), f32)' K=64 \
#   mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])' width=8 lanes='[4, 8]' kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: allclose(d, a @ b + c)
# RUN: product a='randn((64, 32), f32)' b='randn((32, 64), f32)' c='randn((64, 64), f32)' d='empty((64, 64), f32)' K=32 \
#   mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 4])' width=2 lanes='[4, 8]' kind='"gfx1250"' --grid 1 --target hip:gfx1250
# EXPECT: allclose(d, a @ b + c)
# Layouts of 64 elements along K have such instructions, where there are longer ones.
# RUN: product a='randint(-8, 9, (64, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 64), gl.float8e4nv)' c='randn((64, 64), f32)' \
#   d='empty((64, 64), f32)' K=128 mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64])' width=8 lanes='[4, 8]' \
#   kind='"cdna5"' --grid 1 --target hip:gfx1250
# EXPECT: allclose(d, a.to(f32) @ b.to(f32) + c, 1e-5, 1e-4)
# RUN: magnitudes x='where(arange(128, i32) == 5, full(128, float("nan")), arange(128, f32) * -0.5)' y='empty(128, f32)' --grid 1 --target hip:gfx942
# EXPECT: (y[4] == 2.0) & (y[5] != y[5]) & (y[0] == 0)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3, cdna4, cdna5, gfx1250, rdna3, rdna4


@gluon.jit
def copy(src, dst, n, layout: gl.constexpr):
    i = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    x = cdna3.buffer_load(src, i, mask=i < n, other=-1, cache=".cg")
    cdna3.buffer_store(x, dst, i, cache=".cs")


@gluon.jit
def without_other(src, dst):
    """Elements that are masked off are zero, which no fault is made of."""
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_store(cdna3.buffer_load(src, i, mask=i < 100), dst, i, mask=1)


@gluon.jit
def behind_the_end(src, dst):
    """Offsets below zero are behind the 2 GiB of every buffer: zero is read, nothing is written."""
    i = gl.arange(0, 64, layout=gl.BlockedLayout([1], [64], [4], [0]))
    at = gl.where(i % 2 == 0, i, -i)
    x = cdna3.buffer_load(src, at)
    cdna3.buffer_store(x, dst, i)
    cdna3.buffer_store(gl.full([64], 7.0, gl.float32, i.type.layout), dst, gl.where(i % 2 == 0, -1 - i, -2))


@gluon.jit
def outside(src, dst):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_store(cdna3.buffer_load(src, i), dst, i)


@gluon.jit
def flags(x, p, y):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna4.buffer_store(cdna4.buffer_load(x, i) == 0, p, i)
    cdna4.buffer_store(cdna4.buffer_load(p, i).to(gl.int32), y, i)


@gluon.jit
def count(x, y):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_atomic_add(y, gl.load(x + i), 1)


@gluon.jit
def updates(x, y):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    v = gl.load(x + i)
    zero = gl.zeros_like(i)
    cdna4.buffer_atomic_max(y, zero, v)
    cdna4.buffer_atomic_min(y, zero + 1, v)
    cdna4.buffer_atomic_or(y, zero + 2, v)
    cdna4.buffer_atomic_and(y, zero + 3, v)
    cdna4.buffer_atomic_xor(y, zero + 4, v)
    cdna4.buffer_atomic_xchg(y, zero + 5, v)
    cdna4.buffer_atomic_add(y, zero + 6, v, mask=i < 0)


@gluon.jit
def extrema(x, y, layout: gl.constexpr):
    i = gl.arange(0, 256, layout=layout)
    v = gl.load(x + i)
    zero = gl.zeros_like(i)
    cdna3.buffer_atomic_max(y, zero, v, sem="relaxed")
    cdna3.buffer_atomic_min(y, zero + 1, v, scope="cta")


@gluon.jit
def sums(x, y):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
    cdna3.buffer_atomic_add(y, i % 8, gl.load(x + i))


@gluon.jit
def product(a, b, c, d, K: gl.constexpr, mma: gl.constexpr, width: gl.constexpr, lanes: gl.constexpr,
            kind: gl.constexpr = "cdna", M: gl.constexpr = 64, N: gl.constexpr = 64):
    plain: gl.constexpr = gl.BlockedLayout([1, 4], lanes, [4, 1], [1, 0])
    m = gl.arange(0, M, layout=gl.SliceLayout(1, plain))
    n = gl.arange(0, N, layout=gl.SliceLayout(0, plain))
    ka = gl.arange(0, K, layout=gl.SliceLayout(0, plain))
    kb = gl.arange(0, K, layout=gl.SliceLayout(1, plain))
    x = gl.convert_layout(gl.load(a + m[:, None] * K + ka[None, :]), gl.DotOperandLayout(0, mma, width))
    y = gl.convert_layout(gl.load(b + kb[:, None] * N + n[None, :]), gl.DotOperandLayout(1, mma, width))
    at = m[:, None] * N + n[None, :]
    z = gl.convert_layout(gl.load(c + at), mma)
    if kind == "rdna3":
        z = rdna3.wmma(x, y, z)
    elif kind == "rdna4":
        z = rdna4.wmma(x, y, z)
    elif kind == "cdna5":
        z = cdna5.wmma(x, y, z)
    elif kind == "gfx1250":
        z = gfx1250.wmma(x, y, z)
    else:
        z = cdna3.mfma(x, y, z)
    gl.store(d + at, gl.convert_layout(z, plain))


@gluon.jit
def magnitudes(x, y):
    # NaN has the bits of a negative zero.
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [64], [4], [0]))
    gl.store(y + i, gl.abs(gl.load(x + i).to(gl.float8e4b8)).to(gl.float32))
