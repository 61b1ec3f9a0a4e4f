"""Integers at run time: wrap-around, truncation, shifts, promotion, and numbers of Python among them."""

# RUN: division a='randint(-1000, 1000, 256, i32)' b='where(arange(256, i32) % 2 == 0, arange(256, i32) + 1, -1 - arange(256, i32))' out='empty((2, 256), i32)' --grid 1
# EXPECT: (out[0] * b + out[1] == a) & (out[1] * a >= 0)
# RUN: wrapping out='zeros(6, i32)' big=2147483647 --grid 1 --num-warps 1
# EXPECT: (out[0] == -2147483648) & (out[1] == 1) & (out[2] == -2147483647) & (out[3] == -2) & (out[4] == 0) & (out[5] == 1)
# RUN: promotion out='zeros(8, i32)' n=-5 --grid 1 --num-warps 1
# EXPECT: (out[0] == 1) & (out[1] == 0) & (out[2] == 251) & (out[3] == -5) & (out[4] == 1) & (out[5] == 6) & (out[6] == 1) & (out[7] == 1)
# RUN: shifts out='zeros(4, i32)' n=-16 --grid 1 --num-warps 1
# EXPECT: (out[0] == -2) & (out[1] == 536870910) & (out[2] == -64) & (out[3] == 15)
# RUN: folding out='zeros(6, i32)' n=7 --grid 1 --num-warps 1
# EXPECT: (out[0] == -4) & (out[1] == -3) & (out[2] == 1) & (out[3] == -1) & (out[4] == 3) & (out[5] == 5)
# RUN: literals out='zeros(4, i32)' --grid 1 --num-warps 1
# EXPECT: out == 1
# Three signed extrema in one instruction, with operands that are negated.
# RUN: negated x='randint(-1000, 1000, (32, 64), i32)' least='empty(32, i32)' most='empty(32, i32)' --grid 1
# EXPECT: (most == max(-2 * x, 1)) & (least == min(-x, 1))
# RUN: negated x='randint(-50, 50, (32, 64), i16)' least='empty(32, i32)' most='empty(32, i32)' --grid 1
# EXPECT: (most == max(-2 * x, 1)) & (least == min(-x, 1))
# RUN: negated x='where(arange(2048, i32) % 64 == 3, -2147483648, arange(2048, i32))' least='empty(32, i32)' most='empty(32, i32)' --grid 1
# EXPECT: (least == -2147483648) & (most <= 0)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

line = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


# Towards zero, and the remainder has the sign of the dividend.
@gluon.jit
def division(a, b, out):
    at = gl.arange(0, 256, layout=line)
    x = gl.load(a + at)
    y = gl.load(b + at)
    gl.store(out + at, x // y)
    gl.store(out + 256 + at, x % y)


@gluon.jit
def wrapping(out, big):
    gl.store(out, big + 1)
    gl.store(out + 1, big * big)
    gl.store(out + 2, -big)
    gl.store(out + 3, big * 2)
    small = big.to(gl.int8)
    gl.store(out + 4, (small + 1).to(gl.int32))
    flag = big > 0
    # One bit: true + true is false.
    gl.store(out + 5, ((flag + flag) == False).to(gl.int32))


@gluon.jit
def promotion(out, n):
    unsigned = gl.to_tensor(3).to(gl.uint32)
    # The unsigned type wins at equal width: -5 is large.
    gl.store(out, (n > unsigned).to(gl.int32))
    gl.store(out + 1, (n < unsigned).to(gl.int32))
    byte = n.to(gl.uint8)
    gl.store(out + 2, byte.to(gl.int32))
    # The wider signed type holds both.
    gl.store(out + 3, (n.to(gl.int64) + byte.to(gl.int64) - 251).to(gl.int32))
    gl.static_assert((byte + n).dtype == gl.int32)
    gl.static_assert((unsigned + n).dtype == gl.uint32)
    gl.static_assert((n.to(gl.int64) + unsigned).dtype == gl.int64)
    gl.static_assert((byte + 1).dtype == gl.uint8)
    gl.static_assert((n + 1.5).dtype == gl.float32)
    gl.static_assert((n / 2).dtype == gl.float32)
    gl.store(out + 4, ((n.to(gl.int64) + 4294967296) > 4294967290).to(gl.int32))
    gl.store(out + 5, (byte + 11).to(gl.int32))
    gl.store(out + 6, (n > gl.to_tensor(4000000000)).to(gl.int32))
    gl.store(out + 7, (n == -5.0).to(gl.int32))


@gluon.jit
def shifts(out, n):
    gl.store(out, n >> 3)
    gl.store(out + 1, (n.to(gl.uint32) >> 3).to(gl.int32))
    gl.store(out + 2, n << 2)
    gl.store(out + 3, ~n)


# Two compile-time numbers are Python's, whatever becomes of the result.
@gluon.jit
def folding(out, n):
    a: gl.constexpr = -7
    gl.store(out, a // 2)
    gl.store(out + 1, gl.to_tensor(-7) // 2)
    gl.store(out + 2, a % 2)
    gl.store(out + 3, gl.to_tensor(-7) % 2)
    gl.store(out + 4, n // 2)
    gl.store(out + 5, (1 << 70 >> 68) + n // 4)


@gluon.jit
def literals(out):
    small = 5
    large = 3000000000
    huge = 5000000000
    real = 1.5
    gl.static_assert(small.dtype == gl.int32)
    gl.static_assert(large.dtype == gl.uint32)
    gl.static_assert(huge.dtype == gl.int64)
    gl.static_assert(real.dtype == gl.float32)
    gl.static_assert((1e300 + gl.to_tensor(0)).dtype == gl.float64)
    flag = True
    gl.static_assert(flag.dtype == gl.int1)
    for i in gl.static_range(4):
        gl.store(out + i, flag.to(gl.int32))


@gluon.jit
def negated(x, least, most):
    rows: gl.constexpr = gl.BlockedLayout([1, 16], [8, 4], [4, 1], [1, 0])
    r = gl.arange(0, 32, layout=gl.SliceLayout(1, rows))
    c = gl.arange(0, 64, layout=gl.SliceLayout(0, rows))
    values = gl.load(x + r[:, None] * 64 + c[None, :])
    gl.store(least + r, gl.min(-values, axis=1).to(gl.int32))
    gl.store(most + r, gl.max(-2 * values, axis=1).to(gl.int32))
