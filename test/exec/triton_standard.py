"""Functions of Triton's standard library that have no operation of their own."""

# RUN: sigmoid x='randn(256, f32)' y='empty(256, f32)' z='empty(256, f32)' N=256 --grid 1
# EXPECT: allclose(y, 1 / (1 + exp(-x)), rtol=1e-5) & (y == z)
# RUN: softmax x='randn((16, 32), f32)' y='empty((16, 32), f32)' M=16 N=32 dim=1 --grid 1
# EXPECT: allclose(y, exp(x) / sum(exp(x), 1).reshape((16, 1)), rtol=1e-4)
# RUN: softmax x='randn((16, 32), f32)' y='empty((16, 32), f32)' M=16 N=32 dim=None --grid 1
# EXPECT: allclose(y, exp(x) / sum(exp(x), 0).reshape((1, 32)), rtol=1e-4)
# RUN: cat x='randn((8, 16), f32)' y='randn((8, 16), f32)' z='empty((16, 16), f32)' M=8 N=16 dim=0 --grid 1
# EXPECT: (z[0:8, :] == x) & (z[8:16, :] == y)
# RUN: cat x='randn((8, 16), f32)' y='randn((8, 16), f32)' z='empty((8, 32), f32)' M=8 N=16 dim=1 --grid 1
# EXPECT: (z[:, 0:16] == x) & (z[:, 16:32] == y)
# RUN: cat x='randn((8, 16), f16)' y='randn((8, 16), f16)' z='empty((8, 32), f16)' M=8 N=16 dim=-1 --grid 1
# EXPECT: (z[:, 0:16] == x) & (z[:, 16:32] == y)
# RUN: interleave x='randn((8, 16), f32)' y='randn((8, 16), f32)' z='empty((8, 32), f32)' M=8 N=16 --grid 1
# EXPECT: (z[:, ::2] == x) & (z[:, 1::2] == y)
# RUN: reshaped x='randn((8, 16), f32)' y='empty((16, 8), f32)' --grid 1
# EXPECT: y == x.reshape((16, 8))
# RUN: swizzled rows='empty((8, 4), i32)' columns='empty((8, 4), i32)' --grid 8,4
# EXPECT: (rows == tensor(ROWS)) & (columns == tensor(COLUMNS))
# RUN: booleans x='randint(0, 4, 128, i32)' y='empty(128, i32)' bins='empty(4, i32)' --grid 1
# EXPECT: (y == where((x > 0) & (x < 3), 1, 0)) & (bins[2] == sum(where(x == 2, 1, 0))) & (sum(bins) == 128)
# RUN: running_sums x='randint(-3, 4, (8, 64), i32)' y='empty((8, 64), f32)' --grid 1
# EXPECT: (y[:, 63] == 50 * sum(x, 1) + 64) & (y[:, 0] == x[:, 0] * 50 + 1)
# RUN: either x='ones(1, i32)' y='zeros(2, f32)' --grid 2
# EXPECT: (y[0] == 1) & (y[1] == 2)
# RUN: only_integers x='ones(1, f32)' y='zeros(1, i32)' --grid 1
# EXPECT: (y == 7) & (x == 1)

import triton
import triton.language as tl


@triton.jit
def offsets(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def sigmoid(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(y + i, tl.sigmoid(v))
    tl.store(z + i, v.sigmoid())


@triton.jit
def softmax(x, y, M: tl.constexpr, N: tl.constexpr, dim: tl.constexpr):
    at = offsets(M, N)
    tl.store(y + at, tl.softmax(tl.load(x + at), dim, keep_dims=True))


@triton.jit
def cat(x, y, z, M: tl.constexpr, N: tl.constexpr, dim: tl.constexpr):
    at = offsets(M, N)
    both = tl.cat(tl.load(x + at), tl.load(y + at), can_reorder=False, dim=dim)
    tl.store(z + offsets(both.shape[0], both.shape[1]), both)


@triton.jit
def interleave(x, y, z, M: tl.constexpr, N: tl.constexpr):
    at = offsets(M, N)
    both = tl.interleave(tl.load(x + at), tl.load(y + at))
    tl.store(z + offsets(M, 2 * N), both)


@triton.jit
def reshaped(x, y):
    v = tl.load(x + offsets(8, 16))
    v = tl.unsqueeze(v, 1)
    tl.static_assert(v.shape == (8, 1, 16))
    v = tl.unsqueeze(tl.squeeze(v, -2), -1)
    tl.static_assert(v.shape == (8, 16, 1))
    tl.store(y + offsets(16, 8), tl.reshape(tl.squeeze(v, 2), 16, 8))


# Four columns in groups of two rows: down the first column of a group, then the next.
ROWS = [[0, 1, 0, 1], [0, 1, 0, 1], [2, 3, 2, 3], [2, 3, 2, 3],
        [4, 5, 4, 5], [4, 5, 4, 5], [6, 7, 6, 7], [6, 7, 6, 7]]
COLUMNS = [[0, 0, 1, 1], [2, 2, 3, 3], [0, 0, 1, 1], [2, 2, 3, 3],
           [0, 0, 1, 1], [2, 2, 3, 3], [0, 0, 1, 1], [2, 2, 3, 3]]


@triton.jit
def swizzled(rows, columns):
    i, j = tl.program_id(0), tl.program_id(1)
    row, column = tl.swizzle2d(i, j, 8, 4, 2)
    tl.store(rows + i * 4 + j, row)
    tl.store(columns + i * 4 + j, column)


@triton.jit
def booleans(x, y, bins):
    i = tl.arange(0, 128)
    v = tl.load(x + i)
    tl.store(y + i, (v > 0).logical_and(v < 3))
    tl.store(bins + tl.arange(0, 4), v.histogram(4))


# Sums of bfloat16 are float32: its 8 bits would round here.
@triton.jit
def running_sums(x, y):
    at = offsets(8, 64)
    values = (tl.load(x + at) * 50 + 1).to(tl.bfloat16)
    sums = tl.cumsum(values, 1)
    tl.static_assert(sums.dtype == tl.float32)
    tl.static_assert(tl.cumprod(values).dtype == tl.float32)
    tl.store(y + at, sums)


@triton.jit
def either(x, y):
    i = tl.program_id(0)
    tl.store(y + i, 1.0) if i == 0 else tl.store(y + i, 2.0)


@triton.jit
def is_to_integers(x):
    return isinstance(x.dtype, tl.pointer_type) and x.dtype.element_ty == tl.int32


@triton.jit
def only_integers(x, y):
    if is_to_integers(x):
        tl.store(x, 7)
    if is_to_integers(y):
        tl.store(y, 7)
