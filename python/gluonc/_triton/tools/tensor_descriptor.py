"""triton.tools.tensor_descriptor: descriptors whose layout in shared memory the compiler chooses."""

import functools
from dataclasses import dataclass, field
from typing import Any

from gluonc._tensors import view
from gluonc.nvidia import hopper
from gluonc.nvidia.hopper import _require, _strides

_MOST_DIMS, _UNIT = 5, 16


@functools.cache
def _elements():
    """Types of elements by their names in types of arguments."""
    from gluonc.language import dtype
    return {found.signature: found for found in dtype._all.values()}


@dataclass
class TensorDescriptor(hopper.TensorDescriptor):
    """Describes `base` in blocks of `block_shape`."""

    layout: Any = field(default=None, init=False, repr=False)

    def __post_init__(self):
        tensor, rank = view(self.base), len(self.shape)
        _require(tensor is not None, f"a {type(self.base).__name__} is no tensor to describe")
        self._element_text = tensor.type.lstrip("*k")
        element = _elements()[self._element_text]
        _require(1 <= rank <= _MOST_DIMS, f"a descriptor has 1 to {_MOST_DIMS} dims, not {rank}")
        for name, given in (("strides", self.strides), ("block_shape", self.block_shape)):
            _require(len(given) == rank, f"{name} has {len(given)} items for {rank} dims")
        _require(all(size > 0 for size in self.shape), f"an extent of {self.shape} is not positive")
        _require(all(size > 0 and size & (size - 1) == 0 for size in self.block_shape),
                 f"block_shape {self.block_shape} has other numbers than powers of two")
        _require(tensor.address % _UNIT == 0, f"the address of `base` is no multiple of {_UNIT}")
        size = element.itemsize
        _require(all(stride * size % _UNIT == 0 for stride in self.strides[:-1]),
                 f"strides {self.strides} are no multiples of {_UNIT} bytes")
        _require(self.strides[-1] == 1, "the last dim is not contiguous")
        _require(self.padding in ("zero", "nan"),
                 f'padding {self.padding!r}: it is "zero" or "nan"')
        _require(self.padding == "zero" or element.is_floating(),
                 f"{element} has no NaN to pad with")
        _require(not self.round_f32_to_tf32 or element.name == "fp32",
                 f"{element} is not rounded to tf32")

    @classmethod
    def from_tensor(cls, tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """Describes a tensor with its own extents and strides."""
        return cls(tensor, list(tensor.shape), list(_strides(tensor)), list(block_shape), padding,
                   round_f32_to_tf32)

    def _make_type(self, block):
        return (f"tensordesc<{block}{',nan' * self._pads_with_nan}"
                f"{',tf32' * self.round_f32_to_tf32}{',aligned' * (self.shape[-1] % _UNIT == 0)}>")
