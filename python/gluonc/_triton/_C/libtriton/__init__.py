"""triton._C.libtriton."""

from gluonc._triton._C.libtriton import gluon_ir, ir, nvidia
