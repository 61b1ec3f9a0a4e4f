"""C = A B^T for gfx1250, fp16 or bf16, with the engine that copies blocks of tensors (TDM).

A is m x k, B n x k, C m x n, all row by row. What is new against mi300x_matmul/matmul.py:

*   A tile takes one operation: a descriptor says where it begins and where the tensor ends, and the engine writes it to
    LDS by itself, zeros for what is outside. No register holds an address or an element on the way, no lane a mask.
*   Tiles of STAGES steps are in LDS. While one is multiplied, those of the next are on their way:

        wait until no more than the copies of the later steps are under way; all waves have theirs then
        start copying the tile for step + STAGES - 1 to where the tile of step - 1 was
        multiply the tile of step

    The wait comes first: behind it nobody reads the tile of step - 1 any more. What a wait counts are copies of its
    own wave, and each wave copies a part of each tile, so waves meet behind it (the compiler sees to that).
*   Rows in LDS are 16 bytes longer than they need be: the 16 lanes that are served at once, each with 16 bytes of a
    row of its own, then find theirs in different banks.
*   The result goes through LDS, too, and from there by the engine, which leaves out what is behind the edges of C.

No GPU has run this. On the simulator and as executed machine code it agrees with float64.
"""

import os

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.amd import cdna5


@gluon.jit
def place(number, rows, columns, GROUP: gl.constexpr):
    """Row and column of a program's tile: of GROUP rows of tiles, column by column."""
    group = number // (GROUP * columns)
    height = gl.minimum(rows - group * GROUP, GROUP)
    number = number % (GROUP * columns)
    return group * GROUP + number % height, number // height


@gluon.constexpr_function
def warp_bases(warps):
    """The first bit of a wave's number chooses between columns of its products, the others between rows."""
    bases, row = [[0, 1]], 1
    while 2 * row < warps:
        bases.append([row, 0])
        row *= 2
    return bases


@gluon.constexpr_function
def padded(rows, columns):
    """Rows of 16-bit numbers with 16 bytes behind each."""
    return gl.PaddedSharedLayout.with_identity_for([[columns, 8]], [rows, columns], [1, 0])


@gluon.jit
def load(a, b, a_tiles, b_tiles, step, steps, DEPTH: gl.constexpr, STAGES: gl.constexpr):
    """Starts copying the tiles of a step; of one behind the last, does nothing, and counts as well."""
    slot = step % STAGES
    cdna5.tdm.async_load(a, [0, step * DEPTH], a_tiles.index(slot), pred=step < steps)
    cdna5.tdm.async_load(b, [0, step * DEPTH], b_tiles.index(slot), pred=step < steps)


@gluon.jit
def matmul(a, b, c, m, n, k, a_stride, b_stride, c_stride, ROWS: gl.constexpr, COLUMNS: gl.constexpr,
           DEPTH: gl.constexpr, STAGES: gl.constexpr, GROUP: gl.constexpr):
    """The kernel; a program for each tile, of 4 or 8 warps."""
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, warp_bases(gl.num_warps()), instr_shape=[16, 16, 32])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 8)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 8)
    number: gl.constexpr = a.dtype.element_ty

    row, column = place(gl.program_id(0), gl.cdiv(m, ROWS), gl.cdiv(n, COLUMNS), GROUP)
    a_tensor = cdna5.tdm.make_tensor_descriptor(a, [m, k], [a_stride, 1], [ROWS, DEPTH], padded(ROWS, DEPTH))
    b_tensor = cdna5.tdm.make_tensor_descriptor(b, [n, k], [b_stride, 1], [COLUMNS, DEPTH], padded(COLUMNS, DEPTH))
    c_tensor = cdna5.tdm.make_tensor_descriptor(c, [m, n], [c_stride, 1], [ROWS, COLUMNS], padded(ROWS, COLUMNS))
    a_tensor = cdna5.tdm.update_tensor_descriptor(a_tensor, add_offsets=[row * ROWS, 0], clamp_bounds=True)
    b_tensor = cdna5.tdm.update_tensor_descriptor(b_tensor, add_offsets=[column * COLUMNS, 0], clamp_bounds=True)
    a_tiles = gl.allocate_shared_memory(number, [STAGES, ROWS, DEPTH], a_tensor.layout)
    b_tiles = gl.allocate_shared_memory(number, [STAGES, COLUMNS, DEPTH], b_tensor.layout)

    steps = gl.cdiv(k, DEPTH)
    for step in gl.static_range(STAGES - 1):
        load(a_tensor, b_tensor, a_tiles, b_tiles, step, steps, DEPTH, STAGES)
    sums = gl.zeros([ROWS, COLUMNS], gl.float32, mma)
    for step in range(steps):
        cdna5.tdm.async_wait(2 * (STAGES - 2))
        load(a_tensor, b_tensor, a_tiles, b_tiles, step + STAGES - 1, steps, DEPTH, STAGES)
        x = a_tiles.index(step % STAGES).load(left)
        y = b_tiles.index(step % STAGES).permute([1, 0]).load(right)
        sums = cdna5.wmma(x, y, sums)

    # Those behind the last step, which are none: their memory is the result's.
    cdna5.tdm.async_wait(0)
    result = gl.allocate_shared_memory(c.dtype.element_ty, [ROWS, COLUMNS], c_tensor.layout)
    result.store(sums.to(c.dtype.element_ty))
    cdna5.tdm.async_store(c_tensor, [row * ROWS, column * COLUMNS], result)
    cdna5.tdm.async_wait(0)


# ---- From Python ------------------------------------------------------------------------------

CONFIG = dict(ROWS=256, COLUMNS=128, DEPTH=64, STAGES=3, GROUP=4, num_warps=8)


def multiply(a, b, c, config=None):
    """c = a b^T"""
    (m, k), n = a.shape, b.shape[0]
    config = {**CONFIG, **(config or {})}
    tiles = -(-m // config["ROWS"]) * -(-n // config["COLUMNS"])
    return matmul[(tiles,)](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), **config)


def check(m, n, k, dtype, config=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    a, b = (torch.randn(rows, k).to(dtype) for rows in (m, n))
    c = torch.full((m, n), float("nan"), dtype=dtype)
    multiply(a, b, c, config)
    x, y = a.double(), b.double()
    bound = torch.finfo(dtype).eps * (x @ y.T).abs() + 1e-6 * (x.abs() @ y.abs().T)
    wrong = (~((c.double() - x @ y.T).abs() <= bound)).sum().item()
    print(f"{m} x {n} x {k}, {dtype}: {wrong} of {c.numel()} elements are wrong")
    return wrong == 0


def main():
    # What the simulator pretends to be.
    os.environ.setdefault("GLUONC_SIMULATE", "hip:gfx1250")
    import torch
    fine = check(256, 256, 256, torch.bfloat16)
    # Edges that no tile divides, fewer steps than stages.
    small = dict(ROWS=64, COLUMNS=64, GROUP=2, num_warps=4)
    fine &= check(200, 330, 168, torch.float16, small)
    fine &= check(70, 40, 40, torch.bfloat16, small)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
