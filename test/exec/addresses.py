"""Kernels that find the addresses of tensors in memory."""

# RUN: add_pairs x='arange(300, f32)' y='arange(300, f32) * 2' z='empty(300, f32)' at='addresses([x, y, z])' n=300 BLOCK=128 --grid 3
# EXPECT: z == x + y
# RUN: add_pairs x='arange(300, f32)' y='arange(300, f32) * 2' z='empty(300, f32)' at='addresses([x, y, z])' n=300 BLOCK=128 --grid 3 --target cuda:80
# EXPECT: z == x + y
# RUN: add_pairs x='arange(8, f32)' y='arange(4, f32) * 3' z='empty(4, f32)' at='addresses([x[4:8], y, z])' n=4 BLOCK=4 --grid 1
# EXPECT: z == x[4:8] + y
# RUN: add_pairs x='arange(300, f32)' y='arange(300, f32)' z='empty(200, f32)' at='addresses([x, y, z])' n=300 BLOCK=128 --grid 3
# FAULT: OutOfBoundsAccess
# RUN: add_pairs x='arange(300, f32)' y='arange(300, f32)' z='empty(300, f32)' at='addresses([x, y, z]) + 8' n=300 BLOCK=128 --grid 3
# FAULT: OutOfBoundsAccess
# RUN: add_products sizes='tensor([[32, 16], [48, 32], [16, 64]], i32)' a='randint(-4, 5, (32, 16), f16)' b='randint(-4, 5, (48, 32), f16)' c='randint(-4, 5, (16, 64), f16)' w='randint(-4, 5, (64, 16), f16)' p='empty((32, 16), f32)' q='empty((48, 16), f32)' r='empty((16, 16), f32)' left='addresses([a, b, c])' out='addresses([p, q, r])' TILE=16 --grid 3
# EXPECT: all(p == matmul(a, w[0:16, :])) * all(q == matmul(b, w[0:32, :])) * all(r == matmul(c, w))

import triton
import triton.language as tl


@triton.jit
def add_pairs(at, n, BLOCK: tl.constexpr):
    x = tl.load(at).to(tl.pointer_type(tl.float32))
    y = tl.load(at + 1).to(tl.pointer_type(tl.float32))
    z = tl.load(at + 2).to(tl.pointer_type(tl.float32))
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


@triton.jit
def add_products(left, out, sizes, w, TILE: tl.constexpr):
    g = tl.program_id(0)
    a = tl.load(left + g).to(tl.pointer_type(tl.float16))
    c = tl.load(out + g).to(tl.pointer_type(tl.float32))
    rows = tl.load(sizes + 2 * g)
    depth = tl.load(sizes + 2 * g + 1)
    lane = tl.arange(0, TILE)
    for row in range(0, rows, TILE):
        total = tl.zeros((TILE, TILE), tl.float32)
        for k in range(0, depth, TILE):
            tile = tl.load(a + (row + lane)[:, None] * depth + (k + lane)[None, :])
            total = tl.dot(tile, tl.load(w + (k + lane)[:, None] * TILE + lane[None, :]), total)
        tl.store(c + (row + lane)[:, None] * TILE + lane[None, :], total)
