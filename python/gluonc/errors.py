"""Exceptions of the package. Their text is what gluonc prints: file, line, caret, hint."""

import json


class GluonError(Exception):
    """Base class. `diagnostics` holds one dict per report, as `--diagnostics=json` prints it."""

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class CompilationError(GluonError):
    """The kernel, its arguments or the target have errors."""


class UsageError(GluonError, ValueError):
    """The API was called with something that it does not take."""


class KernelFault(GluonError, RuntimeError):
    """The kernel ran and did something wrong; only the simulator notices."""


class Unavailable(GluonError, RuntimeError):
    """A device, driver or tool is not there."""


# By gluonc_status.
_CLASSES = {1: CompilationError, 2: UsageError, 3: KernelFault, 4: Unavailable}


def make(status, text, lines):
    """The exception for a failed call of the library."""
    diagnostics = [json.loads(line) for line in lines.splitlines() if line]
    return _CLASSES[status]("\n" + text.rstrip() if "\n" in text else text, diagnostics)
