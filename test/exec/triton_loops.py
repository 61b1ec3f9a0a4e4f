"""Loops of the Triton language that load ahead, and functions of both languages in one kernel."""

# RUN: matmul a='randint(-4, 5, (96, 70), f16)' b='randint(-4, 5, (70, 72), f16)' c='empty((96, 72), f32)' M=96 N=72 K=70 TILE_M=64 TILE_N=64 TILE_K=32 --grid 4
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (96, 70), f16)' b='randint(-4, 5, (70, 72), f16)' c='empty((96, 72), f32)' M=96 N=72 K=70 TILE_M=32 TILE_N=16 TILE_K=32 --grid 15 --num-stages 1
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 128), f16)' c='empty((128, 128), f32)' M=128 N=128 K=128 TILE_M=128 TILE_N=64 TILE_K=32 --grid 2 --num-stages 4 --num-warps 8
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (64, 128), f32)' b='randint(-4, 5, (128, 64), f32)' c='empty((64, 64), f32)' M=64 N=64 K=128 TILE_M=64 TILE_N=64 TILE_K=16 --grid 1 --num-stages 2
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (64, 128), i8)' b='randint(-4, 5, (128, 64), i8)' c='empty((64, 64), i32)' M=64 N=64 K=128 TILE_M=64 TILE_N=64 TILE_K=32 --grid 1
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (64, 16), f16)' b='randint(-4, 5, (16, 64), f16)' c='empty((64, 64), f32)' M=64 N=64 K=0 TILE_M=64 TILE_N=64 TILE_K=32 --grid 1
# EXPECT: c == zeros((64, 64), f32)
# RUN: attention q='randn((128, 64), f16)' k='randn((192, 64), f16)' v='randn((192, 64), f16)' o='empty((128, 64), f16)' n=192 ROWS=64 KEYS=64 DEPTH=64 --grid 2
# EXPECT: allclose(o, matmul(exp(matmul(q, k.T) / 8), v) / sum(exp(matmul(q, k.T) / 8), 1)[:, None], 1e-2, 1e-2)
# RUN: attention q='randn((128, 32), f16)' k='randn((64, 32), f16)' v='randn((64, 32), f16)' o='empty((128, 32), f16)' n=64 ROWS=128 KEYS=32 DEPTH=32 --grid 1 --num-stages 2 --num-warps 8
# EXPECT: allclose(o, matmul(exp(matmul(q, k.T) / 8), v) / sum(exp(matmul(q, k.T) / 8), 1)[:, None], 1e-2, 1e-2)
# RUN: rows_by_index x='randint(-4, 5, (64, 64), f16)' at='63 - arange(128, i32) % 64' w='randint(-4, 5, (64, 64), f16)' y='empty((32, 64), f32)' STEPS=4 --grid 1
# EXPECT: y == matmul((x[::-1, :][0:32, :] + x[::-1, :][32:64, :]) * 2, w)
# RUN: running_sum x='randn(4096, f32)' y='empty(512, f32)' --grid 1
# EXPECT: allclose(y, sum(x.reshape((8, 512)), 0), 1e-5, 1e-5)
# RUN: stores_ahead x='arange(256, f32)' --grid 1
# EXPECT: x == arange(256, i32) % 32
# RUN: gluon_inside x='randn((32, 64), f32)' y='empty((32, 64), f32)' --grid 1
# EXPECT: allclose(y, exp(x - max(x, 1)[:, None]) / sum(exp(x - max(x, 1)[:, None]), 1)[:, None] + x, 1e-5, 1e-5)
# RUN: triton_inside a='randint(-4, 5, (32, 32), f16)' b='randint(-4, 5, (32, 32), f16)' c='empty((32, 32), f32)' --grid 1
# EXPECT: c == matmul(a, b) * 2
# RUN: two_products x='randint(-4, 5, (32, 32), f16)' y='empty((32, 32), f32)' --grid 1
# EXPECT: y == matmul(x, x) + matmul(x, x.T)
# RUN: two_products x='randint(-4, 5, (32, 32), f16)' y='empty((32, 32), f32)' --grid 1 --num-ctas 2
# EXPECT: y == matmul(x, x) + matmul(x, x.T)
# RUN: masked_depth a='randint(-4, 5, (32, 64), f16)' b='randint(-4, 5, (64, 32), f16)' c='empty((32, 32), f32)' K=48 --grid 1
# EXPECT: c == matmul(a[:, 0:48], b[0:48, :])
# RUN: masked_depth a='randint(-4, 5, (32, 64), f16)' b='randint(-4, 5, (64, 32), f16)' c='empty((32, 32), f32)' K=48 --grid 1 --target hip:gfx1250
# EXPECT: c == matmul(a[:, 0:48], b[0:48, :])
# RUN: many_sums a='randint(-1, 2, (64, 64), f16)' c='empty((64, 64), f32)' n=3 --grid 1 --num-warps 8
# EXPECT: c == matmul(a, a) * 27
# RUN: unrolled x='arange(64, dtype=i32)' y='zeros(2, i32)' first=0 last=11 --grid 1
# EXPECT: (y[0] == 55) & (y[1] == 11)
# RUN: unrolled x='arange(64, dtype=i32)' y='zeros(2, i32)' first=3 last=4 --grid 1
# EXPECT: (y[0] == 3) & (y[1] == 1)
# RUN: unrolled x='arange(64, dtype=i32)' y='zeros(2, i32)' first=9 last=-2000000000 --grid 1
# EXPECT: (y[0] == 0) & (y[1] == 0)
# RUN: hinted x='randn(1024, f32)' y='empty(1024, f32)' n=8 step=128 --grid 1
# EXPECT: y == 2 * x
# RUN: running_sums x='randint(-9, 9, (4, 32, 128), i32).to(f32)' y='empty((3, 32), f32)' n=4 --grid 1 xs='sum(x, 2)'
# EXPECT: all(y[0, :] == sum(xs, 0)) & all(y[1, :] == max(max(x, 2), 0)) & all(y[2, :] == sum(x) + 5)
# RUN: running_sums x='randint(-9, 9, (4, 32, 128), i32).to(f32)' y='empty((3, 32), f32)' n=0 --grid 1
# EXPECT: all(y[0, :] == 0) & all(y[1, :] == -100) & all(y[2, :] == 5)

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@triton.jit
def matmul(a, b, c, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    columns = tl.cdiv(N, TILE_N)
    at_m = tl.program_id(0) // columns * TILE_M + tl.arange(0, TILE_M)
    at_n = tl.program_id(0) % columns * TILE_N + tl.arange(0, TILE_N)
    at_k = tl.arange(0, TILE_K)
    left = a + at_m[:, None] * K + at_k
    right = b + at_k[:, None] * N + at_n
    total = tl.zeros((TILE_M, TILE_N), dtype=c.dtype.element_ty)
    for k in range(0, K, TILE_K):
        x = tl.load(left, (at_m[:, None] < M) & (at_k < K - k), other=0)
        y = tl.load(right, (at_k[:, None] < K - k) & (at_n < N), other=0)
        total = tl.dot(x, y, total)
        left += TILE_K
        right += TILE_K * N
    tl.store(c + at_m[:, None] * N + at_n, total, (at_m[:, None] < M) & (at_n < N))


@triton.jit
def attention(q, k, v, o, n, ROWS: tl.constexpr, KEYS: tl.constexpr, DEPTH: tl.constexpr):
    at_row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at_key = tl.arange(0, KEYS)
    at_depth = tl.arange(0, DEPTH)
    rows = tl.load(q + at_row[:, None] * DEPTH + at_depth)
    best = tl.full([ROWS], -float("inf"), tl.float32)
    weight = tl.zeros([ROWS], tl.float32)
    total = tl.zeros([ROWS, DEPTH], tl.float32)
    for start in range(0, n, KEYS):
        keys = tl.load(k + (start + at_key)[None, :] * DEPTH + at_depth[:, None])
        scores = tl.dot(rows, keys) * 0.125
        newest = tl.maximum(best, tl.max(scores, 1))
        powers = tl.exp(scores - newest[:, None])
        fade = tl.exp(best - newest)
        weight = weight * fade + tl.sum(powers, 1)
        values = tl.load(v + (start + at_key)[:, None] * DEPTH + at_depth)
        total = tl.dot(powers.to(tl.float16), values, total * fade[:, None])
        best = newest
    tl.store(o + at_row[:, None] * DEPTH + at_depth, (total / weight[:, None]).to(tl.float16))


@triton.jit
def masked_depth(a, b, c, K):
    # What the masks leave out is zero, also where a copy past the registers has left it out.
    i = tl.arange(0, 32)
    total = tl.zeros([32, 32], tl.float32)
    for k in range(0, K, 32):
        x = tl.load(a + i[:, None] * 64 + (k + i), (k + i)[None, :] < K)
        y = tl.load(b + (k + i)[:, None] * 32 + i, (k + i)[:, None] < K)
        total = tl.dot(x, y, total)
    tl.store(c + i[:, None] * 32 + i, total)


@triton.jit
def many_sums(a, c, n):
    # More products that run on than an instruction can wait for one by one.
    i = tl.arange(0, 64)
    s0 = tl.zeros([64, 64], tl.float32)
    s1, s2, s3, s4, s5, s6, s7, s8 = s0, s0, s0, s0, s0, s0, s0, s0
    for _ in range(n):
        x = tl.load(a + i[:, None] * 64 + i)
        s0, s1, s2 = tl.dot(x, x, s0), tl.dot(x, x, s1), tl.dot(x, x, s2)
        s3, s4, s5 = tl.dot(x, x, s3), tl.dot(x, x, s4), tl.dot(x, x, s5)
        s6, s7, s8 = tl.dot(x, x, s6), tl.dot(x, x, s7), tl.dot(x, x, s8)
    tl.store(c + i[:, None] * 64 + i, s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8)


@triton.jit
def unrolled(x, y, first, last):
    total = 0
    count = 0
    for i in tl.range(first, last, loop_unroll_factor=4):
        total += tl.load(x + i)
        count += 1
    tl.store(y, total)
    tl.store(y + 1, count)


# Nothing else says that the addresses are aligned.
@triton.jit
def hinted(x, y, n, step):
    p, q = x + tl.arange(0, 128), y + tl.arange(0, 128)
    for _ in tl.range(n, num_stages=3):
        tl.multiple_of(p, [16])
        tl.store(q, 2 * tl.load(p))
        p += step
        q += step


# Threads meet behind the loop.
@triton.jit
def running_sums(x, y, n):
    i = tl.arange(0, 32)
    sums = tl.zeros([32], tl.float32)
    best = tl.full([32], -100.0, tl.float32)
    total = 5.0
    for k in range(n):
        values = tl.load(x + k * 4096 + i[:, None] * 128 + tl.arange(0, 128))
        sums += tl.sum(values, 1)
        best = tl.maximum(best, tl.max(values, 1))
        total += tl.sum(values)
    tl.store(y + i, sums)
    tl.store(y + 32 + i, best)
    tl.store(y + 64 + i, total)


@triton.jit
def two_products(x, y):
    i = tl.arange(0, 32)
    values = tl.load(x + i[:, None] * 32 + i)
    tl.store(y + i[:, None] * 32 + i, tl.dot(values, values) + tl.dot(values, values.trans()))


@triton.jit
def rows_by_index(x, at, w, y, STEPS: tl.constexpr):
    # Addresses of one load come from another.
    i = tl.arange(0, 32)
    j = tl.arange(0, 64)
    right = tl.load(w + j[:, None] * 64 + j)
    total = tl.zeros([32, 64], tl.float32)
    for step in range(STEPS):
        row = tl.load(at + step * 32 + i)
        left = tl.load(x + row[:, None] * 64 + j)
        total = tl.dot(left, right, total)
    tl.store(y + i[:, None] * 64 + j, total)


@triton.jit
def running_sum(x, y):
    i = tl.arange(0, 512)
    total = tl.zeros([512], tl.float32)
    for step in tl.range(8, num_stages=3):
        total += tl.load(x + step * 512 + i)
    tl.store(y + i, total)


@triton.jit
def stores_ahead(x):
    # Each step reads what the one before has stored.
    i = tl.arange(0, 32)
    for step in tl.range(1, 8, num_stages=3):
        tl.store(x + step * 32 + i, tl.load(x + (step - 1) * 32 + i))


@gluon.jit
def softmax_rows(x, layout: gl.constexpr):
    x = gl.convert_layout(x, layout)
    powers = gl.exp(x - gl.expand_dims(gl.max(x, 1), 1))
    return powers / gl.expand_dims(gl.sum(powers, 1), 1)


@triton.jit
def gluon_inside(x, y):
    at = tl.arange(0, 32)[:, None] * 64 + tl.arange(0, 64)
    values = tl.load(x + at)
    layout: tl.constexpr = gl.BlockedLayout([1, 2], [1, 32], [4, 1], [1, 0])
    tl.store(y + at, softmax_rows(values, layout) + values)


@triton.jit
def product_of(a, b, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)[:, None] * SIZE + tl.arange(0, SIZE)
    return tl.dot(tl.load(a + at), tl.load(b + at))


@gluon.jit
def triton_inside(a, b, c):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    total = gl.convert_layout(product_of(a, b, 32), layout)
    gl.store(c + i[:, None] * 32 + j[None, :], total + total)
