"""@gluonc.jit: kernels that are compiled from their source text and launched from Python.

A launch binds its arguments, forms a key of types and compile-time values, finds the executable
under that key and launches it: all of that in one call of native/Dispatch.cpp. Only a key that was
never seen comes here, to be compiled.
"""

import functools
import inspect
import sys
from collections import namedtuple

from gluonc import _native, _tensors, hooks
from gluonc._engine import cuda_target, engine, simulated_target
from gluonc._scopes import load_kernel, token
from gluonc._signature import CONSTANT_KINDS, native_arguments, native_option, read_parameters
from gluonc.language._constexpr import constexpr, unwrap

_OPTION_DEFAULTS = {"num_warps": 4, "num_ctas": 1, "maxnreg": None, "debug": False,
                    "enable_fp_fusion": True, "launch_pdl": False,
                    "launch_cooperative_grid": False}
# Options of Triton that change nothing here.
_IGNORED_OPTIONS = frozenset({"num_stages", "warp_size", "sanitize_overflow", "enable_reflect_ftz",
                              "ptx_options"})


def current_stream(device):
    """The stream that PyTorch works on; CUDA's default where PyTorch is not there."""
    torch = sys.modules.get("torch")
    return torch._C._cuda_getCurrentRawStream(device) if torch else 0


class Metadata(namedtuple("Metadata", (
        "hash", "target", "name", "num_warps", "num_ctas", "maxnreg", "debug", "enable_fp_fusion",
        "launch_pdl", "launch_cooperative_grid", "num_stages", "shared", "tmem_size",
        "global_scratch_size", "global_scratch_align", "profile_scratch_size",
        "profile_scratch_align"))):
    """What a launch of a compiled kernel needs to know. Fields by name, too: metadata["shared"]."""

    __slots__ = ()

    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)


class CompiledKernel:
    """One specialization of a kernel."""

    def __init__(self, fn, name, executable, target, options, device):
        self.fn, self.name, self.executable, self.target = fn, name, executable, target
        self.device = device
        self.metadata = Metadata(executable.key(), target, name, *options, 3,
                                 executable.shared_bytes, 0, executable.scratch_bytes, 128, 0, 1)
        self.asm = Assembly(executable)

    def __repr__(self):
        return f"<compiled {self.name} for {self.target}{' (simulated)' * self.simulated}>"

    @property
    def simulated(self):
        return self.device < 0

    @property
    def hash(self):
        return self.metadata.hash

    @property
    def packed_metadata(self):
        return self.metadata.num_warps, self.metadata.num_ctas, self.metadata.shared

    @property
    def kernel(self):
        """The machine code."""
        return self.asm["cubin"]

    @property
    def function(self):
        """The driver's handle of the loaded kernel; None on the simulator."""
        return self.executable.function() or None

    @property
    def n_regs(self):
        """Registers of a thread; None where neither the driver nor ptxas was asked."""
        resources = self.executable.resources()
        return resources and resources[0]

    @property
    def n_spills(self):
        """Words that a thread spills."""
        resources = self.executable.resources()
        return resources and resources[1] // 4

    @property
    def n_max_threads(self):
        """Threads that a CTA of this kernel may have; None before it is loaded on a GPU."""
        resources = self.executable.resources()
        return resources and resources[2] or None

    def __getitem__(self, grid):
        x, y, z = (*grid, 1, 1)[:3]

        def launch(*values, stream=None):
            metadata = None
            if hooks.launch_enter or hooks.launch_exit:
                metadata = self.fn._launch_starts(self, (x, y, z), stream, values)
            views = [_tensors.view(value) for value in values]
            slots = [v.address if v else value for v, value in zip(views, values)]
            if self.simulated:
                ranges = [(str(i), v.begin, v.bytes, v.read_only)
                          for i, v in enumerate(views) if v]
                self.executable.launch_on_ranges(x, y, z, slots, ranges)
            else:
                stream = current_stream(self.device) if stream is None else stream
                self.executable.launch(x, y, z, stream, slots)
            if metadata is not None:
                self.fn._launch_ended(metadata)
        return launch


class Assembly:
    """The forms of a compiled kernel: ttgir, llir, ptx and sass as text, cubin as bytes. Made when
    read; sass, which takes a tool of the CUDA toolkit, is not among the keys."""

    _FORMS = ("ttgir", "llir", "ptx", "cubin")

    def __init__(self, executable):
        self._executable = executable

    def __getitem__(self, form):
        if form == "sass":
            return self._sass
        if form not in self._FORMS:
            raise KeyError(form)
        code = self._executable.code(form)
        return code if form == "cubin" else code.decode()

    @functools.cached_property
    def _sass(self):
        from gluonc._sass import disassemble
        return disassemble(self["cubin"])

    def keys(self):
        return self._FORMS

    def values(self):
        return [self[form] for form in self._FORMS]

    def items(self):
        return [(form, self[form]) for form in self._FORMS]

    def __iter__(self):
        return iter(self._FORMS)

    def __len__(self):
        return len(self._FORMS)

    def __contains__(self, form):
        return form in self._FORMS or form == "sass"

    def get(self, form, default=None):
        return self[form] if form in self else default


# What the function given as `repr=` is asked about.
SpecializationNames = namedtuple("SpecializationNames", "fn signature constants")


class KernelInterface:
    """What `kernel[grid](…)` needs of an object: `run(*args, grid, **kwargs)`."""

    # What kernels get for the object; see gluonc._scopes. Here: what it holds as `fn`.
    _binding_kind = None

    def __getitem__(self, grid):
        return functools.partial(self._launch, grid)

    def _launch(self, grid, *args, **kwargs):
        return self.run(*args, grid=grid, **kwargs)


class JITFunction(_native.Dispatcher, KernelInterface):
    """A kernel, or a function that kernels call."""

    def __init__(self, fn, do_not_specialize=None, do_not_specialize_on_alignment=None,
                 debug=None, noinline=None, repr=None, launch_metadata=None, version=None):
        self.fn, self.debug, self.noinline = fn, debug, noinline
        self._skipped = do_not_specialize, do_not_specialize_on_alignment
        self._repr, self.launch_metadata = repr, launch_metadata
        self.pre_run_hooks = []
        functools.update_wrapper(self, fn)

    def __class_getitem__(cls, signature):
        """`JITFunction[…]` in annotations."""
        return cls

    # Signatures are read at the first launch: a file may hold many functions that never launch.
    @functools.cached_property
    def params(self):
        return read_parameters(self.fn, *self._skipped)

    @property
    def arg_names(self):
        return [parameter.name for parameter in self.params]

    def _prepare(self):
        """Tells the dispatcher, at the first launch, what it needs to know."""
        self._set_parameters([parameter.native() for parameter in self.params],
                             [native_option(*option) for option in _OPTION_DEFAULTS.items()])

    def _check_unknown(self, name):
        if name not in _IGNORED_OPTIONS:
            raise KeyError(f"Keyword argument {name} was specified but unrecognised")

    @functools.cached_property
    def _kernel(self):
        kernel, constants = load_kernel(self.fn)
        self._set_globals(constants)
        return kernel

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
        probe = _FrontEnd(self.fn, *self._skipped, debug=self.debug)
        probe.target = target
        try:
            probe._specialize(args, kwargs)
        except _FrontEnd.Made as made:
            return made.args[0]

    def add_pre_run_hook(self, hook):
        """`hook` is called with the arguments of each launch, before it."""
        self.pre_run_hooks.append(hook)
        self._set_has_hooks(True)

    def _run_pre_hooks(self, *args, **kwargs):
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)

    def run(self, *args, grid, warmup=False, **kwargs):
        if warmup:
            return self._specialize(args, kwargs)
        return self[grid](*args, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles without launching. dtypes stand in for tensors."""
        return self._specialize(args, kwargs)

    _current_stream = staticmethod(current_stream)

    def _launch_starts(self, compiled, grid, stream, values):
        """Calls the hooks; the dispatcher does, too, while there are any."""
        metadata = hooks.describe(compiled, grid, stream, self.arg_names, values,
                                  self.launch_metadata)
        hooks.launch_enter(metadata)
        return metadata

    def _launch_ended(self, metadata):
        hooks.launch_exit(metadata)

    def _global_changed(self, name, before, now):
        """Called by a launch that finds another object under the name of a constant."""
        if isinstance(now, constexpr) and now.value == before.value:
            return
        raise RuntimeError(f"global {name} has changed from {before} to {now} since "
                           f"{self.fn.__name__} was compiled, which has it as a constant")

    def _refuse_mixed(self, values):
        views = ((parameter.name, _tensors.view(value))
                 for parameter, value in zip(self.params, values) if value is not None)
        places = ", ".join(f"{name} on {'the CPU' if view.device < 0 else f'cuda:{view.device}'}"
                           for name, view in views if view and view.device is not None)
        raise ValueError(f"{self.fn.__name__}: tensors on different devices: {places}")

    def _compile(self, specs, options, device, values, is_warmup):
        """The CompiledKernel for what the dispatcher has not seen before; None where a hook does
        not want it."""
        if hooks.compile_enter is None and hooks.compile_exit is None:
            return self._make(specs, options, device)
        described = self._describe_compilation(specs, options, device, is_warmup)
        if hooks.compile_enter is not None and hooks.compile_enter(**described):
            return None
        compiled = self._make(specs, options, device)
        if hooks.compile_exit is not None:
            hooks.compile_exit(**described)
        return compiled

    def _make(self, specs, options, device):
        specialization = self._specialization(specs, options)
        simulated = device < 0
        target = simulated_target() if simulated else cuda_target(device)
        executable = engine().make(specialization, target, simulated)
        if not simulated:
            executable.load(device)
        return CompiledKernel(self, self._name_of(specs), executable, target,
                              tuple(map(unwrap, options)), device)

    def _describe_specs(self, specs):
        """(name -> type, name -> compile-time value)."""
        names = self.arg_names
        constants = {name: value for name, (kind, value) in zip(names, specs)
                     if kind in CONSTANT_KINDS}
        signature = {name: "constexpr" if name in constants else spec[1]
                     for name, spec in zip(names, specs)}
        return signature, constants

    def _name_of(self, specs):
        """What `repr=` calls a specialization; by default the function's name."""
        if self._repr is None:
            return self.fn.__name__
        return self._repr(SpecializationNames(self, *self._describe_specs(specs)))

    def _describe_compilation(self, specs, options, device, is_warmup):
        """What hooks of compilations get."""
        signature, constants = self._describe_specs(specs)
        chosen = dict(zip(_OPTION_DEFAULTS, map(unwrap, options)))
        types = ", ".join(f"{name}: {kind}" for name, kind in signature.items())
        settings = ", ".join(f"{name}={value}" for name, value in chosen.items())
        text = f"{self.fn.__qualname__}[{settings}]({types})"
        key = f"{text} {constants}"
        places = {(self.arg_names.index(name),): value for name, value in constants.items()}
        return {"key": key, "repr": text, "is_manual_warmup": is_warmup, "already_compiled": False,
                "fn": hooks.JitFunctionInfo(self.fn.__module__, self.fn.__qualname__, self),
                "compile": {"key": key, "signature": signature, "device": device,
                            "constants": places, "is_warmup": is_warmup, **chosen}}

    def _specialization(self, specs, options):
        num_warps, num_ctas, maxnreg, debug, fp_fusion, pdl, cooperative = map(unwrap, options)
        return self._kernel.specialize(
            native_arguments(self.params, specs), int(num_warps), int(num_ctas),
            int(maxnreg or 0), bool(debug or self.debug), bool(fp_fusion), bool(pdl),
            bool(cooperative))


class _FrontEnd(JITFunction):
    """Gets as far as the IR of the front end, and leaves with it."""

    class Made(Exception):
        """Holds the IR."""

    def _compile(self, specs, options, device, values, is_warmup):
        raise self.Made(self._specialization(specs, options).ir(self.target))


def jit(fn=None, **options):
    """Makes a function a kernel. Bare, or with options: do_not_specialize, noinline, debug, …"""
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)
