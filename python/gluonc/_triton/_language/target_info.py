"""triton.language.target_info: questions about the current target, for host code and kernels."""

from gluonc._host import constexpr_function
from gluonc._triton._internal_testing import get_current_target as current_target

# Kernels see what names are bound to, so these are looked up when a script imports this.
_target = current_target()
_backend = _target.backend if _target is not None else ""
_arch = _target.arch if _target is not None else ""


@constexpr_function
def is_cuda():
    return _backend == "cuda"


@constexpr_function
def cuda_capability_geq(major, minor=0):
    """Whether the target is a CUDA device of this compute capability or a later one."""
    return _backend == "cuda" and _arch >= major * 10 + minor


@constexpr_function
def is_hip():
    return _backend == "hip"


@constexpr_function
def is_hip_cdna3():
    return _arch == "gfx942"


@constexpr_function
def is_hip_cdna4():
    return _arch == "gfx950"


@constexpr_function
def is_hip_gfx1250():
    return _arch == "gfx1250"


@constexpr_function
def is_xpu():
    return False


@constexpr_function
def is_xpu_cri():
    return False
