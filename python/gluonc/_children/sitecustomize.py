"""Makes a child process of one that gluonc answers in answer in the same way.

Python imports this at start where the folder is in PYTHONPATH: gluonc._aliases puts it there. Only
what the process then imports costs anything: triton brings the names of gluonc, torch brings the
simulated GPU, if there is one.
"""

import importlib.abc
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _run_hidden():
    """Runs the sitecustomize of the machine or of a virtual environment, which this one hides."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _HERE]
    own = sys.modules.pop(__name__)
    try:
        importlib.import_module(__name__)
    except ImportError as problem:
        if problem.name != __name__:
            raise
        sys.modules[__name__] = own
    finally:
        # For the children of this process.
        sys.path.insert(0, _HERE)


class _Waiting(importlib.abc.MetaPathFinder):
    """Takes part in the import of triton and torch, once each."""

    def find_spec(self, name, path=None, target=None):
        if name == "triton" or name.startswith("triton."):
            _answer()
            return importlib.util.find_spec(name)
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and os.environ.get("GLUONC_SIMULATE"):
            run = spec.loader.exec_module

            def run_and_simulate(module):
                run(module)
                _answer()
            spec.loader.exec_module = run_and_simulate
        return spec


def _answer():
    if _waiting in sys.meta_path:
        sys.meta_path.remove(_waiting)
    package = os.path.dirname(os.path.dirname(_HERE))
    if importlib.util.find_spec("gluonc") is None:
        sys.path.append(package)
    from gluonc import _aliases, _simulated
    _aliases.install(os.environ.get("GLUONC_TRITON", "own"))
    _simulated.from_environment()


_waiting = _Waiting()
_run_hidden()
sys.meta_path.insert(0, _waiting)
