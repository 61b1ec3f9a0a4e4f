# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor

def async_gather(tensor_desc: Any, x_offsets: tensor, y_offset: tensor | Number, barrier: shared_memory_descriptor, result: shared_memory_descriptor, pred: tensor | Number = ..., multicast: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy rows of a tensor, named one by one, to shared memory; bytes arrive at a barrier.

    Row i of the buffer becomes row `x_offsets[i]` of the tensor, from column `y_offset` on; elements
    outside of the tensor become 0 (or NaN, if the descriptor says so). The descriptor's block is one
    row, the buffer has 8 rows or more and rows of 32 bytes or more. Each thread holds four neighbouring
    offsets, all threads of a warp the same. With `multicast` one copy serves all CTAs that hold the
    same rows. With a false `pred` nothing is copied. `cache_policy` is a `CachePolicy` of L2 alone.

    Gives: nothing.
    Errors: a descriptor of several rows; a buffer of another width, element type or layout; offsets
    that are not int32, not one for each row, or spread otherwise.

        # cuda:100a
        rows = gl.arange(0, 64, gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])))
        dst = gl.allocate_shared_memory(row.dtype, [64, 64], row.layout)
        blackwell.mbarrier.expect(bar, 64 * 64 * 2)
        blackwell.tma.async_gather(row, 63 - rows, 0, bar, dst)
        blackwell.mbarrier.wait(bar, phase=0)
    """
    ...

def async_scatter(tensor_desc: Any, x_offsets: tensor, y_offset: tensor | Number, src: shared_memory_descriptor, cache_policy: Any = ...) -> None:
    """Begins to copy rows from shared memory to rows of a tensor that are named one by one.

    Row i of the buffer goes to row `x_offsets[i]` of the tensor, from column `y_offset` on; what lies
    behind its end is not written. Numbers are not negative, and no two rows go to one place. Otherwise
    descriptor, buffer, offsets and `cache_policy` are those of `async_gather`, fence and wait those of
    `async_store`.

    Gives: nothing.
    Errors: those of `async_gather`.

        # cuda:100a
        rows = gl.arange(0, 64, gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])))
        src = gl.allocate_shared_memory(row.dtype, [64, 64], row.layout)
        src.store(gl.full([64, 64], 1.0, gl.float16, tiled))
        blackwell.fence_async_shared()
        blackwell.tma.async_scatter(row, 63 - rows, 0, src)
        blackwell.tma.store_wait(0)
    """
    ...

def async_atomic_add(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor) -> None:
    """Begins to add a block to a tensor, atomically.

    The block comes from shared memory; fences and waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_store`; an element type that the copy engine cannot do this to.

        src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        src.store(gl.full([64, 64], 1, desc.dtype, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_atomic_add(desc, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def async_atomic_and(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor) -> None:
    """Begins to keep the bits that a tensor has in common with a block, atomically.

    The block comes from shared memory; fences and waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_store`; an element type that the copy engine cannot do this to.

        src = gl.allocate_shared_memory(words.dtype, words.block_shape, words.layout)
        src.store(gl.full([64, 64], 1, words.dtype, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_atomic_and(words, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def async_atomic_max(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor) -> None:
    """Begins to take the larger of a block and a tensor into the tensor, atomically.

    The block comes from shared memory; fences and waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_store`; an element type that the copy engine cannot do this to.

        src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        src.store(gl.full([64, 64], 1, desc.dtype, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_atomic_max(desc, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def async_atomic_min(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor) -> None:
    """Begins to take the smaller of a block and a tensor into the tensor, atomically.

    The block comes from shared memory; fences and waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_store`; an element type that the copy engine cannot do this to.

        src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        src.store(gl.full([64, 64], 1, desc.dtype, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_atomic_min(desc, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def async_atomic_or(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor) -> None:
    """Begins to add the bits of a block to a tensor, atomically.

    The block comes from shared memory; fences and waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_store`; an element type that the copy engine cannot do this to.

        src = gl.allocate_shared_memory(words.dtype, words.block_shape, words.layout)
        src.store(gl.full([64, 64], 1, words.dtype, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_atomic_or(words, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def async_atomic_xor(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor) -> None:
    """Begins to flip the bits of a block in a tensor, atomically.

    The block comes from shared memory; fences and waits are those of `async_store`.

    Gives: nothing.
    Errors: those of `async_store`; an element type that the copy engine cannot do this to.

        src = gl.allocate_shared_memory(words.dtype, words.block_shape, words.layout)
        src.store(gl.full([64, 64], 1, words.dtype, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_atomic_xor(words, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def async_load(tensor_desc: Any, coord: Sequence[tensor | Number], barrier: shared_memory_descriptor, result: shared_memory_descriptor, pred: tensor | Number = ..., multicast: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy a block of a tensor to shared memory; its bytes arrive at a barrier.

    `coord` is where in the tensor the block begins, an int32 scalar per dimension; elements outside of
    the tensor become 0 (or NaN, if the descriptor says so). With `multicast` one copy serves all CTAs
    that hold the same block. With a false `pred` nothing is copied. `cache_policy` is a `CachePolicy`
    of L2 alone.

    Gives: nothing.
    Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of
    coordinates.

        dst = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        hopper.mbarrier.expect(bar, desc.nbytes_per_cta)
        hopper.tma.async_load(desc, [0, 0], bar, dst)
        hopper.mbarrier.wait(bar, phase=0)
    """
    ...

def async_load_im2col(tensor_desc: Any, coord: Sequence[tensor | Number], offsets: Sequence[tensor | Number], barrier: shared_memory_descriptor, result: shared_memory_descriptor, pred: tensor | Number = ..., multicast: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy pixels of an image to shared memory; their bytes arrive at a barrier.

    `tensor_desc` is an im2col descriptor, `coord` the first pixel and channel, an int32 scalar per
    dimension, `offsets` the place within the filter, one per spatial dimension. Otherwise as
    `async_load`.

    Gives: nothing.
    Errors: a descriptor that is none of im2col; a wrong number of coordinates or offsets.

        dst = gl.allocate_shared_memory(image.dtype, image.block_shape, image.layout)
        hopper.mbarrier.expect(bar, image.nbytes_per_cta)
        hopper.tma.async_load_im2col(image, [0, 0, 0, 0], [0, 0], bar, dst)
        hopper.mbarrier.wait(bar, phase=0)
    """
    ...

def async_store(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor, cache_policy: Any = ...) -> None:
    """Begins to copy a block from shared memory to a tensor.

    `coord` is where in the tensor the block begins; what lies outside of the tensor is not written. A
    `fence_async_shared` must stand between writes to the buffer and the copy, a `store_wait` before the
    buffer is written again or the kernel ends. `cache_policy` is a `CachePolicy` of L2 alone.

    Gives: nothing.
    Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of
    coordinates.

        src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        src.store(gl.full([64, 64], 1.0, gl.float16, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_store(desc, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

def make_tensor_descriptor(base: tensor, shape: Sequence[tensor | Number], strides: Sequence[tensor | Number], block_shape: Sequence[int], layout: Layout, padding_option: str = ...) -> Any:
    """Describes a tensor in global memory, inside a kernel.

    Shape and strides count elements. All strides but the last are multiples of 16 bytes, the last is 1.
    `padding_option` says what copies find outside: "zero", or "nan" for floats.

    Gives: a tensor descriptor of blocks of `block_shape` in `layout`, an `NVMMASharedLayout`.
    Errors: a base that is no scalar pointer; lists of different lengths; strides, shapes and layouts
    that the copy engine does not have.

        made = hopper.tma.make_tensor_descriptor(
            p, [n, 64], [64, 1], [64, 32], gl.NVMMASharedLayout(128, 32, 2))
    """
    ...

def store_wait(pendings: int, read_only: bool = ...) -> None:
    """Waits until no more than so many of the latest copies to global memory are under way.

    With `read_only` a copy counts as complete once its buffer has been read, and may be written again;
    without it once global memory has been written.

    Gives: nothing.
    Errors: a negative number.

        hopper.tma.store_wait(0)
    """
    ...

def async_copy_global_to_shared(tensor_desc: Any, coord: Sequence[tensor | Number], barrier: shared_memory_descriptor, result: shared_memory_descriptor, pred: tensor | Number = ..., multicast: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy a block of a tensor to shared memory; its bytes arrive at a barrier.

    `coord` is where in the tensor the block begins, an int32 scalar per dimension; elements outside of
    the tensor become 0 (or NaN, if the descriptor says so). With `multicast` one copy serves all CTAs
    that hold the same block. With a false `pred` nothing is copied. `cache_policy` is a `CachePolicy`
    of L2 alone.

    Gives: nothing.
    Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of
    coordinates.

        dst = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        hopper.mbarrier.expect(bar, desc.nbytes_per_cta)
        hopper.tma.async_load(desc, [0, 0], bar, dst)
        hopper.mbarrier.wait(bar, phase=0)
    """
    ...

def async_copy_global_to_shared_im2col(tensor_desc: Any, coord: Sequence[tensor | Number], offsets: Sequence[tensor | Number], barrier: shared_memory_descriptor, result: shared_memory_descriptor, pred: tensor | Number = ..., multicast: bool = ..., cache_policy: Any = ...) -> None:
    """Begins to copy pixels of an image to shared memory; their bytes arrive at a barrier.

    `tensor_desc` is an im2col descriptor, `coord` the first pixel and channel, an int32 scalar per
    dimension, `offsets` the place within the filter, one per spatial dimension. Otherwise as
    `async_load`.

    Gives: nothing.
    Errors: a descriptor that is none of im2col; a wrong number of coordinates or offsets.

        dst = gl.allocate_shared_memory(image.dtype, image.block_shape, image.layout)
        hopper.mbarrier.expect(bar, image.nbytes_per_cta)
        hopper.tma.async_load_im2col(image, [0, 0, 0, 0], [0, 0], bar, dst)
        hopper.mbarrier.wait(bar, phase=0)
    """
    ...

def async_copy_shared_to_global(tensor_desc: Any, coord: Sequence[tensor | Number], src: shared_memory_descriptor, cache_policy: Any = ...) -> None:
    """Begins to copy a block from shared memory to a tensor.

    `coord` is where in the tensor the block begins; what lies outside of the tensor is not written. A
    `fence_async_shared` must stand between writes to the buffer and the copy, a `store_wait` before the
    buffer is written again or the kernel ends. `cache_policy` is a `CachePolicy` of L2 alone.

    Gives: nothing.
    Errors: a buffer that is not shaped and laid out as the descriptor says; a wrong number of
    coordinates.

        src = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
        src.store(gl.full([64, 64], 1.0, gl.float16, tiled))
        hopper.fence_async_shared()
        hopper.tma.async_store(desc, [0, 0], src)
        hopper.tma.store_wait(0)
    """
    ...

