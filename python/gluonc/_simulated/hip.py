"""`import hip`, AMD's Python binding of the HIP runtime, beside a simulated device of AMD.

Scripts call it to have the runtime up before PyTorch is; there is none here, so that calls succeed and
do nothing. As in that binding, each returns a tuple that begins with an error code.
"""

import enum
import importlib.machinery
import sys
import types


class hipError_t(enum.IntEnum):
    hipSuccess = 0


def _module(name, **names):
    module = types.ModuleType(name, "Stands in for HIP's Python binding: gluonc simulates the device.")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package="." not in name)
    vars(module).update(names)
    sys.modules[name] = module
    return module


def install():
    """From here on `import hip` finds this, an installed binding or not: that would look for a GPU."""
    def succeed(*values):
        return lambda *_: (hipError_t.hipSuccess, *values)

    calls = _module("hip.hip", hipError_t=hipError_t, hipInit=succeed(), hipGetDeviceCount=succeed(1),
                    hipGetDevice=succeed(0), hipSetDevice=succeed(), hipDeviceSynchronize=succeed())
    _module("hip", __path__=[], hip=calls)
