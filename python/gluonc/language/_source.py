"""Python values as text that the compiler's evaluator reads in a kernel's scope."""

import math


# Names that begin so stand for objects without text; see gluonc._scopes.
OBJECT_PREFIX = "__gluonc_object_"


def source(value, otherwise=None):
    """`gl.BlockedLayout([1], [32], [4], [0])`, `(1, 'sum')`. What has no text is left to
    `otherwise(value)`, or a TypeError."""
    if type(value).__module__.startswith("triton."):
        from gluonc import _installed
        value = _installed.counterpart(value)
    own = getattr(type(value), "__gluonc_source__", None)
    if own:
        return own(value)

    def inner(item):
        return source(item, otherwise)
    if getattr(type(value), "_is_constexpr", False):
        return f"gl.constexpr({inner(value.value)})"
    if value is None or isinstance(value, (bool, int, str)):
        # Subclasses (IntEnum, numpy.str_) print as something else.
        for plain in (bool, int, str):
            if isinstance(value, plain):
                return repr(plain(value))
        return "None"
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, tuple) and hasattr(type(value), "_fields") and otherwise is not None:
        return f"{otherwise(type(value))}({', '.join(map(inner, value))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(inner, value))}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(map(inner, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inner(k)}: {inner(v)}" for k, v in value.items()) + "}"
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return source(value.item())
    if otherwise is not None:
        return otherwise(value)
    raise TypeError(f"a {type(value).__name__} cannot be a compile-time value of a kernel")
