"""triton.runtime."""

from gluonc._autotune import Autotuner, Config, Heuristics, autotune, heuristics
from gluonc._jit import JITFunction, KernelInterface
from gluonc._triton.runtime import driver, errors, jit
from gluonc._triton.runtime.cache import RedisRemoteCacheBackend, RemoteCacheBackend
from gluonc._triton.runtime.errors import InterpreterError, OutOfResources
from gluonc._triton.runtime.jit import MockTensor, TensorWrapper, reinterpret
