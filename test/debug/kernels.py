"""Kernels to be debugged. The sessions name their lines."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier

L = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def scaled(v, factor):
    w = v * factor
    return w


@gluon.jit
def loop(src, dst, n, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=L)
    x = gl.load(src + i, mask=i < n, other=0.0)
    for step in range(3):
        y = scaled(x, 2.0)
        x = y + 1.0
    if n > 100:
        x = -x
    gl.store(dst + i, x, mask=i <= n)


@gluon.jit
def writer(src, smem, full, empty, tiles):
    for i in range(tiles):
        mbarrier.wait(empty, (i & 1) ^ 1)
        smem.store(gl.load(src + i * 128 + gl.arange(0, 128, layout=L)))
        mbarrier.arrive(full, count=1)


@gluon.jit
def reader(dst, smem, full, empty, tiles):
    for i in range(tiles):
        mbarrier.wait(full, i & 1)
        mbarrier.arrive(empty, count=1)
        x = smem.load(L)
        gl.store(dst + i * 128 + gl.arange(0, 128, layout=L), x)


@gluon.jit
def race(src, dst, tiles):
    """The reader gives the buffer back before it has read it."""
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    full, empty = bars.index(0), bars.index(1)
    gl.warp_specialize([(reader, (dst, smem, full, empty, tiles)), (writer, (src, smem, full, empty, tiles))],
                       [4], [64])


@gluon.jit
def endless(dst):
    i = 0
    while i >= 0:
        gl.store(dst, i)
        i = i % 8 + 1
