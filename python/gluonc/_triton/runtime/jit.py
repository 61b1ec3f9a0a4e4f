"""triton.runtime.jit: tensors that are none, and functions."""

from gluonc._decorated import Decorated as JITCallable
from gluonc._jit import JITFunction, KernelInterface
from gluonc._jit import triton_jit as jit
from gluonc._signature import Parameter as KernelParam
from gluonc.hooks import JitFunctionInfo
from gluonc._tensors import TensorView, pointer_to, register_reader, view
from gluonc.language._constexpr import constexpr


class MockTensor:
    """Stands for a tensor when a kernel is compiled and not launched."""

    def __init__(self, dtype, shape=(1,)):
        self.dtype, self.shape = dtype, list(shape)

    @staticmethod
    def wrap_dtype(arg):
        """A MockTensor for a dtype of torch, other values as they are."""
        kind = type(arg)
        is_dtype = kind.__name__ == "dtype" and kind.__module__ == "torch"
        return MockTensor(arg) if is_dtype else arg

    def stride(self):
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * extent)
        return tuple(strides)

    def data_ptr(self):
        # Divisible by 16, as memory from an allocator is.
        return 0

    def element_size(self):
        return self.dtype.itemsize

    # Not part of any simulated memory.
    nbytes = 0


class TensorWrapper:
    """A tensor read as another dtype of the same size, which torch need not have."""

    def __init__(self, base, dtype):
        self.base, self.dtype = base, dtype
        self.shape, self.device = base.shape, base.device
        # Tests put a part of the tensor here, and go on with the whole.
        self.data = base

    @property
    def nbytes(self):
        return self.base.numel() * self.base.element_size()

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *dim):
        return self.base.stride(*dim)

    def element_size(self):
        return self.base.element_size()

    def numel(self):
        return self.base.numel()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def new_empty(self, *sizes):
        return TensorWrapper(self.base.new_empty(*sizes), self.dtype)

    def __repr__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """`tensor` with its elements read as `dtype`."""
    base = tensor.base if isinstance(tensor, TensorWrapper) else tensor
    if dtype == base.dtype:
        return base
    return TensorWrapper(base, dtype)


# Other names of types in signatures.
type_canonicalisation_dict = {
    name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                            "uint64")}
for _name in list(type_canonicalisation_dict):
    type_canonicalisation_dict[_name] = _name.replace("int", "i").replace("ui", "u")
type_canonicalisation_dict |= {
    "bool": "i1", "int1": "i1", "uint1": "u1", "float16": "fp16", "half": "fp16",
    "bfloat16": "bf16", "float": "fp32", "float32": "fp32", "double": "fp64", "float64": "fp64",
    "float8e5": "fp8e5", "float8e4nv": "fp8e4nv", "float8_e5m2": "fp8e5",
    "float8_e4m3fn": "fp8e4nv", "float8e4b8": "fp8e4b8", "float8e4b15": "fp8e4b15",
    "float8e5b16": "fp8e5b16"}


def _view_mock(tensor):
    """A dtype without memory."""
    return TensorView(0, pointer_to(tensor.dtype), None, 0, 0)


def _view_wrapper(tensor):
    """The memory of another tensor under another dtype."""
    base = view(tensor.base)
    return TensorView(base.address, pointer_to(tensor.dtype), base.device, base.begin, base.bytes,
                      base.read_only)


register_reader(MockTensor, _view_mock)
register_reader(TensorWrapper, _view_wrapper)
