"""triton.compiler."""

from gluonc._compile import ASTSource, IRSource, compile
from gluonc._compiled import CompiledKernel
from gluonc._triton.backends.compiler import make_backend
from gluonc._triton.compiler import errors
from gluonc._triton.runtime.cache import triton_key
from gluonc.errors import CompilationError


def max_shared_mem(device):
    """Most shared memory of a CTA, in bytes."""
    from gluonc._triton.runtime import driver
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]
