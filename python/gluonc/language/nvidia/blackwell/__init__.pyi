# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc.language import DType, Layout, Number, shared_memory_descriptor, tensor
from . import async_copy as async_copy
from . import clc as clc
from . import cluster as cluster
from . import float2 as float2
from . import mbarrier as mbarrier
from . import tma as tma

def tensor_memory_descriptor_type(element_ty: DType, shape: Sequence[int], layout: Layout, alloc_shape: Sequence[int]) -> Any:
    """The type of buffers in tensor memory: element type, shape, layout, and the shape of the whole.

    It answers what a buffer does that needs no memory: `.get_reg_layout(…)`.

    Gives: a type, to compare with `tmem.type`.
    Errors: a shape or layout that no such buffer can have.

        # cuda:100a
        held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
        sums: gl.constexpr = blackwell.tensor_memory_descriptor_type(
            gl.float32, [128, 64], held, [128, 64])
        registers: gl.constexpr = sums.get_reg_layout()
    """
    ...

from gluonc.language._layouts import TensorMemoryLayout as TensorMemoryLayout

from gluonc.language._layouts import TensorMemoryScalesLayout as TensorMemoryScalesLayout

def get_tmem_reg_layout(element_ty: DType, shape: Sequence[int], layout: Layout, num_warps: int, instr_variant: str = ..., cga_layout: Any = ...) -> Any:
    """The layout in which warps load a buffer from tensor memory; see `get_reg_layout` of the buffer.

    Gives: a layout of blocks.
    Errors: a layout that is none of tensor memory; variants and numbers of warps that there are not.

        held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
        registers: gl.constexpr = blackwell.get_tmem_reg_layout(gl.float32, [128, 64], held, 4)
    """
    ...

from gluonc.language._policies import FractionalEvictionPolicy as FractionalEvictionPolicy

from gluonc.language._policies import NvidiaCachePolicy as CachePolicy

def allocate_tensor_memory(element_ty: DType, shape: Sequence[int], layout: Layout, value: tensor | None = ...) -> Any:
    """A buffer in tensor memory.

    It has two dimensions; a third in front counts the buffers of a ring, and may be any number. A
    `value` fills the buffer. The memory is taken back after the last use.

    Gives: a tensor memory descriptor.
    Errors: a layout that is none of tensor memory; elements of other than 8, 16 and 32 bits; more than
    512 columns; a value of another type or shape, or that no instruction stores.

        # cuda:100a
        held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
        acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
    """
    ...

def tcgen05_mma(a: shared_memory_descriptor, b: shared_memory_descriptor, acc: shared_memory_descriptor, *, use_acc: tensor | Number = ..., pred: tensor | Number = ..., multicast: bool = ..., mbarriers: Sequence[Any] | None = ..., mbarrier_preds: Sequence[Any] | None = ...) -> None:
    """Starts a @ b + acc on the tensor cores.

    `acc` is in tensor memory, `a` in shared or tensor memory, `b` in shared memory; shapes are [M, K],
    [K, N] and [M, N]. With a false `use_acc` the product alone, with a false `pred` nothing. Operands
    must stay and `acc` must not be touched until a barrier tells: each of `mbarriers` counts an arrival
    when this and all that this partition started before is over. So does `tcgen05_commit`. 16-bit and
    8-bit floats, float32 (cut to tf32) and 8-bit integers multiply.

    Where the layout of `acc` says `two_ctas`, the CTAs of each pair multiply together: each has half
    of the rows of `a` and `acc` and half of the columns of `b`. Barriers of both are told; with
    `multicast` those of all CTAs that hold the same part of `a` or `b`.

    Gives: nothing.
    Errors: other layouts, shapes or element types.

        # cuda:100a
        wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
        a = gl.allocate_shared_memory(gl.float16, [128, 64], wide)
        b = gl.allocate_shared_memory(gl.float16, [64, 64], wide)
        held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
        acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
        blackwell.tcgen05_mma(a, b, acc, use_acc=False, mbarriers=[bar])
    """
    ...

def tcgen05_commit(barrier: shared_memory_descriptor, pred: tensor | Number = ..., descs: Sequence[Any] = ...) -> None:
    """Has a barrier count an arrival once the products and copies that this partition started are over.

    With `descs`, buffers in shared memory, so do the barriers of all CTAs that hold the same part of
    one.

    Gives: nothing.
    Errors: what is no barrier, or not one for each CTA.

        # cuda:100a
        blackwell.tcgen05_commit(bar)
    """
    ...

def tcgen05_mma_scaled(a: shared_memory_descriptor, b: shared_memory_descriptor, acc: shared_memory_descriptor, a_scale: shared_memory_descriptor, b_scale: shared_memory_descriptor, a_type: str, b_type: str, *, use_acc: tensor | Number = ..., pred: tensor | Number = ..., multicast: bool = ..., mbarriers: Sequence[Any] | None = ..., mbarrier_preds: Sequence[Any] | None = ...) -> None:
    """Starts (a * a_scale) @ (b * b_scale) + acc on the tensor cores.

    As `tcgen05_mma`, with a scale for each 32 elements along K, or each 16. `a_type` and `b_type` are
    "e4m3", "e5m2" or "e2m1", two of which lie in a byte, the first in its low half. Scales are in
    tensor memory in a TensorMemoryScalesLayout, [M, K / 32] and [N, K / 32]: uint8, the exponent of a
    power of two plus 127, or float8e4nv for each 16 elements where both types are "e2m1". Where only
    one is, its buffer has an fp4_padded layout.

    Gives: nothing.
    Errors: other layouts, shapes or element types; `acc` with 64 rows in a block.

        # cuda:100a
        wide: gl.constexpr = gl.NVMMASharedLayout(128, 8, 2)
        a = gl.allocate_shared_memory(gl.float8e4nv, [128, 128], wide)
        b = gl.allocate_shared_memory(gl.float8e4nv, [64, 128], wide)
        held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
        acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
        scales: gl.constexpr = blackwell.TensorMemoryScalesLayout()
        a_scale = blackwell.allocate_tensor_memory(gl.uint8, [128, 4], scales)
        b_scale = blackwell.allocate_tensor_memory(gl.uint8, [64, 4], scales)
        blackwell.tcgen05_mma_scaled(a, b.permute([1, 0]), acc, a_scale, b_scale, "e4m3", "e4m3",
                                     use_acc=False, mbarriers=[bar])
    """
    ...

def tcgen05_copy(src: shared_memory_descriptor, dst: shared_memory_descriptor) -> None:
    """Starts copying a buffer in shared memory to one in tensor memory.

    It is over when a barrier tells that `tcgen05_commit` names; products that this partition starts
    behind it find it done. Elements have 32 bits, or `dst` holds scales: then bytes lie in `src` in
    blocks of 128 rows and 4 columns, scale (m, k) at (m % 32) * 16 + m // 32 * 4 + k.

    Gives: nothing.
    Errors: shapes or types that differ; layouts that no instruction copies.

        # cuda:100a
        wide: gl.constexpr = gl.NVMMASharedLayout(128, 32, 2)
        a = gl.allocate_shared_memory(gl.float32, [128, 64], wide)
        held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
        acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
        blackwell.tcgen05_copy(a, acc)
    """
    ...

def tcgen05_mma_barrier_count(smems: Sequence[Any], multicast: bool, two_ctas: bool) -> Any:
    """How many arrivals products tell a barrier of each CTA: the count that it begins with.

    `smems` are the operands in shared memory. Without `multicast`, 1.

    Gives: an int at compile time.
    Errors: what is no memory descriptor.

        # cuda:100a
        wide: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
        a = gl.allocate_shared_memory(gl.float16, [128, 64], wide)
        count: gl.constexpr = blackwell.tcgen05_mma_barrier_count([a], False, False)
    """
    ...

def add2(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """Adds, two neighbouring elements of a thread by one instruction.

    Of float32, float16 and bfloat16. Scalars fill the shape of the other operand.

    Gives: a block of the operands' type.
    Errors: no block; other types; a layout in which a thread holds one element.

        # cuda:100a
        z = blackwell.add2(tile, tile)
    """
    ...

def sub2(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """Subtracts, two neighbouring elements of a thread by one instruction.

    Of float32, float16 and bfloat16. Scalars fill the shape of the other operand.

    Gives: a block of the operands' type.
    Errors: no block; other types; a layout in which a thread holds one element.

        # cuda:100a
        z = blackwell.sub2(tile, 1.0)
    """
    ...

def mul2(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """Multiplies, two neighbouring elements of a thread by one instruction.

    Of float32, float16 and bfloat16. Scalars fill the shape of the other operand.

    Gives: a block of the operands' type.
    Errors: no block; other types; a layout in which a thread holds one element.

        # cuda:100a
        z = blackwell.mul2(tile, 0.5)
    """
    ...

def fma2(lhs: tensor | Number, rhs: tensor | Number, acc: tensor | Number, dtype: DType | None = ...) -> Any:
    """lhs * rhs + acc, rounded once, two neighbouring elements of a thread by one instruction.

    Of float32, float16 and bfloat16. Scalars fill the shape of the other operands.

    Gives: a block of the operands' type.
    Errors: no block; other types; a layout in which a thread holds one element.

        # cuda:100a
        z = blackwell.fma2(tile, tile, 1.0)
    """
    ...

def min2(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """The lesser of each two elements, two neighbours of a thread by one instruction.

    Of float16 and bfloat16. A number is less than NaN.

    Gives: a block of the operands' type.
    Errors: no block; other types; a layout in which a thread holds one element.

        # cuda:100a
        z = blackwell.min2(tile.to(gl.float16), 1.0)
    """
    ...

def max2(lhs: tensor | Number, rhs: tensor | Number, dtype: DType | None = ...) -> Any:
    """The greater of each two elements, two neighbours of a thread by one instruction.

    Of float16 and bfloat16. A number is greater than NaN.

    Gives: a block of the operands' type.
    Errors: no block; other types; a layout in which a thread holds one element.

        # cuda:100a
        z = blackwell.max2(tile.to(gl.float16), 0.0)
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

