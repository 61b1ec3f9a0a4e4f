"""Answers for `triton.experimental.gluon`, and for the rest of `triton` where it is missing.

So that scripts written for Triton's Gluon run as they are: `python -m gluonc script.py`.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

_GLUON = "triton.experimental.gluon"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """triton.experimental.gluon.X is the module gluonc.X itself."""

    def find_spec(self, name, path=None, target=None):
        if name == _GLUON or name.startswith(_GLUON + "."):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = importlib.import_module("gluonc" + spec.name[len(_GLUON):])
        # The import system is about to overwrite it; exec_module puts it back.
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


def _make_triton():
    """The few names of `triton` that Gluon scripts use, as modules."""
    import gluonc
    from gluonc import _autotune, _testing

    def module(name, **members):
        made = types.ModuleType(name)
        made.__path__ = []
        made.__dict__.update(members)
        sys.modules[name] = made
        return made

    testing = module("triton.testing", do_bench=_testing.do_bench)
    module("triton", __version__="0", cdiv=gluonc.cdiv, next_power_of_2=gluonc.next_power_of_2,
           jit=gluonc.jit, constexpr_function=gluonc.constexpr_function,
           autotune=_autotune.autotune, Config=_autotune.Config, testing=testing,
           language=gluonc.language, experimental=module("triton.experimental", gluon=gluonc))
    sys.modules["triton.language"] = gluonc.language


def install():
    """Takes the names over. Modules of the real Triton that were imported before stay."""
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    if importlib.util.find_spec("triton") is None:
        _make_triton()
    for name in [n for n in sys.modules if n == _GLUON or n.startswith(_GLUON + ".")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder())
