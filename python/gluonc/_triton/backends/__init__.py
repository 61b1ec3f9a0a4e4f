"""triton.backends."""

from gluonc._triton.backends import compiler

# Triton's backends by name; gluonc has no plug-ins.
backends = {}
