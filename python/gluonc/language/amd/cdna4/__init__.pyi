# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import async_copy as async_copy

def get_mfma_scale_layout(dot_operand_layout: Layout, shape: Sequence[int], scale_factor: int = ...) -> Any:
    """In which layout the scales of an operand of `mfma_scaled` lie.

    `shape` is that of the scales, [M, K / 32] or [N, K / 32].

    Gives: a `DistributedLinearLayout`.
    Errors: what is no layout of operands of MFMA; another factor than 32.

        mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
        operand: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
        scales: gl.constexpr = cdna4.get_mfma_scale_layout(operand, [64, 4])
    """
    ...

def compute_efficient_padded_shared_layout(dot_operand_layout: Layout, shape: Sequence[int], dtype: DType, is_k_contig: bool = ...) -> Any:
    """A padded layout in LDS from which gfx950 reads an operand of MFMA without conflicts of banks.

    `is_k_contig` says whether K is contiguous in LDS, or M or N. Of 4-bit floats the element type is
    uint8.

    Gives: a `PaddedSharedLayout`; None where none is known, as for operands whose `k_width` is none of
    4, 8 and 16, and for small shapes.
    Errors: what is no layout of operands of MFMA of version 4.

        mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])
        operand: gl.constexpr = gl.DotOperandLayout(0, mma, 8)
        block: gl.constexpr = [128, 64]
        padded: gl.constexpr = cdna4.compute_efficient_padded_shared_layout(operand, block, gl.float16)
    """
    ...

def load_shared_fp4_repacked(mem_desc: shared_memory_descriptor, layout: Layout) -> Any:
    """Reads 4-bit floats that are packed along M or N as an operand packed along K.

    Each byte of the buffer holds two neighbours along M (of `a`) or N (of `b`), each byte of the result
    two along K, the first in the low half.

    Gives: a block of bytes, half as many along K and twice as many along M or N.
    Errors: a buffer of other elements; a layout that is no `DotOperandLayout` of an `AMDMFMALayout`.

        # hip:gfx950
        mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
        smem = gl.allocate_shared_memory(gl.uint8, [32, 128], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
        wide: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
        smem.store(gl.full([32, 128], 17, gl.uint8, wide))
        a = cdna4.load_shared_fp4_repacked(smem, gl.DotOperandLayout(0, mma, 16))
    """
    ...

def mfma_scaled(a: tensor, a_scale: Any, a_format: str, b: tensor, b_scale: Any, b_format: str, acc: tensor, cd_regclass: Any = ...) -> Any:
    """a @ b + acc on the matrix cores of gfx950, where every 32 elements along K have a scale.

    Formats are "e2m1" (two numbers in each byte, along K, the lower half first), "e4m3" and "e5m2". The
    accumulator is float32 in an `AMDMFMALayout` of version 4, the operands lie in its
    `DotOperandLayout`s. Scales are bytes, exponents plus 127, of shape [M, K / 32] and [N, K / 32], in
    the layout of `get_mfma_scale_layout`; a number stands for all of them, None for one. `cd_regclass`
    is that of `mfma`.

    Gives: a block like `acc`.
    Errors: other layouts, formats or shapes; another `cd_regclass`.

        # hip:gfx950
        mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
        ofA: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
        a = gl.full([64, 64], 1, gl.uint8, ofA)
        b = gl.full([128, 64], 1.0, gl.float8e4nv, gl.DotOperandLayout(1, mma, 16))
        scales = gl.full([64, 4], 127, gl.uint8, cdna4.get_mfma_scale_layout(ofA, [64, 4]))
        zero = gl.zeros([64, 64], gl.float32, mma)
        product = cdna4.mfma_scaled(a, scales, "e2m1", b, None, "e4m3", zero)
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

def buffer_atomic_add(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Adds to memory by a scalar pointer and a block of offsets, atomically.

    Integers of 32 and 64 bits, float16, float32; float64 and bfloat16 where the chip has it.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_add(counts, at, 1, mask=at < n)
    """
    ...

def buffer_atomic_and(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Keeps the bits of memory that the value has, too, atomically.

    Integers of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_and(counts, at, 255)
    """
    ...

def buffer_atomic_max(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Keeps the larger of the value and memory, atomically.

    Integers of 32 and 64 bits; float64 and float32 where the chip has it.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_max(counts, at, 7)
    """
    ...

def buffer_atomic_min(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Keeps the smaller of the value and memory, atomically.

    Integers of 32 and 64 bits; float64 and float32 where the chip has it.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_min(counts, at, 7)
    """
    ...

def buffer_atomic_or(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Adds the bits of the value to memory, atomically.

    Integers of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_or(counts, at, 1)
    """
    ...

def buffer_atomic_xchg(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Writes memory and gives what it held, atomically.

    Integers and floats of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_xchg(counts, at, 3)
    """
    ...

def buffer_atomic_xor(ptr: tensor, offsets: tensor | Number, value: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Flips the bits of the value in memory, atomically.

    Integers of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the offsets; zero where nothing happened.
    Errors: what is no scalar pointer, or one to const; offsets that are no block of 32-bit integers; an
    element type that the hardware cannot do this to.

        # hip:gfx942
        at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [64], [4], [0]))
        old = cdna3.buffer_atomic_xor(counts, at, 1)
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

def mfma(a: tensor, b: tensor, acc: tensor, cd_regclass: Any = ...) -> Any:
    """a @ b + acc on the matrix cores of CDNA, all operands in registers.

    Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDMFMALayout` of the
    chip's version (gfx942: 3, gfx950: 4) or an older one, the operands in its `DotOperandLayout`s.
    Element types: float16, bfloat16, float32 and two 8-bit floats into float32, int8 into int32,
    float64 into float64. 8-bit floats are float8e4b8 and float8e5b16 in version 3, float8e4nv and
    float8e5 in version 4. `cd_regclass` says which registers the sums are to take, "a" (AGPRs) or "v"
    (VGPRs); it is noted in the IR, and registers are allocated without it.

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types; another `cd_regclass`.

        # hip:gfx942
        mma: gl.constexpr = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2])
        a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 4))
        b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 4))
        product = cdna3.mfma(a, b, gl.zeros([64, 64], gl.float32, mma))
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

