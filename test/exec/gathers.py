"""Elements by index: gather in registers and shared memory, scatter, atomic scatter, histogram."""

# RUN: reverse_rows x='randn((32, 64), f32)' y='empty((32, 64), f32)' axis=1 M=32 N=64 \
#   source='gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])' index='gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])' --grid 1
# EXPECT: y == x[:, ::-1]
# RUN: reverse_rows x='randn((32, 64), f32)' y='empty((32, 64), f32)' axis=0 M=32 N=64 \
#   source='gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])' index='gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])' --grid 1
# EXPECT: y == x[::-1, :]
# RUN: reverse_rows x='randn((32, 64), f16)' y='empty((32, 64), f16)' axis=1 M=32 N=64 \
#   source='gl.BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])' index='gl.BlockedLayout([2, 1], [1, 32], [4, 1], [0, 1])' --grid 1
# EXPECT: y == x[:, ::-1]
# RUN: reverse_rows x='randint(0, 100, (8, 16), i8)' y='empty((8, 16), i8)' axis=1 M=8 N=16 \
#   source='gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])' index='gl.BlockedLayout([1, 1], [2, 16], [4, 1], [1, 0])' --grid 1
# EXPECT: y == x[:, ::-1]
# RUN: reverse_rows x='randn((16, 32), f64)' y='empty((16, 32), f64)' axis=0 M=16 N=32 \
#   source='gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1])' index='gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1])' --grid 1
# EXPECT: y == x[::-1, :]
# RUN: shared_reverse x='randn((32, 64), f32)' y='empty((32, 64), f32)' axis=1 M=32 N=64 \
#   shared='gl.SwizzledSharedLayout(4, 2, 4, [1, 0])' --grid 1
# EXPECT: y == x[:, ::-1]
# RUN: shared_reverse x='randn((32, 64), f16)' y='empty((32, 64), f16)' axis=0 M=32 N=64 \
#   shared='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1
# EXPECT: y == x[::-1, :]
# RUN: shared_reverse x='randint(0, 100, (32, 64), i8)' y='empty((32, 64), i8)' axis=1 M=32 N=64 \
#   shared='gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 64], [1, 0])' --grid 1
# EXPECT: y == x[:, ::-1]
# RUN: scatter_window x='randn((16, 32), f32)' y='empty((16, 64), f32)' --grid 1
# EXPECT: (y[:, 32:64] == x[:, ::-1]) & (y[:, 0:32] == zeros((16, 32), f32))
# RUN: bins x='randint(0, 64, 512, i32)' y='empty(64, i32)' BINS=64 layout='gl.BlockedLayout([1], [32], [4], [0])' --grid 1
# EXPECT: (sum(y) == 512) & (y[7] == sum(where(x == 7, 1, 0))) & (y[63] == sum(where(x == 63, 1, 0)))
# RUN: bins x='randint(0, 512, 512, i32)' y='empty(512, i32)' BINS=512 layout='gl.BlockedLayout([2], [32], [4], [0])' --grid 1
# EXPECT: (sum(y) == 512) & (y[500] == sum(where(x == 500, 1, 0)))
# RUN: masked_bins x='randint(0, 8, 256, i32)' y='empty(8, i32)' --grid 1
# EXPECT: (sum(y) == sum(where(x < 5, 1, 0))) & (y[6] == 0) & (y[2] == sum(where(x == 2, 1, 0)))
# RUN: count x='randint(0, 8, 256, i32)' y='empty(8, i32)' old='empty(256, i32)' layout='gl.BlockedLayout([2], [32], [4], [0])' N=256 --grid 1
# EXPECT: (y[3] == sum(where(x == 3, 1, 0))) & (sum(y) == 256) & (max(old) == max(y) - 1)
# RUN: count x='arange(32, i32) % 8' y='empty(8, i32)' old='empty(32, i32)' layout='gl.BlockedLayout([1], [32], [4], [0])' N=32 --grid 1
# EXPECT: (y == 4) & (min(old) == 0) & (max(old) == 3)
# RUN: count_floats y='empty(8, f32)' value=0.5 --grid 1
# EXPECT: y == zeros(8, f32) + 16
# RUN: count_floats y='empty(8, f16)' value=0.5 --grid 1
# EXPECT: y == zeros(8, f16) + 16
# RUN: count_floats y='empty(8, bf16)' value=0.5 --grid 1
# EXPECT: y == zeros(8, bf16) + 16
# RUN: extremes x='randint(-1000, 1000, 256, i32)' y='empty(4, i32)' --grid 1
# EXPECT: (y[0] == max(x)) & (y[1] == min(x[0:100])) & (y[2] == 0) & (y[3] == 0)
# RUN: beyond y='zeros(32, i32)' at=64 --grid 1
# FAULT: ElementIndexOutOfRange

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def offsets_2d(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * N + columns[None, :]


@gluon.jit
def reversed_indices(axis: gl.constexpr, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    flat = offsets_2d(M, N, layout)
    if axis == 0:
        return M - 1 - flat // N
    else:
        return N - 1 - flat % N


@gluon.jit
def reverse_rows(x, y, axis: gl.constexpr, M: gl.constexpr, N: gl.constexpr, source: gl.constexpr,
                 index: gl.constexpr):
    values = gl.load(x + offsets_2d(M, N, source))
    gathered = gl.gather(values, reversed_indices(axis, M, N, index), axis)
    gl.store(y + offsets_2d(M, N, index), gathered)


@gluon.jit
def shared_reverse(x, y, axis: gl.constexpr, M: gl.constexpr, N: gl.constexpr,
                   shared: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [2, 2], [1, 0])
    offsets = offsets_2d(M, N, layout)
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], shared, gl.load(x + offsets))
    gl.store(y + offsets, buffer.gather(reversed_indices(axis, M, N, layout), axis))


@gluon.jit
def scatter_window(x, y):
    # The right half of a buffer, columns in reverse order; the left half stays zero.
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    zeros = gl.full([16, 64], 0.0, gl.float32, wide)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [16, 64], shared, zeros)
    values = gl.load(x + offsets_2d(16, 32, layout))
    buffer.slice(32, 32, dim=1).scatter(values, reversed_indices(1, 16, 32, layout), 1)
    gl.store(y + offsets_2d(16, 64, wide), buffer.load(wide))


@gluon.jit
def bins(x, y, BINS: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    counts = gl.histogram(gl.load(x + i), BINS, layout=layout)
    gl.store(y + gl.arange(0, BINS, layout=layout), counts)


@gluon.jit
def masked_bins(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    values = gl.load(x + gl.arange(0, 256, layout=layout))
    counts = gl.histogram(values, 8, mask=values < 5, layout=layout)
    gl.store(y + gl.arange(0, 8, layout=layout), counts)


@gluon.jit
def count(x, y, old, layout: gl.constexpr, N: gl.constexpr):
    # With fewer elements than threads several threads hold the same one: it counts once.
    i = gl.arange(0, N, layout=layout)
    small: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(gl.int32, [8], shared, gl.full([8], 0, gl.int32, small))
    seen = buffer.atomic_scatter_add(gl.full([N], 1, gl.int32, layout), gl.load(x + i), 0)
    gl.store(old + i, seen)
    gl.store(y + gl.arange(0, 8, layout=small), buffer.load(small))


@gluon.jit
def count_floats(y, value):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    small: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    dtype: gl.constexpr = y.dtype.element_ty
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(dtype, [8], shared, gl.full([8], 0.0, dtype, small))
    i = gl.arange(0, 256, layout=layout)
    buffer.atomic_scatter_add(gl.full([256], value, dtype, layout), i % 8, 0)
    gl.store(y + gl.arange(0, 8, layout=small), buffer.load(small))


@gluon.jit
def extremes(x, y):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    small: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(gl.int32, [4], shared, gl.full([4], 0, gl.int32, small))
    i = gl.arange(0, 256, layout=layout)
    values = gl.load(x + i)
    buffer.atomic_scatter_max(values, i * 0, 0)
    buffer.atomic_scatter_min(values, i * 0 + 1, 0, mask=i < 100)
    gl.store(y + gl.arange(0, 4, layout=small), buffer.load(small))


@gluon.jit
def beyond(y, at):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 32, layout=layout)
    gl.store(y + i, gl.gather(i, i * 0 + at, 0))
