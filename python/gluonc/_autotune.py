"""autotune and Config: the fastest of several configurations, once per value of `key`."""

import functools

from gluonc import _simulated
from gluonc._jit import KernelInterface
from gluonc._many import compile_many
from gluonc._testing import do_bench


class Config:
    """Compile-time arguments and options of one configuration."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages
        self.num_ctas, self.maxnreg, self.pre_hook = num_ctas, maxnreg, pre_hook

    def all_kwargs(self):
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas}
        if self.maxnreg is not None:
            options["maxnreg"] = self.maxnreg
        return {**self.kwargs, **options}

    def __repr__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())


class _Around(KernelInterface):
    """Stands around a kernel, or around what stands around one."""

    def __init__(self, fn):
        self.fn = fn
        functools.update_wrapper(self, getattr(fn, "fn", fn))

    @property
    def arg_names(self):
        return self.fn.arg_names

    def _named(self, args, kwargs):
        return {**dict(zip(self.arg_names, args)), **kwargs}


class Autotuner(_Around):
    """A kernel with configurations. On the simulator the first one is taken: time means nothing."""

    def __init__(self, fn, configs, key, prune_configs_by=None, reset_to_zero=None,
                 restore_value=None, pre_hook=None, post_hook=None, do_bench=None, **_):
        super().__init__(fn)
        self.configs, self.keys = list(configs) or [Config({})], list(key)
        self.cache, self._do_bench = {}, do_bench
        self._prune = prune_configs_by or {}
        # Arguments that measuring must not change: zeroed before each run, or put back after it.
        self._zeroed, self._restored = list(reset_to_zero or ()), list(restore_value or ())
        self._before, self._after = pre_hook, post_hook
        self.best_config = None

    def run(self, *args, grid, **kwargs):
        named = self._named(args, kwargs)
        key = (*(named.get(name) for name in self.keys),
               *(str(value.dtype) for value in named.values() if hasattr(value, "dtype")))
        config = self.cache.get(key)
        if config is None:
            config = self.cache[key] = self._choose(named, args, grid, kwargs)
        self.best_config = config
        self._reset(named)
        return self._run(config, named, args, grid, kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles every configuration without launching."""
        return compile_many([(self.fn, args, {**kwargs, **config.all_kwargs()})
                             for config in self._candidates(self._named(args, kwargs), kwargs)])

    def _reset(self, named):
        for name in self._zeroed:
            named[name].zero_()
        if self._before is not None:
            self._before(named, reset_only=True)

    def _run(self, config, named, args, grid, kwargs):
        if config.pre_hook:
            config.pre_hook({**named, **config.all_kwargs()})
        return self.fn.run(*args, grid=grid, **{**kwargs, **config.all_kwargs()})

    def _trial(self, config, named, args, grid, kwargs):
        """One run that is measured: what it changes is put back."""
        for name in self._zeroed:
            named[name].zero_()
        saved = {name: named[name].clone() for name in self._restored}
        if self._before is not None:
            self._before({**named, **config.all_kwargs()}, reset_only=False)
        try:
            self._run(config, named, args, grid, kwargs)
        finally:
            for name, value in saved.items():
                named[name].copy_(value)
            if self._after is not None:
                self._after(named, exception=None)

    def _candidates(self, named, kwargs):
        configs = self.configs
        if "early_config_prune" in self._prune:
            configs = list(self._prune["early_config_prune"](configs, named, **kwargs))
            if not configs:
                raise ValueError("autotune: early_config_prune left no configuration")
        model, count = self._prune.get("perf_model"), self._prune.get("top_k", 1)
        if model is not None:
            kept = int(len(configs) * count) if isinstance(count, float) else count
            configs = sorted(configs, key=lambda config: model(
                **{**named, **kwargs, **config.all_kwargs()}))[:max(1, kept)]
        return configs

    def _choose(self, named, args, grid, kwargs):
        on_gpu = any(getattr(getattr(value, "device", None), "type", "") == "cuda"
                     for value in named.values())
        configs = self._candidates(named, kwargs)
        if len(configs) == 1 or not on_gpu or _simulated.is_active():
            return configs[0]
        # What a pre-hook changes, it changes for the launch that follows it.
        plain = [config for config in configs if not config.pre_hook]
        compiled = compile_many([(self.fn, args, {**kwargs, **config.all_kwargs()})
                                 for config in plain], return_exceptions=True)
        # A configuration may ask for more shared memory, say, than there is.
        failed = {id(config): kernel for config, kernel in zip(plain, compiled)
                  if isinstance(kernel, Exception)}
        usable = [config for config in configs if id(config) not in failed]
        if not usable:
            raise compiled[0]
        measure = self._do_bench or do_bench
        return min(usable, key=lambda config: measure(
            lambda: self._trial(config, named, args, grid, kwargs)))


def autotune(configs, key, **options):
    """Decorates a kernel with configurations to choose from for each value of `key`. Options:
    prune_configs_by, reset_to_zero, restore_value, pre_hook, post_hook, do_bench."""
    return lambda fn: Autotuner(fn, configs, key, **options)


class Heuristics(_Around):
    """A kernel with compile-time arguments that follow from its other arguments."""

    def __init__(self, fn, values):
        super().__init__(fn)
        self.values = dict(values)

    def run(self, *args, grid, **kwargs):
        named = self._named(args, kwargs)
        for name, value in self.values.items():
            named[name] = kwargs[name] = value(named)
        return self.fn.run(*args, grid=grid, **kwargs)


def heuristics(values):
    """Decorates a kernel: each name in `values` is an argument computed from the others."""
    return lambda fn: Heuristics(fn, values)
