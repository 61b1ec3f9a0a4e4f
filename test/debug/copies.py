"""Operations in flight, and CTAs of a cluster, to be debugged. The sessions name the lines."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy

L = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def ahead(src, dst):
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, 128, layout=L)
    async_copy.async_copy_global_to_shared(smem, src + i)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(dst + i, smem.load(L))


@gluon.jit
def halves(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    i = gl.arange(0, 256, layout=layout)
    x = gl.load(src + i)
    gl.store(dst + i, x + 1.0)
