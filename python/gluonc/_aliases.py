"""Answers for `triton` and `triton.experimental.gluon`, installed or not.

So that scripts written for Triton's Gluon run as they are: `python -m gluonc script.py`.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

from gluonc._unknown import answer_for

_GLUON = "triton.experimental.gluon"
# The longest prefix decides: triton.X is the module that its entry names, followed by the rest.
_MODULES = {
    "triton": "gluonc._triton",
    "triton.experimental.gluon": "gluonc",
    "triton.experimental.gluon._runtime": "gluonc._triton.gluon_runtime",
    "triton.experimental.gluon.language._core": "gluonc._triton._language.core",
    "triton.experimental.gluon.language.target_info": "gluonc._triton._language.target_info",
    "triton.experimental.gluon.language._standard": "gluonc.language",
    "triton.experimental.gluon.language._math": "gluonc.language",
    "triton.experimental.gluon.language.amd._layouts": "gluonc.language.amd",
    "triton.compiler.compiler": "gluonc._triton.compiler",
    "triton.language": "gluonc.language",
    "triton.language.random": "gluonc._triton._language.random",
    "triton.language.target_info": "gluonc._triton._language.target_info",
    "triton.language.core": "gluonc._triton._language.core",
    "triton.language.extra.cuda": "gluonc.language.extra",
    "triton.experimental.gluon.language.core": "gluonc._triton._language.core",
    "triton.language.standard": "gluonc.language",
}


def _module_of(name):
    """gluonc's name of a module of Triton."""
    prefix, rest = name, ""
    while prefix not in _MODULES:
        prefix, _, last = prefix.rpartition(".")
        rest = f".{last}{rest}"
    return _MODULES[prefix] + rest


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of Triton are modules of gluonc themselves."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
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
    """Processes that this one starts with its environment answer in the same way."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_children")
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if folder not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *paths])


def install():
    """Takes the names over, from modules of the real Triton as well."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    for name in [n for n in sys.modules if n == "triton" or n.startswith("triton.")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder())
    _tell_children()
    # These are reached as attributes of each other, too.
    for name, module in list(sys.modules.items()):
        if name.startswith("gluonc.language") and "._" not in name:
            answer_for(module, f"{_GLUON}{name[len('gluonc'):]}")
