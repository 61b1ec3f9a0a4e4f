"""What stands around a function that kernels are made of."""

import inspect
import itertools
import re
import textwrap
import weakref

from gluonc import _native, _texts
from gluonc._lazy import lazy

# Function or class -> when it was decorated, or first seen where that is not known.
_ages = weakref.WeakKeyDictionary()
_births = itertools.count()
# Name -> the decorated function that had it last.
_named = weakref.WeakValueDictionary()


def name_of(decorated):
    """What tells it from others of the program: "module:function"."""
    return f"{decorated.fn.__module__}:{decorated.fn.__qualname__}"


def named(name):
    """The decorated function of this name that was made last; None where there is none."""
    return _named.get(name)


class Decorated:
    """Around a function, `fn`. Launches look into functions, but not into these: they say when they
    change."""

    # Of a text that replaced the function's own.
    _name_in_text = None
    # What the compiler has read of it.
    _loaded = None

    def _decorate(self, fn):
        self.fn, self._text, self._code = fn, _texts.note_function(fn), fn.__code__
        # Of the text, where the function begins.
        self._line = fn.__code__.co_firstlineno
        _ages[self] = next(_births)
        _named[name_of(self)] = self

    @lazy
    def _lines(self):
        return inspect.getsourcelines(self.fn)

    @property
    def raw_src(self):
        """The lines of the function, decorators too."""
        return self._lines[0]

    @raw_src.setter
    def raw_src(self, lines):
        self._place_text(lines, self.starting_line_number)

    @property
    def starting_line_number(self):
        """That of the first of them in its file, from 1 on."""
        return self._lines[1]

    @starting_line_number.setter
    def starting_line_number(self, line):
        self._place_text(self.raw_src, line)

    @lazy
    def file_name(self):
        return self.fn.__code__.co_filename

    @lazy
    def def_file_line_number(self):
        """The line in its file that says `def`."""
        return self.starting_line_number + self._lines_before(self.raw_src)

    @lazy
    def def_file_col_number(self):
        """The column of it, from 1 on."""
        line = self.raw_src[self._lines_before(self.raw_src)]
        return len(line) - len(line.lstrip()) + 1

    @staticmethod
    def _lines_before(lines):
        """How many lines of decorators there are."""
        text = textwrap.dedent("".join(lines))
        return text[:_beginning(text)].count("\n")

    def get_capture_scope(self):
        """Name -> value of all that the function may name: what its module has, and what it closes over."""
        return self.fn.__globals__ | inspect.getclosurevars(self.fn).nonlocals

    @lazy
    def src(self):
        """The text of the function, without decorators."""
        text = textwrap.dedent("".join(self.raw_src))
        return text[_beginning(text):]

    def _unsafe_update_src(self, text):
        """Makes it the function that is written in another text. What was compiled stays as it is."""
        vars(self)["src"] = text
        # No longer what Python executed.
        self._code = None
        self._name_in_text = re.match(r"(?:async\s+)?def\s+(\w+)", text[_beginning(text):])[1]
        self._place_text(*self._lines)

    def _place_text(self, lines, first):
        """Where errors say that a replaced text is: below the decorators of `lines`, which begin there."""
        vars(self)["_lines"] = lines, first
        if self._code is not None:
            return
        self._line = first + self._lines_before(lines)
        self._text = "\n" * (self._line - 1) + self.src
        self._loaded = None
        _native.announce_change()

    @property
    def cache_key(self):
        """Tells functions apart in what is kept on disk: it changes with the text, and with the
        functions and constants that the text names."""
        from gluonc._dependencies import key_of
        return key_of(self)

    @property
    def used_global_vals(self):
        """(name, id of the variables) -> (value, variables) of the constants that it reads."""
        from gluonc._dependencies import constants_of
        variables = self.fn.__globals__
        return {(name, id(variables)): (value, variables)
                for name, value in constants_of(self).items()}

    @used_global_vals.setter
    def used_global_vals(self, value):
        """Scripts for Triton clear it to have it found anew, which it always is."""

    @property
    def __globals__(self):
        return self.fn.__globals__

    @__globals__.setter
    def __globals__(self, value):
        """Scripts for Triton clear it before they send a function to another process."""

    def __setattr__(self, name, value):
        if name in ("fn", "noinline") and name in vars(self):
            _native.announce_change()
        super().__setattr__(name, value)


def _beginning(text):
    """Where the definition of a function begins, behind decorators."""
    found = re.search(r"^(async\s+)?def\s", text, re.MULTILINE)
    return found.start() if found else 0


def youngest(definitions):
    """The function or class that was made last."""
    for definition in definitions:
        _ages.setdefault(definition, next(_births))
    return max(definitions, key=_ages.get)
