"""triton.experimental.gluon._runtime."""

from gluonc._compile import ASTSource as GluonASTSource
from gluonc._jit import GluonJITFunction, jit
