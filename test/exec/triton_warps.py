"""Loops whose copies a warp of its own starts: `tl.range(warp_specialize=True)` on Hopper."""

# RUN: product a='randint(-4, 5, (256, 160), f16)' b='randint(-4, 5, (128, 160), f16)' c='empty((256, 128), f16)' M=256 N=128 K=160 TILE_M=128 TILE_N=64 STAGES=3 --grid '(2, 2)'
# EXPECT: c == a @ b.T
# RUN: product a='randint(-4, 5, (256, 160), f16)' b='randint(-4, 5, (128, 160), f16)' c='empty((256, 128), f16)' M=256 N=128 K=160 TILE_M=128 TILE_N=64 STAGES=2 --grid '(2, 2)' --num-warps 8
# EXPECT: c == a @ b.T
# RUN: product a='randint(-4, 5, (256, 320), f16)' b='randint(-4, 5, (128, 320), f16)' c='empty((256, 128), f16)' M=256 N=128 K=320 TILE_M=128 TILE_N=128 STAGES=4 --grid '(2, 1)' --num-warps 8
# EXPECT: c == a @ b.T
# RUN: product a='randint(-4, 5, (128, 160), f16)' b='randint(-4, 5, (64, 160), f16)' c='full((128, 64), 7, f16)' M=128 N=64 K=0 TILE_M=128 TILE_N=64 STAGES=3 --grid 1
# EXPECT: c == 0
# RUN: product a='randint(-4, 5, (128, 32), f16)' b='randint(-4, 5, (64, 32), f16)' c='empty((128, 64), f16)' M=128 N=64 K=32 TILE_M=128 TILE_N=64 STAGES=3 --grid 1 --num-warps 8
# EXPECT: c == a @ b.T
# RUN: product a='randint(-4, 5, (256, 160), f16)' b='randint(-4, 5, (128, 160), f16)' c='empty((256, 128), f16)' M=256 N=128 K=160 TILE_M=128 TILE_N=64 STAGES=3 --grid '(2, 2)' --target cuda:80
# EXPECT: c == a @ b.T
# RUN: attention q='randn((128, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((128, 64), f32)' first=128 length=256 STAGES=2 --grid 1
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T / 8) / sum(exp(q.to(f32) @ k.to(f32).T / 8), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention q='randn((128, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((128, 64), f32)' first=192 length=256 STAGES=3 --grid 1 --num-warps 8
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T / 8) / sum(exp(q.to(f32) @ k.to(f32).T / 8), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention q='randn((128, 64), f16)' k='randn((256, 64), f16)' v='randn((256, 64), f16)' out='empty((128, 64), f32)' first=0 length=256 STAGES=3 --grid 1 --num-warps 8
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T / 8) / sum(exp(q.to(f32) @ k.to(f32).T / 8), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: attention q='randn((128, 64), f16)' k='randn((64, 64), f16)' v='randn((64, 64), f16)' out='empty((128, 64), f32)' first=64 length=64 STAGES=3 --grid 1 --num-warps 8
# EXPECT: allclose(out, (exp(q.to(f32) @ k.to(f32).T / 8) / sum(exp(q.to(f32) @ k.to(f32).T / 8), 1).reshape((128, 1))) @ v.to(f32), rtol=1e-2, atol=1e-2)
# RUN: persistent a='randint(-4, 5, (384, 160), f16)' b='randint(-4, 5, (192, 160), f16)' c='empty((384, 192), f16)' M=384 N=192 K=160 PROGRAMS=2 FLAT=True --grid 2
# EXPECT: c == a @ b.T
# RUN: persistent a='randint(-4, 5, (384, 160), f16)' b='randint(-4, 5, (192, 160), f16)' c='empty((384, 192), f16)' M=384 N=192 K=160 PROGRAMS=2 FLAT=False --grid 2 --num-warps 8
# EXPECT: c == a @ b.T
# RUN: persistent a='randint(-4, 5, (384, 32), f16)' b='randint(-4, 5, (192, 32), f16)' c='empty((384, 192), f16)' M=384 N=192 K=32 PROGRAMS=4 FLAT=False --grid 4
# EXPECT: c == a @ b.T
# RUN: persistent a='randint(-4, 5, (384, 160), f16)' b='randint(-4, 5, (192, 160), f16)' c='empty((384, 192), f16)' M=384 N=192 K=0 PROGRAMS=2 FLAT=False --grid 2
# EXPECT: c == 0
# RUN: persistent a='randint(-4, 5, (128, 160), f16)' b='randint(-4, 5, (64, 160), f16)' c='empty((128, 64), f16)' M=128 N=64 K=160 PROGRAMS=3 FLAT=False --grid 3
# EXPECT: c == a @ b.T
# RUN: persistent a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (512, 192), f16)' c='empty((256, 512), f16)' M=256 N=512 K=192 PROGRAMS=1 FLAT=True TILE_N=256 DEPTH=64 --grid 1 --num-warps 8 --num-stages 4
# EXPECT: c == a @ b.T
# RUN: persistent a='randint(-4, 5, (256, 192), f16)' b='randint(-4, 5, (512, 192), f16)' c='empty((256, 512), f16)' M=256 N=512 K=192 PROGRAMS=1 FLAT=False TILE_N=256 DEPTH=64 --grid 1 --num-warps 8 --num-stages 4
# EXPECT: c == a @ b.T
# RUN: conditional x='randint(-9, 9, (64, 512), i32)' table='(arange(8, i32) * 3) % 5' out='empty(64, i32)' count=8 --grid 1
# EXPECT: out == 2 * sum(x[:, 0:128], 1) + sum(x[:, 128:320], 1) + sum(x[:, 192:256], 1)
# RUN: conditional x='randint(-9, 9, (64, 512), i32)' table='(arange(8, i32) * 3) % 5' out='empty(64, i32)' count=-8 --grid 1
# EXPECT: out == -1
# RUN: branch a='randint(-4, 5, (64, 128), f16)' b='randint(-4, 5, (64, 128), f16)' c='empty((2, 64, 64), f32)' --grid 2
# EXPECT: (c[0] == a.to(f32) @ b.to(f32).T) & (c[1] == a.to(f32) @ b.to(f32).T * 2)
# RUN: used_twice a='randint(-4, 5, (128, 256), f32)' b='randint(-4, 5, (64, 256), f32)' c='zeros((128, 64), f32)' sums='zeros(128, f32)' rows=128 first=0 steps=8 --grid 1
# EXPECT: all(c == a @ b.T) & all(sums == 3 * sum(a, 1))
# RUN: used_twice a='randint(-4, 5, (128, 256), f32)' b='randint(-4, 5, (64, 256), f32)' c='zeros((128, 64), f32)' sums='zeros(128, f32)' rows=128 first=32 steps=5 --grid 1 --num-warps 8 --num-stages 4
# EXPECT: all(c == a[:, 32:192] @ b[:, 32:192].T) & all(sums == 3 * sum(a[:, 32:192], 1))
# RUN: used_twice a='randint(-4, 5, (128, 256), f32)' b='randint(-4, 5, (64, 256), f32)' c='zeros((128, 64), f32)' sums='zeros(128, f32)' rows=0 first=0 steps=8 --grid 1
# EXPECT: all(c == 0) & all(sums == 0)
# RUN: until_done x='randint(-9, 9, (64, 256), i32)' out='zeros(64, i32)' rounds=3 --grid 1
# EXPECT: out == 3 * sum(x, 1)
# RUN: in_place x='arange(64 * 256, f32).reshape((64, 256)) % 61' columns=256 --grid 1
# EXPECT: x == 4 * (arange(64 * 256, f32).reshape((64, 256)) % 61)

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, STAGES: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [TILE_M, 32])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [TILE_N, 32])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [TILE_M, TILE_N])
    row, column = tl.program_id(0) * TILE_M, tl.program_id(1) * TILE_N
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for k in tl.range(0, K, 32, num_stages=STAGES, warp_specialize=True):
        total = tl.dot(left.load([row, k]), right.load([column, k]).T, total)
    target.store([row, column], total.to(tl.float16))


@triton.jit
def attend(queries, keys, values, total, best, sums, begin, end, STAGES: tl.constexpr):
    for start in tl.range(begin, end, 64, num_stages=STAGES, warp_specialize=True):
        scores = tl.dot(queries, keys.load([start, 0]).T) * (0.125 * 1.44269504)
        newest = tl.maximum(best, tl.max(scores, 1))
        powers = tl.exp2(scores - newest[:, None])
        fade = tl.exp2(best - newest)
        sums = sums * fade + tl.sum(powers, 1)
        total = tl.dot(powers.to(tl.float16), values.load([start, 0]), total * fade[:, None])
        best = newest
    return total, best, sums


# Two loops one after the other, with the same buffers.
@triton.jit
def attention(q, k, v, out, first, length, STAGES: tl.constexpr):
    queries = tl.make_tensor_descriptor(q, [128, 64], [64, 1], [128, 64]).load([0, 0])
    keys = tl.make_tensor_descriptor(k, [length, 64], [64, 1], [64, 64])
    values = tl.make_tensor_descriptor(v, [length, 64], [64, 1], [64, 64])
    total = tl.zeros((128, 64), tl.float32)
    best = tl.full([128], -float("inf"), tl.float32)
    sums = tl.zeros([128], tl.float32)
    total, best, sums = attend(queries, keys, values, total, best, sums, 0, first, STAGES)
    total, best, sums = attend(queries, keys, values, total, best, sums, first, length, STAGES)
    at = tl.arange(0, 128)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out + at, total / sums[:, None])


@triton.jit
def persistent(a, b, c, M, N, K, PROGRAMS: tl.constexpr, FLAT: tl.constexpr, TILE_N: tl.constexpr = 64,
               DEPTH: tl.constexpr = 32):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [128, DEPTH])
    right = tl.make_tensor_descriptor(b, [N, K], [K, 1], [TILE_N, DEPTH])
    target = tl.make_tensor_descriptor(c, [M, N], [N, 1], [128, TILE_N])
    columns = tl.cdiv(N, TILE_N)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, 128) * columns, PROGRAMS, flatten=FLAT,
                         warp_specialize=True):
        row, column = tile // columns * 128, tile % columns * TILE_N
        total = tl.zeros((128, TILE_N), tl.float32)
        for k in range(0, K, DEPTH):
            total = tl.dot(left.load([row, k]), right.load([column, k]).T, total)
        target.store([row, column], total.to(tl.float16))


# Which block comes is read from a table, and whether any does is a condition.
@triton.jit
def conditional(x, table, out, count):
    blocks = tl.make_tensor_descriptor(x, [64, 512], [512, 1], [64, 64])
    total = tl.zeros((64, 64), tl.int32)
    wanted = count
    if wanted < 0:
        total -= tl.where(tl.arange(0, 64)[None, :] == 0, 1, 0)
    else:
        for i in tl.range(0, wanted, num_stages=3, warp_specialize=True):
            total += blocks.load([0, tl.load(table + i) * 64])
    tl.store(out + tl.arange(0, 64), tl.sum(total, 1))


# Loops within branches of a loop around them; one branch has none.
@triton.jit
def branch(a, b, c):
    left = tl.make_tensor_descriptor(a, [64, 128], [128, 1], [64, 32])
    right = tl.make_tensor_descriptor(b, [64, 128], [128, 1], [64, 32])
    total = tl.zeros((64, 64), tl.float32)
    for turn in tl.range(0, 4, warp_specialize=True):
        if turn != 1:
            if turn <= 2 * tl.program_id(0):
                for k in range(0, 128, 32):
                    total = tl.dot(left.load([0, k]), right.load([0, k]).T, total)
    at = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(c + tl.program_id(0) * 4096 + at, total)


# A block that a product and threads read, at a place that the loop carries; a kernel that may end early,
# and that adds up what it has in memory.
@triton.jit
def used_twice(a, b, c, sums, rows, first, steps):
    left = tl.make_tensor_descriptor(a, [128, 256], [256, 1], [128, 32])
    right = tl.make_tensor_descriptor(b, [64, 256], [256, 1], [64, 32])
    if rows == 0:
        return
    total = tl.zeros((128, 64), tl.float32)
    added = tl.zeros((128,), tl.float32)
    k = first
    for step in tl.range(0, steps, warp_specialize=True):
        x = left.load([0, k])
        y = right.load([0, k])
        total = tl.dot(x, y.T, total)
        added += tl.sum(x * 2, 1) + tl.sum(x, 1)
        k += 32
    at = tl.arange(0, 128)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.atomic_add(c + at, total)
    tl.atomic_add(sums + tl.arange(0, 128), added)


# What is around it is no counted loop.
@triton.jit
def until_done(x, out, rounds):
    blocks = tl.make_tensor_descriptor(x, [64, 256], [256, 1], [64, 64])
    total = tl.zeros((64, 64), tl.int32)
    while rounds > 0:
        for k in tl.range(0, 256, 64, num_stages=2, warp_specialize=True):
            total += blocks.load([0, k])
        rounds -= 1
    tl.store(out + tl.arange(0, 64), tl.sum(total, 1))


# The loop writes what it loads: it stays one.
@triton.jit
def in_place(x, columns):
    tile = tl.make_tensor_descriptor(x, [64, columns], [columns, 1], [64, 32])
    for turn in range(2):
        for k in tl.range(0, columns, 32, num_stages=3, warp_specialize=True):
            tile.store([0, k], 2 * tile.load([0, k]))
