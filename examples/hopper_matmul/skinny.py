"""A product with few rows for Hopper: Y = X W^T, as a language model computes it for each new token.

X is rows x K with 1 to 64 rows, W is N x K (the weight of a linear layer), both in fp16 or bf16, Y is rows x N in one of
these or fp32. Every weight is used once, so the time is that of reading W, and all else has to stay beside it:

*   W is the left operand of the tensor cores: 128 of its rows by 64 numbers of K make a step, and the few rows
    of X the narrow right one (`wgmma` has no less than 64 rows, but 8 columns suffice).
*   All steps of all tiles stand in one list that is cut into equal parts, one for each program, wherever that falls
    (Osama et al. 2023, arXiv:2301.03598), so all multiprocessors read equally long. What a cut leaves unfinished
    goes to `partial`; the program that is the last to come adds it up in the order of programs, so the result
    does not depend on who that is.
*   With PDL (launch_pdl=True) the weights do not wait for the kernel before: the producer fills its ring with W while
    that one still runs, and asks for X only when it is complete. A ring takes less than half of the shared
    memory, so that the next kernel's fits beside it.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from gluonc.nvidia.hopper import TensorDescriptor


@gluon.jit
def share(n, k, ROWS: gl.constexpr, DEPTH: gl.constexpr):
    """(steps of a tile, of each program, this one's first, the one behind its last); some may have fewer, or none."""
    steps = gl.cdiv(k, DEPTH)
    total = gl.cdiv(n, ROWS) * steps
    each = gl.maximum(gl.cdiv(total, gl.num_programs(0)), 1)
    first = gl.program_id(0) * each
    return steps, each, first, gl.minimum(first + each, total)


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of the ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def load_weights(w, w_ring, filled, slot, at, steps, BYTES: gl.constexpr):
    """The weights of step `at`, after which a slot still waits for its X."""
    mbarrier.expect(filled.index(slot), BYTES)
    tma.async_load(w, [at // steps * w_ring.shape[1], at % steps * w_ring.shape[2]], filled.index(slot),
                   w_ring.index(slot))


@gluon.jit
def produce(x, w, x_ring, w_ring, filled, drained, n, k, PDL: gl.constexpr):
    STAGES: gl.constexpr = w_ring.shape[0]
    DEPTH: gl.constexpr = w_ring.shape[2]
    BYTES: gl.constexpr = (w_ring.shape[1] + x_ring.shape[1]) * DEPTH * w.dtype.primitive_bitwidth // 8
    steps, _, first, last = share(n, k, w_ring.shape[1], DEPTH)
    early = gl.minimum(first + STAGES, last)
    for at in range(first, early):
        load_weights(w, w_ring, filled, at - first, at, steps, BYTES)
    if PDL:
        gl.extra.gdc_wait()
    for at in range(first, early):
        tma.async_load(x, [0, at % steps * DEPTH], filled.index(at - first), x_ring.index(at - first))
    slot = 0
    phase = 0
    for at in range(early, last):
        mbarrier.wait(drained.index(slot), phase)
        load_weights(w, w_ring, filled, slot, at, steps, BYTES)
        tma.async_load(x, [0, at % steps * DEPTH], filled.index(slot), x_ring.index(slot))
        slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def store(y, sums, tile, n, batch):
    """A finished tile, whose columns are rows of Y."""
    layout: gl.constexpr = sums.type.layout
    row = tile * sums.shape[0] + gl.arange(0, sums.shape[0], layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, sums.shape[1], layout=gl.SliceLayout(0, layout))
    place = y + column.to(gl.int64)[None, :] * n + row[:, None]
    gl.store(place, sums.to(y.dtype.element_ty), (row < n)[:, None] & (column < batch)[None, :])


@gluon.jit
def consume(y, partial, arrived, x_ring, w_ring, filled, drained, n, k, batch, PDL: gl.constexpr):
    STAGES: gl.constexpr = w_ring.shape[0]
    ROWS: gl.constexpr = w_ring.shape[1]
    DEPTH: gl.constexpr = w_ring.shape[2]
    COLUMNS: gl.constexpr = x_ring.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, 256 // w_ring.dtype.primitive_bitwidth])
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    inside = row[:, None] * COLUMNS + column[None, :]
    if PDL:
        # The kernel behind may begin to load its weights. Nothing is written before the one in front is complete.
        gl.extra.gdc_launch_dependents()
        gl.extra.gdc_wait()
    steps, each, at, last = share(n, k, ROWS, DEPTH)
    slot = 0
    phase = 0
    while at < last:
        tile = at // steps
        begin = at % steps
        count = gl.minimum(steps - begin, last - at)
        sums = gl.zeros([ROWS, COLUMNS], gl.float32, layout)
        before = slot
        for i in range(count):
            mbarrier.wait(filled.index(slot), phase)
            sums = warpgroup_mma(w_ring.index(slot), x_ring.index(slot).permute((1, 0)), sums, is_async=True)
            sums = warpgroup_mma_wait(1, deps=[sums])
            mbarrier.arrive(drained.index(before), pred=i != 0)
            before = slot
            slot, phase = advance(slot, phase, STAGES)
        sums = warpgroup_mma_wait(0, deps=[sums])
        mbarrier.arrive(drained.index(before))
        if count == steps:
            store(y, sums, tile, n, batch)
        else:
            # A program has at most two unfinished tiles: the first, which another one has begun, and the last.
            place = 2 * gl.program_id(0) + gl.where(begin == 0, 1, 0)
            gl.store(partial + place * (ROWS * COLUMNS) + inside, sums)
            first = tile * steps // each
            others = (tile * steps + steps - 1) // each - first
            if gl.atomic_add(arrived + first, 1, sem="acq_rel", scope="gpu") == others:
                gl.store(arrived + first, 0)
                # Only the first program has this tile as its last.
                sums = gl.load(partial + (2 * first + 1) * (ROWS * COLUMNS) + inside)
                for i in range(1, others + 1):
                    sums += gl.load(partial + 2 * (first + i) * (ROWS * COLUMNS) + inside)
                store(y, sums, tile, n, batch)
        at += count


# gluonc: x=tensordesc<bf16[16,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         w=tensordesc<bf16[128,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         y=*bf16:16 partial=*fp32:16 arrived=*i32:16 n=i32:16 k=i32:16 batch=i32 STAGES=5 PDL=True
@gluon.jit
def skinny(x, w, y, partial, arrived, n, k, batch, STAGES: gl.constexpr, PDL: gl.constexpr = False):
    """The kernel; launched with num_warps=4, which are those of the consumer.

    `partial` has room for 2 * programs * 128 * rows of x's block in fp32, `arrived` a zero for each program.
    """
    x_ring = gl.allocate_shared_memory(x.dtype, [STAGES] + x.block_shape, x.layout)
    w_ring = gl.allocate_shared_memory(w.dtype, [STAGES] + w.block_shape, w.layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=1)
    gl.warp_specialize([
        (consume, (y, partial, arrived, x_ring, w_ring, filled, drained, n, k, batch, PDL)),
        (produce, (x, w, x_ring, w_ring, filled, drained, n, k, PDL)),
    ], [1], [40])


# ---- From Python ------------------------------------------------------------------------------

ROWS = 128


def columns_for(batch):
    """Columns that the tensor cores multiply for so many rows of X."""
    if not 1 <= batch <= 64:
        raise ValueError(f"{batch} rows; this product is for 1 to 64")
    return max(8, 1 << (batch - 1).bit_length())


def stages_for(columns):
    """A ring of less than half of the shared memory."""
    return 114000 // ((ROWS + columns) * 128)


def scratch(programs, batch, device):
    """(partial, arrived) for launches of `programs` programs, one after the other."""
    import torch
    return (torch.empty(2 * programs * ROWS * columns_for(batch), dtype=torch.float32, device=device),
            torch.zeros(programs, dtype=torch.int32, device=device))


def describe(tensor, rows):
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=2)
    return TensorDescriptor.from_tensor(tensor, [rows, 128 // tensor.dtype.itemsize], layout)


def project(x, w, y, programs, memory, pdl=False):
    """y = x w^T on `programs` programs, `memory` by `scratch`."""
    (batch, k), (n, _) = x.shape, w.shape
    columns = columns_for(batch)
    skinny[(programs,)](describe(x, columns), describe(w, ROWS), y, *memory, n, k, batch, STAGES=stages_for(columns),
                        PDL=pdl, num_warps=4, launch_pdl=pdl)


def check(device, programs, batch, n, k, dtype, out_dtype, pdl=False):
    """Random operands, a poisoned result, and float64 as the judge; twice, since a launch leaves its counters as they were."""
    import torch
    torch.manual_seed(0)
    x, w = (torch.randn(rows, k).to(device=device, dtype=dtype) for rows in (batch, n))
    memory = scratch(programs, batch, device)
    expected = x.double() @ w.double().T
    bound = torch.finfo(out_dtype).eps * expected.abs() + 1e-4 * k**0.5
    wrong = 0
    for _ in range(2):
        y = torch.full((batch, n), float("nan"), device=device, dtype=out_dtype)
        project(x, w, y, programs, memory, pdl)
        wrong += (~((y.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {batch}x{n}x{k} {dtype} -> {out_dtype}, {programs} programs: {wrong} of {2 * y.numel()} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    # Cuts inside of tiles and between them, tiles of three programs, programs without work, edges that no tile divides.
    fine &= check("cpu", 3, 1, 384, 256, torch.bfloat16, torch.bfloat16)
    fine &= check("cpu", 7, 5, 200, 328, torch.float16, torch.float32)
    fine &= check("cpu", 2, 33, 520, 136, torch.bfloat16, torch.float32)
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
        for batch in (1, 8, 17, 64):
            fine &= check("cuda", count, batch, 6144, 4096, torch.bfloat16, torch.bfloat16, batch != 17)
        fine &= check("cuda", count, 3, 128256, 4096, torch.bfloat16, torch.float32)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
