"""Operators on scalars and tensors, with Gluon's promotion rules."""

# RUN: float_ops x='randn(1000, f32)' y='rand(1000, f32)' out='empty((6, 1000), f32)' n=1000 --grid 8
# EXPECT: allclose(out[0], x + y) & allclose(out[1], x - y) & allclose(out[2], x * y)
# RUN: float_ops x='randn(1000, f32)' y='1.0 + rand(1000, f32)' out='empty((6, 1000), f32)' n=1000 --grid 8
# EXPECT: allclose(out[3], x / y, 1e-5, 1e-6) & (out[4] == minimum(x, y)) & (out[5] == maximum(x, y))
# RUN: int_ops x='randint(-1000, 1000, 1000, i32)' y='randint(1, 50, 1000, i32)' out='empty((8, 1000), i32)' n=1000 --grid 8
# EXPECT: (out[0] == x + y) & (out[1] == x - y) & (out[2] == x * y) & (out[3] == trunc(x / y))
# RUN: int_ops x='randint(0, 1000, 1000, i32)' y='randint(1, 8, 1000, i32)' out='empty((8, 1000), i32)' n=1000 --grid 8
# EXPECT: (out[4] == x - floor(x / y) * y) & (out[5] == x * 2 ** y) & (out[6] == floor(x / 2 ** y)) & (out[7] == -x)
# RUN: promote a='randint(-100, 100, 256, i8)' b='randint(-100, 100, 256, i32)' c='randn(256, f16)' out='empty(256, f32)' --grid 1
# EXPECT: allclose(out, (a + b) * 2 + c, 1e-2, 1e-1)
# RUN: select x='randn(256, f32)' out='empty(256, f32)' --grid 1
# EXPECT: out == where(x > 0, x, 0.5)
# RUN: casts x='randn(256, f32)' h='empty(256, f16)' b='empty(256, bf16)' i='empty(256, i32)' --grid 1
# EXPECT: allclose(h, x, 1e-3, 1e-3) & allclose(b, x, 1e-2, 1e-2) & (i == trunc(x * 100))
# RUN: negative_zero out='empty(128, f32)' --grid 1
# EXPECT: out == -1 / 0.5
# Towards zero: never larger than it was, and less than a step of the mantissa smaller.
# RUN: cut src='randn(1024, f32)' dst='empty(1024, f16)' to=gl.float16 --grid 8
# EXPECT: (abs(dst) <= abs(src)) & (abs(src) - abs(dst) <= maximum(abs(src) * 2.0 ** -10, 2.0 ** -24))
# RUN: cut src='randn(1024, f32)' dst='empty(1024, bf16)' to=gl.bfloat16 --grid 8
# EXPECT: (abs(dst) <= abs(src)) & (abs(src) - abs(dst) < abs(src) * 2.0 ** -7)
# RUN: cut src='randn(1024, f32)' dst='empty(1024, fp8e5)' to=gl.float8e5 --grid 8
# EXPECT: (abs(dst.to(f32)) <= abs(src)) & (abs(src) - abs(dst.to(f32)) < maximum(abs(src) * 2.0 ** -2, 2.0 ** -16)) & (dst.to(f32) * src >= 0)
# RUN: cut src='randn(1024, f16)' dst='empty(1024, fp8e5)' to=gl.float8e5 --grid 8
# EXPECT: (abs(dst.to(f32)) <= abs(src)) & (abs(src) - abs(dst.to(f32)) < maximum(abs(src) * 2.0 ** -2, 2.0 ** -16))
# RUN: cut src='full(1024, -1e6, f32)' dst='empty(1024, fp8e5)' to=gl.float8e5 --grid 8
# EXPECT: dst.to(f32) == -57344
# RUN: cut src='randn(1024, f64)' dst='empty(1024, f16)' to=gl.float16 --grid 8
# EXPECT: (abs(dst) <= abs(src)) & (abs(src) - abs(dst) <= maximum(abs(src) * 2.0 ** -10, 2.0 ** -24))
# RUN: cut src='randn(1024, f64)' dst='empty(1024, bf16)' to=gl.bfloat16 --grid 8
# EXPECT: (abs(dst) <= abs(src)) & (abs(src) - abs(dst) < abs(src) * 2.0 ** -7)
# RUN: cut src='randn(1024, f64)' dst='empty(1024, f32)' to=gl.float32 --grid 8
# EXPECT: (abs(dst) <= abs(src)) & (abs(src) - abs(dst) < abs(src) * 2.0 ** -23)
# RUN: cut src='full(1024, -1e300, f64)' dst='empty(1024, f16)' to=gl.float16 --grid 8
# EXPECT: dst == -65504

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def tile(n):
    i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    return i, i < n


@gluon.jit
def float_ops(x, y, out, n):
    i, inside = tile(n)
    a = gl.load(x + i, mask=inside)
    b = gl.load(y + i, mask=inside, other=1.0)
    gl.store(out + i, a + b, mask=inside)
    gl.store(out + n + i, a - b, mask=inside)
    gl.store(out + 2 * n + i, a * b, mask=inside)
    gl.store(out + 3 * n + i, a / b, mask=inside)
    gl.store(out + 4 * n + i, gl.minimum(a, b), mask=inside)
    gl.store(out + 5 * n + i, gl.maximum(a, b), mask=inside)


@gluon.jit
def int_ops(x, y, out, n):
    i, inside = tile(n)
    a = gl.load(x + i, mask=inside)
    b = gl.load(y + i, mask=inside, other=1)
    gl.store(out + i, a + b, mask=inside)
    gl.store(out + n + i, a - b, mask=inside)
    gl.store(out + 2 * n + i, a * b, mask=inside)
    gl.store(out + 3 * n + i, a // b, mask=inside)
    gl.store(out + 4 * n + i, a % b, mask=inside)
    gl.store(out + 5 * n + i, a << (b & 31), mask=inside)
    gl.store(out + 6 * n + i, a >> (b & 31), mask=inside)
    gl.store(out + 7 * n + i, -a, mask=inside)


@gluon.jit
def promote(a, b, c, out):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    total = (gl.load(a + i) + gl.load(b + i)) * 2
    gl.store(out + i, total.to(gl.float32) + gl.load(c + i))


@gluon.jit
def select(x, out):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    v = gl.load(x + i)
    gl.store(out + i, gl.where(v > 0, v, 0.5))


@gluon.jit
def casts(x, h, b, i):
    k = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    v = gl.load(x + k)
    gl.store(h + k, v.to(gl.float16))
    gl.store(b + k, v.to(gl.bfloat16))
    gl.store(i + k, (v * 100).to(gl.int32))


@gluon.jit
def negative_zero(out):
    k = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    half: gl.constexpr = 1 / 2
    gl.store(out + k, gl.full([128], -1.0 / half, gl.float32, gl.BlockedLayout([1], [32], [4], [0])))


@gluon.jit
def cut(src, dst, to: gl.constexpr):
    at = gl.program_id(0) * 128 + gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + at, gl.load(src + at).to(to, fp_downcast_rounding="rtz"))
