"""Helpers that host code and kernels share."""

import copy
import functools
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
    constructor is made of its fields, on the host, too. Its bases are aggregates."""
    for base in cls.__bases__:
        if base is not object and not hasattr(base, "__triton_aggregate__"):
            raise TypeError(f"{cls.__name__}: {base.__name__} is no aggregate, and aggregates inherit "
                            "from other aggregates only")
    _texts.note_aggregate(cls)
    if getattr(cls.__init__, "_is_of_fields", cls.__init__ is object.__init__):
        cls.__init__ = _constructor_of_fields(cls)
    # By this name scripts tell aggregates apart.
    cls.__triton_aggregate__ = True
    return cls


def _fields_of(cls):
    """Name -> annotation of the fields of an aggregate and its bases, in their order."""
    fields = {}
    for base in reversed(cls.__mro__):
        fields.update(_texts.annotations_of(base) if base is not object else {})
    return fields


def _field_value(annotation, value):
    from gluonc.language._constexpr import constexpr
    is_constexpr = annotation is constexpr or "constexpr" in str(annotation)
    return constexpr(value) if is_constexpr else value


def _constructor_of_fields(cls):
    """Takes the annotated fields of the class and its bases, in their order. Those of a base may have
    defaults where later ones have none."""
    fields = _fields_of(cls)

    def __init__(self, *args, **kwargs):
        if len(args) > len(fields):
            raise TypeError(f"{cls.__name__} has {len(fields)} fields, not {len(args)}")
        given = dict(zip(fields, args))
        for name in kwargs:
            if name in given or name not in fields:
                raise TypeError(f"{cls.__name__}: {'two values for' if name in given else 'no'} "
                                f"field {name}")
        given.update(kwargs)
        for name, annotation in fields.items():
            if name not in given and not hasattr(cls, name):
                raise TypeError(f"{cls.__name__}: no value for the field {name}")
            setattr(self, name, _field_value(
                annotation, given[name] if name in given else getattr(cls, name)))
    __init__._is_of_fields = True
    return __init__


def aggregate_replace(value, **changes):
    """A copy of an aggregate with other values of some fields."""
    cls = type(value)
    if not hasattr(cls, "__triton_aggregate__"):
        raise TypeError(f"aggregate_replace expects an aggregate instance, not a {cls.__name__}")
    fields, copied = _fields_of(cls), copy.copy(value)
    for name, changed in changes.items():
        if name not in fields:
            raise TypeError(f"{cls.__name__} has no field '{name}'")
        setattr(copied, name, _field_value(fields[name], changed))
    return copied
