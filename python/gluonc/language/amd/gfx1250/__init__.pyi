# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

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

