"""triton.knobs: settings that scripts set and ask for. Few of them mean something to gluonc."""

import contextlib
import copy
import os

from gluonc import _fusion, hooks
from gluonc.hooks import HookChain


def _require_checked(sanitizer):
    """Raises NotSupportedYet for a sanitizer whose faults nothing finds: the simulator always looks
    for those of concurrency (consan), of global memory (gsan) and of instructions (iisan)."""
    from gluonc._engine import current_target
    from gluonc.errors import NotSupportedYet
    is_simulated = os.environ.get("GLUONC_SIMULATE") or not current_target()
    if sanitizer not in ("consan", "gsan", "iisan") or not is_simulated:
        raise NotSupportedYet(f"the sanitizer `{sanitizer}` is not supported yet", name=sanitizer)


class Knobs:
    """One group of settings. Every name may be set; what was never set is None or its default."""

    def __init__(self, **defaults):
        self.__dict__["_defaults"] = defaults
        self.__dict__["knob_descriptors"] = {}
        self.reset()

    def reset(self):
        for name in [name for name in self.__dict__ if name not in ("_defaults",
                                                                    "knob_descriptors")]:
            del self.__dict__[name]
        self.__dict__.update(self._defaults)
        return self

    def copy(self):
        return copy.copy(self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return None

    def __setattr__(self, name, value):
        if name == "instrumentation_mode" and value:
            _require_checked(value)
        self.__dict__[name] = value

    @contextlib.contextmanager
    def scope(self):
        """Restores every setting at its end."""
        saved = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(saved)


base_knobs = Knobs
build = Knobs()
redis = Knobs()
cache = Knobs(dir="", dump_dir="", override_dir="")
compilation = Knobs(override=False, dump_ir=False, always_compile=False, instrumentation_mode="",
                    enable_experimental_consan=False, front_end_debugging=False)
autotuning = Knobs(cache=False, print=False)


def _chain(name):
    """A setting that is one of gluonc's chains of hooks; a function that is set takes its place."""
    chain = getattr(hooks, name)
    return property(lambda self: chain, lambda self, value: chain.replace(value))


def _hook(name):
    return property(lambda self: getattr(hooks, name),
                    lambda self, value: setattr(hooks, name, value))


class RuntimeKnobs(Knobs):
    """Hooks are those of gluonc.hooks."""

    _HOOKS = {"launch_enter_hook": "launch_enter", "launch_exit_hook": "launch_exit",
              "jit_cache_hook": "compile_enter", "jit_post_compile_hook": "compile_exit"}
    launch_enter_hook, launch_exit_hook = _chain("launch_enter"), _chain("launch_exit")
    jit_cache_hook, jit_post_compile_hook = _hook("compile_enter"), _hook("compile_exit")

    def __setattr__(self, name, value):
        if name in self._HOOKS:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def reset(self):
        for name in self._HOOKS:
            setattr(self, name, None)
        return super().reset()

    @contextlib.contextmanager
    def scope(self):
        saved = {name: copy.copy(getattr(self, name)) for name in self._HOOKS}
        try:
            with super().scope():
                yield
        finally:
            for name, value in saved.items():
                setattr(self, name, value)


runtime = RuntimeKnobs(interpret=False, debug=False, override_arch=None,
                       add_stages_inspection_hook=None)


class LanguageKnobs(Knobs):
    """What nobody has set is what the environment says."""

    @property
    def default_fp_fusion(self):
        return self.__dict__.get("default_fp_fusion", _ENVIRONMENT.default_fp_fusion)

    @default_fp_fusion.setter
    def default_fp_fusion(self, value):
        self.__dict__["default_fp_fusion"] = value

    @property
    def force_disable_fp_fusion(self):
        return self.__dict__.get("force_disable_fp_fusion", _ENVIRONMENT.force_disable_fp_fusion)

    @force_disable_fp_fusion.setter
    def force_disable_fp_fusion(self, value):
        self.__dict__["force_disable_fp_fusion"] = value

    def __setattr__(self, name, value):
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def fp_fusion_enabled(self, requested):
        return _fusion.is_enabled(requested)


_ENVIRONMENT = _fusion.settings
language = _fusion.settings = LanguageKnobs()
nvidia = Knobs(disable_ptxas_opt=False, mock_ptx_version=None)
amd = Knobs(use_buffer_ops=True, use_async_copy=True)
proton = Knobs(disable=True)
propagate_env = True


class _Ptxas:
    # The release whose features files may rely on.
    version = "13.0"


nvidia.ptxas = _Ptxas()
nvidia._defaults["ptxas"] = nvidia.ptxas


def refresh_knobs():
    """Settings come from the script alone: there is nothing to read again."""
