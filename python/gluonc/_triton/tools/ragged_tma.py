"""triton.tools.ragged_tma: one descriptor for parts of a tensor of different lengths.

Parts lie behind each other along one dim. Two more dims in front move the addresses, which wrap at 64
bits, such that a part ends where the extent of the described tensor does: accesses see nothing of
the next part.
"""

from gluonc._jit import triton_jit
from gluonc._triton import _language as tl
from gluonc._triton.tools.tensor_descriptor import TensorDescriptor
from gluonc.nvidia.hopper import _require, _strides

# Extent of the dim that parts lie along: no tensor has more.
_MOST = 1 << 30
_MOST_IN_KERNELS = tl.constexpr(_MOST)
# Of those in front.
_NO_LIMIT = 0x7fff0000


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """Describes parts of `T`, of 2 or 3 dims, along `ragged_dim`, which is not the last one."""
    shape, strides, rank = list(T.shape), list(_strides(T)), len(T.shape)
    ragged_dim += rank * (ragged_dim < 0)
    _require(2 <= rank <= 3, f"a ragged descriptor has 2 or 3 dims, not {rank}")
    _require(0 <= ragged_dim < rank - 1, f"the parts lie along dim {ragged_dim} of {rank}")
    _require(len(block_shape) == rank, f"block_shape has {len(block_shape)} items for {rank} dims")
    _require(shape[ragged_dim] <= _MOST, f"more than {_MOST} rows")
    stride = strides[ragged_dim]
    shape[ragged_dim] = _MOST
    # _MOST steps of the first are none, less _MOST rows.
    return TensorDescriptor(T, [_NO_LIMIT, _NO_LIMIT, *shape],
                            [(1 << 64) // _MOST - stride, stride, *strides], [1, 1, *block_shape])


@triton_jit
def _place(start, size, coords, ragged_dim: tl.constexpr):
    row = _MOST_IN_KERNELS - size + coords[ragged_dim]
    return [_MOST_IN_KERNELS, start + size] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:]


@triton_jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """A block of the part that begins at row `slice_off`; 0 outside of it."""
    block = TMA.load(_place(slice_off, slice_size, coords, ragged_dim))
    return tl.reshape(block, block.shape[2:])


@triton_jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Stores what of a block is in the part."""
    TMA.store(_place(slice_off, slice_size, coords, ragged_dim), data[None, None])


@triton_jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds what of a block is in the part."""
    TMA.atomic_add(_place(slice_off, slice_size, coords, ragged_dim), data[None, None])
