"""What an argument specializes a kernel for, in the words in which Triton's backends speak of it.

Libraries ask this of single values. Launches do not come here: see gluonc._signature.
"""

from gluonc._decorated import Decorated
from gluonc._triton._utils import canonicalize_dtype
from gluonc.language._constexpr import constexpr


def native_specialize_impl(backend, value, is_const, specialize_value, align):
    """(type, key): ("i32", "D") of 16, ("constexpr", 1) of 1, ("*fp32", "D") of an aligned tensor.
    Tuples give tuples of both. TypeError for what no kernel takes."""
    if value is None:
        return "constexpr", None
    if isinstance(value, bool):
        return "u1", None
    if isinstance(value, int):
        return _integer(backend, int(value), specialize_value, align)
    if isinstance(value, float):
        return "fp32", None
    if isinstance(value, constexpr):
        return "constexpr", value
    if isinstance(value, Decorated):
        return "constexpr", value.cache_key
    if isinstance(value, tuple):
        found = [native_specialize_impl(backend, item, False, True, True) for item in value]
        make = type(value)._make if hasattr(value, "_fields") else tuple
        return make(kind for kind, _ in found), make(key for _, key in found)
    if hasattr(value, "data_ptr"):
        key = backend.get_tensor_specialization(value, align=align) if specialize_value else None
        return f"{'*k' if is_const else '*'}{canonicalize_dtype(value.dtype)}", key
    if hasattr(type(value), "__gluonc_descriptor_type__"):
        return _descriptor(value), None
    raise TypeError(f"a kernel takes no {type(value).__name__}")


def _integer(backend, value, specialize_value, align):
    if value == 1 and specialize_value:
        return "constexpr", 1
    kind = ("i32" if -1 << 31 <= value < 1 << 31 else
            "u64" if 1 << 63 <= value < 1 << 64 else "i64")
    return kind, backend.get_int_specialization(value, align=align) if specialize_value else None


def _descriptor(value):
    block = f"{canonicalize_dtype(value.base.dtype)}{list(value.block_shape)}"
    if value.layout is None:
        return f"tensordesc<{block}>"
    if value._is_im2col:
        return f"tensordesc_im2col<{block},input_rank={len(value.shape)},{value.layout!r}>"
    return f"tensordesc<{block},{value.layout!r}>"
