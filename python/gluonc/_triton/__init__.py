"""What `import triton` gives to a script that gluonc runs: the names that Gluon files use.

Each module here stands where Triton has one of that name. The rest of Triton answers with Unknown.
"""

from gluonc._autotune import Autotuner, Config, autotune, heuristics
from gluonc._compile import compile
from gluonc._host import aggregate, cdiv, constexpr_function, must_use_result, next_power_of_2
from gluonc._jit import JITFunction, KernelInterface, jit
from gluonc._triton import errors
from gluonc._triton.runtime.errors import OutOfResources
from gluonc._triton.runtime.jit import MockTensor, TensorWrapper, reinterpret

# The release whose names these are.
__version__ = "3.6.0"


class InterpreterError(Exception):
    """Of Triton's interpreter; never raised here."""


def set_allocator(allocator):
    """Takes what allocates global scratch memory for kernels; gluonc's launches take theirs by themselves."""


def set_profile_allocator(allocator):
    """The same for profiles."""
