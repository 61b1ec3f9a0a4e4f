"""C = A B^T for MI300X (gfx942), in fp16 or bf16 with sums in fp32.

A is m x k, B n x k, C m x n, each with rows of any stride. A program computes a tile of ROWS x COLUMNS:

    global memory --buffer_load--> registers --store--> LDS --load--> operands --mfma--> sums

*   Registers are the second stage of the pipeline. LDS has 64 KiB, which two tiles of 256 x 64 fill; while the
    matrix cores multiply what is there, loads of the next step are on their way to registers:

        load 0 | store 0 | load 1, multiply 0 | store 1 | load 2, multiply 1 | ...

    A wave does not wait for a load before it stores: the compiler counts what is outstanding.
*   Buffer loads have a scalar base and 32-bit offsets, so a thread keeps one register per address, not two, and
    rows behind the end cost no branch: offsets that a mask excludes lie outside of the buffer.
*   A row of a tile is 128 bytes, as wide as the 32 banks of LDS. Chunks of 16 bytes are swapped by the number of the
    row (SwizzledSharedLayout), so neither the stores, row by row, nor the loads, 16 rows at a time, meet in a bank.
*   mfma_f32_16x16x16: a wave of 64 lanes has four consecutive elements of a row of C in a lane, as the layout is
    transposed: stores are 8 bytes wide. Operands come 16 bytes at a time (k_width 8), which two instructions use.
*   MI300X has eight dies (XCDs) with an L2 of their own, and programs are dealt out to them in turns. `place` gives each
    die neighbouring tiles, in groups of rows, so that what it loads it loads for several.
"""

import os

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.amd import cdna3


@gluon.jit
def place(number, rows, columns, GROUP: gl.constexpr, DIES: gl.constexpr):
    """Row and column of a program's tile."""
    count = rows * columns
    # Dies in front have one more where they do not divide the count.
    each = count // DIES
    more = count % DIES
    die = number % DIES
    number = die * each + gl.minimum(die, more) + number // DIES
    group = number // (GROUP * columns)
    height = gl.minimum(rows - group * GROUP, GROUP)
    number = number % (GROUP * columns)
    return group * GROUP + number % height, number // height


@gluon.jit
def load(base, offsets, inside, step, k, DEPTH: gl.constexpr, CUT: gl.constexpr):
    """A tile of the step; what lies behind the end of rows or of k is zero."""
    if CUT:
        depth = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, offsets.type.layout))
        inside = inside & (step * DEPTH + depth < k)[None, :]
    return cdna3.buffer_load(base + step * DEPTH, offsets, mask=inside)


@gluon.jit
def tile(pointer, first, count, stride, ROWS: gl.constexpr, DEPTH: gl.constexpr, layout: gl.constexpr):
    """Where the tile of rows from `first` begins, its offsets, and which of its rows there are."""
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    depth = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * stride + depth[None, :]
    inside = (first + rows < count)[:, None].broadcast_to([ROWS, DEPTH])
    return pointer + first.to(gl.int64) * stride, offsets, inside


@gluon.jit
def matmul(a, b, c, m, n, k, a_stride, b_stride, c_stride, ROWS: gl.constexpr, COLUMNS: gl.constexpr,
           DEPTH: gl.constexpr, GROUP: gl.constexpr, DIES: gl.constexpr, CUT: gl.constexpr):
    """The kernel; a program for each tile, of 4 or 8 warps. CUT says that DEPTH does not divide k."""
    WARPS: gl.constexpr = gl.num_warps()
    dtype: gl.constexpr = a.dtype.element_ty
    mma: gl.constexpr = gl.amd.AMDMFMALayout(3, [16, 16, 16], True, [2, WARPS // 2])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 8)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 8)
    wide: gl.constexpr = gl.BlockedLayout([1, 8], [512 // DEPTH, DEPTH // 8], [WARPS, 1], [1, 0])
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(8, 1, DEPTH // 8, [1, 0])

    row, column = place(gl.program_id(0), gl.cdiv(m, ROWS), gl.cdiv(n, COLUMNS), GROUP, DIES)
    a_base, a_offsets, a_inside = tile(a, row * ROWS, m, a_stride, ROWS, DEPTH, wide)
    b_base, b_offsets, b_inside = tile(b, column * COLUMNS, n, b_stride, COLUMNS, DEPTH, wide)
    a_tile = gl.allocate_shared_memory(dtype, [ROWS, DEPTH], swizzled)
    b_tile = gl.allocate_shared_memory(dtype, [COLUMNS, DEPTH], swizzled)

    sums = gl.zeros([ROWS, COLUMNS], gl.float32, mma)
    x = load(a_base, a_offsets, a_inside, 0, k, DEPTH, CUT)
    y = load(b_base, b_offsets, b_inside, 0, k, DEPTH, CUT)
    steps = gl.cdiv(k, DEPTH)
    for step in range(1, steps):
        a_tile.store(x)
        b_tile.store(y)
        x = load(a_base, a_offsets, a_inside, step, k, DEPTH, CUT)
        y = load(b_base, b_offsets, b_inside, step, k, DEPTH, CUT)
        sums = cdna3.mfma(a_tile.load(left), b_tile.permute([1, 0]).load(right), sums)
    a_tile.store(x)
    b_tile.store(y)
    sums = cdna3.mfma(a_tile.load(left), b_tile.permute([1, 0]).load(right), sums)

    c_base, c_offsets, inside = tile(c + column * COLUMNS, row * ROWS, m, c_stride, ROWS, COLUMNS, mma)
    columns = column * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, mma))
    cdna3.buffer_store(sums.to(dtype), c_base, c_offsets, mask=inside & (columns < n)[None, :])


# ---- From Python ------------------------------------------------------------------------------

CONFIG = dict(ROWS=256, COLUMNS=256, DEPTH=64, GROUP=4, DIES=8, num_warps=8)


def multiply(a, b, c, config=None):
    """c = a b^T for tensors whose rows are contiguous."""
    (m, k), n = a.shape, b.shape[0]
    config = {**CONFIG, **(config or {})}
    tiles = -(-m // config["ROWS"]) * -(-n // config["COLUMNS"])
    return matmul[(tiles,)](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), CUT=k % config["DEPTH"] != 0,
                            **config)


def check(m, n, k, dtype, config=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    a, b = torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype)
    c = torch.full((m, n), float("nan"), dtype=dtype)
    multiply(a, b, c, config)
    expected = a.double() @ b.double().T
    bound = torch.finfo(dtype).eps * expected.abs() + 1e-5 * k**0.5
    wrong = (~((c.double() - expected).abs() <= bound)).sum().item()
    print(f"{m} x {n} x {k}, {dtype}: {wrong} of {c.numel()} elements are wrong")
    return wrong == 0


def main():
    # What the simulator pretends to be.
    os.environ.setdefault("GLUONC_SIMULATE", "hip:gfx942")
    import torch
    fine = check(256, 256, 128, torch.float16)
    # Edges that no tile divides; more tiles than dies.
    small = dict(ROWS=64, COLUMNS=64, GROUP=2, num_warps=4)
    fine &= check(200, 330, 168, torch.bfloat16, small)
    fine &= check(70, 40, 64, torch.float16, small)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
