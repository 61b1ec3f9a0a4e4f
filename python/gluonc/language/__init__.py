"""The language of kernels: `from gluonc import language as gl`.

dtypes, layouts and constexpr are values that host code makes. Everything else (gl.load, …) is
compiled where a kernel names it and has no Python behind it; its names come from the compiler.
"""

import functools
import sys
import types

from gluonc import _native
from gluonc._engine import check_expression
from gluonc._host import aggregate_replace as _replace
from gluonc._host import cdiv, constexpr_function, next_power_of_2
from gluonc._unknown import Unknown
from gluonc.errors import CompilationError
from gluonc.language import _dtypes, _layouts, _policies
from gluonc.language._constexpr import constexpr
from gluonc.language._dtypes import *  # noqa: F401,F403
from gluonc.language._dtypes import dtype, pointer_type
from gluonc.language._layouts import DistributedLayout, SharedLayout, to_linear_layout
from gluonc.language._policies import CachePolicy, PropagateNan
from gluonc.language._types import (bank_conflicts, block_type, distributed_type,
                                    shared_memory_descriptor_type)


# Functions that give layouts for layouts, which host code calls, too.
_LAYOUT_MAKERS = frozenset({"get_wmma_scale_layout", "get_mfma_scale_layout",
                            "compute_efficient_padded_shared_layout",
                            "make_partitioned_dot_layouts"})


class DeviceFunction:
    """A function of the language. Host code can name it but not call it."""

    # `_module`: "gl", or "tl" for what the Triton language alone has.
    __slots__ = ("_path", "_module")

    def __init__(self, path, module="gl"):
        self._path, self._module = path, module

    @property
    def __name__(self):
        return self._path.rpartition(".")[2]

    @property
    def __doc__(self):
        if self._module == "tl":
            return f"{self!r}: a function of the Triton language."
        return _native.language_doc(self._path) or f"gl.{self._path}: not supported yet."

    @property
    def __signature__(self):
        """For inspect.signature and editors: that of the documentation's first line."""
        return _signature_of(self.__doc__.partition("\n")[0])

    def __repr__(self):
        return f"<{self.__gluonc_source__()}>"

    def __gluonc_source__(self):
        return f"{self._module}.{self._path}"

    def __reduce__(self):
        return (_find, (self._path,)) if self._module == "gl" else (find_device_function,
                                                                    (self._module, self._path))

    def __call__(self, *args, **kwargs):
        if self.__name__ in _LAYOUT_MAKERS:
            return _layouts.call(f"gl.{self._path}", args, kwargs)
        if self._path == "aggregate_replace":
            return _replace(*args, **kwargs)
        raise RuntimeError(f"{self.__gluonc_source__()} works inside a kernel only")


@functools.lru_cache(maxsize=None)
def find_device_function(module, path):
    """What the compiler calls `module.path`, of either language; AttributeError where there is nothing."""
    try:
        if not path.rpartition(".")[2].startswith("__"):
            check_expression(f"{module}.{path}")
            return DeviceFunction(path, module)
    except CompilationError:
        pass
    raise AttributeError(f"module {module!r} has no attribute {path!r}")


def _signature_of(line):
    """inspect.Signature of a line such as "gl.load(pointer, mask=None)"; (*args, **kwargs) where it
    is no signature of Python's."""
    import inspect
    _, _, parameters = line.rstrip().partition("(")
    try:
        return inspect.signature(eval(f"lambda {parameters.rpartition(')')[0]}: None",
                                      {**globals(), "gl": sys.modules[__name__]}))
    except (SyntaxError, NameError, AttributeError):
        return inspect.signature(lambda *args, **kwargs: None)


class _DeviceClass(type):
    """A class that kernels know and host code does not, yet: its values refuse to be used."""

    def __new__(mcs, path, bases=None, members=None):
        if bases is not None:
            # A library's own class of values: host code has the class, kernels have nothing of it.
            return type(path, tuple(base for base in bases if not isinstance(base, mcs)), members)
        return super().__new__(mcs, path.rpartition(".")[2], (), {"_path": path})

    def __init__(cls, path):
        super().__init__(cls.__name__, (), {})

    def __call__(cls, *args, **kwargs):
        return Unknown(f"gl.{cls._path}")

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"gl.{cls._path}.{name}")

    def __gluonc_source__(cls):
        return f"gl.{cls._path}"


def _find(path):
    found = sys.modules[__name__]
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _submodule(parts):
    """The module gluonc.language.<parts>, made where it is missing."""
    parent = sys.modules[__name__]
    for part in parts:
        name = f"{parent.__name__}.{part}"
        if name not in sys.modules:
            module = types.ModuleType(name, f"Part of the kernel language: {part}.")
            module.__path__ = []
            sys.modules[name] = module
            setattr(parent, part, module)
        parent = sys.modules[name]
    return parent


# On the host, gl.tuple is Python's own.
tuple = tuple

# Names that the compiler knows as well, but under gluon or triton.
_ELSEWHERE = {"range", "jit", "aggregate", "must_use_result", "autotune", "heuristics"}


# Classes although their names begin small: kernels annotate with them.
_TYPES = {"tensor", "shared_memory_descriptor", "tensor_memory_descriptor",
          "tensor_memory_descriptor_type", "tensor_descriptor", "tensor_descriptor_type",
          "tensor_descriptor_im2col", "tensor_descriptor_im2col_type", "warpgroup_mma_accumulator",
          "warpgroup_mma_accumulator_type", "clc_result", "base_value", "base_type"}


def _scaled_formats():
    """What `wmma_scaled` multiplies: (format of a, format of b, format of a's scales, of b's). 4-bit
    floats go with scales of e4m3, too."""
    formats = ("e4m3", "e5m2", "e2m1")
    return {(a, b, of_a, of_b) for a in formats for b in formats
            for of_a in ("e8m0", "e4m3") for of_b in ("e8m0", "e4m3")
            if (a == "e2m1" or of_a == "e8m0") and (b == "e2m1" or of_b == "e8m0") and
            (a != b or of_a == of_b)}


def _add_names():
    modules = [["nvidia", vendor] for vendor in ("ampere", "hopper", "blackwell", "rubin")]
    modules += [["amd", vendor] for vendor in ("cdna3", "cdna4", "cdna5", "gfx1250", "rdna3",
                                               "rdna4")]
    for parts in [["math"], ["extra", "libdevice"], *modules]:
        _submodule(parts)
    for vendor in ("ampere", "hopper", "blackwell", "rubin"):
        _submodule(["nvidia", vendor, "mbarrier"]).MBarrierLayout = _layouts.MBarrierLayout
        chip = _submodule(["nvidia", vendor])
        chip.CachePolicy = _policies.NvidiaCachePolicy
        chip.FractionalEvictionPolicy = _policies.FractionalEvictionPolicy
    for vendor in ("cdna5", "gfx1250"):
        # Private in Triton too, but its tests ask for it.
        chip = _submodule(["amd", vendor])
        chip._valid_dtype_combinations = _scaled_formats()
        chip.PartitionedSharedLayout = _layouts.PartitionedSharedLayout
        _submodule(["amd", vendor, "mbarrier"]).MBarrierLayout = _layouts.MBarrierLayout
    for name, (path, _) in _layouts.SCHEMAS.items():
        setattr(_submodule(path.split(".")[:-1]), name, getattr(_layouts, name))
    # Triton's modules of chips import them, so they can be reached there, too.
    for vendor, chip in modules:
        if vendor == "amd":
            for name in ("AMDMFMALayout", "AMDWMMALayout", "DotOperandLayout"):
                setattr(_submodule([vendor, chip]), name, getattr(_layouts, name))
    _submodule(["nvidia", "rubin"]).TensorMemoryLayout = _layouts.TensorMemoryLayout
    paths = [path.split(".") for path in _native.language_names().split("\n")]
    classes = {tuple(path) for path in paths if path[-1][:1].isupper() or path[-1] in _TYPES}
    for path in paths:
        if len(path) == 1 and path[0] in _ELSEWHERE:
            continue
        # "PaddedSharedLayout.with_identity_for" is a method.
        if any(tuple(path[:end]) in classes for end in range(1, len(path))):
            continue
        module = _submodule(path[:-1])
        if not hasattr(module, path[-1]):
            made = _DeviceClass if tuple(path) in classes else DeviceFunction
            setattr(module, path[-1], made(".".join(path)))


def _allow_scopes():
    """Proton asks scripts to say in which language kernels have scopes; here both have them."""
    def enable_semantic(semantic_name):
        """Does nothing: scopes are regions of timelines in every kernel."""

    module = _submodule(["profiler"])
    module.enable_semantic = module.disable_semantic = enable_semantic


def _share_names():
    """Rubin has what Blackwell has, under its own name too."""
    blackwell, rubin = _submodule(["nvidia", "blackwell"]), _submodule(["nvidia", "rubin"])
    for name, value in vars(blackwell).items():
        if not name.startswith("_"):
            vars(rubin).setdefault(name, value)
    # Takes an order of blocks, which Blackwell's does not.
    rubin.TensorMemoryScalesLayout = _DeviceClass("nvidia.rubin.TensorMemoryScalesLayout")
    for name, value in vars(blackwell.mbarrier).items():
        if not name.startswith("_"):
            vars(rubin.mbarrier).setdefault(name, value)


def _ask_compiler():
    """Names in these modules that Gluon's list has not are asked for when they are used."""
    for part in ("extra", "math"):
        _submodule([part]).__getattr__ = lambda name, part=part: find_device_function(
            "gl", f"{part}.{name}")


_add_names()
_allow_scopes()
_share_names()
_ask_compiler()
