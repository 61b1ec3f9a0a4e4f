"""Tensors on AMD GPUs that are none (test/driver/fake_hip), as those of a PyTorch for ROCm that is none."""

import ctypes
import types
import sys

hip = ctypes.CDLL("libamdhip64.so.7")
STREAM = 0x5000
asked = []


def _get_stream(device):
    asked.append(device)
    return STREAM


def current():
    ordinal = ctypes.c_int()
    assert hip.hipGetDevice(ctypes.byref(ordinal)) == 0
    return ordinal.value


torch = types.ModuleType("torch")
torch.version = types.SimpleNamespace(hip="7.1.0", cuda=None)
torch._C = types.SimpleNamespace(_cuda_getDevice=current, _cuda_getCurrentRawStream=_get_stream)
sys.modules["torch"] = torch

from gluonc import language as gl  # noqa: E402


class Tensor:
    """int32 numbers on a GPU, as PyTorch's tensors look."""

    dtype = gl.int32

    def __init__(self, numbers, device=0):
        self.count = len(numbers)
        self.device = types.SimpleNamespace(type="cuda", index=device)
        address, before = ctypes.c_void_p(), current()
        hip.hipSetDevice(device)
        assert hip.hipMalloc(ctypes.byref(address), ctypes.c_size_t(4 * self.count)) == 0
        hip.hipSetDevice(before)
        self.address = address.value
        self.memory()[:] = numbers

    def memory(self):
        return (ctypes.c_int32 * self.count).from_address(self.address)

    def numbers(self):
        return list(self.memory())

    def data_ptr(self):
        return self.address
