"""Sums of blocks that are copied ahead: cp.async into a ring of buffers."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from triton.experimental.gluon.language.nvidia.ampere import async_copy


@gluon.jit
def start_copy(x, number, blocks, ring, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = number * BLOCK + gl.arange(0, BLOCK, layout=layout)
    async_copy.async_load(ring.index(number % ring.shape[0]), x + offsets, number < blocks)
    # An empty group where there is no block, so that groups can be counted.
    async_copy.commit_group()


@gluon.jit
def add_blocks(x, y, blocks, BLOCK: gl.constexpr, STAGES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    smem: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = gl.allocate_shared_memory(x.dtype.element_ty, [STAGES, BLOCK], smem)
    for ahead in gl.static_range(STAGES - 1):
        start_copy(x, ahead, blocks, ring, BLOCK, layout)
    total = gl.zeros([BLOCK], gl.float32, layout)
    for number in range(blocks):
        start_copy(x, number + STAGES - 1, blocks, ring, BLOCK, layout)
        async_copy.wait_group(STAGES - 1)
        total += ring.index(number % STAGES).load(layout)
    gl.store(y + gl.arange(0, BLOCK, layout=layout), total)
