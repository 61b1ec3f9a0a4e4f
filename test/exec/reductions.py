"""Reductions and scans in registers, lanes and warps: sizes, types, layouts, several operands."""

# RUN: sum_1d x='randint(-100, 100, 1024, i32)' y='empty(1, i32)' N=1024 \
#   layout='gl.BlockedLayout([4], [32], [4], [0])' --grid 1
# EXPECT: y == sum(x)
# RUN: sum_1d x='randint(-100, 100, 4096, i32)' y='empty(1, i32)' N=4096 \
#   layout='gl.BlockedLayout([2], [32], [8], [0])' --grid 1 --num-warps 8
# EXPECT: y == sum(x)
# RUN: sum_1d x='randint(-100, 100, 32, i64)' y='empty(1, i64)' N=32 \
#   layout='gl.BlockedLayout([4], [32], [4], [0])' --grid 1
# EXPECT: y == sum(x)
# RUN: sum_1d x='randint(-100, 100, 8192, i32)' y='empty(1, i32)' N=8192 \
#   layout='gl.BlockedLayout([1], [32], [32], [0])' --grid 1 --num-warps 32
# EXPECT: y == sum(x)
# RUN: sum_1d x='randn(512, f64)' y='empty(1, f64)' N=512 \
#   layout='gl.BlockedLayout([1], [32], [4], [0])' --grid 1
# EXPECT: allclose(y, sum(x), 1e-12, 1e-12)
# RUN: sum_1d x='randn(512, f32)' y='empty(1, f32)' N=512 \
#   layout='gl.BlockedLayout([1], [32], [1], [0])' --grid 1 --num-warps 1
# EXPECT: allclose(y, sum(x), 1e-4, 1e-4)
# RUN: max_rows x='randn((64, 32), f32)' y='empty(64, f32)' M=64 N=32 \
#   layout='gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])' --grid 1
# EXPECT: y == max(x, 1)
# RUN: max_rows x='randn((64, 128), f16)' y='empty(64, f16)' M=64 N=128 \
#   layout='gl.BlockedLayout([2, 2], [8, 4], [1, 4], [0, 1])' --grid 1
# EXPECT: y == max(x, 1)
# RUN: max_rows x='randn((4, 16), f32)' y='empty(4, f32)' M=4 N=16 \
#   layout='gl.BlockedLayout([1, 2], [2, 16], [4, 2], [1, 0])' --grid 1 --num-warps 8
# EXPECT: y == max(x, 1)
# RUN: max_rows x='randn((32, 8), f32)' y='empty(32, f32)' M=32 N=8 \
#   layout='gl.DistributedLinearLayout([[1, 1], [2, 0]], [[1, 0], [4, 2], [8, 0], [0, 4], [16, 0]], [[0, 2], [0, 0]], [], [32, 8])' --grid 1
# EXPECT: y == max(x, 1)
# RUN: min_cols x='randint(-1000, 1000, (64, 32), i32)' y='empty(32, i32)' M=64 N=32 \
#   layout='gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])' --grid 1
# EXPECT: y == min(x, 0)
# RUN: min_cols x='randint(-100, 100, (128, 16), i8)' y='empty(16, i8)' M=128 N=16 \
#   layout='gl.BlockedLayout([1, 1], [32, 1], [2, 4], [0, 1])' --grid 1 --num-warps 8
# EXPECT: y == min(x, 0)
# RUN: largest x='where(arange(256, i32) == 77, 5, arange(256, i32) % 3)' at='empty(1, i32)' value='empty(1, i32)' N=256 \
#   layout='gl.BlockedLayout([2], [32], [4], [0])' --grid 1
# EXPECT: (at == 77) & (value == 5)
# RUN: softmax x='randn((16, 64), f32)' y='empty((16, 64), f32)' --grid 1
# EXPECT: allclose(sum(y, 1), zeros(16, f32) + 1, 1e-5, 1e-5) & (min(y) > 0)
# RUN: in_a_loop x='randint(0, 10, (8, 512), i32)' y='empty(8, i32)' --grid 1
# EXPECT: y == sum(x, 1)
# RUN: both_axes x='randint(0, 10, (32, 64), i32)' y='empty(1, i32)' --grid 1
# EXPECT: y == sum(x)
# RUN: scan_1d y='empty(1024, i32)' N=1024 layout='gl.BlockedLayout([2], [32], [4], [0])' --grid 1
# EXPECT: y == arange(1024, i32) * (arange(1024, i32) + 1) // 2
# RUN: scan_1d y='empty(64, i32)' N=64 layout='gl.BlockedLayout([1], [32], [4], [0])' --grid 1
# EXPECT: y == arange(64, i32) * (arange(64, i32) + 1) // 2
# RUN: scan_1d y='empty(4096, i32)' N=4096 layout='gl.BlockedLayout([4], [32], [8], [0])' --grid 1 --num-warps 8
# EXPECT: y == arange(4096, i32) * (arange(4096, i32) + 1) // 2
# RUN: scan_reverse y='empty(512, i32)' N=512 layout='gl.BlockedLayout([1], [32], [4], [0])' --grid 1
# EXPECT: y == (512 - arange(512, i32)) * (511 + arange(512, i32)) // 2
# RUN: scan_rows x='randint(-9, 9, (16, 32), i32)' y='empty((16, 32), i32)' last='empty(16, i32)' M=16 N=32 \
#   layout='gl.BlockedLayout([1, 2], [8, 4], [1, 4], [1, 0])' --grid 1
# EXPECT: (last == sum(x, 1)) & (y[3, 31] == sum(x[3])) & (y[5, 0] == x[5, 0])
# Layouts whose bases mix dimensions or repeat elements.
# RUN: scan_rows x='randint(-9, 9, (16, 32), i32)' y='empty((16, 32), i32)' last='empty(16, i32)' M=16 N=32 \
#   layout='gl.DistributedLinearLayout([[1, 1], [2, 4]], [[1, 0], [4, 2], [8, 0], [0, 2], [0, 8]], [[0, 16], [2, 0]], [], [16, 32])' --grid 1
# EXPECT: (last == sum(x, 1)) & (y[3, 31] == sum(x[3])) & (y[5, 0] == x[5, 0])
# RUN: scan_1d y='empty(64, i32)' N=64 \
#   layout='gl.DistributedLinearLayout([[1]], [[3], [4], [8], [48], [0]], [[16], [0]], [], [64])' --grid 1
# EXPECT: y == arange(64, i32) * (arange(64, i32) + 1) // 2
# RUN: scan_reverse y='empty(512, i32)' N=512 \
#   layout='gl.DistributedLinearLayout([[1], [7], [32], [32]], [[4], [8], [16], [256], [64]], [[128], [0]], [], [512])' --grid 1
# EXPECT: y == (512 - arange(512, i32)) * (511 + arange(512, i32)) // 2
# RUN: compose y='empty((2, 256), i32)' --grid 1
# EXPECT: (y[0, 0] == 1) & (y[0, 3] == 24) & (y[1, 0] == 0) & (y[1, 1] == 1) & (y[1, 2] == 5) & (y[1, 3] == 23)
# RUN: scans_as_functions x='randint(1, 3, 8, i32)' sums='empty(8, i32)' products='empty(8, i32)' --grid 1 --num-warps 1
# EXPECT: (sums[7] == sum(x)) & (sums[0] == x[0]) & (products[1] == x[0] * x[1]) & (products[7] == products[6] * x[7])
# RUN: branching x='randn(512, f32)' y='empty(1, f32)' z='empty(512, f32)' --grid 1
# EXPECT: (y == max(x)) & (z[0] == x[0]) & (z[1] == max(x[:2])) & (z[300] == max(x[:301])) & (z[511] == max(x))

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def sum_1d(x, y, N: gl.constexpr, layout: gl.constexpr):
    gl.store(y, gl.sum(gl.load(x + gl.arange(0, N, layout=layout)), 0))


@gluon.jit
def offsets_2d(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    r = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return r[:, None] * N + c[None, :]


@gluon.jit
def max_rows(x, y, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    tile = gl.load(x + offsets_2d(M, N, layout))
    gl.store(y + gl.arange(0, M, layout=gl.SliceLayout(1, layout)), gl.max(tile, 1))


@gluon.jit
def smaller(a, b):
    return gl.minimum(a, b)


@gluon.jit
def min_cols(x, y, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    tile = gl.load(x + offsets_2d(M, N, layout))
    gl.store(y + gl.arange(0, N, layout=gl.SliceLayout(0, layout)), gl.reduce(tile, 0, smaller))


@gluon.jit
def larger_first(a, ai, b, bi):
    take = (a > b) | ((a == b) & (ai < bi))
    return gl.where(take, a, b), gl.where(take, ai, bi)


@gluon.jit
def largest(x, at, value, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, N, layout=layout)
    best, place = gl.reduce((gl.load(x + i), i), 0, larger_first)
    gl.store(at, place)
    gl.store(value, best)


@gluon.jit
def softmax(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [1, 32], [2, 2], [1, 0])
    offsets = offsets_2d(16, 64, layout)
    tile = gl.load(x + offsets)
    high = gl.exp(tile - gl.max(tile, 1)[:, None])
    gl.store(y + offsets, high / gl.sum(high, 1)[:, None])


@gluon.jit
def in_a_loop(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    for i in range(8):
        gl.store(y + i, gl.sum(gl.load(x + i * 512 + gl.arange(0, 512, layout=layout)), 0))


@gluon.jit
def both_axes(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])
    rows = gl.sum(gl.load(x + offsets_2d(32, 64, layout)), 1)
    gl.store(y, gl.sum(rows, 0))


@gluon.jit
def plus(a, b):
    return a + b


@gluon.jit
def scan_1d(y, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, N, layout=layout)
    gl.store(y + i, gl.associative_scan(i, 0, plus))


@gluon.jit
def scan_reverse(y, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, N, layout=layout)
    gl.store(y + i, gl.associative_scan(i, 0, plus, reverse=True))


@gluon.jit
def scan_rows(x, y, last, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    offsets = offsets_2d(M, N, layout)
    running = gl.associative_scan(gl.load(x + offsets), 1, plus)
    gl.store(y + offsets, running)
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :]
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    gl.store(last + rows, gl.sum(gl.where(columns == N - 1, running, 0), 1))


@gluon.jit
def then(a, b, c, d):
    return a * c, b * c + d


@gluon.jit
def compose(y):
    # x -> (i + 1) x + i: a function that does not commute.
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 256, layout=layout)
    scale, shift = gl.associative_scan((i + 1, i), 0, then)
    gl.store(y + i, scale)
    gl.store(y + 256 + i, shift)


@gluon.jit
def scans_as_functions(x, sums, products):
    i = gl.arange(0, 8, layout=gl.BlockedLayout([1], [32], [1], [0]))
    values = gl.load(x + i)
    gl.store(sums + i, gl.cumsum(values))
    gl.store(products + i, gl.cumprod(values, axis=0))


@gluon.jit
def larger_by_branch(a, b):
    if a > b:
        larger = a
    else:
        larger = b
    return larger


@gluon.jit
def branching(x, y, z):
    """A function of combination that goes different ways for different elements."""
    i = gl.arange(0, 512, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value = gl.load(x + i)
    gl.store(y, gl.reduce(value, 0, larger_by_branch))
    gl.store(z + i, gl.associative_scan(value, 0, larger_by_branch))
