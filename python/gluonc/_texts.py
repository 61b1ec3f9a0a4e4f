"""The text that functions and classes were written in, as Python read it.

A kernel means what its file said when Python executed the definition: decorators take the text then.
What has no decorator is taken from what decorators saw of the same file, or from the file, where it
can be told that this is still what Python executed.
"""

import functools
import linecache
import os
import sys
import time
import types

_STANDARD = getattr(sys, "stdlib_module_names", frozenset()) | {"builtins"}
# A file that did not change since is what every module of this process was made from.
_STARTED = time.time()
# Path -> (list of lines as linecache has it, joined): functions of a file share its text.
_joined = {}
# Path -> the texts that decorators saw, the newest last.
_seen = {}
_SEEN_AT_MOST = 8
# A class has it itself: a table of ours would keep the module's variables, and so the class.
_PLACE = "_gluonc_place"


def _read(path, variables=None):
    """What the file (or cell) says now, or None."""
    linecache.checkcache(path)
    lines = linecache.getlines(path, variables)
    if not lines:
        return None
    known = _joined.get(path)
    if known is None or known[0] is not lines:
        known = _joined[path] = lines, "".join(lines)
    return known[1]


def _note(path, variables):
    """What the file says now, or None; kept for what has no decorator."""
    text = _read(path, variables)
    seen = _seen.setdefault(path, [])
    if text is not None and text not in seen[-1:]:
        seen.append(text)
        del seen[:-_SEEN_AT_MOST]
    return text


def note_function(fn):
    """The text of a function that is being decorated; None where it is not to be had."""
    code = fn.__code__
    text = _note(code.co_filename, fn.__globals__)
    return text if len(_seen[code.co_filename]) < 2 else _newest_with(code)


def note_aggregate(cls):
    """Notes where a class is that is being decorated by the caller's caller."""
    frame = sys._getframe(2)
    path = frame.f_code.co_filename
    text = _note(path, frame.f_globals)
    if text is not None:
        setattr(cls, _PLACE, (path, frame.f_lineno, text, frame.f_globals, annotations_of(cls)))


def text_of(fn):
    """The text of a function that no decorator took; raises OSError."""
    code = fn.__code__
    seen = _seen.get(code.co_filename)
    if seen:
        text = seen[0] if len(seen) == 1 else _newest_with(code)
    else:
        text = _read(code.co_filename, fn.__globals__)
        if text is None:
            raise OSError(f"the source of {fn.__name__} is not to be had: kernels are compiled from "
                          f"their text, and {code.co_filename} cannot be read")
        if _modified(code.co_filename) >= _STARTED and code not in _codes(code.co_filename, text):
            text = None
    if text is None:
        raise OSError(f"{code.co_filename} has changed since {fn.__name__} was defined")
    return text


def seen(path):
    """The text that decorators saw last in a file, or nothing."""
    return (_seen.get(path) or [""])[-1]


def _newest_with(code):
    """The newest of a file's texts that defines a function so, at the same place; or None."""
    path = code.co_filename
    return next((text for text in reversed(_seen[path]) if code in _codes(path, text)), None)


def place_of_aggregate(cls):
    """(path, line inside, text, variables of the module, annotations) of an aggregate; None for other
    classes."""
    return vars(cls).get(_PLACE)


def annotations_of(cls):
    """Name -> annotation of the fields that the class itself declares."""
    # Before 3.10 those of a base could come instead.
    found = cls if sys.version_info >= (3, 10) else types.SimpleNamespace(**vars(cls))
    return dict(getattr(found, "__annotations__", ()))


def own_functions(cls):
    """The Python functions behind a class's members, but for those that decorators made."""
    for member in vars(cls).values():
        member = getattr(member, "fget", member)
        member = getattr(member, "__func__", member)
        member = getattr(member, "fn", member)
        if (isinstance(member, types.FunctionType) and not hasattr(member, "_is_of_fields")
                and member.__code__.co_filename != "<string>"
                and not is_standard(member.__globals__.get("__name__"))):
            yield member


def is_standard(module):
    """Whether a module of this name is one of Python's own."""
    return bool(module) and module.partition(".")[0] in _STANDARD


def _modified(path):
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


@functools.lru_cache(maxsize=64)
def _codes(path, text):
    """All functions of a text, as Python compiles them."""
    try:
        left = [compile(text, path, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return frozenset()
    found = set()
    while left:
        code = left.pop()
        found.add(code)
        left += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return frozenset(found)
