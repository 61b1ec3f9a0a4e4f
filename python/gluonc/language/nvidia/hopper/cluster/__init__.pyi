# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def barrier(relaxed: bool = ...) -> None:
    """Waits until all threads of the cluster are here.

    Unless `relaxed`, they see each other's memory accesses before it.

    Gives: nothing.
    Errors: a kernel of one CTA.

        # num_ctas=2
        hopper.cluster.barrier()
    """
    ...

def arrive(relaxed: bool = ...) -> None:
    """Arrives at the barrier of the cluster: the first half of `cluster.barrier`.

    Unless `relaxed`, the others see this thread's memory accesses before it once they have waited.

    Gives: nothing.
    Errors: a kernel of one CTA.

        # num_ctas=2
        hopper.cluster.arrive(relaxed=True)
        hopper.cluster.wait()
    """
    ...

def wait() -> None:
    """Waits until all threads of the cluster have arrived: the second half of `cluster.barrier`.

    Gives: nothing.
    Errors: a kernel of one CTA.

        # num_ctas=2
        hopper.cluster.arrive()
        hopper.cluster.wait()
    """
    ...

