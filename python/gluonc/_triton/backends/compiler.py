"""triton.backends.compiler."""

from dataclasses import dataclass
from typing import Union


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
        if backend == "cuda":
            return cls(backend, int(arch.rstrip("af")), 32)
        return cls(backend, arch, 64 if arch.startswith("gfx9") else 32)

    def __str__(self):
        return f"{self.backend}:{self.arch}"
