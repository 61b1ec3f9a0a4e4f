"""Shapes and elements"""

import triton
import triton.language as tl


@triton.constexpr_function
def _log2(n):
    return n.bit_length() - 1


@triton.constexpr_function
def _axis(dim, rank):
    """`dim` counted from the front; the last one for None."""
    axis = rank - 1 if dim is None else dim + rank if dim < 0 else dim
    assert 0 <= axis < rank, "no such dimension"
    return axis


@triton.constexpr_function
def _with_dim(shape, axis, lengths):
    """The shape with `lengths` in place of dimension `axis`."""
    return list(shape[:axis]) + list(lengths) + list(shape[axis + 1 :])


@triton.constexpr_function
def _inner(shape, axis):
    """How many elements there are from one index of dimension `axis` to the next."""
    count = 1
    for length in shape[axis + 1 :]:
        count *= length
    return count


@triton.constexpr_function
def get_int_dtype(bitwidth, signed):
    """The integer type of that many bits."""
    if bitwidth == 1:
        return tl.int1
    if bitwidth == 8:
        return tl.int8 if signed else tl.uint8
    if bitwidth == 16:
        return tl.int16 if signed else tl.uint16
    if bitwidth == 32:
        return tl.int32 if signed else tl.uint32
    assert bitwidth == 64, "integers have 1, 8, 16, 32 or 64 bits"
    return tl.int64 if signed else tl.uint64


@triton.jit
def _to_bits(x):
    """The elements as integers of the same width; a byte for each int1."""
    if x.dtype == tl.int1:
        return x.to(tl.int8)
    elif x.dtype.is_int():
        return x
    else:
        return x.to(get_int_dtype(x.dtype.primitive_bitwidth, True), bitcast=True)


@triton.jit
def _from_bits(bits, dtype: tl.constexpr):
    """The opposite of _to_bits."""
    if dtype == tl.int1:
        return bits != 0
    elif dtype.is_int():
        return bits
    else:
        return bits.to(dtype, bitcast=True)


@triton.jit
def _partners(pairs):
    """Of integers [n, 2, m]: in place of each the other one of its pair. As the exclusive or of
    two is the same for both, no element has to know which of them it is."""
    return pairs ^ tl.xor_sum(pairs, 1, keep_dims=True)


@triton.jit
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(
    x,
    dim: tl.constexpr = None,
    keep_dims: tl.constexpr = False,
    ieee_rounding: tl.constexpr = False,
):
    """exp(x) over its sum along `dim`, the first one by default; the largest element is subtracted
    before. `keep_dims` is accepted: the result has the shape of x with it and without."""
    axis: tl.constexpr = 0 if dim is None else dim
    powers = tl.exp(x - tl.max(x, axis, keep_dims=True))
    return tl.fdiv(powers, tl.sum(powers, axis, keep_dims=True), ieee_rounding)


@triton.jit
def flip(x, dim: tl.constexpr = None):
    """The elements in opposite order along `dim`, the last one by default: every bit of the index
    is turned around, one after the other."""
    axis: tl.constexpr = _axis(dim, len(x.shape))
    inner: tl.constexpr = _inner(x.shape, axis)
    bits = _to_bits(x)
    for i in tl.static_range(_log2(x.shape[axis])):
        bits = _partners(tl.reshape(bits, [x.numel // (inner << (i + 1)), 2, inner << i]))
    return _from_bits(tl.reshape(bits, x.shape), x.dtype)


@triton.jit
def interleave(a, b):
    """The elements of two blocks by turns along the last dimension."""
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        return pairs
    else:
        return tl.reshape(pairs, _with_dim(pairs.shape[:-1], len(pairs.shape) - 2, [2 * pairs.shape[-2]]))


@triton.jit
def cat(input, other, can_reorder: tl.constexpr = False, dim: tl.constexpr = 0):
    """Two blocks one behind the other along `dim`. The order is kept, also where `can_reorder`
    allows another."""
    tl.static_assert(len(input.shape) == len(other.shape), "`cat` takes blocks of one rank")
    axis: tl.constexpr = _axis(dim, len(input.shape))
    pairs = tl.permute(tl.join(input, other), _pair_first(len(input.shape), axis))
    return tl.reshape(pairs, _with_dim(input.shape, axis, [2 * input.shape[axis]]))


@triton.constexpr_function
def _pair_first(rank, axis):
    """The order of dimensions that brings the last of rank + 1 ahead of `axis`."""
    order = list(range(rank))
    order.insert(axis, rank)
    return order


@triton.jit
def view(input, *shape):
    """The elements in another shape."""
    return tl.reshape(input, *shape)


@triton.jit
def squeeze(x, dim: tl.constexpr):
    """Without a dimension of size 1."""
    axis: tl.constexpr = _axis(dim, len(x.shape))
    tl.static_assert(x.shape[axis] == 1, "`squeeze` removes a dimension of size 1")
    return tl.reshape(x, _with_dim(x.shape, axis, []))


@triton.jit
def unsqueeze(x, dim: tl.constexpr):
    """With a new dimension of size 1."""
    axis: tl.constexpr = _axis(dim, len(x.shape) + 1)
    return tl.expand_dims(x, axis)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """Where (i, j) of a grid goes when groups of `size_g` rows are walked column by column."""
    number = i * size_j + j
    group = number // (size_g * size_j)
    first = group * size_g
    rows = tl.minimum(size_i - first, size_g)
    within = number - group * (size_g * size_j)
    return first + within % rows, within // rows


@triton.jit
def logical_and(x, other):
    """Whether both are other than 0."""
    return (x != 0) & (other != 0)


@triton.jit
def logical_or(x, other):
    """Whether one of both is other than 0."""
    return (x != 0) | (other != 0)


@triton.jit
def histogram(input, num_bins: tl.constexpr, mask=None):
    """`gl.histogram`, as a method."""
    return tl.histogram(input, num_bins, mask)


# -- Functions that programs give to `reduce` ----------------------------------------------


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def _prod_combine(a, b):
    return a * b


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def _or_combine(a, b):
    return a | b


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _first_wins(is_better, is_equal, i, j, breaks_ties: tl.constexpr):
    """Of two values with their indices; of equal ones that of the smaller index, or any."""
    return is_better | (is_equal & (i < j)) if breaks_ties else is_better


@triton.jit
def _argmax_combine(a, i, b, j, tie_break_left):
    first = _first_wins(a > b, a == b, i, j, tie_break_left)
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _argmin_combine(a, i, b, j, tie_break_left):
    first = _first_wins(a < b, a == b, i, j, tie_break_left)
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def _argmax_combine_tie_break_left(a, i, b, j):
    return _argmax_combine(a, i, b, j, True)


@triton.jit
def _argmax_combine_tie_break_fast(a, i, b, j):
    return _argmax_combine(a, i, b, j, False)


@triton.jit
def _argmin_combine_tie_break_left(a, i, b, j):
    return _argmin_combine(a, i, b, j, True)


@triton.jit
def _argmin_combine_tie_break_fast(a, i, b, j):
    return _argmin_combine(a, i, b, j, False)
