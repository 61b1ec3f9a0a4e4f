"""What names in kernels are bound to: the compiler asks here, ahead of the source text.

So that a kernel means what Python says: globals that were computed or patched, variables of the
function that it is nested in, functions of modules imported from anywhere, cells of notebooks. A
value reaches the compiler as an expression, a function or class as the place of its definition, with
what the object itself says: defaults, members, bases. The compiler looks into a scope's source
text for nothing but names of Triton that are not there.
"""

import builtins
import dataclasses
import enum
import functools
import types
import typing

from gluonc import _installed, _native, _texts
from gluonc._engine import engine
from gluonc._unknown import Unknown
from gluonc.language._constexpr import constexpr
from gluonc.language._source import OBJECT_PREFIX, source

# gluonc_binding_kind of the C API.
(_EXPRESSION, _JIT, _CONSTEXPR, _FUNCTION, _CLASS, _MODULE, _INSTANCE, _OPAQUE,
 _UNBOUND) = range(9)

# Where modules of the package are found in expressions.
_MODULES = {"gluonc": "gluon", "gluonc.language": "gl", "gluonc._triton": "triton",
            "gluonc._triton._language": "tl", "math": "math"}
# Modules of the package that the compiler reads like those of a user.
_READ = {"gluonc._triton._language.target_info", "gluonc._triton.tools.ragged_tma"}
# Modules of Python that the compiler knows functions of.
_KNOWN = {"collections", "copy", "dataclasses", "functools", "itertools", "math", "typing"}
# Packages whose classes are nothing to kernels, and long to read.
_FOREIGN = {"numpy", "torch", "triton"}
# What has a text, but for what is inside.
_PLAIN = (type(None), bool, int, float, str, tuple, list, dict, constexpr)
_ENUM_FIELDS = "value", "name"
_UNIONS = typing.Union, getattr(types, "UnionType", typing.Union)


class _Namespace:
    """Variables of enclosing functions, then globals."""

    def __init__(self, variables, functions=()):
        self.globals, self.cells = variables, {}
        for fn in functions:
            self.cells.update(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        # Equal for functions that see the same. Of objects that live as long as the namespace.
        self.key = id(variables), *sorted((name, id(cell)) for name, cell in self.cells.items())

    def find(self, name):
        """The value; KeyError where there is none."""
        cell = self.cells.get(name)
        if cell is None:
            return self.globals[name]
        try:
            return cell.cell_contents
        except ValueError:
            # The enclosing function has not assigned it yet.
            raise KeyError(name) from None

    def holder(self, name):
        """The variables, or the cell, where it is."""
        return self.cells.get(name, self.globals)


class Resolver(_native.Watch):
    """Answers for one kernel: resolver(scope, name). Notes what the answers follow from, for launches
    to look whether that is still so."""

    def __init__(self):
        super().__init__()
        self._scopes, self._namespaces = {}, []
        # Numbers of objects, by id; the objects are kept, so that their ids stay their own.
        self._numbers, self._objects = {}, []
        # Everything that the compiler was told.
        self._answers = {}

    def load(self, fn, text, line, name=None):
        """The compiler's kernel for a Python function, written in `text` from `line` on, where it may
        have another name than its code."""
        text = _texts.text_of(fn) if text is None else text
        code = fn.__code__
        loaded = engine().load_scope(code.co_filename, text, self._scope_of(fn.__globals__, [fn]),
                                     self)
        return loaded.kernel_at(name or code.co_name, line)

    def changes(self):
        """What would be told otherwise now, as (name, text of the answer before, and now). Where there
        is nothing, launches look for later changes."""
        changes = []
        for (scope, name), before in list(self._answers.items()):
            now = self._answer(scope, name)
            if now != before:
                changes.append((name, _text_of_answer(before), _text_of_answer(now)))
        if not changes:
            self._forget_notes()
            for scope, name in list(self._answers):
                self._note_name(scope, name)
        return changes

    def text_of_argument(self, value):
        """Text of a compile-time argument."""
        return source(value, self._text_of_function)

    def __call__(self, scope, name):
        self._note_name(scope, name)
        answer = self._answers[scope, name] = self._answer(scope, name)
        return answer

    def _find(self, scope, name):
        if name.startswith(OBJECT_PREFIX):
            return self._objects[int(name[len(OBJECT_PREFIX):]) - 1]
        return self._namespaces[scope - 1].find(name)

    def _answer(self, scope, name):
        try:
            value = self._find(scope, name)
        except KeyError:
            return _binding(_UNBOUND)
        # Where it is imported from is known to the source alone.
        if isinstance(value, Unknown):
            return None
        try:
            return self._bind(value)
        except Exception as problem:
            return _binding(_OPAQUE, str(problem))

    def _number_of(self, value):
        number = self._numbers.get(id(value))
        if number is None:
            self._objects.append(value)
            number = self._numbers[id(value)] = len(self._objects)
        return number

    def _token(self, value):
        """A name for an object that has no text, in expressions."""
        return f"{OBJECT_PREFIX}{self._number_of(value)}"

    def _text(self, value):
        return source(value, self._token)

    def _text_of_function(self, value):
        if _is_decorated(value) or _installed.is_decorated(value) or isinstance(
                value, (types.FunctionType, enum.Enum)) or (
                isinstance(value, type) and value.__module__ != "builtins") or (
                _texts.place_of_aggregate(type(value))):
            return self._token(value)
        raise TypeError(f"a {type(value).__name__} cannot be a compile-time value of a kernel")

    def _dict(self, items):
        return "{" + ", ".join(f"{name!r}: {text}" for name, text in items) + "}"

    def _scope_of(self, variables, functions=()):
        """The number of a namespace."""
        namespace = _Namespace(variables, functions)
        scope = self._scopes.get(namespace.key)
        if scope is None:
            self._namespaces.append(namespace)
            scope = self._scopes[namespace.key] = len(self._namespaces)
        return scope

    # -- What may change ------------------------------------------------------------------------

    def _note_name(self, scope, name):
        try:
            value = self._find(scope, name)
        except KeyError:
            value = NotImplemented
        if not name.startswith(OBJECT_PREFIX):
            holder = self._namespaces[scope - 1].holder(name)
            # Modules are not exchanged, and every kernel names some.
            if not isinstance(value, types.ModuleType):
                self._note_variable(holder, name, value)
        if value is not NotImplemented:
            self._note_value(value)

    def _note_value(self, value):
        """Notes what a binding is made from, but for objects that the compiler asks about anew."""
        while _is_decorated(value) or _installed.is_decorated(value):
            # It says itself when it changes.
            value = value.fn
        if isinstance(value, functools._lru_cache_wrapper):
            value = value.__wrapped__
        if isinstance(value, types.FunctionType):
            self._note(value)
            self._note_items((value.__defaults__, value.__kwdefaults__))
        elif isinstance(value, type):
            if not _is_own(value.__module__) and not _texts.is_standard(value.__module__):
                self._note(value)
                self._note_items(tuple(vars(value).values()))
        elif isinstance(value, functools.partial):
            self._note_items((value.args, value.keywords))
        elif type(value).__module__ == "numpy":
            # Arrays of one element are taken as numbers.
            if hasattr(value, "__setitem__"):
                self._note_unsteady()
        elif isinstance(value, _PLAIN):
            self._note_items(value)
        elif not isinstance(value, (types.ModuleType, types.MethodType)) and not hasattr(
                type(value), "__gluonc_source__"):
            self._note(value)
            self._note_items(getattr(value, "__dict__", None))

    def _note_items(self, value):
        """Notes the lists and dicts in a value, and what tuples have of them."""
        if isinstance(value, constexpr):
            value = value.value
        if isinstance(value, dict):
            if self._note(value):
                self._note_items((*value.keys(), *value.values()))
        elif isinstance(value, tuple) or isinstance(value, list) and self._note(value):
            for item in value:
                self._note_items(item)

    # -- Values to bindings ----------------------------------------------------------------------

    def _bind(self, value):
        value = _installed.counterpart(value)
        text = _installed.text_of(value)
        if text is not None:
            return self._expression(text)
        if _installed.is_decorated(value):
            fn, kind = _installed.undecorated(value)
            return self._bind(fn) if kind is None else self._bind_function(value, fn, kind)
        if _is_decorated(value):
            return self._bind_decorated(value)
        if isinstance(value, types.FunctionType):
            return self._bind_function(value, value, _FUNCTION)
        if isinstance(value, types.ModuleType):
            return self._bind_module(value)
        if isinstance(value, type) and not hasattr(type(value), "__gluonc_source__"):
            return self._bind_class(value)
        if isinstance(value, functools.partial):
            return self._bind_partial(value)
        if isinstance(value, types.MethodType):
            return self._expression(f"{self._token(value.__self__)}.{value.__func__.__name__}")
        if isinstance(value, functools._lru_cache_wrapper):
            return self._bind(value.__wrapped__)
        if isinstance(value, types.BuiltinFunctionType):
            return self._expression(_name_of_known(value))
        if isinstance(value, _PLAIN) or hasattr(type(value), "__gluonc_source__") or \
                type(value).__module__ == "numpy":
            return self._expression(self._text(value))
        return self._bind_instance(value)

    def _expression(self, text):
        if text is None:
            raise TypeError("the compiler has nothing like it")
        return _binding(_EXPRESSION, text)

    def _bind_decorated(self, value):
        """The Python function behind a kernel, however often it was decorated."""
        whole, kind, place, is_noinline, is_triton = value, None, None, False, False
        while _is_decorated(value):
            kind = type(value)._binding_kind or kind
            is_triton |= not getattr(value, "_is_gluon", True)
            if getattr(value, "_code", value) in (None, getattr(value.fn, "__code__", value)):
                place = value._text, value._line, value._name_in_text
            is_noinline |= bool(getattr(value, "noinline", False))
            value = value.fn
        if not isinstance(value, types.FunctionType):
            raise TypeError(f"a {type(value).__name__} is no function that the compiler can read")
        return self._bind_function(whole, value, kind, place, is_noinline, is_triton)

    def _bind_function(self, whole, fn, kind, place=None, is_noinline=False, is_triton=False):
        if _is_own(fn.__module__):
            return self._expression(_own_functions().get(fn))
        if _texts.is_standard(fn.__module__):
            return self._expression(_name_of_known(fn))
        code = fn.__code__
        attributes = [("defaults", self._defaults_of(fn))]
        if is_noinline:
            attributes.append(("noinline", "True"))
        if is_triton:
            attributes.append(("language", "'triton'"))
        if code.co_name == "<lambda>":
            attributes.append(("body", repr(_place_in_body(code))))
        text, line, name = place or (None, code.co_firstlineno, None)
        return _binding(kind, _texts.text_of(fn) if text is None else text, code.co_filename,
                        name or code.co_name, line, self._scope_of(fn.__globals__, [fn]),
                        self._number_of(whole), self._dict(attributes))

    def _defaults_of(self, fn):
        if told := vars(fn).get("__signature__"):
            return self._dict((name, self._text(parameter.default))
                              for name, parameter in told.parameters.items()
                              if parameter.default is not parameter.empty)
        values = fn.__defaults__ or ()
        positional = fn.__code__.co_varnames[:fn.__code__.co_argcount]
        named = [*zip(positional[len(positional) - len(values):], values),
                 *(fn.__kwdefaults__ or {}).items()]
        return self._dict((name, self._text(value)) for name, value in named)

    def _bind_partial(self, value):
        words = [self._token(value.func), *map(self._text, value.args),
                 *(f"{name}={self._text(item)}" for name, item in value.keywords.items())]
        return self._expression(f"functools.partial({', '.join(words)})")

    def _bind_module(self, module):
        if _installed.is_installed(module.__name__):
            return self._expression(_installed.module_text(module.__name__))
        name, rest = module.__name__, ""
        while name and module.__name__ not in _READ:
            if name in _MODULES:
                return self._expression(_MODULES[name] + rest)
            name, _, last = name.rpartition(".")
            rest = f".{last}{rest}"
        if _texts.is_standard(module.__name__):
            return _binding(_MODULE, name=module.__name__)
        # What its names mean is asked here; its text is good for suggestions.
        path = getattr(module, "__file__", None)
        text = _texts.seen(path)
        return _binding(_MODULE, text, path if text else module.__name__.rpartition(".")[2],
                        scope=self._scope_of(vars(module)), number=self._number_of(module))

    def _bind_class(self, cls):
        if _is_own(cls.__module__):
            return self._expression(f"gl.{getattr(cls, '_path', None) or cls.__name__}")
        if _texts.is_standard(cls.__module__):
            return self._expression(_name_of_known(cls))
        if cls.__module__.partition(".")[0] in _FOREIGN:
            raise TypeError(f"class {cls.__qualname__} of {cls.__module__}")
        bases = [self._token(base) for base in cls.__bases__
                 if not _texts.is_standard(base.__module__)]
        members = self._dict((name, f"({access!r}, {self._text(member)})")
                             for name, access, member in _members_of(cls))
        attributes = [("bases", f"[{', '.join(bases)}]"), ("members", repr(members))]
        path, line, text, variables, fields = (_texts.place_of_aggregate(cls)
                                               or ("", 0, "", None, _fields_of(cls)))
        attributes.append(("fields", repr(tuple(fields))))
        if path:
            attributes.append(("types", repr(self._types_of(cls, fields, variables))))
        else:
            attributes.append(("named_tuple", repr(_is_named_tuple(cls))))
        scope = self._scope_of(variables, _texts.own_functions(cls)) if path else 0
        return _binding(_CLASS, text, path, cls.__qualname__, line, scope, self._number_of(cls),
                        self._dict(attributes))

    def _types_of(self, cls, annotations, variables):
        """Text of {field: (type, …)}: values have one of them, or any where there are none."""
        names = _Namespace(variables, _texts.own_functions(cls))
        visible = {**names.globals, cls.__name__: cls, **vars(cls)}
        for name in names.cells:
            try:
                visible[name] = names.find(name)
            except KeyError:
                pass
        return self._dict((field, f"({''.join(self._text(each) + ', ' for each in found)})")
                          for field, annotation in annotations.items()
                          for found in [_alternatives(annotation, visible)])

    def _bind_instance(self, value):
        cls = type(value)
        if _texts.is_standard(cls.__module__) or cls.__module__.partition(".")[0] in _FOREIGN:
            raise TypeError(f"a {cls.__name__} is a value of the host program")
        if isinstance(value, enum.Enum):
            fields = {name: getattr(value, name) for name in _ENUM_FIELDS}
        else:
            fields = vars(value)
        fields = self._dict((name, self._text(item)) for name, item in fields.items())
        return _binding(_INSTANCE, name=self._token(cls), number=self._number_of(value),
                        attributes=self._dict([("fields", fields)]))


def _binding(kind, text="", path="", name="", line=0, scope=0, number=0, attributes=""):
    """As the compiler takes it."""
    return kind, text, path, name, line, scope, number, attributes


def _text_of_answer(answer):
    """For people."""
    if answer is None or answer[0] == _UNBOUND:
        return "nothing"
    text, name = answer[1], answer[3]
    return text if answer[0] == _EXPRESSION else f"`{name}`"


def _is_own(module):
    """Whether the compiler knows what is in a module of this name by itself."""
    return bool(module) and module.partition(".")[0] == "gluonc" and module not in _READ


def _is_decorated(value):
    """Whether it is a kernel, or another function that was given to the compiler."""
    return hasattr(type(value), "_binding_kind")


def _name_of_known(value):
    """What expressions call a function or class of Python; None for those that they cannot."""
    name = value.__name__
    if getattr(builtins, name, None) is value:
        return name
    module = (value.__module__ or "").lstrip("_")
    return f"{module}.{name}" if module in _KNOWN else None


@functools.lru_cache(maxsize=None)
def _own_functions():
    """Functions of the package that the compiler has under a name."""
    import gluonc
    from gluonc._jit import triton_jit
    found = {getattr(gluonc, name): f"gluon.{name}"
             for name in ("jit", "aggregate", "constexpr_function", "must_use_result")}
    found[triton_jit] = "triton.jit"
    return {gluonc.cdiv: "gl.cdiv", gluonc.next_power_of_2: "gl.next_power_of_2", **found}


def _place_in_body(code):
    """(line, byte column) of something in a lambda's body; None where Python does not tell."""
    positions = getattr(code, "co_positions", tuple)()
    return next(((line, column) for line, _, column, end in reversed(list(positions))
                 if line and end), None)


def _alternatives(annotation, variables):
    """The types that an annotation admits; empty for any."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(variables))
        except Exception:
            return ()
    if annotation is None or annotation is type(None):
        return (None,)
    if typing.get_origin(annotation) in _UNIONS:
        found = [_alternatives(each, variables) for each in typing.get_args(annotation)]
        return tuple(each for some in found for each in some) if all(found) else ()
    is_known = isinstance(annotation, type) or hasattr(type(annotation), "__gluonc_source__")
    return (annotation,) if is_known else ()


def _is_named_tuple(cls):
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def _fields_of(cls):
    """Names of the fields that the class itself declares, those that a constructor assigns aside."""
    if issubclass(cls, enum.Enum):
        return _ENUM_FIELDS
    if _is_named_tuple(cls):
        return cls._fields
    return _texts.annotations_of(cls)


def _members_of(cls):
    """(name, access, member) of what the class defines or was given itself. `access` is as in
    HostScope.h."""
    if issubclass(cls, enum.Enum):
        for name, member in cls.__members__.items():
            yield name, "", member
    for name, value in getattr(cls, "_field_defaults", {}).items():
        yield name, "", value
    own = set(_texts.own_functions(cls))
    constructor = cls.__init__
    if (isinstance(constructor, types.FunctionType)
            and not _texts.is_standard(constructor.__module__)
            and not dataclasses.is_dataclass(cls) and not _texts.place_of_aggregate(cls)):
        # A derived class has that of its base.
        yield "__init__", "", constructor
    for name, member in vars(cls).items():
        if getattr(member, "_is_of_fields", False):
            continue
        access = ""
        if isinstance(member, (property, functools.cached_property)):
            access, member = "property", getattr(member, "fget", None) or member.func
        elif isinstance(member, staticmethod):
            access, member = "static", member.__func__
        elif isinstance(member, classmethod):
            access, member = "class", member.__func__
        is_function = _is_decorated(member) or isinstance(member, types.FunctionType)
        if is_function:
            # A decorator may have put the last one there.
            if access or _is_decorated(member) or member in own or name == "__getattr__":
                yield name, access, member
        elif not name.startswith("_") and not hasattr(member, "__get__") and not isinstance(
                member, enum.Enum):
            yield name, access, member
