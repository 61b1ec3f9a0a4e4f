"""triton.backends.amd.compiler."""

from gluonc._triton.backends.compiler import HIPBackend
