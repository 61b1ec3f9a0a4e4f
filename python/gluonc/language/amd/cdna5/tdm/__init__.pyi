# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def make_tensor_descriptor(base: tensor, shape: Sequence[tensor | Number], strides: Sequence[tensor | Number], block_shape: Sequence[int], layout: Layout) -> Any:
    """Describes a tensor in global memory.

    Shape and strides count elements; the last stride is 1. Outside of the tensor copies find zero.

    Gives: a tensor descriptor of blocks of `block_shape` in `layout`, a `SwizzledSharedLayout` without
    swizzle or a `PaddedSharedLayout` of one pair, row by row, or a `PartitionedSharedLayout` of these.
    Errors: a base that is no scalar pointer; lists of different lengths; layouts that the engine does
    not have.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
    """
    ...

def update_tensor_descriptor(desc: Any, add_offsets: Sequence[tensor | Number] | None = ..., set_bounds: Sequence[tensor | Number] | None = ..., pred: tensor | Number | None = ..., clamp_bounds: bool = ...) -> Any:
    """The descriptor of a block elsewhere in the tensor.

    `add_offsets` moves the block, and leaves the end of the tensor as far from it as it was; with
    `clamp_bounds` the end stays where it is. `set_bounds` says how far the end is. Copies by a
    descriptor with a false `pred` do nothing.

    Gives: a tensor descriptor.
    Errors: nothing to update; a wrong number of offsets or bounds; `clamp_bounds` without
    `add_offsets` or with `set_bounds`.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        there = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[64, 0], clamp_bounds=True)
    """
    ...

def async_load(src: Any, offsets: Sequence[tensor | Number] | None = ..., dest: shared_memory_descriptor | None = ..., pred: tensor | Number | None = ..., mbarrier: shared_memory_descriptor | None = ..., warp_used_hint: int | None = ..., cache_modifier: str = ...) -> None:
    """Begins to copy a block of a tensor to shared memory.

    `offsets` is where in the tensor the block begins; without it the block is where the descriptor is.
    With a false `pred` nothing is copied. Until `async_wait` has waited for the copy, or `mbarrier` has
    had an arrival of each warp, the buffer must not be touched. `warp_used_hint` has a bit for each
    warp that may do the work.

    Gives: nothing.
    Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of offsets.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        cdna5.tdm.async_load(desc, [0, 0], smem)
        cdna5.tdm.async_wait(0)
    """
    ...

def async_load_fused(members: Sequence[Any], cache_modifier: str = ...) -> None:
    """Begins to copy several blocks to shared memory, each with warps of its own.

    A member is a descriptor, a buffer, and a number with a bit for each of its warps. `async_wait`
    counts them as one copy.

    Gives: nothing.
    Errors: fewer than 2 or more than 4 members; a warp in two of them; what `async_load` refuses.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        other = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        cdna5.tdm.async_load_fused([(desc, smem, 0b0011), (desc, other, 0b1100)])
        cdna5.tdm.async_wait(0)
    """
    ...

def async_store(dest: Any, offsets: Sequence[tensor | Number] | None = ..., src: shared_memory_descriptor | None = ..., mbarrier: shared_memory_descriptor | None = ..., cache_modifier: str = ...) -> None:
    """Begins to copy a block from shared memory to a tensor.

    What lies outside of the tensor is not written. Until `async_wait` has waited for the copy, or
    `mbarrier` has had an arrival of each warp, the buffer must not be written.

    Gives: nothing.
    Errors: a buffer that is not shaped and laid out as the descriptor says; padding elsewhere than
    behind rows; a wrong number of offsets.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
        smem.store(gl.full([64, 32], 1.0, gl.float32, tile))
        cdna5.tdm.async_store(desc, [0, 0], smem)
        cdna5.tdm.async_wait(0)
    """
    ...

def async_wait(num_outstanding: int = ...) -> None:
    """Waits until no more than so many of the latest copies of the engine are under way.

    Gives: nothing.
    Errors: a negative number.

        # hip:gfx1250
        cdna5.tdm.async_wait(0)
    """
    ...

def async_gather(desc: Any, src_row_indices: tensor, dst: shared_memory_descriptor, mbarrier: shared_memory_descriptor | None = ...) -> None:
    """Begins to copy rows of a tensor, which are named one by one, to shared memory.

    Row i of the buffer becomes row `src_row_indices[i]`, from the column on where the descriptor is.
    Waits are those of `async_load`.

    Gives: nothing.
    Errors: numbers that are neither int16 nor int32, that lanes of a warp hold different ones of, or of
    which there are not as many as rows; a buffer that is not laid out as the descriptor says.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        spread: gl.constexpr = gl.BlockedLayout([64, 1], [1, 32], [1, 4], [0, 1])
        at = gl.arange(0, 64, layout=gl.SliceLayout(1, spread))
        cdna5.tdm.async_gather(desc, 63 - at, smem)
        cdna5.tdm.async_wait(0)
    """
    ...

def async_scatter(desc: Any, dst_row_indices: tensor, src: shared_memory_descriptor, mbarrier: shared_memory_descriptor | None = ...) -> None:
    """Begins to copy rows of shared memory to rows of a tensor, which are named one by one.

    Row i of the buffer becomes row `dst_row_indices[i]`, from the column on where the descriptor is;
    rows behind the end are not written. Waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_gather`.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
        smem.store(gl.full([64, 32], 1.0, gl.float32, tile))
        spread: gl.constexpr = gl.BlockedLayout([64, 1], [1, 32], [1, 4], [0, 1])
        at = gl.arange(0, 64, layout=gl.SliceLayout(1, spread))
        cdna5.tdm.async_scatter(desc, 63 - at, smem)
        cdna5.tdm.async_wait(0)
    """
    ...

def prefetch(src: Any, offsets: Sequence[tensor | Number], pred: tensor | Number = ..., speculative: bool = ...) -> None:
    """Asks for a block of a tensor to be in L2.

    A hint: results are the same without it. A `speculative` one may be dropped.

    Gives: nothing.
    Errors: a wrong number of offsets.

        # hip:gfx1250
        rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        desc = cdna5.tdm.make_tensor_descriptor(p, [n, 32], [32, 1], [64, 32], rows)
        smem = gl.allocate_shared_memory(gl.float32, [64, 32], rows)
        cdna5.tdm.prefetch(desc, [64, 0])
    """
    ...

