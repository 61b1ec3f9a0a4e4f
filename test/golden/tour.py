"""One kernel with a bit of everything, for whole-output tests."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def scaled(tile, factor: gl.constexpr):
    return tile * factor if factor != 1 else tile


@gluon.jit
def tour(src, dst, n, BLOCK: gl.constexpr, first: gl.constexpr, second: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=first)
    tile = gl.load(src + offsets, mask=offsets < n, other=0.0)
    for i in range(3):
        tile = scaled(tile, 2) + i
    tile = gl.convert_layout(tile, second)
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=second)
    gl.store(dst + offsets, gl.where(tile > 0, tile, -tile), mask=offsets < n)


@gluon.jit
def added(x, y):
    return x + y


@gluon.jit
def mistaken(src, dst, first: gl.constexpr, second: gl.constexpr):
    a = gl.arange(0, 128, layout=first)
    gl.store(dst + a, added(gl.load(src + a), gl.arange(0, 128, layout=second)))
