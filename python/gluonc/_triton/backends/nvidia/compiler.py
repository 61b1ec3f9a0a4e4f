"""triton.backends.nvidia.compiler."""

from gluonc._triton.backends.compiler import BaseBackend


class CUDABackend(BaseBackend):
    """NVIDIA's GPUs."""
