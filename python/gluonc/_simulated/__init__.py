"""A GPU that is not there: `python -m gluonc --simulate cuda:90a script.py`.

PyTorch's answers about `cuda` are replaced, and tensors on "cuda" are CPU tensors of a class that
says so, whose memory the simulator works on. Everything that the script does with them runs on the
CPU at once; streams and events are in order by nature.
"""

import os
import sys

_active = None


def activate(target):
    """Makes this process believe that `target` ("cuda:90a", "hip:gfx942") is its one GPU."""
    global _active
    if _active is not None:
        if _active != target:
            raise RuntimeError(f"this process simulates {_active} already")
        return
    from gluonc._simulated import chips
    from gluonc import _aliases, _installed
    chip = chips.find(target)
    os.environ["GLUONC_SIMULATE"] = target
    _active = target
    _disable_compilation()
    if _aliases.keeps_installed():
        _installed.simulate()
    if chip.is_hip:
        from gluonc._simulated import hip
        hip.install()
    try:
        import torch  # noqa: F401
    except ImportError:
        # Scripts on NumPy arrays need nothing of what follows.
        return
    from gluonc._simulated import cuda, tensors
    cuda.install(chip)
    tensors.install()


def _disable_compilation():
    """What torch.compile decorates runs as it is: there is no code to generate for this GPU, and
    Dynamo cannot look into the class of its tensors. TORCHDYNAMO_DISABLE=0 overrides that."""
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
    config = sys.modules.get("torch._dynamo.config")
    if config is not None:
        config.disable = os.environ["TORCHDYNAMO_DISABLE"] == "1"


def is_active():
    return _active is not None


def from_environment():
    """Activates what GLUONC_SIMULATE names, if anything."""
    if os.environ.get("GLUONC_SIMULATE"):
        activate(os.environ["GLUONC_SIMULATE"])


class few_programs:
    """While it is entered, launches run the first programs of their grids only. `scale` is by how
    much the largest of them was cut, for times; results are incomplete."""

    active = None

    def __init__(self, programs=16):
        self.programs = programs

    def __enter__(self):
        self.scale = 1.0
        self._outer, few_programs.active = few_programs.active, self
        return self

    def __exit__(self, *_):
        few_programs.active = self._outer

    def cut(self, grid):
        """The grid that runs instead of `grid`."""
        kept, left = [], self.programs
        for extent in grid if isinstance(grid, (tuple, list)) else (grid,):
            kept.append(min(extent, left))
            left = max(1, left // max(1, kept[-1]))
        count, whole = 1, 1
        for part, extent in zip(kept, grid if isinstance(grid, (tuple, list)) else (grid,)):
            count, whole = count * part, whole * extent
        if count:
            self.scale = max(self.scale, whole / count)
        return tuple(kept)


class whole_grids:
    """While it is entered, nothing is cut."""

    active = 0

    def __enter__(self):
        whole_grids.active += 1

    def __exit__(self, *_):
        whole_grids.active -= 1


class _Shortened(few_programs):
    """What scripts get for launches on very large tensors, which only benchmarks have."""

    def cut(self, grid):
        cut = super().cut(grid)
        if self.scale > 1 and not self._told:
            self._told = True
            print(f"gluonc: launches on tensors of {LARGE >> 20} MiB and more run their first "
                  f"{self.programs} programs only, so their results are incomplete; "
                  "`--programs all` runs them whole", file=sys.stderr)
        return cut

    _told = False


# Tensors of so many bytes are benchmarks'.
LARGE = 512 << 20
_shortened = None


def shorten_benchmarks(programs=1024):
    """From now on a launch on large tensors runs its first programs only, and says so once."""
    global _shortened
    _shortened = _Shortened(programs)
    _shortened.scale = 1.0


def launched_grid(grid, is_large):
    """What a launch on `grid` runs; `is_large()` tells whether its tensors are."""
    if whole_grids.active:
        return grid
    cut = few_programs.active or (_shortened if _shortened is not None and is_large() else None)
    if cut is None:
        return grid
    return (lambda meta: cut.cut(grid(meta))) if callable(grid) else cut.cut(grid)
