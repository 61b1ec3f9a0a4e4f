"""TensorDescriptor: a tensor as the tensor memory accelerator sees it."""

from dataclasses import dataclass, field
from typing import Any

from gluonc._tensors import view
from gluonc.language._source import source

_ELEMENT_BITS = {"u1": 8, "bf16": 16}


def _element_bits(name):
    """Bits of an element of "fp16", "i32", "fp8e4nv"."""
    found = _ELEMENT_BITS.get(name)
    return found or int(name.lstrip("fpiu").split("e")[0])


def _is_power_of_two(n):
    return n > 0 and n & (n - 1) == 0


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
    _minimum_rank = 1
    # Made when first asked for; a change of a field forgets it.
    _type_text: Any = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self):
        tensor = view(self.base)
        _require(tensor is not None, f"a {type(self.base).__name__} is no tensor to describe")
        self._check(tensor.address, tensor.type.lstrip("*k"))

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name != "_type_text":
            object.__setattr__(self, "_type_text", None)

    @classmethod
    def from_tensor(cls, tensor, block_shape, layout, padding="zero", round_f32_to_tf32=False):
        """Describes a tensor with its own extents and strides."""
        return cls(tensor, list(tensor.shape), list(_strides(tensor)), list(block_shape), layout,
                   padding, round_f32_to_tf32)

    def _check(self, address, element):
        rank, bits = len(self.shape), _element_bits(element)
        size = bits // 8
        _require(self._minimum_rank <= rank <= 5,
                 f"a descriptor of rank {rank}: it has {self._minimum_rank} to 5 dims")
        _require(len(self.strides) == rank, f"{len(self.strides)} strides for {rank} dims")
        _require(all(extent > 0 for extent in self.shape),
                 f"shape {self.shape}: every extent is positive")
        _require(self.strides[-1] == 1,
                 f"strides {self.strides}: the last dim is contiguous, with stride 1")
        alignment = 32 if getattr(self.layout, "fp4_padded", False) else 16
        _require(address % alignment == 0, f"the tensor's address is a multiple of {alignment}")
        for stride in self.strides[:-1]:
            _require(stride * size % alignment == 0,
                     f"strides {self.strides}: {stride} elements are {stride * size} bytes, "
                     f"which is no multiple of {alignment}")
        self._check_block(rank)
        self._check_layout(bits)
        _require(self.padding in ("zero", "nan"),
                 f'padding {self.padding!r}: it is "zero" or "nan"')
        _require(self.padding == "zero" or element.startswith(("fp", "bf")),
                 f'padding "nan" for elements of type {element}')
        _require(not self.round_f32_to_tf32 or element == "fp32",
                 f"round_f32_to_tf32 for elements of type {element}")

    def _check_block(self, rank):
        _require(len(self.block_shape) == rank,
                 f"a block of {len(self.block_shape)} dims for a tensor of {rank}")
        elements = 1
        for length in self.block_shape:
            _require(_is_power_of_two(length),
                     f"block_shape {self.block_shape}: lengths are powers of two")
            elements *= length
        _require(elements <= 1 << 20,
                 f"block_shape {self.block_shape}: {elements} elements, more than {1 << 20}")

    def _check_layout(self, bits):
        from gluonc import language
        layout = self.layout
        _require(isinstance(layout, language.NVMMASharedLayout),
                 f"the layout of a descriptor is an NVMMASharedLayout, not {layout!r}")
        _require(layout.rank == len(self.block_shape),
                 "layout rank must match block shape rank: a layout of rank "
                 f"{layout.rank} for a block of {len(self.block_shape)} dims")
        _require(layout.element_bitwidth == bits,
                 f"a layout of {layout.element_bitwidth}-bit elements for a tensor of {bits}-bit "
                 "ones")
        inner = self.block_shape[-1] * bits // 8 * (2 if layout.fp4_padded else 1)
        _require(inner >= layout.swizzle_byte_width,
                 f"a row of the block has {inner} bytes, fewer than the swizzle's "
                 f"{layout.swizzle_byte_width}")

    # What a launch asks for.

    @property
    def _pads_with_nan(self):
        return self.padding == "nan"

    @property
    def __gluonc_descriptor_type__(self):
        if self._type_text is None:
            element = view(self.base).type.lstrip("*k")
            block = ", ".join(map(str, self.block_shape))
            self._type_text = self._make_type(f"{element}[{block}]", source(self.layout))
        return self._type_text

    def _make_type(self, block, layout):
        return f"tensordesc<{block},{layout}>"


@dataclass
class TensorDescriptorIm2Col(TensorDescriptor):
    """Describes images, channels last: a block is pixels by channels, `block_shape` long."""

    element_strides: Any = None
    pixel_box_lower_corner: Any = None
    pixel_box_upper_corner: Any = None

    _is_im2col = True
    _minimum_rank = 3
    # By rank: what an element of a corner may be.
    _CORNERS = {3: (-32768, 32767), 4: (-128, 127), 5: (-16, 15)}

    def __post_init__(self):
        if self.element_strides is None:
            self.element_strides = [1] * len(self.shape)
        super().__post_init__()

    def _check_block(self, rank):
        _require(len(self.block_shape) == 2 and all(map(_is_power_of_two, self.block_shape)),
                 f"block_shape {self.block_shape}: pixels and channels, powers of two")
        _require(len(self.element_strides) == rank,
                 f"{len(self.element_strides)} element_strides for {rank} dims")
        _require(all(1 <= step <= 8 for step in self.element_strides)
                 and self.element_strides[-1] == 1,
                 f"element_strides {self.element_strides}: 1 to 8, the last one 1")
        low, high = self._CORNERS[rank]
        for name in ("pixel_box_lower_corner", "pixel_box_upper_corner"):
            corner = getattr(self, name)
            _require(corner is not None and len(corner) == rank - 2,
                     f"{name} has {rank - 2} offsets for {rank} dims")
            _require(all(low <= offset <= high for offset in corner),
                     f"{name} {corner}: offsets are {low} to {high} for {rank} dims")

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

    def _make_type(self, block, layout):
        return f"tensordesc_im2col<{block},input_rank={len(self.shape)},{layout}>"


def _strides(tensor):
    """Strides in elements, of PyTorch's tensors and of NumPy's arrays."""
    if hasattr(tensor, "stride"):
        return tensor.stride()
    return (step // tensor.itemsize for step in tensor.strides)
