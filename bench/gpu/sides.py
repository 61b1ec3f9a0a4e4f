"""Two copies of Triton's tutorials in one process: built by Triton, and by gluonc.

`load` imports each file twice. What `import triton` answers is swapped between the
copies, so that both sides run in one CUDA context, on the same tensors, in turns.
"""

import contextlib
import importlib
import importlib.util
import pathlib
import sys

NAMES = ("triton", "gluonc")


def _is_tritons(name):
    return name == "triton" or name.startswith("triton.")


class Side:
    """What one of the compilers needs to be asked: its modules, and the tutorials over them."""

    def __init__(self, name, own):
        self.name, self.own, self.modules, self.finders, self.tutorials = name, own, {}, [], {}

    def _take(self):
        """What is imported under names that both sides have."""
        return {n: sys.modules.pop(n) for n in list(sys.modules) if _is_tritons(n) or n in self.own}

    @contextlib.contextmanager
    def entered(self):
        """While it is entered, `import triton` and what is imported already belong to this side."""
        outside = self._take()
        sys.modules.update(self.modules)
        sys.meta_path[:0] = self.finders
        try:
            yield self
        finally:
            self.modules = self._take()
            for finder in self.finders:
                sys.meta_path.remove(finder)
            sys.modules.update(outside)

    def load(self, folder, names):
        """Imports the files, which import each other by their names."""
        sys.path.insert(0, str(folder))
        try:
            with self.entered():
                self.tutorials = {name: importlib.import_module(name) for name in names}
        finally:
            sys.path.remove(str(folder))


def load_own(folder, names):
    """gluonc's Side alone, with the tutorials of a folder."""
    side = Side("gluonc", {path.stem for path in pathlib.Path(folder).glob("*.py")})
    from gluonc import _aliases
    before = list(sys.meta_path)
    _aliases.install()
    side.finders = [finder for finder in sys.meta_path if finder not in before]
    for finder in side.finders:
        sys.meta_path.remove(finder)
    side.load(folder, names)
    return side


def load(folder, names):
    """{side: Side} with the tutorials of a folder. gluonc and Triton must be installed."""
    own = {path.stem for path in pathlib.Path(folder).glob("*.py")}
    theirs = Side("triton", own)
    # Its extension module can be made only once in a process.
    theirs.modules = {n: sys.modules[n] for n in sys.modules if _is_tritons(n)}
    theirs.load(folder, names)
    return {"triton": theirs, "gluonc": load_own(folder, names)}
