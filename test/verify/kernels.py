"""Kernels for `gluonc verify`: some round otherwise in machine code, some are wrong."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def fused(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets < n
    a = gl.load(x + offsets, mask=inside, other=0.0)
    b = gl.load(y + offsets, mask=inside, other=0.0)
    gl.store(out + offsets, a * b + a, mask=inside)


@gluon.jit
def grown(x, out, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, BLOCK, layout=layout)
    gl.store(out + offsets, gl.exp(gl.load(x + offsets)))


@gluon.jit
def total(x, out, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    gl.store(out, gl.sum(gl.load(x + gl.arange(0, BLOCK, layout=layout)), 0))


@gluon.jit
def beyond_the_end(x, out, n, BLOCK: gl.constexpr):
    """Its mask lets one element too many through where n is no multiple of BLOCK."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets <= n
    gl.store(out + offsets, gl.load(x + offsets, mask=inside, other=0), mask=inside)


@gluon.jit
def wave_copy(x, out, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    offsets = gl.arange(0, BLOCK, layout=layout)
    gl.store(out + offsets, gl.load(x + offsets))


@triton.jit
def doubled(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=inside) * 2, mask=inside)


@gluon.jit
def taken_in_turns(out):
    """Each partition takes what is there and leaves its own number: the result depends on turns."""
    gl.warp_specialize([(leaves_one, (out,)), (leaves_two, (out,))], [4])


@gluon.jit
def leaves_one(out):
    gl.store(out, gl.atomic_xchg(out + 2, 1))


@gluon.jit
def leaves_two(out):
    gl.store(out + 1, gl.atomic_xchg(out + 2, 2))


@gluon.jit
def kept_apart(out):
    gl.warp_specialize([(adds_at, (out, 0)), (adds_at, (out, 1))], [4])


@gluon.jit
def adds_at(out, place):
    gl.atomic_add(out + place, 1)
    gl.atomic_add(out + place, 2)
