"""Helpers that host code and kernels share."""

import functools
import inspect
import types

from gluonc import _texts
from gluonc._decorated import Decorated


def cdiv(x, y):
    """x / y, rounded up."""
    return -(-x // y)


def next_power_of_2(n):
    """The smallest power of two that is not below n."""
    return 1 << max(0, n - 1).bit_length() if n > 0 else 0


class ConstexprFunction(Decorated):
    """A Python function that kernels call while they are compiled."""

    def __init__(self, fn):
        self._decorate(fn)
        functools.update_wrapper(self, fn)

    # gluonc_binding_kind of the C API.
    _binding_kind = 2

    def __get__(self, instance, owner=None):
        """In a class it is a method, as for Python: aggregates are made by host code, too."""
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        from gluonc.language._constexpr import unwrap
        return self.fn(*map(unwrap, args), **{name: unwrap(v) for name, v in kwargs.items()})


def constexpr_function(fn):
    """Makes a function callable from kernels, on compile-time values, and from host code."""
    return ConstexprFunction(fn)


def must_use_result(fn_or_message):
    """Marks functions whose result must be used; kept for source compatibility."""
    if callable(fn_or_message):
        return fn_or_message
    return lambda fn: fn


def aggregate(cls):
    """Marks a class of values that exist inside kernels; the compiler reads its source. One without a
    constructor is made of its fields, on the host, too."""
    _texts.note_aggregate(cls)
    if getattr(cls.__init__, "_is_of_fields", cls.__init__ is object.__init__):
        cls.__init__ = _constructor_of_fields(cls)
    # By this name scripts tell aggregates apart.
    cls.__triton_aggregate__ = True
    return cls


def _constructor_of_fields(cls):
    """Takes the annotated fields of the class and its bases, in their order."""
    fields = {}
    for base in reversed(cls.__mro__):
        fields.update(_texts.annotations_of(base) if base is not object else {})
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(name, kind, default=getattr(cls, name, inspect.Parameter.empty))
         for name in fields])

    def __init__(self, *args, **kwargs):
        from gluonc.language._constexpr import constexpr
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            is_constexpr = fields[name] is constexpr or "constexpr" in str(fields[name])
            setattr(self, name, constexpr(value) if is_constexpr else value)
    __init__._is_of_fields = True
    return __init__
