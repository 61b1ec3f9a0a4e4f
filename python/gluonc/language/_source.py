"""Python values as text that the compiler's evaluator reads in a kernel's scope."""

import math


def source(value):
    """`gl.BlockedLayout([1], [32], [4], [0])`, `(1, 'sum')`; TypeError for what has no text."""
    own = getattr(type(value), "__gluonc_source__", None)
    if own:
        return own(value)
    if value is None or isinstance(value, (bool, int, str)):
        # Subclasses (IntEnum, numpy.str_) print as something else.
        for plain in (bool, int, str):
            if isinstance(value, plain):
                return repr(plain(value))
        return "None"
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, tuple):
        return f"({', '.join(map(source, value))}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(map(source, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{source(k)}: {source(v)}" for k, v in value.items()) + "}"
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return source(value.item())
    raise TypeError(f"a {type(value).__name__} cannot be a compile-time value of a kernel")
