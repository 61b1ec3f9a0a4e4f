"""Layer norm over long rows for Hopper: y = (x - mean) / sqrt(variance + eps) * weight + bias.

Every element is read once and written once, so the memory's bandwidth is all that counts; the
arithmetic has to stay out of its way. What one multiprocessor has to have on its way from memory is
latency times bandwidth: some 700 ns times 25 bytes a nanosecond, 18 KB. A program that loads a row,
reduces it, stores it and then loads the next has nothing on its way for half of the time. Here,

    producer   one warp asks the TMA for STAGES tiles of rows ahead, whatever the others are doing
    consumers  take a tile from its buffer to registers, which frees the buffer at once, reduce it
               twice (the mean first: the sum of squares of what is left over is exact enough in
               float32, the difference of two large sums is not) and store it from registers

Weight and bias are the same for all rows; persistent programs read them once, into shared memory,
where they fit.
"""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from gluonc.nvidia.hopper import TensorDescriptor


@gluon.jit
def advance(slot, phase, STAGES: gl.constexpr):
    """The next slot of the ring; its phase flips where the ring starts over."""
    last = slot == STAGES - 1
    return gl.where(last, 0, slot + 1), gl.where(last, phase ^ 1, phase)


@gluon.jit
def produce(x, ring, filled, drained, tiles):
    STAGES: gl.constexpr = ring.shape[0]
    ROWS: gl.constexpr = ring.shape[1]
    BYTES: gl.constexpr = ROWS * ring.shape[2] * x.dtype.primitive_bitwidth // 8
    slot = 0
    phase = 1
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        mbarrier.wait(drained.index(slot), phase)
        mbarrier.expect(filled.index(slot), BYTES)
        tma.async_load(x, [tile * ROWS, 0], filled.index(slot), ring.index(slot))
        slot, phase = advance(slot, phase, STAGES)


@gluon.jit
def parameters(weight, bias, kept, n, BLOCK: gl.constexpr, layout: gl.constexpr, KEEP: gl.constexpr):
    """Weight and bias of all columns in float32: from shared memory, or from where the caller has them."""
    if KEEP:
        return kept.index(0).load(layout).to(gl.float32), kept.index(1).load(layout).to(gl.float32)
    else:
        column = gl.arange(0, BLOCK, layout=layout)
        inside = column < n
        return (gl.load(weight + column, mask=inside).to(gl.float32),
                gl.load(bias + column, mask=inside).to(gl.float32))


@gluon.jit
def consume(y, weight, bias, kept, ring, filled, drained, m, n, tiles, eps, layout: gl.constexpr, CUT: gl.constexpr,
            KEEP: gl.constexpr):
    STAGES: gl.constexpr = ring.shape[0]
    ROWS: gl.constexpr = ring.shape[1]
    BLOCK: gl.constexpr = ring.shape[2]
    columns: gl.constexpr = gl.SliceLayout(0, layout)
    column = gl.arange(0, BLOCK, layout=columns)
    line = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    slot = 0
    phase = 0
    for tile in range(gl.program_id(0), tiles, gl.num_programs(0)):
        mbarrier.wait(filled.index(slot), phase)
        values = ring.index(slot).load(layout).to(gl.float32)
        # The next rows come through another path to shared memory: these have been read first.
        fence_async_shared()
        mbarrier.arrive(drained.index(slot))
        slot, phase = advance(slot, phase, STAGES)

        # Columns past the end are zeros, which the TMA filled in; only the second sum would notice.
        values = values - (gl.sum(values, 1) / n)[:, None]
        if CUT:
            values = gl.where((column < n)[None, :], values, 0.0)
        scale = gl.rsqrt(gl.sum(values * values, 1) / n + eps)
        w, b = parameters(weight, bias, kept, n, BLOCK, columns, KEEP)
        values = values * scale[:, None] * w[None, :] + b[None, :]

        inside = (tile * ROWS + line < m)[:, None] & (column < n)[None, :]
        first = y + tile.to(gl.int64) * ROWS * n
        gl.store(first + line[:, None] * n + column[None, :], values.to(y.dtype.element_ty), mask=inside)


@gluon.jit
def layer_norm(x, y, weight, bias, m, n, eps, CUT: gl.constexpr, KEEP: gl.constexpr, STAGES: gl.constexpr):
    """The kernel: x is a descriptor of m x n elements in blocks of rows, the others are pointers."""
    ROWS: gl.constexpr = x.block_shape[0]
    BLOCK: gl.constexpr = x.block_shape[1]
    VECTOR: gl.constexpr = 128 // x.dtype.primitive_bitwidth
    layout: gl.constexpr = gl.BlockedLayout([1, VECTOR], [1, 32], [1, gl.num_warps()], [1, 0])
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])

    ring = gl.allocate_shared_memory(x.dtype, [STAGES, ROWS, BLOCK], x.layout)
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    drained = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for slot in gl.static_range(STAGES):
        mbarrier.init(filled.index(slot), count=1)
        mbarrier.init(drained.index(slot), count=1)
    kept = gl.allocate_shared_memory(x.dtype, [2, BLOCK if KEEP else 16], plain)
    if KEEP:
        column = gl.arange(0, BLOCK, layout=gl.SliceLayout(0, layout))
        kept.index(0).store(gl.load(weight + column, mask=column < n, other=0.0))
        kept.index(1).store(gl.load(bias + column, mask=column < n, other=0.0))

    tiles = gl.cdiv(m, ROWS)
    gl.warp_specialize([
        (consume, (y, weight, bias, kept, ring, filled, drained, m, n, tiles, eps, layout, CUT, KEEP)),
        (produce, (x, ring, filled, drained, tiles)),
    ], [1], [24])


# ---- From Python ------------------------------------------------------------------------------

LONGEST_ROW = 32768


def config_for(n, itemsize):
    """Rows of a tile, stages and warps: 64 elements for a thread, as many stages as fit.

    Weight and bias come first where they and one row fit: a buffer is free again as soon as the row
    is in registers, so one is enough to load while a row is reduced.
    """
    block = max(1024, 1 << (n - 1).bit_length())
    rows = max(1, 8192 // block)
    keep = (2 + rows) * block * itemsize <= 200 << 10
    free = (200 << 10) - (2 * block * itemsize if keep else 0)
    return dict(block=block, rows=rows, keep=keep, stages=min(8, free // (rows * block * itemsize)),
                warps=min(16, max(4, rows * block // 2048)))


def normalize(x, weight, bias, y, programs, eps=1e-5, config=None):
    """y = layer_norm(x) on `programs` programs, over the rows of a matrix of up to LONGEST_ROW columns."""
    m, n = x.shape
    config = {**config_for(n, x.dtype.itemsize), **(config or {})}
    # Without swizzle: rows of a buffer are read from left to right.
    layout = gl.NVMMASharedLayout(0, 8 * x.dtype.itemsize, rank=2)
    rows = TensorDescriptor.from_tensor(x, [config["rows"], config["block"]], layout)
    return layer_norm[(min(programs, -(-m // config["rows"])),)](
        rows, y, weight, bias, m, n, eps, CUT=n != config["block"], KEEP=config["keep"], STAGES=config["stages"],
        num_warps=config["warps"])


def check(device, programs, m, n, dtype):
    """Random rows, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    x = (3 * torch.randn(m, n, device=device) + 5).to(dtype)
    weight, bias = (torch.randn(n, device=device).to(dtype) for _ in range(2))
    y = torch.full_like(x, float("nan"))
    normalize(x, weight, bias, y, programs)
    expected = torch.nn.functional.layer_norm(x.double(), (n,), weight.double(), bias.double())
    bound = torch.finfo(dtype).eps * expected.abs() + 1e-5
    wrong = (~((y.double() - expected).abs() <= bound)).sum().item()
    print(f"{device}: {m} rows of {n} {dtype}: {wrong} of {m * n} elements are wrong")
    return wrong == 0


def main():
    import torch
    fine = True
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        # Rows that fill no block, more tiles than programs, a last tile that is cut off.
        fine &= check("cpu", 2, 37, 1000, dtype)
        if torch.cuda.is_available():
            count = torch.cuda.get_device_properties(0).multi_processor_count
            for m, n in ((1000, 1000), (4096, 8192), (1003, 12344)):
                fine &= check("cuda", count, m, n, dtype)
    fine &= check("cpu", 2, 3, LONGEST_ROW, torch.float16)
    if torch.cuda.is_available():
        fine &= check("cuda", count, 1000, LONGEST_ROW, torch.bfloat16)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
