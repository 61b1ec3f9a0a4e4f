"""Products of groups of rows with a matrix of each group's own, for Hopper: a mixture of experts.

    C[begin(e):end(e)] = A[begin(e):end(e)] B[e]^T     for each expert e

for A of M x K, whose rows are sorted by expert, B of experts x N x K, `ends` with the end of each
expert's rows (int32, ascending, on the GPU: the host never learns how many rows an expert has) and
C of M x N. Types are those of matmul.py, and so is the loop; what is new is where tiles are:

*   All experts' tiles are one list, expert by expert, and persistent programs walk over it as there. A
    program finds a tile's expert by the running sum of tiles, as a tensor of one number for each expert.
*   Tiles begin where an expert's rows begin, so the TMA needs one descriptor of A whatever the
    groups are. What a tile loads beyond its expert's rows are the next one's; nobody uses the products.
*   The TMA would store those, too. Where a consumer's rows go beyond the end, it takes what is in shared
    memory and stores the rows that count by itself: one tile of each expert at most, in each column.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier, tma
from matmul import CONFIG, advance, describe, multiply, split_columns, store_tile, tile_place


@gluon.jit
def rows_of(ends, experts, EXPERTS: gl.constexpr):
    """(number, first row, end) of each expert; those behind the last one are empty."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    number = gl.arange(0, EXPERTS, layout=layout)
    end = gl.load(ends + number, number < experts, 0)
    begin = gl.load(ends + number - 1, (number > 0) & (number < experts), 0)
    return number, begin, end


@gluon.jit
def tiles_of(begin, end, tile_columns):
    """How many tiles there are up to each expert's last one, and in all."""
    tiles = gl.cdiv(gl.maximum(end - begin, 0), 128) * tile_columns
    return gl.cumsum(tiles, 0), gl.sum(tiles, 0)


@gluon.jit
def find(tile, number, begin, end, tile_ends, tile_columns, GROUP: gl.constexpr):
    """Expert, first row, end of the expert's rows, and column (in tiles) of the tile that has this number."""
    before = tile_ends <= tile
    expert = gl.sum(before.to(gl.int32), 0)
    first = gl.sum(gl.where(number == expert, begin, 0), 0)
    stop = gl.sum(gl.where(number == expert, end, 0), 0)
    inside = tile - gl.max(gl.where(before, tile_ends, 0), 0)
    row, column = tile_place(inside, gl.cdiv(stop - first, 128), tile_columns, GROUP)
    return expert, first + row * 128, stop, column


@gluon.jit
def produce(a, b, ends, experts, a_ring, b_ring, filled, drained, n, steps, GROUP: gl.constexpr, EXPERTS: gl.constexpr):
    STAGES: gl.constexpr = b_ring.shape[0]
    COLUMNS: gl.constexpr = b_ring.shape[1]
    DEPTH: gl.constexpr = a_ring.shape[2]
    BYTES: gl.constexpr = (128 + COLUMNS) * DEPTH * a.dtype.primitive_bitwidth // 8
    tile_columns = gl.cdiv(n, COLUMNS)
    number, begin, end = rows_of(ends, experts, EXPERTS)
    tile_ends, tiles = tiles_of(begin, end, tile_columns)
    slot = 0
    phase = 1
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        expert, row, _, column = find(tile, number, begin, end, tile_ends, tile_columns, GROUP)
        for step in range(steps):
            mbarrier.wait(drained[0].index(slot), phase)
            mbarrier.expect(filled.index(slot), BYTES)
            tma.async_load(a, [row, step * DEPTH], filled.index(slot), a_ring.index(slot))
            tma.async_load(b, [expert * n + column * COLUMNS, step * DEPTH], filled.index(slot), b_ring.index(slot))
            slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def store_some(out, staging, sums, row, stop, column, n):
    """The rows before `stop`, through shared memory, so that neighbours are stored together."""
    WIDTH: gl.constexpr = staging.shape[2]
    HEIGHT: gl.constexpr = staging.shape[1]
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    r = row + gl.arange(0, HEIGHT, layout=gl.SliceLayout(1, layout))
    pieces = split_columns(sums, WIDTH)
    tma.store_wait(0)
    for part in gl.static_range(len(pieces)):
        staging.index(0).store(pieces[part].to(staging.dtype))
        c = column + part * WIDTH + gl.arange(0, WIDTH, layout=gl.SliceLayout(0, layout))
        to = out + r.to(gl.int64)[:, None] * n + c[None, :]
        gl.store(to, staging.index(0).load(layout), (r < stop)[:, None] & (c < n)[None, :])


@gluon.jit
def consume(c, out, ends, experts, staging, a_ring, b_ring, filled, drained, n, steps, GROUP: gl.constexpr,
            EXPERTS: gl.constexpr, HALF: gl.constexpr, layout: gl.constexpr):
    COLUMNS: gl.constexpr = b_ring.shape[1]
    tile_columns = gl.cdiv(n, COLUMNS)
    number, begin, end = rows_of(ends, experts, EXPERTS)
    tile_ends, tiles = tiles_of(begin, end, tile_columns)
    slot = 0
    phase = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        _, row, stop, column = find(tile, number, begin, end, tile_ends, tile_columns, GROUP)
        sums, slot, phase = multiply(a_ring, b_ring, filled, drained, slot, phase, steps, HALF, layout)
        row += HALF * 64
        if row + 64 <= stop:
            store_tile(c, staging, sums, row, column * COLUMNS)
        else:
            store_some(out, staging, sums, row, stop, column * COLUMNS, n)
    tma.store_wait(0)


# gluonc: a=tensordesc<bf16[128,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         b=tensordesc<bf16[256,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         c=tensordesc<bf16[64,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         out=*bf16:16 ends=*i32:16 experts=i32 n=i32:16 k=i32:16 STAGES=4 GROUP=16 BUFFERS=2 REGISTERS=240 EXPERTS=16
@gluon.jit
def grouped_matmul(a, b, c, out, ends, experts, n, k, STAGES: gl.constexpr, GROUP: gl.constexpr, BUFFERS: gl.constexpr,
                   REGISTERS: gl.constexpr, EXPERTS: gl.constexpr):
    """The kernel; launched with num_warps=4, which are those of consumer 0.

    b are all experts' rows, one after the other; c and out are the same tensor; EXPERTS is a power of
    two, not below `experts`.
    """
    COLUMNS: gl.constexpr = b.block_shape[0]
    DEPTH: gl.constexpr = a.block_shape[1]
    K_OF_INSTRUCTION: gl.constexpr = 256 // a.dtype.primitive_bitwidth
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, COLUMNS, K_OF_INSTRUCTION])
    a_ring = gl.allocate_shared_memory(a.dtype, [STAGES, 128, DEPTH], a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [STAGES, COLUMNS, DEPTH], b.layout)
    staging0 = gl.allocate_shared_memory(c.dtype, [BUFFERS] + c.block_shape, c.layout)
    staging1 = gl.allocate_shared_memory(c.dtype, [BUFFERS] + c.block_shape, c.layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = (gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout()), )
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained[0].index(slot), count=2)

    steps = gl.cdiv(k, DEPTH)
    gl.warp_specialize([
        (consume, (c, out, ends, experts, staging0, a_ring, b_ring, filled, drained, n, steps, GROUP, EXPERTS, 0, layout)),
        (consume, (c, out, ends, experts, staging1, a_ring, b_ring, filled, drained, n, steps, GROUP, EXPERTS, 1, layout)),
        (produce, (a, b, ends, experts, a_ring, b_ring, filled, drained, n, steps, GROUP, EXPERTS)),
    ], [4, 1], [REGISTERS, 40])


# ---- From Python ------------------------------------------------------------------------------


def product(a, b, ends, c, programs, config=None):
    """c[begin:end] = a[begin:end] @ b[e].T for each expert e, on `programs` programs."""
    config = {**CONFIG, **(config or {})}
    experts, n, k = b.shape
    depth = config["depth_bytes"] // a.dtype.itemsize
    return grouped_matmul[(programs,)](
        describe(a, 128, depth), describe(b.view(-1, k), config["columns"], depth), describe(c, 64, config["width"]), c,
        ends, experts, n, k, STAGES=config["stages"], GROUP=config["group"], BUFFERS=config["buffers"],
        REGISTERS=config["registers"], EXPERTS=1 << (experts - 1).bit_length(), num_warps=4)


def check(device, programs, sizes, n, k, dtype, out_dtype):
    """Random operands, a result that says what it was, and float64 as the judge; rows of no expert stay as they are."""
    import torch
    torch.manual_seed(0)
    m = sum(sizes) + 5
    a, b = (torch.randn(shape, device=device).to(dtype) for shape in ((m, k), (len(sizes), n, k)))
    ends = torch.tensor(sizes).cumsum(0).to(device=device, dtype=torch.int32)
    c = torch.full((m, n), float("nan"), device=device, dtype=out_dtype)
    c[sum(sizes):] = 7
    product(a, b, ends, c, programs)
    expected = torch.full((m, n), 7, device=device, dtype=torch.float64)
    begin = 0
    for expert, end in enumerate(ends.tolist()):
        expected[begin:end] = a[begin:end].double() @ b[expert].double().T
        begin = end
    bound = torch.finfo(out_dtype).eps * expected.abs() + (1e-4 if a.dtype.itemsize > 1 else 1e-2) * k**0.5
    wrong = (~((c.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {len(sizes)} experts, {m}x{n}x{k} {dtype} -> {out_dtype}: {wrong} of {m * n} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    # Experts with no rows, with one, with tiles that are full, and with some that are not.
    fine &= check("cpu", 3, [130, 0, 1, 256, 70], 328, 144, torch.bfloat16, torch.bfloat16)
    fine &= check("cpu", 2, [0, 200, 0], 128, 272, torch.float8_e4m3fn, torch.float16)
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
        fine &= check("cuda", count, [1000, 0, 17, 4096, 333, 128, 640, 1], 2056, 1040, torch.bfloat16, torch.bfloat16)
        fine &= check("cuda", count, [300 + 17 * i for i in range(40)], 1024, 2048, torch.float8_e4m3fn, torch.bfloat16)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
