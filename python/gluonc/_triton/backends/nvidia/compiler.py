"""triton.backends.nvidia.compiler."""

from gluonc._triton.backends.compiler import CUDABackend
