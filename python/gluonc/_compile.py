"""compile: a kernel out of its IR, or out of a function and what its parameters are.

Without a launch: `triton.compile` of scripts, and the way to change a kernel's IR by hand.
"""

import inspect
import os
import re

from gluonc import _settings
from gluonc._compiled import CompiledKernel, current_device
from gluonc._engine import engine, gpu_count, gpu_is_amd, gpu_target, simulated_target
from gluonc._ir_files import IRSource, load
from gluonc._listener import Stopwatch
from gluonc._jit import JITFunction
from gluonc._options import check_unknown, default_options, settled_options
from gluonc._signature import TUPLE_KIND, TYPE_KIND, constant_spec
from gluonc.errors import Unavailable
from gluonc.language._constexpr import unwrap
from gluonc.language._layouts import SCHEMAS


class ASTSource:
    """A kernel and what its parameters are. `signature` tells types by name ("*fp32", "i32",
    "constexpr"), `constexprs` compile-time values by name or path, `attrs` by path what is known of
    values: {(0,): [["tt.divisibility", 16]]}."""

    ext = "ttgir"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        if not isinstance(fn, JITFunction):
            raise TypeError(f"a source takes a kernel, not a {type(fn).__name__}")
        if not all(isinstance(name, str) for name in signature):
            raise TypeError("a signature names parameters: its keys are strings")
        unknown = {*signature, *filter(_is_name, constexprs or ())} - set(fn.arg_names)
        if unknown:
            raise TypeError(f"{fn.__name__} has no parameter {', '.join(sorted(unknown))}")
        self.fn, self.name = fn, fn.__name__
        self.signature = dict(signature)
        self.constants = {(fn.arg_names.index(key),) if _is_name(key) else tuple(key): value
                          for key, value in (constexprs or {}).items()}
        self.attrs = dict(attrs or {})

    def specs(self):
        """What Kernel.specialize takes, for each parameter."""
        return [self._spec((parameter.index,), parameter.name,
                           self.signature.get(parameter.name, parameter.default))
                for parameter in self.fn.params]

    def _spec(self, path, name, kind):
        if path in self.constants:
            return constant_spec(unwrap(self.constants[path]))
        if isinstance(kind, tuple):
            return TUPLE_KIND, (type(kind), [self._spec((*path, i), name, inner)
                                             for i, inner in enumerate(kind)])
        if name not in self.signature and kind is not inspect.Parameter.empty:
            return constant_spec(unwrap(kind))
        if kind == "constexpr":
            # Of which nobody says what it is: none, as for Triton.
            return constant_spec(None)
        if not isinstance(kind, str):
            raise TypeError(f"{self.name}: neither a type nor a value for {name}")
        aligned = any(key == "tt.divisibility" and value % 16 == 0
                      for key, value in self.attrs.get(path, ()))
        kind = _with_paths(kind)
        return TYPE_KIND, kind + (":16" if aligned and not kind.endswith(":16") else "")


def _with_paths(kind):
    """`tensordesc<fp16[64],SwizzledSharedLayout(…)>`, as a layout's representation says it, with the
    layout as kernels call it."""
    if not kind.startswith("tensordesc"):
        return kind
    return re.sub(r"(?<![\w.])(\w+Layout)\(",
                  lambda found: f"gl.{SCHEMAS[found[1]][0]}(" if found[1] in SCHEMAS else found[0], kind)


def _is_name(key):
    return isinstance(key, str)


def compile(src, target=None, options=None, _env_vars=None, *, device=None):
    """The CompiledKernel of a `.ttgir` or `.ttir` file (a path) or of an ASTSource, for a target,
    "cuda:90" or a GPUTarget: machine code, for a GPU that is not there, too. Without a target it is
    for the device that is there, real or simulated; device="cpu" is the simulator in any case.
    `options` are those of a launch; a .ttgir file tells num_warps and num_ctas itself."""
    if device not in (None, "cpu", "cuda"):
        raise ValueError(f'device is "cpu", "cuda" or None, not {device!r}')
    name, device = _place(target, device)
    options = _read_options(options)
    fn = specs = None
    watch = Stopwatch()
    if isinstance(src, ASTSource):
        fn, specs, kernel_name = src.fn, src.specs(), src.name
        specialization, _ = fn._source(specs, options.values(), options, name, device == -1)
    else:
        src = src if isinstance(src, IRSource) else IRSource(src)
        specialization = load(src, options, name)
        kernel_name = src.name
    watch.mark()
    executable = engine().make(specialization, name, device is not None and device < 0)
    watch.mark()
    if device is not None and device >= 0:
        executable.load(device)
    made = CompiledKernel(kernel_name, executable, name, tuple(options.values()), device, fn=fn,
                          specs=specs, src=src, specialization=specialization)
    if not made.simulated and _settings.value("cache", "dir"):
        _leave_machine_code(made)
    watch.tell(made)
    return made


def _leave_machine_code(made):
    """In the folder that a program chose, where its own launchers look for it."""
    from gluonc._triton.runtime.cache import FileCacheManager
    FileCacheManager(made.hash).put(made.kernel, f"{made.name}.{made.asm.binary}")


def _read_options(given):
    options = default_options()
    given = given or {}
    for name, value in (given if isinstance(given, dict) else vars(given)).items():
        if name in options:
            options[name] = unwrap(value)
        else:
            check_unknown(name)
    options = dict(zip(options, settled_options(options.values())))
    _settings.require_checked(options["instrumentation_mode"])
    return options


def _place(target, device):
    """(target, device) as CompiledKernel has them."""
    is_simulated = device == "cpu" or bool(os.environ.get("GLUONC_SIMULATE"))
    if target is None:
        if not is_simulated and gpu_count() > 0:
            number = current_device()
            return gpu_target(number), number
        if device == "cuda" and not is_simulated:
            raise Unavailable("no GPU is there")
        return simulated_target(), -1
    wanted = _read_target(target)
    if wanted.backend == "cpu":
        return simulated_target(), -1
    name = f"{wanted.backend}:{wanted.arch}"
    if device == "cpu":
        return name, -1
    if is_simulated and _is_chip(simulated_target(), wanted):
        return simulated_target(), -1
    # The simulator can be any of AMD's chips.
    if wanted.backend == "hip" and (is_simulated or not _is_there(wanted)):
        return name, -1
    # Machine code, which needs no such GPU before it is launched.
    return name, None


def _read_target(target):
    """A GPUTarget from one, Triton's, too, or from "cuda:90"."""
    from gluonc._triton.backends.compiler import GPUTarget
    if isinstance(target, str):
        return GPUTarget.parse(target)
    if not all(hasattr(target, name) for name in ("backend", "arch", "warp_size")):
        raise TypeError("target must be of GPUTarget type, or a string as in \"cuda:90\", not "
                        f"{type(target).__name__}")
    return target


def _is_there(wanted):
    """Whether the current GPU is such a chip of AMD's."""
    return gpu_is_amd() and gpu_count() > 0 and _is_chip(gpu_target(current_device()), wanted)


def _is_chip(name, wanted):
    from gluonc._triton.backends.compiler import GPUTarget
    found = GPUTarget.parse(name)
    return (found.backend, found.arch) == (wanted.backend, wanted.arch)
