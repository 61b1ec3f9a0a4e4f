# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def wmma(a: tensor, b: tensor, acc: tensor) -> Any:
    """a @ b + acc on the matrix cores of RDNA4, all operands in registers.

    Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDWMMALayout` of
    version 2, the operands in its `DotOperandLayout`s. Element types: float16, bfloat16 and two of
    float8e4nv and float8e5 into float32, int8 into int32.

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types.

        # hip:gfx1200
        mma: gl.constexpr = gl.amd.AMDWMMALayout(2, True, [[0, 1], [1, 0]])
        a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 8))
        b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 8))
        product = rdna4.wmma(a, b, gl.zeros([64, 64], gl.float32, mma))
    """
    ...

