"""Answers for `triton.experimental.gluon`, and for all of `triton` where that is not installed.

So that scripts written for Triton's Gluon run as they are: `python -m gluonc script.py`. With
GLUONC_TRITON=own an installed Triton is hidden, too: tests of other releases find our names.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

from gluonc import _installed
from gluonc._unknown import answer_for

_GLUON = "triton.experimental.gluon"
# The longest prefix decides: triton.X is the module that its entry names, followed by the rest.
_MODULES = {
    "triton": "gluonc._triton",
    "triton.experimental.gluon": "gluonc",
    "triton.experimental.gluon._runtime": "gluonc._triton.gluon_runtime",
    "triton.experimental.gluon.amd": "gluonc._triton.gluon_amd",
    "triton.experimental.gluon.language._core": "gluonc._triton._language.core",
    "triton.experimental.gluon.language.target_info": "gluonc._triton._language.target_info",
    "triton.experimental.gluon.language._standard": "gluonc.language",
    "triton.experimental.gluon.language._math": "gluonc.language",
    "triton.experimental.gluon.language.amd._layouts": "gluonc.language.amd",
    "triton.compiler.compiler": "gluonc._triton.compiler",
    "triton.language": "gluonc._triton._language",
    "triton.language.math": "gluonc.language.math",
    "triton.language.extra": "gluonc.language.extra",
    "triton.language.extra.cuda": "gluonc.language.extra",
    "triton.language.extra.hip": "gluonc.language.extra",
    "triton.experimental.gluon.language.core": "gluonc._triton._language.core",
    "triton.profiler.language": "gluonc.language.profiler",
}


def _module_of(name):
    """gluonc's name of a module of Triton."""
    prefix, rest = name, ""
    while prefix not in _MODULES:
        prefix, _, last = prefix.rpartition(".")
        rest = f".{last}{rest}"
    return _MODULES[prefix] + rest


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of Triton are modules of gluonc themselves: `package` and what is in it."""

    def __init__(self, package):
        self._package = package

    def find_spec(self, name, path=None, target=None):
        if name != self._package and not name.startswith(self._package + "."):
            return None
        try:
            if importlib.util.find_spec(_module_of(name)) is None:
                return None
        except ModuleNotFoundError:
            return None
        except ValueError:
            # Modules that are made, not found, have no spec.
            if _module_of(name) not in sys.modules:
                return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = importlib.import_module(_module_of(spec.name))
        # The import system is about to overwrite it; exec_module puts it back.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state
        answer_for(module, spec.name if spec else module.__name__)


def _tell_children():
    """Processes that this one starts answer in the same way: those that get its environment, and those
    that get its sys.path as PYTHONPATH, as the compile workers of PyTorch's Inductor do."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_children")
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if folder not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *paths])
    if folder not in sys.path:
        # Behind the folder of the script, before the folders of Python, which may have a sitecustomize.
        sys.path.insert(1, folder)


def _is_installed():
    """Whether there is a Triton that has a place for Gluon."""
    try:
        spec = importlib.util.find_spec("triton")
    except ValueError:
        # One that was made, not found.
        return False
    return spec is not None and any(
        os.path.isfile(os.path.join(folder, "experimental", "__init__.py"))
        for folder in spec.submodule_search_locations or ())


def _forget(package):
    """Makes Python import a package anew."""
    for name in [n for n in sys.modules if n == package or n.startswith(package + ".")]:
        del sys.modules[name]
    parent, _, last = package.rpartition(".")
    if parent in sys.modules:
        vars(sys.modules[parent]).pop(last, None)


def install(wanted="own"):
    """Takes the names over: those of Gluon where `wanted` is "installed" and a Triton is there to have
    the others, else all."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if wanted not in ("own", "installed"):
        raise ValueError(f"GLUONC_TRITON is `own` or `installed`, not {wanted!r}")
    package = _GLUON if wanted == "installed" and _is_installed() else "triton"
    _forget(package)
    sys.meta_path.insert(0, _Finder(package))
    if package == _GLUON:
        _installed.share_classes()
    os.environ["GLUONC_TRITON"] = wanted
    _tell_children()
    # These are reached as attributes of each other, too.
    for name, module in list(sys.modules.items()):
        if name.startswith("gluonc.language") and "._" not in name:
            answer_for(module, f"{_GLUON}{name[len('gluonc'):]}")


def keeps_installed():
    """Whether everything of an installed Triton but Gluon is in place."""
    return any(isinstance(finder, _Finder) and finder._package == _GLUON
               for finder in sys.meta_path)
