"""A product of fp8 numbers with scales of blocks, for Hopper, as DeepSeek-V3 trains and serves with.

    C[i, j] = sum over blocks b of SA[b, i] SB[j / 128, b] sum over k in b of A[i, k] B[j, k]

for A of M x K and B of N x K in fp8, in blocks of 128 along K: one scale for each row of A in a block,
one for each 128 x 128 numbers of B, in fp32 (DeepSeek-AI 2024, arXiv:2412.19437, section 3.3). SA is
blocks x M, so that the scales of neighbouring rows are neighbours; M a multiple of 4. C is M x N in 16-bit
floats.

Scales change along K, so tensor cores cannot add up the whole of it: each block's product is multiplied by
its scales and added by the ordinary units, in fp32, which also makes up for the few bits that tensor cores
keep of sums of fp8. That needs registers for two tiles, the sums and the block's product, and time.

*   Three consumers have 64 rows of a tile of 192 x 128 each. While one adds, the tensor cores work for the
    others. Two consumers with 128 rows each, which they multiply in halves, need less from L2, but the tensor
    cores wait for them now and then; they are for sizes that tiles of 256 rows divide better.
*   Scales of rows come with the block, by the TMA; the one of B is read one step ahead.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma, warpgroup_mma
from gluonc.nvidia.hopper import TensorDescriptor
from matmul import advance, describe, store_tile, tile_place


@gluon.jit
def produce(a, b, sa, a_ring, b_ring, scales, filled, drained, tile_rows, tile_columns, steps, GROUP: gl.constexpr):
    STAGES: gl.constexpr = b_ring.shape[0]
    PARTS: gl.constexpr = a_ring.shape[0] // STAGES
    BYTES: gl.constexpr = (64 * PARTS + 128) * 128 + 64 * PARTS * 4
    slot = 0
    phase = 1
    for number in range(gl.program_id(0), tile_rows * tile_columns, gl.num_programs(0)):
        row, column = tile_place(number, tile_rows, tile_columns, GROUP)
        for step in range(steps):
            mbarrier.wait(drained.index(slot), phase)
            mbarrier.expect(filled.index(slot), BYTES)
            for i in gl.static_range(PARTS):
                first = (row * PARTS + i) * 64
                tma.async_load(sa, [step, first], filled.index(slot), scales.index(slot * PARTS + i))
                tma.async_load(a, [first, step * 128], filled.index(slot), a_ring.index(slot * PARTS + i))
            tma.async_load(b, [column * 128, step * 128], filled.index(slot), b_ring.index(slot))
            slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def add_block(sums, a_tile, b_tile, row_scales, scale):
    """sums + (a b^T) * scales, for 64 rows."""
    layout: gl.constexpr = sums.type.layout
    product = warpgroup_mma(a_tile, b_tile.permute((1, 0)), gl.zeros([64, 128], gl.float32, layout), use_acc=False)
    return sums + product * (row_scales.reshape([64]).load(gl.SliceLayout(1, layout)) * scale)[:, None]


@gluon.jit
def consume(c, sb, staging, a_ring, b_ring, scales, filled, drained, tile_rows, tile_columns, steps,
            GROUP: gl.constexpr, FIRST: gl.constexpr, COUNT: gl.constexpr):
    """COUNT parts of 64 rows of each tile, from FIRST on."""
    STAGES: gl.constexpr = b_ring.shape[0]
    PARTS: gl.constexpr = a_ring.shape[0] // STAGES
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 128, 32])
    slot = 0
    phase = 0
    for number in range(gl.program_id(0), tile_rows * tile_columns, gl.num_programs(0)):
        row, column = tile_place(number, tile_rows, tile_columns, GROUP)
        upper = gl.zeros([64, 128], gl.float32, layout)
        lower = gl.zeros([64, 128], gl.float32, layout)
        scale = gl.load(sb + column * steps)
        for step in range(steps):
            next_scale = gl.load(sb + column * steps + step + 1, step + 1 < steps, 0.0)
            part = slot * PARTS + FIRST
            mbarrier.wait(filled.index(slot), phase)
            upper = add_block(upper, a_ring.index(part), b_ring.index(slot), scales.index(part), scale)
            if COUNT == 2:
                # It is there. But ptxas does not move instructions across the loop that waiting is, and the
                # registers suffice for one product at a time.
                mbarrier.wait(filled.index(slot), phase)
                lower = add_block(lower, a_ring.index(part + 1), b_ring.index(slot), scales.index(part + 1), scale)
            # Threads have read the scales, which the TMA must not overwrite before.
            fence_async_shared()
            mbarrier.arrive(drained.index(slot))
            scale = next_scale
            slot, phase = advance(slot, phase, STAGES)
        store_tile(c, staging, upper, (row * PARTS + FIRST) * 64, column * 128)
        if COUNT == 2:
            store_tile(c, staging, lower, (row * PARTS + FIRST + 1) * 64, column * 128)
    tma.store_wait(0)


@gluon.jit
def staged(c, BUFFERS: gl.constexpr):
    """What one consumer stores through."""
    return gl.allocate_shared_memory(c.dtype, [BUFFERS] + c.block_shape, c.layout)


# gluonc: a=tensordesc<fp8e4nv[64,128],gl.NVMMASharedLayout(128,8,rank=2)> \
#         b=tensordesc<fp8e4nv[128,128],gl.NVMMASharedLayout(128,8,rank=2)> \
#         c=tensordesc<bf16[64,64],gl.NVMMASharedLayout(128,16,rank=2)> \
#         sa=tensordesc<fp32[1,64],gl.NVMMASharedLayout(0,32,rank=2)> \
#         sb=*fp32:16 m=i32 n=i32 k=i32 CONSUMERS=3 STAGES=4 GROUP=8 BUFFERS=2 REGISTERS=160
@gluon.jit
def scaled_matmul(a, b, c, sa, sb, m, n, k, CONSUMERS: gl.constexpr, STAGES: gl.constexpr, GROUP: gl.constexpr,
                  BUFFERS: gl.constexpr, REGISTERS: gl.constexpr):
    """The kernel; launched with num_warps=4, which are those of consumer 0."""
    COUNT: gl.constexpr = 2 if CONSUMERS == 2 else 1
    PARTS: gl.constexpr = CONSUMERS * COUNT
    a_ring = gl.allocate_shared_memory(a.dtype, [STAGES * PARTS, 64, 128], a.layout)
    b_ring = gl.allocate_shared_memory(b.dtype, [STAGES, 128, 128], b.layout)
    scales = gl.allocate_shared_memory(gl.float32, [STAGES * PARTS, 1, 64], sa.layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=CONSUMERS)

    rows = gl.cdiv(m, 64 * PARTS)
    columns = gl.cdiv(n, 128)
    steps = gl.cdiv(k, 128)
    if CONSUMERS == 2:
        gl.warp_specialize([
            (consume, (c, sb, staged(c, BUFFERS), a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP, 0, 2)),
            (consume, (c, sb, staged(c, BUFFERS), a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP, 2, 2)),
            (produce, (a, b, sa, a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP)),
        ], [4, 1], [REGISTERS, 24])
    else:
        gl.warp_specialize([
            (consume, (c, sb, staged(c, BUFFERS), a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP, 0, 1)),
            (consume, (c, sb, staged(c, BUFFERS), a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP, 1, 1)),
            (consume, (c, sb, staged(c, BUFFERS), a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP, 2, 1)),
            (produce, (a, b, sa, a_ring, b_ring, scales, filled, drained, rows, columns, steps, GROUP)),
        ], [4, 4, 1], [REGISTERS, REGISTERS, 24])


# ---- From Python ------------------------------------------------------------------------------

# Three consumers of 64 rows keep the tensor cores busier; two of 128 rows have tiles of 256.
THREE = dict(consumers=3, buffers=2, registers=160)
TWO = dict(consumers=2, buffers=1, registers=240)


def config_for(m, n, programs):
    """The tiles of which the last wave is fuller; those of two consumers take a tenth more time for each row."""
    def rows(tall):
        return -(-(-(-m // tall) * -(-n // 128)) // programs) * tall
    return THREE if rows(192) < 1.1 * rows(256) else TWO


def product(a, sa, b, sb, c, programs, config=None):
    """c = (a * sa) @ (b * sb).T on `programs` programs; shapes as above."""
    (m, k), (n, _) = a.shape, b.shape
    config = {"stages": 4, "group": 8, "width": 64, **config_for(m, n, programs), **(config or {})}
    tiles = -(-m // (192 if config["consumers"] == 3 else 256)) * -(-n // 128)
    scales = TensorDescriptor.from_tensor(sa, [1, 64], gl.NVMMASharedLayout(0, 32, rank=2))
    return scaled_matmul[(min(programs, tiles),)](
        describe(a, 64, 128), describe(b, 128, 128), describe(c, 64, config["width"]), scales, sb, m, n, k,
        CONSUMERS=config["consumers"], STAGES=config["stages"], GROUP=config["group"], BUFFERS=config["buffers"], REGISTERS=config["registers"], num_warps=4)


def random_operand(rows, k, tall, device):
    """Numbers in fp8 and their scales, of blocks of `tall` rows and 128 columns: (numbers, blocks of rows x of columns)."""
    import torch
    numbers = torch.randn(rows, k, device=device).to(torch.float8_e4m3fn)
    return numbers, torch.rand(-(-rows // tall), -(-k // 128), device=device) + 0.5


def widened(scales, rows, k, tall):
    return scales.double().repeat_interleave(tall, 0)[:rows].repeat_interleave(128, 1)[:, :k]


def check(device, programs, m, n, k, out_dtype, config=None):
    """Random operands and scales, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    a, sa = random_operand(m, k, 1, device)
    b, sb = random_operand(n, k, 128, device)
    c = torch.full((m, n), float("nan"), device=device, dtype=out_dtype)
    product(a, sa.T.contiguous(), b, sb, c, programs, config)
    expected = (a.double() * widened(sa, m, k, 1)) @ (b.double() * widened(sb, n, k, 128)).T
    # The sum of a block is kept to 13 bits and more.
    bound = torch.finfo(out_dtype).eps * expected.abs() + 1e-2 * k**0.5
    wrong = (~((c.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {m}x{n}x{k} with scales -> {out_dtype}: {wrong} of {m * n} elements are wrong")
    return wrong == 0


def main():
    import torch
    # Edges that no tile divides; rings that wrap around; fewer programs than tiles.
    fine = check("cpu", 2, 300, 328, 656, torch.bfloat16)
    fine &= check("cpu", 3, 64, 264, 256, torch.float16)
    fine &= check("cpu", 2, 300, 328, 656, torch.bfloat16, TWO)
    if torch.cuda.is_available():
        count = torch.cuda.get_device_properties(0).multi_processor_count
        fine &= check("cuda", count, 4096, 4096, 4096, torch.bfloat16)
        fine &= check("cuda", count, 1000, 2056, 4112, torch.float16)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
