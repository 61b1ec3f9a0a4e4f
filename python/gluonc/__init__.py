"""gluonc compiles and runs Gluon kernels: `import gluonc as gluon`.

CPU tensors (NumPy, PyTorch, DLPack) run on the simulator, CUDA tensors on the GPU.
"""

import importlib

from gluonc import errors, hooks
from gluonc._host import (ConstexprFunction, aggregate, cdiv, constexpr_function,
                          must_use_result, next_power_of_2)
from gluonc._compile import ASTSource, compile
from gluonc._compiled import CompiledKernel
from gluonc._jit import GluonJITFunction, JITFunction, jit
from gluonc._many import compile_many, seal
from gluonc._native import __version__
from gluonc._torch import torch_op
from gluonc.errors import (Cancelled, CompilationError, GluonError, InternalError, KernelFault,
                           Unavailable, UsageError)
from gluonc.language._constexpr import constexpr
from gluonc import language

GluonASTSource = ASTSource

__all__ = [
    "ASTSource", "Cancelled", "CompilationError", "CompiledKernel", "ConstexprFunction",
    "GluonASTSource", "GluonError", "GluonJITFunction", "InternalError", "JITFunction", "KernelFault", "Unavailable",
    "UsageError", "aggregate", "cdiv", "compile", "compile_many", "constexpr",
    "constexpr_function", "errors", "hooks", "jit", "language", "must_use_result",
    "next_power_of_2", "nvidia", "seal", "torch_op",
]


# What most programs never use, by the module that has it: imported when it is asked for.
_LATE = {"Autotuner": "_autotune", "Config": "_autotune", "Heuristics": "_autotune",
         "autotune": "_autotune", "heuristics": "_autotune", "Benchmark": "_report",
         "perf_report": "_report", "do_bench": "_testing", "trace": "_predictions",
         "do_bench_cudagraph": "_testing"}
__all__ += _LATE


def __getattr__(name):
    # Descriptors of tensors.
    if name == "nvidia":
        import gluonc.nvidia as found
        return found
    if name in _LATE:
        found = getattr(importlib.import_module(f"gluonc.{_LATE[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module 'gluonc' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
