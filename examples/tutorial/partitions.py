"""One partition of warps loads boxes, another one multiplies them."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait


@gluon.jit
def load(left, right, x, y, full, empty, DEPTH: gl.constexpr, K: gl.constexpr):
    STAGES: gl.constexpr = x.shape[0]
    for k in range(0, DEPTH, K):
        slot = k // K % STAGES
        mbarrier.wait(empty.index(slot), (k // K // STAGES & 1) ^ 1)
        mbarrier.expect(full.index(slot), left.block_type.nbytes + right.block_type.nbytes)
        tma.async_load(left, [0, k], full.index(slot), x.index(slot))
        tma.async_load(right, [k, 0], full.index(slot), y.index(slot))


@gluon.jit
def multiply(c, x, y, full, empty, DEPTH: gl.constexpr, K: gl.constexpr):
    STAGES: gl.constexpr = x.shape[0]
    M: gl.constexpr = x.shape[1]
    N: gl.constexpr = y.shape[2]
    result: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    sums = gl.zeros([M, N], gl.float32, result)
    for k in range(0, DEPTH, K):
        slot = k // K % STAGES
        mbarrier.wait(full.index(slot), k // K // STAGES & 1)
        sums = warpgroup_mma(x.index(slot), y.index(slot), sums, is_async=True)
        sums = warpgroup_mma_wait(0, deps=[sums])
        mbarrier.arrive(empty.index(slot))
    i = gl.arange(0, M, layout=gl.SliceLayout(1, result))[:, None]
    gl.store(c + i * N + gl.arange(0, N, layout=gl.SliceLayout(0, result))[None, :], sums)


@gluon.jit
def product(a, b, c, DEPTH: gl.constexpr, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, STAGES: gl.constexpr):
    element: gl.constexpr = a.dtype.element_ty
    a_smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, K], element)
    b_smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([K, N], element)
    left = tma.make_tensor_descriptor(a, [M, DEPTH], [DEPTH, 1], [M, K], a_smem)
    right = tma.make_tensor_descriptor(b, [DEPTH, N], [N, 1], [K, N], b_smem)
    x = gl.allocate_shared_memory(element, [STAGES, M, K], a_smem)
    y = gl.allocate_shared_memory(element, [STAGES, K, N], b_smem)
    full = mbarrier.allocate_mbarrier(batch=STAGES)
    empty = mbarrier.allocate_mbarrier(batch=STAGES)
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    gl.warp_specialize([
        (multiply, (c, x, y, full, empty, DEPTH, K)),
        (load, (left, right, x, y, full, empty, DEPTH, K)),
    ], [1], [24])
