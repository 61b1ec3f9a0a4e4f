"""A matrix product for Blackwell: two CTAs to a tile, sums in tensor memory, tiles on request.

C = alpha * A B^T for row-major A of M x K and B of N x K (the weight of a linear layer); C of M x N in
16-bit floats. A and B are

    fp16, bf16, fp8
    mxfp8       fp8, and for each 32 elements along K a power of two (uint8, its exponent plus 127)
    nvfp4       4-bit floats, two in a byte, and for each 16 elements along K an fp8 e4m3

What is Blackwell's in it:

*   One instruction multiplies for two CTAs, which are neighbours on the chip: 256 rows, of which each
    CTA has half, by 256 columns, of which each brings half. So each loads half of what it would have
    to load of B alone. Only the first CTA gives such orders; what they wait for are barriers of the
    pair, which both CTAs arrive at, and what they tell are barriers of each.
*   Sums are not in registers but in tensor memory, 128 rows by 512 columns of 32 bits. No warpgroup
    is bound to a product: a single warp orders all of them.
*   Tiles are not dealt beforehand. As many clusters are launched as there are tiles, and each that
    runs asks the chip for another one that has not begun, whose tile it then does in its place.

    global --TMA--> ring of STAGES buffers --tcgen05--> sums --> registers --> shared --TMA--> global
              filled ->         <- drained        full ->  <- free

Four partitions of each CTA share the work:

    store       a warpgroup takes sums out of tensor memory, rounds and stores them
    load        one warp asks the TMA for the next blocks of A and B, and of their scales
    multiply    one warp orders the products
    schedule    one warp asks for the next tiles

Sums are a ring, too, of BUFFERS parts of tiles, so products of the next tile begin while this one is
stored. A tile has PARTS such parts. Without scales it is one of 256 columns, and two of them fill the
512 columns that there are. Scales need some for themselves: then tiles are cut into two parts, each
of which is free for the next tile as soon as it has been read.

Scales go with the blocks that they belong to, through slots of the same number in shared memory and
then in tensor memory. The copy between both is in line with the products, so nothing has to wait for
it; and that a slot in tensor memory may be written is known from the one in shared memory.
"""

import os

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.blackwell import (TensorMemoryLayout, TensorMemoryScalesLayout, allocate_tensor_memory, clc,
                                              fence_async_shared, mbarrier, tcgen05_commit, tcgen05_copy, tcgen05_mma,
                                              tcgen05_mma_scaled, tma)
from gluonc.nvidia.blackwell import TensorDescriptor


@gluon.jit
def tile_place(number, tile_rows, tile_columns, GROUP: gl.constexpr):
    """Row and column of the tile that has this number."""
    group = number // (GROUP * tile_columns)
    inside = number % (GROUP * tile_columns)
    height = gl.minimum(tile_rows - group * GROUP, GROUP)
    return group * GROUP + inside % height, inside // height


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of a ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def schedule(tiles):
    """Asks for one tile after the other, until there are no more."""
    answers, answered, read = tiles
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        slot = turn % 2
        mbarrier.wait(read.index(slot), (turn // 2 & 1) ^ 1)
        mbarrier.expect(answered.index(slot), 16)
        clc.try_cancel(answers.index(slot), answered.index(slot))
        number, turn = next_tile(tiles, turn)


@gluon.jit
def next_tile(tiles, turn):
    """The number of the tile that an answer gives to this cluster, or -1; and the next turn."""
    answers, answered, read = tiles
    slot = turn % 2
    mbarrier.wait(answered.index(slot), turn // 2 & 1)
    work = clc.load_result(answers.index(slot))
    number = gl.to_tensor(-1)
    if work.is_canceled():
        number = work.program_id(0)
    # The next answer comes by the asynchronous proxy.
    fence_async_shared()
    mbarrier.arrive(read.index(slot))
    return number, turn + 1


@gluon.jit
def load(operands, rings, filled, drained, tiles, tile_rows, tile_columns, steps, GROUP: gl.constexpr):
    """Each CTA loads its half of the rows of A and of the columns of B, and tells the pair."""
    a, b, a_scale, b_scale = operands
    a_ring, b_ring, a_scale_ring, b_scale_ring = rings
    STAGES: gl.constexpr = a_ring.shape[0]
    PARTS: gl.constexpr = b_ring.shape[0] // STAGES
    ROWS: gl.constexpr = a_ring.shape[1]
    WIDTH: gl.constexpr = b_ring.shape[1]
    DEPTH: gl.constexpr = a_ring.shape[2]
    SCALED: gl.constexpr = a_scale is not None
    BYTES: gl.constexpr = a.nbytes_per_cta + PARTS * b.nbytes_per_cta
    if SCALED:
        BYTES_OF_SCALES: gl.constexpr = a_scale.nbytes_per_cta + PARTS * b_scale.nbytes_per_cta
    else:
        BYTES_OF_SCALES: gl.constexpr = 0
    slot = gl.to_tensor(0)
    phase = gl.to_tensor(1)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        row, column = tile_place(number, tile_rows, tile_columns, GROUP)
        for step in range(steps):
            bar = filled.index(slot)
            mbarrier.wait(drained.index(slot), phase)
            mbarrier.expect(bar, BYTES + BYTES_OF_SCALES)
            tma.async_load(a, [row * ROWS, step * DEPTH], bar, a_ring.index(slot))
            for i in gl.static_range(PARTS):
                tma.async_load(b, [(column * PARTS + i) * WIDTH, step * DEPTH], bar, b_ring.index(slot * PARTS + i))
            if SCALED:
                DEEP: gl.constexpr = a_scale_ring.shape[2]
                tma.async_load(a_scale, [row * ROWS // 128, step * DEEP, 0, 0], bar, a_scale_ring.index(slot))
                for i in gl.static_range(PARTS):
                    tma.async_load(b_scale, [(column * PARTS + i) * WIDTH // 128, step * DEEP, 0, 0], bar,
                                   b_scale_ring.index(slot * PARTS + i))
            slot, phase = advance(slot, phase, STAGES)
        number, turn = next_tile(tiles, turn)
    # The first CTA tells this one's barriers, which have to be there for the last word, too.
    for _ in gl.static_range(STAGES):
        mbarrier.wait(drained.index(slot), phase)
        slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def rows_of_scales(buffer, ROWS: gl.constexpr):
    """A block of scales as rows x scales, as it is for the TMA in chunks of 128 rows and 4 scales.

    In a chunk, scale (m, k) is byte m % 32 * 16 + m // 32 * 4 + k: what tensor memory wants.
    """
    CHUNKS: gl.constexpr = buffer.shape[1]
    chunks = buffer.reshape([ROWS // 128, CHUNKS, 32, 4, 4])
    return chunks.permute([0, 3, 2, 1, 4]).reshape([ROWS, 4 * CHUNKS])


@gluon.jit
def multiply(rings, scales, sums, filled, drained, full, free, tiles, steps, PARTS: gl.constexpr):
    """Orders the products of one step after the other, into parts of the sums that are free.

    Both CTAs come here, but only the first waits for what both have done, and only it gives orders.
    """
    a_ring, b_ring, a_scale_ring, b_scale_ring = rings
    a_scales, b_scales = scales
    STAGES: gl.constexpr = a_ring.shape[0]
    ROWS: gl.constexpr = a_ring.shape[1]
    WIDTH: gl.constexpr = b_ring.shape[1]
    BUFFERS: gl.constexpr = sums.shape[0]
    SCALED: gl.constexpr = a_scales is not None
    TYPE: gl.constexpr = "e2m1" if a_ring.dtype == gl.uint8 else "e4m3"
    slot = gl.to_tensor(0)
    phase = gl.to_tensor(0)
    part = gl.to_tensor(0)
    part_phase = gl.to_tensor(1)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        for step in range(steps):
            mbarrier.wait(filled.index(slot), phase)
            if SCALED:
                tcgen05_copy(rows_of_scales(a_scale_ring.index(slot), ROWS), a_scales.index(slot))
            this_part = part
            this_phase = part_phase
            for i in gl.static_range(PARTS):
                place = slot * PARTS + i
                left = a_ring.index(slot)
                right = b_ring.index(place).permute((1, 0))
                acc = sums.index(this_part)
                told = [full.index(this_part)]
                mbarrier.wait(free.index(this_part), this_phase, pred=step == 0)
                if SCALED:
                    tcgen05_copy(rows_of_scales(b_scale_ring.index(place), WIDTH), b_scales.index(place))
                    tcgen05_mma_scaled(left, right, acc, a_scales.index(slot), b_scales.index(place), TYPE, TYPE,
                                       use_acc=step != 0, mbarriers=told, mbarrier_preds=[step == steps - 1])
                else:
                    tcgen05_mma(left, right, acc, use_acc=step != 0, mbarriers=told, mbarrier_preds=[step == steps - 1])
                this_part, this_phase = advance(this_part, this_phase, BUFFERS)
            tcgen05_commit(drained.index(slot))
            slot, phase = advance(slot, phase, STAGES)
        for i in gl.static_range(PARTS):
            part, part_phase = advance(part, part_phase, BUFFERS)
        number, turn = next_tile(tiles, turn)


@gluon.jit
def store(c, staging, sums, full, free, tiles, alpha, tile_rows, tile_columns, GROUP: gl.constexpr,
          PARTS: gl.constexpr):
    """Tensor memory to registers to shared memory to global memory, in pieces as wide as a buffer of `staging`.

    A buffer is written again only when the TMA has read what was put there before; the pieces take
    turns, so that copy has had the time of one piece at least.
    """
    BUFFERS: gl.constexpr = staging.shape[0]
    ROWS: gl.constexpr = staging.shape[1]
    PIECE: gl.constexpr = staging.shape[2]
    WIDTH: gl.constexpr = sums.shape[2]
    PIECES: gl.constexpr = WIDTH // PIECE
    gl.static_assert(PARTS * PIECES % BUFFERS == 0, "the pieces of a tile have to be dealt out evenly")
    part = gl.to_tensor(0)
    phase = gl.to_tensor(0)
    turn = gl.to_tensor(0)
    number = gl.program_id(0)
    while number >= 0:
        row, column = tile_place(number, tile_rows, tile_columns, GROUP)
        number, turn = next_tile(tiles, turn)
        for i in gl.static_range(PARTS):
            mbarrier.wait(full.index(part), phase)
            for j in gl.static_range(PIECES):
                values = sums.index(part).slice(j * PIECE, PIECE).load()
                if j == PIECES - 1:
                    mbarrier.arrive(free.index(part))
                buffer = staging.index((i * PIECES + j) % BUFFERS)
                tma.store_wait(BUFFERS - 1)
                buffer.store((values * alpha).to(c.dtype))
                fence_async_shared()
                tma.async_store(c, [row * ROWS, (column * PARTS + i) * WIDTH + j * PIECE], buffer)
            part, phase = advance(part, phase, sums.shape[0])
    tma.store_wait(0)


@gluon.jit
def ring_of_scales(scale, STAGES: gl.constexpr, ROWS: gl.constexpr, layout: gl.constexpr):
    """Slots for blocks of scales in shared and in tensor memory."""
    SCALES: gl.constexpr = 4 * scale.block_shape[1]
    shared = gl.allocate_shared_memory(scale.dtype, [STAGES] + scale.block_shape, scale.layout)
    return shared, allocate_tensor_memory(scale.dtype, [STAGES, ROWS, SCALES], layout)


@gluon.jit
def ring_of_barriers(SLOTS: gl.constexpr, COUNT: gl.constexpr, OF_PAIR: gl.constexpr):
    """A barrier for each slot, one in each CTA or one for both."""
    bars = mbarrier.allocate_mbarrier(batch=SLOTS, two_ctas=OF_PAIR)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(bars.index(slot), count=COUNT)
    return bars


@gluon.jit
def matmul(a, b, a_scale, b_scale, c, alpha, m, n, k, STAGES: gl.constexpr, PARTS: gl.constexpr, BUFFERS: gl.constexpr,
           GROUP: gl.constexpr, STAGING: gl.constexpr):
    """The kernel; launched with num_ctas=2 and num_warps=4, which are those that store.

    k counts what a row of A has, bytes for nvfp4. Without scales, a_scale and b_scale are None.
    m, n and k are more than 0.
    """
    ROWS: gl.constexpr = a.block_shape[0]
    WIDTH: gl.constexpr = b.block_shape[0]
    rows: gl.constexpr = [[1, 0]]

    a_ring = gl.allocate_shared_memory(a.dtype, [STAGES] + a.block_shape, a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [STAGES * PARTS] + b.block_shape, b.layout)
    staging = gl.allocate_shared_memory(c.dtype, [STAGING] + c.block_shape, c.layout)
    sums = allocate_tensor_memory(gl.float32, [BUFFERS, ROWS, WIDTH], TensorMemoryLayout([128, WIDTH], 1, rows, True))
    if a_scale is not None:
        # Each CTA has the scales of its rows, and all those of the columns.
        a_scale_ring, a_scales = ring_of_scales(a_scale, STAGES, ROWS, TensorMemoryScalesLayout(rows))
        b_scale_ring, b_scales = ring_of_scales(b_scale, STAGES * PARTS, WIDTH, TensorMemoryScalesLayout([[0, 0]]))
        scale_rings = (a_scale_ring, b_scale_ring)
        scales = (a_scales, b_scales)
    else:
        scale_rings = (None, None)
        scales = (None, None)
    rings = (a_ring, b_ring) + scale_rings

    answers = gl.allocate_shared_memory(gl.int64, [2, 2], gl.SwizzledSharedLayout(1, 1, 1, [0], [[0]]))
    answered = ring_of_barriers(2, 1, False)
    read = ring_of_barriers(2, 4, True)
    filled = ring_of_barriers(STAGES, 1, True)
    drained = ring_of_barriers(STAGES, 1, False)
    full = ring_of_barriers(BUFFERS, 1, False)
    free = ring_of_barriers(BUFFERS, 1, True)
    tiles = (answers, answered, read)

    tile_rows = gl.cdiv(m, ROWS)
    tile_columns = gl.cdiv(n, WIDTH * PARTS)
    steps = gl.cdiv(k, a.block_shape[1])
    gl.warp_specialize([
        (store, (c, staging, sums, full, free, tiles, alpha, tile_rows, tile_columns, GROUP, PARTS)),
        (load, ((a, b, a_scale, b_scale), rings, filled, drained, tiles, tile_rows, tile_columns, steps, GROUP)),
        (multiply, (rings, scales, sums, filled, drained, full, free, tiles, steps, PARTS)),
        (schedule, (tiles, )),
    ], [1, 1, 1], [24, 24, 24])


# ---- From Python ------------------------------------------------------------------------------

# Columns of a part of a tile, parts of a tile, parts of sums in tensor memory, bytes of a block's depth,
# slots of the ring, rows of tiles in a group, width of a piece that is stored, buffers for pieces.
CONFIG = dict(columns=256, parts=1, buffers=2, depth_bytes=128, stages=6, group=8, width=64, staging=2)

# Of tensor memory's 512 columns, scales take 12 for each slot of mxfp8, 48 of nvfp4.
CONFIG_OF_SCALES = {32: dict(columns=128, parts=2, buffers=3, stages=5),
                    16: dict(columns=128, parts=2, buffers=2, stages=5)}


def describe(tensor, rows, columns):
    """The TMA's view of a row-major tensor, in blocks; each CTA of a pair has half of the rows."""
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=2, cga_layout=[[1, 0]])
    return TensorDescriptor.from_tensor(tensor, [rows, columns], layout)


def describe_scales(scales, rows, count, split):
    """The same of scales in chunks; each CTA has half of the rows, or all."""
    layout = gl.NVMMASharedLayout(0, 8, rank=4, cga_layout=[[1 if split else 0, 0, 0, 0]])
    return TensorDescriptor.from_tensor(scales, [rows // 128, count // 4, 2, 256], layout)


def in_chunks(scales):
    """Scales, rows x scales of a row, as the kernel wants them: in chunks of 128 rows x 4 scales.

    Row m and scale k of a chunk are in byte m % 32 * 16 + m // 32 * 4 + k. cuBLAS has the same order.
    """
    import torch
    rows, count = scales.shape
    padded = torch.zeros(-(-rows // 128) * 128, -(-count // 4) * 4, dtype=torch.uint8, device=scales.device)
    padded[:rows, :count] = scales.view(torch.uint8)
    chunks = padded.view(-1, 4, 32, padded.shape[1] // 4, 4).permute(0, 3, 2, 1, 4)
    return chunks.reshape(padded.shape[0] // 128, padded.shape[1] // 4, 2, 256).view(scales.dtype)


def is_nvfp4(a):
    """Whether elements lie in bytes, two in each."""
    import torch
    return a.dtype == torch.uint8


def product(a, b, c, alpha=1.0, a_scale=None, b_scale=None, config=None):
    """c = alpha * a @ b.T for tensors of PyTorch; scales, in_chunks(), where a and b are mxfp8 or nvfp4."""
    vector = 16 if is_nvfp4(a) else 32
    config = {**CONFIG, **(CONFIG_OF_SCALES[vector] if a_scale is not None else {}), **(config or {})}
    (m, k), (n, _) = a.shape, b.shape
    columns = config["columns"]
    depth = config["depth_bytes"] // a.element_size()
    scales = (None, None)
    if a_scale is not None:
        count = 2 * depth // vector if is_nvfp4(a) else depth // vector
        scales = describe_scales(a_scale, 256, count, True), describe_scales(b_scale, columns, count, False)
    tiles = -(-m // 256) * -(-n // (columns * config["parts"]))
    return matmul[(tiles,)](
        describe(a, 256, depth), describe(b, columns, depth), *scales, describe(c, 256, config["width"]), alpha, m, n,
        k, STAGES=config["stages"], PARTS=config["parts"], BUFFERS=config["buffers"], GROUP=config["group"],
        STAGING=config["staging"], num_warps=4, num_ctas=2)


def random_operand(rows, k, kind, device):
    """An operand of rows x k elements, its scales, or None, and what both mean in float64."""
    import torch
    if kind == "mxfp8":
        values = torch.randn(rows, k, device=device).to(torch.float8_e4m3fn)
        scales = torch.randint(124, 131, (rows, k // 32), dtype=torch.uint8, device=device)
        return values, scales, values.double() * torch.exp2(scales.double() - 127).repeat_interleave(32, 1)
    if kind == "nvfp4":
        values = torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8, device=device)
        scales = (torch.rand(rows, k // 16, device=device) + 0.5).to(torch.float8_e4m3fn)
        positive = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
        meaning = torch.tensor(positive + [-x for x in positive], dtype=torch.float64, device=device)
        both = meaning[torch.stack([values & 15, values >> 4], 2).flatten(1).long()]
        return values, scales, both * scales.double().repeat_interleave(16, 1)
    values = torch.randn(rows, k, device=device).to(getattr(torch, kind))
    return values, None, values.double()


def check(device, m, n, k, kind, out_dtype, alpha=1.0, config=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    a, a_scale, a_meant = random_operand(m, k, kind, device)
    b, b_scale, b_meant = random_operand(n, k, kind, device)
    c = torch.full((m, n), float("nan"), device=device, dtype=out_dtype)
    if a_scale is not None:
        a_scale, b_scale = in_chunks(a_scale), in_chunks(b_scale)
    product(a, b, c, alpha, a_scale, b_scale, config)
    expected = alpha * (a_meant @ b_meant.T)
    # Sums are rounded once to the result's type; within them, tensor cores keep far more bits than that.
    bound = torch.finfo(out_dtype).eps * expected.abs() + (1e-4 if a.element_size() > 1 else 1e-2) * k**0.5
    wrong = (~((c.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {m}x{n}x{k} {kind} -> {out_dtype}{f', {config}' if config else ''}: "
          f"{wrong} of {m * n} elements are wrong")
    return wrong == 0


def main():
    import torch
    has_blackwell = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 10
    if not has_blackwell:
        # What the simulator pretends to be, and with it whoever asks which GPU is there.
        os.environ.setdefault("GLUONC_SIMULATE", "cuda:100a")
    fine = True
    for kind, out_dtype in (("float16", torch.float16), ("bfloat16", torch.bfloat16), ("float8_e4m3fn", torch.bfloat16),
                            ("mxfp8", torch.bfloat16), ("nvfp4", torch.bfloat16)):
        # Edges that no tile divides; rings that wrap around; more tiles than clusters begin.
        alpha = 0.25 if kind == "nvfp4" else 1.0
        fine &= check("cpu", 300, 520, 608, kind, out_dtype, alpha)
        fine &= check("cpu", 300, 520, 608, kind, out_dtype, alpha, dict(stages=2))
        if has_blackwell:
            fine &= check("cuda", 4096, 4096, 4096, kind, out_dtype, alpha)
            fine &= check("cuda", 1000, 2056, 4128, kind, out_dtype, alpha)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
