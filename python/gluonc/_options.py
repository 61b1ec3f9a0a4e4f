"""Options of launches: those of Triton, and what becomes of each."""

import os
from collections.abc import Mapping

from gluonc import _settings
from gluonc.errors import NotSupportedYet, UsageError
from gluonc.language._constexpr import unwrap

DEFAULTS = {"num_warps": 4, "num_ctas": 1, "maxnreg": None, "debug": False,
            "enable_fp_fusion": None, "launch_pdl": False, "launch_cooperative_grid": False,
            "num_stages": 3,
            # A chip, "sm80" or "gfx942", other than the one that launches are for.
            "arch": None,
            # A file of IR, or of what IR becomes, to be compiled in place of the kernel.
            "ir_override": None,
            # A sanitizer.
            "instrumentation_mode": "",
            # Files of LLVM IR with functions that kernels call: name -> path.
            "extern_libs": None,
            # What NVIDIA's chips approximate, and libraries, may take subnormals for zero.
            "enable_reflect_ftz": True,
            # With debug: signed integers of up to 32 bits must not overflow.
            "sanitize_overflow": True,
            # For ptxas; ptx_version is the ISA's, times ten.
            "ptx_options": None, "ptx_version": None,
            # How many waves a SIMD of AMD's is to hold.
            "waves_per_eu": 0}
# What the compiler is told of by name, where a launch says something else than that.
_BY_NAME = ("extern_libs", "enable_reflect_ftz", "sanitize_overflow", "ptx_options", "ptx_version", "waves_per_eu")
_KINDS = {"enable_reflect_ftz": bool, "sanitize_overflow": bool, "ptx_version": int,
          "waves_per_eu": int}
# Those that a parameter of the same name hides.
RARE = frozenset({"arch", "ir_override", "instrumentation_mode", *_BY_NAME})
# Options of Triton that change nothing here: hints, and checks that are not made.
_IGNORED_OPTIONS = frozenset({"warp_size", "sched4reg", "min_shared_mem",
                              # Of AMD: how products are chosen and scheduled, what LLVM is told of
                              # the function.
                              "matrix_instr_nonkdim", "kpack", "schedule_hint", "llvm_fn_attrs",
                              "wgp_cu_mode", "allow_flush_denorm"})
# Options of Triton that would change results or code, and do not here.
_REFUSED_OPTIONS = frozenset({"allowed_dot_input_precisions", "default_dot_input_precision",
                              "max_num_imprecise_acc_default", "supported_fp8_dtypes",
                              "deprecated_fp8_dot_operand_dtypes", "clc",
                              "fpsan_homomorphic_casts", "backend_name"})


def default_options():
    """The options of a launch, by name."""
    return dict(DEFAULTS)


def settled_options(values):
    """The values of a launch's options with None for what it leaves to settings filled in."""
    options = dict(zip(DEFAULTS, map(unwrap, values)))
    options["enable_fp_fusion"] = _settings.fuses(options["enable_fp_fusion"])
    options["instrumentation_mode"] = _settings.sanitizer(options["instrumentation_mode"])
    return tuple(options.values())


def rare_options(options):
    """Those of _BY_NAME that are given, as the compiler takes them, and what settings add."""
    given = {name: options[name] for name in _BY_NAME
             if options[name] is not None and options[name] != DEFAULTS[name]}
    if "extern_libs" in given:
        given["extern_libs"] = "\n".join(_library_paths(given["extern_libs"]))
    for name, kind in _KINDS.items():
        if name in given:
            given[name] = kind(given[name])
    if not _settings.value("compilation", "disable_line_info"):
        given["line_info"] = True
    return given


def _library_paths(libraries):
    """`extern_libs` is a dict, or pairs, of names and paths."""
    pairs = libraries.items() if isinstance(libraries, Mapping) else libraries
    paths = [os.fspath(unwrap(path)) for _, path in pairs if unwrap(path)]
    for path in paths:
        if "\n" in path:
            raise UsageError(f"extern_libs: {path!r} is no path")
    return paths


def ignores_option(name):
    """Whether it is an option that changes nothing here."""
    return name in _IGNORED_OPTIONS


def check_unknown(name):
    """Raises what a launch gets for an option that is none of DEFAULTS."""
    if name in _REFUSED_OPTIONS:
        raise NotSupportedYet(f"gluonc does not have the launch option {name}", name=name)
    if not ignores_option(name):
        raise KeyError(f"Keyword argument {name} was specified but unrecognised")
