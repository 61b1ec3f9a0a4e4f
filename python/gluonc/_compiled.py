"""CompiledKernel: one specialization of a kernel, made by a launch, by warmup() or by compile().

kernel[grid](…) does not come here: native/Dispatch.cpp launches what it has made before. Here are
launches of a compiled kernel by itself, which takes the arguments as they were compiled for.
"""

import copyreg
import sys
from collections import namedtuple

from gluonc import _native, _tensors, hooks
from gluonc._engine import engine, gpu_target
from gluonc._lazy import lazy
from gluonc._signature import CONSTANT_KINDS, TUPLE_KIND, plain_number
from gluonc.errors import Unavailable, UsageError


_SIMULATED_REGISTERS = 32


def current_device():
    """The GPU that PyTorch works on; the first one where PyTorch is not there."""
    torch = sys.modules.get("torch")
    # A PyTorch for CPUs has no such function.
    return getattr(torch._C, "_cuda_getDevice", int)() if torch else 0


def current_stream(device):
    """The stream that PyTorch works on (one of HIP where it is for AMD's GPUs); the driver's default
    where PyTorch is not there."""
    torch = sys.modules.get("torch")
    return torch._C._cuda_getCurrentRawStream(device) if torch else 0


def _restored(saved):
    return engine().load_executable(saved)


# To other processes of the same gluonc goes the machine code, without the source.
copyreg.pickle(_native.Executable, lambda executable: (_restored, (executable.save(),)))


class Metadata(namedtuple("Metadata", (
        "hash", "target", "name", "num_warps", "num_ctas", "maxnreg", "debug", "enable_fp_fusion",
        "launch_pdl", "launch_cooperative_grid", "num_stages", "arch", "ir_override",
        "instrumentation_mode", "extern_libs", "enable_reflect_ftz", "sanitize_overflow",
        "ptx_options", "ptx_version", "waves_per_eu", "shared", "tmem_size", "global_scratch_size",
        "global_scratch_align", "profile_scratch_size", "profile_scratch_align"))):
    """What a launch of a compiled kernel needs to know. Fields by name, too: metadata["shared"]."""

    __slots__ = ()

    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)


class CompiledKernel:
    """One specialization of a kernel. `device` is a GPU's ordinal, -1 for the simulator, None for
    machine code that is loaded where it is launched first."""

    # Says what the compiler was told.
    resolver = None
    # Whether an argument keeps it, not its kernel; see be_owned.
    is_owned = False

    def __init__(self, name, executable, target, options, device, fn=None, specs=None, src=None,
                 specialization=None):
        self.fn, self.name, self.executable, self.target = fn, name, executable, target
        self.device, self.specs, self.options, self._src = device, specs, options, src
        # The first option is the kernel's own warps; a CTA has those of its partitions, too.
        self.metadata = Metadata(executable.key(), target, name, executable.num_warps, *options[1:],
                                 executable.shared_bytes, 0, executable.scratch_bytes, 128, 0, 1)
        is_triton = fn is not None and not fn.is_gluon()
        self.asm = Assembly(executable, specialization, target, "ttir" if is_triton else "glir")

    def be_owned(self, definition):
        """Lets the youngest function or class among the arguments keep it: a kernel that lives long
        keeps nothing of the functions that it is given. What cannot, does not: the kernel does."""
        try:
            kept = vars(definition).get("_gluonc_kernels")
            if kept is None:
                kept = []
                setattr(definition, "_gluonc_kernels", kept)
        except (AttributeError, TypeError):
            return
        kept.append(self)
        self.is_owned = True

    def __repr__(self):
        return f"<compiled {self.name} for {self.target}{' (simulated)' * self.simulated}>"

    @property
    def simulated(self):
        return self.device is not None and self.device < 0

    @property
    def src(self):
        """What it was compiled from."""
        if self._src is None:
            from gluonc._compile import ASTSource
            self._src = ASTSource(self.fn, *self.fn._describe_specs(self.specs))
        return self._src

    @property
    def hash(self):
        return self.metadata.hash

    @property
    def packed_metadata(self):
        return self.metadata.num_warps, self.metadata.num_ctas, self.metadata.shared

    @property
    def kernel(self):
        """The machine code."""
        return self.asm[self.asm.binary]

    @property
    def function(self):
        """The driver's handle of the loaded kernel; None on the simulator."""
        return self.executable.function() or None

    @property
    def n_regs(self):
        """Registers of a thread; None where neither the driver nor ptxas was asked. On the simulator,
        where threads have no registers, a number to compute with."""
        resources = self.executable.resources()
        return resources[0] if resources else _SIMULATED_REGISTERS if self.simulated else None

    @property
    def n_spills(self):
        """Words that a thread spills."""
        resources = self.executable.resources()
        return resources[1] // 4 if resources else 0 if self.simulated else None

    @property
    def n_max_threads(self):
        """Threads that a CTA of this kernel may have; None before it is loaded on a GPU."""
        resources = self.executable.resources()
        return resources and resources[2] or None

    def launch_metadata(self, grid, stream, *values):
        """What hooks of a launch get; None while there are none."""
        if not hooks.launch_enter and not hooks.launch_exit:
            return None
        if self.fn is None:
            return hooks.describe(self, grid, stream, (), (), None)
        return hooks.describe(self, grid, stream, self.fn.arg_names, values,
                              self.fn.launch_metadata)

    def __getitem__(self, grid):
        grid = (*grid, 1, 1)[:3]

        def launch(*values, stream=None):
            self.run(*grid, stream, self.function, self.packed_metadata,
                     self.launch_metadata(grid, stream, *values), hooks.launch_enter,
                     hooks.launch_exit, *values)
        return launch

    def run(self, grid_x, grid_y, grid_z, stream, function, packed_metadata, launch_metadata,
            enter_hook, exit_hook, *values):
        """Launches as Triton's launchers do. `values` are those of all parameters, or without the
        ones that were known when the kernel was compiled. `function` and `packed_metadata` are
        this kernel's own; either stream and hooks may be None."""
        arguments = _Arguments(self, self._run_time_values(values))
        if enter_hook and launch_metadata is not None:
            enter_hook(launch_metadata)
        if self.simulated:
            self.executable.launch_on_ranges(grid_x, grid_y, grid_z, arguments.slots,
                                             arguments.ranges, _tensors.reachable())
        else:
            self._load()
            stream = current_stream(self.device) if stream is None else stream
            self.executable.launch(grid_x, grid_y, grid_z, stream, arguments.slots)
        if exit_hook and launch_metadata is not None:
            exit_hook(launch_metadata)

    def _init_handles(self):
        """Loads it, for scripts that ask about its registers ahead of a launch, and for those that
        have moved it here from another process."""
        vars(self).pop("run", None)
        if not self.simulated:
            if not self.executable.function():
                self.device = None
            self._load()

    def _load(self):
        """Puts machine code on the current device, unless it is on one already."""
        if self.device is not None:
            return
        device = current_device()
        there = gpu_target(device)
        if there.rstrip("af") != self.target.rstrip("af"):
            raise Unavailable(f"{self.name} is compiled for {self.target}, and device {device} is "
                              f"{there}")
        self.executable.load(device)
        self.device = device

    def _run_time_values(self, values):
        """One value for each parameter that is left at run time, out of tuples, too."""
        if self.specs is not None and len(values) == len(self.specs):
            values = _without_constants(self.specs, values)
        return list(values)


def _without_constants(specs, values):
    for (kind, inner), value in zip(specs, values):
        if kind == TUPLE_KIND:
            yield from _without_constants(inner[1], value)
        elif kind not in CONSTANT_KINDS:
            yield value


class _Arguments:
    """One launch's values, checked against the parameters: `slots`, `ranges` of host memory."""

    def __init__(self, compiled, values):
        self.slots, self.ranges, self._records = [], [], []
        self._compiled = compiled
        types = compiled.executable.parameter_types
        if len(values) != len(types):
            raise TypeError(f"{compiled.name} takes {len(types)} launch arguments "
                            f"({', '.join(types)}), not {len(values)}: the number of launch "
                            "arguments is wrong")
        for index, (kind, value) in enumerate(zip(types, values)):
            self.slots.append(self._slot(index, kind, value))

    def _slot(self, index, kind, value):
        if kind.startswith("tensordesc"):
            return self._descriptor(index, kind, value)
        found = _tensors.view(value)
        if kind.startswith("*"):
            if found is not None:
                return self._address(index, found)
            if value is None:
                return 0
        elif found is not None:
            self._refuse(index, kind, value)
        number = plain_number(value)
        if number is None or isinstance(number, float) and not kind.startswith(("fp", "bf")):
            self._refuse(index, kind, value)
        return number

    def _address(self, index, found):
        """That of a tensor, whose memory the launch may use."""
        there = self._compiled.device
        if found.device is not None and there is not None and found.device != there:
            names = ["the simulator" if place < 0 else f"cuda:{place}"
                     for place in (there, found.device)]
            raise ValueError(f"argument {index} of {self._compiled.name}: a tensor for "
                             f"{names[1]} and a kernel for {names[0]} (different devices)")
        if found.device is not None and found.device < 0:
            self.ranges.append((str(index), found.begin, found.bytes, found.read_only))
        return found.address

    def _descriptor(self, index, kind, value):
        if getattr(value, "__gluonc_descriptor_type__", None) is None:
            self._refuse(index, kind, value)
        base = _tensors.view(value.base)
        im2col = [list(getattr(value, name)) if getattr(value, "_is_im2col", False) else []
                  for name in ("element_strides", "pixel_box_lower_corner",
                               "pixel_box_upper_corner")]
        record = _native.TensorRecord(self._address(index, base), list(value.shape),
                                      list(value.strides), value._pads_with_nan,
                                      value.round_f32_to_tf32, *im2col, base.type.lstrip("*k"))
        self._records.append(record)
        return record.address

    def _refuse(self, index, kind, value):
        raise TypeError(f"argument {index} of {self._compiled.name} is {kind}, and the launch "
                        f"gives a {type(value).__name__}")


class Assembly:
    """The forms of a compiled kernel: glir or, of the Triton language, ttir (the front end's IR, before
    any pass), ttgir, llir, ptx and sass as text, cubin as bytes; amdgcn and hsaco in place of the last
    three for AMD's chips. Made when read; sass, which takes a tool of the CUDA toolkit, is not among
    the keys. `binary` is the form that the driver loads."""

    def __init__(self, executable, specialization, target, first="glir"):
        self._executable, self._specialization, self._target = executable, specialization, target
        self.binary = "hsaco" if target.startswith("hip:") else "cubin"
        assembly = "amdgcn" if target.startswith("hip:") else "ptx"
        self._forms = (first, "ttgir", "llir", assembly, self.binary)

    def __getstate__(self):
        return vars(self) | {"_specialization": None}

    def __getitem__(self, form):
        if form == "sass" and self.binary == "cubin":
            return self._sass
        if form == self._forms[0]:
            if self._specialization is None:
                raise UsageError(f"what came from another process has machine code only, no `{form}`")
            return self._specialization.ir(self._target)
        if form not in self._forms:
            raise KeyError(form)
        code = self._executable.code(form)
        return code if form == self.binary else code.decode()

    @lazy
    def _sass(self):
        from gluonc._sass import disassemble
        return disassemble(self["cubin"])

    def keys(self):
        return self._forms

    def values(self):
        return [self[form] for form in self._forms]

    def items(self):
        return [(form, self[form]) for form in self._forms]

    def __iter__(self):
        return iter(self._forms)

    def __len__(self):
        return len(self._forms)

    def __contains__(self, form):
        return form in self._forms or (form == "sass" and self.binary == "cubin")

    def get(self, form, default=None):
        return self[form] if form in self else default
