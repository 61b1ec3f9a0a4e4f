"""triton.runtime.errors."""

from gluonc._triton.errors import TritonError
from gluonc.errors import AutotunerError, OutOfResources


class PTXASError(TritonError):
    """ptxas refused the code."""


class InterpreterError(TritonError):
    """Of Triton's interpreter; never raised here."""
