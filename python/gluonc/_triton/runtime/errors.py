"""triton.runtime.errors."""

from gluonc._triton.errors import TritonError
from gluonc.errors import OutOfResources


class PTXASError(TritonError):
    """ptxas refused the code."""


class AutotunerError(TritonError):
    """No configuration works."""
