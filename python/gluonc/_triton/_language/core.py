"""triton.language.core, and the modules below triton.experimental.gluon with internals."""

from gluonc import language as _gluon
from gluonc._host import aggregate as _aggregate
from gluonc._triton._language import *  # noqa: F401,F403
from gluonc._unknown import Unknown
from gluonc.language import constexpr, dtype, pointer_type
from gluonc.language._constexpr import unwrap as _unwrap_if_constexpr

_constexpr_to_value = _unwrap_if_constexpr


def builtin(fn):
    """Functions that make IR of Triton's compiler have no place in gluonc's."""
    return Unknown(f"builtin {fn.__name__}")


def extern(fn):
    """What calls `extern_elementwise` is a function that kernels call."""
    from gluonc._triton import jit
    return jit(fn)


def _unwrap_iterable(x):
    """The one item of `x` where that has items itself: `f((1, 2))` for `f(1, 2)`."""
    if len(x) == 1:
        item = _unwrap_if_constexpr(x[0])
        if hasattr(item, "__iter__"):
            return item
    return x


def get_int_dtype(bitwidth, signed):
    """The type of integers that are so wide."""
    return dtype(f"{'' if signed else 'u'}int{bitwidth}")


def is_builtin(fn):
    """Whether it is a function that kernels have and host code has not."""
    return isinstance(fn, _gluon.DeviceFunction)


def __getattr__(name):
    return _gluon.find_device_function("tl", f"core.{name}")
