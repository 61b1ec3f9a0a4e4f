#!/usr/bin/env python3
"""The public names of an installed Triton's languages, with their parameters, a line each, sorted.

    pip install --target triton-3.9.0 triton==3.9.0
    PYTHONPATH=triton-3.9.0 python3.12 test/peer/triton_names.py > test/python/triton_3_9_names.txt

    gl.load(pointer, mask=None, …)      a function, or a class by its constructor
    gl.tensor.sum(self, …)              a method
    gl.tensor.T                         a property
    gl.float32                          any other value
    options.cuda.num_warps              an option of a launch

Names and parameters only: nothing of Triton's text is in the table. No GPU is needed.
"""

import dataclasses
import enum
import importlib
import inspect
import pkgutil
import sys
import types

ROOTS = {"triton": "triton", "gluon": "triton.experimental.gluon", "gl": "triton.experimental.gluon.language",
         "gluon.nvidia": "triton.experimental.gluon.nvidia", "tl": "triton.language",
         "triton.runtime": "triton.runtime", "triton.testing": "triton.testing"}
# What Triton hands to its own builtins.
INTERNAL = {"_semantic", "_generator", "_builder", "self"}
# Modules of Triton that are no part of a language.
SKIPPED = {"tl.core", "tl.semantic", "tl.standard", "tl.math", "tl.random", "tl.target_info"}


def default(value):
    value = getattr(value, "value", value) if type(value).__name__ == "constexpr" else value
    if value is None or isinstance(value, (bool, int, float, str)) and not isinstance(value, enum.Enum):
        return repr(value)
    if value in ((), []):
        return "()"
    return "..."


def signature(function, is_method=False):
    """"(a, b=1, *, c=None)", or "" for what has none."""
    function = getattr(function, "fn", function)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ""
    words, is_keyword = [], False
    for parameter in parameters[is_method:]:
        if parameter.name in INTERNAL:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            words.append("*")
        is_keyword |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        tail = "" if parameter.default is parameter.empty else "=" + default(parameter.default)
        words.append(stars + parameter.name + tail)
    return f"({', '.join(words)})"


def members(name, cls, public):
    """The class and what kernels call or read of its values, but for what a public base has. `mangle`
    names functions of Triton's own."""
    yield name + (signature(cls) if not issubclass(cls, enum.Enum) else "")
    for base in cls.__mro__:
        if base is not cls and base.__name__ in public or not base.__module__.startswith("triton"):
            break
        for member, value in vars(base).items():
            function = getattr(value, "__func__", value)
            if member.startswith("_") or member in ("mangle", "mangle_name"):
                continue
            if callable(getattr(function, "fn", function)):
                yield f"{name}.{member}{signature(function, not isinstance(value, staticmethod))}"
            elif isinstance(value, property):
                yield f"{name}.{member}"


def lines(short, module, seen):
    if module.__name__ in seen or short in SKIPPED:
        return
    seen.add(module.__name__)
    listed = getattr(module, "__all__", None)
    for name in listed or vars(module):
        value = getattr(module, name, None)
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        # A file without a list: what it defines itself.
        if not (listed or hasattr(module, "__path__") or getattr(value, "__module__", "") == module.__name__):
            continue
        full = f"{short}.{name}"
        if inspect.isclass(value):
            yield from members(full, value, vars(module)) if value.__module__.startswith("triton") else ()
        elif callable(value) and getattr(value, "__module__", "").startswith("triton"):
            yield full + signature(value)
        elif type(value).__module__.startswith("triton") or isinstance(value, (bool, int, float, str)):
            yield full
    for _, child, _ in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not child.startswith("_") and short.partition(".")[0] != "triton" and short != "gluon":
            yield from lines(f"{short}.{child}", importlib.import_module(f"{module.__name__}.{child}"), seen)


def options():
    from triton.backends.amd.compiler import HIPOptions
    from triton.backends.nvidia.compiler import CUDAOptions
    for name, cls in ("cuda", CUDAOptions), ("hip", HIPOptions):
        yield from (f"options.{name}.{field.name}" for field in dataclasses.fields(cls))


def main():
    import triton
    seen, found = set(), set(options())
    for short, path in ROOTS.items():
        found |= set(lines(short, importlib.import_module(path), seen))
    print(f"# Triton {triton.__version__}; made by test/peer/triton_names.py.")
    print("\n".join(sorted(found)))


if __name__ == "__main__":
    sys.exit(main())
