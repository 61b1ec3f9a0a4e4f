"""A product with few rows for Hopper: Y = X W^T, as a language model computes it for each new token.

X is rows x K with 1 to 64 rows, W is N x K (the weight of a linear layer), both in fp16 or bf16, Y is rows x N in one of
these or fp32. Every weight is used once, so the time is that of reading W, and all else has to stay beside it:

*   W is the left operand of the tensor cores: 128 or 64 of its rows by 64 numbers of K make a step, and the
    few rows of X the narrow right one (`wgmma` has no less than 64 rows, but 8 columns suffice).
*   All steps of all tiles stand in one list that is cut into equal parts, one for each program, wherever that falls
    (Osama et al. 2023, arXiv:2301.03598), so all multiprocessors read equally long. What a cut leaves unfinished
    goes to `partial`; the program that has the first steps of a tile adds up what the ones after it have, in
    their order. They began with it, so it is there. The last programs have the first parts of the list: those that are waited for
    are started before.
*   With PDL (launch_pdl=True) the weights do not wait for the kernel before: the producer fills its ring with W while
    that one still runs, and asks for X only when it is complete.
*   GATED: W has two halves, gate and up, and Y = silu(X gate^T) * (X up^T) (Shazeer 2020, arXiv:2002.05202). A tile has
    rows of both, so the product never goes to memory.
*   With `words` a second copy of Y goes to memory of another GPU. Each 64-bit word holds two rows' numbers and the number
    of the visit, so who waits for a word knows that it is there without a fence (NCCL's protocol LL: Jeaugey, GTC 2019).
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from gluonc.nvidia.hopper import TensorDescriptor


@gluon.jit
def share(n, k, ROWS: gl.constexpr, DEPTH: gl.constexpr):
    """(steps of a tile, of each part; this program's part, its first step, the one behind its last); some have fewer, or none."""
    steps = gl.cdiv(k, DEPTH)
    total = gl.cdiv(n, ROWS) * steps
    each = gl.maximum(gl.cdiv(total, gl.num_programs(0)), 1)
    part = gl.num_programs(0) - 1 - gl.program_id(0)
    return steps, each, part, part * each, gl.minimum((part + 1) * each, total)


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of the ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def load_weights(w, w_ring, filled, slot, at, steps, n, BYTES: gl.constexpr, GATED: gl.constexpr):
    """The weights of step `at`, in two halves, after which a slot still waits for its X."""
    HALF: gl.constexpr = w_ring.shape[1] // 2
    row = at // steps * (HALF if GATED else 2 * HALF)
    column = at % steps * w_ring.shape[2]
    apart = n // 2 if GATED else HALF
    mbarrier.expect(filled.index(slot), BYTES)
    tma.async_load(w, [row, column], filled.index(slot), w_ring.index(slot).slice(0, HALF))
    tma.async_load(w, [row + apart, column], filled.index(slot), w_ring.index(slot).slice(HALF, HALF))


@gluon.jit
def produce(x, w, x_ring, w_ring, filled, drained, n, k, GATED: gl.constexpr, PDL: gl.constexpr):
    STAGES: gl.constexpr = w_ring.shape[0]
    DEPTH: gl.constexpr = w_ring.shape[2]
    BYTES: gl.constexpr = (w_ring.shape[1] + x_ring.shape[1]) * DEPTH * w.dtype.primitive_bitwidth // 8
    steps, _, _, first, last = share(n, k, w_ring.shape[1], DEPTH)
    early = gl.minimum(first + STAGES, last)
    for at in range(first, early):
        load_weights(w, w_ring, filled, at - first, at, steps, n, BYTES, GATED)
    if PDL:
        gl.extra.gdc_wait()
    for at in range(first, early):
        tma.async_load(x, [0, at % steps * DEPTH], filled.index(at - first), x_ring.index(at - first))
    slot = 0
    phase = 0
    for at in range(early, last):
        mbarrier.wait(drained.index(slot), phase)
        load_weights(w, w_ring, filled, slot, at, steps, n, BYTES, GATED)
        tma.async_load(x, [0, at % steps * DEPTH], filled.index(slot), x_ring.index(slot))
        slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def add_others(sums, partial, arrived, place, first, count):
    """Adds what `count` programs from part `first` on have of the same tile, and takes back their marks."""
    MARKS: gl.constexpr = 32 * gl.num_warps()
    mark = gl.arange(0, MARKS, layout=gl.BlockedLayout([1], [32], [gl.num_warps()], [0]))
    for begin in range(0, count, MARKS):
        marks = arrived + first + begin + mark
        mask = mark < count - begin
        waiting = 1
        while waiting > 0:
            seen = gl.atomic_add(marks, 0, mask, sem="acquire", scope="gpu")
            waiting = gl.sum(gl.where(mask, 1 - seen, 0), 0)
        gl.store(marks, 0, mask)
    SIZE: gl.constexpr = sums.shape[0] * sums.shape[1]
    # One on its way while the one before is added.
    coming = gl.load(partial + first * SIZE + place)
    for i in range(1, count):
        here = coming
        coming = gl.load(partial + (first + i) * SIZE + place)
        sums += here
    return sums + coming


@gluon.jit
def multiply_gate(sums, dtype: gl.constexpr):
    """silu(upper half) * lower half, rounded where PyTorch's modules round."""
    gate, up = sums.reshape([2, sums.shape[0] // 2, sums.shape[1]]).permute((1, 2, 0)).split()
    gate = gate.to(dtype).to(gl.float32)
    gate = (gate / (1.0 + gl.exp(-gate))).to(dtype).to(gl.float32)
    return gate * up.to(dtype).to(gl.float32)


@gluon.jit
def store(y, values, tile, n, batch):
    """A finished tile, whose columns are rows of Y."""
    layout: gl.constexpr = values.type.layout
    row = tile * values.shape[0] + gl.arange(0, values.shape[0], layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, values.shape[1], layout=gl.SliceLayout(0, layout))
    place = y + column.to(gl.int64)[None, :] * n + row[:, None]
    gl.store(place, values.to(y.dtype.element_ty), (row < n)[:, None] & (column < batch)[None, :])


@gluon.jit
def send(words, values, tile, n, batch, visit, dtype: gl.constexpr):
    """A finished tile for another GPU: word (i, column) has rows 2 i and 2 i + 1 of Y, and `visit` above them."""
    ROWS: gl.constexpr = values.shape[0]
    PAIRS: gl.constexpr = values.shape[1] // 2
    low, high = values.to(dtype).to(gl.uint16, bitcast=True).to(gl.uint64).reshape([ROWS, PAIRS, 2]).split()
    layout: gl.constexpr = low.type.layout
    row = tile * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    pair = gl.arange(0, PAIRS, layout=gl.SliceLayout(0, layout))
    word = visit.to(gl.uint32, bitcast=True).to(gl.uint64) << 32 | high << 16 | low
    place = words + pair.to(gl.int64)[None, :] * n + row[:, None]
    gl.atomic_store(place, word.to(gl.int64, bitcast=True), (row < n)[:, None] & (2 * pair < batch)[None, :], sem="relaxed",
                    scope="sys")


@gluon.jit
def consume(y, partial, arrived, x_ring, w_ring, filled, drained, words, visits, meeting, n, k, batch, GATED: gl.constexpr,
            PDL: gl.constexpr):
    STAGES: gl.constexpr = w_ring.shape[0]
    ROWS: gl.constexpr = w_ring.shape[1]
    DEPTH: gl.constexpr = w_ring.shape[2]
    COLUMNS: gl.constexpr = x_ring.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, 256 // w_ring.dtype.primitive_bitwidth])
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    place = row[:, None] * COLUMNS + column[None, :]
    if PDL:
        # The kernel behind may begin to load its weights. Nothing is written before the one in front is complete.
        gl.extra.gdc_launch_dependents()
        gl.extra.gdc_wait()
    if words is not None:
        visit = gl.load(visits) + meeting
    steps, each, part, at, last = share(n, k, ROWS, DEPTH)
    slot = 0
    phase = 0
    while at < last:
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
        if begin != 0:
            gl.store(partial + part * (ROWS * COLUMNS) + place, sums)
            gl.atomic_xchg(arrived + part, 1, sem="release", scope="gpu")
        else:
            if count < steps:
                sums = add_others(sums, partial, arrived, place, part + 1, gl.cdiv(steps - count, each))
            if GATED:
                store(y, multiply_gate(sums, y.dtype.element_ty), at // steps, n // 2, batch)
            else:
                if words is not None:
                    send(words, sums, at // steps, n, batch, visit, y.dtype.element_ty)
                store(y, sums, at // steps, n, batch)
        at += count


# gluonc: x=tensordesc<bf16[16,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         w=tensordesc<bf16[64,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         y=*bf16:16 partial=*fp32:16 arrived=*i32:16 words=None visits=None meeting=i32 n=i32:16 k=i32:16 batch=i32 STAGES=5 GATED=False PDL=True
@gluon.jit
def skinny(x, w, y, partial, arrived, words, visits, meeting, n, k, batch, STAGES: gl.constexpr, GATED: gl.constexpr = False,
           PDL: gl.constexpr = False):
    """The kernel; launched with num_warps=4, which are those of the consumer.

    The block of `w` is half of a tile. For each program, `partial` has room for a tile of fp32 and `arrived` a zero.
    `words` is None or has room for (batch + 1) // 2 * n numbers of 64 bits in another GPU's memory; the visit's number is that at
    `visits` plus `meeting`.
    """
    ROWS: gl.constexpr = 2 * w.block_shape[0]
    x_ring = gl.allocate_shared_memory(x.dtype, [STAGES] + x.block_shape, x.layout)
    w_ring = gl.allocate_shared_memory(w.dtype, [STAGES, ROWS, w.block_shape[1]], w.layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=1)
    gl.warp_specialize([
        (consume, (y, partial, arrived, x_ring, w_ring, filled, drained, words, visits, meeting, n, k, batch,
                   GATED, PDL)),
        (produce, (x, w, x_ring, w_ring, filled, drained, n, k, GATED, PDL)),
    ], [1], [40])


# ---- From Python ------------------------------------------------------------------------------

def columns_for(batch):
    """Columns that the tensor cores multiply for so many rows of X."""
    if not 1 <= batch <= 64:
        raise ValueError(f"{batch} rows; this product is for 1 to 64")
    return max(8, 1 << (batch - 1).bit_length())


def rows_for(columns, is_gated):
    """Rows of a tile: half as many where what a cut leaves is large. Gate and up need 64 each, to be in the same threads."""
    return 64 if columns == 64 and not is_gated else 128


def stages_for(rows, columns):
    """Registers leave a multiprocessor room for one program; room for two made the steps of a model a tenth longer (H100)."""
    return (200000 if columns == 64 else 114000) // ((rows + columns) * 128)


def scratch(programs, batch, device):
    """(partial, arrived) for launches of `programs` programs, one after the other."""
    import torch
    return (torch.empty(programs * 128 * columns_for(batch), dtype=torch.float32, device=device),
            torch.zeros(programs, dtype=torch.int32, device=device))


def describe(tensor, rows):
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=2)
    return TensorDescriptor.from_tensor(tensor, [rows, 128 // tensor.dtype.itemsize], layout)


def project(x, w, y, programs, memory, pdl=False):
    """y = x w^T on `programs` programs, `memory` by `scratch`; gated if y has half as many columns as w has rows."""
    (batch, k), (n, _) = x.shape, w.shape
    is_gated = y.shape[1] != n
    columns = columns_for(batch)
    rows = rows_for(columns, is_gated)
    skinny[(programs,)](describe(x, columns), describe(w, rows // 2), y, *memory, None, None, 0, n, k, batch, STAGES=stages_for(rows, columns),
                        GATED=is_gated, PDL=pdl, num_warps=4, launch_pdl=pdl)


def reference(x, w, is_gated, dtype):
    import torch
    expected = x.double() @ w.double().T
    if is_gated:
        gate, up = expected.to(dtype).double().chunk(2, 1)
        expected = torch.nn.functional.silu(gate).to(dtype).double() * up
    return expected


def check(device, programs, batch, n, k, dtype, out_dtype, pdl=False, is_gated=False):
    """Random operands, a poisoned result, and float64 as the judge; twice, since a launch leaves its marks as they were."""
    import torch
    torch.manual_seed(0)
    x, w = (torch.randn(rows, k).to(device=device, dtype=dtype) for rows in (batch, n))
    w *= k**-0.5
    memory = scratch(programs, batch, device)
    expected = reference(x, w, is_gated, out_dtype)
    bound = torch.finfo(out_dtype).eps * (4 if is_gated else 1) * expected.abs() + 1e-4 + is_gated * torch.finfo(out_dtype).eps
    wrong = 0
    for _ in range(2):
        y = torch.full(expected.shape, float("nan"), device=device, dtype=out_dtype)
        project(x, w, y, programs, memory, pdl)
        wrong += (~((y.double() - expected).abs() <= bound)).sum().item()
    wrong += memory[1].count_nonzero().item()
    print(f"{device}: {batch}x{n}x{k} {dtype} -> {out_dtype}{', gated' * is_gated}, {programs} programs: "
          f"{wrong} of {2 * y.numel()} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    # Cuts inside of tiles and between them, tiles of three programs, programs without work, edges that no tile divides.
    fine &= check("cpu", 3, 1, 384, 256, torch.bfloat16, torch.bfloat16)
    fine &= check("cpu", 7, 5, 200, 328, torch.float16, torch.float32)
    fine &= check("cpu", 2, 33, 520, 136, torch.bfloat16, torch.float32)
    fine &= check("cpu", 5, 3, 336, 328, torch.bfloat16, torch.bfloat16, is_gated=True)
    fine &= check("cpu", 3, 64, 528, 136, torch.bfloat16, torch.bfloat16, is_gated=True)
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
        for batch in (1, 8, 17, 64):
            fine &= check("cuda", count, batch, 6144, 4096, torch.bfloat16, torch.bfloat16, batch != 17)
            fine &= check("cuda", count, batch, 4096, 4096, torch.bfloat16, torch.bfloat16, batch != 17, is_gated=True)
        fine &= check("cuda", count, 3, 128256, 4096, torch.bfloat16, torch.float32)
        fine &= check("cuda", count, 64, 512, 14336, torch.bfloat16, torch.bfloat16)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
