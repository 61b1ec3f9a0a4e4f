"""triton.tools.tensor_descriptor."""

from gluonc.nvidia.hopper import TensorDescriptor
