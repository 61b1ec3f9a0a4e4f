# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def scope(name: str) -> Any:
    """Names what stands in a `with`, for timelines (`triton.profiler.language`, as Proton has it).

    A kernel that is not traced has no code for it. Regions may nest and overlap.

    Gives: a context for `with`.
    Errors: a name that is not known at compile time.

        with gl.profiler.scope("load"):
            x = gl.load(p + offsets)
    """
    ...

def enter_scope(name: str) -> None:
    """Begins a region of a timeline, which `exit_scope` of the same name ends.

    Both stand in one block: the body of a loop or of a branch, a partition, or the kernel.

    Gives: nothing.
    Errors: a name that is not known at compile time; a region that its block does not end.

        gl.profiler.enter_scope("load")
        x = gl.load(p + offsets)
        gl.profiler.exit_scope("load")
    """
    ...

def exit_scope(name: str) -> None:
    """Ends the region of this name that began last.

    Gives: nothing.
    Errors: a name that is not known at compile time; a region that its block did not begin.

        gl.profiler.enter_scope("load")
        x = gl.load(p + offsets)
        gl.profiler.exit_scope("load")
    """
    ...

