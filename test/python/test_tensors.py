"""Tensors of other libraries, as arguments."""

import ctypes
import importlib.util

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


def test_padding_behind_the_last_row_is_in_reach():
    arrays = [np.zeros((4, 64), np.float32)]
    if importlib.util.find_spec("torch"):
        import torch
        arrays.append(torch.zeros(4, 64))
    for base in arrays:
        kernels.fill[(2,)](base[:, :17], 3.0, 4 * 64)
        assert bool((base == 3).all())
        for view, reach in ((base[:2, :17], 128), (base[1:3, 8:], 128), (base[2, :17], 17), (base[:, 60:], 196)):
            kernels.fill[(2,)](view, 4.0, reach)
            with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
                kernels.fill[(2,)](view, 5.0, reach + 1)


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


def test_elements_in_the_other_byte_order_are_refused():
    swapped = np.arange(4, dtype=np.dtype(np.int32).newbyteorder())
    for array in (swapped, swapped[::2], np.zeros(4, np.dtype("f8").newbyteorder())):
        with pytest.raises(TypeError, match="byte order"):
            kernels.fill[(1,)](array, 0, 4)
    assert swapped.tolist() == [0, 1, 2, 3]
    # A byte has no order.
    kernels.fill[(1,)](np.zeros(4, ">i1"), 0, 4)


def test_arrays_of_structures_are_refused_and_their_fields_taken():
    pairs = np.zeros(4, [("a", np.int32), ("b", np.int32)])
    with pytest.raises(TypeError, match="no counterpart"):
        kernels.fill[(1,)](pairs, 0, 4)
    for other in ("O", "U4", "M8[s]", "S4", "c8", "f16"):
        with pytest.raises(TypeError, match="no counterpart"):
            kernels.fill[(1,)](np.zeros(4, other), 0, 4)
    kernels.fill[(1,)](pairs["b"], 7, 1)
    assert pairs.tolist() == [(0, 7), (0, 0), (0, 0), (0, 0)]


def test_an_array_without_dims_is_one_element():
    dst = np.array(5, np.int32)
    kernels.fill[(1,)](dst, 7, 1)
    assert dst == 7
    with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
        kernels.fill[(1,)](dst, 7, 2)


def test_a_pointer_into_a_flipped_array_is_its_first_element():
    memory = np.arange(8, dtype=np.int32)
    kernels.fill[(1,)](memory[::-1], 100, 1)
    assert memory.tolist() == [0, 1, 2, 3, 4, 5, 6, 100]
    # The elements that follow in memory are not the array's.
    with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
        kernels.fill[(1,)](memory[::-1], 7, 2)


def test_read_only_arrays_may_be_read_and_overlap_what_is_written():
    memory = np.arange(256, dtype=np.int32)
    view = memory[:]
    view.flags.writeable = False
    dst = np.zeros(256, np.int32)
    kernels.copy[(1,)](view, dst, 256, 256, LAYOUT)
    assert np.array_equal(dst, memory)
    with pytest.raises(gluonc.KernelFault, match="read-only"):
        kernels.copy[(1,)](dst, view, 256, 256, LAYOUT)
    # In place: each element is read and written by one thread.
    kernels.copy[(1,)](memory, memory, 256, 256, LAYOUT)
    assert np.array_equal(dst, memory)


def test_an_array_reaches_no_further_than_the_one_that_owns_its_memory():
    memory = np.zeros(16, np.int32)
    wide = np.lib.stride_tricks.as_strided(memory, (4096,), (4,))
    kernels.fill[(1,)](wide, 7, 16)
    assert (memory == 7).all()
    with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
        kernels.fill[(1,)](wide, 8, 17)
    view = memory[8:]
    memory.resize(4096, refcheck=False)
    # What the view was of is elsewhere now.
    with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
        kernels.fill[(1,)](view, 8, 1)


def test_a_tensor_reaches_no_further_than_its_storage():
    torch = pytest.importorskip("torch")
    for dst in (torch.zeros(128), torch.nn.Parameter(torch.zeros(128)), torch.zeros(2, 128)[1],
                torch.zeros(128, 2)[:, 0]):
        storage = dst.untyped_storage()
        storage.resize_(dst.storage_offset() * 4 + 256)
        with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
            kernels.fill[(1,)](dst, 1.0, 128)
        storage.resize_(0)
        with pytest.raises(gluonc.KernelFault, match="OutOfBounds"):
            kernels.fill[(1,)](dst, 1.0, 1)


def test_torch_tensors_run_in_place():
    torch = pytest.importorskip("torch")
    src = torch.randn(1000).bfloat16()
    dst = torch.zeros_like(src)
    kernels.copy[(4,)](src, dst, 1000, 256, LAYOUT)
    assert torch.equal(src, dst)
    kernels.copy.warmup(torch.float16, torch.float16, 16, 256, LAYOUT)
    with pytest.raises(gluonc.KernelFault):
        kernels.copy[(5,)](src, dst[:900], 1000, 256, LAYOUT)
