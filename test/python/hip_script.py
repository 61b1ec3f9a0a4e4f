"""On AMD GPUs that are none (test/driver/fake_hip), with a PyTorch for ROCm that is none: run by test_hip.py.

No real AMD GPU or PyTorch for ROCm has seen any of this.
"""

import ctypes
import types

from hip_tensors import Tensor, asked, current, hip, torch  # before gluonc, which finds that PyTorch
import gluonc
import kernels
from gluonc import _engine
from gluonc import language as gl

LAYOUT = gl.BlockedLayout([1], [64], [4], [0])


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


READ = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
ASK = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)


class ExchangeApi(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                *((name, ctypes.c_void_p) for name in ("previous", "a", "b", "c")), ("read", READ),
                ("stream", ASK)]


@READ
def read_tensor(tensor, out):
    rocm, signed = 10, 0
    out[0] = DLTensor(tensor.address, rocm, tensor.device.index, 1, signed, 32, 1, None, None, 0)
    return 0


@ASK
def wrong_stream(kind, device, out):
    raise AssertionError("the stream of an AMD GPU is not asked for here")


API = ExchangeApi(1, 3, None, None, None, None, read_tensor, wrong_stream)
NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
NEW_CAPSULE.restype = ctypes.py_object


class FastTensor(Tensor):
    """One that is read through DLPack's exchange interface, as those of new versions of PyTorch."""

    __dlpack_c_exchange_api__ = NEW_CAPSULE(ctypes.c_void_p(ctypes.addressof(API)),
                                            ctypes.c_char_p(b"dlpack_exchange_api"),
                                            ctypes.c_void_p())


def copy(src, dst):
    n = src.count
    return kernels.copy[(gluonc.cdiv(n, 256),)](src, dst, n, 256, LAYOUT)


def check_launches():
    for kind in (Tensor, FastTensor):
        for device in (0, 1):
            src, dst = kind(range(1000), device), kind([0] * 1000, device)
            asked.clear()
            compiled = copy(src, dst)
            assert dst.numbers() == src.numbers()
            assert not compiled.simulated and compiled.target == "hip:gfx942", compiled
            assert compiled.device == device and asked == [device], asked
            assert compiled.kernel[:4] == b"\x7fELF" and compiled.function and compiled.n_regs == 24
            dst.memory()[:] = [0] * 1000
            copy(src, dst)
            assert dst.numbers() == src.numbers()
            assert current() == 0


def check_compiled():
    made = gluonc.compile(copy(Tensor([1] * 3), Tensor([0] * 3)).src, target="hip:gfx942")
    # It is loaded where it is launched first.
    assert not made.simulated and made.device is None
    src, dst = Tensor([5, 6, 7]), Tensor([0] * 3)
    made[(1,)](src, dst, 3)
    assert dst.numbers() == [5, 6, 7] and made.device == 0
    # What is not there is simulated, as without a GPU.
    assert gluonc.compile(made.src, target="hip:gfx950").simulated
    assert gluonc.compile(made.src, target="hip:gfx942", device="cpu").simulated


def check_errors():
    try:
        copy(Tensor([1], 0), Tensor([1], 1))
    except ValueError as error:
        assert "tensors on different devices" in str(error), error
    else:
        raise AssertionError("two devices in one launch")
    broken = Tensor([1])
    # The first page of memory is nobody's.
    broken.address = 16
    copy(broken, Tensor([1]))
    assert hip.hipDeviceSynchronize() == 700


def check_target():
    assert _engine.gpu_is_amd() and _engine.gpu_count() == 2
    assert _engine.current_target() == "hip:gfx942"
    # Which GPUs PyTorch is for decides.
    torch.version = types.SimpleNamespace(hip=None, cuda="13.0")
    assert not _engine.gpu_is_amd() and _engine.gpu_count() == 0
    # One that is for none leaves it to what is there.
    torch.version = types.SimpleNamespace(hip=None, cuda=None)
    assert _engine.gpu_is_amd()
    torch.version = types.SimpleNamespace(hip="7.1.0", cuda=None)


check_target()
check_launches()
check_compiled()
check_errors()
print("hip: as asked for")
