"""What `import triton` gives to a script that gluonc runs.

Each module here stands where Triton has one of that name. The rest of Triton answers with Unknown.
"""

from gluonc._async import AsyncCompileMode, FutureKernel
from gluonc._autotune import Autotuner, Config, autotune, heuristics
from gluonc._compile import compile
from gluonc._host import aggregate, cdiv, constexpr_function, must_use_result, next_power_of_2
from gluonc._jit import JITFunction, KernelInterface
from gluonc._jit import triton_jit as jit
from gluonc._triton import errors
from gluonc._triton.errors import TritonError
from gluonc._triton.runtime.errors import InterpreterError, OutOfResources
from gluonc._triton.runtime.jit import MockTensor, TensorWrapper, reinterpret
from gluonc.errors import CompilationError

# The release whose names these are.
__version__ = "3.6.0"


def set_allocator(allocator):
    """Takes what allocates global scratch memory for kernels; gluonc's launches take theirs by themselves."""


def set_profile_allocator(allocator):
    """The same for profiles."""
