"""Host objects for NVIDIA GPUs."""

from gluonc.nvidia import blackwell, hopper

__all__ = ["blackwell", "hopper"]
