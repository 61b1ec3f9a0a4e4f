"""Matrices in fp8 (e4m3) with scales in fp32: what is made of them, and of what they are made. Their columns are packed for
../../hopper_matmul/skinny_fp8.py.
"""

import triton
import triton.language as tl
from rows import join


@triton.jit
def place_of(column):
    """Where a column stands in a packed row: 8 h + 2 c + i of each 16 at 4 c + 2 h + i."""
    return column // 16 * 16 + column // 2 % 4 * 4 + column // 8 % 2 * 2 + column % 2


@triton.jit
def pack(w, y, width, BLOCK: tl.constexpr):
    """BLOCK columns of a row for each program (row, part)."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    tl.store(y + row * width + place_of(column), tl.load(w + row * width + column, inside), inside)


@triton.jit
def quantize(w, y, scales, width, BLOCK: tl.constexpr):
    """y * scales[row] = w, where each row's largest number is e4m3's, 448; a program for each row of `width` columns."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    largest = tl.zeros([BLOCK], tl.float32)
    for first in range(0, width, BLOCK):
        inside = first + column < width
        values = tl.load(w + row * width + first + column, inside, 0.0).to(tl.float32)
        largest = tl.maximum(largest, tl.abs(values))
    scale = tl.max(largest, 0) / 448.0
    scale = tl.where(scale == 0.0, 1.0, scale)
    tl.store(scales + row, scale)
    for first in range(0, width, BLOCK):
        inside = first + column < width
        values = tl.load(w + row * width + first + column, inside, 0.0).to(tl.float32)
        tl.store(y + row * width + place_of(first + column), (values / scale).to(y.dtype.element_ty), inside)


@triton.jit
def widen(w, scales, y, width, BLOCKS: tl.constexpr, BLOCK: tl.constexpr, PDL: tl.constexpr):
    """y = scales * w in 16 bits: scales of rows, or (BLOCKS) width / 128 x rows; BLOCK columns for each program (row, part)."""
    join(PDL)
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    if BLOCKS:
        scale = tl.load(scales + (column // 128).to(tl.int64) * tl.num_programs(0) + row, inside, 0.0)
    else:
        scale = tl.load(scales + row)
    values = tl.load(w + row * width + place_of(column), inside, 0.0).to(tl.float32) * scale
    tl.store(y + row * width + column, values.to(y.dtype.element_ty), inside)
