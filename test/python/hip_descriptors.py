"""Tensor descriptors from the host on a gfx1250 that is none: run by test_hip.py.

No real AMD GPU has seen any of this.
"""

from hip_tensors import Tensor, hip  # before gluonc, which finds the PyTorch of that
import gluonc
from gluonc import language as gl
from gluonc._triton.gluon_amd.gfx1250 import TensorDescriptor
from gluonc.language.amd import cdna5


@gluonc.jit
def copy(a, b, start: gl.constexpr):
    smem = gl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    cdna5.tdm.async_load(a, start, smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, start, smem)
    cdna5.tdm.async_wait(0)


def described(tensor, shape, block, layout):
    strides = [1]
    for length in reversed(shape[1:]):
        strides.insert(0, strides[0] * length)
    return TensorDescriptor(tensor, shape, strides, block, layout)


def check(shape, block, start, layout):
    """One block is copied, and nothing else."""
    count = 1
    for length in shape:
        count *= length
    x, y = Tensor(range(1, count + 1)), Tensor([0] * count)
    made = copy[(1,)](described(x, shape, block, layout), described(y, shape, block, layout), start)
    assert made.target == "hip:gfx1250" and not made.simulated, made
    assert hip.hipDeviceSynchronize() == 0
    for number, value in enumerate(y.numbers()):
        place, rest = [], number
        for length in reversed(shape):
            place.insert(0, rest % length)
            rest //= length
        inside = all(0 <= i - first < length for i, first, length in zip(place, start, block))
        assert value == (number + 1 if inside else 0), (shape, place, value)


def plain(rank):
    return gl.SwizzledSharedLayout(1, 1, 1, list(reversed(range(rank))))


check([300], [128], [256], plain(1))
check([70, 33], [64, 32], [64, 0], gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 32], [1, 0]))
check([5, 6, 40], [2, 4, 32], [4, 3, 16], plain(3))
check([3, 4, 5, 20], [2, 2, 4, 16], [1, 2, 3, 8], plain(4))
check([2, 3, 4, 5, 9], [2, 2, 2, 4, 8], [0, 1, 1, 2, 4], plain(5))

wrong = described(Tensor([0] * 4), [2, 2], [2, 2], plain(2))
wrong.strides = [-2, 1]
try:
    copy[(1,)](wrong, wrong, [0, 0])
except ValueError as error:
    assert "dim 0 has stride -2" in str(error), error
else:
    raise AssertionError("a negative stride went unnoticed")
print("hip: as described")
