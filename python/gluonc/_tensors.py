"""What a launch needs to know of its tensors: address, dtype, device, extent.

Tensors are objects with `data_ptr` and `dtype` (PyTorch's and look-alikes), or objects that speak
`__cuda_array_interface__`, DLPack or the buffer protocol. Nothing here imports PyTorch.
"""

import sys

from gluonc import _native
from gluonc.language._dtypes import dtype as gluon_dtype

# Names that torch and NumPy use, and type strings of arrays, to names in signatures.
_SIGNATURE_NAMES, _TYPESTRINGS = {}, {}
for _signature, _, _member, _others, _, _, _array in _native.dtypes():
    _SIGNATURE_NAMES.update(dict.fromkeys([_member, *_others.split()], _signature))
    _TYPESTRINGS[_array] = _signature
del _TYPESTRINGS[""]
_POINTERS = {kind: "*" + name for kind, name in _TYPESTRINGS.items()}
_NATIVE_ORDER = "<" if sys.byteorder == "little" else ">"
_known_dtypes = {}


def pointer_to(dtype):
    """"*fp32" for torch.float32, gl.float32 or numpy.float32."""
    try:
        return _known_dtypes[dtype]
    except KeyError:
        pass
    if isinstance(dtype, gluon_dtype):
        name = dtype.signature
    else:
        text = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
        name = _SIGNATURE_NAMES.get(text.rpartition(".")[2])
    if name is None:
        raise TypeError(f"kernels have no counterpart of the dtype {dtype}")
    _known_dtypes[dtype] = "*" + name
    return "*" + name


class TensorView:
    """One tensor argument: `type` is "*fp32"; `device` a GPU's ordinal, -1 for host memory, None
    for what has no memory."""

    __slots__ = ("address", "type", "device", "begin", "bytes", "read_only")

    def __init__(self, address, type, device, begin, size, read_only=False):
        self.address, self.type, self.device = address, type, device
        self.begin, self.bytes, self.read_only = begin, size, read_only


def is_dtype(value):
    """A dtype given to warmup() in place of a tensor."""
    return isinstance(value, gluon_dtype) or type(value).__name__ == "dtype"


# Type of an argument -> the function that describes it, so that a launch asks once per type.
_readers = {}


def register_reader(cls, reader):
    """`reader(value)` gives the TensorView of values of a class, before anything else is tried."""
    _readers[cls] = reader


def view(value):
    """The TensorView of an argument, or None for what is no tensor."""
    reader = _readers.get(type(value))
    if reader is None:
        reader = _readers[type(value)] = _find_reader(value)
    return reader(value)


def _find_reader(value):
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        # A scalar, although it speaks the array protocols.
        return lambda scalar: None
    if hasattr(value, "data_ptr"):
        return _view_torch
    for name, reader in (("__cuda_array_interface__", _view_cuda),
                         ("__array_interface__", _view_array), ("__dlpack__", _view_dlpack)):
        if hasattr(value, name):
            return reader
    if is_dtype(value):
        return lambda dtype: TensorView(0, pointer_to(dtype), None, 0, 0)
    return lambda other: None


def _pointer_to_elements(interface, value):
    """The same for an object with an array interface."""
    order, kind = interface["typestr"][0], interface["typestr"][1:]
    if order not in "|=" + _NATIVE_ORDER:
        raise TypeError(f"the elements of the {type(value).__name__} ({interface['typestr']}) are "
                        "in the other byte order; kernels have the machine's (NumPy: "
                        "x.astype(x.dtype.newbyteorder('=')))")
    # Extension types (ml_dtypes.bfloat16) hide behind void.
    return _POINTERS.get(kind) or pointer_to(getattr(value, "dtype", kind))


def _view_cuda(value):
    interface = value.__cuda_array_interface__
    address, read_only = interface["data"]
    return TensorView(address, _pointer_to_elements(interface, value), _cuda_ordinal(value),
                      address, 0, read_only)


def _view_dlpack(value):
    address, name, begin, size, device = _native.describe(value)
    if not name:
        raise TypeError(f"kernels have no counterpart of the dtype of {type(value).__name__}")
    return TensorView(address, "*" + name, device, begin, size)


def _cuda_ordinal(value):
    device = getattr(value, "device", None)
    return getattr(device, "id", getattr(device, "index", None)) or 0


def _extent(address, shape, strides, item):
    """First byte and number of bytes of a strided array; `strides` in bytes."""
    if 0 in shape:
        return address, 0
    reach = [(n - 1) * stride for n, stride in zip(shape, strides)]
    low = sum(r for r in reach if r < 0)
    return address + low, sum(r for r in reach if r > 0) - low + item


def _padded(extent, shape, strides):
    """`extent` with what is behind the last row where rows are further apart than they are long."""
    rows = max(zip(shape, strides), key=lambda dim: abs(dim[1]), default=(0, 0))
    return extent[0], max(extent[1], rows[0] * rows[1]) if extent[1] else 0


def _common(extent, memory):
    """The part of an extent that lies in memory, both as (first byte, bytes)."""
    begin = max(extent[0], memory[0])
    end = min(sum(extent), sum(memory))
    return (begin, end - begin) if begin < end else (extent[0], 0)


def _view_torch(tensor):
    address, name = tensor.data_ptr(), pointer_to(tensor.dtype)
    device = getattr(tensor, "device", None)
    kind = device.type if device is not None else "cpu"
    if kind == "cuda":
        # Over memory of a simulated GPU that it has asked the address of.
        if (memory := _known_memory(address)) is not None:
            return TensorView(address, name, -1, *memory)
        return TensorView(address, name, device.index or 0, address, 0)
    if kind == "meta":
        return TensorView(0, name, None, 0, 0)
    if kind != "cpu":
        raise TypeError(f"tensors on `{device}` cannot be passed to a kernel")
    if not hasattr(tensor, "stride"):
        return TensorView(address, name, -1, address, tensor.nbytes)
    return view_host_tensor(tensor)


# Memory whose addresses scripts know: first byte -> (name, bytes, function that says whether it is
# gone).
_known_addresses = {}


def note_address(begin, size, name, is_gone):
    """Says that a script has asked for the address of host memory. Until it is gone, simulated kernels
    may reach it, which find its address where the script has put it."""
    known = _known_addresses.get(begin)
    if known is None or known[1] <= size or known[2]():
        _known_addresses[begin] = name, size, is_gone
    _native.ask_for_reachable(reachable)


def _known_memory(address):
    """(first byte, bytes) of the memory with a known address that holds one; None for none."""
    for _, begin, size, _ in reachable() if _known_addresses else ():
        if begin <= address < begin + size:
            return begin, size
    return None


def reachable():
    """(name, first byte, bytes, read-only) of the memory whose addresses scripts know."""
    found = []
    for begin, (name, size, is_gone) in list(_known_addresses.items()):
        if is_gone():
            del _known_addresses[begin]
        else:
            found.append((name, begin, size, False))
    return found


def view_host_tensor(tensor):
    """The view of a tensor of PyTorch whose memory the host can reach."""
    address, name = tensor.data_ptr(), pointer_to(tensor.dtype)
    item = tensor.element_size()
    strides = tensor.stride()
    in_bytes = [s * item for s in strides]
    extent = _extent(address, tensor.shape, in_bytes, item)
    if hasattr(tensor, "untyped_storage"):
        # It may be smaller than the shape says: frameworks free memory so (FSDP).
        storage = tensor.untyped_storage()
        memory = storage.data_ptr(), storage.nbytes()
        # Elements that lie one upon the other, by as_strided: the kernel adds offsets of its own.
        overlap = any(s == 0 and n > 1 for n, s in zip(tensor.shape, strides))
        extent = (memory if overlap and 0 not in tensor.shape
                  else _common(_padded(extent, tensor.shape, in_bytes), memory))
    return TensorView(address, name, -1, *extent)


def _strided(interface):
    """Shape, strides in bytes and bytes of an element of an array."""
    shape, item = interface["shape"], int(interface["typestr"][2:])
    strides = interface.get("strides")
    if strides is None:
        strides, step = [], item
        for n in reversed(shape):
            strides.insert(0, step)
            step *= n
    return shape, strides, item


def _extent_of_array(interface):
    """First byte and number of bytes of an array's elements."""
    return _extent(interface["data"][0], *_strided(interface))


def _view_array(array):
    interface = array.__array_interface__
    name = _pointer_to_elements(interface, array)
    extent = _extent_of_array(interface)
    # Views may be told any shape (as_strided), and outlive what they are views of (resize).
    owner = getattr(array, "base", None)
    if hasattr(owner, "__array_interface__"):
        extent = _padded(extent, *_strided(interface)[:2])
    while owner is not None:
        if hasattr(owner, "__array_interface__"):
            extent = _common(extent, _extent_of_array(owner.__array_interface__))
        owner = getattr(owner, "base", None)
    address, read_only = interface["data"]
    return TensorView(address, name, -1, *extent, read_only)
