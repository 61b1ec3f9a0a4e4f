"""triton.experimental.gluon.amd.gfx1250."""

from gluonc._triton.gluon_amd import TensorDescriptor
