# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import async_copy as async_copy
from . import cluster as cluster
from . import mbarrier as mbarrier
from . import tma as tma

from gluonc.language._policies import FractionalEvictionPolicy as FractionalEvictionPolicy

from gluonc.language._policies import NvidiaCachePolicy as CachePolicy

def warpgroup_mma_init(value: tensor) -> Any:
    """Makes a tensor the accumulator of products that overlap.

    Gives: an accumulator, of which `warpgroup_mma_wait` makes a tensor again.
    Errors: what is no block.

        mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
        acc = hopper.warpgroup_mma_init(gl.zeros([64, 64], gl.float32, mma))
    """
    ...

def warpgroup_mma(a: Any, b: shared_memory_descriptor, acc: Any, *, use_acc: tensor | Number = ..., precision: str = ..., max_num_imprecise_acc: int | None = ..., is_async: bool = ...) -> Any:
    """a @ b + acc on the tensor cores of four warps.

    `a` is a buffer or a block in a `DotOperandLayout`, `b` a buffer, both of [M, K] and [K, N]; `acc`
    lies in an `NVMMADistributedLayout` of version [3, 0]. With a false `use_acc` the product alone.
    8-bit floats and 16-bit floats accumulate in float16 or float32, float32 (cut to tf32) in float32,
    8-bit integers in int32. With `is_async` it only begins: buffers and result must not be touched
    before `warpgroup_mma_wait`. For 8-bit floats `max_num_imprecise_acc` says how many terms may be
    added with fewer bits.

    Gives: a block like `acc`; with `is_async` an accumulator.
    Errors: other layouts, shapes or element types; warps that are no multiple of four.

        wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
        a = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
        b = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
        mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
        acc = hopper.warpgroup_mma(a, b, gl.zeros([64, 64], gl.float32, mma))
    """
    ...

def warpgroup_mma_wait(num_outstanding: int = ..., deps: Sequence[Any] | None = ...) -> Any:
    """Waits until no more than so many of the latest products are under way.

    `deps` are what was waited for: accumulators, and buffers that must not be written before.

    Gives: the `deps`: one value, or a tuple; accumulators have become tensors.
    Errors: no `deps`; a number outside of 0 to 7.

        wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
        a = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
        b = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
        mma: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
        acc = hopper.warpgroup_mma(a, b, gl.zeros([64, 64], gl.float32, mma), is_async=True)
        acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    """
    ...

def fence_async_shared(cluster: bool = ...) -> None:
    """Orders shared memory accesses of this program before later ones of the asynchronous proxy.

    It stands between a write to a buffer and a copy or product that reads it, and between a read of a
    buffer and a copy that overwrites it. Within a function the compiler inserts it where it is missing;
    between partitions it cannot. With `cluster`, also for the shared memory of the cluster's other
    CTAs.

    Gives: nothing.

        smem.store(tile)
        hopper.fence_async_shared()
    """
    ...

def async_store(dst: shared_memory_descriptor, value: tensor, mbarrier: shared_memory_descriptor) -> None:
    """Begins to store a block in shared memory of the cluster; its bytes arrive at a barrier.

    The CTA that holds an element of `dst` gets it, and so does its barrier.

    Gives: nothing.
    Errors: a kernel of one CTA; a value of another type or shape than the buffer; a ring.

        # num_ctas=2
        halves: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])
        x = gl.full([256], 1.0, gl.float32, halves)
        apart: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], [[1]])
        dst = gl.allocate_shared_memory(gl.float32, [256], apart)
        bar = hopper.mbarrier.allocate_mbarrier()
        hopper.mbarrier.init(bar, count=1)
        hopper.mbarrier.expect(bar, 512)
        hopper.async_store(dst, x, bar)
        hopper.mbarrier.wait(bar, phase=0)
    """
    ...

def mma_v2(a: tensor, b: tensor, acc: tensor, input_precision: str = ...) -> Any:
    """a @ b + acc on tensor cores, all operands in registers.

    Shapes are [.., M, K], [.., K, N] and [.., M, N]. The accumulator lies in an
    `NVMMADistributedLayout` of version [2, 0], the operands in its `DotOperandLayout`s. Element types:
    float16 into float16 or float32, bfloat16 and float32 (cut to tf32) into float32, int8 into int32,
    float64 into float64, 8-bit floats into float32 (cuda:89 or newer).

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types; a precision other than "tf32" for float32.

        mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
        a = gl.full([64, 32], 1.0, gl.float16, gl.DotOperandLayout(0, mma, 2))
        b = gl.full([32, 64], 2.0, gl.float16, gl.DotOperandLayout(1, mma, 2))
        product = ampere.mma_v2(a, b, gl.zeros([64, 64], gl.float32, mma))
    """
    ...

