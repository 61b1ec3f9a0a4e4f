# Made by `./dev reference` from the rows in src/sema; do not edit.
from collections.abc import Callable, Sequence
from typing import Any

from gluonc._host import cdiv as cdiv, constexpr_function as constexpr_function
from gluonc._host import next_power_of_2 as next_power_of_2
from gluonc.language._constexpr import constexpr as constexpr
from gluonc.language._dtypes import *
from gluonc.language._dtypes import dtype as dtype, pointer_type as pointer_type
from gluonc.language._layouts import (
    DistributedLayout as DistributedLayout, SharedLayout as SharedLayout,
    to_linear_layout as to_linear_layout)
from gluonc.language._types import (
    bank_conflicts as bank_conflicts, block_type as block_type,
    distributed_type as distributed_type,
    shared_memory_descriptor_type as shared_memory_descriptor_type)

Number = int | float | bool
Layout = DistributedLayout | SharedLayout
PropagateNan: Any
math: Any
DType = dtype
from . import amd as amd
from . import extra as extra
from . import fpsan as fpsan
from . import nvidia as nvidia
from . import profiler as profiler

class tensor:
    """Methods of tensors. A function with the tensor as its first argument does the same."""
    dtype: DType
    shape: Sequence[int]
    type: Any
    T: tensor
    def __add__(self, other: tensor | Number) -> tensor: ...
    def __radd__(self, other: Number) -> tensor: ...
    def __sub__(self, other: tensor | Number) -> tensor: ...
    def __rsub__(self, other: Number) -> tensor: ...
    def __mul__(self, other: tensor | Number) -> tensor: ...
    def __rmul__(self, other: Number) -> tensor: ...
    def __truediv__(self, other: tensor | Number) -> tensor: ...
    def __rtruediv__(self, other: Number) -> tensor: ...
    def __floordiv__(self, other: tensor | Number) -> tensor: ...
    def __rfloordiv__(self, other: Number) -> tensor: ...
    def __mod__(self, other: tensor | Number) -> tensor: ...
    def __rmod__(self, other: Number) -> tensor: ...
    def __and__(self, other: tensor | Number) -> tensor: ...
    def __or__(self, other: tensor | Number) -> tensor: ...
    def __xor__(self, other: tensor | Number) -> tensor: ...
    def __lshift__(self, other: tensor | Number) -> tensor: ...
    def __rshift__(self, other: tensor | Number) -> tensor: ...
    def __lt__(self, other: tensor | Number) -> tensor: ...
    def __le__(self, other: tensor | Number) -> tensor: ...
    def __gt__(self, other: tensor | Number) -> tensor: ...
    def __ge__(self, other: tensor | Number) -> tensor: ...
    def __eq__(self, other: tensor | Number) -> tensor: ...  # type: ignore[override]
    def __ne__(self, other: tensor | Number) -> tensor: ...  # type: ignore[override]
    def __neg__(self) -> tensor: ...
    def __invert__(self) -> tensor: ...
    def __getitem__(self, index: Any) -> tensor: ...

    def abs(self) -> Any:
        """The absolute value.

        Gives: the type of `x`, element by element. The smallest integer of a type stays what it is.
        Errors: pointers.

            z = gl.abs(x)
        """
        ...

    def argmax(self, axis: int, tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
        """Where the largest element is.

        Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
        place. Of equal elements the first, unless `tie_break_left=False` allows any.

        Gives: int32, shaped as the block without that dimension, in the slice of its layout; a scalar where
        none is left.
        Errors: pointers; an axis out of range.

            where = gl.argmax(x, axis=0)
        """
        ...

    def argmin(self, axis: int, tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
        """Where the smallest element is.

        Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
        place. Of equal elements the first, unless `tie_break_left=False` allows any.

        Gives: int32, shaped as the block without that dimension, in the slice of its layout; a scalar where
        none is left.
        Errors: pointers; an axis out of range.

            where = gl.argmin(x, axis=0)
        """
        ...

    def associative_scan(self, axis: int, combine_fn: Callable[..., Any], reverse: bool = ...) -> Any:
        """Combines each element with all before it, by a function of the program.

        Along `axis`; from the end with `reverse`. `combine_fn` is as in `reduce`, but need not be
        commutative.

        Gives: a block like the input, or a tuple of them.
        Errors: inputs of different shapes or layouts; a function that gives other types than it takes.

            sums = gl.associative_scan(x, 0, add)
        """
        ...

    def atomic_add(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Adds to memory, atomically.

        Integers of 32 and 64 bits, floats of 16, 32 and 64 bits.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_add(p + offsets, x, mask=offsets < n)
        """
        ...

    def atomic_and(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Keeps the bits that memory and value have in common, atomically.

        Integers of 32 and 64 bits.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_and(counts + offsets, 255)
        """
        ...

    def atomic_cas(self, cmp: tensor | Number, val: tensor | Number, sem: str = ..., scope: str = ...) -> Any:
        """Writes `val` where memory holds `cmp`, atomically.

        Elements of 16, 32 or 64 bits; both values are converted to the element type. `sem` is "acquire",
        "release", "acq_rel" or "relaxed", `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; elements of 8 bits.

            old = gl.atomic_cas(counts, 0, 1)
        """
        ...

    def atomic_load(self, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Reads memory in order with what other threads write.

        Elements of any width. `sem` is "acquire" or "relaxed", `scope` "cta", "gpu" or "sys". After an
        acquire all threads see what was written before the value was released.

        Gives: the values, in shape and layout of the pointers; zero where `mask` is false.
        Errors: what is no pointer to numbers.

            ready = gl.atomic_load(counts)
        """
        ...

    def atomic_max(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Keeps the larger of memory and value, atomically.

        Integers and floats of 32 and 64 bits. Floats take two atomics, by sign.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_max(counts + offsets, i)
        """
        ...

    def atomic_min(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Keeps the smaller of memory and value, atomically.

        Integers and floats of 32 and 64 bits. Floats take two atomics, by sign.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_min(counts + offsets, i)
        """
        ...

    def atomic_or(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Adds the bits of the value to memory, atomically.

        Integers of 32 and 64 bits.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_or(counts + offsets, 1)
        """
        ...

    def atomic_poll(self, expected_value: tensor | Number, sem: str = ..., scope: str = ..., timeout_ns: tensor | Number | None = ...) -> Any:
        """Reads a word again and again until it holds the expected value, or until the time is over.

        An integer of 16, 32 or 64 bits. `sem` is "acquire" or "relaxed", `scope` "cta", "gpu" or "sys".
        Without `timeout_ns` it waits for ever.

        Gives: an int1 scalar: whether the value came in time.
        Errors: a block of pointers; an element type other than those; a negative time.

            came = gl.atomic_poll(counts, 1, timeout_ns=1000)
        """
        ...

    def atomic_store(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> None:
        """Writes memory in order with what other threads read.

        Elements of any width; the value is converted to the element type. `sem` is "release" or "relaxed",
        `scope` "cta", "gpu" or "sys". A release comes after all that threads of the program wrote before.
        Where `mask` is false nothing happens.

        Gives: nothing.
        Errors: what is no pointer to numbers, or one to const.

            gl.atomic_store(counts, 1)
        """
        ...

    def atomic_xchg(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Writes memory and gives what it held, atomically.

        Integers and floats of 32 and 64 bits.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_xchg(p + offsets, x)
        """
        ...

    def atomic_xor(self, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
        """Flips the bits of the value in memory, atomically.

        Integers of 32 and 64 bits.

        Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
        `scope` "cta", "gpu" or "sys".

        Gives: what memory held before, in shape and layout of the pointers.
        Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

            old = gl.atomic_xor(counts + offsets, 1)
        """
        ...

    def broadcast_to(self, *shape: int | Sequence[int]) -> Any:
        """Repeats dimensions of size 1 until the block has the shape.

        The shape is a sequence or several arguments.

        Gives: the elements of `x` in `shape`, in the layout of `x`.
        Errors: a dimension other than 1 that would change; another number of dimensions.

            rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
            square = rows[:, None].broadcast_to(64, 32)
        """
        ...

    def cast(self, dtype: DType, fp_downcast_rounding: str | None = ..., bitcast: bool = ...) -> Any:
        """Converts a tensor or a number to another element type.

        `bitcast` keeps the bits and needs types of one width. Floats become narrower by rounding to nearest
        even, or as `fp_downcast_rounding` says: "rtne" or "rtz" (toward zero). Conversion to int1 compares
        with zero. Pointers convert to pointers, and to and from int64.

        Gives: `dtype` in the shape and layout of `x`.
        Errors: a conversion that does not exist; a rounding where nothing is rounded.

            half = x.to(gl.float16)
            bits = gl.cast(x, gl.int32, bitcast=True)
        """
        ...

    def cdiv(self, div: tensor | Number) -> Any:
        """The quotient of integers, rounded up.

        Numbers give a number at compile time.

        Gives: the common integer type of both sides.
        Errors: floats; operands whose types, shapes or layouts do not go together.

            blocks = gl.cdiv(n, 128)
        """
        ...

    def ceil(self) -> Any:
        """The smallest whole number that is not below x.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.ceil(x)
        """
        ...

    def cos(self) -> Any:
        """The cosine of x, in radians.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.cos(x)
        """
        ...

    def cumprod(self, axis: int = ..., reverse: bool = ..., dtype: DType | None = ...) -> Any:
        """The product of each element and all before it.

        Along `axis`; from the end with `reverse`. bfloat16 becomes float32; `dtype` chooses another type
        to compute in.

        Gives: a block of the shape and layout of the input.
        Errors: pointers; an axis out of range.

            sums = gl.cumprod(x, axis=0)
        """
        ...

    def cumsum(self, axis: int = ..., reverse: bool = ..., dtype: DType | None = ...) -> Any:
        """The sum of each element and all before it.

        Along `axis`; from the end with `reverse`. Integers of fewer than 32 bits become 32, bfloat16
        becomes float32; `dtype` chooses another type to compute in.

        Gives: a block of the shape and layout of the input.
        Errors: pointers; an axis out of range.

            sums = gl.cumsum(x, axis=0)
        """
        ...

    def erf(self) -> Any:
        """The error function of x.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.erf(x)
        """
        ...

    def exp(self) -> Any:
        """e to the power of x.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.exp(x)
        """
        ...

    def exp2(self) -> Any:
        """2 to the power of x.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.exp2(x)
        """
        ...

    def expand_dims(self, axis: int) -> Any:
        """Puts a dimension of size 1 in front of dimension `axis`.

        No data moves: `x` must lie in the `SliceLayout` of that dimension, whose parent becomes the layout
        of the result. A negative axis counts from the end. `x[:, None]` is short for it.

        Gives: the elements of `x` with one dimension more.
        Errors: a layout that is not the slice of dimension `axis`; an axis out of range.

            rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
            column = gl.expand_dims(rows, 1)
        """
        ...

    def floor(self) -> Any:
        """The largest whole number that is not above x.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.floor(x)
        """
        ...

    def gather(self, index: tensor, axis: int) -> Any:
        """Elements of a block by index along one axis.

        All other coordinates are the element's own. An index out of range gives an undefined element.

        Gives: the element type of `src` in the shape and layout of `index`.
        Errors: indices that are no integers, or of another shape outside of the axis.

            reversed = gl.gather(x, 127 - gl.arange(0, 128, layout=layout), axis=0)
        """
        ...

    def item(self) -> Any:
        """The only element of a block of one.

        A scalar is given as it is.

        Gives: a scalar of the element type.
        Errors: a block of more elements.

            total = gl.sum(x, axis=0, keep_dims=True).item()
        """
        ...

    def log(self) -> Any:
        """The natural logarithm of x.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.log(x)
        """
        ...

    def log2(self) -> Any:
        """The logarithm of x to base 2.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.log2(x)
        """
        ...

    def max(self, axis: int | None = ..., return_indices: bool = ..., return_indices_tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
        """The largest element.

        Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
        leaves a dimension of size 1 in its place. Elements of fewer than 32 bits become int32 or float32. A
        NaN gives way to a number. With `return_indices` also where it is: the first such place, unless
        `return_indices_tie_break_left=False` allows any.

        Gives: the block without that dimension, in the slice of its layout; a scalar where none is left;
        with `return_indices` a tuple of it and int32 positions.
        Errors: pointers; an axis out of range.

            largest = gl.max(x, axis=0)
        """
        ...

    def min(self, axis: int | None = ..., return_indices: bool = ..., return_indices_tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
        """The smallest element.

        Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
        leaves a dimension of size 1 in its place. Elements of fewer than 32 bits become int32 or float32. A
        NaN gives way to a number. With `return_indices` also where it is: the first such place, unless
        `return_indices_tie_break_left=False` allows any.

        Gives: the block without that dimension, in the slice of its layout; a scalar where none is left;
        with `return_indices` a tuple of it and int32 positions.
        Errors: pointers; an axis out of range.

            smallest = gl.min(x, axis=0)
        """
        ...

    def permute(self, *dims: int | Sequence[int]) -> Any:
        """Reorders the dimensions: dimension `i` of the result is dimension `dims[i]` of `x`.

        No data moves. The order is a sequence or several arguments.

        Gives: a block; its layout follows from that of `x`.
        Errors: an order that is no permutation of the dimensions.

            columns = tile.permute(1, 0)
        """
        ...

    def ravel(self, can_reorder: bool = ...) -> Any:
        """All elements in row-major order, in one dimension.

        Gives: a block of one dimension; its layout follows from that of `x`.
        Errors: a layout that cannot follow.

            flat = tile.ravel()
        """
        ...

    def reduce(self, axis: int, combine_fn: Callable[..., Any], keep_dims: bool = ...) -> Any:
        """Combines elements with a function of the program.

        Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
        leaves a dimension of size 1 in its place. `combine_fn` takes two elements and gives one; for a
        tuple of blocks it takes the elements of one side, then those of the other, and gives as many. It
        must be associative and commutative.

        Gives: what `sum` gives, one for each input.
        Errors: inputs of different shapes or layouts; a function that gives other types than it takes.

            total = gl.reduce(x, 0, add)
        """
        ...

    def reduce_or(self, axis: int, keep_dims: bool = ...) -> Any:
        """The bitwise or of elements.

        Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
        place.

        Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
        Errors: elements that are no integers; an axis out of range.

            bits = gl.reduce_or(i, axis=0)
        """
        ...

    def reshape(self, *shape: int | Sequence[int], can_reorder: bool = ...) -> Any:
        """The same elements, in row-major order, in another shape.

        No data moves: the layout of the result follows from that of `x`. The shape is a sequence or several
        arguments; `[]` takes the only element of a block of one.

        Gives: a block of `shape`, or a scalar.
        Errors: another number of elements; a layout that cannot follow.

            flat = tile.reshape(64 * 32)
        """
        ...

    def rsqrt(self) -> Any:
        """1 / sqrt(x).

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.rsqrt(x)
        """
        ...

    def sin(self) -> Any:
        """The sine of x, in radians.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.sin(x)
        """
        ...

    def split(self) -> Any:
        """Takes a last dimension of size 2 apart.

        No data moves. The opposite of `join`.

        Gives: a tuple of two blocks without the last dimension, of two scalars where there was no other.
        Errors: a last dimension of another size; a layout that keeps the pairs in different threads.

            a, b = gl.split(gl.join(x, y))
        """
        ...

    def sqrt(self) -> Any:
        """The square root of x.

        Approximate in float32; `sqrt_rn` rounds correctly.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.sqrt(x)
        """
        ...

    def sqrt_rn(self) -> Any:
        """The square root of x, rounded to the nearest float.

        Gives: the type of `x`, float32 or float64, element by element.
        Errors: other element types: cast first.

            z = gl.sqrt_rn(x)
        """
        ...

    def store(self, value: tensor | Number, mask: tensor | Number | None = ..., *, cache_modifier: str = ..., eviction_policy: str = ..., cache_policy: Any = ..., boundary_check: Sequence[int] = ...) -> None:
        """Writes memory through a pointer or a block of pointers.

        Where `mask` is false nothing is written. Value and mask are broadcast to the pointers; the value is
        converted to their element type. `cache_modifier` is ".wb", ".cg", ".cs" or ".wt", `eviction_policy`
        "evict_first" or "evict_last"; `cache_policy`, a `CachePolicy`, takes the place of both.
        `boundary_check` is for Triton's block pointers.

        Gives: nothing.
        Errors: what is no pointer, or one to const; a mask that is not boolean; a value larger than the
        pointers.

            gl.store(q + offsets, x * 2, mask=offsets < n)
        """
        ...

    def sum(self, axis: int | None = ..., keep_dims: bool = ..., dtype: DType | None = ...) -> Any:
        """The sum of elements.

        Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
        leaves a dimension of size 1 in its place. Integers of fewer than 32 bits are summed in 32; `dtype`
        chooses another type to sum in. The order of floating-point additions is not that of the elements.

        Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
        Errors: pointers; an axis out of range.

            total = gl.sum(x, axis=0)
        """
        ...

    def to(self, dtype: DType, fp_downcast_rounding: str | None = ..., bitcast: bool = ...) -> Any:
        """Converts a tensor or a number to another element type.

        `bitcast` keeps the bits and needs types of one width. Floats become narrower by rounding to nearest
        even, or as `fp_downcast_rounding` says: "rtne" or "rtz" (toward zero). Conversion to int1 compares
        with zero. Pointers convert to pointers, and to and from int64.

        Gives: `dtype` in the shape and layout of `x`.
        Errors: a conversion that does not exist; a rounding where nothing is rounded.

            half = x.to(gl.float16)
            bits = gl.cast(x, gl.int32, bitcast=True)
        """
        ...

    def trans(self, *dims: int | Sequence[int]) -> Any:
        """Swaps the last two dimensions, or reorders all of them as `permute` does.

        `x.T` is short for it where `x` has two dimensions.

        Gives: a block; its layout follows from that of `x`.
        Errors: an order that is no permutation of the dimensions.

            columns = tile.trans()
        """
        ...

    def xor_sum(self, axis: int | None = ..., keep_dims: bool = ...) -> Any:
        """The exclusive or of elements.

        Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
        leaves a dimension of size 1 in its place.

        Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
        Errors: elements that are no integers; an axis out of range.

            parity = gl.xor_sum(i, axis=0)
        """
        ...

class shared_memory_descriptor:
    """Methods of buffers in shared memory."""
    dtype: DType
    shape: Sequence[int]
    layout: Layout
    type: Any

    def _keep_alive(self) -> None:
        """Uses a buffer, so that its memory is not given to another before here.

        Gives: nothing.
        Errors: what is no buffer.

            smem._keep_alive()
        """
        ...

    def _reinterpret(self, dtype: DType | None = ..., shape: Sequence[int] | None = ..., layout: Layout | None = ...) -> Any:
        """The same memory seen as another element type, shape or layout.

        What is not given stays.

        Gives: a shared memory descriptor.
        Errors: more bytes than the buffer has; a slice with gaps; another padding.

            bits = smem._reinterpret(gl.int32)
        """
        ...

    def atomic_scatter_add(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Adds elements to the buffer, by index along one axis, atomically.

        Integers of 32 and 64 bits, floats of 16 and more. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_add(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def atomic_scatter_and(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Keeps the bits that buffer and value have in common, by index along one axis, atomically.

        Integers of 32 and 64 bits. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_and(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def atomic_scatter_max(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Keeps the larger of buffer and value, by index along one axis, atomically.

        Integers of 32 and 64 bits. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_max(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def atomic_scatter_min(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Keeps the smaller of buffer and value, by index along one axis, atomically.

        Integers of 32 and 64 bits. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_min(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def atomic_scatter_or(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Adds the bits of the value to the buffer, by index along one axis, atomically.

        Integers of 32 and 64 bits. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_or(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def atomic_scatter_xchg(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Writes elements and gives what was there, by index along one axis, atomically.

        Integers and floats of 32 and 64 bits. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_xchg(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def atomic_scatter_xor(self, values: tensor | Number, indices: tensor, axis: int, mask: tensor | Number | None = ...) -> Any:
        """Flips the bits of the value in the buffer, by index along one axis, atomically.

        Integers of 32 and 64 bits. Where `mask` is false nothing happens.

        Gives: what the buffer held before, in the shape and layout of `indices`.
        Errors: those of `scatter`; an element type that shared memory cannot do this to.

            numbers = gl.allocate_shared_memory(gl.int32, [128], line, i)
            old = numbers.atomic_scatter_xor(i, offsets, axis=0, mask=offsets < n)
        """
        ...

    def gather(self, indices: tensor, axis: int) -> Any:
        """Reads elements by index along one axis.

        All other coordinates are the element's own.

        Gives: the buffer's element type in the shape and layout of `indices`.
        Errors: a ring; indices that are no integers, or larger than the buffer outside of the axis.

            rows = gl.full([64, 32], 0, gl.int32, tiled)
            first = smem.gather(rows, axis=0)
        """
        ...

    def index(self, index: tensor | Number) -> Any:
        """One buffer of a ring.

        A view: no data moves.

        Gives: a shared memory descriptor without the first dimension.
        Errors: a buffer that is no ring; an index that is no int32, or known and out of range.

            ring = gl.allocate_shared_memory(gl.float32, [3, 64, 32], shared)
            ring.index(1).store(tile)
        """
        ...

    def load(self, layout: Layout) -> Any:
        """Reads the whole buffer.

        Gives: a block of the buffer's element type and shape, in `layout`.
        Errors: a ring of buffers; a layout that does not fit shape or kernel.

            tile = smem.load(tiled)
        """
        ...

    def permute(self, order: Sequence[int]) -> Any:
        """The buffer with its dimensions in another order.

        A view: no data moves. Dimension `i` of the result is dimension `order[i]` of the buffer.

        Gives: a shared memory descriptor.
        Errors: a ring; an order that is no permutation.

            columns = smem.permute([1, 0])
        """
        ...

    def reinterpret(self, dtype: DType | None = ..., shape: Sequence[int] | None = ..., layout: Layout | None = ...) -> Any:
        """The same memory seen as another element type, shape or layout.

        What is not given stays.

        Gives: a shared memory descriptor.
        Errors: more bytes than the buffer has; a slice with gaps; another padding.

            bits = smem.reinterpret(gl.int32)
        """
        ...

    def reshape(self, shape: Sequence[int]) -> Any:
        """The buffer's elements, in row-major order, in another shape.

        A view: no data moves.

        Gives: a shared memory descriptor.
        Errors: a ring or a slice; another number of elements; a layout that cannot follow.

            flat = smem.reshape([64 * 32])
        """
        ...

    def scatter(self, values: tensor | Number, indices: tensor, axis: int) -> None:
        """Writes elements by index along one axis.

        All other coordinates are the element's own. Of several elements for one place, one wins.

        Gives: nothing.
        Errors: a ring; indices that are no integers, or larger than the buffer outside of the axis; values
        of another type.

            rows = gl.full([64, 32], 0, gl.int32, tiled)
            smem.scatter(tile, rows, axis=0)
        """
        ...

    def slice(self, start: int, length: int, dim: int = ...) -> Any:
        """A part of a buffer, or of a ring, along one dimension.

        A view: no data moves. Within a buffer the length is a power of two and `start` a multiple of it.

        Gives: a shared memory descriptor, `length` long in that dimension.
        Errors: a part that is not inside; a cut through the swizzling pattern.

            upper = smem.slice(0, 32)
        """
        ...

    def store(self, value: tensor) -> None:
        """Writes the whole buffer.

        Gives: nothing.
        Errors: a ring of buffers; a value of another type or shape.

            smem.store(tile)
        """
        ...

class tensor_memory_descriptor:
    """Methods of buffers in tensor memory."""
    dtype: DType
    shape: Sequence[int]
    layout: Layout
    type: Any

    def _keep_alive(self) -> None:
        """Uses a buffer, so that its memory is not given to another before here.

        Gives: nothing.
        Errors: what is no buffer.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            acc._keep_alive()
        """
        ...

    def _reinterpret(self, dtype: DType | None = ..., shape: Sequence[int] | None = ..., layout: Layout | None = ...) -> Any:
        """The same columns seen as another element type, shape or layout.

        What is not given stays.

        Gives: a tensor memory descriptor.
        Errors: more columns than the buffer has; a slice with gaps.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            half = acc._reinterpret(gl.float16, [128, 128], blackwell.TensorMemoryLayout([128, 128], 1))
        """
        ...

    def get_reg_layout(self, num_warps: int | None = ..., instr_variant: str = ...) -> Any:
        """The layout in which warps load the buffer.

        `instr_variant` is the shape of the instruction: "32x32b", "16x64b", "16x128b", "16x256b",
        "16x32bx2", or "32x32b_splitn", of which the last register bit is the middle of the columns.

        Gives: a layout of blocks.
        Errors: other variants; warps that are no power of two from 4 on.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            registers: gl.constexpr = acc.get_reg_layout(instr_variant="16x256b")
        """
        ...

    def index(self, index: tensor | Number) -> Any:
        """One buffer of a ring.

        A view: no data moves.

        Gives: a tensor memory descriptor without the first dimension.
        Errors: a buffer that is no ring; an index that is no int32, or known and out of range.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            ring = blackwell.allocate_tensor_memory(gl.float32, [2, 128, 64], held)
            acc = ring.index(1)
        """
        ...

    def load(self, layout: Layout | None = ...) -> Any:
        """Reads the whole buffer.

        Without a `layout` in that of `get_reg_layout()`.

        Gives: a block of the buffer's element type and shape.
        Errors: a ring of buffers; a layout that no instruction loads; warps that do not come in fours.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            z = acc.load()
        """
        ...

    def load_max(self, layout: Layout | None = ..., abs: bool = ..., propagate_nan: Any = ...) -> Any:
        """Reads the whole buffer, and the greatest element of each row.

        With `abs` the greatest absolute value. NaNs do not count, but with `gl.PropagateNan.ALL` a row
        that has one gives NaN. It is for float32, in a layout in which a thread holds a row.

        Gives: a tuple of the block, and a block of one number per row in the `SliceLayout` of dim 1.
        Errors: other types and layouts; chips without this load: it needs cuda:103.

            # cuda:103a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            z, greatest = acc.load_max(abs=True)
        """
        ...

    def load_min(self, layout: Layout | None = ..., abs: bool = ..., propagate_nan: Any = ...) -> Any:
        """Reads the whole buffer, and the least element of each row.

        With `abs` the least absolute value. NaNs do not count, but with `gl.PropagateNan.ALL` a row that
        has one gives NaN. It is for float32, in a layout in which a thread holds a row.

        Gives: a tuple of the block, and a block of one number per row in the `SliceLayout` of dim 1.
        Errors: other types and layouts; chips without this load: it needs cuda:103.

            # cuda:103a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            z, least = acc.load_min()
        """
        ...

    def reinterpret(self, dtype: DType | None = ..., shape: Sequence[int] | None = ..., layout: Layout | None = ...) -> Any:
        """The same columns seen as another element type, shape or layout.

        What is not given stays.

        Gives: a tensor memory descriptor.
        Errors: more columns than the buffer has; a slice with gaps.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            half = acc.reinterpret(gl.float16, [128, 128], blackwell.TensorMemoryLayout([128, 128], 1))
        """
        ...

    def slice(self, start: int, length: int, dim: int = ...) -> Any:
        """A part of a buffer, or of a ring, along one dimension.

        A view: no data moves. The length is a power of two, but for buffers of a ring, which dim 0 counts.
        `start` is a multiple of the length, unless the elements lie in a row.

        Gives: a tensor memory descriptor, `length` long in that dimension.
        Errors: a part that is not inside, or that begins within a column of 32 bits.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            right = acc.slice(32, 32)
        """
        ...

    def store(self, value: tensor, pred: tensor | Number = ...) -> None:
        """Writes the whole buffer; with a false `pred` it does not.

        Gives: nothing.
        Errors: a ring of buffers; a value of another type or shape, or that no instruction stores.

            # cuda:100a
            held: gl.constexpr = blackwell.TensorMemoryLayout([128, 64], 1)
            acc = blackwell.allocate_tensor_memory(gl.float32, [128, 64], held)
            acc.store(gl.zeros([128, 64], gl.float32, acc.get_reg_layout()))
        """
        ...

def static_assert(cond: Any, msg: str = ...) -> None:
    """Stops the compilation with a message where a condition does not hold.

    Gives: nothing.
    Errors: a condition that is false, or is not known at compile time.

        gl.static_assert(BLOCK >= 32, "a block is a warp at least")
    """
    ...

def static_print(*values: Any, sep: Any = ..., end: Any = ..., file: Any = ..., flush: Any = ...) -> None:
    """Prints values while the kernel is compiled.

    Gives: nothing.

        gl.static_print("block of", BLOCK)
    """
    ...

def static_range(arg1: int, arg2: int | None = ..., step: int = ...) -> Any:
    """A range whose loop is unrolled while the kernel is compiled.

    The loop's variable is known at compile time in every round.

    Gives: the numbers from `arg1` to below `arg2`, or from 0 to below `arg1`.
    Errors: bounds that exist at run time only; a step of 0.

        for k in gl.static_range(4):
            x += k
    """
    ...

def condition(arg1: tensor | Number, disable_licm: Any = ...) -> Any:
    """The condition of a `while` loop, with a hint.

    With `disable_licm` LLVM does not compute before the loop what it does not change.

    Gives: the condition.

        k = 0
        while gl.condition(k < n):
            k += 1
    """
    ...

def num_warps() -> Any:
    """The number of warps that run here: those of the kernel, or of the partition.

    Gives: an int known at compile time.

        warps: gl.constexpr = gl.num_warps()
    """
    ...

def num_ctas() -> Any:
    """The number of CTAs of a cluster.

    Gives: an int known at compile time.

        ctas: gl.constexpr = gl.num_ctas()
    """
    ...

def tuple(args: Sequence[Any]) -> Any:
    """A tuple of the items of a sequence.

    Gives: a tuple.
    Errors: what has no items.

        pair = gl.tuple([x, y])
    """
    ...

from gluonc.language._layouts import AutoLayout as AutoLayout

from gluonc.language._layouts import CoalescedLayout as CoalescedLayout

from gluonc.language._layouts import BlockedLayout as BlockedLayout

from gluonc.language._layouts import SliceLayout as SliceLayout

from gluonc.language._layouts import DistributedLinearLayout as DistributedLinearLayout

from gluonc.language._layouts import NVMMADistributedLayout as NVMMADistributedLayout

from gluonc.language._layouts import DotOperandLayout as DotOperandLayout

from gluonc.language._layouts import SwizzledSharedLayout as SwizzledSharedLayout

from gluonc.language._layouts import PaddedSharedLayout as PaddedSharedLayout

from gluonc.language._layouts import SharedLinearLayout as SharedLinearLayout

from gluonc.language._layouts import NVMMASharedLayout as NVMMASharedLayout

from gluonc.language._policies import CachePolicy as CachePolicy

def arange(start: int, end: int | None = ..., layout: Layout = ...) -> Any:
    """Consecutive integers: `start` to `end - 1`, or 0 to `start - 1` where only one bound is given.

    The length must be a power of two, as for every block.

    Gives: int32 [end - start] in `layout`.
    Errors: an empty range; bounds beyond int32; a layout that does not fit the length or the kernel.

        offsets = gl.program_id(0) * 128 + gl.arange(0, 128, layout=layout)
    """
    ...

def full(shape: Sequence[int], value: tensor | Number, dtype: DType, layout: Layout = ...) -> Any:
    """A block with the same value in every element.

    The value is converted to `dtype`. An empty shape gives a scalar.

    Gives: `dtype` `shape` in `layout`.
    Errors: a size that is no power of two; a value that is a block, or that `dtype` cannot hold.

        ones = gl.full([64, 32], 1.0, gl.float32, tiled)
    """
    ...

def zeros(shape: Sequence[int], dtype: DType, layout: Layout = ...) -> Any:
    """A block of zeros.

    Gives: `dtype` `shape` in `layout`.
    Errors: those of `full`.

        sum = gl.zeros([64, 32], gl.float32, tiled)
    """
    ...

def full_like(input: tensor | Number, value: tensor | Number, shape: Sequence[int] | None = ..., dtype: DType | None = ..., layout: Layout | None = ...) -> Any:
    """A block with one value in every element, described like another.

    Shape, dtype and layout are those of `x` where they are not given.

    Gives: a block, or a scalar where `x` is one and no shape is given.
    Errors: those of `full`.

        limit = gl.full_like(x, 10.0)
    """
    ...

def zeros_like(input: tensor | Number, shape: Sequence[int] | None = ..., dtype: DType | None = ..., layout: Layout | None = ...) -> Any:
    """A block of zeros, described like another.

    Shape, dtype and layout are those of `x` where they are not given.

    Gives: a block, or a scalar where `x` is one and no shape is given.
    Errors: those of `full`.

        sum = gl.zeros_like(tile)
    """
    ...

def to_tensor(x: tensor | Number) -> Any:
    """Makes a scalar of the run time from a number.

    A tensor stays what it is. Integers become int32, or int64, uint64 where they need it; floats become
    float32; booleans int1.

    Gives: a scalar, or `x`.
    Errors: an integer beyond 64 bits; what is neither number nor tensor.

        count = gl.to_tensor(0)
    """
    ...

def cast(input: tensor | Number, dtype: DType, fp_downcast_rounding: str | None = ..., bitcast: bool = ...) -> Any:
    """Converts a tensor or a number to another element type.

    `bitcast` keeps the bits and needs types of one width. Floats become narrower by rounding to nearest
    even, or as `fp_downcast_rounding` says: "rtne" or "rtz" (toward zero). Conversion to int1 compares
    with zero. Pointers convert to pointers, and to and from int64.

    Gives: `dtype` in the shape and layout of `x`.
    Errors: a conversion that does not exist; a rounding where nothing is rounded.

        half = x.to(gl.float16)
        bits = gl.cast(x, gl.int32, bitcast=True)
    """
    ...

def program_id(axis: int) -> Any:
    """The number of this program along an axis of the grid.

    Gives: an int32 scalar, from 0 to `num_programs(axis) - 1`.
    Errors: an axis other than 0, 1 and 2.

        first = gl.program_id(0) * 128
    """
    ...

def num_programs(axis: int) -> Any:
    """The number of programs along an axis of the grid.

    Gives: an int32 scalar.
    Errors: an axis other than 0, 1 and 2.

        for block in range(gl.program_id(0), n, gl.num_programs(0)):
            gl.store(p + block, 0.0)
    """
    ...

def load(pointer: tensor, mask: tensor | Number | None = ..., other: tensor | Number | None = ..., *, cache_modifier: str = ..., eviction_policy: str = ..., volatile: bool = ..., cache_policy: Any = ..., boundary_check: Sequence[int] = ..., padding_option: str = ...) -> Any:
    """Reads memory through a pointer or a block of pointers.

    Where `mask` is false nothing is read: the element is `other`, or undefined without it. Mask and
    `other` are broadcast to the pointers; `other` is converted to the element type. `cache_modifier` is
    ".ca", ".cg", ".cs" or ".cv", `eviction_policy` "evict_first" or "evict_last"; `cache_policy`, a
    `CachePolicy`, takes the place of both. `boundary_check` and `padding_option` are for Triton's block
    pointers.

    Gives: the element type of the pointers, in their shape and layout.
    Errors: what is no pointer; a mask that is not boolean; `other` without a mask; a block as mask of a
    scalar pointer.

        x = gl.load(p + offsets, mask=offsets < n, other=0.0)
    """
    ...

def store(pointer: tensor, value: tensor | Number, mask: tensor | Number | None = ..., *, cache_modifier: str = ..., eviction_policy: str = ..., cache_policy: Any = ..., boundary_check: Sequence[int] = ...) -> None:
    """Writes memory through a pointer or a block of pointers.

    Where `mask` is false nothing is written. Value and mask are broadcast to the pointers; the value is
    converted to their element type. `cache_modifier` is ".wb", ".cg", ".cs" or ".wt", `eviction_policy`
    "evict_first" or "evict_last"; `cache_policy`, a `CachePolicy`, takes the place of both.
    `boundary_check` is for Triton's block pointers.

    Gives: nothing.
    Errors: what is no pointer, or one to const; a mask that is not boolean; a value larger than the
    pointers.

        gl.store(q + offsets, x * 2, mask=offsets < n)
    """
    ...

def atomic_add(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Adds to memory, atomically.

    Integers of 32 and 64 bits, floats of 16, 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_add(p + offsets, x, mask=offsets < n)
    """
    ...

def atomic_max(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Keeps the larger of memory and value, atomically.

    Integers and floats of 32 and 64 bits. Floats take two atomics, by sign.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_max(counts + offsets, i)
    """
    ...

def atomic_min(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Keeps the smaller of memory and value, atomically.

    Integers and floats of 32 and 64 bits. Floats take two atomics, by sign.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_min(counts + offsets, i)
    """
    ...

def atomic_and(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Keeps the bits that memory and value have in common, atomically.

    Integers of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_and(counts + offsets, 255)
    """
    ...

def atomic_or(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Adds the bits of the value to memory, atomically.

    Integers of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_or(counts + offsets, 1)
    """
    ...

def atomic_xor(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Flips the bits of the value in memory, atomically.

    Integers of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_xor(counts + offsets, 1)
    """
    ...

def atomic_xchg(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Writes memory and gives what it held, atomically.

    Integers and floats of 32 and 64 bits.

    Where `mask` is false nothing happens. `sem` is "acquire", "release", "acq_rel" or "relaxed",
    `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; an element type that the hardware cannot do this to.

        old = gl.atomic_xchg(p + offsets, x)
    """
    ...

def atomic_cas(pointer: tensor, cmp: tensor | Number, val: tensor | Number, sem: str = ..., scope: str = ...) -> Any:
    """Writes `val` where memory holds `cmp`, atomically.

    Elements of 16, 32 or 64 bits; both values are converted to the element type. `sem` is "acquire",
    "release", "acq_rel" or "relaxed", `scope` "cta", "gpu" or "sys".

    Gives: what memory held before, in shape and layout of the pointers.
    Errors: what is no pointer, or one to const; elements of 8 bits.

        old = gl.atomic_cas(counts, 0, 1)
    """
    ...

def atomic_load(pointer: tensor, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> Any:
    """Reads memory in order with what other threads write.

    Elements of any width. `sem` is "acquire" or "relaxed", `scope` "cta", "gpu" or "sys". After an
    acquire all threads see what was written before the value was released.

    Gives: the values, in shape and layout of the pointers; zero where `mask` is false.
    Errors: what is no pointer to numbers.

        ready = gl.atomic_load(counts)
    """
    ...

def atomic_store(pointer: tensor, val: tensor | Number, mask: tensor | Number | None = ..., sem: str = ..., scope: str = ...) -> None:
    """Writes memory in order with what other threads read.

    Elements of any width; the value is converted to the element type. `sem` is "release" or "relaxed",
    `scope` "cta", "gpu" or "sys". A release comes after all that threads of the program wrote before.
    Where `mask` is false nothing happens.

    Gives: nothing.
    Errors: what is no pointer to numbers, or one to const.

        gl.atomic_store(counts, 1)
    """
    ...

def atomic_poll(pointer: tensor, expected_value: tensor | Number, sem: str = ..., scope: str = ..., timeout_ns: tensor | Number | None = ...) -> Any:
    """Reads a word again and again until it holds the expected value, or until the time is over.

    An integer of 16, 32 or 64 bits. `sem` is "acquire" or "relaxed", `scope` "cta", "gpu" or "sys".
    Without `timeout_ns` it waits for ever.

    Gives: an int1 scalar: whether the value came in time.
    Errors: a block of pointers; an element type other than those; a negative time.

        came = gl.atomic_poll(counts, 1, timeout_ns=1000)
    """
    ...

def exp(x: tensor | Number) -> Any:
    """e to the power of x.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.exp(x)
    """
    ...

def exp2(x: tensor | Number) -> Any:
    """2 to the power of x.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.exp2(x)
    """
    ...

def log(x: tensor | Number) -> Any:
    """The natural logarithm of x.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.log(x)
    """
    ...

def log2(x: tensor | Number) -> Any:
    """The logarithm of x to base 2.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.log2(x)
    """
    ...

def cos(x: tensor | Number) -> Any:
    """The cosine of x, in radians.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.cos(x)
    """
    ...

def sin(x: tensor | Number) -> Any:
    """The sine of x, in radians.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.sin(x)
    """
    ...

def sqrt(x: tensor | Number) -> Any:
    """The square root of x.

    Approximate in float32; `sqrt_rn` rounds correctly.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.sqrt(x)
    """
    ...

def rsqrt(x: tensor | Number) -> Any:
    """1 / sqrt(x).

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.rsqrt(x)
    """
    ...

def erf(x: tensor | Number) -> Any:
    """The error function of x.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.erf(x)
    """
    ...

def floor(x: tensor | Number) -> Any:
    """The largest whole number that is not above x.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.floor(x)
    """
    ...

def ceil(x: tensor | Number) -> Any:
    """The smallest whole number that is not below x.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.ceil(x)
    """
    ...

def sqrt_rn(x: tensor | Number) -> Any:
    """The square root of x, rounded to the nearest float.

    Gives: the type of `x`, float32 or float64, element by element.
    Errors: other element types: cast first.

        z = gl.sqrt_rn(x)
    """
    ...

def abs(x: tensor | Number) -> Any:
    """The absolute value.

    Gives: the type of `x`, element by element. The smallest integer of a type stays what it is.
    Errors: pointers.

        z = gl.abs(x)
    """
    ...

def add(x: tensor | Number, y: tensor | Number, sanitize_overflow: bool = ...) -> Any:
    """The sum x + y.

    What the operator gives; the operands are brought to one type and shape. In debug builds
    signed integers of up to 32 bits must not overflow, unless `sanitize_overflow` is False.

    Gives: the common type, element by element. Integers wrap.
    Errors: operands whose types, shapes or layouts do not go together.

        z = gl.add(x, y)
    """
    ...

def sub(x: tensor | Number, y: tensor | Number, sanitize_overflow: bool = ...) -> Any:
    """The difference x - y.

    What the operator gives; the operands are brought to one type and shape. In debug builds
    signed integers of up to 32 bits must not overflow, unless `sanitize_overflow` is False.

    Gives: the common type, element by element. Integers wrap.
    Errors: operands whose types, shapes or layouts do not go together.

        z = gl.sub(x, y)
    """
    ...

def mul(x: tensor | Number, y: tensor | Number, sanitize_overflow: bool = ...) -> Any:
    """The product x * y.

    What the operator gives; the operands are brought to one type and shape. In debug builds
    signed integers of up to 32 bits must not overflow, unless `sanitize_overflow` is False.

    Gives: the common type, element by element. Integers wrap.
    Errors: operands whose types, shapes or layouts do not go together.

        z = gl.mul(x, y)
    """
    ...

def fdiv(x: tensor | Number, y: tensor | Number, ieee_rounding: bool = ..., approx: bool = ...) -> Any:
    """The quotient of floats, approximate in float32 unless `ieee_rounding` is asked for.

    `approx`, of float32 only, promises no more than that: 2 ulp, for denominators from 2^-126 to 2^126.

    Gives: the common float type, element by element.
    Errors: integers, floats of 8 bits, two different types.

        z = gl.fdiv(x, y)
    """
    ...

def div_rn(x: tensor | Number, y: tensor | Number) -> Any:
    """The quotient of float32, rounded to the nearest float.

    Gives: float32, element by element.
    Errors: tensors of other types; shapes or layouts that do not go together.

        z = gl.div_rn(x, y)
    """
    ...

def umulhi(x: tensor | Number, y: tensor | Number) -> Any:
    """The upper half of the product of unsigned integers.

    Gives: the common type of 32 or 64 bits, element by element.
    Errors: floats; integers of other widths.

        high = gl.umulhi(i, i)
    """
    ...

def fma(x: tensor | Number, y: tensor | Number, z: tensor | Number) -> Any:
    """x * y + z with one rounding.

    Gives: the common float type, element by element.
    Errors: integers; operands whose types, shapes or layouts do not go together.

        z = gl.fma(x, y, 1.0)
    """
    ...

def clamp(x: tensor | Number, min: tensor | Number, max: tensor | Number, propagate_nan: Any = ...) -> Any:
    """x, but no less than `min` and no more than `max`.

    With `propagate_nan=gl.PropagateNan.ALL` a NaN stays one; otherwise it gives way to the bounds.

    Gives: the common float type, element by element.
    Errors: integers; operands whose types, shapes or layouts do not go together.

        z = gl.clamp(x, 0.0, 1.0)
    """
    ...

def minimum(x: tensor | Number, y: tensor | Number, propagate_nan: Any = ...) -> Any:
    """The smaller of two elements.

    With `propagate_nan=gl.PropagateNan.ALL` a NaN wins; otherwise the other side does.

    Gives: the common type, element by element.
    Errors: operands whose types, shapes or layouts do not go together.

        z = gl.minimum(x, y)
    """
    ...

def maximum(x: tensor | Number, y: tensor | Number, propagate_nan: Any = ...) -> Any:
    """The larger of two elements.

    With `propagate_nan=gl.PropagateNan.ALL` a NaN wins; otherwise the other side does.

    Gives: the common type, element by element.
    Errors: operands whose types, shapes or layouts do not go together.

        z = gl.maximum(x, 0.0)
    """
    ...

def where(condition: tensor | Number, x: tensor | Number, y: tensor | Number) -> Any:
    """x where the condition holds, y elsewhere.

    Both sides are computed. All three are broadcast to one shape.

    Gives: the common type of `x` and `y`, element by element.
    Errors: operands whose types, shapes or layouts do not go together.

        z = gl.where(x > 0.0, x, 0.0)
    """
    ...

def expand_dims(input: tensor, axis: int) -> Any:
    """Puts a dimension of size 1 in front of dimension `axis`.

    No data moves: `x` must lie in the `SliceLayout` of that dimension, whose parent becomes the layout
    of the result. A negative axis counts from the end. `x[:, None]` is short for it.

    Gives: the elements of `x` with one dimension more.
    Errors: a layout that is not the slice of dimension `axis`; an axis out of range.

        rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
        column = gl.expand_dims(rows, 1)
    """
    ...

def broadcast(input: tensor | Number, other: tensor | Number) -> Any:
    """Brings two tensors to one shape.

    Scalars fill the shape of the other side; dimensions of size 1 are repeated. Element types stay.

    Gives: a tuple of two tensors.
    Errors: shapes that do not agree; blocks in different layouts.

        a, b = gl.broadcast(x, 1.0)
    """
    ...

def broadcast_to(input: tensor, *shape: int | Sequence[int]) -> Any:
    """Repeats dimensions of size 1 until the block has the shape.

    The shape is a sequence or several arguments.

    Gives: the elements of `x` in `shape`, in the layout of `x`.
    Errors: a dimension other than 1 that would change; another number of dimensions.

        rows = gl.arange(0, 64, layout=gl.SliceLayout(1, tiled))
        square = rows[:, None].broadcast_to(64, 32)
    """
    ...

def reshape(input: tensor, *shape: int | Sequence[int], can_reorder: bool = ...) -> Any:
    """The same elements, in row-major order, in another shape.

    No data moves: the layout of the result follows from that of `x`. The shape is a sequence or several
    arguments; `[]` takes the only element of a block of one.

    Gives: a block of `shape`, or a scalar.
    Errors: another number of elements; a layout that cannot follow.

        flat = tile.reshape(64 * 32)
    """
    ...

def permute(input: tensor, *dims: int | Sequence[int]) -> Any:
    """Reorders the dimensions: dimension `i` of the result is dimension `dims[i]` of `x`.

    No data moves. The order is a sequence or several arguments.

    Gives: a block; its layout follows from that of `x`.
    Errors: an order that is no permutation of the dimensions.

        columns = tile.permute(1, 0)
    """
    ...

def trans(input: tensor, *dims: int | Sequence[int]) -> Any:
    """Swaps the last two dimensions, or reorders all of them as `permute` does.

    `x.T` is short for it where `x` has two dimensions.

    Gives: a block; its layout follows from that of `x`.
    Errors: an order that is no permutation of the dimensions.

        columns = tile.trans()
    """
    ...

def ravel(x: tensor, can_reorder: bool = ...) -> Any:
    """All elements in row-major order, in one dimension.

    Gives: a block of one dimension; its layout follows from that of `x`.
    Errors: a layout that cannot follow.

        flat = tile.ravel()
    """
    ...

def join(a: tensor, b: tensor) -> Any:
    """Puts two blocks side by side in a new last dimension of size 2.

    No data moves. The opposite of `split`.

    Gives: the element type of `a` and `b`, [.., 2].
    Errors: other element types, shapes or layouts; a layout without a joined one.

        pairs = gl.join(x, y)
    """
    ...

def split(a: tensor) -> Any:
    """Takes a last dimension of size 2 apart.

    No data moves. The opposite of `join`.

    Gives: a tuple of two blocks without the last dimension, of two scalars where there was no other.
    Errors: a last dimension of another size; a layout that keeps the pairs in different threads.

        a, b = gl.split(gl.join(x, y))
    """
    ...

def fp4_to_fp(src: tensor, elem_type: DType, axis: int) -> Any:
    """Unpacks 4-bit floats (e2m1), two to a byte.

    The low half of a byte comes first along `axis`.

    Gives: float16 or bfloat16, twice as many elements along `axis`.
    Errors: a source other than int8 and uint8; an element type other than float16 and bfloat16.

        bytes = gl.full([64, 32], 0, gl.uint8, tiled)
        numbers = gl.fp4_to_fp(bytes, gl.float16, axis=1)
    """
    ...

def convert_layout(value: tensor, layout: Layout, assert_trivial: bool = ...) -> Any:
    """Moves the elements of a block to where another layout has them.

    It costs nothing where both layouts agree, registers where only those differ, shuffles within a
    warp, and shared memory otherwise. `assert_trivial` makes everything but the first two cases an
    error.

    Gives: the elements of `x` in `layout`.
    Errors: a layout that does not fit shape or kernel; a conversion that is not trivial where that was
    asked for.

        other: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
        z = gl.convert_layout(x, other)
    """
    ...

def set_auto_layout(value: tensor, layout: Layout) -> Any:
    """Decides the layout of a block that lies in `AutoLayout`.

    What `x` was computed from gets the layouts that lead to this one.

    Gives: `x` in `layout`.
    Errors: a block that has a layout already; one that does not fit shape or kernel.

        z = gl.set_auto_layout(gl.arange(0, 128), layout)
    """
    ...

def sum(input: tensor, axis: int | None = ..., keep_dims: bool = ..., dtype: DType | None = ...) -> Any:
    """The sum of elements.

    Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
    leaves a dimension of size 1 in its place. Integers of fewer than 32 bits are summed in 32; `dtype`
    chooses another type to sum in. The order of floating-point additions is not that of the elements.

    Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
    Errors: pointers; an axis out of range.

        total = gl.sum(x, axis=0)
    """
    ...

def max(input: tensor, axis: int | None = ..., return_indices: bool = ..., return_indices_tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
    """The largest element.

    Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
    leaves a dimension of size 1 in its place. Elements of fewer than 32 bits become int32 or float32. A
    NaN gives way to a number. With `return_indices` also where it is: the first such place, unless
    `return_indices_tie_break_left=False` allows any.

    Gives: the block without that dimension, in the slice of its layout; a scalar where none is left;
    with `return_indices` a tuple of it and int32 positions.
    Errors: pointers; an axis out of range.

        largest = gl.max(x, axis=0)
    """
    ...

def min(input: tensor, axis: int | None = ..., return_indices: bool = ..., return_indices_tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
    """The smallest element.

    Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
    leaves a dimension of size 1 in its place. Elements of fewer than 32 bits become int32 or float32. A
    NaN gives way to a number. With `return_indices` also where it is: the first such place, unless
    `return_indices_tie_break_left=False` allows any.

    Gives: the block without that dimension, in the slice of its layout; a scalar where none is left;
    with `return_indices` a tuple of it and int32 positions.
    Errors: pointers; an axis out of range.

        smallest = gl.min(x, axis=0)
    """
    ...

def argmax(input: tensor, axis: int, tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
    """Where the largest element is.

    Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
    place. Of equal elements the first, unless `tie_break_left=False` allows any.

    Gives: int32, shaped as the block without that dimension, in the slice of its layout; a scalar where
    none is left.
    Errors: pointers; an axis out of range.

        where = gl.argmax(x, axis=0)
    """
    ...

def argmin(input: tensor, axis: int, tie_break_left: bool = ..., keep_dims: bool = ...) -> Any:
    """Where the smallest element is.

    Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
    place. Of equal elements the first, unless `tie_break_left=False` allows any.

    Gives: int32, shaped as the block without that dimension, in the slice of its layout; a scalar where
    none is left.
    Errors: pointers; an axis out of range.

        where = gl.argmin(x, axis=0)
    """
    ...

def xor_sum(input: tensor, axis: int | None = ..., keep_dims: bool = ...) -> Any:
    """The exclusive or of elements.

    Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
    leaves a dimension of size 1 in its place.

    Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
    Errors: elements that are no integers; an axis out of range.

        parity = gl.xor_sum(i, axis=0)
    """
    ...

def reduce_or(input: tensor, axis: int, keep_dims: bool = ...) -> Any:
    """The bitwise or of elements.

    Along `axis`, counted from the end where negative. `keep_dims` leaves a dimension of size 1 in its
    place.

    Gives: the block without that dimension, in the slice of its layout; a scalar where none is left.
    Errors: elements that are no integers; an axis out of range.

        bits = gl.reduce_or(i, axis=0)
    """
    ...

def reduce(input: Any, axis: int, combine_fn: Callable[..., Any], keep_dims: bool = ...) -> Any:
    """Combines elements with a function of the program.

    Along `axis`, counted from the end where negative; over all elements where it is None. `keep_dims`
    leaves a dimension of size 1 in its place. `combine_fn` takes two elements and gives one; for a
    tuple of blocks it takes the elements of one side, then those of the other, and gives as many. It
    must be associative and commutative.

    Gives: what `sum` gives, one for each input.
    Errors: inputs of different shapes or layouts; a function that gives other types than it takes.

        total = gl.reduce(x, 0, add)
    """
    ...

def associative_scan(input: Any, axis: int, combine_fn: Callable[..., Any], reverse: bool = ...) -> Any:
    """Combines each element with all before it, by a function of the program.

    Along `axis`; from the end with `reverse`. `combine_fn` is as in `reduce`, but need not be
    commutative.

    Gives: a block like the input, or a tuple of them.
    Errors: inputs of different shapes or layouts; a function that gives other types than it takes.

        sums = gl.associative_scan(x, 0, add)
    """
    ...

def cumsum(input: tensor, axis: int = ..., reverse: bool = ..., dtype: DType | None = ...) -> Any:
    """The sum of each element and all before it.

    Along `axis`; from the end with `reverse`. Integers of fewer than 32 bits become 32, bfloat16
    becomes float32; `dtype` chooses another type to compute in.

    Gives: a block of the shape and layout of the input.
    Errors: pointers; an axis out of range.

        sums = gl.cumsum(x, axis=0)
    """
    ...

def cumprod(input: tensor, axis: int = ..., reverse: bool = ..., dtype: DType | None = ...) -> Any:
    """The product of each element and all before it.

    Along `axis`; from the end with `reverse`. bfloat16 becomes float32; `dtype` chooses another type
    to compute in.

    Gives: a block of the shape and layout of the input.
    Errors: pointers; an axis out of range.

        sums = gl.cumprod(x, axis=0)
    """
    ...

def gather(src: tensor, index: tensor, axis: int) -> Any:
    """Elements of a block by index along one axis.

    All other coordinates are the element's own. An index out of range gives an undefined element.

    Gives: the element type of `src` in the shape and layout of `index`.
    Errors: indices that are no integers, or of another shape outside of the axis.

        reversed = gl.gather(x, 127 - gl.arange(0, 128, layout=layout), axis=0)
    """
    ...

def histogram(input: tensor, num_bins: int, mask: tensor | Number | None = ..., layout: Layout | None = ...) -> Any:
    """How often each number from 0 to `num_bins - 1` occurs.

    Other numbers, and elements whose `mask` is false, are not counted. `num_bins` is a power of two.

    Gives: int32 [num_bins] in `layout`, which must be given.
    Errors: elements that are no integers; more dimensions than one; a mask that is not boolean.

        bins = gl.histogram(i, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    """
    ...

def map_elementwise(scalar_fn: Callable[..., Any], *args: tensor | Number, pack: int = ...) -> Any:
    """Calls a function of the program with the scalars of each element.

    The arguments are broadcast to one shape. With `pack` the function sees so many elements of a thread
    at once: those of the first argument, then those of the second; it gives as many of each result.

    Gives: a block for each value that the function gives: one, or a tuple.
    Errors: no block among the arguments; a `pack` that does not divide the elements of a thread.

        z = gl.map_elementwise(add, x, y)
    """
    ...

def inline_asm(asm: Any, constraints: Any = ..., args: Sequence[Any] = ..., result_types: Any = ..., is_pure: bool = ...) -> Any:
    """Runs instructions of the chip, PTX or AMD's, once in each thread, on all elements that it has.

    A tensor is as many operands as a thread has registers of it, in the order of the layout, copies
    among them; a scalar is one, a buffer its address in shared memory. Elements of less than 32 bits
    are not packed. Results come first, then the arguments, `$0` onwards. `asm` may be a
    `gluon.constexpr_function` that makes the text: it gets the names of the results and of the
    arguments, a tuple for each. `constraints` are those of LLVM, or a tuple with one for each result
    and argument.

    What the text does to memory is not known to the compiler: barriers, fences and waits are the
    program's. With buffers `is_pure` must be False.

    Gives: a tensor of the type `result_types` (a dtype or `x.type`), or a tuple for a sequence of them.
    Errors: constraints that do not fit the text and the types; tensors whose layout is still open.

        z = gl.inline_asm("add.f32 $0, $1, $2;", "=f,f,f", [x, y], x.type, is_pure=True)
    """
    ...

def inline_asm_elementwise(asm: str, constraints: str, args: Sequence[Any], dtype: Any, is_pure: bool = ..., pack: int = ...) -> Any:
    """Runs instructions of the chip, PTX or AMD's, on each element.

    In the text `$0` is the first result, then come the other results and the arguments, as the
    constraints name them: "=r" and "r" for 32 bits, "h" 16, "l" 64, "f" float32, "d" float64, "n" an
    integer known at compile time that the text has in place of a register. On AMD's chips "v" is a
    vector register, "s" a scalar one, "a" one for accumulation, as wide as the operand. With
    `pack` one run takes so many elements, four bytes to a register. `is_pure=False` keeps runs whose
    result nobody uses. A tuple of dtypes gives several results.

    Gives: `dtype` in the shape and layout of the arguments, or a tuple.
    Errors: constraints that do not fit the text and the types; a `pack` that does not divide the
    elements of a thread.

        z = gl.inline_asm_elementwise("add.f32 $0, $1, $2;", "=f,f,f", [x, y], gl.float32)
    """
    ...

def dot_fma(a: tensor, b: tensor, acc: tensor) -> Any:
    """a @ b + acc without tensor cores.

    Shapes are [.., M, K], [.., K, N] and [.., M, N], in two or three dimensions. The operands lie in
    `DotOperandLayout(0 or 1, layout of acc, 0)`, the accumulator in a `BlockedLayout`. Floats
    accumulate in their own type or a wider one, int8 in int32.

    Gives: a block like `acc`.
    Errors: other layouts, shapes or element types.

        a = gl.full([64, 16], 1.0, gl.float32, gl.DotOperandLayout(0, tiled, 0))
        b = gl.full([16, 32], 2.0, gl.float32, gl.DotOperandLayout(1, tiled, 0))
        product = gl.dot_fma(a, b, tile)
    """
    ...

def allocate_shared_memory(element_ty: DType, shape: Sequence[int], layout: Layout, value: tensor | None = ...) -> Any:
    """A buffer in shared memory.

    Where the shape has one dimension more than the layout, the first counts the buffers of a ring, and
    may be any number. A `value` fills the buffer. The memory is taken back after the last use.

    Gives: a shared memory descriptor.
    Errors: pointers or booleans as elements; a layout that is none of shared memory or does not fit; a
    value of another type or shape.

        buffer = gl.allocate_shared_memory(gl.float32, [64, 32], shared, tile)
        ring = gl.allocate_shared_memory(gl.float32, [3, 64, 32], shared)
    """
    ...

def warp_specialize(functions_and_args: Sequence[Any], worker_num_warps: Sequence[int], worker_num_regs: Sequence[int] | None = ...) -> Any:
    """Runs several functions side by side, each on warps of its own.

    The first of the pairs of a function and its arguments is the default partition, which runs on the
    warps of the kernel; each other is a worker with so many warps (a power of two) and registers per
    thread. Workers take no tensors: buffers, barriers and scalars instead. All begin and end together.

    Gives: what the default partition returns.
    Errors: a tensor as argument of a worker; other numbers of warps than workers; a call inside of a
    partition or of a function that is not inlined.

        gl.warp_specialize([(consume, (smem, bar)), (produce, (smem, bar))], [4])
    """
    ...

def multiple_of(input: tensor | Number, values: Sequence[int]) -> Any:
    """Promises that the first of every so many elements is a multiple of a number.

    `values` is one number per dimension, or a single number. Wider loads and stores may follow from it.
    The promise is not checked.

    Gives: `input`.
    Errors: another number of values than `x` has dimensions.

        start = gl.multiple_of(gl.load(counts), 16)
    """
    ...

def max_contiguous(input: tensor | Number, values: Sequence[int]) -> Any:
    """Promises that elements come in runs of consecutive values.

    `values` is the length of a run per dimension, or a single number. The promise is not checked.

    Gives: `input`.
    Errors: another number of values than `x` has dimensions.

        where = gl.max_contiguous(offsets % 128, 128)
    """
    ...

def max_constancy(input: tensor | Number, values: Sequence[int]) -> Any:
    """Promises that elements come in runs of one value.

    `values` is the length of a run per dimension, or a single number. The promise is not checked.

    Gives: `input`.
    Errors: another number of values than `x` has dimensions.

        row = gl.max_constancy(offsets // 32, 32)
    """
    ...

def assume(cond: tensor | Number) -> None:
    """Promises that a condition holds.

    The code generator may use it. The promise is not checked on a GPU.

    Gives: nothing.
    Errors: a condition that is a block.

        gl.assume(n > 0)
    """
    ...

def device_print(prefix: str, *args: tensor | Number, hex: bool = ...) -> None:
    """Prints values, an element a line, with the program and the indices they belong to.

    Gives: nothing.
    Errors: a prefix that is not known at compile time or not printable ASCII.

        gl.device_print("x", x)
    """
    ...

def device_assert(cond: tensor | Number, msg: str = ..., mask: tensor | Number | None = ...) -> None:
    """Stops the kernel with a message where a condition does not hold.

    Only kernels compiled with `debug` contain it. Elements whose `mask` is false are not looked at.

    Gives: nothing.
    Errors: a message that is not known at compile time.

        gl.device_assert(offsets < n, "beyond the end")
    """
    ...

def expect_zero(x: tensor | Number, mask: tensor | Number) -> Any:
    """Says that `x` is 0 where the mask is true.

    Kernels compiled with `debug` check it and stop with a message; under `fpsan`, whose algebra has no
    underflow, it is 0 there.

    Gives: `x`.
    Errors: arguments that are neither tensors nor numbers.

        x = gl.load(p + offsets, mask=offsets < n, other=0.0)
        x = gl.expect_zero(x, offsets >= n)
    """
    ...

def barrier(*, cluster: bool = ...) -> None:
    """Waits until all threads of the program are here and see each other's memory accesses.

    With `cluster=True`, all threads of the cluster. Kernels need it for memory that threads exchange by
    pointers; accesses to shared memory descriptors are ordered without it.

    Gives: nothing.
    Errors: a `cluster` that is not known at compile time.

        gl.store(p + offsets, x)
        gl.barrier()
        y = gl.load(p + 127 - offsets)
    """
    ...

def thread_barrier() -> None:
    """Waits until all threads of the program are here and see each other's memory accesses.

    Gives: nothing.

        gl.thread_barrier()
    """
    ...

