"""triton.compiler.errors."""

from gluonc.errors import CompilationError, CompileTimeAssertionFailure


class UnsupportedLanguageConstruct(CompilationError):
    """A construct that kernels do not have."""
