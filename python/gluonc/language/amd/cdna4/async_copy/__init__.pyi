# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def global_load_to_shared(dest: shared_memory_descriptor, ptr: tensor, mask: tensor | Number | None = ..., other: tensor | Number | None = ..., cache_modifier: str = ...) -> None:
    """Begins to copy from global to shared memory, past the registers, by pointers.

    The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
    it, the buffer must not be touched. Where `mask` is false nothing is read: the element becomes
    `other`; without it the buffer keeps what it has. `cache_modifier` is that of `gl.load`.

    Gives: nothing.
    Errors: pointers of another element type or shape than the buffer; a ring of buffers; a mask that is
    not boolean; `other` without a mask.

        # hip:gfx950
        wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
        at = gl.arange(0, 256, layout=wide)
        dest = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        cdna4.async_copy.global_load_to_shared(dest, p + at, mask=at < n, other=0.0)
        cdna4.async_copy.commit_group()
        cdna4.async_copy.wait_group(0)
        z = dest.load(wide)
    """
    ...

def buffer_load_to_shared(dest: shared_memory_descriptor, ptr: tensor, offsets: tensor | Number, mask: tensor | Number | None = ..., other: tensor | Number | None = ..., cache_modifier: str = ...) -> None:
    """Begins to copy from global to shared memory, past the registers, by a base and offsets.

    The copy belongs to the group that the next `commit_group` closes. Until `wait_group` has waited for
    it, the buffer must not be touched. Bounds are those of `buffer_load`: where `mask` is false, and
    behind 2 GiB, nothing is read, and the element becomes `other`, or zero.

    Gives: nothing.
    Errors: what is no scalar pointer; offsets that are no block of 32-bit integers; another element
    type or shape than the buffer has; a ring of buffers; `other` without a mask.

        # hip:gfx950
        wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
        at = gl.arange(0, 256, layout=wide)
        dest = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        cdna4.async_copy.buffer_load_to_shared(dest, p, at, mask=at < n)
        cdna4.async_copy.commit_group()
        cdna4.async_copy.wait_group(0)
        z = dest.load(wide)
    """
    ...

def commit_group() -> None:
    """Closes a group: all copies begun since the last one.

    Gives: nothing.

        # hip:gfx950
        cdna4.async_copy.commit_group()
    """
    ...

def wait_group(num_outstanding: int = ...) -> None:
    """Waits until no more than so many of the latest groups of copies are under way.

    Gives: nothing.
    Errors: a negative number.

        # hip:gfx950
        cdna4.async_copy.wait_group(0)
    """
    ...

def load_shared_relaxed(smem: shared_memory_descriptor, layout: Layout) -> Any:
    """Loads a buffer that `wait_group` has waited for.

    It is `smem.load(layout)`, and promises the compiler that no copy to the buffer is under way.
    gfx1250 has it, too.

    Gives: a block of the buffer's shape and elements.
    Errors: a ring of buffers; a layout for another shape.

        # hip:gfx950
        wide: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
        at = gl.arange(0, 256, layout=wide)
        dest = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
        cdna4.async_copy.buffer_load_to_shared(dest, p, at)
        cdna4.async_copy.commit_group()
        cdna4.async_copy.wait_group(0)
        z = cdna4.async_copy.load_shared_relaxed(dest, wide)
    """
    ...

