"""Products of the Triton language, in whatever instruction the chip has for them."""

# Small integers are exact in every type, whatever the order of the sum.
# RUN: product x='randint(-4, 5, (64, 64), f16)' y='randint(-4, 5, (64, 64), f16)' out='empty((64, 64), f32)' M=64 N=64 K=64 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (128, 32), bf16)' y='randint(-4, 5, (32, 64), bf16)' out='empty((128, 64), f32)' M=128 N=64 K=32 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (16, 16), f16)' y='randint(-4, 5, (16, 16), f16)' out='empty((16, 16), f32)' M=16 N=16 K=16 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (128, 16), f16)' y='randint(-4, 5, (16, 32), f16)' out='empty((128, 32), f32)' M=128 N=32 K=16 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (16, 64), bf16)' y='randint(-4, 5, (64, 128), bf16)' out='empty((16, 128), f32)' M=16 N=128 K=64 --num-warps 8 --grid 1
# EXPECT: out == x @ y
# Too few rows or columns for an instruction of most chips.
# RUN: product x='randint(-4, 5, (8, 32), f16)' y='randint(-4, 5, (32, 16), f16)' out='empty((8, 16), f32)' M=8 N=16 K=32 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (32, 32), f16)' y='randint(-4, 5, (32, 8), f16)' out='empty((32, 8), f32)' M=32 N=8 K=32 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-9, 10, (64, 64), f32)' y='randint(-9, 10, (64, 64), f32)' out='empty((64, 64), f32)' M=64 N=64 K=64 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-9, 10, (32, 32), f32)' y='randint(-9, 10, (32, 16), f32)' out='empty((32, 16), f32)' M=32 N=16 K=32 P='"tf32"' --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-9, 10, (32, 32), f32)' y='randint(-9, 10, (32, 32), f32)' out='empty((32, 32), f32)' M=32 N=32 K=32 P='"tf32x3"' --grid 1
# EXPECT: out == x @ y
# RUN: product x='randn((64, 32), f32)' y='randn((32, 64), f32)' out='empty((64, 64), f32)' M=64 N=64 K=32 --grid 1
# EXPECT: allclose(out, x @ y, rtol=1e-5, atol=1e-5)
# RUN: product x='randn((32, 32), f32)' y='randn((32, 32), f32)' out='empty((32, 32), f32)' M=32 N=32 K=32 P='"bf16x6"' --grid 1
# EXPECT: allclose(out, x @ y, rtol=1e-5, atol=1e-5)
# RUN: product x='randn((32, 16), f64)' y='randn((16, 32), f64)' out='empty((32, 32), f64)' M=32 N=32 K=16 --grid 1
# EXPECT: allclose(out, x @ y)
# RUN: product x='randint(-99, 100, (64, 64), i8)' y='randint(-99, 100, (64, 64), i8)' out='empty((64, 64), i32)' M=64 N=64 K=64 --grid 1
# EXPECT: out == x.to(i32) @ y.to(i32)
# RUN: product x='randint(-99, 100, (32, 32), i8)' y='randint(-99, 100, (32, 128), i8)' out='empty((32, 128), i32)' M=32 N=128 K=32 --grid 1
# EXPECT: out == x.to(i32) @ y.to(i32)
# RUN: product x='randint(-4, 5, (64, 64), gl.float8e5)' y='randint(-4, 5, (64, 64), gl.float8e5)' out='empty((64, 64), f32)' M=64 N=64 K=64 --grid 1
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 128), gl.float8e5)' y='randint(-4, 5, (128, 32), gl.float8e4nv)' out='empty((64, 32), f32)' M=64 N=32 K=128 --grid 1 --target cuda:90a
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 128), gl.float8e5)' y='randint(-4, 5, (128, 32), gl.float8e4nv)' out='empty((64, 32), f32)' M=64 N=32 K=128 --grid 1 --target hip:gfx942
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 128), gl.float8e4b8)' y='randint(-4, 5, (128, 32), gl.float8e5b16)' out='empty((64, 32), f32)' M=64 N=32 K=128 --grid 1 --target hip:gfx942
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (64, 128), gl.float8e5)' y='randint(-4, 5, (128, 32), gl.float8e4nv)' out='empty((64, 32), f32)' M=64 N=32 K=128 --grid 1 --target hip:gfx950
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (32, 32), gl.float8e4nv)' y='randint(-4, 5, (32, 32), gl.float8e5)' out='empty((32, 32), f32)' M=32 N=32 K=32 --grid 1 --target hip:gfx1200
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (32, 128), gl.float8e4nv)' y='randint(-4, 5, (128, 32), gl.float8e5)' out='empty((32, 32), f32)' M=32 N=32 K=128 --grid 1 --target hip:gfx1250
# EXPECT: out == x @ y
# Less of K than an instruction sums over.
# RUN: product x='randint(-4, 5, (32, 16), gl.float8e4nv)' y='randint(-4, 5, (16, 32), gl.float8e4nv)' out='empty((32, 32), f32)' M=32 N=32 K=16 --grid 1 --target hip:gfx1250
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (32, 32), gl.float8e4nv)' y='randint(-4, 5, (32, 32), gl.float8e4nv)' out='empty((32, 32), f32)' M=32 N=32 K=32 --grid 1 --target hip:gfx1250
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (32, 8), f16)' y='randint(-4, 5, (8, 32), f16)' out='empty((32, 32), f32)' M=32 N=32 K=8 --grid 1 --target hip:gfx950
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (32, 4), f16)' y='randint(-4, 5, (4, 32), f16)' out='empty((32, 32), f32)' M=32 N=32 K=4 --grid 1 --target hip:gfx942
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (16, 2), f32)' y='randint(-4, 5, (2, 16), f32)' out='empty((16, 16), f32)' M=16 N=16 K=2 --grid 1 --target hip:gfx942
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (16, 2), f32)' y='randint(-4, 5, (2, 16), f32)' out='empty((16, 16), f32)' M=16 N=16 K=2 --grid 1 --target hip:gfx1250
# EXPECT: out == x @ y
# RUN: product x='randint(-4, 5, (16, 1), f16)' y='randint(-4, 5, (1, 16), f16)' out='empty((16, 16), f32)' M=16 N=16 K=1 --grid 1 --target hip:gfx1100
# EXPECT: out == x @ y

# Sums of 16 bits, which some chips round at the end only.
# RUN: short_sum x='randint(-4, 5, (32, 64), f16)' y='randint(-4, 5, (64, 32), f16)' z='randint(-9, 10, (32, 32), f16)' out='empty((32, 32), f16)' --grid 1
# EXPECT: out == x @ y + z
# RUN: transposed x='randint(-4, 5, (32, 64), f16)' y='randint(-4, 5, (32, 64), f16)' out='empty((32, 32), f32)' --grid 1
# EXPECT: out == x @ y.T
# RUN: widened x='randint(-9, 10, (32, 64), i8)' y='randint(-4, 5, (64, 32), f16)' out='empty((32, 32), f32)' --grid 1
# EXPECT: out == x.to(f32) @ y.to(f32)
# RUN: steps x='randint(-4, 5, (64, 200), f16)' y='randint(-4, 5, (200, 96), f16)' out='full((64, 96), 7.0, f32)' K=200 N=96 STEP=32 --grid 2
# EXPECT: out == x @ y
# RUN: steps x='randint(-9, 10, (64, 200), f32)' y='randint(-9, 10, (200, 96), f32)' out='full((64, 96), 7.0, f32)' K=200 N=96 STEP=16 --grid 2
# EXPECT: out == x @ y
# RUN: chained x='randint(-2, 3, (64, 32), f16)' y='randint(-2, 3, (32, 64), f16)' z='randint(-2, 3, (64, 32), f16)' out='empty((64, 32), f32)' M=64 --grid 1
# EXPECT: out == (x @ y) @ z
# RUN: chained x='randint(-2, 3, (16, 32), bf16)' y='randint(-1, 2, (32, 64), bf16)' z='randint(-2, 3, (64, 32), bf16)' out='empty((16, 32), f32)' M=16 --grid 1
# EXPECT: out == (x @ y) @ z
# RUN: chained x='randint(-2, 3, (128, 32), f32)' y='randint(-2, 3, (32, 64), f32)' z='randint(-2, 3, (64, 32), f32)' out='empty((128, 32), f32)' M=128 --grid 1
# EXPECT: out == (x @ y) @ z
# The first product is the right operand of the second.
# RUN: chained_right x='randint(-2, 3, (64, 32), f16)' y='randint(-2, 3, (32, 64), f16)' z='randint(-2, 3, (32, 64), f16)' out='empty((32, 64), f32)' --grid 1
# EXPECT: out == z @ (x @ y)
# RUN: attention q='randn((64, 32), f16)' k='randn((128, 32), f16)' v='randn((128, 32), f16)' out='empty((64, 32), f32)' length=128 --grid 1
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T) / sum(exp(q.to(f32) @ k.to(f32).T), 1).reshape((64, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: batches x='randint(-4, 5, (4, 32, 32), f16)' y='randint(-4, 5, (4, 32, 64), f16)' out='empty((4, 32, 64), f32)' B=4 M=32 N=64 K=32 --grid 1
# EXPECT: all(out[0, :, :] == x[0, :, :] @ y[0, :, :]) & all(out[3, :, :] == x[3, :, :] @ y[3, :, :])
# RUN: batches x='randint(-4, 5, (2, 64, 32), i8)' y='randint(-4, 5, (2, 32, 32), i8)' out='empty((2, 64, 32), i32)' B=2 M=64 N=32 K=32 --num-warps 8 --grid 1
# EXPECT: all(out[0, :, :] == x[0, :, :] @ y[0, :, :]) & all(out[1, :, :] == x[1, :, :] @ y[1, :, :])
# RUN: batches x='randint(-4, 5, (8, 16, 16), f32)' y='randint(-4, 5, (8, 16, 16), f32)' out='empty((8, 16, 16), f32)' B=8 M=16 N=16 K=16 --grid 1
# EXPECT: all(out[0, :, :] == x[0, :, :] @ y[0, :, :]) & all(out[7, :, :] == x[7, :, :] @ y[7, :, :])
# A loop that runs four times, and changes its sums otherwise than by products: it must not be unrolled by ptxas.
# RUN: two_in_registers x='randint(-4, 5, (128, 64), f16)' y='randint(-4, 5, (2, 64, 64), f16)' z='randint(-4, 5, (2, 64, 64), f16)' \
#   out='empty((128, 64), f32)' n=2 FACTOR=2 --grid 1
# EXPECT: out == maximum(2 * x.to(f32) @ y[0].to(f32).T, -99.0) @ z[0].to(f32) + maximum(2 * x.to(f32) @ y[1].to(f32).T, -99.0) @ z[1].to(f32)
# RUN: limited x='randint(-4, 5, (64, 64), f16)' y='randint(-4, 5, (64, 16), f16)' out='empty((64, 16), f32)' --grid 1 \
#   a='where(x[:, :16] @ y[:16] > 9, 9, x[:, :16] @ y[:16])' b='where(a + x[:, 16:32] @ y[16:32] > 9, 9, a + x[:, 16:32] @ y[16:32])' \
#   c='where(b + x[:, 32:48] @ y[32:48] > 9, 9, b + x[:, 32:48] @ y[32:48])'
# EXPECT: out == where(c + x[:, 48:] @ y[48:] > 9, 9, c + x[:, 48:] @ y[48:])

import triton
import triton.language as tl


@triton.jit
def places(M: tl.constexpr, N: tl.constexpr):
    return tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]


@triton.jit
def product(x, y, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, P: tl.constexpr = "ieee"):
    a, b = tl.load(x + places(M, K)), tl.load(y + places(K, N))
    tl.store(out + places(M, N), tl.dot(a, b, input_precision=P))


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
def short_sum(x, y, z, out):
    a, b, c = tl.load(x + places(32, 64)), tl.load(y + places(64, 32)), tl.load(z + places(32, 32))
    tl.store(out + places(32, 32), tl.dot(a, b, c, out_dtype=tl.float16))


@triton.jit
def transposed(x, y, out):
    a, b = tl.load(x + places(32, 64)), tl.load(y + places(32, 64))
    tl.store(out + places(32, 32), tl.dot(a, b.T))


@triton.jit
def widened(x, y, out):
    a, b = tl.load(x + places(32, 64)).to(tl.float16), tl.load(y + places(64, 32))
    tl.store(out + places(32, 32), tl.dot(a, b))


@triton.jit
def steps(x, y, out, K, N, STEP: tl.constexpr):
    m, n, k = tl.arange(0, 64), tl.program_id(0) * 64 + tl.arange(0, 64), tl.arange(0, STEP)
    total = tl.zeros((64, 64), tl.float32)
    for start in range(0, K, STEP):
        at = start + k
        a = tl.load(x + m[:, None] * K + at[None, :], at[None, :] < K, other=0.0)
        b = tl.load(y + at[:, None] * N + n[None, :], (at[:, None] < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    tl.store(out + m[:, None] * N + n[None, :], total, n[None, :] < N)


@triton.jit
def chained(x, y, z, out, M: tl.constexpr):
    a, b, c = tl.load(x + places(M, 32)), tl.load(y + places(32, 64)), tl.load(z + places(64, 32))
    first = tl.dot(a, b, input_precision="ieee").to(a.dtype)
    tl.store(out + places(M, 32), tl.dot(first, c, input_precision="ieee"))


@triton.jit
def chained_right(x, y, z, out):
    a, b, c = tl.load(x + places(64, 32)), tl.load(y + places(32, 64)), tl.load(z + places(32, 64))
    tl.store(out + places(32, 64), tl.dot(c, tl.dot(a, b).to(tl.float16)))


@triton.jit
def attention(q, k, v, out, length):
    rows = tl.load(q + places(64, 32))
    best = tl.full([64], -float("inf"), tl.float32)
    weight = tl.zeros([64], tl.float32)
    total = tl.zeros([64, 32], tl.float32)
    for start in range(0, length, 64):
        keys, values = tl.load(k + start * 32 + places(64, 32)), tl.load(v + start * 32 + places(64, 32))
        scores = tl.dot(rows, keys.T)
        newest = tl.maximum(best, tl.max(scores, 1))
        powers, fade = tl.exp(scores - newest[:, None]), tl.exp(best - newest)
        weight = weight * fade + tl.sum(powers, 1)
        total = tl.dot(powers.to(tl.float16), values, total * fade[:, None])
        best = newest
    tl.store(out + places(64, 32), total / weight[:, None])


@triton.jit
def batches(x, y, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    a, b = tl.load(x + batch * M * K + places(M, K)[None]), tl.load(y + batch * K * N + places(K, N)[None])
    tl.store(out + batch * M * N + places(M, N)[None], tl.dot(a, b, input_precision="ieee"))


@triton.jit
def two_in_registers(x, y, z, out, n, FACTOR: tl.constexpr):
    # The left operands of both products of the loop are in registers, unless FACTOR is 1.
    square = tl.arange(0, 128)[:, None] * 64 + tl.arange(0, 64)
    left = tl.load(x + square) * FACTOR
    y_blocks = tl.make_tensor_descriptor(y, [n * 64, 64], [64, 1], [64, 64])
    z_blocks = tl.make_tensor_descriptor(z, [n * 64, 64], [64, 1], [64, 64])
    sums = tl.zeros((128, 64), tl.float32)
    for i in range(0, n * 64, 64):
        weights = tl.maximum(tl.dot(left, y_blocks.load([i, 0]).T), -99.0)
        sums = tl.dot(weights.to(tl.float16), z_blocks.load([i, 0]), sums)
    tl.store(out + square, sums)
