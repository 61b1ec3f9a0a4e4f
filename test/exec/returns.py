"""Early returns, after some of which a way leads on: what follows stands once, whoever comes there."""

# RUN: nested out='zeros(64, i32)' n=8 --grid 64 --num-warps 1
# EXPECT: out == where(arange(64, i32) % 8 > 5, 100 + arange(64, i32), where(arange(64, i32) // 8 == 3, 1000, 2 * arange(64, i32) + where(arange(64, i32) % 8 > 2, 7, 0)))
# RUN: of_values out='zeros(32, i32)' --grid 32 --num-warps 1
# EXPECT: out == where(arange(32, i32) > 20, where(arange(32, i32) % 2 == 0, 10, where(arange(32, i32) == 31, -1, 3)), where(arange(32, i32) > 9, where(arange(32, i32) % 3 == 0, 20, 2 * arange(32, i32)), arange(32, i32)))
# RUN: of_tuples x='randn((16, 128), f32)' out='empty((16, 128), f32)' --grid 16
# EXPECT: out[0:4] == x[0:4] * 2
# RUN: of_tuples x='full((16, 128), 3, f32)' out='empty((16, 128), f32)' --grid 16
# EXPECT: sum(out, 1) == where(arange(16, i32) < 4, 768, where(arange(16, i32) % 4 == 1, 128 + 384, where(arange(16, i32) % 4 == 2, 384 - 128, 384)))
# RUN: in_loops out='empty(16, i32)' --grid 16 --num-warps 1
# EXPECT: out == where(arange(16, i32) < 4, 100 + arange(16, i32), where(arange(16, i32) < 8, 7, arange(16, i32) * 6))
# RUN: of_pointers x='arange(64, i32)' out='empty(16, i32)' --grid 16 --num-warps 1
# EXPECT: out == where(arange(16, i32) < 4, arange(16, i32), where(arange(16, i32) < 9, arange(16, i32) + 16, arange(16, i32) + 32))
# RUN: with_buffers x='randint(-99, 99, (16, 128), i32)' out='empty((16, 128), i32)' --grid 16
# EXPECT: out[0:4] == x[0:4]
# RUN: with_buffers x='full((16, 128), 5, i32)' out='empty((16, 128), i32)' --grid 16
# EXPECT: sum(out, 1) == where(arange(16, i32) < 4, 640, where(arange(16, i32) < 6, 1280, 1920))
# RUN: by_constants out='empty(8, i32)' FAST=True --grid 8 --num-warps 1
# EXPECT: out == where(arange(8, i32) > 4, 1, 2)
# RUN: by_constants out='empty(8, i32)' FAST=False --grid 8 --num-warps 1
# EXPECT: out == 2
# RUN: many out='empty(64, i32)' --grid 64 --num-warps 1
# EXPECT: out == where(arange(64, i32) < 24, arange(64, i32) * arange(64, i32), -1)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

LAYOUT: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])


@gluon.jit
def nested(out, n):
    pid = gl.program_id(0)
    row = pid // n
    column = pid % n
    more = 0
    if column > 2:
        if column > 5:
            gl.store(out + pid, 100 + pid)
            return
        more = 7
    if row > 2:
        if row == 3:
            gl.store(out + pid, 1000)
            return
    else:
        row = row * 2
    gl.store(out + pid, pid + pid + more)


@gluon.jit
def pick(x):
    if x > 20:
        if x % 2 == 0:
            return 10
        y = 3
        if x == 31:
            y = -1
    elif x > 9:
        if x % 3 == 0:
            return 20
        y = x * 2
    else:
        y = x
    return y


@gluon.jit
def of_values(out):
    pid = gl.program_id(0)
    gl.store(out + pid, pick(pid))


@gluon.jit
def pair(v, i):
    sign = 1.0
    if i > 3:
        if i % 4 == 1:
            return v, gl.full([128], 1.0, gl.float32, LAYOUT), 1.0
        if i % 4 == 2:
            sign = -1.0
            if i > 100:
                return v, v, 0.0
    else:
        return v, v, 1.0
    if i % 4 == 2:
        return v, gl.full([128], 1.0, gl.float32, LAYOUT), sign
    return v, v, sign - 1.0


@gluon.jit
def of_tuples(x, out):
    i = gl.program_id(0)
    offsets = i * 128 + gl.arange(0, 128, LAYOUT)
    a, b, sign = pair(gl.load(x + offsets), i)
    gl.store(out + offsets, a + b * sign)


# Unrolled loops may return; calls that return early may stand in loops.
@gluon.jit
def first(i):
    for k in gl.static_range(4):
        if i < 8:
            if i == k:
                return 100 + k
            i = i + 0
    if i < 8:
        return 7
    return i


@gluon.jit
def in_loops(out):
    pid = gl.program_id(0)
    total = 0
    for i in range(6):
        value = first(pid)
        if pid < 8:
            total = value
        else:
            total += value
    gl.store(out + pid, total)


@gluon.jit
def place(x, i):
    if i > 3:
        x += 16
        if i < 9:
            return x
        x += 16
    return x


@gluon.jit
def of_pointers(x, out):
    pid = gl.program_id(0)
    gl.store(out + pid, gl.load(place(x, pid) + pid))


# Nobody needs the buffer of those that have returned.
@gluon.jit
def with_buffers(x, out):
    i = gl.program_id(0)
    offsets = i * 128 + gl.arange(0, 128, LAYOUT)
    v = gl.load(x + offsets)
    s = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]), v)
    if i > 3:
        t = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]), v + v)
        if i < 6:
            gl.store(out + offsets, t.load(LAYOUT))
            return
    else:
        t = s
    if i > 3:
        v = t.load(LAYOUT) + s.load(LAYOUT)
    gl.store(out + offsets, v)


@gluon.jit
def chosen(i, FAST: gl.constexpr):
    if i > 4:
        if FAST:
            return 1
        K: gl.constexpr = 2
    else:
        K: gl.constexpr = 2
    return K


@gluon.jit
def by_constants(out, FAST: gl.constexpr):
    pid = gl.program_id(0)
    gl.store(out + pid, chosen(pid, FAST))


@gluon.jit
def square(i):
    for k in gl.static_range(24):
        if i == k:
            return i * k
    return -1


@gluon.jit
def many(out):
    pid = gl.program_id(0)
    gl.store(out + pid, square(pid))
