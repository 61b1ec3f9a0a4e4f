# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import async_copy as async_copy
from . import cluster as cluster
from . import mbarrier as mbarrier
from . import tdm as tdm

def get_wmma_scale_layout(dot_operand_layout: Layout, shape: Sequence[int], scale_factor: int = ...) -> Any:
    """In which layout the scales of an operand of `wmma_scaled` lie.

    `shape` is that of the scales, [M, K / scale_factor] or [N, K / scale_factor], of products of three
    dims with these in front.

    Gives: a `DistributedLinearLayout`.
    Errors: what is no layout of operands of WMMA; a factor that is neither 16 nor 32.

        mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])
        operand: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
        scales: gl.constexpr = cdna5.get_wmma_scale_layout(operand, [64, 4])
    """
    ...

from gluonc.language._layouts import PartitionedSharedLayout as PartitionedSharedLayout

def make_partitioned_dot_layouts(block_m: int, block_n: int, original_layout_a: Layout, original_layout_b: Layout, num_warps: int, instr_shape: Sequence[int], a_transposed: bool = ..., b_transposed: bool = ..., slice_m: int | None = ..., slice_n: int | None = ..., transposed: bool = ...) -> Any:
    """Layouts for a product by WMMA whose warps read different partitions of LDS at a time.

    The buffers of the operands, as the given layouts pad them, are cut along M and N into two
    partitions. `slice_m` and `slice_n` are the sizes of what one product multiplies, by default the
    whole blocks. In memory K is contiguous for the left and N for the right operand, or the other one
    where it is transposed. `transposed` is that of the result's layout.

    Gives: a tuple of the layouts of the left operand, the right operand and the result.
    Errors: other than 4 or 8 warps; slices of less than 4 instructions along M or 2 along N, or that do
    not divide the blocks.

        a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [128, 64], [1, 0])
        b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[128, 8]], [64, 128], [1, 0])
        made: gl.constexpr = gl.amd.cdna5.make_partitioned_dot_layouts(
            128, 128, a, b, 4, [16, 16, 32])
    """
    ...

def buffer_load(ptr: tensor, offsets: tensor | Number, mask: tensor | Number | None = ..., other: tensor | Number | None = ..., cache: str = ...) -> Any:
    """Reads memory by a scalar pointer and a block of offsets, in elements.

    Threads keep 32 bits of each address, and the hardware checks bounds: as bytes, offsets are unsigned
    numbers of 32 bits, and what lies behind 2 GiB reads as zero. Where `mask` is false nothing is read:
    the element is `other`, or zero without it. `cache` is ".ca", ".cg", ".cs" or ".cv".

    Gives: the element type of the pointer, in shape and layout of the offsets.
    Errors: what is no scalar pointer; offsets that are no block of 32-bit integers; a mask that is not
    boolean; `other` without a mask.

        # hip:gfx942
        wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
        at = gl.arange(0, 256, layout=wide)
        z = cdna3.buffer_load(p, at, mask=at < n, other=0.0)
    """
    ...

def buffer_store(stored_value: tensor | Number, ptr: tensor, offsets: tensor | Number, mask: tensor | Number | None = ..., cache: str = ...) -> None:
    """Writes memory by a scalar pointer and a block of offsets, in elements.

    Where `mask` is false, and behind 2 GiB, nothing is written. The value is converted to the element
    type. `cache` is ".wb", ".cg", ".cs" or ".wt".

    Gives: nothing.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; a
    mask that is not boolean; a value larger than the offsets.

        # hip:gfx942
        wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
        at = gl.arange(0, 256, layout=wide)
        cdna3.buffer_store(gl.full([256], 1.0, gl.float32, wide), q, at, mask=at < n)
    """
    ...

def get_scaled_upcast_fp4_scale_layout(src: tensor, scale_factor: int, elem_type: DType, axis: int) -> Any:
    """The layout that scales of 4-bit floats have for `scaled_upcast`, one for `scale_factor` neighbours.

    Gives: a layout of blocks, whose size along `axis` is that of the floats divided by `scale_factor`.
    Errors: what is no block of bytes; a factor that does not divide the size.

        # hip:gfx942
        pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
        bytes = gl.full([32, 128], 1, gl.uint8, pairs)
        run: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(bytes, 32, gl.float16, 1)
    """
    ...

def load_shared_fp4_repacked(mem_desc: shared_memory_descriptor, layout: Layout) -> Any:
    """Reads 4-bit floats that are packed along M or N as an operand packed along K.

    Each byte of the buffer holds two neighbours along M (of `a`) or N (of `b`), each byte of the result
    two along K, the first in the low half.

    Gives: a block of bytes, half as many along K and twice as many along M or N.
    Errors: a buffer of other elements; a layout that is no `DotOperandLayout` of an `AMDWMMALayout`.

        # hip:gfx1250
        mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 64])
        smem = gl.allocate_shared_memory(gl.uint8, [128, 32], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
        tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
        smem.store(gl.full([128, 32], 17, gl.uint8, tile))
        b = cdna5.load_shared_fp4_repacked(smem, gl.DotOperandLayout(1, mma, 16))
    """
    ...

def scaled_downcast(input: tensor, scale: tensor, format: str, axis: int = ...) -> Any:
    """Floats divided by their scales, as small floats.

    `format` is "e4m3", "e5m2" or "e2m1", of which two go into each byte along `axis`, the first one in
    the lower half. What is too large becomes the largest. Scales are bytes, exponents plus 127, each
    for a run of 8 or more neighbours along `axis`, in the thread that has them.

    Gives: 8-bit floats like `input`, or bytes, half as many along `axis`.
    Errors: other element types and formats; scales of other shapes or in other threads; pairs that lie
    in two threads.

        # hip:gfx950
        wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
        run: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0])
        floats = gl.full([32, 256], 1.0, gl.float32, wide)
        z = cdna4.scaled_downcast(floats, gl.full([32, 8], 127, gl.uint8, run), "e2m1", axis=1)
    """
    ...

def scaled_upcast(src: tensor, scale: tensor, elem_type: DType, axis: int | None = ...) -> Any:
    """Small floats times their scales, as float16 or bfloat16.

    Scales are bytes, exponents plus 127. Of 8-bit floats each has its own, in their shape and layout.
    Of 4-bit floats two lie in each byte along `axis`, which gets twice as long; a scale belongs to one
    or to a run of neighbours along it, and lies in the thread that has them.

    Gives: the products, in the layout of `gl.fp4_to_fp` or of `src`.
    Errors: other element types; scales of other shapes or in other threads; 4-bit floats without
    `axis`.

        # hip:gfx942
        pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
        bytes = gl.full([32, 128], 1, gl.uint8, pairs)
        run: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(bytes, 32, gl.bfloat16, 1)
        z = cdna3.scaled_upcast(bytes, gl.full([32, 8], 127, gl.uint8, run), gl.bfloat16, axis=1)
    """
    ...

def wmma(a: tensor, b: tensor, acc: tensor) -> Any:
    """a @ b + acc on the matrix cores of gfx1250, all operands in registers.

    Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDWMMALayout` of
    version 3, the operands in its `DotOperandLayout`s, whose K may be another one. Element types:
    float16, bfloat16, float32 and two of float8e4nv and float8e5 into float32, int8 into int32.

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types.

        # hip:gfx1250
        mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])
        a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 8))
        b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 8))
        product = cdna5.wmma(a, b, gl.zeros([64, 64], gl.float32, mma))
    """
    ...

def wmma_scaled(a: tensor, a_scale: Any, a_format: str, b: tensor, b_scale: Any, b_format: str, acc: tensor) -> Any:
    """a @ b + acc on the matrix cores of gfx1250, where every 32 or 16 elements along K have a scale.

    Formats are "e2m1" (two numbers in each byte, along K, the lower half first), "e4m3" and "e5m2". The
    accumulator is float32 in an `AMDWMMALayout` of version 3 and instr_shape [16, 16, 128] (two
    operands of 4 bits: or [32, 16, 128]), the operands in `DotOperandLayout`s, those of 4 bits with a K
    of 64. In layouts of three dims all have a dim in front, of which each has a product of its own.
    Scales are bytes, exponents plus 127, or, of 4-bit operands, float8e4nv, of shape [M, K / block] and
    [N, K / block], in the layout of `get_wmma_scale_layout`; a number stands for all of them, None for
    one.

    Gives: a block like `acc`.
    Errors: other layouts, formats or shapes.

        # hip:gfx1250
        mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])
        ofA: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
        a = gl.full([64, 128], 1.0, gl.float8e5, ofA)
        b = gl.full([128, 64], 1.0, gl.float8e4nv, gl.DotOperandLayout(1, mma, 16))
        scales = gl.full([64, 4], 127, gl.uint8, cdna5.get_wmma_scale_layout(ofA, [64, 4]))
        zero = gl.zeros([64, 64], gl.float32, mma)
        product = cdna5.wmma_scaled(a, scales, "e5m2", b, 127, "e4m3", zero)
    """
    ...

