# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import libdevice as libdevice

def gdc_wait() -> None:
    """Waits until the grid before this one is complete and its memory accesses are visible.

    For launches with programmatic dependence (`launch_pdl=True`).

    Gives: nothing.

        gl.extra.gdc_wait()
    """
    ...

def gdc_launch_dependents() -> None:
    """Lets the grid behind this one begin, once all programs have said so or ended.

    For launches with programmatic dependence (`launch_pdl=True`).

    Gives: nothing.

        gl.extra.gdc_launch_dependents()
    """
    ...

