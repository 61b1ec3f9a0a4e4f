"""The same as on Hopper."""

from gluonc.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

__all__ = ["TensorDescriptor", "TensorDescriptorIm2Col"]
