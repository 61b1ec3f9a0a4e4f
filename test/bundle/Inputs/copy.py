from helper import tile

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    i = tile(BLOCK, layout)
    gl.store(dst + i, gl.load(src + i, mask=i < n), mask=i < n)


@gluon.jit
def scale(x, factor, bias, n, BLOCK: gl.constexpr, WARP: gl.constexpr = 64):
    i = tile(BLOCK, gl.BlockedLayout([1], [WARP], [8], [0]))
    value = gl.load(x + i, mask=i < n) * factor
    if bias is not None:
        value += gl.load(bias + i, mask=i < n)
    gl.store(x + i, value, mask=i < n)
