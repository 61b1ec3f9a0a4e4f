"""A tile is read by rows and written by columns."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def transpose(src, dst, rows, columns, TILE: gl.constexpr, read: gl.constexpr, write: gl.constexpr):
    row = gl.program_id(0) * TILE
    column = gl.program_id(1) * TILE
    i = row + gl.arange(0, TILE, layout=gl.SliceLayout(1, read))[:, None]
    j = column + gl.arange(0, TILE, layout=gl.SliceLayout(0, read))[None, :]
    tile = gl.load(src + i * columns + j, mask=(i < rows) & (j < columns))
    turned = gl.convert_layout(tile, write)
    i = row + gl.arange(0, TILE, layout=gl.SliceLayout(1, write))[:, None]
    j = column + gl.arange(0, TILE, layout=gl.SliceLayout(0, write))[None, :]
    gl.store(dst + j * rows + i, turned, mask=(i < rows) & (j < columns))
