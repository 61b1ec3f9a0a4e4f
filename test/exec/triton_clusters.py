"""Kernels of the Triton language whose programs are clusters: CTAs share what products compute."""

# RUN: scale x='randn(2048, f32)' y='empty(2048, f32)' N=1024 --grid 2 --num-ctas 2
# EXPECT: y == 2 * x
# RUN: scale x='randn(64, f32)' y='empty(64, f32)' N=64 --num-ctas 4
# EXPECT: y == 2 * x
# RUN: softmax x='randn((64, 32), f32)' out='empty((64, 32), f32)' M=64 N=32 --num-ctas 2
# EXPECT: allclose(out, exp(x - max(x, 1)[:, None]) / sum(exp(x - max(x, 1)[:, None]), 1)[:, None] + sum(x, 0)[None, :], 1e-4, 1e-4)
# RUN: softmax x='randn((2, 256), f32)' out='empty((2, 256), f32)' M=2 N=256 --num-ctas 4
# EXPECT: allclose(out, exp(x - max(x, 1)[:, None]) / sum(exp(x - max(x, 1)[:, None]), 1)[:, None] + sum(x, 0)[None, :], 1e-4, 1e-4)
# RUN: matmul a='randint(-4, 5, (256, 128), f16)' b='randint(-4, 5, (128, 128), f16)' c='empty((256, 128), f32)' \
#   m=256 n=128 k=128 sam=128 sak=1 sbk=128 sbn=1 BM=128 BN=128 BK=32 --grid 2,1 --num-ctas 2
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 256), f16)' c='empty((128, 256), f32)' \
#   m=128 n=256 k=128 sam=128 sak=1 sbk=256 sbn=1 BM=128 BN=256 BK=64 --num-ctas 4 --num-warps 8
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (256, 64), f16)' c='empty((64, 256), f16)' \
#   m=64 n=256 k=64 sam=64 sak=1 sbk=1 sbn=64 BM=64 BN=256 BK=32 --num-ctas 2
# EXPECT: c == matmul(a, b.T).to(f16)
# RUN: matmul a='randint(-4, 5, (64, 128), bf16)' b='randint(-4, 5, (64, 128), bf16)' c='empty((128, 128), f32)' \
#   m=128 n=128 k=64 sam=1 sak=128 sbk=128 sbn=1 BM=128 BN=128 BK=32 --num-ctas 2
# EXPECT: c == matmul(a.T, b)
# RUN: matmul a='randint(-4, 5, (32, 64), f16)' b='randint(-4, 5, (64, 32), f16)' c='empty((32, 32), f32)' \
#   m=32 n=32 k=64 sam=64 sak=1 sbk=32 sbn=1 BM=32 BN=32 BK=32 --num-ctas 4
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (16, 32), f16)' b='randint(-4, 5, (32, 8), f16)' c='empty((16, 8), f32)' \
#   m=16 n=8 k=32 sam=32 sak=1 sbk=8 sbn=1 BM=16 BN=8 BK=16 --num-ctas 4
# EXPECT: c == matmul(a, b)
# One operand is the other one scaled: each CTA computes its rows, and needs all.
# RUN: square_scaled x='randint(-4, 5, (128, 32), bf16)' w='randint(-2, 3, 128, bf16)' y='empty((128, 128), f32)' --num-ctas 2 --target cuda:90a
# EXPECT: y == matmul(x.to(f32), (x * w[:, None]).to(f32).T)
# RUN: square_scaled x='randint(-4, 5, (128, 32), bf16)' w='randint(-2, 3, 128, bf16)' y='empty((128, 128), f32)' --num-ctas 2 --target cuda:100a
# EXPECT: y == matmul(x.to(f32), (x * w[:, None]).to(f32).T)
# Both operands come from one load.
# RUN: square x='randint(-4, 5, (128, 96), bf16)' y='empty((128, 128), f32)' --num-ctas 2 --target cuda:90a
# EXPECT: y == matmul(x.to(f32), x.to(f32).T)
# RUN: square x='randint(-4, 5, (128, 96), f16)' y='empty((128, 128), f32)' --num-ctas 4 --target cuda:100a
# EXPECT: y == matmul(x.to(f32), x.to(f32).T)
# RUN: matmul a='randint(-4, 5, (128, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((128, 64), f32)' \
#   m=128 n=64 k=64 sam=64 sak=1 sbk=64 sbn=1 BM=128 BN=64 BK=32 --num-ctas 2
# EXPECT: c == matmul(a, b)
# RUN: matmul a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((128, 64), f32)' \
#   m=128 n=64 k=64 sam=64 sak=1 sbk=64 sbn=1 BM=128 BN=64 BK=32 --num-ctas 2 --target cuda:100a
# EXPECT: c == matmul(a, b)
# RUN: attention q='randint(-2, 3, (128, 64), f16)' k='randint(-2, 3, (128, 64), f16)' v='randn((128, 64), f16)' \
#   s='exp2(matmul(q, k.T) * 0.0625)' out='empty((128, 64), f32)' n=128 M=128 N=64 D=64 --num-ctas 2
# EXPECT: allclose(out, matmul(s, v) / sum(s, 1)[:, None], 1e-2, 1e-2)
# RUN: batches a='randint(-4, 5, (2, 32, 32), f16)' b='randint(-4, 5, (2, 32, 32), f16)' c='empty((2, 32, 32), f32)' \
#   G=2 M=32 --num-ctas 2
# EXPECT: all(c[0, :, :] == matmul(a[0, :, :], b[0, :, :])) & all(c[1, :, :] == matmul(a[1, :, :], b[1, :, :]))
# RUN: epilogue a='randint(-4, 5, (128, 64), f16)' b='randint(-4, 5, (64, 64), f16)' bias='randint(-4, 5, 64, f32)' \
#   c='zeros((128, 64), f32)' counts='zeros(192, f32)' s='matmul(a, b) + bias[None, :]' M=128 N=64 --num-ctas 2
# EXPECT: all(c == s) & all(counts[0:128] == sum(s, 1)) & (counts[191] == sum(s))

import triton
import triton.language as tl


@triton.jit
def square(x, y):
    sums = tl.zeros([128, 128], tl.float32)
    row = tl.arange(0, 128)
    for k in range(0, 96, 32):
        part = tl.load(x + row[:, None] * 96 + k + tl.arange(0, 32)[None, :])
        sums = tl.dot(part, part.T, sums)
    tl.store(y + row[:, None] * 128 + row[None, :], sums)


@triton.jit
def scale(x, y, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y + at, tl.load(x + at) * 2)


@triton.jit
def softmax(x, out, M: tl.constexpr, N: tl.constexpr):
    """Rows, and columns, of one CTA and of several."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    p = tl.exp(v - tl.max(v, 1)[:, None])
    tl.store(out + at, p / tl.sum(p, 1)[:, None] + tl.sum(v, 0)[None, :])


@triton.jit
def matmul(a, b, c, m, n, k, sam, sak, sbk, sbn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    pa = a + rows[:, None] * sam + depth[None, :] * sak
    pb = b + depth[:, None] * sbk + columns[None, :] * sbn
    total = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, k, BK):
        total = tl.dot(tl.load(pa), tl.load(pb), total)
        pa += BK * sak
        pb += BK * sbk
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, out, n, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Products of products: CTAs have rows of both."""
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + depth[None, :])
    total = tl.zeros([M, D], tl.float32)
    weight = tl.zeros([M], tl.float32)
    for start in range(0, n, N):
        key = tl.load(k + (start + columns)[None, :] * D + depth[:, None])
        p = tl.exp2(tl.dot(query, key) * 0.0625)
        value = tl.load(v + (start + columns)[:, None] * D + depth[None, :])
        total = tl.dot(p.to(value.dtype), value, total)
        weight += tl.sum(p, 1)
    tl.store(out + rows[:, None] * D + depth[None, :], total / weight[:, None])


@triton.jit
def batches(a, b, c, G: tl.constexpr, M: tl.constexpr):
    at = (tl.arange(0, G)[:, None, None] * M * M + tl.arange(0, M)[None, :, None] * M +
          tl.arange(0, M)[None, None, :])
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def epilogue(a, b, bias, c, counts, M: tl.constexpr, N: tl.constexpr):
    """Of a sum: columns that are added, what rows add up to, and sums by atomics."""
    i, j = tl.arange(0, M), tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    product = tl.dot(tl.load(a + i[:, None] * N + j[None, :]), tl.load(b + j[:, None] * N + j[None, :]))
    product += tl.load(bias + j)[None, :]
    tl.atomic_add(c + at, product)
    tl.atomic_add(counts + i, tl.sum(product, 1))
    tl.atomic_add(counts + M + j, tl.cumsum(tl.sum(product, 0), 0))


@triton.jit
def square_scaled(x, w, y):
    i = tl.arange(0, 128)
    total = tl.zeros([128, 128], tl.float32)
    for k in range(0, 32, 16):
        rows = tl.load(x + i[:, None] * 32 + k + tl.arange(0, 16)[None, :])
        total = tl.dot(rows, (rows * tl.load(w + i)[:, None]).T, total)
    tl.store(y + i[:, None] * 128 + i[None, :], total)
