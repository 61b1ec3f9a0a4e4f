"""What the kernels of IR in this folder take; their bodies are not run."""

from triton.experimental import gluon


@gluon.jit
def kernel(x, y, z):
    pass
