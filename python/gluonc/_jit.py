"""@gluonc.jit: kernels that are compiled from their source text and launched from Python.

A launch binds its arguments, forms a key of types and compile-time values, finds the executable
under that key and launches it: all of that in one call of native/Dispatch.cpp. Only a key that was
never seen comes here, to be compiled.
"""

import functools
import inspect
import weakref
from collections import namedtuple
from collections.abc import Mapping

from gluonc import _ir_files, _native, _preload, _settings, _tensors, hooks
from gluonc._async import active_mode
from gluonc._compiled import CompiledKernel, current_stream
from gluonc._decorated import Decorated, youngest
from gluonc._engine import engine, gpu_target, simulated_target
from gluonc._lazy import lazy
from gluonc._listener import Stopwatch
from gluonc._scopes import Resolver
from gluonc._options import DEFAULTS, RARE, check_unknown, rare_options, settled_options
from gluonc._signature import (CONSTANT_KINDS, definitions_in, native_arguments, native_option,
                               read_parameters)
from gluonc.errors import OutOfResources, UsageError
from gluonc.language._dtypes import dtype

_MAX_WARPS = 32
_TEXTS_OF_DTYPES = {each.__gluonc_source__() for each in dtype._all.values()}


# What the function given as `repr=` is asked about.
SpecializationNames = namedtuple("SpecializationNames", "fn signature constants")


class KernelInterface(Decorated):
    """What `kernel[grid](…)` needs of an object: `run(*args, grid, warmup, **kwargs)`."""

    # What kernels get for the object; see gluonc._scopes. Here: what it holds as `fn`.
    _binding_kind = None

    def __getitem__(self, grid):
        return functools.partial(self._launch, grid)

    def _launch(self, grid, *args, **kwargs):
        return self.run(*args, grid=grid, warmup=False, **kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles without launching. dtypes stand in for tensors."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)


class _Parameters:
    """Questions about `params`."""

    @property
    def arg_names(self):
        return [parameter.name for parameter in self.params]

    @property
    def constexprs(self):
        """Places of the parameters whose values are known when it is compiled."""
        return [parameter.index for parameter in self.params if parameter.is_constexpr]


class DetachedFunction(_Parameters):
    """What another process is told of a kernel whose function was cleared: no code, only the rest."""

    def __init__(self, name, params):
        self.fn, self.__name__, self.params = None, name, params


# Those that have compiled something.
_launched = weakref.WeakSet()


def forget_launches():
    """Drops what was compiled for launches: settings have changed."""
    for function in list(_launched):
        function._forget()


class JITFunction(_native.Dispatcher, _Parameters, KernelInterface):
    """A kernel, or a function that kernels call, in the language that its decorator names."""

    _is_gluon = False

    def __init__(self, fn, do_not_specialize=None, do_not_specialize_on_alignment=None,
                 debug=None, noinline=None, repr=None, launch_metadata=None, version=None):
        self._decorate(fn)
        self.debug, self.noinline, self._loaded = debug, noinline, None
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self._repr, self.launch_metadata, self.version = repr, launch_metadata, version
        self.pre_run_hooks, self.module = [], fn.__module__
        # Text of a specialization -> FutureKernel that no launch has asked for yet.
        self._pending = {}
        functools.update_wrapper(self, fn)

    def __class_getitem__(cls, signature):
        """`JITFunction[…]` in annotations."""
        return cls

    def is_gluon(self):
        """Whether it is written in Gluon; else in the Triton language."""
        return self._is_gluon

    # Signatures are read at the first launch: a file may hold many functions that never launch.
    @lazy
    def params(self):
        return read_parameters(self.fn, self.do_not_specialize, self.do_not_specialize_on_alignment)

    @lazy
    def signature(self):
        return inspect.signature(self.fn)

    @property
    def device_caches(self):
        """device -> (kernels,), those that launches have compiled. `clear()` drops them."""
        return _DeviceCaches(self)

    def repr(self, names):
        """What a specialization is called: `names` are a SpecializationNames."""
        return self.__name__ if self._repr is None else self._repr(names)

    def _prepare(self):
        """Tells the dispatcher, at the first launch and when defaults change, what it needs to know."""
        if self._code is not None and self.fn.__code__ is not self._code:
            raise RuntimeError(f"the function behind {self.__name__} is another one than what was "
                               "decorated: decorate that one")
        vars(self).pop("params", None)
        self._set_parameters([parameter.native() for parameter in self.params],
                             [native_option(*option) for option in DEFAULTS.items()],
                             self.fn)

    _check_unknown = staticmethod(check_unknown)

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
        return resolver, resolver.load(self.fn, self._text, self._line, self._name_in_text)

    def _is_outdated(self, resolver):
        """Whether the compiler would be told something else now. A constant that changed is an error,
        as for Triton."""
        if resolver._holds():
            return False
        changes = resolver.changes()
        for name, before, now in changes:
            if before.startswith("gl.constexpr(") or before in _TEXTS_OF_DTYPES:
                raise RuntimeError(f"global variable {name} has changed from {before} to {now} since "
                                   f"{self.fn.__name__} was compiled, which has it as a constant")
        return bool(changes)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{self.fn.__name__} is a kernel function: launch it as "
                           f"{self.fn.__name__}[grid](…), or call it from a kernel")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.__qualname__})"

    def __reduce__(self):
        # By name, as functions are; libraries clear it before they send it.
        return self.__qualname__ if self.fn else (DetachedFunction, (self.__name__, self.params))

    # gluonc_binding_kind of the C API.
    _binding_kind = 1

    def front_end_ir(self, target, *args, **kwargs):
        """The IR of a specialization for `target` ("cuda:90a"), before any pass."""
        probe = _FrontEnd(self.fn, self.do_not_specialize, self.do_not_specialize_on_alignment,
                          debug=self.debug)
        probe.target, probe._is_gluon = target, self._is_gluon
        probe._text, probe._line, probe._name_in_text = self._text, self._line, self._name_in_text
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
        """The CompiledKernel for what the dispatcher has not seen before; a FutureKernel while somebody
        else compiles it, None where a hook does not want it."""
        mode = active_mode.get()
        if mode is None and not self._pending and hooks.compile_enter is hooks.compile_exit is None:
            return self._make(specs, options, device)
        described = self._describe_compilation(specs, options, device, is_warmup)
        pending = self._pending.get(described["key"])
        if pending is not None:
            return pending if is_warmup and not pending.done() else self._take(described["key"])
        if hooks.compile_enter is not None and hooks.compile_enter(**described):
            return None

        def make():
            compiled = self._make(specs, options, device)
            if hooks.compile_exit is not None:
                hooks.compile_exit(**described)
            return compiled

        if mode is None or not is_warmup:
            return make()
        return self._pending.setdefault(described["key"], mode.submit(make))

    def _forget(self):
        """Drops what was compiled: the next launches compile anew."""
        self._pending.clear()
        self._forget_compiled()

    def _take(self, key):
        """The CompiledKernel that a FutureKernel stood for."""
        return self._pending.pop(key).result()

    def preload(self, specialization_data):
        """The CompiledKernel of a specialization that a hook of compilations was told of, in another
        process, too: `kwargs["compile"]["specialization_data"]`. Launches find it."""
        args, options = _preload.read(self, specialization_data)
        names = set(self.arg_names)
        return self._specialize(tuple(args), {name: value for name, value in options.items()
                                              if name not in names})

    def _named_options(self, options):
        """By name. A parameter that is called like a rare one is a parameter and nothing else."""
        own = RARE & set(self.arg_names)
        return {name: DEFAULTS[name] if name in own else value
                for name, value in zip(DEFAULTS, options)}

    def _make(self, specs, options, device):
        _launched.add(self)
        options = settled_options(options)
        simulated = device < 0
        named = self._named_options(options)
        target = _target(device, named["arch"])
        _check_clusters(named["num_ctas"], target)
        _settings.require_checked(named["instrumentation_mode"], simulated)
        watch = Stopwatch()
        specialization, is_file = self._source(specs, options, named, target, simulated)
        watch.mark()
        executable = engine().make(specialization, target, simulated)
        watch.mark()
        if is_file:
            _ir_files.check_parameters(specs, executable, named["ir_override"])
        name = self._name_of(specs)
        about = None, executable.function() or None, name, {}, executable.key()
        hooks.load_start(*about)
        if not simulated:
            executable.load(device)
        hooks.load_end(*about)
        compiled = CompiledKernel(name, executable, target, tuple(named.values()), device, fn=self,
                                  specs=specs, specialization=specialization)
        # Of a file nothing changes with the program.
        compiled.resolver = Resolver() if is_file else specialization.resolver
        watch.tell(compiled)
        owner = youngest([self, *definitions_in(specs)])
        if owner is not self:
            compiled.be_owned(owner)
        return compiled

    def _source(self, specs, options, named, target, simulated):
        """(specialization, whether it is a file of IR): what the kernel, or the file that a launch gives
        in its place, is for these arguments."""
        path = named["ir_override"]
        if path is not None and _ir_files.form_of(path) not in _ir_files.CODE:
            return _ir_files.load(_ir_files.IRSource(path), named, target), True
        specialization = self._specialization(specs, options)
        if path is not None:
            _ir_files.replace_code(specialization, path, simulated)
        return specialization, False

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
        return self.repr(SpecializationNames(self, *self._describe_specs(specs)))

    def _texts_of(self, specs, options):
        """(for people, with all that tells a specialization from the function's others)"""
        signature, constants = self._describe_specs(specs)
        types = ", ".join(f"{name}: {kind}" for name, kind in signature.items())
        settings = ", ".join(f"{name}={value}"
                             for name, value in zip(DEFAULTS, settled_options(options)))
        text = f"{self.fn.__qualname__}[{settings}]({types})"
        keys = [value.cache_key for value in constants.values() if isinstance(value, Decorated)]
        return text, f"{text} {constants} {keys}"

    def _describe_compilation(self, specs, options, device, is_warmup):
        """What hooks of compilations get."""
        signature, constants = self._describe_specs(specs)
        chosen = dict(zip(DEFAULTS, settled_options(options)))
        text, key = self._texts_of(specs, options)
        places = {(self.arg_names.index(name),): value for name, value in constants.items()}
        return {"key": key, "repr": text, "is_manual_warmup": is_warmup, "already_compiled": False,
                "fn": hooks.JitFunctionInfo(self.fn.__module__, self.fn.__qualname__, self),
                "compile": {"key": key, "signature": signature, "device": device,
                            "constants": places, "is_warmup": is_warmup,
                            "specialization_data": _preload.describe(
                                self, specs, dict(zip(DEFAULTS, options))),
                            **chosen}}

    def _specialization(self, specs, options):
        (num_warps, num_ctas, maxnreg, debug, fp_fusion, pdl, cooperative,
         stages, _, _, sanitizer, *_) = settled = settled_options(options)
        _check_threads(num_warps)
        debug = debug or self.debug or _settings.value("runtime", "debug")
        resolver, kernel = self._load(specs)
        return kernel.specialize(
            native_arguments(self.params, specs, resolver.text_of_argument), int(num_warps),
            int(num_ctas), int(maxnreg or 0), bool(debug), bool(fp_fusion), bool(pdl),
            # Triton takes 0 for no stages at all.
            bool(cooperative), max(int(stages), 1), self.is_gluon(), sanitizer,
            rare_options(self._named_options(settled)))


def _target(device, arch):
    """The chip to compile for: `arch` or what `triton.knobs.runtime.override_arch` says, else the
    launch's."""
    arch = arch or _settings.value("runtime", "override_arch")
    if arch:
        return f"hip:{arch}" if arch.startswith("gfx") else f"cuda:{arch.removeprefix('sm')}"
    return simulated_target() if device < 0 else gpu_target(device)


def _check_clusters(num_ctas, target):
    """NVIDIA's chips before Hopper have no clusters."""
    vendor, _, number = target.partition(":")
    if num_ctas != 1 and vendor == "cuda" and int(number.rstrip("af")) < 90:
        raise UsageError(f"num_ctas is {num_ctas}, and {target} has no clusters: chips from cuda:90 on "
                         "have them")


def _check_threads(num_warps):
    """More warps than a CTA may have are a configuration that an autotuner leaves out."""
    if isinstance(num_warps, int) and num_warps > _MAX_WARPS and num_warps & (num_warps - 1) == 0:
        raise OutOfResources(num_warps * 32, _MAX_WARPS * 32, "threads")


class _DeviceCaches:
    """What was compiled for launches of a function, as Triton's libraries ask for it."""

    def __init__(self, fn):
        self._fn = fn

    def __getitem__(self, device):
        return _CompiledKernels(self._fn, device),

    def clear(self):
        self._fn._forget()


class _CompiledKernels(Mapping):
    """Key, as hooks of compilations are told it -> CompiledKernel, or FutureKernel, for a GPU; those of
    the simulator are for any."""

    def __init__(self, fn, device):
        self._fn, self._device = fn, device

    def _found(self):
        return {**{self._fn._texts_of(compiled.specs, compiled.options)[1]: compiled
                   for compiled in self._fn._list_compiled()
                   if compiled.simulated or compiled.device == self._device},
                **self._fn._pending}

    def __getitem__(self, key):
        return self._found()[key]

    def __iter__(self):
        return iter(self._found())

    def __len__(self):
        return len(self._found())

    def clear(self):
        self._fn._forget()


class _FrontEnd(JITFunction):
    """Gets as far as the IR of the front end, and leaves with it."""

    class Made(Exception):
        """Holds the IR."""

    def _compile(self, specs, options, device, values, is_warmup):
        raise self.Made(self._specialization(specs, options).ir(self.target))


class GluonJITFunction(JITFunction):
    """A function of Gluon."""

    _is_gluon = True


def jit(fn=None, **options):
    """Makes a function a kernel. Bare, or with options: do_not_specialize, noinline, debug, …"""
    if fn is None:
        return lambda function: GluonJITFunction(function, **options)
    return GluonJITFunction(fn, **options)


def triton_jit(fn=None, **options):
    """The same for a kernel in the Triton language, which says nothing of layouts: `triton.jit`."""
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)
