"""triton.runtime.driver: the device that kernels run on. `driver` is this module."""

import sys

from gluonc import _settings
from gluonc._triton.backends.driver import CPUDriver, GPUDriver

# Without the variable that Triton's fork for CPUs reads, scripts without a GPU are told to simulate one.
active = default = CPUDriver() if _settings.from_environment("cpu", "backend") else GPUDriver()


def set_active(chosen):
    global active
    active = chosen


def reset_active():
    set_active(default)


driver = sys.modules[__name__]
