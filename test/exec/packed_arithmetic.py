"""Two neighbouring elements by one instruction: nvidia.blackwell.add2 and its like, float2."""

# RUN: sums a='randint(-999, 999, (64, 64), f32)' b='randint(-999, 999, (64, 64), f32)' c='randint(-999, 999, (64, 64), f32)' out='empty((5, 64, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out[0] == a + b and out[1] == a - b and out[2] == a * b and out[3] == a * b + c and out[4] == 2 * a
# RUN: sums a='randint(-9, 9, (64, 64), f16)' b='randint(-9, 9, (64, 64), f16)' c='randint(-9, 9, (64, 64), f16)' out='empty((5, 64, 64), f16)' --grid 1 --target cuda:100a
# EXPECT: out[0] == a + b and out[1] == a - b and out[2] == a * b and out[3] == a * b + c and out[4] == 2 * a
# RUN: sums a='randint(-9, 9, (64, 64), bf16)' b='randint(-9, 9, (64, 64), bf16)' c='randint(-9, 9, (64, 64), bf16)' out='empty((5, 64, 64), bf16)' --grid 1 --target cuda:120a
# EXPECT: out[0] == a + b and out[1] == a - b and out[2] == a * b and out[3] == a * b + c and out[4] == 2 * a
# RUN: extremes a='randn((64, 64), f16)' b='randn((64, 64), f16)' out='empty((3, 64, 64), f16)' --grid 1 --target cuda:100a
# EXPECT: out[0] == minimum(a, b) and out[1] == maximum(a, b) and out[2] == maximum(a, 0 * a)
# RUN: extremes a='randn((64, 64), bf16)' b='randn((64, 64), bf16)' out='empty((3, 64, 64), bf16)' --grid 1 --target cuda:103a
# EXPECT: out[0] == minimum(a, b) and out[1] == maximum(a, b) and out[2] == maximum(a, 0 * a)
# RUN: not_a_number out='empty((2, 256), f16)' --grid 1 --target cuda:100a
# EXPECT: out == 3
# RUN: fused_once out='empty(256, f32)' --grid 1 --target cuda:100a
# EXPECT: out == 0 - 1.4210854715202004e-14
# RUN: broadcast a='randint(-999, 999, (64, 1), f32)' b='randint(-999, 999, (1, 64), f32)' out='empty((64, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out == a + b
# RUN: by_pairs a='randint(-999, 999, (32, 64), f32)' b='randint(-999, 999, (32, 64), f32)' out='empty((5, 32, 64), f32)' AXIS=1 --grid 1 --target cuda:100a
# EXPECT: out[0] == a and out[1] == a + b and out[2] == a - b and out[3] == a * b and out[4] == a * b + 0.5
# RUN: by_pairs a='randint(-999, 999, (32, 64), f32)' b='randint(-999, 999, (32, 64), f32)' out='empty((5, 32, 64), f32)' AXIS=0 --grid 1 --target cuda:100a
# EXPECT: out[0] == a and out[1] == a + b and out[2] == a - b and out[3] == a * b and out[4] == a * b + 0.5
# RUN: halves a='randint(-999, 999, (32, 64), f32)' b='randint(-999, 999, (32, 64), f32)' low='empty((32, 64), f32)' high='empty((32, 64), f32)' --grid 1 --target cuda:120a
# EXPECT: low == a + a and high == b + b
# RUN: summed a='randint(-9, 9, (32, 64), f32)' low='empty(32, f32)' high='empty(32, f32)' --grid 1 --target cuda:100a
# EXPECT: low == a.reshape((32, 32, 2))[:, :, 0].sum(1) and high == a.reshape((32, 32, 2))[:, :, 1].sum(1)
# RUN: summed_up a='randint(-9, 9, 256, f32)' out='empty(2, f32)' --grid 1 --target cuda:100a
# EXPECT: out[0] == a.reshape((128, 2))[:, 0].sum() and out[1] == a.reshape((128, 2))[:, 1].sum()
# RUN: carried a='randint(-9, 9, (32, 64), f32)' out='empty((32, 64), f32)' n=5 --grid 1 --target cuda:100a
# EXPECT: out == 6 * a
# RUN: reduced a='randint(-9, 9, (64, 64), f32)' b='randint(-9, 9, (64, 64), f32)' x='empty(64, f32)' y='empty(64, f32)' --grid 1 --target cuda:100a
# EXPECT: x == a.sum(1) and y == b.sum(1)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import blackwell
from triton.experimental.gluon.language.nvidia.blackwell import float2

WIDE = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
LINE = gl.constexpr(gl.BlockedLayout([2], [32], [4], [0]))


@gluon.jit
def places(rows: gl.constexpr, columns: gl.constexpr):
    i = gl.arange(0, rows, gl.SliceLayout(1, WIDE))
    j = gl.arange(0, columns, gl.SliceLayout(0, WIDE))
    return i[:, None] * columns + j[None, :]


@gluon.jit
def sums(a, b, c, out):
    at = places(64, 64)
    x, y, z = gl.load(a + at), gl.load(b + at), gl.load(c + at)
    gl.store(out + at, blackwell.add2(x, y))
    gl.store(out + 4096 + at, blackwell.sub2(x, y, dtype=x.dtype))
    gl.store(out + 8192 + at, blackwell.mul2(x, y))
    gl.store(out + 12288 + at, blackwell.fma2(x, y, z))
    gl.store(out + 16384 + at, blackwell.mul2(x, 2.0))


@gluon.jit
def extremes(a, b, out):
    at = places(64, 64)
    x, y = gl.load(a + at), gl.load(b + at)
    gl.store(out + at, blackwell.min2(x, y))
    gl.store(out + 4096 + at, blackwell.max2(x, y))
    gl.store(out + 8192 + at, blackwell.max2(x, 0.0))


@gluon.jit
def not_a_number(out):
    i = gl.arange(0, 256, layout=LINE)
    nan = gl.full([256], float("nan"), gl.float16, LINE)
    three = gl.full([256], 3.0, gl.float16, LINE)
    gl.store(out + i, blackwell.min2(nan, three))
    gl.store(out + 256 + i, blackwell.max2(three, nan))


@gluon.jit
def fused_once(out):
    """(1 + e)(1 - e) - 1 with e = 2^-23 is -2^-46; rounded twice it were 0."""
    i = gl.arange(0, 256, layout=LINE)
    more = gl.full([256], 1.00000011920928955078125, gl.float32, LINE)
    gl.store(out + i, blackwell.fma2(more, 0.99999988079071044921875, -1.0))


@gluon.jit
def broadcast(a, b, out):
    i = gl.arange(0, 64, gl.SliceLayout(1, WIDE))
    j = gl.arange(0, 64, gl.SliceLayout(0, WIDE))
    column, row = gl.load(a + i)[:, None], gl.load(b + j)[None, :]
    gl.store(out + places(64, 64), blackwell.add2(column, row))


@gluon.jit
def by_pairs(a, b, out, AXIS: gl.constexpr):
    """A thread has two rows and four columns, so that neighbours of either kind are its own."""
    square: gl.constexpr = gl.BlockedLayout([2, 4], [4, 8], [4, 1], [1, 0])
    i = gl.arange(0, 32, gl.SliceLayout(1, square))
    at = i[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, square))[None, :]
    x2 = float2.pack(gl.load(a + at), axis=AXIS)
    y2 = float2.pack(gl.load(b + at), axis=AXIS)
    half2 = float2.full_like(x2, 0.5)
    for k in gl.static_range(5):
        if k == 0:
            r2 = x2
        elif k == 1:
            r2 = x2 + y2
        elif k == 2:
            r2 = x2 - y2
        elif k == 3:
            r2 = x2 * y2
        else:
            r2 = float2.fma(x2, y2, half2)
        gl.static_assert(isinstance(r2, float2.Float2Tensor))
        value = float2.unpack(r2, axis=AXIS)
        gl.store(out + k * 2048 + at, gl.convert_layout(value, square))


@gluon.jit
def halves(a, b, low, high):
    at = places(32, 64)
    both = float2.pack2(gl.load(a + at), gl.load(b + at))
    twice = both * float2.full_like(both, gl.to_tensor(2.0))
    x, y = float2.unpack2(float2.Float2Tensor(twice.value))
    gl.store(low + at, x)
    gl.store(high + at, y)


@gluon.jit
def summed(a, low, high):
    x2 = float2.pack(gl.load(a + places(32, 64)), axis=1)
    x, y = float2.unpack2(x2.sum(axis=1))
    i = gl.arange(0, 32, LINE)
    gl.store(low + i, gl.convert_layout(x, LINE))
    gl.store(high + i, gl.convert_layout(y, LINE))


@gluon.jit
def summed_up(a, out):
    i = gl.arange(0, 256, layout=LINE)
    x, y = float2.unpack2(float2.pack(gl.load(a + i), axis=0).sum(axis=0))
    gl.store(out, x)
    gl.store(out + 1, y)


@gluon.jit
def carried(a, out, n):
    at = places(32, 64)
    x2 = float2.pack(gl.load(a + at), axis=1)
    total = x2
    for _ in range(n):
        total = total + x2
    gl.store(out + at, gl.convert_layout(float2.unpack(total, axis=1), WIDE))


@gluon.jit
def sum_both(a, b, c, d):
    """Each thread adds the two numbers in a tile of its own."""
    both: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 2], [1, 32], [1, gl.num_warps()], [1, 0]))
    first = gl.arange(0, 2, both) == 0
    return gl.split(blackwell.add2(gl.where(first, a, b), gl.where(first, c, d)))


@gluon.jit
def reduced(a, b, x, y):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    m = gl.arange(0, 64, gl.SliceLayout(1, layout))
    n = gl.arange(0, 64, gl.SliceLayout(0, layout))
    at = m[:, None] * 64 + n[None, :]
    u, v = gl.reduce((gl.load(a + at), gl.load(b + at)), 1, sum_both)
    gl.store(x + m, u)
    gl.store(y + m, v)
