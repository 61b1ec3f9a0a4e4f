# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def arrive() -> None:
    """Arrives at a barrier of all CTAs of the cluster, without waiting.

    Each `arrive` needs a `wait` before the next.

    Gives: nothing.
    Errors: a kernel of one CTA.

        # hip:gfx1250 num_ctas=2
        cdna5.cluster.arrive()
        cdna5.cluster.wait()
    """
    ...

def wait() -> None:
    """Waits until all CTAs of the cluster have arrived.

    Gives: nothing.
    Errors: a kernel of one CTA.

        # hip:gfx1250 num_ctas=2
        cdna5.cluster.arrive()
        cdna5.cluster.wait()
    """
    ...

