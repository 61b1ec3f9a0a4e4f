"""Attention of one block of queries: a loading warp keeps a ring of keys and values full, a warp group attends."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait


@gluon.jit
def load(q, k, v, q_box, k_ring, v_ring, q_come, full, empty, LENGTH: gl.constexpr):
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[1]
    mbarrier.expect(q_come, q.block_type.nbytes)
    tma.async_load(q, [gl.program_id(0) * q_box.shape[0], 0], q_come, q_box)
    for key in range(0, LENGTH, KEYS):
        slot = key // KEYS % STAGES
        mbarrier.wait(empty.index(slot), (key // KEYS // STAGES & 1) ^ 1)
        mbarrier.expect(full.index(slot), k.block_type.nbytes + v.block_type.nbytes)
        tma.async_load(k, [key, 0], full.index(slot), k_ring.index(slot))
        tma.async_load(v, [key, 0], full.index(slot), v_ring.index(slot))


@gluon.jit
def attend(out, q_box, k_ring, v_ring, q_come, full, empty, scale, LENGTH: gl.constexpr):
    STAGES: gl.constexpr = k_ring.shape[0]
    KEYS: gl.constexpr = k_ring.shape[1]
    ROWS: gl.constexpr = q_box.shape[0]
    D: gl.constexpr = q_box.shape[1]
    scores_in: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, KEYS, 16])
    sums_in: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, D, 16])
    largest = gl.full([ROWS], float("-inf"), gl.float32, gl.SliceLayout(1, scores_in))
    total = gl.zeros([ROWS], gl.float32, gl.SliceLayout(1, scores_in))
    sums = gl.zeros([ROWS, D], gl.float32, sums_in)
    mbarrier.wait(q_come, 0)
    for key in range(0, LENGTH, KEYS):
        slot = key // KEYS % STAGES
        mbarrier.wait(full.index(slot), key // KEYS // STAGES & 1)
        scores = warpgroup_mma(q_box, k_ring.index(slot).permute((1, 0)), gl.zeros([ROWS, KEYS], gl.float32, scores_in),
                               is_async=True)
        scores = warpgroup_mma_wait(0, deps=[scores]) * scale
        # What was summed before is relative to a smaller maximum.
        new = gl.maximum(largest, gl.max(scores, 1))
        shrink = gl.exp(largest - new)
        weights = gl.exp(scores - new[:, None])
        total = total * shrink + gl.sum(weights, 1)
        sums = sums * gl.convert_layout(shrink, gl.SliceLayout(1, sums_in))[:, None]
        left = gl.convert_layout(weights.to(v_ring.dtype), gl.DotOperandLayout(0, sums_in, 2))
        sums = warpgroup_mma(left, v_ring.index(slot), sums, is_async=True)
        sums = warpgroup_mma_wait(0, deps=[sums])
        mbarrier.arrive(empty.index(slot))
        largest = new
    sums = sums / gl.convert_layout(total, gl.SliceLayout(1, sums_in))[:, None]
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, sums_in))[:, None]
    gl.store(out + row * D + gl.arange(0, D, layout=gl.SliceLayout(0, sums_in))[None, :], sums)


@gluon.jit
def attention(q, k, v, out, scale, LENGTH: gl.constexpr, D: gl.constexpr, ROWS: gl.constexpr, KEYS: gl.constexpr,
              STAGES: gl.constexpr):
    """out = softmax(scale * Q K^T) V; all are LENGTH x D, a program has ROWS of them."""
    element: gl.constexpr = q.dtype.element_ty
    q_smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([ROWS, D], element)
    smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([KEYS, D], element)
    q_boxes = tma.make_tensor_descriptor(q, [LENGTH, D], [D, 1], [ROWS, D], q_smem)
    k_boxes = tma.make_tensor_descriptor(k, [LENGTH, D], [D, 1], [KEYS, D], smem)
    v_boxes = tma.make_tensor_descriptor(v, [LENGTH, D], [D, 1], [KEYS, D], smem)
    q_box = gl.allocate_shared_memory(element, [ROWS, D], q_smem)
    k_ring = gl.allocate_shared_memory(element, [STAGES, KEYS, D], smem)
    v_ring = gl.allocate_shared_memory(element, [STAGES, KEYS, D], smem)
    q_come = mbarrier.allocate_mbarrier()
    mbarrier.init(q_come, count=1)
    full = mbarrier.allocate_mbarrier(batch=STAGES)
    empty = mbarrier.allocate_mbarrier(batch=STAGES)
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    gl.warp_specialize([
        (attend, (out, q_box, k_ring, v_ring, q_come, full, empty, scale, LENGTH)),
        (load, (q_boxes, k_boxes, v_boxes, q_box, k_ring, v_ring, q_come, full, empty, LENGTH)),
    ], [1], [24])
