"""What the Triton language admits and Gluon does not."""

# Numbers without a bin do not count, nor do those that are masked off.
# RUN: histogram x='randint(-4, 20, 256, i32)' y='empty(16, i32)' n=256 --grid 1 \
#   bins='where(x.reshape((256, 1)) == arange(16).reshape((1, 16)), 1, 0)'
# EXPECT: y == sum(bins, 0)
# RUN: histogram x='randint(0, 16, 256, u32)' y='empty(16, i32)' n=100 --grid 1 \
#   bins='where(x[:100].reshape((100, 1)) == arange(16).reshape((1, 16)), 1, 0)'
# EXPECT: y == sum(bins, 0)
# RUN: scalars y='empty(8, f32)' a=3.0 b=4.0 --grid 1
# EXPECT: (y[0] == 3) & (y[1] == 4) & (y[2] == 4) & (y[3] == 3)
# One number in scalar registers, which is compared as an f16.
# RUN: narrowed x='3.25 - 1003.25 * arange(2, dtype=f32)' y='empty(2, f32)' --grid 2 --target hip:gfx1250
# EXPECT: (y[0] == 3.25) & (y[1] == -448)
# RUN: filled x='arange(4, dtype=f32)' y='empty((16, 4), f32)' --grid 1
# EXPECT: y == x[3]
# RUN: dims x='arange(16, dtype=f32)' y='empty(16, f32)' --grid 1
# EXPECT: y == x
# Of all bytes the sign goes, of NaN too.
# RUN: absolute x='arange(256, dtype=u8)' y='empty(256, u8)' TYPE=tl.float8e5 --grid 1
# EXPECT: y == x % 128
# RUN: absolute x='arange(256, dtype=u8)' y='empty(256, u8)' TYPE=tl.float8e4b15 --grid 1
# EXPECT: y == x % 128
# RUN: small x='randn(128, fp8e5)' y='randn(128, fp8e5)' z='empty((4, 128), f32)' --grid 1 a='x.to(f32)' b='y.to(f32)'
# EXPECT: (z[0, :] == (a * b).to(fp8e5).to(f32)) & (z[1, :] == (2 * a).to(fp8e5).to(f32)) & allclose(z[2, :], a / b, 1e-5)
# RUN: subscripts x='arange(16, dtype=f32)' y='empty(16, f32)' --grid 1
# EXPECT: y == x + 2
# RUN: hypercube x='arange(512, dtype=i32)' y='empty(512, i32)' --grid 1
# EXPECT: (y[:256] == x[::2]) & (y[256:] == x[1::2])
# RUN: clock y='empty(2, i64)' z='empty(1, i32)' --grid 1 --target cuda:80
# EXPECT: (y[1] >= y[0]) & (z[0] == 0)

import triton
import triton.language as tl


@triton.jit
def histogram(x, y, n):
    i = tl.arange(0, 256)
    tl.store(y + tl.arange(0, 16), tl.histogram(tl.load(x + i), 16, mask=i < n))


@triton.jit
def scalars(y, a, b):
    i = tl.arange(0, 2)
    tl.store(y + i, tl.join(a, b))
    tl.store(y + 2 + i, tl.interleave(b, a))


@triton.jit
def filled(x, y):
    whole = tl.broadcast_to(tl.load(x + 3), [16, 4])
    tl.store(y + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4), tl.broadcast_to(whole, 16, 4))


@triton.jit
def dims(x, y):
    i = tl.arange(0, 16)
    v = tl.expand_dims(tl.load(x + i), (0, -1))
    tl.static_assert(v.shape == (1, 16, 1))
    tl.store(y + tl.expand_dims(i, [0, 2]), v)


@triton.jit
def absolute(x, y, TYPE: tl.constexpr):
    i = tl.arange(0, 256)
    v = tl.load(x + i).to(TYPE, bitcast=True)
    tl.store(y + i, tl.abs(v).to(tl.uint8, bitcast=True))


@triton.jit
def small(x, y, z):
    i = tl.arange(0, 128)
    a = tl.load(x + i)
    b = tl.load(y + i)
    tl.static_assert((a * b).dtype == tl.float8e5)
    tl.static_assert((a * b.to(tl.float8e4nv)).dtype == tl.float16)
    tl.static_assert((a % b).dtype == tl.float32)
    tl.store(z + i, a * b)
    tl.store(z + 128 + i, a * 2.0)
    tl.store(z + 256 + i, a / b)


@triton.jit
def clock(y, z):
    tl.store(y, tl.extra.cuda.globaltimer())
    tl.store(z, tl.extra.cuda.smid())
    tl.store(y + 1, tl.extra.cuda.globaltimer())


@triton.jit
def subscripts(x, y):
    i = tl.arange(0, 16)
    none: tl.constexpr = None
    v = tl.load(x + i)[none, None:None, tl.constexpr(None)]
    tl.static_assert(v.shape == (1, 16, 1))
    two = tl.load(x + 2)[None, None]
    tl.static_assert(two.shape == (1, 1))
    tl.store(y + i[None, ::None, None], v + two)


@triton.jit
def hypercube(x, y):
    v = tl.reshape(tl.load(x + tl.arange(0, 512)), (2, 2, 2, 2, 2, 2, 2, 2, 2))
    high = tl.arange(0, 256).reshape(2, 2, 2, 2, 2, 2, 2, 2, 1)
    tl.store(y + high + tl.arange(0, 2)[None, None, None, None, None, None, None, None, :] * 256, v)


@triton.jit
def narrowed(x, y):
    i = tl.program_id(0)
    tl.store(y + i, tl.load(x + i).to(tl.float16).to(tl.float8e4nv).to(tl.float32))
