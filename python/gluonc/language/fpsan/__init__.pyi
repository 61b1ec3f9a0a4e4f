# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def embed(input: tensor | Number) -> Any:
    """The payloads of floats: what the sanitizer `fpsan` computes with, as integers.

    0, 1 and -1 are those of the integers. Under the sanitizer, sums and products of floats have the
    sums and products of payloads; without it, this is a map of bits and nothing else.

    Gives: integers of the same width and shape.
    Errors: what are no floats of 8 bits or more.

        x = gl.load(p + offsets)
        payload = gl.fpsan.embed(x)
    """
    ...

def unembed(input: tensor | Number, dtype: DType) -> Any:
    """The floats whose payloads these are: `embed` backwards.

    Gives: floats of that dtype and the same shape.
    Errors: a dtype that is no float of 8 bits or more; integers of another width.

        x = gl.load(p + offsets)
        y = gl.fpsan.unembed(2 * gl.fpsan.embed(x), gl.float32)
    """
    ...

