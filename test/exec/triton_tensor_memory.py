"""Products of the Triton language in tensor memory."""

# Small integers are exact in every type, whatever the order of the sum.
# RUN: product x='randint(-4, 5, (128, 64), f16)' y='randint(-4, 5, (64, 64), f16)' out='empty((128, 64), f32)' M=128 N=64 K=64 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 32), bf16)' y='randint(-4, 5, (32, 64), bf16)' out='empty((64, 64), f32)' M=64 N=64 K=32 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 16), f16)' y='randint(-4, 5, (16, 8), f16)' out='empty((64, 8), f32)' M=64 N=8 K=16 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 64), f16)' y='randint(-4, 5, (64, 128), f16)' out='empty((64, 128), f32)' M=64 N=128 K=64 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (256, 32), f16)' y='randint(-4, 5, (32, 128), f16)' out='empty((256, 128), f32)' M=256 N=128 K=32 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (128, 32), f16)' y='randint(-4, 5, (32, 256), f16)' out='empty((128, 256), f32)' M=128 N=256 K=32 --num-warps 8 --grid 1 --target cuda:103a
# EXPECT: out == x @ y
# RUN: product x='randint(-9, 10, (128, 64), f32)' y='randint(-9, 10, (64, 64), f32)' out='empty((128, 64), f32)' M=128 N=64 K=64 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-99, 100, (64, 64), i8)' y='randint(-99, 100, (64, 64), i8)' out='empty((64, 64), i32)' M=64 N=64 K=64 --grid 1 --target cuda:100a
# EXPECT: out == x.to(i32) @ y.to(i32)
# RUN: product x='randint(-99, 100, (64, 64), i8)' y='randint(-99, 100, (64, 64), i8)' out='empty((64, 64), i32)' M=64 N=64 K=64 --grid 1 --target cuda:110a
# EXPECT: out == x.to(i32) @ y.to(i32)
# The chip has none of int8.
# RUN: product x='randint(-99, 100, (64, 64), i8)' y='randint(-99, 100, (64, 64), i8)' out='empty((64, 64), i32)' M=64 N=64 K=64 --grid 1 --target cuda:103a
# EXPECT: out == x.to(i32) @ y.to(i32)
# RUN: product x='randint(-4, 5, (128, 128), gl.float8e5)' y='randint(-4, 5, (128, 64), gl.float8e4nv)' out='empty((128, 64), f32)' M=128 N=64 K=128 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (128, 32), f16)' y='randint(-4, 5, (32, 64), f16)' out='empty((128, 64), f16)' M=128 N=64 K=32 T=tl.float16 --grid 1 --target cuda:100a
# EXPECT: out == x @ y
# RUN: product x='randn((128, 32), f32)' y='randn((32, 64), f32)' out='empty((128, 64), f32)' M=128 N=64 K=32 P='"tf32x3"' --grid 1 --target cuda:100a
# EXPECT: allclose(out, x @ y, rtol=1e-5, atol=1e-5)
# RUN: turned x='randint(-4, 5, (64, 128), f16)' y='randint(-4, 5, (64, 64), f16)' out='empty((128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out == x.T @ y.T
# RUN: turned x='randint(-4, 5, (64, 128), gl.float8e5)' y='randint(-4, 5, (64, 64), gl.float8e5)' out='empty((128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out == x.T @ y.T
# RUN: turned x='randint(-4, 5, (64, 128), f32)' y='randint(-4, 5, (64, 64), f32)' out='empty((128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out == x.T @ y.T

# Loops: sums that stay in tensor memory, by any number of iterations.
# RUN: steps x='randint(-4, 5, (128, 200), f16)' y='randint(-4, 5, (200, 96), f16)' out='full((128, 96), 7.0, f32)' K=200 N=96 STEP=32 --grid 2 --target cuda:100a
# EXPECT: out == x @ y
# RUN: steps x='randint(-4, 5, (128, 0), f16)' y='randint(-4, 5, (0, 96), f16)' out='full((128, 96), 7.0, f32)' K=0 N=96 STEP=32 --grid 2 --target cuda:100a
# EXPECT: out == 0
# RUN: steps x='randint(-4, 5, (128, 30), f16)' y='randint(-4, 5, (30, 96), f16)' out='full((128, 96), 7.0, f32)' K=30 N=96 STEP=32 --grid 2 --target cuda:100a
# EXPECT: out == x @ y
# RUN: steps x='randint(-4, 5, (128, 200), f16)' y='randint(-4, 5, (200, 96), f16)' out='full((128, 96), 7.0, f32)' K=200 N=96 STEP=32 --num-stages 1 --num-warps 8 --grid 2 --target cuda:100a
# EXPECT: out == x @ y
# RUN: steps x='randint(-4, 5, (128, 200), f16)' y='randint(-4, 5, (200, 96), f16)' out='full((128, 96), 7.0, f32)' K=200 N=96 STEP=32 --num-stages 2 --grid 2 --target cuda:100a
# EXPECT: out == x @ y
# RUN: steps x='randint(-4, 5, (128, 256), f16)' y='randint(-4, 5, (256, 128), f16)' out='full((128, 128), 7.0, f32)' K=256 N=128 STEP=32 --num-stages 4 --grid 2 --target cuda:100a
# EXPECT: out == x @ y
# RUN: boxes x='randint(-4, 5, (256, 256), f16)' y='randint(-4, 5, (128, 256), f16)' out='full((256, 128), 7.0, f16)' M=256 N=128 K=256 --grid 4 --target cuda:100a
# EXPECT: out == x @ y.T
# RUN: boxes x='randint(-4, 5, (128, 512), f16)' y='randint(-4, 5, (64, 512), f16)' out='full((128, 64), 7.0, f16)' M=128 N=64 K=512 --num-stages 4 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: out == x @ y.T
# RUN: tiles x='randint(-4, 5, (256, 128), f16)' y='randint(-4, 5, (128, 128), f16)' out='full((256, 128), 7.0, f16)' M=256 N=128 K=128 FLATTEN=True --grid 2 --target cuda:100a
# EXPECT: out == x @ y.T
# RUN: tiles x='randint(-4, 5, (256, 128), f16)' y='randint(-4, 5, (128, 128), f16)' out='full((256, 128), 7.0, f16)' M=256 N=128 K=128 FLATTEN=False --grid 2 --target cuda:100a
# EXPECT: out == x @ y.T
# RUN: two_sums x='randint(-4, 5, (128, 128), f16)' y='randint(-4, 5, (128, 64), f16)' z='randint(-4, 5, (128, 64), f16)' out='full((128, 64), 7.0, f32)' K=128 --grid 1 --target cuda:100a
# EXPECT: out == maximum(x @ y, x @ z)
# A sum that each iteration reads.
# RUN: limited x='randint(-4, 5, (64, 64), f16)' y='randint(-4, 5, (64, 16), f16)' out='empty((64, 16), f32)' --grid 1 --target cuda:100a \
#   a='where(x[:, :16] @ y[:16] > 9, 9, x[:, :16] @ y[:16])' b='where(a + x[:, 16:32] @ y[16:32] > 9, 9, a + x[:, 16:32] @ y[16:32])' \
#   c='where(b + x[:, 32:48] @ y[32:48] > 9, 9, b + x[:, 32:48] @ y[32:48])'
# EXPECT: out == where(c + x[:, 48:] @ y[48:] > 9, 9, c + x[:, 48:] @ y[48:])
# RUN: attention q='randn((128, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((128, 64), f32)' length=256 M=128 --grid 1 --target cuda:100a
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention q='randn((64, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((64, 64), f32)' length=256 M=64 --grid 1 --target cuda:100a
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((64, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention q='randn((128, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((128, 64), f32)' length=256 M=128 --num-warps 8 --num-stages 2 --grid 1 --target cuda:100a
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention q='randn((256, 64), f16)' k='randn((192, 64), f16)' v='randn((192, 64), f16)' out='empty((256, 64), f32)' length=192 M=256 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((256, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention_boxes q='randn((128, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((128, 64), f32)' length=256 --grid 1 --target cuda:100a
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: dequantized x='randint(-9, 10, (128, 128), i8)' y='randint(-4, 5, (128, 64), bf16)' out='empty((128, 64), f32)' K=128 --grid 1 --target cuda:100a
# EXPECT: out == x.to(f32) @ y.to(f32)
# Sums that leave no room for more: the last product is mma.sync.
# RUN: crowded x='randint(-4, 5, (128, 64), f16)' y='randint(-4, 5, (64, 256), f16)' out='empty((3, 128, 256), f32)' n=2 --num-warps 8 --grid 1 --target cuda:100a
# EXPECT: all(out[0] == 2 * x.to(f32) @ y.to(f32)) & all(out[1] == -2 * x.to(f32) @ y.to(f32)) & all(out[2] == 4 * x.to(f32) @ y.to(f32))
# In branches, and in a loop without a count.
# RUN: branches x='randint(-4, 5, (128, 64), f16)' y='randint(-4, 5, (64, 64), f16)' out='empty((128, 64), f32)' n=5 --grid 1 --target cuda:100a
# EXPECT: out == 4 * x.to(f32) @ y.to(f32)

import triton
import triton.language as tl


@triton.jit
def places(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def product(x, y, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr = "tf32",
            T: tl.constexpr = None):
    a, b = tl.load(x + places(M, K)), tl.load(y + places(K, N))
    if T is None:
        tl.store(out + places(M, N), tl.dot(a, b, input_precision=P))
    else:
        tl.store(out + places(M, N), tl.dot(a, b, out_dtype=T))


@triton.jit
def turned(x, y, out):
    a, b = tl.load(x + places(64, 128)), tl.load(y + places(64, 64))
    tl.store(out + places(128, 64), tl.dot(a.T, b.T, input_precision="tf32"))


@triton.jit
def steps(x, y, out, K, N, STEP: tl.constexpr):
    m, n, k = tl.arange(0, 128), tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, STEP)
    total = tl.zeros((128, 64), tl.float32)
    for start in range(0, K, STEP):
        at = start + k
        a = tl.load(x + m[:, None] * K + at[None, :], at[None, :] < K, other=0.0)
        b = tl.load(y + at[:, None] * N + n[None, :], (at[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(out + m[:, None] * N + n[None, :], total, n[None, :] < N)


@triton.jit
def boxes(x, y, out, M, N, K):
    a = tl.make_tensor_descriptor(x, [M, K], [K, 1], [128, 64])
    b = tl.make_tensor_descriptor(y, [N, K], [K, 1], [64, 64])
    c = tl.make_tensor_descriptor(out, [M, N], [N, 1], [128, 64])
    down = tl.cdiv(M, 128)
    m, n = tl.program_id(0) % down * 128, tl.program_id(0) // down * 64
    total = tl.zeros((128, 64), tl.float32)
    for k in range(0, K, 64):
        total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
    c.store([m, n], total.to(tl.float16))


@triton.jit
def tiles(x, y, out, M, N, K, FLATTEN: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [M, K], [K, 1], [128, 64])
    b = tl.make_tensor_descriptor(y, [N, K], [K, 1], [64, 64])
    c = tl.make_tensor_descriptor(out, [M, N], [N, 1], [128, 64])
    down = tl.cdiv(M, 128)
    for tile in tl.range(tl.program_id(0), down * tl.cdiv(N, 64), tl.num_programs(0), flatten=FLATTEN):
        m, n = tile % down * 128, tile // down * 64
        total = tl.zeros((128, 64), tl.float32)
        for k in range(0, K, 64):
            total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
        c.store([m, n], total.to(tl.float16))


@triton.jit
def two_sums(x, y, z, out, K: tl.constexpr):
    m, n, k = tl.arange(0, 128)[:, None], tl.arange(0, 64)[None, :], tl.arange(0, 32)
    first, second = tl.zeros((128, 64), tl.float32), tl.zeros((128, 64), tl.float32)
    for start in range(0, K, 32):
        a = tl.load(x + m * K + start + k[None, :])
        first = tl.dot(a, tl.load(y + (start + k)[:, None] * 64 + n), first)
        second = tl.dot(a, tl.load(z + (start + k)[:, None] * 64 + n), second)
    tl.store(out + m * 64 + n, tl.maximum(first, second))


@triton.jit
def limited(x, y, out):
    sums = tl.zeros([64, 16], tl.float32)
    for k in tl.range(0, 64, 16):
        a = tl.load(x + tl.arange(0, 64)[:, None] * 64 + k + tl.arange(0, 16))
        b = tl.load(y + (k + tl.arange(0, 16))[:, None] * 16 + tl.arange(0, 16))
        sums = tl.dot(a, b, sums)
        sums = tl.where(sums > 9, 9, sums)
    tl.store(out + places(64, 16), sums)


@triton.jit
def attention(q, k, v, out, length, M: tl.constexpr):
    rows = tl.load(q + places(M, 64))
    best = tl.full([M], -float("inf"), tl.float32)
    weight = tl.zeros([M], tl.float32)
    total = tl.zeros([M, 64], tl.float32)
    for start in range(0, length, 64):
        keys, values = tl.load(k + start * 64 + places(64, 64)), tl.load(v + start * 64 + places(64, 64))
        scores = tl.dot(rows, keys.T)
        newest = tl.maximum(best, tl.max(scores, 1))
        powers, fade = tl.exp(scores - newest[:, None]), tl.exp(best - newest)
        weight = weight * fade + tl.sum(powers, 1)
        total = tl.dot(powers.to(tl.float16), values, total * fade[:, None])
        best = newest
    tl.store(out + places(M, 64), total / weight[:, None])


@triton.jit
def attention_boxes(q, k, v, out, length):
    rows = tl.make_tensor_descriptor(q, [128, 64], [64, 1], [128, 64]).load([0, 0])
    keys = tl.make_tensor_descriptor(k, [length, 64], [64, 1], [64, 64])
    values = tl.make_tensor_descriptor(v, [length, 64], [64, 1], [64, 64])
    best = tl.full([128], -float("inf"), tl.float32)
    weight = tl.zeros([128], tl.float32)
    total = tl.zeros([128, 64], tl.float32)
    for start in range(0, length, 64):
        scores = tl.dot(rows, keys.load([start, 0]).T)
        newest = tl.maximum(best, tl.max(scores, 1))
        powers, fade = tl.exp(scores - newest[:, None]), tl.exp(best - newest)
        weight = weight * fade + tl.sum(powers, 1)
        total = total * fade[:, None]
        total = tl.dot(powers.to(tl.float16), values.load([start, 0]), total)
        best = newest
    tl.store(out + places(128, 64), total / weight[:, None])


@triton.jit
def dequantized(x, y, out, K: tl.constexpr):
    m, n, k = tl.arange(0, 128)[:, None], tl.arange(0, 64)[None, :], tl.arange(0, 64)
    total = tl.zeros((128, 64), tl.float32)
    for start in range(0, K, 64):
        a = tl.load(x + m * K + start + k[None, :]).to(tl.bfloat16)
        total = tl.dot(a, tl.load(y + (start + k)[:, None] * 64 + n), total)
    tl.store(out + m * 64 + n, total)


@triton.jit
def crowded(x, y, out, n):
    a, b = tl.load(x + places(128, 64)), tl.load(y + places(64, 256))
    first, second = tl.zeros((128, 256), tl.float32), tl.zeros((128, 256), tl.float32)
    third = tl.zeros((128, 256), tl.float32)
    for _ in range(n):
        first, second, third = tl.dot(a, b, first), tl.dot(-a, b, second), tl.dot(a + a, b, third)
    tl.store(out + places(128, 256), first)
    tl.store(out + 128 * 256 + places(128, 256), second)
    tl.store(out + 2 * 128 * 256 + places(128, 256), third)


@triton.jit
def branches(x, y, out, n):
    a, b = tl.load(x + places(128, 64)), tl.load(y + places(64, 64))
    total = tl.zeros((128, 64), tl.float32)
    for i in range(n):
        if i % 2 == 0:
            total = tl.dot(a, b, total)
    while n > 4:
        total += tl.dot(a, b)
        n -= 1
    tl.store(out + places(128, 64), total)
