"""Functions of libdevice that round in a given direction, convert, take numbers apart; and division."""

# RUN: bounds x='randn(256, f32)' y='1e-6 * randn(256, f32)' low='empty(256, f32)' high='empty(256, f32)' cut='empty(256, f32)' --grid 1
# EXPECT: (low <= x + y) & (x + y <= high) & (low < high) & (cut == where(x + y > 0, low, high))
# RUN: whole x='7 * randn(256, f32)' z='empty((4, 256), i32)' --grid 1
# EXPECT: (z[1] == trunc(x)) & (z[2] == floor(x)) & (z[3] == ceil(x)) & (abs(z[0] - x) <= 0.5)
# RUN: beyond x='tensor([1e20, -1e20, 3.5, -3.5])' z='empty(4, i64)' --grid 1
# EXPECT: (z[0] == 2147483647) & (z[1] == 0) & (z[2] == 3) & (z[3] == 0)
# RUN: halves x='randn(256, f64)' y='empty(256, f64)' --grid 1
# EXPECT: y == x
# RUN: left x='randint(-1000000, 1000000, 256, f64)' y='zeros(256, f64) + 7' z='empty((2, 256), f64)' --grid 1
# EXPECT: (z[0] == x - 7 * trunc(x / 7)) & (z[1] == x - 7 * floor(x / 7 + 0.5))
# RUN: length x='randn(256, f32)' y='empty(256, f32)' --grid 1
# EXPECT: allclose(y, 2 * abs(x), 2e-7, 0)
# RUN: bessel n='randint(0, 9, 256, i32)' x='4 * abs(randn(256, f64)) + 2' y='empty(256, f64)' --grid 1
# EXPECT: allclose(y, 1 / x, 1e-9, 1e-9)
# RUN: without_sign x='randint(-9, 9, 256, i32)' z='empty((2, 256), i32)' --grid 1
# EXPECT: (z[0] == where(x == 0, 0, x - 1)) & (z[1] == x)
# RUN: tangents x='3 * randn(256, f64)' y='empty((2, 256), f64)' --grid 1
# EXPECT: allclose(y[0], tanh(x), 1e-14, 0) & allclose(y[1], x / 1073741824, 1e-14, 0)
# RUN: tangents x='randint(21, 1000, 256, f64)' y='empty((2, 256), f64)' --grid 1
# EXPECT: y[0] == 1

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.extra import libdevice

LAYOUT = gl.constexpr(gl.BlockedLayout([2], [32], [4], [0]))


@gluon.jit
def bounds(x, y, low, high, cut):
    i = gl.arange(0, 256, layout=LAYOUT)
    a, b = gl.load(x + i), gl.load(y + i)
    gl.store(low + i, libdevice.add_rd(a, b))
    gl.store(high + i, libdevice.sub_ru(a, -b))
    gl.store(cut + i, libdevice.fma_rz(a, 1.0, b))


@gluon.jit
def whole(x, z):
    i = gl.arange(0, 256, layout=LAYOUT)
    a = gl.load(x + i)
    gl.store(z + i, libdevice.float2int_rn(a))
    gl.store(z + 256 + i, libdevice.float2int_rz(a))
    gl.store(z + 512 + i, libdevice.double2int_rd(a.to(gl.float64)))
    gl.store(z + 768 + i, libdevice.float2ll_ru(a).to(gl.int32))


@gluon.jit
def beyond(x, z):
    gl.store(z, libdevice.float2int_rn(gl.load(x).to(gl.float32)).to(gl.int64))
    gl.store(z + 1, libdevice.double2uint_rn(gl.load(x + 1).to(gl.float64)).to(gl.int64))
    gl.store(z + 2, libdevice.double2ull_rz(gl.load(x + 2).to(gl.float64)))
    gl.store(z + 3, libdevice.float2ull_rz(gl.load(x + 3).to(gl.float32)))


@gluon.jit
def halves(x, y):
    i = gl.arange(0, 256, layout=LAYOUT)
    a = gl.load(x + i)
    gl.store(y + i, libdevice.hiloint2double(libdevice.double2hiint(a), libdevice.double2loint(a)))


@gluon.jit
def left(x, y, z):
    i = gl.arange(0, 256, layout=LAYOUT)
    a, b = gl.load(x + i), gl.load(y + i)
    gl.store(z + i, libdevice.fmod(a, b))
    gl.store(z + 256 + i, libdevice.remainder(a, b))


@gluon.jit
def length(x, y):
    i = gl.arange(0, 256, layout=LAYOUT)
    a = gl.load(x + i)
    gl.store(y + i, libdevice.norm4d(a, -a, a, a))


# J_(n+1) Y_n - J_n Y_(n+1) is 2 / (pi x).
@gluon.jit
def bessel(n, x, y):
    i = gl.arange(0, 256, layout=LAYOUT)
    order, a = gl.load(n + i), gl.load(x + i)
    cross = libdevice.jn(order + 1, a) * libdevice.yn(order, a)
    cross -= libdevice.jn(order, a) * libdevice.yn(order + 1, a)
    gl.store(y + i, cross * 1.5707963267948966)


@gluon.jit
def without_sign(x, z):
    i = gl.arange(0, 256, layout=LAYOUT)
    a = gl.load(x + i)
    # The upper word of a * (2^32 - 1) is a - 1, of numbers without a sign.
    gl.store(z + i, libdevice.mulhi(a.to(gl.uint32), (a * 0 - 1).to(gl.uint32)).to(gl.int32))
    gl.store(z + 256 + i, libdevice.hadd(a.to(gl.uint32), a.to(gl.uint32)).to(gl.int32))


@gluon.jit
def tangents(x, y):
    i = gl.arange(0, 256, layout=LAYOUT)
    v = gl.load(x + i)
    gl.store(y + i, libdevice.tanh(v))
    gl.store(y + 256 + i, libdevice.tanh(v / 1073741824))
