"""Blocks of tensors in memory"""

# Block pointers and tensor descriptors are a base pointer with the tensor's shape and strides; every
# access makes a block of pointers and a mask of them. Through descriptors the copy engine of a chip
# that has one moves blocks.

from typing import Optional

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import fence_async_shared, mbarrier, tma


@triton.constexpr_function
def _is_among(dim, dims):
    return dim == dims if isinstance(dims, int) else dim in dims


@triton.constexpr_function
def _padding(option, is_floating):
    """What takes the place of elements outside; None where it does not matter."""
    if option is None or option == "":
        return None
    assert option == "zero" or option == "nan", "padding is 'zero' or 'nan'"
    assert option == "zero" or is_floating, "only floating-point elements can be padded with NaN"
    return 0 if option == "zero" else float("nan")


@triton.jit
def _indices(start, block: tl.constexpr, dim: tl.constexpr):
    """The indices along `dim` that a block covers from `start` on, as int64, its other dimensions
    of size 1."""
    index = tl.to_tensor(start).to(tl.int64) + tl.arange(0, block[dim])
    for other in tl.static_range(len(block)):
        if other != dim:
            index = tl.expand_dims(index, other)
    return index


@triton.constexpr_function
def _hint(rank, value):
    return [value] * rank


@triton.jit
def _pointers(base, strides, offsets, block: tl.constexpr, alignment: tl.constexpr = 1):
    """The addresses of the elements of a block. All strides but the last are multiples of
    `alignment` elements."""
    pointers = base
    for dim in tl.static_range(len(block)):
        steps = _indices(offsets[dim], block, dim) * strides[dim]
        if alignment > 1 and dim < len(block) - 1:
            steps = tl.multiple_of(steps, _hint(len(block), alignment))
        pointers += steps
    return pointers


@triton.jit
def _inside(shape, offsets, block: tl.constexpr, dims: tl.constexpr):
    """Which elements of a block lie inside of the tensor, along `dims`; None for no dims."""
    inside = None
    for dim in tl.static_range(len(block)):
        if _is_among(dim, dims):
            index = _indices(offsets[dim], block, dim)
            here = (index >= 0) & (index < shape[dim])
            inside = here if inside is None else inside & here
    return inside


# -- Block pointers ---------------------------------------------------------------------


@triton.aggregate
class block_pointer:
    """A block of a tensor: where it begins is the only thing about it that changes."""

    base: tl.tensor
    shape: tl.tuple
    strides: tl.tuple
    offsets: tl.tuple
    block_shape: tl.constexpr

    @property
    def dtype(self):
        return self.base.dtype

    @property
    def type(self):
        return self.base.dtype

    @triton.jit
    def load(
        self,
        mask=None,
        other=None,
        boundary_check: tl.constexpr = (),
        padding_option: tl.constexpr = "",
        cache_modifier: tl.constexpr = "",
        eviction_policy: tl.constexpr = "",
        volatile: tl.constexpr = False,
    ):
        tl.static_assert(
            mask is None and other is None,
            "a block pointer has `boundary_check` and `padding_option`, no `mask` and `other`",
        )
        inside = _inside(self.shape, self.offsets, self.block_shape, boundary_check)
        padding = _padding(padding_option, self.base.dtype.element_ty.is_floating())
        return tl.load(
            _pointers(self.base, self.strides, self.offsets, self.block_shape),
            inside,
            padding if inside is not None else None,
            cache_modifier=cache_modifier,
            eviction_policy=eviction_policy,
            volatile=volatile,
        )

    @triton.jit
    def store(
        self,
        value,
        mask=None,
        boundary_check: tl.constexpr = (),
        cache_modifier: tl.constexpr = "",
        eviction_policy: tl.constexpr = "",
    ):
        tl.static_assert(mask is None, "a block pointer has `boundary_check`, no `mask`")
        tl.store(
            _pointers(self.base, self.strides, self.offsets, self.block_shape),
            value,
            _inside(self.shape, self.offsets, self.block_shape, boundary_check),
            cache_modifier=cache_modifier,
            eviction_policy=eviction_policy,
        )

    @triton.jit
    def advance(self, offsets):
        steps = _entries(offsets)
        tl.static_assert(len(steps) == len(self.offsets), "one offset for each dimension")
        moved = [
            self.offsets[dim] + tl.to_tensor(steps[dim]).to(tl.int32) for dim in _dims(len(steps))
        ]
        return block_pointer(self.base, self.shape, self.strides, moved, self.block_shape)


@triton.constexpr_function
def _dims(rank):
    return list(range(rank))


@triton.jit
def _is_pointer(base):
    return isinstance(base, tl.tensor) and base.dtype.is_ptr() and len(base.shape) == 0


@triton.jit
def _entries(given):
    """One for each dimension. For a single dimension it may stand alone."""
    return given if isinstance(given, tl.tuple) else (given,)


@triton.jit
def make_block_ptr(
    base, shape, strides, offsets, block_shape: tl.constexpr, order: tl.constexpr = None
):
    """The block that begins at `offsets` of a tensor of that shape and strides. `order` is a hint
    that nothing needs.

    `tl.load(p, boundary_check=(), padding_option="")` and `tl.store(p, value, boundary_check=())`
    access it. Along the dimensions of `boundary_check` elements outside of the tensor are not
    touched; the padding, "zero" or "nan", takes their place, or anything without it."""
    tl.static_assert(_is_pointer(base), "blocks are behind a pointer")
    block: tl.constexpr = _entries(block_shape)
    tl.static_assert(
        len(_entries(shape)) == len(block)
        and len(_entries(strides)) == len(block)
        and len(_entries(offsets)) == len(block),
        "shape, strides, offsets and block have one entry for each dimension",
    )
    return block_pointer(
        base,
        [tl.to_tensor(extent).to(tl.int64) for extent in _entries(shape)],
        [tl.to_tensor(stride).to(tl.int64) for stride in _entries(strides)],
        [tl.to_tensor(offset).to(tl.int32) for offset in _entries(offsets)],
        block,
    )


@triton.must_use_result
@triton.jit
def advance(base, offsets):
    """The block pointer, `offsets` further on. Offsets are counted in 32 bits."""
    return base.advance(offsets)


# -- Tensor descriptors -----------------------------------------------------------------


@triton.jit
def _check_rows(desc, x_offsets):
    tl.static_assert(
        len(desc.block_shape) == 2 and desc.block_shape[0] == 1,
        "rows are gathered and scattered through a descriptor of blocks of one row",
    )
    tl.static_assert(
        len(x_offsets.shape) == 1 and x_offsets.shape[0] >= 8, "at least eight rows in one block"
    )
    tl.static_assert(
        desc.base is not None or _copies_rows(desc.dtype, desc.block_shape),
        "rows are gathered and scattered through a descriptor that the kernel makes, but on "
        "Blackwell, where they have elements of up to 32 bits and 32 bytes or more",
    )


@triton.constexpr_function
def _copies_rows(dtype, block):
    """Whether the copy engine moves rows by number."""
    bits = dtype.primitive_bitwidth
    return tl.target_info.cuda_capability_geq(10) and bits <= 32 and bits * block[1] >= 256


@triton.constexpr_function
def _row_layout(bits, columns, warps):
    """Of a block of rows in registers: 16 bytes a thread."""
    each = min(128 // bits, columns)
    lanes = min(columns // each, 32)
    return gl.BlockedLayout([1, each], [32 // lanes, lanes], [warps, 1], [1, 0])


@gluon.jit
def _spread_rows(x_offsets):
    """Four neighbours in each thread, the same in all of a warp."""
    spread: gl.constexpr = gl.SliceLayout(
        1, gl.BlockedLayout([4, 1], [1, 32], [gl.num_warps(), 1], [0, 1])
    )
    return gl.convert_layout(x_offsets, spread)


@gluon.jit
def _copy_rows_in(box, x_offsets, y_offset):
    columns: gl.constexpr = box.block_shape[1]
    rows = gl.allocate_shared_memory(box.dtype, [x_offsets.shape[0], columns], box.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, rows.nbytes_per_cta)
    tma.async_gather(box, _spread_rows(x_offsets), y_offset, arrived, rows)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    return rows.load(_row_layout(box.dtype.primitive_bitwidth, columns, gl.num_warps()))


@gluon.jit
def _copy_rows_out(box, value, x_offsets, y_offset):
    columns: gl.constexpr = box.block_shape[1]
    layout: gl.constexpr = _row_layout(box.dtype.primitive_bitwidth, columns, gl.num_warps())
    rows = gl.allocate_shared_memory(
        box.dtype, [x_offsets.shape[0], columns], box.layout, gl.convert_layout(value, layout)
    )
    fence_async_shared()
    tma.async_scatter(box, _spread_rows(x_offsets), y_offset, rows)
    tma.store_wait(0, read_only=False)
    gl.thread_barrier()


@triton.aggregate
class tensor_descriptor:
    """A tensor, seen in blocks of one shape. What lies outside reads as padding, and is not
    written. `gather` and `scatter` take rows by number, through blocks of one row. It has `dtype`,
    `shape`, `strides` and `block_shape`."""

    # Threads access the tensor at `base`, or the chip's copy engine does, through `box`. The one
    # that is not there is None; descriptors that kernels make have both.
    base: Optional[tl.tensor]
    shape: tl.tuple
    strides: tl.tuple
    block_shape: tl.constexpr
    padding: tl.constexpr
    rounds_to_tf32: tl.constexpr
    box: Optional[gl.nvidia.hopper.tma.tensor_descriptor]

    @property
    def dtype(self):
        return self.base.dtype.element_ty if self.box is None else self.box.dtype

    @property
    def type(self):
        return self.block_type

    @property
    def block_type(self):
        return tl.block_type(self.dtype, self.block_shape)

    @triton.jit
    def _place(self, offsets):
        """Pointers and mask of the block at `offsets`."""
        tl.static_assert(len(offsets) == len(self.block_shape), "one offset for each dimension")
        tl.static_assert(
            self.base is not None, "the chip's copy engine cannot do this to elements of the type"
        )
        dims: tl.constexpr = _dims(len(self.block_shape))
        alignment: tl.constexpr = 128 // self.dtype.primitive_bitwidth
        return (
            _pointers(self.base, self.strides, offsets, self.block_shape, alignment),
            _inside(self.shape, offsets, self.block_shape, dims),
        )

    @triton.jit
    def _rows(self, x_offsets, y_offset):
        """Pointers and mask of rows of the tensor, from a column on."""
        rows = tl.expand_dims(x_offsets.to(tl.int64), 1)
        columns = _indices(y_offset, self.block_shape, 1)
        alignment: tl.constexpr = 128 // self.dtype.primitive_bitwidth
        steps = tl.multiple_of(rows * self.strides[0], _hint(2, alignment))
        pointers = self.base + steps + columns * self.strides[1]
        inside = (rows >= 0) & (rows < self.shape[0]) & (columns >= 0) & (columns < self.shape[1])
        return pointers, inside

    @triton.jit
    def _read(self, pointers, inside):
        found = tl.load(pointers, inside, _padding(self.padding, self.dtype.is_floating()))
        return _to_tf32(found) if self.rounds_to_tf32 else found

    @triton.jit
    def load(self, offsets):
        if self.box is None:
            pointers, inside = self._place(offsets)
            return self._read(pointers, inside)
        else:
            return gl._load_block(self.box, _coordinates(offsets))

    @triton.jit
    def store(self, offsets, value):
        tl.static_assert(
            _is_same(value.shape, self.block_shape), "what is stored has the shape of the block"
        )
        if self.box is None:
            pointers, inside = self._place(offsets)
            tl.store(pointers, value.to(self.dtype), inside)
        else:
            gl._store_block(self.box, _coordinates(offsets), value.to(self.dtype))

    @triton.jit
    def gather(self, x_offsets, y_offset):
        _check_rows(self, x_offsets)
        if self.base is None:
            return _copy_rows_in(self.box, x_offsets.to(tl.int32), _coordinates([y_offset])[0])
        else:
            pointers, inside = self._rows(x_offsets, y_offset)
            return self._read(pointers, inside)

    @triton.jit
    def scatter(self, value, x_offsets, y_offset):
        _check_rows(self, x_offsets)
        if self.base is None:
            _copy_rows_out(
                self.box, value.to(self.dtype), x_offsets.to(tl.int32), _coordinates([y_offset])[0]
            )
        else:
            pointers, inside = self._rows(x_offsets, y_offset)
            tl.store(pointers, value.to(self.dtype), inside)

    @triton.jit
    def _combine(self, offsets, value, kind: tl.constexpr, update: tl.constexpr):
        """The engine combines elements itself where it can; else threads `update` them."""
        if gl._reduces_blocks(self.box, kind):
            gl._reduce_block(self.box, _coordinates(offsets), value.to(self.dtype), kind)
        else:
            pointers, inside = self._place(offsets)
            update(pointers, value.to(self.dtype), inside, sem="release")

    @triton.jit
    def atomic_add(self, offsets, value):
        self._combine(offsets, value, "add", tl.atomic_add)

    @triton.jit
    def atomic_min(self, offsets, value):
        self._combine(offsets, value, "min", tl.atomic_min)

    @triton.jit
    def atomic_max(self, offsets, value):
        self._combine(offsets, value, "max", tl.atomic_max)

    @triton.jit
    def atomic_and(self, offsets, value):
        self._combine(offsets, value, "and", tl.atomic_and)

    @triton.jit
    def atomic_or(self, offsets, value):
        self._combine(offsets, value, "or", tl.atomic_or)

    @triton.jit
    def atomic_xor(self, offsets, value):
        self._combine(offsets, value, "xor", tl.atomic_xor)


@triton.jit
def _coordinates(offsets):
    return [tl.to_tensor(offset).to(tl.int32) for offset in offsets]


@triton.jit
def _to_tf32(x):
    """Rounded to ten bits behind the point, to even where two are equally near."""
    bits = x.to(tl.uint32, bitcast=True)
    rounded = (bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000
    is_finite = (bits & 0x7F800000) != 0x7F800000
    return tl.where(is_finite, rounded.to(tl.float32, bitcast=True), x)


@triton.constexpr_function
def _is_same(shape, block):
    return list(shape) == list(block)


@triton.jit
def make_tensor_descriptor(
    base, shape, strides, block_shape: tl.constexpr, padding_option: tl.constexpr = "zero"
):
    """The tensor of a shape and strides behind a pointer, in blocks of `block_shape`. The last stride
    is 1, rows and the tensor begin at multiples of 16 bytes. Padding is "zero" or "nan"."""
    tl.static_assert(_is_pointer(base), "blocks are behind a pointer")
    rank: tl.constexpr = len(block_shape)
    tl.static_assert(rank >= 1 and rank <= 5, "descriptors have one to five dimensions")
    tl.static_assert(
        len(shape) == rank and len(strides) == rank,
        "shape, strides and block have one entry for each dimension",
    )
    tl.static_assert(_is_one(strides[rank - 1]), "the last stride is 1, known at compile time")
    element: tl.constexpr = base.dtype.element_ty
    tl.static_assert(
        block_shape[rank - 1] * element.primitive_bitwidth >= 128,
        "the last dimension of a block takes 16 bytes or more",
    )
    padding: tl.constexpr = _padding(padding_option, element.is_floating())
    extents = [tl.to_tensor(extent).to(tl.int32) for extent in shape]
    steps = [tl.to_tensor(stride).to(tl.int64) for stride in strides[:-1]] + [1]
    box = gl._make_block_descriptor(base, extents, steps, block_shape, padding_option)
    return tensor_descriptor(base, extents, steps, block_shape, padding_option, False, box)


@triton.jit
def _is_one(stride):
    return isinstance(stride, tl.constexpr) and stride == 1


@triton.jit
def load_tensor_descriptor(desc, offsets):
    """`desc.load(offsets)`."""
    return desc.load(offsets)


@triton.jit
def store_tensor_descriptor(desc, offsets, value):
    """`desc.store(offsets, value)`."""
    desc.store(offsets, value)
