"""Copies a vector, one tile of BLOCK elements per program.

    gluonc run examples/memcpy.py::memcpy 'src=randn(1000, f32)' 'dst=empty(1000, f32)' n=1000 \
        BLOCK=256 'layout=gl.BlockedLayout([1], [32], [4], [0])' --grid 'gl.cdiv(n, BLOCK)' \
        --expect 'dst == src'
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def memcpy(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets < n
    tile = gl.load(src + offsets, mask=inside)
    gl.store(dst + offsets, tile, mask=inside)
