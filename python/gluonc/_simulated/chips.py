"""What a simulated device tells of itself: the data sheets of one product per architecture."""

from dataclasses import dataclass

from gluonc import _native
from gluonc.errors import UsageError

_GIB = 1 << 30


@dataclass(frozen=True)
class Chip:
    """One product. `capability` is what torch.cuda.get_device_capability answers."""

    target: str
    name: str
    capability: tuple
    processors: int
    memory: int
    # Bytes of shared memory of a multiprocessor.
    shared: int
    l2: int

    @property
    def facts(self):
        """What the compiler knows of the architecture."""
        return _native.target_info(self.target)

    @property
    def is_hip(self):
        return self.target.startswith("hip:")

    @property
    def arch(self):
        return self.target.partition(":")[2]


def _kib(n):
    return n << 10


_CHIPS = {chip.target: chip for chip in (
    Chip("cuda:80", "NVIDIA A100-SXM4-80GB", (8, 0), 108, 80 * _GIB, _kib(164),
         _kib(40 << 10)),
    Chip("cuda:86", "NVIDIA A40", (8, 6), 84, 48 * _GIB, _kib(100), _kib(6 << 10)),
    Chip("cuda:89", "NVIDIA L40S", (8, 9), 142, 48 * _GIB, _kib(100), _kib(96 << 10)),
    Chip("cuda:90a", "NVIDIA H100 80GB HBM3", (9, 0), 132, 80 * _GIB, _kib(228),
         _kib(50 << 10)),
    Chip("cuda:100a", "NVIDIA B200", (10, 0), 148, 180 * _GIB, _kib(228),
         _kib(126 << 10)),
    Chip("cuda:103a", "NVIDIA B300", (10, 3), 148, 270 * _GIB, _kib(228),
         _kib(126 << 10)),
    Chip("cuda:110a", "NVIDIA Thor", (11, 0), 20, 128 * _GIB, _kib(228), _kib(32 << 10)),
    Chip("cuda:120a", "NVIDIA GeForce RTX 5090", (12, 0), 170, 32 * _GIB, _kib(100),
         _kib(96 << 10)),
    Chip("cuda:121a", "NVIDIA GB10", (12, 1), 48, 128 * _GIB, _kib(100), _kib(24 << 10)),
    Chip("hip:gfx942", "AMD Instinct MI300X", (9, 4), 304, 192 * _GIB, _kib(64),
         _kib(4 << 10)),
    Chip("hip:gfx950", "AMD Instinct MI355X", (9, 5), 256, 288 * _GIB, _kib(160),
         _kib(4 << 10)),
    Chip("hip:gfx1100", "AMD Radeon RX 7900 XTX", (11, 0), 96, 24 * _GIB, _kib(64),
         _kib(6 << 10)),
    Chip("hip:gfx1200", "AMD Radeon RX 9060 XT", (12, 0), 32, 16 * _GIB, _kib(64),
         _kib(4 << 10)),
    Chip("hip:gfx1250", "AMD gfx1250", (12, 5), 256, 288 * _GIB, _kib(320),
         _kib(4 << 10)),
)}


def find(target):
    """The chip of a target; the suffix of NVIDIA's architectures may be left out."""
    chip = _CHIPS.get(target) or _CHIPS.get(target + "a")
    if chip is None:
        raise UsageError(f"no chip `{target}` to simulate; there are {', '.join(_CHIPS)}")
    return chip
