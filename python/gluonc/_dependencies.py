"""What the meaning of a function follows from: its text, the functions and constants that it names.

For keys that outlive the process: they do not depend on the order in which anybody asks.
"""

import ast
import builtins
import hashlib
import types

from gluonc import _native
from gluonc.language._constexpr import constexpr
from gluonc.language._dtypes import dtype, pointer_type

_CONSTANTS = constexpr, dtype, pointer_type, bool, int, float, str, tuple


class _Paths(ast.NodeVisitor):
    """Dotted names that a function reads, and the names that it binds."""

    def __init__(self):
        self.read, self.bound = set(), set()

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.read.add((node.id,))
        else:
            self.bound.add(node.id)

    def visit_arg(self, node):
        self.bound.add(node.arg)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        path, inner = [], node
        while isinstance(inner, ast.Attribute):
            path.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and isinstance(node.ctx, ast.Load):
            self.read.add((inner.id, *path))
        else:
            self.generic_visit(node)


def _names_of(function):
    """(dotted name, value) of what a decorated function reads of the variables around it."""
    try:
        definition = ast.parse(function.src).body[0]
    except (OSError, SyntaxError, IndexError):
        return []
    paths = _Paths()
    # What decorators, annotations and defaults name is no part of the kernel's code.
    for part in (*definition.args.args, *definition.args.kwonlyargs):
        paths.bound.add(part.arg)
    for statement in definition.body:
        paths.visit(statement)
    found = []
    for path in sorted(paths.read):
        if path[0] not in paths.bound:
            try:
                found.append((".".join(path), _look(function.fn, path)))
            except (KeyError, AttributeError, ValueError):
                pass
    return found


def _look(fn, path):
    """What a dotted name is bound to, through modules. KeyError, AttributeError, or ValueError for an
    empty cell where it is nothing."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    first, *rest = path
    if first in cells:
        value = cells[first].cell_contents
    elif first in fn.__globals__:
        value = fn.__globals__[first]
    else:
        value = vars(builtins)[first]
    for name in rest:
        if not isinstance(value, types.ModuleType):
            break
        value = getattr(value, name)
    return value


def _is_function(value):
    return hasattr(type(value), "_binding_kind") and hasattr(value, "src")


def constants_of(function):
    """Dotted name -> value of the constants that a decorated function reads."""
    return {name: value for name, value in _names_of(function) if isinstance(value, _CONSTANTS)}


def _digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def _own_key(function):
    """Of the function without those that it calls."""
    constants = [f"{name}={value!r}" for name, value in constants_of(function).items()]
    try:
        text = function.src, function.starting_line_number
    except OSError:
        text = function._text, function._line
    return _digest(function.fn.__module__, function.fn.__qualname__, *text,
                   getattr(function, "noinline", None), *constants)


def key_of(function):
    """A text that differs where a decorated function, or one that it calls, means something else."""
    keys, calls, left = {}, [], [function]
    while left:
        caller = left.pop()
        if id(caller) in keys:
            continue
        keys[id(caller)] = caller, _own_key(caller)
        callees = [(name, value) for name, value in _names_of(caller) if _is_function(value)]
        calls += [(caller, name, callee) for name, callee in callees]
        left += [callee for _, callee in callees]
    edges = sorted(f"{keys[id(caller)][1]} {name} {keys[id(callee)][1]}"
                   for caller, name, callee in calls)
    return _digest(_native.__version__, keys[id(function)][1], *edges)
