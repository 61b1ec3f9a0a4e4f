"""triton.experimental.gluon.amd.cdna5."""

from gluonc._triton.gluon_amd import TensorDescriptor
