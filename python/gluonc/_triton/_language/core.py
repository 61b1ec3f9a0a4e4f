"""triton.language.core, and the modules below triton.experimental.gluon with internals."""

from gluonc._host import aggregate as _aggregate
from gluonc._unknown import Unknown
from gluonc.language import *  # noqa: F401,F403
from gluonc.language import constexpr, dtype, pointer_type
from gluonc.language._constexpr import unwrap as _unwrap_if_constexpr


def builtin(fn):
    """Functions that make IR of Triton's compiler have no place in gluonc's."""
    return Unknown(f"builtin {fn.__name__}")
