# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def async_copy_global_to_shared(smem: shared_memory_descriptor, pointer: tensor, mask: tensor | Number | None = ..., cache_modifier: str = ..., eviction_policy: str = ..., volatile: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy from global to shared memory, past the registers.

    The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
    it, the buffer must not be touched. Where `mask` is false nothing is read, and the elements become
    0. `cache_policy`, a `CachePolicy`, takes the place of `cache_modifier` and `eviction_policy`; of
    L2 only `l2_prefetch_size` is passed on.

    Gives: nothing.
    Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
    not boolean.

        buffer = gl.allocate_shared_memory(gl.float32, [128], line)
        ampere.async_copy.async_load(buffer, p + offsets)
        ampere.async_copy.commit_group()
        ampere.async_copy.wait_group(0)
        z = buffer.load(layout)
    """
    ...

def async_load(smem: shared_memory_descriptor, pointer: tensor, mask: tensor | Number | None = ..., cache_modifier: str = ..., eviction_policy: str = ..., volatile: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy from global to shared memory, past the registers.

    The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
    it, the buffer must not be touched. Where `mask` is false nothing is read, and the elements become
    0. `cache_policy`, a `CachePolicy`, takes the place of `cache_modifier` and `eviction_policy`; of
    L2 only `l2_prefetch_size` is passed on.

    Gives: nothing.
    Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
    not boolean.

        buffer = gl.allocate_shared_memory(gl.float32, [128], line)
        ampere.async_copy.async_load(buffer, p + offsets)
        ampere.async_copy.commit_group()
        ampere.async_copy.wait_group(0)
        z = buffer.load(layout)
    """
    ...

def commit_group() -> None:
    """Closes a group: all copies begun since the last one.

    Gives: nothing.

        ampere.async_copy.commit_group()
    """
    ...

def mbarrier_arrive(mbarrier: shared_memory_descriptor, increment_count: bool = ...) -> None:
    """Arrives at a barrier once all copies begun before are complete.

    With `increment_count` the phase awaits that arrival in addition to those of `init`.

    Gives: nothing.
    Errors: a ring of barriers.

        ampere.async_copy.mbarrier_arrive(bar)
    """
    ...

def wait_group(num_outstanding: int = ...) -> None:
    """Waits until no more than so many of the latest groups of copies are under way.

    Gives: nothing.
    Errors: a negative number.

        ampere.async_copy.wait_group(0)
    """
    ...

