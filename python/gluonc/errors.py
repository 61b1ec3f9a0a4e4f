"""Exceptions of the package. Their text is what gluonc prints: file, line, caret, hint."""

import json


class GluonError(Exception):
    """Base class. `diagnostics` holds one dict per report, as `--diagnostics=json` prints it."""

    def __init__(self, message, diagnostics=()):
        super().__init__(message)
        self.diagnostics = list(diagnostics)

    @property
    def error_message(self):
        """The first report's words, without its place."""
        return self.diagnostics[0]["message"] if self.diagnostics else str(self)


class CompilationError(GluonError):
    """The kernel, its arguments or the target have errors."""


class CompileTimeAssertionFailure(CompilationError):
    """A `gl.static_assert` of the kernel does not hold."""


class InvalidIrError(CompilationError, RuntimeError):
    """The kernel's IR breaks a rule of an operation. Scripts for Triton, whose passes fail then,
    catch a RuntimeError."""


class NoMachineCodeError(CompilationError, RuntimeError):
    """Something of the kernel has no machine code for the target. Scripts for Triton, whose passes
    fail then, catch a RuntimeError."""


class UsageError(GluonError, ValueError):
    """The API was called with something that it does not take."""


class KernelFault(GluonError, RuntimeError):
    """The kernel ran and did something wrong; only the simulator notices."""


class Unavailable(GluonError, RuntimeError):
    """A device, driver or tool is not there."""


class Cancelled(GluonError, RuntimeError):
    """A simulated launch or a compilation was told to end before it was done."""


class InternalError(GluonError, RuntimeError):
    """A bug of gluonc. `reproducer` is the text of a file that shows it, with the command in its
    first lines; please report it."""

    reproducer = ""


class OutOfResources(GluonError):
    """The kernel needs more of something than the target has."""

    def __init__(self, required, limit, name):
        super().__init__(f"out of {name}: {required} needed, {limit} there")
        self.required, self.limit, self.name = required, limit, name


class AutotunerError(GluonError, ValueError):
    """No configuration of a kernel is left to choose."""


class OutOfSharedMemory(CompilationError, OutOfResources):
    """The kernel needs more shared memory than the target has; `diagnostics` say for what."""

    def __init__(self, message, diagnostics=()):
        CompilationError.__init__(self, message, diagnostics)
        self.required = self.limit = None
        self.name = "shared memory"


class NotSupportedYet(GluonError, NotImplementedError):
    """Something of Triton that gluonc does not have. `name` says what."""

    def __init__(self, message, diagnostics=(), name=None):
        super().__init__(message, diagnostics)
        self.name = name


# By gluonc_status.
_CLASSES = {1: CompilationError, 2: UsageError, 3: KernelFault, 4: Unavailable, 5: Cancelled,
            70: InternalError}
# By the kind of the first error, for what scripts catch by its class.
_KINDS = {"StaticAssertFailed": CompileTimeAssertionFailure, "InvalidIr": InvalidIrError,
          "SourceInOtherCta": InvalidIrError, "UnsupportedInCodegen": NoMachineCodeError,
          "SharedMemoryExceeded": OutOfSharedMemory}


def make(status, text, lines, reproducer=""):
    """The exception for a failed call of the library."""
    diagnostics = [json.loads(line) for line in lines.split("\n") if line]
    kind = next((d.get("kind") for d in diagnostics if d.get("severity", "error") == "error"), None)
    cls = _KINDS.get(kind, _CLASSES[status])
    error = cls(text.rstrip(), diagnostics)
    if reproducer:
        error.reproducer = reproducer
    return error
