"""What names in kernels are bound to: the compiler asks here, ahead of the source text.

So that a kernel means what Python says: globals that were computed or patched, variables of the
function that it is nested in, functions of modules imported from anywhere, cells of notebooks. A
value reaches the compiler as an expression, a function or class as the place of its definition.
What has neither is left to the source text.
"""

import functools
import inspect
import itertools
import linecache
import re
import sys
import types

from gluonc._engine import engine
from gluonc._unknown import Unknown
from gluonc.language._constexpr import constexpr
from gluonc.language._source import OBJECT_PREFIX, source

# gluonc_binding_kind of the C API.
_EXPRESSION, _JIT, _CONSTEXPR, _FUNCTION, _CLASS, _MODULE = range(6)

# Where modules of the package are found in expressions.
_MODULES = {"gluonc": "gluon", "gluonc.language": "gl", "gluonc._triton": "triton",
            "gluonc._triton._language.core": "tl", "math": "math"}
# Modules of the package that the compiler reads like those of a user.
_READ = {"gluonc._triton._language.target_info"}
_MISSING = object()
_objects = {}
_tokens = {}
_numbers = itertools.count(1)


def token(value):
    """A name for an object that has no text, in expressions that the compiler reads."""
    name = _tokens.get(id(value))
    if name is None:
        name = _tokens[id(value)] = f"{OBJECT_PREFIX}{next(_numbers)}"
        # Kept, so that the id stays its own.
        _objects[name] = value
    return name


def source_of(fn):
    """Path and text of the file (or cell) that a function was written in."""
    path = inspect.getsourcefile(fn) or fn.__code__.co_filename
    lines = linecache.getlines(path, fn.__globals__)
    if not lines:
        raise OSError(f"the source of {fn.__name__} is not to be had: kernels are compiled from "
                      f"their text, and {path} cannot be read")
    return path, "".join(lines)


class _Namespace:
    """Variables of enclosing functions, then globals."""

    def __init__(self, variables, functions=()):
        self.globals, self.cells = variables, {}
        for fn in functions:
            self.cells.update(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        # Equal for functions that see the same.
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


def _namespace_of(fn):
    return _Namespace(fn.__globals__, [fn])


def _functions_of(cls):
    """The Python functions behind a class's members."""
    for member in vars(cls).values():
        member = getattr(member, "fget", member)
        member = getattr(member, "__func__", member)
        member = getattr(member, "fn", member)
        if isinstance(member, types.FunctionType):
            yield member


def _line_of_class(cls):
    """Where the class's definition begins, with its decorators.

    inspect parses the whole file for that. A method's line is known, and the class is above it;
    where it is not plain what belongs to the class there, inspect decides."""
    name = cls.__qualname__.rpartition(".")[2]
    begins = [fn.__code__.co_firstlineno for fn in _functions_of(cls)
              if fn.__qualname__.startswith(f"{cls.__qualname__}.")]
    lines = linecache.getlines(inspect.getsourcefile(cls))
    for line in range(min(begins, default=0) - 1, 0, -1):
        if re.match(rf"\s*class\s+{re.escape(name)}\s*[(:]", lines[line - 1]):
            while line > 1 and lines[line - 2].lstrip().startswith("@"):
                line -= 1
            above = lines[line - 2].strip() if line > 1 else ""
            if not above or above.startswith("#"):
                return line
            break
    return inspect.findsource(cls)[1] + 1


class _Resolver:
    """Answers for one loaded module: resolve(scope, name)."""

    def __init__(self, namespace):
        self._scopes, self._namespaces, self._answers = {}, [], {}
        self.scope_of(namespace)

    def is_current(self):
        """Whether the names that were asked for are still bound to the same objects."""
        return all(self._find(scope, name) is value
                   for (scope, name), value in list(self._answers.items()))

    def _find(self, scope, name):
        try:
            return self._namespaces[scope - 1].find(name)
        except KeyError:
            return _MISSING

    def scope_of(self, namespace):
        """The number of a namespace."""
        scope = self._scopes.get(namespace.key)
        if scope is None:
            self._namespaces.append(namespace)
            scope = self._scopes[namespace.key] = len(self._namespaces)
        return scope

    def __call__(self, scope, name):
        if name.startswith(OBJECT_PREFIX):
            return self._bind(_objects[name])
        value = self._answers[scope, name] = self._find(scope, name)
        return None if value is _MISSING else self._bind(value)

    def _bind(self, value):
        value, kind = _unwrapped(value)
        if kind is not None:
            return self._bind_function(value, kind)
        if isinstance(value, types.FunctionType):
            return self._bind_function(value, _FUNCTION)
        if isinstance(value, types.ModuleType):
            return self._bind_module(value)
        if isinstance(value, type) and not hasattr(type(value), "__gluonc_source__"):
            return self._bind_class(value)
        if isinstance(value, Unknown):
            return None
        try:
            return _EXPRESSION, source(value, text_of_object), "", "", 0, 0
        except TypeError:
            return None

    def _bind_function(self, fn, kind):
        if _is_own(fn.__module__):
            return _expression(_own_functions().get(fn))
        if fn.__name__ == "<lambda>":
            return None
        try:
            path, text = source_of(fn)
        except (OSError, TypeError):
            return None
        return (kind, text, path, fn.__name__, fn.__code__.co_firstlineno,
                self.scope_of(_namespace_of(fn)))

    def _bind_module(self, module):
        name, rest = module.__name__, ""
        while name and module.__name__ not in _READ:
            if name in _MODULES:
                return _expression(_MODULES[name] + rest)
            name, _, last = name.rpartition(".")
            rest = f".{last}{rest}"
        path = getattr(module, "__file__", None)
        if not path or not path.endswith(".py"):
            return None
        text = "".join(linecache.getlines(path))
        return _MODULE, text, path, "", 0, self.scope_of(_Namespace(vars(module)))

    def _bind_class(self, cls):
        if _is_own(cls.__module__):
            return _expression(f"gl.{getattr(cls, '_path', None) or cls.__name__}")
        try:
            path, line = inspect.getsourcefile(cls), _line_of_class(cls)
            text = "".join(linecache.getlines(path))
        except (OSError, TypeError):
            return None
        variables = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
        for fn in _functions_of(cls):
            variables = fn.__globals__
        namespace = _Namespace(variables, _functions_of(cls))
        # The name in the text: `__name__` may have been assigned since.
        name = cls.__qualname__.rpartition(".")[2]
        return _CLASS, text, path, name, line, self.scope_of(namespace)


def _is_own(module):
    """Whether the compiler knows what is in a module of this name by itself."""
    return bool(module) and module.partition(".")[0] == "gluonc" and module not in _READ


def _unwrapped(value):
    """The Python function behind a kernel, however often it was decorated, and what it is bound
    as; other values as they are, with None."""
    kind = None
    while hasattr(type(value), "_binding_kind"):
        kind = type(value)._binding_kind or kind
        value = value.fn
    return value, kind


def _expression(text):
    return None if text is None else (_EXPRESSION, text, "", "", 0, 0)


def text_of_object(value):
    """Text for what is inside a tuple or another value and has none itself."""
    if hasattr(type(value), "_binding_kind") or isinstance(value, types.FunctionType):
        return token(value)
    if isinstance(value, type) and value.__module__ != "builtins":
        return token(value)
    raise TypeError(f"a {type(value).__name__} cannot be a compile-time value of a kernel")


@functools.lru_cache(maxsize=None)
def _own_functions():
    """Functions of the package that the compiler has under a name."""
    import gluonc
    found = {getattr(gluonc, name): f"gluon.{name}"
             for name in ("jit", "aggregate", "constexpr_function", "must_use_result")}
    return {gluonc.cdiv: "gl.cdiv", gluonc.next_power_of_2: "gl.next_power_of_2", **found}


@functools.lru_cache(maxsize=256)
def _load_shared(path, text, key, resolver):
    return engine().load_scope(path, text, 1, resolver)


_shared_resolvers = {}


def load_kernel(fn):
    """The compiler's kernel for a Python function, and the constants that it has from globals, as
    (variables, name, value)."""
    path, text = source_of(fn)
    namespace = _namespace_of(fn)
    if namespace.cells:
        loaded = engine().load_scope(path, text, 1, _Resolver(namespace))
    else:
        # Kernels of one file share what was evaluated for it, until a name means something else.
        resolver = _shared_resolvers.get(namespace.key)
        if resolver is None or not resolver.is_current():
            resolver = _shared_resolvers[namespace.key] = _Resolver(namespace)
        loaded = _load_shared(path, text, namespace.key, resolver)
    return loaded.kernel_at(fn.__name__, fn.__code__.co_firstlineno), _constants_from(fn)


# -- Constants -----------------------------------------------------------------------------------

class _Walk:
    """Visits everything that a function can reach by name, and collects the constexprs."""

    def __init__(self):
        self._seen, self.constants = set(), []

    def function(self, fn):
        if fn in self._seen:
            return
        self._seen.add(fn)
        names = _names(fn.__code__)
        namespace = _namespace_of(fn)
        for name in names:
            try:
                value = namespace.find(name)
            except KeyError:
                continue
            self._value(value, names)
            if name not in namespace.cells:
                self._constant(namespace.globals, name, value)

    def _constant(self, variables, name, value):
        if isinstance(value, constexpr):
            self.constants.append((variables, name, value))

    def _value(self, value, names):
        if isinstance(value, types.ModuleType):
            members = vars(value)
            if value.__name__.partition(".")[0] in ("gluonc", "torch", "numpy"):
                return
            for name in names:
                if name in members and not isinstance(members[name], types.ModuleType):
                    self._value(members[name], names)
                    self._constant(members, name, members[name])
            return
        value, _ = _unwrapped(value)
        if isinstance(value, types.FunctionType):
            self.function(value)
        elif isinstance(value, type):
            for cls in value.__mro__:
                for fn in _functions_of(cls) if cls.__module__ != "builtins" else ():
                    self.function(fn)


def _constants_from(fn):
    walk = _Walk()
    walk.function(fn)
    return walk.constants


def _names(code):
    """Names that a code object and those inside it use, in a fixed order."""
    found = [*code.co_names, *code.co_freevars]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += _names(constant)
    return list(dict.fromkeys(found))
