"""CudaTensor: a CPU tensor that says it is on "cuda".

Every call of PyTorch passes `_call`, below: through the mode that install() enters, or, in other
threads, through the class. A result is on "cuda" where an argument was, or where the call asked
for it. What moves between devices copies, as it would between memories.
"""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils import _device as _default_device
from torch.utils import _pytree

from gluonc import _simulated, _tensors
from gluonc._simulated import memory

_CUDA = torch.device("cuda", 0)
_CPU = torch.device("cpu")
# While a CUDA graph is captured: what replay() does again.
_recording = None


class CudaTensor(torch.Tensor):
    """A tensor on the simulated device. Kernels take its memory."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return _call(func, args, kwargs or {})

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("the memory of a simulated device is the host's")


def _is_cuda(device):
    if isinstance(device, str):
        return device.startswith("cuda")
    if isinstance(device, torch.device):
        return device.type == "cuda"
    # An ordinal.
    return type(device) is int


def _wrap(value, on_cuda):
    """Marks or unmarks the tensors in a result."""
    def mark(tensor):
        if isinstance(tensor, CudaTensor) == on_cuda or tensor.device.type == "meta":
            return tensor
        if on_cuda and tensor.requires_grad and tensor.is_leaf:
            # A leaf has to stay one: its gradient is asked for.
            return torch.Tensor._make_subclass(CudaTensor, tensor.detach(), True)
        return tensor.as_subclass(CudaTensor if on_cuda else torch.Tensor)
    if isinstance(value, torch.Tensor):
        return mark(value)
    if isinstance(value, (tuple, list)):
        return _pytree.tree_map_only(torch.Tensor, mark, value)
    return value


def _has_cuda(values):
    for value in values:
        if isinstance(value, CudaTensor):
            return True
        if isinstance(value, (tuple, list)) and _has_cuda(value):
            return True
    return False


def _call(func, args, kwargs):
    with torch._C.DisableTorchFunctionSubclass():
        special = _SPECIAL.get(func)
        if special is not None:
            return special(func, args, kwargs)
        result = _run(func, args, kwargs)
        if _recording is not None and _has_cuda(_pytree.tree_leaves(result)):
            _recording.append(lambda: _again(func, args, kwargs, result))
        return result


def _run(func, args, kwargs):
    device = kwargs.get("device")
    if device is None and func in _default_device._device_constructors():
        device = _default_device.CURRENT_DEVICE
    if device is not None and not isinstance(device, torch.Tensor):
        on_cuda = _is_cuda(device)
        if on_cuda or device != kwargs.get("device"):
            kwargs = {**kwargs, "device": "cpu" if on_cuda else device}
        # There is no driver to lock pages with.
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}
    else:
        on_cuda = _has_cuda(args) or _has_cuda(kwargs.values())
    result = func(*args, **kwargs)
    # Most results hold no tensor, or are the marked argument itself.
    return _wrap(result, on_cuda) if on_cuda or device is not None else result


def _again(func, args, kwargs, result):
    """One step of a graph: the results go where they went at the capture."""
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        new = _run(func, args, kwargs)
        for old, value in zip(_pytree.tree_leaves(result), _pytree.tree_leaves(new)):
            if isinstance(old, torch.Tensor) and old.data_ptr() != value.data_ptr():
                old.copy_(value)


# -- Calls that name or change the device -----------------------------------------------------

def _get_device(func, args, kwargs):
    return _CUDA if isinstance(args[0], CudaTensor) else func(*args, **kwargs)


def _answer(on_cuda):
    def answer(func, args, kwargs):
        return on_cuda if isinstance(args[0], CudaTensor) else func(*args, **kwargs)
    return answer


def _move(tensor, on_cuda, convert, copy=False):
    """`convert(tensor, copy)` gives it another dtype or layout; the device decides whether it is
    another tensor."""
    changes = isinstance(tensor, CudaTensor) != on_cuda
    return _wrap(convert(copy or changes), on_cuda)


def _to(func, args, kwargs):
    tensor, *rest = args
    kwargs = dict(kwargs)
    if kwargs.get("other") is not None:
        rest.insert(0, kwargs.pop("other"))
    if rest and isinstance(rest[0], torch.Tensor):
        other = rest.pop(0)
        kwargs["dtype"], device = other.dtype, _CUDA if isinstance(other, CudaTensor) else _CPU
    elif rest and (rest[0] is None or isinstance(rest[0], (str, int, torch.device))):
        device = rest.pop(0)
    else:
        device = kwargs.pop("device", None)
    kwargs.pop("device", None)
    kwargs.pop("non_blocking", None)
    # (dtype, non_blocking, copy) may be left.
    copy = kwargs.pop("copy", rest[2] if len(rest) > 2 else False)
    if rest and isinstance(rest[0], torch.dtype):
        kwargs["dtype"] = rest[0]
    if device is not None and torch.device(device).type == "meta":
        return func(tensor, "meta", **kwargs)
    on_cuda = isinstance(tensor, CudaTensor) if device is None else _is_cuda(device)
    return _move(tensor, on_cuda, lambda copy: func(tensor, device="cpu", copy=copy, **kwargs),
                 copy)


def _to_cuda(func, args, kwargs):
    return _move(args[0], True, lambda copy: args[0].clone() if copy else args[0])


def _to_cpu(func, args, kwargs):
    return _move(args[0], False, lambda copy: args[0].clone() if copy else args[0])


def _numpy(func, args, kwargs):
    if isinstance(args[0], CudaTensor):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. "
                        "Use Tensor.cpu() to copy the tensor to host memory first.")
    return func(*args, **kwargs)


def _data_ptr(func, args, kwargs):
    """The address of a tensor, which a script may put where kernels find it."""
    tensor = args[0]
    if isinstance(tensor, CudaTensor):
        view = _tensors.view_host_tensor(tensor)
        name = f"{view.type.lstrip('*')}{list(tensor.shape)}"
        memory = StorageWeakRef(tensor.untyped_storage())
        _tensors.note_address(view.begin, view.bytes, name, memory.expired)
    return func(*args, **kwargs)


def _repr(func, args, kwargs):
    if not isinstance(args[0], CudaTensor):
        return func(*args, **kwargs)
    text = repr(args[0].as_subclass(torch.Tensor))
    return text[:-1] + ", device='cuda:0')"


def _deepcopy(func, args, kwargs):
    if not isinstance(args[0], CudaTensor):
        return func(*args, **kwargs)
    return func(args[0].as_subclass(torch.Tensor), *args[1:]).as_subclass(CudaTensor)


def _same(func, args, kwargs):
    return args[0]


def _nothing(func, args, kwargs):
    return None


def _random(func, args, kwargs):
    """Random tensors, and very large ones without the memory."""
    shape = kwargs.get("size", args[0] if args and not isinstance(args[0], int) else args)
    # A shape and where it is: nothing else may be asked of large ones.
    if set(kwargs) <= {"size", "device", "dtype"} and memory.is_large(shape):
        dtype = kwargs.get("dtype") or torch.get_default_dtype()
        made = memory.repeated(lambda n: func(n, dtype=dtype, device="cpu"), shape, dtype)
        return _wrap(made, _is_cuda(kwargs.get("device")))
    return _run(func, args, kwargs)


_SPECIAL = {
    torch.randn: _random,
    torch.rand: _random,
    torch.Tensor.device.__get__: _get_device,
    torch.Tensor.is_cuda.__get__: _answer(True),
    torch.Tensor.is_cpu.__get__: _answer(False),
    torch.Tensor.get_device: _answer(0),
    torch.get_device: _answer(0),
    torch.Tensor.to: _to,
    torch.Tensor.cuda: _to_cuda,
    torch.Tensor.cpu: _to_cpu,
    torch.Tensor.data_ptr: _data_ptr,
    torch.Tensor.numpy: _numpy,
    torch.Tensor.__repr__: _repr,
    torch.Tensor.__deepcopy__: _deepcopy,
    torch.Tensor.pin_memory: _same,
    torch.Tensor.record_stream: _nothing,
}


class _Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if not all(issubclass(each, torch.Tensor) for each in types):
            # What stands for a tensor, as while a graph is traced, answers itself.
            return func(*args, **(kwargs or {}))
        return _call(func, args, kwargs or {})


class Generator(torch.Generator):
    """Random numbers of the simulated device."""

    def __new__(cls, device="cpu"):
        made = super().__new__(cls, "cpu")
        made._on_cuda = _is_cuda(device)
        return made

    @property
    def device(self):
        return _CUDA if self._on_cuda else _CPU


class CUDAGraph:
    """Calls and launches that replay() makes again. The capture itself runs them, too."""

    def __init__(self, keep_graph=False):
        self._steps = []

    def capture_begin(self, *_, **__):
        global _recording
        self._steps = _recording = []

    def capture_end(self):
        global _recording
        _recording = None

    def replay(self):
        for step in self._steps:
            step()

    def reset(self):
        self._steps = []

    def pool(self):
        return 0, 0


def _view(tensor):
    """As arguments of a kernel, these tensors are what they are: CPU tensors."""
    with torch._C.DisableTorchFunction():
        return _tensors.view_host_tensor(tensor)


def _any_large(args, kwargs):
    with torch._C.DisableTorchFunction():
        return any(value.numel() * value.element_size() >= _simulated.LARGE
                   for value in (*args, *kwargs.values()) if isinstance(value, CudaTensor))


def _backward_in_python():
    """Lets what autograd calls back, written in Python, see the device: calls of PyTorch made
    inside of one of its calls pass by `_call`."""
    run = torch.autograd.graph._engine_run_backward

    def run_seeing(*args, **kwargs):
        with torch._C._EnableTorchFunction(), _Mode():
            return run(*args, **kwargs)
    torch.autograd.graph._engine_run_backward = run_seeing
    torch.autograd._engine_run_backward = run_seeing


def _cut_and_recorded(bind):
    """`kernel[grid]`, whose launches may be parts and are taken down while a graph is captured."""
    def bind_and_record(self, grid):
        def launch(*args, **kwargs):
            bound = bind(self, _simulated.launched_grid(grid, lambda: _any_large(args, kwargs)))
            result = bound(*args, **kwargs)
            if _recording is not None:
                _recording.append(lambda: bound(*args, **kwargs))
            return result
        return launch
    return bind_and_record


def install():
    from gluonc._compiled import CompiledKernel
    from gluonc._jit import JITFunction
    torch.Generator = Generator
    # Else a module's parameters would stay CPU tensors: only their data would be replaced.
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    _tensors.register_reader(CudaTensor, _view)
    for kind in (JITFunction, CompiledKernel):
        kind.__getitem__ = _cut_and_recorded(kind.__getitem__)
    _backward_in_python()
    _Mode().__enter__()
