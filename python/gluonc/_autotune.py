"""autotune and Config: the fastest of several configurations, once per value of `key`."""

import functools

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


class Autotuner(KernelInterface):
    """A kernel with configurations. On the simulator the first one is taken: time means nothing."""

    def __init__(self, fn, configs, key, do_bench=None):
        self.fn, self.configs, self.keys = fn, list(configs), list(key)
        self.cache, self._do_bench = {}, do_bench
        self.best_config = None
        functools.update_wrapper(self, getattr(fn, "fn", fn))

    @property
    def arg_names(self):
        return self.fn.arg_names

    def run(self, *args, grid, **kwargs):
        bound = {**dict(zip(self.arg_names, args)), **kwargs}
        key = tuple(bound.get(name) for name in self.keys)
        config = self.cache.get(key)
        if config is None:
            config = self.cache[key] = self._choose(bound, args, grid, kwargs)
        self.best_config = config
        return self._run(config, bound, args, grid, kwargs)

    def _run(self, config, bound, args, grid, kwargs):
        if config.pre_hook:
            config.pre_hook({**bound, **config.all_kwargs()})
        return self.fn.run(*args, grid=grid, **{**kwargs, **config.all_kwargs()})

    def _choose(self, bound, args, grid, kwargs):
        on_gpu = any(getattr(getattr(value, "device", None), "type", "") == "cuda"
                     for value in bound.values())
        if len(self.configs) == 1 or not on_gpu:
            return self.configs[0]
        # What a pre-hook changes, it changes for the launch that follows it.
        plain = [config for config in self.configs if not config.pre_hook]
        compiled = compile_many([(self.fn, args, {**kwargs, **config.all_kwargs()})
                                 for config in plain], return_exceptions=True)
        # A configuration may ask for more shared memory, say, than there is.
        failed = {id(config): kernel for config, kernel in zip(plain, compiled)
                  if isinstance(kernel, Exception)}
        usable = [config for config in self.configs if id(config) not in failed]
        if not usable:
            raise compiled[0]
        measure = self._do_bench or do_bench
        return min(usable, key=lambda config: measure(
            lambda: self._run(config, bound, args, grid, kwargs)))


def autotune(configs, key, do_bench=None, **_):
    """Decorates a kernel with configurations to choose from for each value of `key`."""
    return lambda fn: Autotuner(fn, configs, key, do_bench)


class Heuristics(KernelInterface):
    """A kernel with compile-time arguments that follow from its other arguments."""

    def __init__(self, fn, values):
        self.fn, self.values = fn, dict(values)
        functools.update_wrapper(self, getattr(fn, "fn", fn))

    @property
    def arg_names(self):
        return self.fn.arg_names

    def run(self, *args, grid, **kwargs):
        bound = {**dict(zip(self.arg_names, args)), **kwargs}
        chosen = {name: value(bound) for name, value in self.values.items()}
        return self.fn.run(*args, grid=grid, **{**kwargs, **chosen})


def heuristics(values):
    """Decorates a kernel: each name in `values` is an argument computed from the others."""
    return lambda fn: Heuristics(fn, values)
