"""Functions that stay functions: arguments, results, shared memory, calls among them."""

# RUN: scalars x='randint(-99, 99, 8, i32)' out='empty((2, 8), i32)' --grid 8 --num-warps 1
# EXPECT: (out[0] == x * 3 + 1) & (out[1] == where(x > 5, x, 5))
# RUN: tiles x='randn((4, 128), f32)' out='zeros((4, 128), f32)' n=4 --grid 1
# EXPECT: out == 2 * x
# RUN: buffers out='zeros((2, 128), i32)' --grid 1
# EXPECT: (out[0] == 5) & (out[1] == 6)
# RUN: deep x='randint(-99, 99, 8, i32)' out='empty(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == 2 * (x * 3 + 1) + 1
# Threads with copies of an element must all have read it before one of them writes.
# RUN: in_place x='randint(-9, 9, 256, i32)' out='empty(256, i32)' n=3 --grid 1
# EXPECT: out == 27 * x + 5
# RUN: turned_in_place x='randn((16, 16), f32)' out='empty((16, 16), f32)' n=3 --grid 1
# EXPECT: out == x.T
# RUN: in_place x='randint(-9, 9, 256, i32)' out='empty(256, i32)' n=0 --grid 1
# EXPECT: out == x
# RUN: partitions x='randint(-99, 99, 64, i32)' out='empty((2, 64), i32)' --grid 1
# EXPECT: (out[0] == 2 * x) & (out[1] == 3 * x)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

line = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
flat = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.jit(noinline=True)
def scaled(x, by: gl.constexpr, plus=1):
    return x * by + plus, by


@gluon.jit(noinline=True)
def at_least(x, low):
    if x > low:
        return x
    return low


@gluon.jit
def scalars(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    result, factor = scaled(value, 3)
    gl.store(out + pid, result)
    gl.store(out + 8 + pid, at_least(value, gl.to_tensor(5)))


@gluon.aggregate
class Row:
    source: gl.tensor
    target: gl.tensor


@gluon.jit(noinline=True)
def copy_row(row, i, N: gl.constexpr):
    at = i * N + gl.arange(0, N, layout=line)
    gl.store(row.target + at, 2 * gl.load(row.source + at))


@gluon.jit
def tiles(x, out, n):
    row = Row(x, out)
    for i in range(n):
        copy_row(row, i, 128)


@gluon.jit(noinline=True)
def fill(buffer, value):
    buffer.store(gl.full([128], value, gl.int32, line))


@gluon.jit(noinline=True)
def swap(a, b):
    return b, a


@gluon.jit
def buffers(out):
    a = gl.allocate_shared_memory(gl.int32, [128], flat)
    b = gl.allocate_shared_memory(gl.int32, [128], flat)
    fill(a, gl.to_tensor(6))
    fill(b, gl.to_tensor(5))
    first, second = swap(a, b)
    at = gl.arange(0, 128, layout=line)
    gl.store(out + at, first.load(line))
    gl.store(out + 128 + at, second.load(line))


@gluon.jit(noinline=True)
def twice(x):
    result, _ = scaled(x, 3)
    return result * 2 + 1


@gluon.jit
def deep(x, out):
    pid = gl.program_id(0)
    gl.store(out + pid, twice(gl.load(x + pid)))


@gluon.jit(noinline=True)
def tripled(buffer, n):
    copies: gl.constexpr = gl.BlockedLayout([8], [32], [4], [0])
    for i in range(n):
        buffer.store(buffer.load(copies) * 3 + i)


@gluon.jit
def in_place(x, out, n):
    at = gl.arange(0, 256, layout=line)
    buffer = gl.allocate_shared_memory(gl.int32, [256], flat, gl.load(x + at))
    tripled(buffer, n)
    gl.store(out + at, buffer.load(line))


@gluon.jit(noinline=True)
def transpose(buffer, n):
    square: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    for _ in range(n):
        buffer.permute([1, 0]).store(buffer.load(square))


@gluon.jit
def turned_in_place(x, out, n):
    """What one thread stores another one loads in the next iteration."""
    square: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, square))
    columns = gl.arange(0, 16, layout=gl.SliceLayout(0, square))
    at = rows[:, None] * 16 + columns[None, :]
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [16, 16], shared, gl.load(x + at))
    transpose(buffer, n)
    gl.store(out + at, buffer.load(square))


@gluon.jit(noinline=True)
def scale_line(x, out, by: gl.constexpr, layout: gl.constexpr):
    """Threads exchange what they loaded, so those that came here have to meet."""
    at = gl.arange(0, 64, layout=layout)
    buffer = gl.allocate_shared_memory(gl.int32, [64], flat, gl.load(x + at))
    gl.store(out + at, buffer.load(layout) * by)


@gluon.jit
def by_four_warps(x, out):
    scale_line(x, out, 2, gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def by_two_warps(x, out):
    scale_line(x, out + 64, 3, gl.BlockedLayout([1], [32], [2], [0]))


@gluon.jit
def partitions(x, out):
    gl.warp_specialize([(by_four_warps, (x, out)), (by_two_warps, (x, out))], [2], [24])
