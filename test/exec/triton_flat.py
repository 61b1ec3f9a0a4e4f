"""Nested loops that `tl.range(flatten=True)` makes one of."""

# RUN: numbered y='zeros((8, 16), i32)' rows=8 columns=10 FLAT=True --grid 1
# EXPECT: (y[:, 0:10] == (arange(80, i32) + 1).reshape((8, 10))) & (sum(y) == 3240)
# RUN: numbered y='zeros((8, 16), i32)' rows=0 columns=10 FLAT=True --grid 1
# EXPECT: y == zeros((8, 16), i32)
# RUN: totals x='randint(-9, 9, (16, 64), i32)' y='empty(17, i32)' rows=16 columns=64 FLAT=True --grid 1
# EXPECT: (y[0:16] == sum(x, 1)) & (y[16] == sum(x) + 16)
# RUN: totals x='randint(-9, 9, (16, 64), i32)' y='empty(17, i32)' rows=16 columns=0 FLAT=True --grid 1
# EXPECT: (y[0:16] == zeros(16, i32)) & (y[16] == 16)
# RUN: totals x='randint(-9, 9, (16, 64), i32)' y='empty(17, i32)' rows=16 columns=64 FLAT=False --grid 1
# EXPECT: (y[0:16] == sum(x, 1)) & (y[16] == sum(x) + 16)
# RUN: persistent a='randint(-4, 5, (200, 160), f16)' b='randint(-4, 5, (160, 192), f16)' c='empty((200, 192), f32)' M=200 N=192 K=160 PROGRAMS=3 TILE=64 DEPTH=32 --grid 3
# EXPECT: c == matmul(a, b)
# RUN: persistent a='randint(-4, 5, (200, 160), f16)' b='randint(-4, 5, (160, 192), f16)' c='empty((200, 192), f32)' M=200 N=192 K=160 PROGRAMS=3 TILE=64 DEPTH=32 --grid 3 --target cuda:80
# EXPECT: c == matmul(a, b)
# RUN: persistent a='randint(-4, 5, (200, 160), f16)' b='randint(-4, 5, (160, 192), f16)' c='empty((200, 192), f32)' M=200 N=192 K=160 PROGRAMS=5 TILE=64 DEPTH=32 --grid 5 --num-stages 4 --num-warps 8
# EXPECT: c == matmul(a, b)
# RUN: persistent a='randint(-4, 5, (200, 160), f16)' b='randint(-4, 5, (160, 192), f16)' c='empty((200, 192), f32)' M=200 N=192 K=160 PROGRAMS=20 TILE=64 DEPTH=32 --grid 20 --num-stages 1
# EXPECT: c == matmul(a, b)
# RUN: persistent a='randint(-4, 5, (200, 160), f16)' b='randint(-4, 5, (160, 192), f16)' c='empty((200, 192), f32)' M=200 N=192 K=0 PROGRAMS=3 TILE=64 DEPTH=32 --grid 3
# EXPECT: c == zeros((200, 192), f32)
# RUN: persistent a='randint(-4, 5, (200, 160), f16)' b='randint(-4, 5, (160, 192), f16)' c='empty((200, 192), f32)' M=200 N=192 K=160 PROGRAMS=3 TILE=64 DEPTH=32 --grid 3 --target hip:gfx1250
# EXPECT: c == matmul(a, b)

import triton
import triton.language as tl


@triton.jit
def numbered(y, rows, columns, FLAT: tl.constexpr):
    number = 1
    for i in tl.range(0, rows, flatten=FLAT):
        for j in range(columns):
            tl.store(y + i * 16 + j, number)
            number += 1


# Something happens before and behind the inner loop, which may have no iteration.
@triton.jit
def totals(x, y, rows, columns, FLAT: tl.constexpr):
    all_rows = 0
    for i in tl.range(0, rows, flatten=FLAT):
        row = x + i * 64
        total = 0
        for j in range(0, columns, 2):
            pair = tl.load(row + j + tl.arange(0, 2))
            total += tl.sum(pair)
        tl.store(y + i, total)
        all_rows += total + 1
    tl.store(y + rows, all_rows)


# In bands of two rows of tiles; past the last tile a band has no rows, and nothing may divide by them.
@triton.jit
def tile_at(number, rows, columns):
    band = number // (2 * columns)
    height = min(rows - 2 * band, 2)
    return 2 * band + number % height, (number % (2 * columns)) // height


@triton.jit
def persistent(a, b, c, M, N, K, PROGRAMS: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows, columns = tl.cdiv(M, TILE), tl.cdiv(N, TILE)
    inside = tl.arange(0, TILE)
    along = tl.arange(0, DEPTH)
    for number in tl.range(tl.program_id(0), rows * columns, PROGRAMS, flatten=True):
        row, column = tile_at(number, rows, columns)
        total = tl.zeros((TILE, TILE), tl.float32)
        for start in range(0, K, DEPTH):
            k = start + along
            i, j = row * TILE + inside, column * TILE + inside
            left = tl.load(a + i[:, None] * K + k, (i[:, None] < M) & (k < K), 0.0)
            right = tl.load(b + k[:, None] * N + j, (k[:, None] < K) & (j < N), 0.0)
            total = tl.dot(left, right, total)
        i, j = row * TILE + inside, column * TILE + inside
        tl.store(c + i[:, None] * N + j, total, (i[:, None] < M) & (j < N))
