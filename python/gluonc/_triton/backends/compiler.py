"""triton.backends.compiler."""

from dataclasses import dataclass
from typing import Union

from gluonc import _native


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
    """What a launch tells its backend of values: "D" where 16 divides them, else nothing."""

    @staticmethod
    def get_int_specialization(value, align=True):
        return "D" if align and value % 16 == 0 else ""

    @staticmethod
    def get_tensor_specialization(tensor, align=True):
        return "D" if align and tensor.data_ptr() % 16 == 0 else ""

    @staticmethod
    def get_tensordesc_specialization(descriptor, align=True):
        return ""
