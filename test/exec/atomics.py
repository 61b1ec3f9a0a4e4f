"""Atomic updates and compare-and-swap: kinds, types, masks, copies, scalars and old values."""

# RUN: histogram x='randint(0, 8, 1024, i32)' y='zeros(8, i32)' layout='gl.BlockedLayout([4], [32], [4], [0])' --grid 4
# EXPECT: (sum(y) == 1024) & (y[3] == sum(where(x == 3, 1, 0)))
# RUN: histogram x='randint(0, 8, 1024, i32)' y='zeros(8, i64)' layout='gl.BlockedLayout([1], [32], [4], [0])' --grid 4
# EXPECT: (sum(y) == 1024) & (y[5] == sum(where(x == 5, 1, 0)))
# RUN: add_floats y='zeros(4, f32)' value=0.5 --grid 3
# EXPECT: y == zeros(4, f32) + 48
# RUN: add_floats y='zeros(4, f64)' value=0.25 --grid 3
# EXPECT: y == zeros(4, f64) + 24
# RUN: add_floats y='zeros(4, f16)' value=0.5 --grid 3
# EXPECT: y == zeros(4, f16) + 48
# RUN: add_float y='zeros(1, f16)' value=0.5 --grid 3
# EXPECT: y == zeros(1, f16) + 1.5
# RUN: extremes x='randint(-1000, 1000, 256, i32)' y='zeros(2, i32)' --grid 2
# EXPECT: (y[0] == max(x)) & (y[1] == min(x))
# RUN: extremes x='randn(256, f32)' y='zeros(2, f32)' --grid 2
# EXPECT: (y[0] == max(x)) & (y[1] == min(x))
# RUN: bitwise y='zeros(3, i32) + 255' --grid 1
# EXPECT: (y[0] == 15) & (y[1] == 4095) & (y[2] == 240)
# RUN: tickets y='zeros(1, i32)' seen='zeros(64, i32)' --grid 64
# EXPECT: (y == 64) & (seen == 1)
# RUN: masked y='zeros(128, i32)' old='zeros(128, i32)' n=70 --grid 1
# EXPECT: y == where(arange(128, i32) < 70, 7, 0)
# RUN: copies y='arange(32, i32)' old='zeros(32, i32)' --grid 1
# EXPECT: (y == arange(32, i32) + 10) & (old == arange(32, i32))
# RUN: swaps y='arange(128, i32) % 2' old='zeros(128, i32)' --grid 1
# EXPECT: (y == where(arange(128, i32) % 2 == 0, 9, 1)) & (old == arange(128, i32) % 2)
# RUN: lock y='zeros(1, i32)' total='zeros(1, i32)' --grid 16
# EXPECT: (y == 0) & (total == 16)
# RUN: exchange y='arange(128, f32)' old='zeros(128, f32)' --grid 1
# EXPECT: (y == zeros(128, f32) + 2) & (old == arange(128, f32))
# RUN: ordered x='arange(128, i32) * 3' y='zeros(128, i32)' n=100 --grid 1
# EXPECT: y == where(arange(128, i32) < 100, arange(128, i32) * 3, 0)
# RUN: ordered x='randn(128, f16)' y='zeros(128, f16)' n=128 --grid 1
# EXPECT: y == x
# RUN: ordered x='arange(128, i8)' y='zeros(128, i8)' n=128 --grid 1
# EXPECT: y == x
# RUN: ordered x='arange(128, f64)' y='zeros(128, f64)' n=128 --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: hand_over flag='zeros(1, i32)' x='arange(128, i32)' y='zeros(128, i32)' z='zeros(128, i32)' --grid 2
# EXPECT: (z == arange(128, i32) + 1) & (flag == 1)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def histogram(x, y, layout: gl.constexpr):
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=layout)
    gl.atomic_add(y + gl.load(x + i), 1, sem="relaxed")


@gluon.jit
def add_floats(y, value):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout=layout)
    gl.atomic_add(y + i % 4, gl.full([128], value, y.dtype.element_ty, layout))


@gluon.jit
def add_float(y, value):
    # Half a word: beside it there is nothing.
    gl.atomic_add(y, value.to(y.dtype.element_ty))


@gluon.jit
def extremes(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    values = gl.load(x + gl.program_id(0) * 128 + gl.arange(0, 128, layout=layout))
    zeros = gl.full([128], 0, gl.int32, layout)
    gl.atomic_max(y + zeros, values)
    gl.atomic_min(y + zeros + 1, values)


@gluon.jit
def bitwise(y):
    gl.atomic_and(y, 0x0F)
    gl.atomic_or(y + 1, 0xF00)
    gl.atomic_xor(y + 2, 0x0F)


@gluon.jit
def tickets(y, seen):
    mine = gl.atomic_add(y, 1)
    gl.atomic_add(seen + mine, 1, sem="relaxed", scope="sys")


@gluon.jit
def masked(y, old, n):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    i = gl.arange(0, 128, layout=layout)
    before = gl.atomic_add(y + i, 7, mask=i < n)
    gl.store(old + i, before, mask=i < n)


@gluon.jit
def copies(y, old):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 32, layout=layout)
    gl.store(old + i, gl.atomic_add(y + i, 10, sem="acquire"))


@gluon.jit
def swaps(y, old):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout=layout)
    expected = gl.full([128], 0, gl.int32, layout)
    gl.store(old + i, gl.atomic_cas(y + i, expected, expected + 9))


@gluon.jit
def lock(y, total):
    while gl.atomic_cas(y, 0, 1, sem="acquire") == 1:
        pass
    count = gl.load(total, volatile=True)
    gl.store(total, count + 1)
    gl.atomic_xchg(y, 0, sem="release")


@gluon.jit
def exchange(y, old):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout=layout)
    gl.store(old + i, gl.atomic_xchg(y + i, gl.full([128], 2.0, gl.float32, layout)))


@gluon.jit
def ordered(x, y, n):
    # Four warps hold copies: one thread reads each element, and the others get what it read.
    copies: gl.constexpr = [[0]] * (gl.num_ctas().bit_length() - 1)
    i = gl.arange(0, 128, layout=gl.BlockedLayout([4], [32], [4], [0], cga_layout=copies))
    value = gl.atomic_load(x + i, mask=i < n, sem="relaxed")
    gl.atomic_store(y + i, value, mask=i < n)


@gluon.jit
def hand_over(flag, x, y, z):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    if gl.program_id(0) == 0:
        gl.store(y + i, gl.load(x + i) + 1)
        gl.atomic_store(flag, 1)
    else:
        while gl.atomic_load(flag) == 0:
            pass
        gl.store(z + i, gl.load(y + i))
