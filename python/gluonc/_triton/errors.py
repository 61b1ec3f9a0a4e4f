"""triton.errors."""

from gluonc.errors import GluonError as TritonError
