"""@gluonc.jit: kernels that are compiled from their source text and launched from Python.

A launch binds its arguments (a function generated once per kernel, so that CPython does it), forms
a key of types and compile-time values, finds the executable under that key and launches it. Only a
key that was never seen reaches the compiler.
"""

import functools
import inspect

from gluonc import _tensors
from gluonc._engine import cuda_target, engine, simulated_target
from gluonc._scopes import load_kernel, token
from gluonc._signature import Arguments, native_arguments, read_parameters

_OPTION_DEFAULTS = {"num_warps": 4, "num_ctas": 1, "maxnreg": None, "debug": False,
                    "enable_fp_fusion": True}
# Options of Triton that change nothing here.
_IGNORED_OPTIONS = frozenset({"num_stages", "warp_size", "sanitize_overflow", "launch_pdl",
                              "launch_cooperative_grid", "enable_reflect_ftz", "ptx_options"})


@functools.lru_cache(maxsize=None)
def _raw_stream_getter():
    from torch import _C
    return _C._cuda_getCurrentRawStream


class CompiledKernel:
    """One specialization of a kernel."""

    def __init__(self, name, executable, target, options, simulated):
        self.name, self.executable, self.target = name, executable, target
        self.simulated = simulated
        self.metadata = dict(zip(_OPTION_DEFAULTS, options), name=name, target=target,
                             shared=executable.shared_bytes)
        self.asm = Assembly(executable)

    def __repr__(self):
        return f"<compiled {self.name} for {self.target}{' (simulated)' * self.simulated}>"

    @property
    def n_regs(self):
        """Registers of a thread; None where ptxas did not run."""
        resources = self.executable.resources()
        return resources and resources[0]

    @property
    def n_spills(self):
        resources = self.executable.resources()
        return resources and resources[1] // 4

    def __getitem__(self, grid):
        def launch(*values, stream=0):
            x, y, z = (*grid, 1, 1)[:3]
            views = [_tensors.view(value) for value in values]
            slots = [v.address if v else value for v, value in zip(views, values)]
            named = [(str(i), v) for i, v in enumerate(views) if v]
            _start(self, (x, y, z), slots, named, stream)
        return launch


class Assembly:
    """The forms of a compiled kernel: ttgir, llir, ptx as text, cubin as bytes. Made when read."""

    _FORMS = ("ttgir", "llir", "ptx", "cubin")

    def __init__(self, executable):
        self._executable = executable

    def __getitem__(self, form):
        if form not in self._FORMS:
            raise KeyError(form)
        code = self._executable.code(form)
        return code if form == "cubin" else code.decode()

    def keys(self):
        return self._FORMS

    def __iter__(self):
        return iter(self._FORMS)

    def __contains__(self, form):
        return form in self._FORMS

    def get(self, form, default=None):
        return self[form] if form in self._FORMS else default


def _start(compiled, grid, values, tensors, stream):
    if compiled.simulated:
        ranges = [(name, t.begin, t.bytes, t.read_only) for name, t in tensors]
        compiled.executable.launch_on_ranges(*grid, values, ranges)
    else:
        compiled.executable.launch(*grid, stream, values)


class KernelInterface:
    """What `kernel[grid](…)` needs of an object: `run(*args, grid, **kwargs)`."""

    # What kernels get for the object; see gluonc._scopes. Here: what it holds as `fn`.
    _binding_kind = None

    def __getitem__(self, grid):
        return functools.partial(self._launch, grid)

    def _launch(self, grid, *args, **kwargs):
        return self.run(*args, grid=grid, **kwargs)


class JITFunction(KernelInterface):
    """A kernel, or a function that kernels call."""

    def __init__(self, fn, do_not_specialize=None, do_not_specialize_on_alignment=None,
                 debug=None, noinline=None, repr=None, launch_metadata=None, version=None):
        self.fn, self.debug, self.noinline = fn, debug, noinline
        self._skipped = do_not_specialize, do_not_specialize_on_alignment
        self._hooks = []
        functools.update_wrapper(self, fn)

    # Signatures are read at the first launch: a file may hold many functions that never launch.
    @functools.cached_property
    def params(self):
        return read_parameters(self.fn, *self._skipped)

    @property
    def arg_names(self):
        return [parameter.name for parameter in self.params]

    @functools.cached_property
    def _bind(self):
        """f(*args, **kwargs) -> (arguments in order, options in order)."""
        defaults, names, keyword_only = {}, [], []
        for i, parameter in enumerate(self.params):
            text = parameter.name
            if parameter.default is not inspect.Parameter.empty:
                defaults[f"_d{i}"] = parameter.default
                text += f"=_d{i}"
            (keyword_only if parameter.keyword_only else names).append(text)
        # A kernel parameter may be called like an option: then it gets the option as well.
        keyword_only += [f"{name}={default!r}" for name, default in _OPTION_DEFAULTS.items()
                         if name not in self.arg_names]
        head = ", ".join([*names, *(["*", *keyword_only] if keyword_only else ()), "**_other"])
        values, options = (f"({''.join(name + ', ' for name in part)})"
                           for part in (self.arg_names, _OPTION_DEFAULTS))
        text = (f"def {self.fn.__name__}({head}):\n    if _other: _unknown(_other)\n"
                f"    return {values}, {options}\n")
        scope = {"_unknown": self._check_unknown, **defaults}
        exec(text, scope)
        return scope[self.fn.__name__]

    def _check_unknown(self, names):
        for name in names:
            if name not in _IGNORED_OPTIONS:
                raise KeyError(f"Keyword argument {name} was specified but unrecognised")

    @functools.cached_property
    def _kernel(self):
        return load_kernel(self.fn)

    @functools.cached_property
    def _compiled(self):
        """Key of a specialization -> CompiledKernel."""
        return {}

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.fn.__name__} is a kernel function: launch it as "
                           f"{self.fn.__name__}[grid](…), or call it from a kernel")

    def __repr__(self):
        return f"JITFunction({self.fn.__module__}:{self.fn.__qualname__})"

    # gluonc_binding_kind of the C API.
    _binding_kind = 1

    def __gluonc_source__(self):
        return token(self)

    def front_end_ir(self, target, *args, **kwargs):
        """The IR of a specialization for `target` ("cuda:90a"), before any pass."""
        values, options = self._bind(*args, **kwargs)
        bound = Arguments(self.params, values)
        return self._specialize(values, options, bound.key).ir(target)

    def add_pre_run_hook(self, hook):
        self._hooks.append(hook)

    def run(self, *args, grid, warmup=False, **kwargs):
        for hook in self._hooks:
            hook(*args, **kwargs)
        values, options = self._bind(*args, **kwargs)
        bound = Arguments(self.params, values)
        device = self._device(bound.tensors)
        key = (device, options, *bound.key)
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = self._compile(values, options, bound.key, device)
        if warmup:
            return compiled
        if callable(grid):
            grid = grid(dict(zip(self.arg_names, values)))
        x, y, z = (*grid, 1, 1)[:3] if type(grid) in (tuple, list) else (grid, 1, 1)
        if x and y and z:
            stream = _raw_stream_getter()(device) if device >= 0 else 0
            _start(compiled, (x, y, z), bound.values, bound.tensors, stream)
        return compiled

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles without launching. dtypes stand in for tensors."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def _device(self, tensors):
        """CUDA ordinal of the tensors, -1 for the simulator."""
        devices = {tensor.device for _, tensor in tensors if tensor.device is not None}
        if len(devices) > 1:
            places = ", ".join(f"{name} on {'the CPU' if t.device < 0 else f'cuda:{t.device}'}"
                               for name, t in tensors if t.device is not None)
            raise ValueError(f"{self.fn.__name__}: tensors on different devices: {places}")
        return devices.pop() if devices else -1

    def _compile(self, values, options, key, device):
        specialization = self._specialize(values, options, key)
        simulated = device < 0
        target = simulated_target() if simulated else cuda_target(device)
        executable = engine().make(specialization, target, simulated)
        if not simulated:
            executable.load(device)
        return CompiledKernel(self.fn.__name__, executable, target, options, simulated)


    def _specialize(self, values, options, key):
        num_warps, num_ctas, maxnreg, debug, fp_fusion = options
        return self._kernel.specialize(
            native_arguments(self.params, values, key), int(num_warps), int(num_ctas),
            maxnreg or 0, bool(debug or self.debug), bool(fp_fusion))


def jit(fn=None, **options):
    """Makes a function a kernel. Bare, or with options: do_not_specialize, noinline, debug, …"""
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)
