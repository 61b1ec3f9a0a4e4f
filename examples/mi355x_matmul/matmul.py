"""C = A B^T for MI355X (gfx950), from numbers of four bits with a scale for each 32 of them (MXFP4).

A is m x k, B n x k, two numbers (e2m1) to a byte along k, the first one in the low half; C is m x n in fp16 or bf16. Scales
are powers of two, a byte each (E8M0), m x k / 32 and n x k / 32; `shuffle` puts them in the order in which lanes want
them. k is a multiple of 256.

What is new against mi300x_matmul/matmul.py:

*   mfma_scale_f32_16x16x128: each of the four lanes of a row has 32 numbers of it, 16 bytes, and their scale. An
    instruction takes a byte of a register as the scale, so four scales in a word serve four products:

        byte 0, 1   the first and second 128 columns of a tile of 16 rows
        byte 2, 3   the same of the next 16 rows

    A lane gets its word by one load of 32 bits: 32 rows x 8 scales are 64 words, one for each lane of a wave.
*   What waves share of the scales they load themselves, as they lie in a layout whose warps repeat: LDS is for A and B.
"""

import os

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.amd import cdna4

DEPTH = gl.constexpr(256)


@gluon.jit
def place(number, rows, columns, GROUP: gl.constexpr, DIES: gl.constexpr):
    """Row and column of a program's tile, so that each die has neighbouring ones."""
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
def tile(pointer, first, count, stride, ROWS: gl.constexpr, DEPTH: gl.constexpr, layout: gl.constexpr):
    """Where the tile of rows from `first` begins, its offsets, and which of its rows there are."""
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    depth = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * stride + depth[None, :]
    inside = (first + rows < count)[:, None].broadcast_to([ROWS, DEPTH])
    return pointer + first.to(gl.int64) * stride, offsets, inside


@gluon.constexpr_function
def word_layout(groups, warps, own):
    """Words of `groups` groups of 32 rows: a word is a lane's. Warps lie two by warps / 2, `own` is the dim of the rows."""
    registers, warp_bases, group = [[0, 1], [0, 2]], [], 1
    for of_rows in [False] * ((warps // 2).bit_length() - 1) + [True]:
        shares = of_rows != (own == 0)
        warp_bases.append([0 if shares or group >= groups else group, 0])
        group = group if shares else 2 * group
    while group < groups:
        registers.append([group, 0])
        group *= 2
    return gl.DistributedLinearLayout(registers, [[0, 4 << bit] for bit in range(6)], warp_bases, [], [groups, 256])


@gluon.jit
def load_words(pointer, first, count, step, steps, GROUPS: gl.constexpr, layout: gl.constexpr):
    """Scales of 32 GROUPS rows for a step; those of rows that are not there do not count."""
    group = first + gl.arange(0, GROUPS, layout=gl.SliceLayout(1, layout))
    byte = gl.arange(0, 256, layout=gl.SliceLayout(0, layout))
    inside = (group < count)[:, None].broadcast_to([GROUPS, 256])
    return cdna4.buffer_load(pointer, (group * steps + step)[:, None] * 256 + byte[None, :], mask=inside)


@gluon.jit
def scales(words, operand: gl.constexpr):
    """Words as scales, row by row: no number leaves its lane."""
    GROUPS: gl.constexpr = words.shape[0]
    parts = words.reshape([GROUPS, 4, 16, 2, 2]).permute([0, 3, 2, 4, 1])
    return gl.convert_layout(parts.reshape([32 * GROUPS, 8]), cdna4.get_mfma_scale_layout(operand, [32 * GROUPS, 8]),
                             assert_trivial=True)


@gluon.jit
def multiply_step(a_tile, b_tile, u, v, sums, left: gl.constexpr, right: gl.constexpr):
    return cdna4.mfma_scaled(a_tile.load(left), scales(u, left), "e2m1", b_tile.permute([1, 0]).load(right),
                             scales(v, right), "e2m1", sums)


@gluon.jit
def matmul(a, b, a_scales, b_scales, c, m, n, k, a_stride, b_stride, c_stride, ROWS: gl.constexpr,
           COLUMNS: gl.constexpr, GROUP: gl.constexpr, DIES: gl.constexpr):
    """The kernel; a program for each tile, of 4 or 8 warps. Strides count elements of the tensors, so bytes for A and B."""
    WARPS: gl.constexpr = gl.num_warps()
    BYTES: gl.constexpr = DEPTH // 2
    mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, WARPS // 2], tiles_per_warp=[2, 2])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 16)
    wide: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [WARPS, 1], [1, 0])
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(16, 1, 8, [1, 0])
    a_words: gl.constexpr = word_layout(ROWS // 32, WARPS, 0)
    b_words: gl.constexpr = word_layout(COLUMNS // 32, WARPS, 1)

    row, column = place(gl.program_id(0), gl.cdiv(m, ROWS), gl.cdiv(n, COLUMNS), GROUP, DIES)
    a_base, a_offsets, a_inside = tile(a, row * ROWS, m, a_stride, ROWS, BYTES, wide)
    b_base, b_offsets, b_inside = tile(b, column * COLUMNS, n, b_stride, COLUMNS, BYTES, wide)
    a_tile = gl.allocate_shared_memory(gl.uint8, [ROWS, BYTES], swizzled)
    b_tile = gl.allocate_shared_memory(gl.uint8, [COLUMNS, BYTES], swizzled)

    sums = gl.zeros([ROWS, COLUMNS], gl.float32, mma)
    steps = k // DEPTH
    first_a, first_b = row * (ROWS // 32), column * (COLUMNS // 32)
    x = cdna4.buffer_load(a_base, a_offsets, mask=a_inside)
    y = cdna4.buffer_load(b_base, b_offsets, mask=b_inside)
    u = load_words(a_scales, first_a, gl.cdiv(m, 32), 0, steps, ROWS // 32, a_words)
    v = load_words(b_scales, first_b, gl.cdiv(n, 32), 0, steps, COLUMNS // 32, b_words)
    for step in range(1, steps):
        a_tile.store(x)
        b_tile.store(y)
        x = cdna4.buffer_load(a_base + step * BYTES, a_offsets, mask=a_inside)
        y = cdna4.buffer_load(b_base + step * BYTES, b_offsets, mask=b_inside)
        next_u = load_words(a_scales, first_a, gl.cdiv(m, 32), step, steps, ROWS // 32, a_words)
        next_v = load_words(b_scales, first_b, gl.cdiv(n, 32), step, steps, COLUMNS // 32, b_words)
        sums = multiply_step(a_tile, b_tile, u, v, sums, left, right)
        u, v = next_u, next_v
    a_tile.store(x)
    b_tile.store(y)
    sums = multiply_step(a_tile, b_tile, u, v, sums, left, right)

    c_base, c_offsets, inside = tile(c + column * COLUMNS, row * ROWS, m, c_stride, ROWS, COLUMNS, mma)
    columns = column * COLUMNS + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, mma))
    cdna4.buffer_store(sums.to(c.dtype.element_ty), c_base, c_offsets, mask=inside & (columns < n)[None, :])


# ---- From Python ------------------------------------------------------------------------------

CONFIG = dict(ROWS=256, COLUMNS=256, GROUP=4, DIES=8, num_warps=8)


def shuffle(scales):
    """Scales (rows x k / 32) in the order of `scales` above; rows that fill the last group count for nothing."""
    import torch
    rows, blocks = scales.shape
    padded = torch.nn.functional.pad(scales, (0, 0, 0, -rows % 32))
    parts = padded.reshape(-1, 2, 16, blocks // 8, 2, 4)
    return parts.permute(0, 3, 5, 2, 1, 4).contiguous()


def multiply(a, b, a_scales, b_scales, c, config=None):
    """c = a b^T; scales are shuffled."""
    m, n, k = a.shape[0], b.shape[0], 2 * a.shape[1]
    config = {**CONFIG, **(config or {})}
    tiles = -(-m // config["ROWS"]) * -(-n // config["COLUMNS"])
    return matmul[(tiles,)](a, b, a_scales, b_scales, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), **config)


def numbers(packed, scales):
    """What bytes and scales stand for, in float64."""
    import torch
    table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
    table = torch.cat([table, -table])
    values = torch.stack([table[(packed & 15).long()], table[(packed >> 4).long()]], -1).reshape(packed.shape[0], -1)
    return values * torch.exp2(scales.double() - 127).repeat_interleave(32, 1)


def check(m, n, k, dtype, config=None):
    """Random operands, a poisoned result, and float64 as the judge."""
    import torch
    torch.manual_seed(0)
    a, b = (torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8) for rows in (m, n))
    s, t = (torch.randint(120, 131, (rows, k // 32), dtype=torch.uint8) for rows in (m, n))
    c = torch.full((m, n), float("nan"), dtype=dtype)
    multiply(a, b, shuffle(s), shuffle(t), c, config)
    x, y = numbers(a, s), numbers(b, t)
    bound = torch.finfo(dtype).eps * (x @ y.T).abs() + 1e-6 * (x.abs() @ y.abs().T)
    wrong = (~((c.double() - x @ y.T).abs() <= bound)).sum().item()
    print(f"{m} x {n} x {k}, {dtype}: {wrong} of {c.numel()} elements are wrong")
    return wrong == 0


def main():
    # What the simulator pretends to be.
    os.environ.setdefault("GLUONC_SIMULATE", "hip:gfx950")
    import torch
    fine = check(256, 256, 512, torch.bfloat16)
    # Edges that no tile divides; more tiles than dies.
    small = dict(ROWS=64, COLUMNS=128, GROUP=2, num_warps=4)
    fine &= check(200, 330, 768, torch.bfloat16, small)
    fine &= check(70, 40, 256, torch.float16, small)
    if not fine:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
