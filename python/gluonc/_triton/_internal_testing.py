"""triton._internal_testing: questions about the current target, and test data."""

import os
import re

import numpy as np

from gluonc import _engine
from gluonc._triton.backends.compiler import GPUTarget
from gluonc._triton.runtime.jit import TensorWrapper, reinterpret, type_canonicalisation_dict
from gluonc.language import dtype as _dtype

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["u" + name for name in int_dtypes]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted({*dtypes_with_bfloat16} - {"int64", "uint64", "float64"})


def get_current_target():
    name = _engine.current_target()
    return None if name is None else GPUTarget.parse(name)


def _capability():
    """90 for cuda:90a; 0 where the target is no CUDA device."""
    target = get_current_target()
    return target.arch if target is not None and target.backend == "cuda" else 0


def _gfx():
    target = get_current_target()
    return target.arch if target is not None and target.backend == "hip" else ""


def is_cuda():
    return _capability() != 0


def is_ampere_or_newer():
    return _capability() >= 80


def is_hopper_or_newer():
    return _capability() >= 90


def is_hopper():
    return _capability() // 10 == 9


def is_blackwell():
    return _capability() // 10 in (10, 11)


def is_blackwell_ultra():
    return _capability() == 103


def is_rubin():
    return _capability() == 107


def is_sm12x():
    return _capability() // 10 == 12


def is_hip():
    return _gfx() != ""


def is_hip_cdna2():
    return _gfx() == "gfx90a"


def is_hip_cdna3():
    return _gfx() == "gfx942"


def is_hip_cdna4():
    return _gfx() == "gfx950"


def is_hip_cdna():
    return _gfx() in ("gfx90a", "gfx942", "gfx950")


def is_hip_cdna3_or_newer():
    return is_hip_cdna3() or is_hip_cdna4()


def is_hip_rdna3():
    return _gfx().startswith(("gfx110", "gfx115"))


def is_hip_rdna4():
    return _gfx().startswith("gfx120")


def is_hip_rdna4m():
    return _gfx().startswith("gfx117")


def is_hip_rdna():
    return is_hip_rdna3() or is_hip_rdna4() or is_hip_rdna4m()


def is_hip_gfx1250():
    return _gfx().startswith("gfx1250")


def get_hip_lds_size():
    return 160 << 10 if is_hip_cdna4() else 64 << 10


def is_interpreter():
    return False


def is_compile_warmup():
    return False


def is_xpu():
    return False


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def supports_tma(byval_only=False):
    return is_hopper_or_newer()


def supports_ws():
    return is_hopper_or_newer()


def supports_clc():
    return _capability() >= 100


def tma_skip_msg(byval_only=False):
    return "TMA needs Hopper or newer"


def random_int(low, high, *, warmup_value=None, **kwargs):
    import torch
    return int(torch.randint(low, high, size=(), **kwargs).item())


def random_float(*, warmup_value=0.5, **kwargs):
    import torch
    return float(torch.rand((), **kwargs).item())


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random data of a dtype given by name. Integers are never zero, so that they may divide."""
    random = np.random.RandomState(seed=17) if rs is None else rs
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        values = random.randint(low, high, shape, dtype=dtype_str)
        return np.where(values == 0, values.dtype.type(1), values).reshape(shape)
    if "float8" in dtype_str:
        return random.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return random.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        # As float32 with the mantissa cut.
        bits = random.normal(0, 1, shape).astype(np.float32).view(np.uint32)
        return (bits & np.uint32(0xffff0000)).view(np.float32)
    if dtype_str in ("bool", "int1", "bool_"):
        return random.normal(0, 1, shape) > 0
    raise RuntimeError(f"no random data of dtype {dtype_str}")


def to_triton(x, device, dst_type=None):
    """A NumPy array as a tensor, read as `dst_type` where NumPy has no such dtype."""
    import torch
    name = x.dtype.name
    if name in uint_dtypes:
        return reinterpret(torch.tensor(x.astype(name[1:]), device=device), _named(name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, _named(dst_type))
    return tensor.bfloat16() if (name, dst_type) == ("float32", "bfloat16") else tensor


def _named(name):
    from gluonc import language
    return getattr(language, name)


def str_to_triton_dtype(name):
    canonical = "u1" if name == "bool" else type_canonicalisation_dict[name]
    return next(d for d in _dtype._all.values() if d.signature == canonical)


def torch_dtype_name(dtype):
    if isinstance(dtype, _dtype):
        return dtype.name
    match = re.fullmatch(r"torch\.(\w+)", str(dtype))
    if match is None:
        raise TypeError(f"{type(dtype)} is no dtype")
    return match.group(1)


def to_numpy(x):
    import torch
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    if not isinstance(x, torch.Tensor):
        raise ValueError(f"{x} is no tensor")
    return (x.float() if x.dtype == torch.bfloat16 else x).cpu().numpy()


def unwrap_tensor(tensor):
    return tensor.base if isinstance(tensor, TensorWrapper) else tensor


def default_alloc_fn(size, align, _):
    import torch
    return torch.empty(size, dtype=torch.int8, device="cuda")


class ProcessResult:
    """What run_in_process gives: the exception or None, and what the driver printed."""

    def __init__(self, exc, driver_stderr_output):
        self.exc, self.driver_stderr_output = exc, driver_stderr_output


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    """Calls a function whose kernel may fail. Faults of the simulator leave this process intact,
    so no other one is needed."""
    saved = dict(os.environ)
    os.environ.update(env or {})
    try:
        client_fn(*args, **(kwargs or {}))
    except Exception as error:
        return ProcessResult(error, str(error))
    finally:
        os.environ.clear()
        os.environ.update(saved)
    return ProcessResult(None, "")


def _fresh_knobs_impl(skipped_attr=None):
    """(start, stop): settings as at import between the two calls."""
    from gluonc._triton import knobs
    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.Knobs) and name not in (skipped_attr or ())}

    hooks = knobs.runtime.scope()

    def start():
        hooks.__enter__()
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        return knobs

    def stop():
        for name, group in groups.items():
            setattr(knobs, name, group)
        hooks.__exit__(None, None, None)
    return start, stop


def __getattr__(name):
    # The remaining questions are about Intel's chips, and about another compiler behind Triton.
    if name.startswith("is_xpu") or name == "is_tileir":
        return is_xpu
    if name == "requires_tma":
        import pytest
        return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())
    raise AttributeError(name)
