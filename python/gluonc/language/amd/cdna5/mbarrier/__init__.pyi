# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

from gluonc.language._layouts import MBarrierLayout as MBarrierLayout

def init(mbarrier: shared_memory_descriptor, count: int) -> None:
    """Makes a barrier ready: each of its phases ends when `count` arrivals have come.

    Every thread that arrives counts: for arrivals of 4 warps `count` is 128.

    Gives: nothing.
    Errors: a ring of barriers; a count below 1 or above what a barrier counts.

        # hip:gfx1250
        one: gl.constexpr = cdna5.mbarrier.MBarrierLayout()
        bar = gl.allocate_shared_memory(gl.int64, [1], one)
        cdna5.mbarrier.init(bar, count=128)
    """
    ...

def wait(mbarrier: shared_memory_descriptor, phase: tensor | Number) -> None:
    """Waits until the phase with this parity has ended.

    The first phase has parity 0.

    Gives: nothing.
    Errors: a ring of barriers.

        # hip:gfx1250
        bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
        cdna5.mbarrier.init(bar, count=128)
        cdna5.mbarrier.arrive(bar)
        cdna5.mbarrier.wait(bar, phase=0)
    """
    ...

def arrive(mbarrier: shared_memory_descriptor, *, count: int = ...) -> Any:
    """Arrives `count` times with every thread.

    Gives: the parity of the phase that it arrived in, an int32 scalar.
    Errors: a ring of barriers; a count below 1 or above what a barrier counts.

        # hip:gfx1250
        bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
        cdna5.mbarrier.init(bar, count=128)
        phase = cdna5.mbarrier.arrive(bar)
        cdna5.mbarrier.wait(bar, phase)
    """
    ...

