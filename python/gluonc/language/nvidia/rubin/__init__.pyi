# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import mbarrier as mbarrier

from gluonc.language._layouts import TensorMemoryLayout as TensorMemoryLayout

from gluonc.language._layouts import TensorMemoryScalesLayout as TensorMemoryScalesLayout

from gluonc.language._policies import FractionalEvictionPolicy as FractionalEvictionPolicy

from gluonc.language._policies import NvidiaCachePolicy as CachePolicy

def add4(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """Adds, four neighbouring elements of a thread by one instruction.

    Of 8-bit floats; `lhs` may be a block of int8 with two e2m1 numbers a byte, the lower one first,
    which has half as many elements along one dimension. There is no machine code for it yet.

    Gives: a block of the type of `rhs`.
    Errors: no block; other types; a layout in which a thread holds fewer than four elements.

        # cuda:107a
        z = gl.nvidia.rubin.add4(tile.to(gl.float8e5), tile.to(gl.float8e4nv))
    """
    ...

def sub4(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """Subtracts, four neighbouring elements of a thread by one instruction.

    Of 8-bit floats; `lhs` may be a block of int8 with two e2m1 numbers a byte, the lower one first,
    which has half as many elements along one dimension. There is no machine code for it yet.

    Gives: a block of the type of `rhs`.
    Errors: no block; other types; a layout in which a thread holds fewer than four elements.

        # cuda:107a
        z = gl.nvidia.rubin.sub4(tile.to(gl.float8e5), tile.to(gl.float8e4nv))
    """
    ...

def mul4(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """Multiplies, four neighbouring elements of a thread by one instruction.

    Of 8-bit floats, or blocks of int8 with two e2m1 numbers a byte, the lower one first. Of two such
    `dtype` says the result's type. There is no machine code for it yet.

    Gives: a block of `dtype`, float8e4nv or float8e5.
    Errors: no block; other types; a layout in which a thread holds fewer than four elements.

        # cuda:107a
        z = gl.nvidia.rubin.mul4(tile.to(gl.float8e5), tile.to(gl.float8e5))
    """
    ...

def fma4(lhs: tensor | Number, rhs: tensor | Number, acc: tensor | Number, dtype: DType | None = ...) -> Any:
    """lhs * rhs + acc, four neighbouring elements of a thread by one instruction.

    Of 8-bit floats; `lhs` and `rhs` may be blocks of int8 with two e2m1 numbers a byte, the lower one
    first. There is no machine code for it yet.

    Gives: a block of the type of `acc`.
    Errors: no block; other types; a layout in which a thread holds fewer than four elements.

        # cuda:107a
        e: gl.constexpr = gl.float8e4nv
        z = gl.nvidia.rubin.fma4(tile.to(e), tile.to(e), tile.to(e))
    """
    ...

