"""Products of blocks with scales"""

import triton
import triton.language as tl
from triton.experimental.gluon import language as gl


@triton.constexpr_function
def _known_format(format):
    return format in ["e2m1", "e4m3", "e5m2", "bf16", "fp16"]


@triton.constexpr_function
def _with_groups(shape, axis, group):
    """The shape of scales, each of them repeated `group` times behind dimension `axis`."""
    return list(shape[: axis + 1]) + [group] + list(shape[axis + 1 :])


@triton.constexpr_function
def _is_shorter(shape, other, axis, group):
    """The other shape, but for dimension `axis`, which is the part of one in a group."""
    return list(shape) == list(other[:axis]) + [other[axis] // group] + list(other[axis + 1 :])


@triton.constexpr_function
def _has_scales(shape, scale_shape, format, scale_dtype):
    """Whether scales of [lines, K / group] are those of operands of [lines, K]."""
    group = 16 if scale_dtype == tl.float8e4nv else 32
    depth = shape[1] * (2 if format == "e2m1" else 1)
    return list(scale_shape) == [shape[0], depth // group]


@triton.jit
def _as_stored(x, format: tl.constexpr):
    """Elements of the format, of bytes that hold them."""
    if format == "e2m1" or not x.dtype.is_int():
        return x
    elif format == "e4m3":
        return x.to(tl.float8e4nv, bitcast=True)
    else:
        return x.to(tl.float8e5, bitcast=True)


@triton.constexpr_function
def _is_stored_so(format, dtype):
    """Whether tensor cores take elements of a type as those of a format, of bytes at least."""
    if format == "e2m1":
        return dtype in [tl.uint8, tl.int8]
    return dtype in [tl.uint8, tl.int8, tl.float8e4nv if format == "e4m3" else tl.float8e5]


@triton.jit
def _in_tensor_memory(
    lhs,
    lhs_scale,
    lhs_format: tl.constexpr,
    rhs,
    rhs_scale,
    rhs_format: tl.constexpr,
    acc,
):
    """The product by one instruction of tensor cores; None where the chip has none."""
    if len(lhs.shape) != 2 or lhs_scale is None or rhs_scale is None:
        return None
    elif lhs_format == "bf16" or lhs_format == "fp16" or rhs_format == "bf16" or rhs_format == "fp16":
        return None
    elif not (_is_stored_so(lhs_format, lhs.dtype) and _is_stored_so(rhs_format, rhs.dtype)):
        return None
    elif lhs_scale.dtype != rhs_scale.dtype:
        return None
    elif not _has_scales(lhs.shape, lhs_scale.shape, lhs_format, lhs_scale.dtype):
        return None
    elif not _has_scales([rhs.shape[1], rhs.shape[0]], rhs_scale.shape, rhs_format, rhs_scale.dtype):
        return None
    else:
        return tl._scaled_product(_as_stored(lhs, lhs_format), lhs_scale, lhs_format, _as_stored(rhs, rhs_format),
                                  rhs_scale, rhs_format, acc)


@triton.jit
def _as_floats(x, format: tl.constexpr, dtype: tl.constexpr, axis: tl.constexpr):
    """The elements that the storage `x` holds in `format`, two 4-bit ones in a byte of `axis`."""
    if format == "e2m1":
        tl.static_assert(x.dtype == tl.uint8 or x.dtype == tl.int8, "`e2m1` is stored in bytes, two in each")
        return gl.fp4_to_fp(x, dtype, axis)
    elif format == "bf16":
        stored: tl.constexpr = tl.bfloat16
    elif format == "fp16":
        stored: tl.constexpr = tl.float16
    elif format == "e4m3":
        stored: tl.constexpr = tl.float8e4nv
    else:
        stored: tl.constexpr = tl.float8e5
    if x.dtype.is_int():
        return x.to(stored, bitcast=True).to(dtype)
    else:
        tl.static_assert(x.dtype == stored, "the elements are of another type than the format")
        return x.to(dtype)


@triton.jit
def _power_of_two(exponent, dtype: tl.constexpr):
    """Of the 8 bits of an exponent: those of a bfloat16 or a float32."""
    if dtype == tl.bfloat16:
        return (exponent.to(tl.uint16) << 7).to(tl.bfloat16, bitcast=True)
    else:
        return (exponent.to(tl.uint32) << 23).to(tl.float32, bitcast=True).to(dtype)


@triton.jit
def _for_each(scale, shape: tl.constexpr, axis: tl.constexpr):
    """The scale of every element of a block of `shape`: each is that of several neighbours."""
    group: tl.constexpr = shape[axis] // scale.shape[axis]
    wide = tl.broadcast_to(tl.expand_dims(scale, axis + 1), _with_groups(scale.shape, axis, group))
    return tl.reshape(wide, shape)


@triton.jit
def _scaled(x, scale, axis: tl.constexpr, fast_math: tl.constexpr):
    """x, its elements times those of `scale`, whose dimension `axis` is shorter."""
    group: tl.constexpr = 32 if scale.dtype.is_int() else 16
    tl.static_assert(scale.dtype == tl.uint8 or scale.dtype == tl.int8 or scale.dtype == tl.float8e4nv,
                     "scales are bytes, or float8e4nv")
    tl.static_assert(_is_shorter(scale.shape, x.shape, axis, group),
                     f"scales of {x.shape} have dimension K / {group}; those on the right are [N, K / {group}]")
    if scale.dtype.is_int():
        codes = scale.to(tl.uint8, bitcast=True)
        product = x * _for_each(_power_of_two(codes, x.dtype), x.shape, axis)
        if fast_math:
            return product
        else:
            is_nan = _for_each((codes == 0xFF).to(tl.int8), x.shape, axis) != 0
            return tl.where(is_nan, float("nan"), product)
    else:
        return x * _for_each(scale.to(x.dtype), x.shape, axis)


@triton.jit
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format: tl.constexpr,
    rhs,
    rhs_scale,
    rhs_format: tl.constexpr,
    acc=None,
    fast_math: tl.constexpr = False,
    lhs_k_pack: tl.constexpr = True,
    rhs_k_pack: tl.constexpr = True,
    out_dtype: tl.constexpr = tl.float32,
):
    """The product of [.., M, K] and [.., K, N] whose elements are small floats ("e2m1", "e4m3",
    "e5m2", "bf16", "fp16") with a scale for each group of K: bytes, exponents of two, for 32, or
    float8e4nv for 16. `lhs_scale` is [.., M, K / group], `rhs_scale` [.., N, K / group]; None is 1.
    "e2m1" comes two to a byte, along K or, without `lhs_k_pack` and `rhs_k_pack`, along M and N. A
    scale of 255 is NaN, unless `fast_math`. Multiplied in bfloat16, or float16 where a side is; on Blackwell with their scales where
    both sides have some, M is a multiple of 128 and warps come in fours."""
    rank: tl.constexpr = len(lhs.shape)
    tl.static_assert(_known_format(lhs_format) and _known_format(rhs_format),
                     "formats are e2m1, e4m3, e5m2, bf16, fp16")
    tl.static_assert(lhs_k_pack or lhs_format == "e2m1", "only e2m1 can be packed along another dimension than K")
    tl.static_assert(rhs_k_pack or rhs_format == "e2m1", "only e2m1 can be packed along another dimension than K")
    tl.static_assert((rank == 2 or rank == 3) and len(rhs.shape) == rank, "both sides are of 2 or of 3 dimensions")
    tl.static_assert(out_dtype == tl.float32, "the sum is float32")
    if lhs_k_pack and rhs_k_pack:
        at_once = _in_tensor_memory(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc)
        if at_once is not None:
            return at_once
    dtype: tl.constexpr = tl.float16 if lhs_format == "fp16" or rhs_format == "fp16" else tl.bfloat16
    left = _as_floats(lhs, lhs_format, dtype, rank - 1 if lhs_k_pack else rank - 2)
    right = _as_floats(rhs, rhs_format, dtype, rank - 2 if rhs_k_pack else rank - 1)
    if lhs_scale is not None:
        left = _scaled(left, lhs_scale, rank - 1, fast_math)
    if rhs_scale is not None:
        right = _scaled(right, tl.trans(rhs_scale), rank - 2, fast_math)
    return tl.dot(left, right, acc, out_dtype=out_dtype)
