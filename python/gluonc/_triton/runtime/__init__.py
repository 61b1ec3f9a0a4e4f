"""triton.runtime."""

from gluonc._autotune import Autotuner, Config, autotune, heuristics
from gluonc._jit import JITFunction, KernelInterface
from gluonc._triton.runtime import driver, errors, jit
from gluonc._triton.runtime.errors import OutOfResources
from gluonc._triton.runtime.jit import MockTensor, TensorWrapper, reinterpret
