"""Transposition through a buffer in shared memory, in a layout of one's choice."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def turn(src, dst, TILE: gl.constexpr, smem: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    i = gl.arange(0, TILE, layout=gl.SliceLayout(1, rows))[:, None]
    j = gl.arange(0, TILE, layout=gl.SliceLayout(0, rows))[None, :]
    buffer = gl.allocate_shared_memory(src.dtype.element_ty, [TILE, TILE], smem)
    buffer.store(gl.load(src + i * TILE + j))
    gl.store(dst + i * TILE + j, buffer.permute((1, 0)).load(rows))
