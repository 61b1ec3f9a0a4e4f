# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def wmma(a: tensor, b: tensor, acc: tensor) -> Any:
    """a @ b + acc on the matrix cores of RDNA3, all operands in registers.

    Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an `AMDWMMALayout` of
    version 1, the operands in its `DotOperandLayout`s. Element types: float16 and bfloat16 into
    float32, int8 into int32.

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types.

        # hip:gfx1100
        mma: gl.constexpr = gl.amd.AMDWMMALayout(1, True, [[0, 1], [1, 0]])
        a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 16))
        b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 16))
        product = rdna3.wmma(a, b, gl.zeros([64, 64], gl.float32, mma))
    """
    ...

