"""Loads in loops that can run ahead, and those that cannot, each for its reason."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            PRECISION: tl.constexpr = "tf32"):
    rows, columns, depth = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, k, K):
        x = tl.load(a + rows[:, None] * k + (i + depth)[None, :])
        y = tl.load(b + (i + depth)[:, None] * N + columns[None, :])
        total = tl.dot(x, y, total, input_precision=PRECISION)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def boxes(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ASK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, k], [k, 1], [M, K])
    right = tl.make_tensor_descriptor(b, [k, N], [N, 1], [K, N])
    out = tl.make_tensor_descriptor(c, [M, N], [N, 1], [M, N])
    total = tl.zeros((M, N), tl.float32)
    for i in tl.range(0, k, K, warp_specialize=ASK):
        total = tl.dot(left.load([0, i]), right.load([i, 0]), total)
    out.store([0, 0], total.to(tl.float16))


@triton.jit
def stays(src, index, dst, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    for _ in tl.range(n, num_stages=3):
        # The loop writes it.
        x = tl.load(dst + offsets)
        tl.store(dst + offsets, x + 1)
    for i in tl.range(n, num_stages=3):
        place = tl.load(index + i)
        if place > 0:
            x = tl.load(src + place)
            tl.store(dst + i, x)
    for i in range(n):
        x = tl.load(src + i * BLOCK + offsets)
        tl.store(dst + offsets, x)
    for i in tl.range(n, num_stages=1):
        tl.store(dst + offsets, tl.load(src + offsets + i))
    for i in tl.range(n, num_stages=2):
        for j in range(n):
            tl.device_print("j", j)
        tl.store(dst + offsets, tl.load(src + offsets + i))
    for i in tl.range(n, num_stages=2):
        tl.store(dst + offsets, tl.load(src + 2 * offsets + i))
