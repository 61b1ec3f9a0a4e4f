"""triton.knobs: settings that scripts set and ask for. Few of them mean something to gluonc."""

import contextlib
import copy
import os

from gluonc import _settings, hooks
from gluonc._listener import CompileTimes
from gluonc.hooks import HookChain


class Knobs:
    """One group of settings. Every name may be set; what was never set is what the environment says,
    its default, or None."""

    def __init__(self, group, **defaults):
        self.__dict__.update(_group=group, _defaults=defaults, knob_descriptors={})

    def reset(self):
        """Forgets what was set."""
        for name in [name for name in self.__dict__ if name not in _OWN]:
            del self.__dict__[name]
        return self

    def copy(self):
        return copy.copy(self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        found = _settings.from_environment(self._group, name)
        return self._defaults.get(name) if found is None else found

    def __setattr__(self, name, value):
        if name == "instrumentation_mode":
            _settings.require_checked(value)
        self.__dict__[name] = value
        if name in ("instrumentation_mode", "fpsan_homomorphic_casts"):
            refresh_knobs()

    @contextlib.contextmanager
    def scope(self):
        """Restores every setting at its end."""
        saved = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(saved)


_OWN = {"_group", "_defaults", "knob_descriptors"}
base_knobs = Knobs
build = Knobs("build")
redis = Knobs("redis")
cache = Knobs("cache", dump_dir="", override_dir="")
compilation = Knobs("compilation", override=False, dump_ir=False, always_compile=False,
                    instrumentation_mode="", enable_experimental_consan=False,
                    front_end_debugging=False)
autotuning = Knobs("autotuning")


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
              "kernel_load_start_hook": "load_start", "kernel_load_end_hook": "load_end",
              "jit_cache_hook": "compile_enter", "jit_post_compile_hook": "compile_exit"}
    launch_enter_hook, launch_exit_hook = _chain("launch_enter"), _chain("launch_exit")
    kernel_load_start_hook, kernel_load_end_hook = _chain("load_start"), _chain("load_end")
    jit_cache_hook, jit_post_compile_hook = _hook("compile_enter"), _hook("compile_exit")

    def __init__(self, *args, **defaults):
        super().__init__(*args, **defaults)
        # Called where a kernel is dropped, which nothing here does.
        self.__dict__["kernel_unload_hook"] = HookChain()

    def __setattr__(self, name, value):
        if name in self._HOOKS:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def reset(self):
        for name in self._HOOKS:
            setattr(self, name, None)
        super().reset()
        self.kernel_unload_hook = HookChain()
        return self

    @contextlib.contextmanager
    def scope(self):
        saved = {name: copy.copy(getattr(self, name)) for name in self._HOOKS}
        try:
            with super().scope():
                yield
        finally:
            for name, value in saved.items():
                setattr(self, name, value)


runtime = RuntimeKnobs("runtime", interpret=False)


class LanguageKnobs(Knobs):
    def fp_fusion_enabled(self, requested):
        return _settings.fuses(requested)


class _Ptxas:
    # The release whose features files may rely on.
    version = "13.0"


language = LanguageKnobs("language")
nvidia = Knobs("nvidia", disable_ptxas_opt=False, ptxas=_Ptxas())
amd = Knobs("amd", use_buffer_ops=True, use_async_copy=True)
proton = Knobs("proton")
propagate_env = True


def refresh_knobs():
    """The environment is read whenever somebody asks. Launches are compiled anew: another sanitizer may
    be wanted."""
    from gluonc._jit import forget_launches
    forget_launches()
