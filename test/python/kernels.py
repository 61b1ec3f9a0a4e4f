"""Kernels that the tests launch, written as a user of Triton's Gluon writes them."""

import gluonc as gluon
from gluonc import language as gl

SCALE = gl.constexpr(3)


@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=inside), mask=inside)


@gluon.jit
def fill(dst, value, n, BLOCK: gl.constexpr = 128):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(dst + offsets, value, mask=offsets < n)


@gluon.jit
def scale(dst, bias, FLAG: gl.constexpr, DTYPE: gl.constexpr, NAME: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 128, layout=layout)
    value = gl.load(dst + offsets) * SCALE
    if FLAG:
        value += 1
    if NAME == "double":
        value = value * 2
    if bias is not None:
        value += gl.load(bias + offsets)
    gl.store(dst + offsets, value.to(DTYPE))


@gluon.jit(do_not_specialize=["n"])
def count(dst, n):
    gl.store(dst, n)


@gluon.jit
def wrong(dst):
    gl.store(dst, undefined_name)


@gluon.jit
def positions(dst, n, *, STEP: gl.constexpr, num_warps: gl.constexpr = 4):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [num_warps], [0])
    offsets = gl.arange(0, 32 * num_warps, layout=layout)
    gl.store(dst + offsets, offsets * STEP + n)
