"""The same as on Hopper."""

from gluonc.nvidia.hopper import TensorDescriptor

__all__ = ["TensorDescriptor"]
