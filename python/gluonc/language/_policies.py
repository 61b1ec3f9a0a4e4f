"""How accesses treat the caches, as compile-time values. The compiler validates them."""

import enum
from dataclasses import dataclass
from typing import Any

from gluonc._engine import check_expression
from gluonc.language._constexpr import unwrap
from gluonc.language._source import source


class _Policy:
    _path = ""

    def __post_init__(self):
        for name, value in vars(self).items():
            object.__setattr__(self, name, unwrap(value))
        check_expression(self.__gluonc_source__())
        modifier = getattr(self, "cache_modifier", None)
        if modifier is not None:
            object.__setattr__(self, "cache_modifier", modifier.removeprefix("."))

    def __gluonc_source__(self):
        return f"gl.{self._path}({', '.join(map(source, vars(self).values()))})"


@dataclass(frozen=True)
class FractionalEvictionPolicy(_Policy):
    """What L2 keeps longest: a priority for a share of the lines, another one for the rest."""
    primary: str
    fraction: float
    secondary: str = "evict_unchanged"
    _path = "nvidia.ampere.FractionalEvictionPolicy"


@dataclass(frozen=True)
class NvidiaCachePolicy(_Policy):
    """How an access treats NVIDIA's caches."""
    cache_modifier: Any = None
    l1: Any = None
    l2: Any = None
    l2_prefetch_size: Any = None
    _path = "nvidia.ampere.CachePolicy"


@dataclass(frozen=True)
class CachePolicy(_Policy):
    """How an access treats the caches of any chip."""
    cache_modifier: str = "none"
    eviction_policy: str = "evict_normal"
    _path = "CachePolicy"


NvidiaCachePolicy.__name__ = NvidiaCachePolicy.__qualname__ = "CachePolicy"


class PropagateNan(enum.IntEnum):
    """Whether a NaN among operands is the result of a minimum or maximum."""

    NONE = 0
    ALL = 0xFFFF
