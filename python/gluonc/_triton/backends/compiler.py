"""triton.backends.compiler."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Union

from gluonc import _native
from gluonc._options import default_options


@dataclass(frozen=True)
class GPUTarget:
    """A chip: ("cuda", 90, 32), ("hip", "gfx942", 64)."""

    backend: str
    arch: Union[int, str]
    warp_size: int

    @classmethod
    def parse(cls, name):
        """From gluonc's spelling, "cuda:90a"."""
        backend, _, arch = name.partition(":")
        lanes = _native.target_info(name)["warp_size"]
        return cls(backend, int(arch.rstrip("af")) if backend == "cuda" else arch, lanes)

    def __str__(self):
        return f"{self.backend}:{self.arch}"


class BaseBackend:
    """What is told of the compiler for a target."""

    def __init__(self, target):
        self.target = target

    def hash(self):
        """Differs where kernels may have other code."""
        return f"{_native.build_id}-{self.target}"

    def parse_options(self, options):
        """The options of a launch, with defaults for those that `options` leaves out."""
        return SimpleNamespace(**default_options() | options)

    # What a launch tells of values: "D" where 16 divides them, else nothing.
    @staticmethod
    def get_int_specialization(value, align=True):
        return "D" if align and value % 16 == 0 else ""

    @staticmethod
    def get_tensor_specialization(tensor, align=True):
        return "D" if align and tensor.data_ptr() % 16 == 0 else ""

    @staticmethod
    def get_tensordesc_specialization(descriptor, align=True):
        return ""


class CUDABackend(BaseBackend):
    """NVIDIA's GPUs."""


class HIPBackend(BaseBackend):
    """AMD's GPUs."""


class CPUBackend(BaseBackend):
    """The simulator."""


_BACKENDS = {"cuda": CUDABackend, "hip": HIPBackend, "cpu": CPUBackend}


def make_backend(target):
    """The compiler for a GPUTarget."""
    if target.backend not in _BACKENDS:
        raise RuntimeError(f"no backend compiles for {target.backend}")
    return _BACKENDS[target.backend](target)
