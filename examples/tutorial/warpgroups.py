"""A product of a warp group: boxes in shared memory go into wgmma as they are."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait


@gluon.jit
def product(a, b, c, DEPTH: gl.constexpr, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    """C = A B, an M x N tile of it, in steps of K."""
    element: gl.constexpr = a.dtype.element_ty
    a_smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([M, K], element)
    b_smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([K, N], element)
    left = tma.make_tensor_descriptor(a, [M, DEPTH], [DEPTH, 1], [M, K], a_smem)
    right = tma.make_tensor_descriptor(b, [DEPTH, N], [N, 1], [K, N], b_smem)
    x = gl.allocate_shared_memory(element, [M, K], a_smem)
    y = gl.allocate_shared_memory(element, [K, N], b_smem)
    come = mbarrier.allocate_mbarrier()
    mbarrier.init(come, count=1)
    result: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, N, 16])
    sums = gl.zeros([M, N], gl.float32, result)
    for k in range(0, DEPTH, K):
        mbarrier.expect(come, left.block_type.nbytes + right.block_type.nbytes)
        tma.async_load(left, [0, k], come, x)
        tma.async_load(right, [k, 0], come, y)
        mbarrier.wait(come, k // K & 1)
        sums = warpgroup_mma(x, y, sums, is_async=True)
        # The next boxes overwrite what the product reads.
        sums = warpgroup_mma_wait(0, deps=[sums])
    i = gl.arange(0, M, layout=gl.SliceLayout(1, result))[:, None]
    gl.store(c + i * N + gl.arange(0, N, layout=gl.SliceLayout(0, result))[None, :], sums)
