# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

class Float2Tensor:
    """Methods of tensors of two float32 in each int64."""
    value: tensor
    def __init__(self, value: tensor) -> None: ...
    def __add__(self, other: Float2Tensor) -> Float2Tensor: ...
    def __sub__(self, other: Float2Tensor) -> Float2Tensor: ...
    def __mul__(self, other: Float2Tensor) -> Float2Tensor: ...

    def sum(self, axis: int) -> Any:
        """Adds the pairs along an axis: low halves and high halves each.

        Gives: a Float2Tensor without the axis.
        Errors: an axis out of range.

            # cuda:100a
            low, high = blackwell.float2.unpack2(blackwell.float2.pack(tile, axis=1).sum(axis=1))
        """
        ...

def pack(x: tensor, axis: int) -> Any:
    """Puts each two neighbours along an axis together, for arithmetic on both at once.

    No data moves where a thread holds both.

    Gives: a Float2Tensor, half as long along the axis; `.value` is its tensor of int64.
    Errors: other types than float32; one element along the axis.

        # cuda:100a
        z = blackwell.float2.pack(tile, axis=1)
    """
    ...

def unpack(x: Any, axis: int) -> Any:
    """Takes a Float2Tensor apart: undoes `pack`.

    Gives: a block of float32, twice as long along the axis.
    Errors: what is no Float2Tensor.

        # cuda:100a
        z = blackwell.float2.unpack(blackwell.float2.pack(tile, axis=1), axis=1)
    """
    ...

def pack2(x0: tensor | Number, x1: tensor | Number) -> Any:
    """Puts two tensors together, element by element.

    Gives: a Float2Tensor; `.value` is its tensor of int64, whose low halves are of `x0`.
    Errors: other types than float32.

        # cuda:100a
        z = blackwell.float2.pack2(tile, tile)
    """
    ...

def unpack2(x: Any) -> Any:
    """Takes a Float2Tensor apart: undoes `pack2`.

    Gives: a tuple of two tensors of float32.
    Errors: what is no Float2Tensor.

        # cuda:100a
        low, high = blackwell.float2.unpack2(blackwell.float2.pack2(tile, tile))
    """
    ...

def full_like(x: Any, fill_value: tensor | Number) -> Any:
    """A Float2Tensor like another, with one number everywhere.

    Gives: a Float2Tensor of the same shape and layout.
    Errors: what is no Float2Tensor; a number that is no float32.

        # cuda:100a
        z = blackwell.float2.full_like(blackwell.float2.pack(tile, axis=1), 2.0)
    """
    ...

def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once.

    Gives: a Float2Tensor.
    Errors: what are no Float2Tensors of one type.

        # cuda:100a
        x2 = blackwell.float2.pack(tile, axis=1)
        z = blackwell.float2.fma(x2, x2, x2)
    """
    ...

