"""triton.language: the names of the language without layouts.

dtypes, constexpr and functions that both languages have are those of gluonc.language. Called
`_language` because `triton.language`, an attribute of the package around, is this module.
"""

import importlib

from gluonc import language as _gluon
from gluonc.language import *  # noqa: F401,F403
from gluonc.language._dtypes import dtype, pointer_type
from gluonc.language._types import block_type

# Elements of a tensor at most.
TRITON_MAX_TENSOR_NUMEL = 1 << 20

pi32_t = pointer_type(_gluon.int32)
const = type("const", (), {"__doc__": "In annotations: memory that the kernel only reads."})


# Both vendors' modules have what concerns the chip.
_gluon.extra.cuda = _gluon.extra.hip = _gluon.extra


def __getattr__(name):
    if name in ("core", "random", "standard", "target_info"):
        return importlib.import_module(f"{__name__}.{name}")
    return _gluon.find_device_function("tl", name)
