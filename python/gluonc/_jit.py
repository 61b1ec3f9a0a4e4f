"""@gluonc.jit: kernels that are compiled from their source text and launched from Python.

A launch binds its arguments, forms a key of types and compile-time values, finds the executable
under that key and launches it: all of that in one call of native/Dispatch.cpp. Only a key that was
never seen comes here, to be compiled.
"""

import functools
import hashlib
import inspect
from collections import namedtuple

from gluonc import _fusion, _native, _tensors, hooks
from gluonc._compiled import CompiledKernel, current_stream
from gluonc._decorated import Decorated, youngest
from gluonc._engine import engine, gpu_target, simulated_target
from gluonc._lazy import lazy
from gluonc._scopes import Resolver
from gluonc._signature import (CONSTANT_KINDS, definitions_in, native_arguments, native_option,
                               read_parameters)
from gluonc.language._constexpr import unwrap

_OPTION_DEFAULTS = {"num_warps": 4, "num_ctas": 1, "maxnreg": None, "debug": False,
                    "enable_fp_fusion": None, "launch_pdl": False,
                    "launch_cooperative_grid": False}
# Options of Triton that change nothing here.
_IGNORED_OPTIONS = frozenset({"num_stages", "warp_size", "sanitize_overflow", "enable_reflect_ftz",
                              "ptx_options", "sched4reg",
                              # Of AMD: how many waves a SIMD is to hold, how products are chosen and
                              # scheduled.
                              "waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint"})


def default_options():
    """The options of a launch, by name."""
    return dict(_OPTION_DEFAULTS)


def settled_options(values):
    """The values of a launch's options with None for what it leaves to settings filled in."""
    options = dict(zip(_OPTION_DEFAULTS, map(unwrap, values)))
    options["enable_fp_fusion"] = _fusion.is_enabled(options["enable_fp_fusion"])
    return tuple(options.values())


def ignores_option(name):
    """Whether it is an option that changes nothing here."""
    return name in _IGNORED_OPTIONS


# What the function given as `repr=` is asked about.
SpecializationNames = namedtuple("SpecializationNames", "fn signature constants")


class KernelInterface(Decorated):
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
        self._decorate(fn)
        self.debug, self.noinline, self._loaded = debug, noinline, None
        self._skipped = do_not_specialize, do_not_specialize_on_alignment
        self._repr, self.launch_metadata = repr, launch_metadata
        self.pre_run_hooks = []
        functools.update_wrapper(self, fn)

    def __class_getitem__(cls, signature):
        """`JITFunction[…]` in annotations."""
        return cls

    # Signatures are read at the first launch: a file may hold many functions that never launch.
    @lazy
    def params(self):
        return read_parameters(self.fn, *self._skipped)

    @lazy
    def _lines(self):
        return inspect.getsourcelines(self.fn)

    @property
    def raw_src(self):
        """The lines of the function, decorators too."""
        return self._lines[0]

    @property
    def starting_line_number(self):
        """That of the first of them in its file, from 1 on."""
        return self._lines[1]

    @property
    def arg_names(self):
        return [parameter.name for parameter in self.params]

    @property
    def cache_key(self):
        """Tells kernels apart in what Triton's autotuner keeps on disk: another text is another kernel."""
        parts = self.fn.__module__, self.fn.__qualname__, self._text or "", _native.__version__
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _prepare(self):
        """Tells the dispatcher, at the first launch and when defaults change, what it needs to know."""
        if self.fn.__code__ is not self._code:
            raise RuntimeError(f"the function behind {self.__name__} is another one than what was "
                               "decorated: decorate that one")
        vars(self).pop("params", None)
        self._set_parameters([parameter.native() for parameter in self.params],
                             [native_option(*option) for option in _OPTION_DEFAULTS.items()],
                             self.fn)

    def _check_unknown(self, name):
        if not ignores_option(name):
            raise KeyError(f"Keyword argument {name} was specified but unrecognised")

    def _load(self, specs):
        """(resolver, kernel of the compiler) for a specialization: what those share that were given no
        functions. A resolver keeps all that it tells of."""
        if definitions_in(specs):
            return self._load_anew()
        loaded = self._loaded
        if loaded is None or self._is_outdated(loaded[0]):
            loaded = self._loaded = self._load_anew()
        return loaded

    def _load_anew(self):
        resolver = Resolver()
        return resolver, resolver.load(self.fn, self._text)

    def _is_outdated(self, resolver):
        """Whether the compiler would be told something else now. A constant that changed is an error,
        as for Triton."""
        if resolver._holds():
            return False
        changes = resolver.changes()
        for name, before, now in changes:
            if before.startswith("gl.constexpr("):
                raise RuntimeError(f"global {name} has changed from {before} to {now} since "
                                   f"{self.fn.__name__} was compiled, which has it as a constant")
        return bool(changes)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.fn.__name__} is a kernel function: launch it as "
                           f"{self.fn.__name__}[grid](…), or call it from a kernel")

    def __repr__(self):
        return f"JITFunction({self.fn.__module__}:{self.fn.__qualname__})"

    # gluonc_binding_kind of the C API.
    _binding_kind = 1

    def front_end_ir(self, target, *args, **kwargs):
        """The IR of a specialization for `target` ("cuda:90a"), before any pass."""
        probe = _FrontEnd(self.fn, *self._skipped, debug=self.debug)
        probe.target, probe._text = target, self._text
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
        """Calls the hooks, for the dispatcher, while there are any."""
        metadata = compiled.launch_metadata(grid, stream, *values)
        hooks.launch_enter(metadata)
        return metadata

    def _launch_ended(self, metadata):
        hooks.launch_exit(metadata)

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
        options = settled_options(options)
        specialization = self._specialization(specs, options)
        simulated = device < 0
        target = simulated_target() if simulated else gpu_target(device)
        executable = engine().make(specialization, target, simulated)
        if not simulated:
            executable.load(device)
        compiled = CompiledKernel(self._name_of(specs), executable, target,
                                  options, device, fn=self, specs=specs,
                                  specialization=specialization)
        compiled.resolver = specialization.resolver
        owner = youngest([self, *definitions_in(specs)])
        if owner is not self:
            compiled.be_owned(owner)
        return compiled

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
        chosen = dict(zip(_OPTION_DEFAULTS, settled_options(options)))
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
        num_warps, num_ctas, maxnreg, debug, fp_fusion, pdl, cooperative = settled_options(options)
        resolver, kernel = self._load(specs)
        return kernel.specialize(
            native_arguments(self.params, specs, resolver.text_of_argument), int(num_warps),
            int(num_ctas), int(maxnreg or 0), bool(debug or self.debug), bool(fp_fusion), bool(pdl),
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
