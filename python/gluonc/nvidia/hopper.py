"""TensorDescriptor: a tensor as the tensor memory accelerator sees it."""

from dataclasses import dataclass, field
from typing import Any

from gluonc import _native
from gluonc._tensors import view
from gluonc.language._source import source


class InvalidDescriptor(ValueError, AssertionError):
    """What cannot be described; an AssertionError, too, as in Triton."""


def _require(condition, message):
    if not condition:
        raise InvalidDescriptor(message)


@dataclass
class TensorDescriptor:
    """Describes `base` in blocks of `block_shape`, which lie in shared memory as `layout` says."""

    base: Any
    shape: list
    strides: list
    block_shape: list
    layout: Any
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    _is_im2col = False
    # Made when first asked for; a change of a field forgets it.
    _type_text: Any = field(default=None, init=False, repr=False, compare=False)
    # The type of the elements of `base`, likewise.
    _element_text: Any = field(default=None, init=False, repr=False, compare=False)

    @property
    def mode(self):
        """How blocks are cut out: "tiled", or "im2col" of images."""
        return "im2col" if self._is_im2col else "tiled"

    def __post_init__(self):
        from gluonc import language
        tensor, layout, rank = view(self.base), self.layout, len(self.shape)
        _require(tensor is not None, f"a {type(self.base).__name__} is no tensor to describe")
        _require(isinstance(layout, language.NVMMASharedLayout),
                 f"the layout of a descriptor is an NVMMASharedLayout, not {layout!r}")
        _require(len(self.strides) == rank, f"{len(self.strides)} strides for {rank} dims")
        _require(self.padding in ("zero", "nan"),
                 f'padding {self.padding!r}: it is "zero" or "nan"')
        record = _native.TensorRecord(
            tensor.address, list(self.shape), list(self.strides), self._pads_with_nan,
            self.round_f32_to_tf32, *self._pixels(rank), tensor.type.lstrip("*k"))
        block = list(self.block_shape)
        if all(size == 1 for size in block) and layout.swizzle_byte_width == 0:
            # One element stands for what a configuration will set; a launch with it is refused.
            block = block[:-1] + [128 // layout.element_bitwidth]
        why = record.why_not(block, self._is_im2col, layout.rank,
                             layout.swizzle_byte_width, layout.element_bitwidth,
                             layout.transposed, layout.fp4_padded)
        _require(not why, why)

    def _pixels(self, rank):
        """Element strides and the corners of the pixel box, for im2col."""
        return [], [], []

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name[0] != "_":
            object.__setattr__(self, "_type_text", None)
            if name == "base":
                object.__setattr__(self, "_element_text", None)

    @classmethod
    def from_tensor(cls, tensor, block_shape, layout, padding="zero", round_f32_to_tf32=False):
        """Describes a tensor with its own extents and strides."""
        return cls(tensor, list(tensor.shape), list(_strides(tensor)), list(block_shape), layout,
                   padding, round_f32_to_tf32)

    # What a launch asks for.

    @property
    def _pads_with_nan(self):
        return self.padding == "nan"

    @property
    def _element(self):
        if self._element_text is None:
            self._element_text = view(self.base).type.lstrip("*k")
        return self._element_text

    @property
    def __gluonc_descriptor_type__(self):
        if self._type_text is None:
            self._type_text = self._make_type(
                f"{self._element}[{', '.join(map(str, self.block_shape))}]")
        return self._type_text

    def _make_type(self, block):
        return f"tensordesc<{block},{source(self.layout)}>"


@dataclass
class TensorDescriptorIm2Col(TensorDescriptor):
    """Describes images, channels last: a block is pixels by channels, `block_shape` long."""

    element_strides: Any = None
    pixel_box_lower_corner: Any = None
    pixel_box_upper_corner: Any = None

    _is_im2col = True

    def __post_init__(self):
        if self.element_strides is None:
            self.element_strides = [1] * len(self.shape)
        super().__post_init__()

    def _pixels(self, rank):
        _require(len(self.element_strides) == rank,
                 f"{len(self.element_strides)} element_strides for {rank} dims")
        for name in ("pixel_box_lower_corner", "pixel_box_upper_corner"):
            corner = getattr(self, name)
            _require(corner is not None and len(corner) == max(rank - 2, 0),
                     f"{name} has {rank - 2} offsets for {rank} dims")
        return (list(self.element_strides), list(self.pixel_box_lower_corner),
                list(self.pixel_box_upper_corner))

    @staticmethod
    def from_tensor(tensor, block_shape, layout, padding="zero", round_f32_to_tf32=False,
                    element_strides=None, pixel_box_lower_corner=None,
                    pixel_box_upper_corner=None):
        """A descriptor of all of `tensor`."""
        return TensorDescriptorIm2Col(
            tensor, list(tensor.shape), list(_strides(tensor)), list(block_shape), layout, padding,
            round_f32_to_tf32, element_strides=element_strides,
            pixel_box_lower_corner=pixel_box_lower_corner,
            pixel_box_upper_corner=pixel_box_upper_corner)

    def _make_type(self, block):
        return f"tensordesc_im2col<{block},input_rank={len(self.shape)},{source(self.layout)}>"


def _strides(tensor):
    """Strides in elements, of PyTorch's tensors and of NumPy's arrays."""
    if hasattr(tensor, "stride"):
        return tensor.stride()
    return (step // tensor.itemsize for step in tensor.strides)
