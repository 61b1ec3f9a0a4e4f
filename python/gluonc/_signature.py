"""Parameters of a kernel, and what an argument specializes it for.

The walk over the arguments of a launch is in native/Arguments.cpp. It asks here what it does not
know: describe() for objects that are neither numbers nor plain tensors, Numbers for compile-time
values. What it found comes back as specs, for native_arguments().
"""

import inspect
import itertools
import re
import types
import weakref

from gluonc import _installed, _native
from gluonc._tensors import TensorView, view
from gluonc.errors import CompilationError
from gluonc.language._constexpr import constexpr, unwrap
from gluonc.language._dtypes import dtype, pointer_type

# gluonc_argument_kind of the C API.
_TYPE, _INTEGER, _REAL, _BOOLEAN, _NONE, _EXPRESSION, _TUPLE = range(7)
# Those whose value is known when the kernel is compiled.
CONSTANT_KINDS = frozenset({_INTEGER, _REAL, _BOOLEAN, _NONE, _EXPRESSION})
TYPE_KIND, TUPLE_KIND = _TYPE, _TUPLE


def _annotated_type(annotation):
    """The signature type that an annotation fixes, or None."""
    annotation = _installed.counterpart(annotation)
    if isinstance(annotation, (dtype, pointer_type)):
        return annotation.signature
    if not isinstance(annotation, str):
        return None
    text = annotation.strip("'\" ").replace("const *", "*k")
    text = re.sub(r"^(gl|tl|ttgl)\.", "", text)
    if text.startswith("*") or re.fullmatch(r"[iu](1|8|16|32|64)|b?f(p?)\d+\w*", text):
        return text
    try:
        return dtype(text.replace("float", "fp") if text.startswith("float") else text).signature
    except ValueError:
        return None


class Parameter:
    """One parameter of a kernel."""

    __slots__ = ("name", "index", "annotation", "is_constexpr", "type", "specialize",
                 "specialize_alignment", "default", "keyword_only", "variadic")

    def __init__(self, index, parameter, skipped, skipped_alignment):
        self.index, self.name, self.default = index, parameter.name, parameter.default
        self.keyword_only = parameter.kind is parameter.KEYWORD_ONLY
        self.variadic = parameter.kind is parameter.VAR_POSITIONAL
        annotation = self.annotation = parameter.annotation
        text = annotation if isinstance(annotation, str) else getattr(
            annotation, "__name__", repr(annotation))
        self.is_constexpr = "constexpr" in text
        self.type = None if self.is_constexpr else _annotated_type(annotation)
        names = (index, parameter.name)
        floating = self.type is not None and re.match(r"u1|fp|bf", self.type)
        if self.is_constexpr and any(name in skipped for name in names):
            raise CompilationError(f"{parameter.name} is a constexpr, of which every value is a "
                                   "specialization, and listed in do_not_specialize")
        self.specialize = not floating and not any(name in skipped for name in names)
        self.specialize_alignment = self.specialize and not any(
            name in skipped_alignment for name in names)

    # As Triton's libraries call these.
    num = property(lambda self: self.index)
    has_default = property(lambda self: self.default is not inspect.Parameter.empty)
    annotation_type = property(lambda self: self.type or "")
    is_const = property(lambda self: bool(self.type) and self.type.startswith("*k"))
    do_not_specialize = property(lambda self: not self.specialize)
    do_not_specialize_on_alignment = property(lambda self: not self.specialize_alignment)

    def native(self):
        """As the dispatcher takes it."""
        return (self.name, self.default if self.has_default else NotImplemented, self.is_constexpr,
                self.keyword_only, self.variadic, self.specialize, self.specialize_alignment,
                self.type, _native.float_kind(self.type or ""))


def read_parameters(fn, do_not_specialize, do_not_specialize_on_alignment):
    skipped, alignment = set(do_not_specialize or ()), set(do_not_specialize_on_alignment or ())
    parameters = []
    for index, parameter in enumerate(inspect.signature(fn).parameters.values()):
        if parameter.kind is parameter.VAR_KEYWORD:
            raise TypeError(f"{fn.__name__}: a kernel cannot take **{parameter.name}")
        parameters.append(Parameter(index, parameter, skipped, alignment))
    return parameters


def native_option(name, default):
    """An option of a launch: keyed like a constexpr, given by keyword."""
    return (name, default, True, True, False, False, False, None, 0)


def is_definition(value):
    """Whether it is a function or class: what programs make in loops, and keys hold weakly."""
    return isinstance(value, (types.FunctionType, type)) or hasattr(type(value), "_binding_kind")


def frozen(value, definitions):
    """A hashable stand-in for a compile-time value. Types count: 1, 1.0 and True differ, as do 0.0
    and -0.0. Functions and classes in it are added to `definitions`."""
    def inner(item):
        return frozen(item, definitions)
    if isinstance(value, constexpr):
        return inner(value.value)
    if isinstance(value, (list, tuple)):
        return (type(value), *map(inner, value))
    if isinstance(value, dict):
        return (dict, *((inner(k), inner(v)) for k, v in value.items()))
    if isinstance(value, float):
        return type(value), value.hex()
    if hasattr(type(value), "__gluonc_source__"):
        return type(value), value.__gluonc_source__()
    if is_definition(value):
        definitions.append(value)
        return weakref.ref(value)
    return type(value), value


class Numbers:
    """Small numbers for compile-time values in the keys of one kernel; equal values have the same. A
    number is forgotten, and never used again, when a function or class in its value dies."""

    def __init__(self):
        self._known, self._next = {}, itertools.count()

    def __call__(self, value):
        definitions = []
        key = frozen(value, definitions)
        found = self._known.get(key)
        if found is None:
            def forget(_, known=self._known):
                known.pop(key, None)
            deaths = [weakref.ref(definition, forget) for definition in definitions]
            found = self._known.setdefault(key, (next(self._next), deaths))
        return found[0]


def definitions_in(specs):
    """The functions and classes among compile-time values."""
    found = []
    for kind, value in specs:
        if kind == _TUPLE:
            found += definitions_in(value[1])
        elif kind == _EXPRESSION:
            frozen(value, found)
    return found


def describe(name, value):
    """What an argument is: a number in its place, a TensorView, the type text of a descriptor, or
    None for a value that the compiler takes as it is. `name` is the parameter's."""
    descriptor_type = getattr(value, "__gluonc_descriptor_type__", None)
    if descriptor_type is not None:
        return descriptor_type
    found = value if isinstance(value, TensorView) else view(value)
    if found is None:
        found = plain_number(value)
    if found is None and not (hasattr(value, "__gluonc_source__")
                              or hasattr(type(value), "_binding_kind")
                              or _installed.is_installed(type(value).__module__)):
        raise TypeError(
            f"{name}: a kernel takes tensors, numbers, tuples, None and, for constexpr "
            f"parameters, compile-time values; not a {type(value).__name__}")
    return found


def plain_number(value):
    """Numbers of NumPy and subclasses of int and float."""
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    return None


def constant_spec(value):
    """The spec of a compile-time value."""
    if value is None:
        return _NONE, None
    if isinstance(value, bool):
        return _BOOLEAN, value
    if isinstance(value, float):
        return _REAL, value
    if isinstance(value, int) and -1 << 63 <= value < 1 << 63:
        return _INTEGER, int(value)
    return _EXPRESSION, value


_native.set_hooks(Numbers, describe, constexpr)


def native_arguments(parameters, specs, text_of):
    """Specs as the C API takes them: compile-time objects as text, which `text_of` makes."""
    return [_native_argument(parameter, text_of, *spec)
            for parameter, spec in zip(parameters, specs)]


def _native_argument(parameter, text_of, kind, value):
    if kind == _TUPLE:
        cls, items = value
        fields = getattr(cls, "_fields", None)
        return _TUPLE, (fields and ",".join(fields),
                        [_native_argument(parameter, text_of, *item) for item in items])
    if kind != _EXPRESSION:
        return kind, value
    fields = getattr(type(unwrap(value)), "_fields", None)
    if fields and isinstance(unwrap(value), tuple):
        return _TUPLE, (",".join(fields),
                        [_native_argument(parameter, text_of, *constant_spec(unwrap(item)))
                         for item in unwrap(value)])
    try:
        return _EXPRESSION, text_of(unwrap(value))
    except TypeError as problem:
        raise TypeError(f"{parameter.name}: {problem}") from None
