from helper import offsets

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma


@gluon.jit
def axpy(x, y, a, n, BLOCK: gl.constexpr, WARP: gl.constexpr):
    i = offsets(BLOCK, gl.BlockedLayout([1], [WARP], [4], [0]))
    gl.store(y + i, gl.load(y + i, mask=i < n) + a * gl.load(x + i, mask=i < n), mask=i < n)


@gluon.jit
def fill(tile):
    memory = gl.allocate_shared_memory(gl.float32, [16, 32], tile.layout)
    memory.store(gl.full([16, 32], 1.0, gl.float32, gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])))
    gl.nvidia.hopper.fence_async_shared()
    tma.async_copy_shared_to_global(tile, [0, 0], memory)
    tma.store_wait(0)
