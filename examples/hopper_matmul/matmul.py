"""A matrix product for Hopper: persistent, warp-specialized, fed and drained by the TMA.

C = A B^T for row-major A of M x K and B of N x K (the weight of a linear layer) in fp16, bf16 or
fp8; C of M x N in 16-bit floats. Three partitions of one program share its work:

    producer    one warp asks the TMA for the next blocks of A and B, STAGES of them ahead
    consumer 0  a warpgroup multiplies the upper half of each tile and stores it
    consumer 1  a warpgroup multiplies the lower half and stores it

    global --TMA--> ring of STAGES buffers --wgmma--> registers --> shared --TMA--> global
              filled[slot] ->          <- drained[slot]

Each slot of the ring has two barriers. `filled` completes when the bytes of both blocks have
landed; `drained` when both consumers are done with them. A barrier alternates between two phases:
the n-th use of a slot waits for the phase n % 2 of `filled`, and the producer for the opposite one
of `drained`, which a fresh barrier passes at once.

Why two consumers and not one of eight warps: nothing but the ring ties them together. While one
converts and stores its half of a tile, the tensor cores work for the other, so the stores cost next
to nothing, and the producer meanwhile loads the next tile.

As many programs are launched as the chip has multiprocessors; each walks over the tiles with that
stride. Tiles that run at one time should share operands in L2, so they are numbered in groups of
GROUP rows of tiles, column by column within a group.

With CTAS = 2 a program is a cluster of two multiprocessors: its tile has twice the rows, and each
CTA multiplies half of every consumer's. Both need the same block of B, which crosses the chip once
and is dropped into both shared memories (multicast). The CTA that asks for it must know that the
slot is free in both, so it waits for a second barrier, which the consumers of both CTAs arrive at.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from gluonc.nvidia.hopper import TensorDescriptor


@gluon.jit
def tile_place(number, tile_rows, tile_columns, GROUP: gl.constexpr):
    """Row and column of the tile that has this number."""
    group = number // (GROUP * tile_columns)
    inside = number % (GROUP * tile_columns)
    height = gl.minimum(tile_rows - group * GROUP, GROUP)
    return group * GROUP + inside % height, inside // height


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of the ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def slot_before(slot, STAGES: gl.constexpr):
    return gl.where(slot == 0, STAGES - 1, slot - 1)


@gluon.jit
def produce(a, b, a_ring, b_ring, filled, drained, tile_rows, tile_columns, steps, GROUP: gl.constexpr):
    STAGES: gl.constexpr = b_ring.shape[0]
    ROWS: gl.constexpr = a_ring.shape[0] // STAGES * a_ring.shape[1]
    COLUMNS: gl.constexpr = b_ring.shape[1]
    DEPTH: gl.constexpr = a_ring.shape[2]
    BYTES: gl.constexpr = (ROWS // gl.num_ctas() + COLUMNS) * DEPTH * a.dtype.primitive_bitwidth // 8
    slot = 0
    phase = 1
    for number in range(gl.program_id(0), tile_rows * tile_columns, gl.num_programs(0)):
        row, column = tile_place(number, tile_rows, tile_columns, GROUP)
        for step in range(steps):
            mbarrier.wait(drained[0].index(slot), phase)
            mbarrier.expect(filled.index(slot), BYTES)
            if gl.num_ctas() == 1:
                tma.async_load(a, [row * ROWS, step * DEPTH], filled.index(slot), a_ring.index(slot))
                tma.async_load(b, [column * COLUMNS, step * DEPTH], filled.index(slot), b_ring.index(slot))
            else:
                upper = a_ring.index(2 * slot)
                lower = a_ring.index(2 * slot + 1)
                tma.async_load(a, [row * ROWS, step * DEPTH], filled.index(slot), upper)
                tma.async_load(a, [row * ROWS + ROWS // 2, step * DEPTH], filled.index(slot), lower)
                # Only the first CTA waits here, and only it loads.
                mbarrier.wait(drained[1].index(slot), phase)
                tma.async_load(b, [column * COLUMNS, step * DEPTH], filled.index(slot), b_ring.index(slot),
                               multicast=True)
            slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def half_of(a_ring, slot, HALF: gl.constexpr):
    """What one consumer multiplies: half of the rows of a block, or of the cluster's two blocks one."""
    if gl.num_ctas() == 1:
        HEIGHT: gl.constexpr = a_ring.shape[1] // 2
        return a_ring.index(slot).slice(HALF * HEIGHT, HEIGHT)
    else:
        return a_ring.index(2 * slot + HALF)


@gluon.jit
def give_back(drained, slot, pred):
    """One consumer is done with a slot."""
    for i in gl.static_range(len(drained)):
        mbarrier.arrive(drained[i].index(slot), pred=pred)


@gluon.jit
def multiply(a_ring, b_ring, filled, drained, slot, phase, steps, HALF: gl.constexpr, layout: gl.constexpr):
    """One consumer's half of a tile, and the ring's next slot.

    The product of a step is waited for only after the next one was issued: the tensor cores always
    have one to do, and a slot is given back one step late.
    """
    STAGES: gl.constexpr = b_ring.shape[0]
    HEIGHT: gl.constexpr = 64 * gl.num_ctas()
    COLUMNS: gl.constexpr = b_ring.shape[1]
    sums = gl.zeros([HEIGHT, COLUMNS], gl.float32, layout)
    for step in range(steps):
        mbarrier.wait(filled.index(slot), phase)
        sums = warpgroup_mma(half_of(a_ring, slot, HALF), b_ring.index(slot).permute((1, 0)), sums, use_acc=step != 0,
                             is_async=True)
        sums = warpgroup_mma_wait(1, deps=[sums])
        give_back(drained, slot_before(slot, STAGES), step != 0)
        slot, phase = advance(slot, phase, STAGES)
    sums = warpgroup_mma_wait(0, deps=[sums])
    give_back(drained, slot_before(slot, STAGES), True)
    return sums, slot, phase


@gluon.jit
def split_columns(tile, WIDTH: gl.constexpr):
    """A tile cut into tiles of WIDTH columns, from left to right; only names of registers change."""
    ROWS: gl.constexpr = tile.shape[0]
    pieces = (tile, )
    for _ in gl.static_range(3):
        if pieces[0].shape[1] > WIDTH:
            halves = ()
            for i in gl.static_range(len(pieces)):
                left, right = pieces[i].reshape([ROWS, 2, pieces[i].shape[1] // 2]).permute(0, 2, 1).split()
                halves = halves + (left, right)
            pieces = halves
    return pieces


@gluon.jit
def store_tile(c, staging, sums, row, column):
    """Registers to shared memory to global memory, in pieces as wide as a staging buffer.

    A buffer is written again only when the TMA has read what was put there before; the pieces take
    turns, so that copy has had the time of one piece at least.
    """
    BUFFERS: gl.constexpr = staging.shape[0]
    WIDTH: gl.constexpr = staging.shape[2]
    PARTS: gl.constexpr = sums.shape[1] // WIDTH
    pieces = split_columns(sums, WIDTH)
    for part in gl.static_range(PARTS):
        buffer = staging.index(part % BUFFERS)
        tma.store_wait(BUFFERS - 1)
        buffer.store(pieces[part].to(c.dtype))
        fence_async_shared()
        tma.async_store(c, [row, column + part * WIDTH], buffer)


@gluon.jit
def consume(c, staging, a_ring, b_ring, filled, drained, tile_rows, tile_columns, steps, GROUP: gl.constexpr,
            HALF: gl.constexpr, layout: gl.constexpr):
    ROWS: gl.constexpr = 128 * gl.num_ctas()
    COLUMNS: gl.constexpr = b_ring.shape[1]
    slot = 0
    phase = 0
    for number in range(gl.program_id(0), tile_rows * tile_columns, gl.num_programs(0)):
        sums, slot, phase = multiply(a_ring, b_ring, filled, drained, slot, phase, steps, HALF, layout)
        row, column = tile_place(number, tile_rows, tile_columns, GROUP)
        store_tile(c, staging, sums, row * ROWS + HALF * (ROWS // 2), column * COLUMNS)
    tma.store_wait(0)


@gluon.jit
def matmul(a, b, c, m, n, k, STAGES: gl.constexpr, GROUP: gl.constexpr, BUFFERS: gl.constexpr,
           REGISTERS: gl.constexpr):
    """The kernel; launched with num_warps=4, which are those of consumer 0."""
    CTAS: gl.constexpr = gl.num_ctas()
    ROWS: gl.constexpr = 128 * CTAS
    COLUMNS: gl.constexpr = b.block_shape[0]
    DEPTH: gl.constexpr = a.block_shape[1]
    K_OF_INSTRUCTION: gl.constexpr = 256 // a.dtype.primitive_bitwidth
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, K_OF_INSTRUCTION],
                                                     c.layout.cga_layout)

    a_ring = gl.allocate_shared_memory(a.dtype, [STAGES * CTAS, 128, DEPTH], a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [STAGES, COLUMNS, DEPTH], b.layout)
    staging0 = gl.allocate_shared_memory(c.dtype, [BUFFERS] + c.block_shape, c.layout)
    staging1 = gl.allocate_shared_memory(c.dtype, [BUFFERS] + c.block_shape, c.layout)
    # In a cluster, one of each for every CTA, and behind them one that all have in common.
    each: gl.constexpr = mbarrier.MBarrierLayout(None if CTAS == 1 else [[1]])
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, CTAS], each)
    drained = (gl.allocate_shared_memory(gl.int64, [STAGES, CTAS], each), )
    if CTAS == 2:
        drained = drained + (gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout([[0]])), )
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        for i in gl.static_range(len(drained)):
            mbarrier.init(drained[i].index(slot), count=2)

    tile_rows = gl.cdiv(m, ROWS)
    tile_columns = gl.cdiv(n, COLUMNS)
    steps = gl.cdiv(k, DEPTH)
    gl.warp_specialize([
        (consume, (c, staging0, a_ring, b_ring, filled, drained, tile_rows, tile_columns, steps, GROUP, 0, layout)),
        (consume, (c, staging1, a_ring, b_ring, filled, drained, tile_rows, tile_columns, steps, GROUP, 1, layout)),
        (produce, (a, b, a_ring, b_ring, filled, drained, tile_rows, tile_columns, steps, GROUP)),
    ], [4, 1], [REGISTERS, 24])


# ---- From Python ------------------------------------------------------------------------------

# Multiprocessors that share a tile of 128 rows each, its columns, bytes of its depth, slots of the
# ring, rows of tiles in a group, width of a piece that is stored, buffers for pieces, registers of a
# consumer's thread.
CONFIG = dict(ctas=1, columns=256, depth_bytes=128, stages=4, group=16, width=64, buffers=2, registers=240)

# Pairs of multiprocessors share blocks of B. It takes a third off what L2 has to deliver, which is not
# what limits an H100: both ways are as fast as its power allows, within one percent.
CLUSTERS = dict(ctas=2)


def describe(tensor, rows, columns, cga=()):
    """The TMA's view of a row-major tensor, in blocks; a row of a block has 128 bytes at least."""
    layout = gl.NVMMASharedLayout(128, 8 * tensor.dtype.itemsize, rank=2, cga_layout=list(cga))
    return TensorDescriptor.from_tensor(tensor, [rows, columns], layout)


def product(a, b, c, programs, config=None):
    """c = a @ b.T on `programs` programs; a tensor of PyTorch or an array of NumPy each."""
    config = {**CONFIG, **(config or {})}
    (m, k), (n, _) = a.shape, b.shape
    depth = config["depth_bytes"] // a.dtype.itemsize
    ctas = config["ctas"]
    tiles = -(-m // (128 * ctas)) * -(-n // config["columns"])
    split, same = ([], []) if ctas == 1 else ([[1, 0]], [[0, 0]])
    return matmul[(min(programs // ctas, tiles),)](
        describe(a, 128, depth, split), describe(b, config["columns"], depth, same),
        describe(c, 64 * ctas, config["width"], split), m, n, k, STAGES=config["stages"], GROUP=config["group"],
        BUFFERS=config["buffers"], REGISTERS=config["registers"], num_warps=4, num_ctas=ctas)


def check(device, programs, m, n, k, dtype, out_dtype, config=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    a, b = (torch.randn(rows, k).to(device=device, dtype=dtype) for rows in (m, n))
    c = torch.full((m, n), float("nan"), device=device, dtype=out_dtype)
    product(a, b, c, programs, config)
    expected = a.double() @ b.double().T
    # Sums are rounded once to the result's type. Within them, tensor cores keep 13 bits and more of
    # products of fp8, and far more of the others.
    bound = torch.finfo(out_dtype).eps * expected.abs() + (1e-4 if a.dtype.itemsize > 1 else 1e-2) * k**0.5
    wrong = (~((c.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {m}x{n}x{k} {dtype} -> {out_dtype}{f', {config}' if config else ''}: "
          f"{wrong} of {m * n} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    for dtype, out_dtype in ((torch.float16, torch.float16), (torch.bfloat16, torch.bfloat16),
                             (torch.float8_e4m3fn, torch.bfloat16)):
        # Edges that no tile divides; rings that wrap around; fewer programs than tiles.
        fine &= check("cpu", 2, 200, 520, 336, dtype, out_dtype)
        fine &= check("cpu", 4, 300, 520, 336, dtype, out_dtype, CLUSTERS)
        if torch.cuda.is_available():
            count = torch.cuda.get_device_properties(0).multi_processor_count
            fine &= check("cuda", count, 4096, 4096, 4096, dtype, out_dtype)
            fine &= check("cuda", count, 1000, 2056, 4112, dtype, out_dtype)
            fine &= check("cuda", count, 1000, 2056, 4112, dtype, out_dtype, CLUSTERS)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
