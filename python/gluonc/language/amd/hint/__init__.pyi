# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def sched_barrier(allow: Any = ...) -> None:
    """Keeps the compiler from moving instructions across this line.

    A hint: results are the same without it. Nothing may cross, and `allow` says so by None.

    Gives: nothing.
    Errors: `allow` that is something else.

        # hip:gfx942
        gl.amd.hint.sched_barrier()
    """
    ...

