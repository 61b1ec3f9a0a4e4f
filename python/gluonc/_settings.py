"""Settings that scripts for Triton make: by `triton.knobs`, once something has imported it, else by
variables of the environment, which are read when somebody asks."""

import importlib
import os
import sys

_KNOBS = "gluonc._triton.knobs"


def _is_true(text):
    return text.lower() in ("1", "true", "yes", "on", "y")


def _named_class(text):
    """"module:Class", as Triton's variables name classes. Where there is no Triton, its modules are those
    of gluonc."""
    module, _, name = text.partition(":")
    if not text:
        return None
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        if not module.startswith("triton."):
            raise
        return getattr(importlib.import_module("gluonc._" + module), name)


# (group, name) of triton.knobs -> (variable, what it means, value where it is not set).
_VARIABLES = {
    ("autotuning", "cache"): ("TRITON_CACHE_AUTOTUNING", _is_true, False),
    ("autotuning", "print"): ("TRITON_PRINT_AUTOTUNING", _is_true, False),
    ("cache", "dir"): ("TRITON_CACHE_DIR", str, ""),
    ("cache", "manager_class"): ("TRITON_CACHE_MANAGER", _named_class, None),
    ("cache", "remote_manager_class"): ("TRITON_REMOTE_CACHE_BACKEND", _named_class, None),
    ("compilation", "instrumentation_mode"): ("TRITON_INSTRUMENTATION_MODE", str, ""),
    # Triton's default is False; lines take a fifth more time to compile.
    ("compilation", "disable_line_info"): ("TRITON_DISABLE_LINE_INFO", _is_true, True),
    ("compilation", "fpsan_homomorphic_casts"): ("TRITON_FPSAN_HOMOMORPHIC_CASTS", _is_true, False),
    ("cpu", "backend"): ("TRITON_CPU_BACKEND", _is_true, False),
    ("language", "default_fp_fusion"): ("TRITON_DEFAULT_FP_FUSION", _is_true, True),
    ("language", "force_disable_fp_fusion"): ("TRITON_FORCE_DISABLE_FP_FUSION", _is_true, False),
    ("proton", "disable"): ("TRITON_PROTON_DISABLE", _is_true, False),
    ("redis", "key_format"): ("TRITON_REDIS_KEY_FORMAT", str, "triton:{key}:{filename}"),
    ("redis", "host"): ("TRITON_REDIS_HOST", str, "localhost"),
    ("redis", "port"): ("TRITON_REDIS_PORT", int, 6379),
    ("runtime", "debug"): ("TRITON_DEBUG", _is_true, False),
    ("runtime", "override_arch"): ("TRITON_OVERRIDE_ARCH", str, None),
}
# What the code of kernels depends on.
_MEANINGFUL = (("compilation", "disable_line_info"), ("compilation", "instrumentation_mode"),
               ("language", "default_fp_fusion"),
               ("language", "force_disable_fp_fusion"), ("runtime", "debug"))
# Values of `compilation.instrumentation_mode`: what Triton calls them.
_SANITIZERS = ("consan", "fpsan", "gsan", "iisan")


def from_environment(group, name):
    """None for a setting that no variable makes."""
    variable, read, otherwise = _VARIABLES.get((group, name), ("", str, None))
    text = os.environ.get(variable)
    return otherwise if text is None else read(text)


def value(group, name):
    """What `triton.knobs.<group>.<name>` says."""
    knobs = sys.modules.get(_KNOBS)
    return getattr(getattr(knobs, group), name) if knobs else from_environment(group, name)


def sanitizer(requested):
    """The sanitizer of a launch, as the compiler calls it: what the launch says itself, else the
    setting; "" for none."""
    name = requested or value("compilation", "instrumentation_mode") or ""
    return name + ":homomorphic" if name == "fpsan" and value("compilation", "fpsan_homomorphic_casts") else name


def require_checked(name, is_simulated=None):
    """Raises NotSupportedYet for a sanitizer that there is not, and where launches are not simulated (by
    default: as the machine is): a GPU runs kernels unchecked."""
    from gluonc._engine import current_target
    from gluonc.errors import NotSupportedYet
    if not name:
        return
    name = name.removesuffix(":homomorphic")
    if name not in _SANITIZERS:
        raise NotSupportedYet(f"there is no sanitizer `{name}`: those are {', '.join(sorted(_SANITIZERS))}", name=name)
    if is_simulated is None:
        is_simulated = os.environ.get("GLUONC_SIMULATE") or not current_target()
    if not is_simulated:
        raise NotSupportedYet(f"`{name}` checks simulated launches only, and nothing of it is checked on a "
                              "GPU: run the script by `python -m gluonc --simulate cuda:90a`, or set "
                              "GLUONC_SIMULATE", name=name)


def fuses(requested):
    """Whether products and sums become one instruction, fma: `requested` is what the launch says, None
    where it says nothing. They do by default, as on the command line (`--no-fp-fusion`) and in the C
    API."""
    if value("language", "force_disable_fp_fusion"):
        return False
    return bool(value("language", "default_fp_fusion") if requested is None else requested)


def fingerprint():
    """Differs where kernels may have other code."""
    return tuple(value(*setting) for setting in _MEANINGFUL)


def compiler_folder():
    """Where machine code is kept between processes; "" for nowhere."""
    chosen = os.environ.get("GLUONC_CACHE_DIR")
    if chosen is not None:
        return chosen
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "gluonc")


def results_folder():
    """Where what was measured is kept."""
    return value("cache", "dir") or compiler_folder()
