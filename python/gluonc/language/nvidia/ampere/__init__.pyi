# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import async_copy as async_copy
from . import mbarrier as mbarrier

from gluonc.language._policies import FractionalEvictionPolicy as FractionalEvictionPolicy

from gluonc.language._policies import NvidiaCachePolicy as CachePolicy

def mma_v2(a: tensor, b: tensor, acc: tensor, input_precision: str = ...) -> Any:
    """a @ b + acc on tensor cores, all operands in registers.

    Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an
    `NVMMADistributedLayout` of version [2, 0], the operands in its `DotOperandLayout`s. Element types:
    float16 into float16 or float32, bfloat16 and float32 (cut to tf32) into float32, int8 into int32,
    float64 into float64, 8-bit floats into float32 (cuda:89 or newer).

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types; a precision other than "tf32" for float32.

        mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
        a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 2))
        b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 2))
        product = ampere.mma_v2(a, b, gl.zeros([64, 64], gl.float32, mma))
    """
    ...

