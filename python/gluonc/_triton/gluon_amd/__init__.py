"""triton.experimental.gluon.amd: tensors as the tensor mover of gfx1250 sees them."""

from dataclasses import dataclass

from gluonc._tensors import view
from gluonc.nvidia.hopper import TensorDescriptor as _TensorDescriptor
from gluonc.nvidia.hopper import _require


@dataclass
class TensorDescriptor(_TensorDescriptor):
    """Describes `base` in blocks of `block_shape`, which lie in shared memory as `layout` says."""

    def __post_init__(self):
        from gluonc import language
        rank = len(self.shape)
        _require(view(self.base) is not None,
                 f"a {type(self.base).__name__} is no tensor to describe")
        _require(isinstance(self.layout,
                            (language.SwizzledSharedLayout, language.PaddedSharedLayout,
                             language.amd.cdna5.PartitionedSharedLayout)),
                 "the layout of a descriptor is a SwizzledSharedLayout, a PaddedSharedLayout or a "
                 f"PartitionedSharedLayout, not {self.layout!r}")
        _require(1 <= rank <= 5, f"a tensor descriptor has 1 to 5 dimensions, not {rank}")
        _require(len(self.strides) == rank, f"{len(self.strides)} strides for {rank} dims")
        _require(len(self.block_shape) == rank,
                 f"blocks of {len(self.block_shape)} dimensions, but the tensor has {rank}")
        _require(self.strides[-1] == 1, "a tensor descriptor needs a last stride of 1")
        _require(self.padding == "zero", f'padding {self.padding!r}: AMD\'s engine has "zero" only')
