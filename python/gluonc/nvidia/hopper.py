"""TensorDescriptor: a tensor as the tensor memory accelerator sees it."""

from dataclasses import dataclass
from typing import Any


@dataclass
class TensorDescriptor:
    """Describes `base` in blocks of `block_shape`. Launches do not take it yet."""

    base: Any
    shape: list
    strides: list
    block_shape: list
    layout: Any
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    @staticmethod
    def from_tensor(tensor, block_shape, layout, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(tensor, list(tensor.shape), list(tensor.stride()),
                                list(block_shape), layout, padding, round_f32_to_tf32)
