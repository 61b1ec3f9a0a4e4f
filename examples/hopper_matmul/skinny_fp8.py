"""A product with few rows and weights in fp8, for Hopper: Y = X (S * W)^T.

X is rows x K with 1 to 64 rows in bf16 or fp16, W is N x K in fp8 (e4m3), Y is rows x N in fp16, bf16 or fp32. S is in fp32: a
number for each row of W, or (BLOCKS) K / 128 x N, one for each row in each 128 columns. The time is that of reading W, half of
what `skinny.py` reads, whose cuts of the list of steps and whose early loads these are. What differs:

*   X keeps its 16 bits, so W is widened in registers, which is exact, and goes from there to the tensor cores as their left
    operand. Two consumers have 64 of a tile's 128 rows each: while one widens, the other multiplies.
*   A thread of the tensor cores holds columns 2 c, 2 c + 1, 2 c + 8 and 2 c + 9 of each 16. `pack` puts these side by side before W
    goes to the GPU, so that one instruction loads 16 numbers of a thread (`ldmatrix`) instead of two.
*   A scale of a whole row is multiplied with the finished sum, one of a block with the product of its 128 columns.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from gluonc.nvidia.hopper import TensorDescriptor

from skinny import add_others, advance, columns_for, send, share, store


@gluon.jit
def load_weights(w, w_ring, filled, slot, at, steps, BYTES: gl.constexpr):
    """The weights of step `at`, after which a slot still waits for its X."""
    mbarrier.expect(filled.index(slot), BYTES)
    for i in gl.static_range(2):
        tma.async_load(w, [(at // steps * 2 + i) * 64, at % steps * 128], filled.index(slot), w_ring.index(slot * 2 + i))


@gluon.jit
def produce(x, w, x_ring, w_ring, filled, drained, n, k, PDL: gl.constexpr):
    STAGES: gl.constexpr = x_ring.shape[0]
    BYTES: gl.constexpr = 128 * 128 + x_ring.shape[1] * 128 * 2
    steps, _, _, first, last = share(n, k, 128, 128)
    early = gl.minimum(first + STAGES, last)
    for at in range(first, early):
        load_weights(w, w_ring, filled, at - first, at, steps, BYTES)
    if PDL:
        gl.extra.gdc_wait()
    for at in range(first, early):
        tma.async_load(x, [0, at % steps * 128], filled.index(at - first), x_ring.index(at - first))
    slot = 0
    phase = 0
    for at in range(early, last):
        mbarrier.wait(drained.index(slot), phase)
        load_weights(w, w_ring, filled, slot, at, steps, BYTES)
        tma.async_load(x, [0, at % steps * 128], filled.index(slot), x_ring.index(slot))
        slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def widened(w_tile, dtype: gl.constexpr, layout: gl.constexpr):
    """A packed tile as the left operand of a product in `layout`: what a thread has of 16 columns is 4 side by side, then 2 and 2."""
    packed: gl.constexpr = gl.DotOperandLayout(0, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 8, 32]), 4)
    numbers = w_tile.load(packed).reshape([64, 8, 4, 2, 2]).permute((0, 1, 3, 2, 4)).reshape([64, 128])
    return gl.convert_layout(numbers, gl.DotOperandLayout(0, layout, 2), assert_trivial=True).to(dtype)


@gluon.jit
def consume(y, scales, partial, arrived, x_ring, w_ring, filled, drained, words, visits, meeting, n, k, batch,
            BLOCKS: gl.constexpr, PDL: gl.constexpr, INDEX: gl.constexpr):
    """64 rows of each tile of this program; `partial` and `arrived` are this consumer's."""
    STAGES: gl.constexpr = x_ring.shape[0]
    COLUMNS: gl.constexpr = x_ring.shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, 16])
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    place = row[:, None] * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))[None, :]
    if PDL:
        # The kernel behind may begin to load its weights. Nothing is written before the one in front is complete.
        gl.extra.gdc_launch_dependents()
        gl.extra.gdc_wait()
    if words is not None:
        visit = gl.load(visits) + meeting
    steps, each, part, at, last = share(n, k, 128, 128)
    slot = 0
    phase = 0
    while at < last:
        half = at // steps * 2 + INDEX
        begin = at % steps
        count = gl.minimum(steps - begin, last - at)
        sums = gl.zeros([64, COLUMNS], gl.float32, layout)
        of_rows = scales + half * 64 + row
        is_row = half * 64 + row < n
        if BLOCKS:
            next_scale = gl.load(of_rows + begin * n, is_row, 0.0)
        mbarrier.wait(filled.index(slot), phase)
        numbers = widened(w_ring.index(slot * 2 + INDEX), x_ring.dtype, layout)
        for i in range(count):
            columns = x_ring.index(slot).permute((1, 0))
            here = slot
            slot, phase = advance(slot, phase, STAGES)
            if BLOCKS:
                scale = next_scale
                next_scale = gl.load(of_rows + (begin + i + 1) * n, is_row & (i + 1 < count), 0.0)
                product = warpgroup_mma(numbers, columns, gl.zeros([64, COLUMNS], gl.float32, layout), use_acc=False, is_async=True)
            else:
                sums = warpgroup_mma(numbers, columns, sums, is_async=True)
            # Threads have read these weights, which the TMA must not overwrite before.
            fence_async_shared()
            # The next ones are widened meanwhile.
            if i + 1 < count:
                mbarrier.wait(filled.index(slot), phase)
                numbers = widened(w_ring.index(slot * 2 + INDEX), x_ring.dtype, layout)
            if BLOCKS:
                product = warpgroup_mma_wait(0, deps=[product])
                sums += product * scale[:, None]
            else:
                sums = warpgroup_mma_wait(0, deps=[sums])
            mbarrier.arrive(drained.index(here))
        if begin != 0:
            gl.store(partial + part * (64 * COLUMNS) + place, sums)
            gl.atomic_xchg(arrived + part, 1, sem="release", scope="gpu")
        else:
            if count < steps:
                sums = add_others(sums, partial, arrived, place, part + 1, gl.cdiv(steps - count, each))
            if not BLOCKS:
                sums *= gl.load(of_rows, is_row, 0.0)[:, None]
            if words is not None:
                send(words, sums, half, n, batch, visit, y.dtype.element_ty)
            store(y, sums, half, n, batch)
        at += count


# gluonc: x=tensordesc<bf16[16,128],gl.NVMMASharedLayout(128,16,rank=2)> \
#         w=tensordesc<fp8e4nv[64,128],gl.NVMMASharedLayout(128,8,rank=2)> \
#         scales=*fp32:16 y=*bf16:16 partial=*fp32:16 arrived=*i32:16 words=None visits=None meeting=i32 n=i32:16 k=i32:16 batch=i32 \
#         BLOCKS=False STAGES=5 REGISTERS=104 PDL=True
@gluon.jit
def skinny_fp8(x, w, scales, y, partial, arrived, words, visits, meeting, n, k, batch, BLOCKS: gl.constexpr,
               STAGES: gl.constexpr, REGISTERS: gl.constexpr, PDL: gl.constexpr = False):
    """The kernel; launched with num_warps=4, which are those of one consumer. `w` is packed.

    For each program, `partial` has room for a tile of fp32, 128 x rows of x's block, and `arrived` two zeros. `words`, `visits` and
    `meeting` are those of `skinny`.
    """
    other_partial = partial + gl.num_programs(0) * (64 * x.block_shape[0])
    other_arrived = arrived + gl.num_programs(0)
    x_ring = gl.allocate_shared_memory(x.dtype, [STAGES] + x.block_shape, x.layout)
    w_ring = gl.allocate_shared_memory(w.dtype, [2 * STAGES] + w.block_shape, w.layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=2)
    gl.warp_specialize([
        (consume, (y, scales, partial, arrived, x_ring, w_ring, filled, drained, words, visits, meeting, n, k, batch,
                   BLOCKS, PDL, 0)),
        (consume, (y, scales, other_partial, other_arrived, x_ring, w_ring, filled, drained, words, visits, meeting, n, k,
                   batch, BLOCKS, PDL, 1)),
        (produce, (x, w, x_ring, w_ring, filled, drained, n, k, PDL)),
    ], [4, 1], [REGISTERS, 24])


# ---- From Python ------------------------------------------------------------------------------


def scratch(programs, batch, device):
    """(partial, arrived) for launches of `programs` programs, one after the other."""
    import torch
    return (torch.empty(programs * 128 * columns_for(batch), dtype=torch.float32, device=device),
            torch.zeros(2 * programs, dtype=torch.int32, device=device))


def pack(w):
    """The order of columns that the kernel wants: column 8 h + 2 c + i of each 16 stands at 4 c + 2 h + i."""
    n, k = w.shape
    return w.reshape(n, k // 16, 2, 4, 2).transpose(2, 3).reshape(n, k)


def quantized(w):
    """W in fp8, not packed, and a scale for each row: its largest number becomes the largest of e4m3, which is 448."""
    import torch
    scales = (w.float().abs().amax(1) / 448).clamp(min=1e-30)
    return (w.float() / scales[:, None]).to(torch.float8_e4m3fn), scales


def describe(tensor, rows):
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=2)
    return TensorDescriptor.from_tensor(tensor, [rows, 128], layout)


def project(x, w, scales, y, programs, memory, pdl=False):
    """y = x (scales * w)^T on `programs` programs, w by `pack`, `memory` by `scratch`; scales of rows, or K / 128 x N."""
    (batch, k), (n, _) = x.shape, w.shape
    columns = columns_for(batch)
    stages = 200000 // (128 * 128 + columns * 256)
    skinny_fp8[(programs,)](describe(x, columns), describe(w, 64), scales, y, *memory, None, None, 0, n, k, batch, BLOCKS=scales.dim() == 2,
                            STAGES=stages, REGISTERS=216, PDL=pdl, num_warps=4, maxnreg=168, launch_pdl=pdl)


def check(device, programs, batch, n, k, dtype, out_dtype, blocks, pdl=False):
    """Random operands, a poisoned result, and float64 as the judge; twice, since a launch leaves its counters as they were."""
    import torch
    torch.manual_seed(0)
    x = torch.randn(batch, k).to(device=device, dtype=dtype)
    w, scales = quantized(torch.randn(n, k, device=device))
    if blocks:
        scales = scales * torch.rand(-(-k // 128), n, device=device)
    wide = w.double() * (scales.double().repeat_interleave(128, 0)[:k].T if blocks else scales.double()[:, None])
    w = pack(w)
    memory = scratch(programs, batch, device)
    expected = x.double() @ wide.T
    bound = torch.finfo(out_dtype).eps * expected.abs() + 1e-4 * k**0.5
    wrong = 0
    for _ in range(2):
        y = torch.full((batch, n), float("nan"), device=device, dtype=out_dtype)
        project(x, w, scales, y, programs, memory, pdl)
        wrong += (~((y.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {batch}x{n}x{k} {dtype} by fp8{' with scales of blocks' * blocks} -> {out_dtype}, {programs} programs: "
          f"{wrong} of {2 * y.numel()} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = check("cpu", 3, 1, 384, 256, torch.bfloat16, torch.bfloat16, False)
    fine &= check("cpu", 7, 5, 200, 336, torch.float16, torch.float32, True)
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
        for batch in (1, 8, 17, 64):
            fine &= check("cuda", count, batch, 6144, 4096, torch.bfloat16, torch.bfloat16, batch == 8, batch != 17)
        fine &= check("cuda", count, 1, 4096, 14336, torch.bfloat16, torch.bfloat16, False, True)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
