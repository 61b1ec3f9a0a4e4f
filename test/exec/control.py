"""Loops, branches, early returns, calls and tuples."""

# RUN: sum_to out='empty(4, i32)' n=10 --grid 4 --num-warps 1
# EXPECT: out == 45 + 10 * arange(4, i32)
# RUN: collatz out='empty(16, i32)' --grid 16 --num-warps 1
# EXPECT: out[7] == 16
# RUN: branches x='arange(8, i32)' out='zeros(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == where(x < 3, x * 10, where(x == 5, -1, x))
# RUN: early out='zeros(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == where(arange(8, i32) >= 5, 0, 7)
# RUN: unrolled x='randn((4, 128), f32)' out='empty(128, f32)' --grid 1
# EXPECT: allclose(out, sum(x, 0), 1e-5, 1e-5)
# RUN: carried_tensor x='randn((16, 128), f32)' out='empty((2, 128), f32)' n=16 --grid 1
# EXPECT: allclose(out[0], sum(x, 0), 1e-4, 1e-4) & (out[1] == max(x, 0))
# RUN: countdown out='zeros(10, i32)' --grid 1 --num-warps 1
# EXPECT: out == arange(10, i32)
# RUN: ternary out='empty(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == where(arange(8, i32) > 3, 1, 0)
# RUN: split x='randint(-99, 99, (8, 16), i32)' out='zeros((8, 16), i32)' --grid 8 --num-warps 1
# EXPECT: out == x * 2 + arange(16, i32)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def sum_to(out, n):
    pid = gl.program_id(0)
    total = 0
    for i in range(n):
        total += i + pid
    gl.store(out + pid, total)


@gluon.jit
def collatz(out):
    start = gl.program_id(0)
    value = gl.maximum(start, 1)
    steps = 0
    while value != 1:
        odd = value % 2
        if odd == 1:
            value = value * 3 + 1
        else:
            value = value // 2
        steps += 1
    gl.store(out + start, steps)


@gluon.jit
def branches(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    result = value
    if value < 3:
        result = value * 10
    elif value == 5:
        result = value - 6
    gl.store(out + pid, result)


@gluon.jit
def early(out):
    pid = gl.program_id(0)
    if pid >= 5:
        return
    gl.store(out + pid, 7)


@gluon.jit
def row(base, i, ROW: gl.constexpr, layout: gl.constexpr):
    return gl.load(base + i * ROW + gl.arange(0, ROW, layout=layout))


@gluon.jit
def unrolled(x, out):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    total = gl.zeros([128], gl.float32, layout)
    for i in gl.static_range(4):
        gl.static_assert(i < 4)
        total += row(x, i, 128, layout)
    gl.store(out + gl.arange(0, 128, layout=layout), total)


@gluon.jit
def step(state, tile):
    total, largest = state
    return total + tile, gl.maximum(largest, tile)


@gluon.jit
def carried_tensor(x, out, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    total = gl.zeros([128], gl.float32, layout)
    largest = gl.full([128], float("-inf"), gl.float32, layout)
    for i in range(0, n):
        total, largest = step((total, largest), row(x, i, 128, layout))
    i = gl.arange(0, 128, layout=layout)
    gl.store(out + i, total)
    gl.store(out + 128 + i, largest)


@gluon.jit
def countdown(out):
    for i in range(9, -1, -1):
        gl.store(out + i, i)


@gluon.jit
def ternary(out):
    pid = gl.program_id(0)
    gl.store(out + pid, 1 if pid > 3 else 0)


# Recursion that a compile-time value ends: halves until one element is left.
@gluon.jit
def split_row(x, out, first: gl.constexpr, count: gl.constexpr):
    if count == 1:
        gl.assume(count > 0)
        gl.store(out + first, 2 * gl.load(x + first) + first)
        return count
    else:
        half: gl.constexpr = count // 2
        return split_row(x, out, first, half) + split_row(x, out, first + half, count - half)


@gluon.jit
def split(x, out):
    row = gl.program_id(0) * 16
    done: gl.constexpr = split_row(x + row, out + row, 0, 16)
    gl.static_assert(done == 16)
