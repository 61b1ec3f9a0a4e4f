"""What stands around a function that kernels are made of."""

import itertools
import weakref

from gluonc import _native, _texts

# Function or class -> when it was decorated, or first seen where that is not known.
_ages = weakref.WeakKeyDictionary()
_births = itertools.count()


class Decorated:
    """Around a function, `fn`. Launches look into functions, but not into these: they say when they
    change."""

    def _decorate(self, fn):
        self.fn, self._text, self._code = fn, _texts.note_function(fn), fn.__code__
        _ages[self] = next(_births)

    def __setattr__(self, name, value):
        if name in ("fn", "noinline") and name in vars(self):
            _native.announce_change()
        super().__setattr__(name, value)


def youngest(definitions):
    """The function or class that was made last."""
    for definition in definitions:
        _ages.setdefault(definition, next(_births))
    return max(definitions, key=_ages.get)
