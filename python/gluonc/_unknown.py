"""Names of Triton that gluonc does not have: they import, and refuse to be used.

A file names many things that the part of it that runs never touches, so a missing name must not
stop the import. Only modules that a script reaches under Triton's name answer this way.
"""

import importlib
import importlib.util

from gluonc.errors import NotSupportedYet


class Unknown:
    """Stands for a name that gluonc does not have."""

    def __init__(self, path):
        self._path = path

    def _refuse(self, *_, **__):
        raise NotSupportedYet(f"gluonc has no `{self._path}`", name=self._path)

    __call__ = __iter__ = __len__ = __getitem__ = __enter__ = __bool__ = _refuse
    __add__ = __sub__ = __mul__ = __lt__ = __gt__ = __le__ = __ge__ = _refuse

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{self._path}.{name}")

    def __or__(self, other):
        # In annotations, where nothing is done with it.
        return Unknown(f"{self._path} | …")

    __ror__ = __or__

    def __mro_entries__(self, bases):
        return ()

    def __repr__(self):
        return f"<unknown name {self._path}>"

    __gluonc_source__ = _refuse


# Names of earlier releases: files ask for them to tell releases apart.
_ENDED = ("AttrsDescriptor",)


def answer_for(module, path):
    """Gives the module that Triton calls `path` a `__getattr__`: submodules are imported, other names
    become Unknown, errors classes that nobody raises."""
    own = module.__dict__.get("__getattr__")
    if getattr(own, "_answers", False):
        return module

    def find(name):
        # Files ask whether there are names of experiments that ended.
        if name.startswith(("__", "_experimental_")) or name in _ENDED:
            raise AttributeError(name)
        if own is not None:
            try:
                return own(name)
            except AttributeError:
                pass
        full = f"{path}.{name}"
        if hasattr(module, "__path__") and importlib.util.find_spec(full) is not None:
            return importlib.import_module(full)
        if name.endswith("Error"):
            return type(name, (Exception,), {"__module__": path})
        return Unknown(full)

    find._answers = True
    module.__getattr__ = find
    return module
