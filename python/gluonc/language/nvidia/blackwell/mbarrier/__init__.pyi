# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

from gluonc.language._layouts import MBarrierLayout as MBarrierLayout

def allocate_mbarrier(batch: int | None = ..., two_ctas: bool = ...) -> Any:
    """Shared memory for a barrier, or with `batch` for a ring of them.

    Each CTA of a cluster has its own barrier; with `two_ctas` each pair of CTAs has one.

    Gives: a shared memory descriptor of int64: [number of CTAs], or [batch, number of CTAs].
    Errors: a batch below 1; `two_ctas` without an even number of CTAs.

        ready = ampere.mbarrier.allocate_mbarrier()
    """
    ...

def arrive(mbarrier: shared_memory_descriptor, *, count: int = ..., pred: tensor | Number = ..., from_cta: int | None = ...) -> None:
    """Arrives `count` times at a barrier.

    With a false `pred` it does not. `from_cta` masks the bits of a CTA's number that choose whose
    barrier it arrives at.

    Gives: nothing.
    Errors: a ring of barriers; a count below 1; a mask beyond the CTAs of the cluster.

        hopper.mbarrier.arrive(bar, count=1)
    """
    ...

def expect(mbarrier: shared_memory_descriptor, bytes_per_cta: int | None = ..., pred: tensor | Number = ..., *, from_cta: int | None = ..., bytes: int | None = ...) -> None:
    """Arrives once, and makes the phase wait for bytes as well.

    Copies that name the barrier bring the bytes. `bytes` is an older name of `bytes_per_cta`.

    Gives: nothing.
    Errors: a ring of barriers; a negative number of bytes, or more than a barrier counts.

        hopper.mbarrier.expect(bar, desc.nbytes_per_cta)
    """
    ...

def fence_init_release_cluster() -> None:
    """Makes the barriers that this CTA has begun known to the cluster, once its CTAs have met.

    Gives: nothing.
    Errors: a kernel of one CTA.

        # num_ctas=2
        bar = hopper.mbarrier.allocate_mbarrier()
        hopper.mbarrier.init(bar, count=1)
        hopper.mbarrier.fence_init_release_cluster()
        hopper.cluster.arrive(relaxed=True)
        hopper.cluster.wait()
    """
    ...

def init(mbarrier: shared_memory_descriptor, count: int) -> None:
    """Makes a barrier ready: each of its phases ends when `count` arrivals have come.

    Gives: nothing.
    Errors: a ring of barriers; a count below 1 or above what a barrier counts.

        ready = ampere.mbarrier.allocate_mbarrier()
        ampere.mbarrier.init(ready, count=1)
    """
    ...

def invalidate(mbarrier: shared_memory_descriptor) -> None:
    """Ends the use of a barrier, so that its memory can serve for something else.

    Gives: nothing.
    Errors: a ring of barriers.

        ampere.mbarrier.invalidate(bar)
    """
    ...

def sync_cluster_init() -> None:
    """Waits until all CTAs of the cluster know the barriers that each of them has begun.

    In a kernel of one CTA its threads wait for each other.

    Gives: nothing.

        # num_ctas=2
        bar = hopper.mbarrier.allocate_mbarrier()
        hopper.mbarrier.init(bar, count=1)
        hopper.mbarrier.sync_cluster_init()
    """
    ...

def wait(mbarrier: shared_memory_descriptor, phase: tensor | Number, pred: tensor | Number = ..., deps: Sequence[Any] = ...) -> None:
    """Waits until the phase of the given parity has ended.

    Phases are numbered 0, 1, 0, … from `init` on. With a false `pred` it does not wait. `deps` are
    buffers whose accesses must stay on their side of the wait.

    Gives: nothing.
    Errors: a ring of barriers; a phase that is no int32 scalar.

        ampere.mbarrier.arrive(bar)
        ampere.mbarrier.wait(bar, phase=0)
    """
    ...

