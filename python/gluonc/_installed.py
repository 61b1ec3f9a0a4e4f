"""What objects of an installed Triton are to kernels, where `python -m gluonc` leaves it in place.

Gluon files take names of `triton` and `triton.language` beside those of Gluon: `triton.cdiv`,
`tl.constexpr`, `tl.float32`, functions of `@triton.jit`. The compiler has the same ones, or reads
them like any function.
"""

import importlib.util
import sys
import types

from gluonc import errors
from gluonc.language._constexpr import constexpr
from gluonc.language._dtypes import dtype, pointer_type

# Modules whose names the compiler has, and what expressions call them.
_MODULES = {"triton.language": "tl", "triton": "triton", "triton.language.core": "tl.core",
            "triton.language.math": "tl.math", "triton.language.standard": "tl",
            "triton.language.extra": "gl.extra",
            "triton.language.extra.libdevice": "gl.extra.libdevice",
            "triton.language.extra.cuda": "gl.extra",
            "triton.language.extra.cuda.libdevice": "gl.extra.libdevice",
            "triton.profiler.language": "gl.profiler"}
# gluonc_binding_kind of the C API.
_KINDS = {"JITFunction": 1, "ConstexprFunction": 2, "Autotuner": None, "Heuristics": None}


def is_installed(module):
    """Whether a module of this name is one of an installed Triton."""
    return isinstance(module, str) and module.partition(".")[0] == "triton"


def module_text(name):
    """What expressions call a module of Triton."""
    return _MODULES.get(name, name)


def is_decorated(value):
    """Whether it is a function that a decorator of Triton, or one derived from those, made."""
    return not hasattr(type(value), "_binding_kind") and _kind_of(value) is not NotImplemented


def _kind_of(value):
    return next((_KINDS[cls.__name__] for cls in type(value).__mro__
                 if cls.__name__ in _KINDS and is_installed(cls.__module__)), NotImplemented)


def undecorated(value):
    """(the function, its kind) behind decorators of Triton; it may be one of ours."""
    kind = None
    while is_decorated(value):
        kind = _kind_of(value) or kind
        value = value.fn
    return value, kind


def counterpart(value):
    """gluonc's own object for a constexpr or a type of Triton; other values as they are."""
    cls = type(value)
    if not is_installed(cls.__module__):
        return value
    if cls.__name__ == "constexpr":
        return constexpr(counterpart(value.value))
    if cls.__name__ == "dtype":
        return dtype(value.name)
    if cls.__name__ == "pointer_type":
        return pointer_type(counterpart(value.element_ty), value.address_space, value.const)
    return value


def text_of(value):
    """What expressions call a function or class of Triton; None for those that the compiler lacks
    and for everything else."""
    if not (is_decorated(value) or isinstance(value, (types.FunctionType, type))):
        return None
    if not is_installed(value.__module__):
        return None
    name = value.__name__
    return next((f"{text}.{name}" for module, text in _MODULES.items()
                 if getattr(sys.modules.get(module), name, None) is value), None)


class _Waiting:
    """Calls a function with a module once that is imported."""

    def __init__(self, name, then):
        self._name, self._then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None:
            run = spec.loader.exec_module

            def run_and_tell(module):
                run(module)
                self._then(module)
            spec.loader.exec_module = run_and_tell
        return spec


def when_imported(name, then):
    """Calls `then(module)` for a module of Triton, now or as soon as it is there."""
    if name in sys.modules:
        then(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Waiting(name, then))


def share_classes():
    """Makes classes of ours ones of Triton, too: its autotuner looks for a JITFunction, and leaves out
    configurations with these errors."""
    from gluonc._jit import JITFunction

    def share(own):
        def with_base(module):
            theirs = getattr(module, own.__name__, None)
            if theirs is not None and not issubclass(own, theirs):
                own.__bases__ += (theirs,)
        return with_base
    when_imported("triton.runtime.jit", share(JITFunction))
    when_imported("triton.runtime.errors", share(errors.OutOfResources))
    when_imported("triton.compiler.errors", share(errors.CompileTimeAssertionFailure))


def simulate():
    """Makes the simulated GPU the device of the installed Triton."""
    def activate(module):
        from gluonc._triton.runtime import driver

        class Simulated(type(driver.default)):
            """As Triton's code asks for it."""

            @staticmethod
            def get_current_target():
                from triton.backends.compiler import GPUTarget
                found = driver.default.get_current_target()
                return GPUTarget(found.backend, found.arch, found.warp_size)

            def __getattr__(self, name):
                if name.startswith("__"):
                    raise AttributeError(name)
                raise errors.Unavailable(
                    f"the simulated GPU runs kernels of Gluon only (triton asks for `{name}`)")

        module.driver.set_active(Simulated())
    when_imported("triton.runtime.driver", activate)
