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
    chip = chips.find(target)
    os.environ["GLUONC_SIMULATE"] = target
    _active = target
    try:
        import torch  # noqa: F401
    except ImportError:
        # Scripts on NumPy arrays need nothing of what follows.
        return
    from gluonc._simulated import cuda, tensors
    cuda.install(chip)
    tensors.install()


def is_active():
    return _active is not None


def from_environment():
    """Activates what GLUONC_SIMULATE names, if anything."""
    if os.environ.get("GLUONC_SIMULATE"):
        activate(os.environ["GLUONC_SIMULATE"])


def tensor_class():
    """The class of tensors on the simulated device, or None where there is none."""
    module = sys.modules.get("gluonc._simulated.tensors")
    return module.CudaTensor if module else None
