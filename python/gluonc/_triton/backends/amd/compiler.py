"""triton.backends.amd.compiler."""

from gluonc._triton.backends.compiler import BaseBackend


class HIPBackend(BaseBackend):
    """AMD's GPUs."""
