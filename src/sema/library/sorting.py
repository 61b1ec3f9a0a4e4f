"""Sorting"""

# Bitonic networks. Elements become integers of the same order; a step of the network compares those
# whose indices differ in one bit, seen as the middle dimension of [rows, 2, distance].

import triton
import triton.language as tl
from triton.language.standard import _log2, _partners, get_int_dtype


@triton.jit
def _to_keys(x):
    """Integers of at least 32 bits in the order of the elements."""
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    if x.dtype.is_int():
        keys = x.to(tl.int32) if bits < 32 else x
    else:
        raw = x.to(get_int_dtype(bits, True), bitcast=True)
        raw = raw.to(tl.int32) if bits < 32 else raw
        # Negative numbers grow towards zero: all bits but the sign are turned around.
        keys = raw ^ ((raw >> (bits - 1)) & ((1 << (bits - 1)) - 1))
    return tl.reshape(keys, [x.numel])


@triton.jit
def _from_keys(keys, dtype: tl.constexpr, shape: tl.constexpr):
    """The opposite of _to_keys."""
    bits: tl.constexpr = dtype.primitive_bitwidth
    found = tl.reshape(keys, shape)
    if dtype.is_int():
        return found.to(dtype)
    else:
        raw = found ^ ((found >> (bits - 1)) & ((1 << (bits - 1)) - 1))
        return raw.to(get_int_dtype(bits, True)).to(dtype, bitcast=True)


@triton.jit
def _compare(keys, distance: tl.constexpr, period: tl.constexpr, descending: tl.constexpr):
    """Orders the keys of each pair that is `distance` apart; in every other `period` of the keys
    the other way round, unless it is 0."""
    rows: tl.constexpr = keys.numel // (2 * distance)
    pairs = tl.reshape(keys, [rows, 2, distance])
    others = _partners(pairs)
    takes_larger = tl.arange(0, 2)[None, :, None]
    if descending:
        takes_larger = takes_larger ^ 1
    if period:
        row = tl.arange(0, rows)[:, None, None]
        takes_larger = takes_larger ^ ((row >> _log2(period // (2 * distance))) & 1)
    ordered = tl.where((pairs > others) != (takes_larger != 0), others, pairs)
    return tl.reshape(ordered, [keys.numel])


@triton.jit
def _merge(keys, length: tl.constexpr, period: tl.constexpr, descending: tl.constexpr):
    """Sorts every `length` keys that rise and then fall, or the other way round."""
    for i in tl.static_range(_log2(length) - 1, -1, -1):
        keys = _compare(keys, 1 << i, period, descending)
    return keys


@triton.jit
def _sort(keys, length: tl.constexpr, alternates: tl.constexpr, descending: tl.constexpr):
    """Sorts every `length` keys, each other one downwards if it alternates."""
    for i in tl.static_range(1, _log2(length)):
        keys = _merge(keys, 1 << i, 1 << i, False)
    return _merge(keys, length, length if alternates else 0, descending)


@triton.constexpr_function
def _is_last(dim, rank):
    return dim is None or dim == rank - 1 or dim == -1


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """The elements in order along the last dimension. Numbers that are none come behind infinity, or
    ahead of its opposite, as their sign says."""
    tl.static_assert(_is_last(dim, len(x.shape)), "only the last dimension can be sorted")
    keys = _sort(_to_keys(x), x.shape[-1], False, descending)
    return _from_keys(keys, x.dtype, x.shape)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    """The elements in order along the last dimension, in which they rise and then fall."""
    tl.static_assert(_is_last(dim, len(x.shape)), "only the last dimension can be sorted")
    keys = _merge(_to_keys(x), x.shape[-1], 0, descending)
    return _from_keys(keys, x.dtype, x.shape)


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    """The k largest elements of the last dimension, the largest first; the smallest ones, the
    smallest first, if not `descending`.

    Of k that rise and k that fall the larger ones, place by place, are the k largest of both, and
    rise and fall in turn: so many are left after each round."""
    tl.static_assert(_is_last(dim, len(x.shape)), "only the last dimension can be sorted")
    n: tl.constexpr = x.shape[-1]
    tl.static_assert(k > 0 and k <= n and k & (k - 1) == 0, "k is a power of two up to the length")
    keys = _to_keys(x)
    if k == n:
        keys = _sort(keys, n, False, descending)
    else:
        keys = _sort(keys, k, True, False)
        for left in tl.static_range(_log2(n // k) - 1, -1, -1):
            pairs = tl.reshape(keys, [keys.numel // (2 * k), 2, k])
            keys = tl.max(pairs, 1) if descending else tl.min(pairs, 1)
            keys = tl.reshape(keys, [keys.numel])
            keys = _merge(keys, k, k if left else 0, descending and left == 0)
    return _from_keys(keys, x.dtype, _with_last(x.shape, k))


@triton.constexpr_function
def _with_last(shape, length):
    return list(shape[:-1]) + [length]
