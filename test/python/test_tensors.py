"""Tensors of other libraries, as arguments."""

import ctypes

import gluonc
import kernels
import numpy as np
import pytest
from gluonc import _tensors
from gluonc import language as gl

LAYOUT = gl.BlockedLayout([1], [32], [4], [0])


def test_the_extent_of_a_view_is_what_its_elements_span():
    base = np.zeros((8, 6), np.int16)
    address = base.ctypes.data
    flipped = _tensors.view(base[::-1, ::2])
    assert (flipped.begin, flipped.bytes) == (address, 7 * 12 + 10)
    assert flipped.address == address + 7 * 12
    assert _tensors.view(base[:0]).bytes == 0


def test_numpy_scalars_are_numbers():
    dst = np.zeros(64, np.float32)
    compiled = kernels.fill[(1,)](dst, np.float32(2.5), np.int64(64))
    assert (dst == 2.5).all()
    assert compiled is kernels.fill.warmup(dst, 2.5, 64)


def test_array_interface_suffices():
    class Holder:
        def __init__(self, array):
            self.array = array
            self.__array_interface__ = array.__array_interface__
    dst = np.zeros(64, np.float64)
    kernels.fill[(1,)](Holder(dst), 1.5, 64)
    assert (dst == 1.5).all()


def test_dlpack_suffices():
    class Capsule:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()
    dst = np.zeros((4, 16), np.uint16)
    kernels.fill[(1,)](Capsule(dst), 3, 64)
    assert (dst == 3).all()


def test_anything_with_data_ptr_and_dtype_is_a_tensor():
    class Buffer:
        dtype, nbytes = gl.int32, 128

        def __init__(self):
            self.memory = (ctypes.c_int32 * 32)()

        def data_ptr(self):
            return ctypes.addressof(self.memory)
    dst = Buffer()
    kernels.fill[(1,)](dst, 9, 32)
    assert list(dst.memory) == [9] * 32


def test_dtypes_that_kernels_lack_are_refused():
    with pytest.raises(TypeError, match="complex64"):
        kernels.fill[(1,)](np.zeros(4, np.complex64), 0, 4)


def test_torch_tensors_run_in_place():
    torch = pytest.importorskip("torch")
    src = torch.randn(1000).bfloat16()
    dst = torch.zeros_like(src)
    kernels.copy[(4,)](src, dst, 1000, 256, LAYOUT)
    assert torch.equal(src, dst)
    kernels.copy.warmup(torch.float16, torch.float16, 16, 256, LAYOUT)
    with pytest.raises(gluonc.KernelFault):
        kernels.copy[(5,)](src, dst[:900], 1000, 256, LAYOUT)
