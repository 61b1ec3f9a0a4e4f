"""Parameters of a kernel, and what an argument specializes it for."""

import inspect
import re

from gluonc._tensors import TensorView, view
from gluonc.language._constexpr import constexpr, unwrap
from gluonc.language._dtypes import dtype, pointer_type
from gluonc.language._source import source

# gluonc_argument_kind of the C API.
_TYPE, _INTEGER, _REAL, _BOOLEAN, _NONE, _EXPRESSION = range(6)


def _annotated_type(annotation):
    """The signature type that an annotation fixes, or None."""
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

    __slots__ = ("name", "index", "is_constexpr", "type", "specialize", "specialize_alignment",
                 "default", "keyword_only")

    def __init__(self, index, parameter, skipped, skipped_alignment):
        self.index, self.name, self.default = index, parameter.name, parameter.default
        self.keyword_only = parameter.kind is parameter.KEYWORD_ONLY
        annotation = parameter.annotation
        text = annotation if isinstance(annotation, str) else getattr(
            annotation, "__name__", repr(annotation))
        self.is_constexpr = "constexpr" in text
        self.type = None if self.is_constexpr else _annotated_type(annotation)
        names = (index, parameter.name)
        floating = self.type is not None and re.match(r"u1|fp|bf", self.type)
        self.specialize = not floating and not any(name in skipped for name in names)
        self.specialize_alignment = self.specialize and not any(
            name in skipped_alignment for name in names)


def read_parameters(fn, do_not_specialize, do_not_specialize_on_alignment):
    skipped, alignment = set(do_not_specialize or ()), set(do_not_specialize_on_alignment or ())
    parameters = []
    for index, parameter in enumerate(inspect.signature(fn).parameters.values()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{fn.__name__}: parameters *{parameter.name} are not supported yet")
        parameters.append(Parameter(index, parameter, skipped, alignment))
    return parameters


def frozen(value):
    """A hashable stand-in for a compile-time value. Types count: 1, 1.0 and True differ."""
    if isinstance(value, (list, tuple)):
        return (type(value), *map(frozen, value))
    if isinstance(value, dict):
        return (dict, *((frozen(k), frozen(v)) for k, v in value.items()))
    return type(value), value


class Arguments:
    """The arguments of one launch, sorted by what becomes of them.

    `key` decides the specialization, `values` go to the kernel, `tensors` say where memory is.
    """

    __slots__ = ("key", "values", "tensors")

    def __init__(self, parameters, arguments):
        self.key, self.values, self.tensors = [], [], []
        for parameter, value in zip(parameters, arguments):
            self._add(parameter, value)

    def _add(self, parameter, value):
        kind = type(value)
        if parameter.is_constexpr:
            # Most are ints and layouts; frozen() would build the same pair.
            if kind is constexpr or kind in (tuple, list, dict):
                self.key.append(("=", frozen(unwrap(value))))
            else:
                self.key.append(("=", (kind, value)))
        elif kind is int:
            self._add_int(parameter, value)
        elif kind is bool:
            self.key.append("u1")
            self.values.append(int(value))
        elif kind is float:
            self.key.append(parameter.type or "fp32")
            self.values.append(value)
        elif value is None:
            self.key.append(None)
        elif kind is constexpr:
            self.key.append(("=", frozen(value.value)))
        else:
            self._add_object(parameter, value)

    def _add_int(self, parameter, value):
        if value == 1 and parameter.specialize and parameter.type is None:
            self.key.append(1)
            return
        name = parameter.type
        if name is None:
            if -(1 << 31) <= value < 1 << 31:
                name = "i32"
            elif -(1 << 63) <= value < 1 << 63:
                name = "i64"
            elif 0 <= value < 1 << 64:
                name = "u64"
            else:
                raise OverflowError(f"{parameter.name}={value} does not fit 64 bits")
        aligned = parameter.specialize_alignment and value % 16 == 0
        self.key.append((name, True) if aligned else name)
        self.values.append(value)

    def _add_object(self, parameter, value):
        tensor = value if isinstance(value, TensorView) else view(value)
        if tensor is None:
            plain = _plain_number(value)
            if plain is not None:
                self._add(parameter, plain)
                return
            if hasattr(value, "__gluonc_source__"):
                self.key.append(("=", frozen(value)))
                return
            raise TypeError(
                f"{parameter.name}: a kernel takes tensors, numbers, None and, for constexpr "
                f"parameters, compile-time values; not a {type(value).__name__}")
        aligned = parameter.specialize_alignment and tensor.address % 16 == 0
        name = parameter.type or tensor.type
        self.key.append((name, True) if aligned else name)
        self.values.append(tensor.address)
        self.tensors.append((parameter.name, tensor))


def _plain_number(value):
    """Numbers of NumPy and subclasses of int and float."""
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    return None


def native_arguments(parameters, arguments, key):
    """The same arguments as the C API takes them, for a specialization that is new."""
    native = []
    for parameter, value, part in zip(parameters, arguments, key):
        if part is None:
            native.append((_NONE, None))
        elif type(part) is int:
            native.append((_INTEGER, part))
        elif type(part) is str:
            native.append((_TYPE, part))
        elif part[0] != "=":
            native.append((_TYPE, part[0] + ":16"))
        else:
            native.append(_constant(parameter, unwrap(value)))
    return native


def _constant(parameter, value):
    if value is None:
        return _NONE, None
    if type(value) is bool:
        return _BOOLEAN, value
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return _INTEGER, value
    if type(value) is float:
        return _REAL, value
    try:
        return _EXPRESSION, source(value)
    except TypeError as problem:
        raise TypeError(f"{parameter.name}: {problem}") from None
