"""Flash attention for Hopper, backward: gradients of Q, K and V from that of O = softmax(scale * Q K^T) V.

Shapes are those of attention.py, which leaves for each row `lse`, log2 of the sum of its exponentials. With
that the probabilities are computed again, P = exp2(c * Q K^T - lse), and with `delta`, for each row the sum of
dO * O, everything follows (Dao et al. 2022, arXiv:2205.14135, appendix B.2):

    dV = P^T dO      dP = dO V^T      dS = P * (dP - delta)      dQ = scale * dS K      dK = scale * dS^T Q

A program has a block of 128 keys and their values, and all rows of Q that see them pass by, 64 at a time, with
dO, lse and delta. What is Hopper's in it (after Shah et al. 2024, arXiv:2407.08608):

*   The scores are computed transposed, K Q^T: their rows are the program's keys, so P^T and dS^T lie in
    registers as left operands of the products that add to dV and dK, which stay in registers to the end.
*   Only dQ needs dS the other way round, through shared memory. Each program has a part of each row's
    sum; the TMA adds it to fp32 numbers in memory, in the order in which programs come. So dQ, unlike dK and
    dV, may differ in its last bits from launch to launch.
*   A producer warp loads two steps ahead. Exponentials run beside the product dP, what makes dS of it beside
    that for dV, and dQ goes to memory beside the one for dK. No product goes on from one step to the next: with the
    sums of dK and dV there are not registers enough, and ptxas would let each instruction wait for the one before.
*   Causal: rows above the diagonal are not loaded, and programs with the most rows come first.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from gluonc.nvidia.hopper import TensorDescriptor

from attention import advance, flat, ring_barriers

KEYS = gl.constexpr(128)
ROWS = gl.constexpr(64)


@gluon.jit
def work_of_program(rows, keys, CAUSAL: gl.constexpr):
    """Head of keys, first key, and the first step of rows that sees it."""
    blocks = gl.cdiv(keys, KEYS)
    key = gl.program_id(0) % blocks * KEYS
    # Rows are as many as keys, then.
    first = key // ROWS if CAUSAL else 0
    return gl.program_id(0) // blocks, key, gl.minimum(first, gl.cdiv(rows, ROWS))


@gluon.jit
def row_of(i, first, steps, head, group, key, keys):
    """Head of queries and first row of step i; programs begin at different rows, so that they do not all add to the same."""
    turned = (i + key // KEYS * steps // gl.cdiv(keys, KEYS)) % steps
    return head * group + i // steps, (first + turned) * ROWS


@gluon.jit
def produce(q, k, v, do, lse, delta, k_tile, v_tile, q_ring, do_ring, lse_ring, delta_ring, key_bar, bars, rows, keys,
            group, CAUSAL: gl.constexpr):
    STAGES: gl.constexpr = q_ring.shape[0]
    D: gl.constexpr = q_ring.shape[3]
    SIZE: gl.constexpr = q.dtype.primitive_bitwidth // 8
    head, key, first = work_of_program(rows, keys, CAUSAL)
    mbarrier.expect(key_bar, 2 * KEYS * D * SIZE)
    tma.async_load(k, [head, key, 0], key_bar, k_tile)
    tma.async_load(v, [head, key, 0], key_bar, v_tile)
    steps = gl.cdiv(rows, ROWS) - first
    slot = 0
    phase = 1
    for i in range(steps * group):
        q_head, row = row_of(i, first, steps, head, group, key, keys)
        mbarrier.wait(bars[1].index(slot), phase)
        filled = bars[0].index(slot)
        mbarrier.expect(filled, 2 * ROWS * (D * SIZE + 4))
        tma.async_load(q, [q_head, row, 0], filled, q_ring.index(slot))
        tma.async_load(lse, [q_head, row], filled, lse_ring.index(slot))
        tma.async_load(do, [q_head, row, 0], filled, do_ring.index(slot))
        tma.async_load(delta, [q_head, row], filled, delta_ring.index(slot))
        slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def probabilities(scores, lse_tile, c, row, key, CAUSAL: gl.constexpr):
    """P^T of 128 keys and 64 rows."""
    layout: gl.constexpr = scores.type.layout
    lse = lse_tile.reshape([ROWS]).load(gl.SliceLayout(0, layout))
    p = gl.exp2(scores * c - lse[None, :])
    if CAUSAL:
        if row < key + KEYS:
            lines = row + gl.arange(0, ROWS, layout=gl.SliceLayout(0, layout))
            columns = key + gl.arange(0, KEYS, layout=gl.SliceLayout(1, layout))
            p = gl.where(columns[:, None] <= lines[None, :], p, 0.0)
    return p


@gluon.jit
def consume(dq, dk, dv, k_tile, v_tile, q_ring, do_ring, lse_ring, delta_ring, ds_tile, dq_tile, key_bar, bars, c, scale,
            rows, keys, group, CAUSAL: gl.constexpr):
    """Two warpgroups: 64 keys each."""
    STAGES: gl.constexpr = q_ring.shape[0]
    D: gl.constexpr = q_ring.shape[3]
    score_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, ROWS, 16])
    sum_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, D, 16])
    dq_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 2], [16, D // 2, 16])
    p_layout: gl.constexpr = gl.DotOperandLayout(0, sum_layout, 2)
    head, key, first = work_of_program(rows, keys, CAUSAL)
    steps = gl.cdiv(rows, ROWS) - first
    count = steps * group
    k_all = flat(k_tile)
    v_all = flat(v_tile)
    nothing = gl.zeros([KEYS, ROWS], gl.float32, score_layout)
    dk_sum = gl.zeros([KEYS, D], gl.float32, sum_layout)
    dv_sum = gl.zeros([KEYS, D], gl.float32, sum_layout)
    mbarrier.wait(key_bar, 0)
    slot = 0
    phase = 0
    for i in range(count):
        q_head, row = row_of(i, first, steps, head, group, key, keys)
        q_tile = flat(q_ring.index(slot))
        do_tile = flat(do_ring.index(slot))
        mbarrier.wait(bars[0].index(slot), phase)
        scores = warpgroup_mma(k_all, q_tile.permute((1, 0)), nothing, use_acc=False, is_async=True)
        dp = warpgroup_mma(v_all, do_tile.permute((1, 0)), nothing, use_acc=False, is_async=True)
        scores = warpgroup_mma_wait(1, deps=[scores])
        p = probabilities(scores, lse_ring.index(slot), c, row, key, CAUSAL).to(dk.dtype)
        dp = warpgroup_mma_wait(0, deps=[dp])
        dv_sum = warpgroup_mma(gl.convert_layout(p, p_layout), do_tile, dv_sum, is_async=True)
        delta = delta_ring.index(slot).reshape([ROWS]).load(gl.SliceLayout(0, score_layout))
        ds = (p.to(gl.float32) * (dp - delta[None, :])).to(dk.dtype)
        ds_tile.store(ds)
        fence_async_shared()
        dv_sum = warpgroup_mma_wait(0, deps=[dv_sum])
        dq_part = warpgroup_mma(ds_tile.permute((1, 0)), k_all, gl.zeros([ROWS, D], gl.float32, dq_layout), use_acc=False,
                                is_async=True)
        dk_sum = warpgroup_mma(gl.convert_layout(ds, p_layout), q_tile, dk_sum, is_async=True)
        dq_part = warpgroup_mma_wait(1, deps=[dq_part])
        tma.store_wait(0)
        flat(dq_tile).store(dq_part)
        fence_async_shared()
        tma.async_atomic_add(dq, [q_head, row, 0], dq_tile)
        dk_sum = warpgroup_mma_wait(0, deps=[dk_sum])
        mbarrier.arrive(bars[1].index(slot))
        slot, phase = advance(slot, phase, STAGES)
    # Nobody reads K and V any more.
    k_all.store((dk_sum * scale).to(dk.dtype))
    v_all.store(dv_sum.to(dv.dtype))
    fence_async_shared()
    tma.async_store(dk, [head, key, 0], k_tile)
    tma.async_store(dv, [head, key, 0], v_tile)
    tma.store_wait(0)


# gluonc: q=tensordesc<fp16[1,64,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         k=tensordesc<fp16[1,128,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         v=tensordesc<fp16[1,128,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         do=tensordesc<fp16[1,64,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         lse=tensordesc<fp32[1,64],gl.NVMMASharedLayout(0,32,rank=2)> delta=tensordesc<fp32[1,64],gl.NVMMASharedLayout(0,32,rank=2)> \
#         dq=tensordesc<fp32[1,64,128],gl.NVMMASharedLayout(128,32,rank=3)> \
#         dk=tensordesc<fp16[1,128,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         dv=tensordesc<fp16[1,128,128],gl.NVMMASharedLayout(128,16,rank=3)> \
#         c=fp32 scale=fp32 rows=i32 keys=i32 group=i32 CAUSAL=True STAGES=2 --num-warps 8
@gluon.jit
def backward(q, k, v, do, lse, delta, dq, dk, dv, c, scale, rows, keys, group, CAUSAL: gl.constexpr, STAGES: gl.constexpr):
    """The kernel; launched with num_warps=8, a program for each block of 128 keys of each of their heads.

    c is scale * log2(e). dq is of zeros and gets the sums without `scale`.
    """
    D: gl.constexpr = k.block_shape[2]
    k_tile = gl.allocate_shared_memory(k.dtype, k.block_shape, k.layout)
    v_tile = gl.allocate_shared_memory(v.dtype, v.block_shape, v.layout)
    q_ring = gl.allocate_shared_memory(q.dtype, [STAGES] + q.block_shape, q.layout)
    do_ring = gl.allocate_shared_memory(do.dtype, [STAGES] + do.block_shape, do.layout)
    lse_ring = gl.allocate_shared_memory(gl.float32, [STAGES] + lse.block_shape, lse.layout)
    delta_ring = gl.allocate_shared_memory(gl.float32, [STAGES] + delta.block_shape, delta.layout)
    ds_tile = gl.allocate_shared_memory(k.dtype, [KEYS, ROWS], gl.NVMMASharedLayout(128, 16, rank=2))
    dq_tile = gl.allocate_shared_memory(gl.float32, dq.block_shape, dq.layout)
    key_bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(key_bar, count=1)
    bars = ring_barriers(STAGES, 1)
    gl.warp_specialize([
        (consume, (dq, dk, dv, k_tile, v_tile, q_ring, do_ring, lse_ring, delta_ring, ds_tile, dq_tile, key_bar, bars, c, scale,
                   rows, keys, group, CAUSAL)),
        (produce, (q, k, v, do, lse, delta, k_tile, v_tile, q_ring, do_ring, lse_ring, delta_ring, key_bar, bars, rows, keys,
                   group, CAUSAL)),
    ], [1], [24])


@gluon.jit
def row_products(delta, o, do, rows, D: gl.constexpr):
    """delta = the sum of dO * O of each row, 32 rows a program."""
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [256 // D, D // 8], [gl.num_warps(), 1], [1, 0])
    row = gl.program_id(0) * 32 + gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    place = row.to(gl.int64)[:, None] * D + gl.arange(0, D, layout=gl.SliceLayout(0, layout))[None, :]
    inside = (row < rows)[:, None]
    products = gl.load(o + place, inside, 0.0).to(gl.float32) * gl.load(do + place, inside, 0.0).to(gl.float32)
    gl.store(delta + row, gl.sum(products, 1), row < rows)


@gluon.jit
def round_scaled(to, sums, scale, count, BLOCK: gl.constexpr):
    """to = scale * sums, as 16 bits."""
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0])
    i = gl.program_id(0).to(gl.int64) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(to + i, (gl.load(sums + i, i < count, 0.0) * scale).to(to.dtype.element_ty), i < count)


# ---- From Python ------------------------------------------------------------------------------


def describe(tensor, block):
    """The TMA's view of a tensor in such blocks."""
    swizzle = 0 if len(block) == 2 else 128
    layout = gl.NVMMASharedLayout(swizzle, 8 * tensor.dtype.itemsize, rank=len(block))
    return TensorDescriptor.from_tensor(tensor, block, layout)


def scratch(q):
    """(delta, sums of dQ) for tensors like q."""
    import torch
    heads, rows, d = q.shape
    # The TMA wants rows of lse and delta at multiples of 16 bytes.
    padded = -(-rows // 4) * 4
    return (torch.empty(heads, padded, dtype=torch.float32, device=q.device),
            torch.empty(heads, rows, d, dtype=torch.float32, device=q.device))


def attend_back(q, k, v, o, lse, do, dq, dk, dv, scale, causal, memory):
    """dq, dk, dv for attention.py's `o` and `lse` and the gradient `do` of o; `memory` by `scratch`. Causal: as many rows as keys."""
    heads, rows, d = q.shape
    key_heads, keys, _ = k.shape
    if rows % 4 or (causal and rows != keys):
        raise ValueError(f"{rows} rows and {keys} keys; rows are a multiple of 4, and as many as keys where causal")
    delta, sums = memory
    row_products[(-(-heads * rows // 32),)](delta, o, do, heads * rows, d)
    sums.zero_()
    backward[(key_heads * -(-keys // 128),)](
        describe(q, [1, 64, d]), describe(k, [1, 128, d]), describe(v, [1, 128, d]), describe(do, [1, 64, d]),
        describe(lse, [1, 64]), describe(delta, [1, 64]), describe(sums, [1, 64, d]), describe(dk, [1, 128, d]),
        describe(dv, [1, 128, d]), scale * 1.4426950408889634, scale, rows, keys, heads // key_heads, CAUSAL=causal, STAGES=2,
        num_warps=8)
    round_scaled[(-(-sums.numel() // 4096),)](dq, sums, scale, sums.numel(), 4096)


def check(device, programs, heads, rows, keys, d, dtype, causal, group=1):
    """Random operands, poisoned results, and float64 as the judge."""
    import torch
    from attention import attend_all
    torch.manual_seed(0)
    q, do = (torch.randn(heads, rows, d).to(device=device, dtype=dtype) for _ in range(2))
    k, v = (torch.randn(heads // group, keys, d).to(device=device, dtype=dtype) for _ in range(2))
    o, dq, dk, dv = (torch.full_like(x, float("nan")) for x in (q, q, k, v))
    lse = torch.full((heads, rows), float("nan"), device=device)
    scale = d**-0.5
    attend_all(q, k, v, o, scale, causal, programs, lse=lse)
    attend_back(q, k, v, o, lse, do, dq, dk, dv, scale, causal, scratch(q))
    exact = [x.double().requires_grad_() for x in (q, k, v)]
    scores = scale * (exact[0] @ exact[1].repeat_interleave(group, 0).transpose(1, 2))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, keys, dtype=bool, device=device).triu(1), float("-inf"))
    (scores.softmax(-1) @ exact[2].repeat_interleave(group, 0)).backward(do.double())
    wrong = 0
    for made, of in zip((dq, dk, dv), exact):
        # P and dS are rounded to 16 bits before their products.
        bound = 3 * torch.finfo(dtype).eps * (of.grad.abs() + of.grad.square().mean().sqrt() + 0.5)
        wrong += (~((made.double() - of.grad).abs() <= bound)).sum().item()
    print(f"{device}: {heads} heads{f' over {heads // group}' * (group > 1)}, {rows} rows, {keys} keys, D {d}, "
          f"{dtype}{', causal' * causal}: {wrong} of {dq.numel() + 2 * dk.numel()} gradients are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    for d, dtype in ((128, torch.float16), (64, torch.bfloat16)):
        for causal in (False, True):
            fine &= check("cpu", 2, 1, 200, 200, d, dtype, causal)
            if torch.cuda.is_available():
                count = torch.cuda.get_device_properties(0).multi_processor_count
                fine &= check("cuda", count, 8, 1000, 1000, d, dtype, causal)
                fine &= check("cuda", count, 4, 2048, 2048, d, dtype, causal)
                fine &= check("cuda", count, 8, 1024, 1024, d, dtype, causal, group=4)
    # Rows and keys of different numbers; two heads of queries for one of keys.
    fine &= check("cpu", 1, 1, 40, 140, 128, torch.bfloat16, False)
    fine &= check("cpu", 2, 2, 68, 68, 64, torch.float16, True, group=2)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
