"""Kernels of several CTAs that the copy engine feeds."""

import gluonc
from gluonc import language as gl
from gluonc.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                           warpgroup_mma_wait)


@gluonc.jit
def move(src, dst, MULTICAST: gl.constexpr):
    smem = gl.allocate_shared_memory(src.dtype, src.block_shape, src.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.nbytes_per_cta)
    row = gl.program_id(0) * src.block_shape[0]
    tma.async_load(src, [row, 0], bar, smem, multicast=MULTICAST)
    mbarrier.wait(bar, 0, deps=[smem])
    mbarrier.invalidate(bar)
    tma.async_store(dst, [row, 0], smem)
    tma.store_wait(0)


# What several CTAs need of A and B is loaded once for all of them. A barrier of the cluster keeps
# the loads of the next step off buffers that others still read.
@gluonc.jit
def multiply(a_desc, b_desc, c_desc, K, CGA: gl.constexpr):
    BM: gl.constexpr = a_desc.block_shape[0]
    BK: gl.constexpr = a_desc.block_shape[1]
    BN: gl.constexpr = b_desc.block_shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16], cga_layout=CGA)
    a = gl.allocate_shared_memory(a_desc.dtype, [2, BM, BK], a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, [2, BK, BN], b_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(ready.index(i), count=1)
    sum = gl.zeros([BM, BN], gl.float32, layout)
    row = gl.program_id(0) * BM
    column = gl.program_id(1) * BN
    for k in range(gl.cdiv(K, BK)):
        stage = k % 2
        gl.barrier(cluster=True)
        bar = ready.index(stage)
        mbarrier.expect(bar, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
        tma.async_load(a_desc, [row, k * BK], bar, a.index(stage), multicast=True)
        tma.async_load(b_desc, [k * BK, column], bar, b.index(stage), multicast=True)
        mbarrier.wait(bar, (k // 2) & 1)
        sum = warpgroup_mma(a.index(stage), b.index(stage), sum, is_async=True)
        sum = warpgroup_mma_wait(0, deps=[sum])
    for i in gl.static_range(2):
        mbarrier.invalidate(ready.index(i))
    c = gl.allocate_shared_memory(c_desc.dtype, [BM, BN], c_desc.layout)
    c.store(sum.to(c_desc.dtype))
    fence_async_shared()
    tma.async_store(c_desc, [row, column], c)
    tma.store_wait(0)
