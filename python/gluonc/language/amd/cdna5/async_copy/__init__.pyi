# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def global_to_shared(smem: shared_memory_descriptor, pointer: tensor, mask: tensor | Number | None = ..., other: tensor | Number | None = ..., cache_modifier: str = ...) -> None:
    """Begins to copy from global to shared memory, past the registers.

    The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
    it, the buffer must not be touched. Where `mask` is false nothing is read: the element becomes
    `other`; without it the buffer keeps what it has. `cache_modifier` is that of `gl.load`.

    Gives: nothing.
    Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
    not boolean; `other` without a mask.

        # hip:gfx1250
        line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
        at = gl.arange(0, 128, layout=line)
        smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        cdna5.async_copy.global_to_shared(smem, p + at, mask=at < n, other=0.0)
        cdna5.async_copy.commit_group()
        cdna5.async_copy.wait_group(0)
        z = smem.load(line)
    """
    ...

def shared_to_global(pointer: tensor, smem: shared_memory_descriptor, mask: tensor | Number | None = ..., cache_modifier: str = ...) -> None:
    """Begins to copy from shared to global memory, past the registers.

    The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
    it, the buffer must not be written. Where `mask` is false nothing is written. `cache_modifier` is
    that of `gl.store`.

    Gives: nothing.
    Errors: pointers of another element type or shape than the buffer, or to const; a ring of buffers; a
    mask that is not boolean.

        # hip:gfx1250
        line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
        at = gl.arange(0, 128, layout=line)
        smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        smem.store(gl.full([128], 1.0, gl.float32, line))
        cdna5.async_copy.shared_to_global(q + at, smem, mask=at < n)
        cdna5.async_copy.commit_group()
        cdna5.async_copy.wait_group(0)
    """
    ...

def commit_group() -> None:
    """Closes a group: all copies begun since the last one.

    Gives: nothing.

        # hip:gfx1250
        cdna5.async_copy.commit_group()
    """
    ...

def wait_group(num_outstanding: int = ...) -> None:
    """Waits until no more than so many of the latest groups of copies are under way.

    Gives: nothing.
    Errors: a negative number.

        # hip:gfx1250
        cdna5.async_copy.wait_group(0)
    """
    ...

def mbarrier_arrive(mbarrier: shared_memory_descriptor) -> None:
    """Every thread arrives once its copies so far are done.

    Gives: nothing.
    Errors: a ring of barriers.

        # hip:gfx1250
        bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
        cdna5.mbarrier.init(bar, count=128)
        at = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
        smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        cdna5.async_copy.global_to_shared(smem, p + at)
        cdna5.async_copy.mbarrier_arrive(bar)
        cdna5.mbarrier.wait(bar, phase=0)
    """
    ...

