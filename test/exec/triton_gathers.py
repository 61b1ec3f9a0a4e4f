"""Gathers in loops: sources that the loop does not change lie in shared memory, and others do not."""

# RUN: rows x='randn((16, 64), f32, 1)' y='empty((16, 64), f32)' BC=16 BK=64 --grid 1
# EXPECT: allclose(y, sum(x, 0) - 16 * x, 1e-5, 1e-4)
# RUN: rows x='randn((64, 32), f16, 1)' y='empty((64, 32), f32)' BC=64 BK=32 --grid 1 --num-warps 8
# EXPECT: allclose(y, sum(x.to(f32), 0) - 64 * x.to(f32), 1e-5, 1e-3)
# RUN: turned x='randint(0, 99, (32, 32), i32)' y='empty((32, 32), i32)' --grid 1
# EXPECT: all((y[0] == 3 * x[31]) & (y[31] == 3 * x[0]) & (y[5] == 3 * x[26]))
# RUN: changing x='randint(0, 99, (32, 32), i32)' y='empty((32, 32), i32)' --grid 1
# EXPECT: all(y == x + 3)

import triton
import triton.language as tl


@triton.jit
def rows(x, y, BC: tl.constexpr, BK: tl.constexpr):
    """Sums of differences from each row, which all rows need."""
    place = tl.arange(0, BC)[:, None] * BK + tl.arange(0, BK)[None, :]
    tile = tl.load(x + place)
    total = tl.zeros([BC, BK], tl.float32)
    for j in range(0, BC):
        row = tl.gather(tile, tl.full([1, BK], j, dtype=tl.int16), axis=0)
        total += row.to(tl.float32) - tile.to(tl.float32)
    tl.store(y + place, total)


@triton.jit
def turned(x, y):
    """Two loops around a gather, neither of which changes its source."""
    place = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tile = tl.load(x + place)
    total = tl.zeros([32, 32], tl.int32)
    for _ in range(3):
        for first in range(0, 32, 32):
            total += tl.gather(tile, first + 31 - tl.arange(0, 32)[:, None] + tl.zeros([32, 32], tl.int32), axis=0)
    tl.store(y + place, total)


@triton.jit
def changing(x, y):
    place = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tile = tl.load(x + place)
    turn = 31 - tl.arange(0, 32)[:, None] + tl.zeros([32, 32], tl.int32)
    for _ in range(3):
        tile = tl.gather(tl.gather(tile, turn, axis=0), turn, axis=0) + 1
    tl.store(y + place, tile)
