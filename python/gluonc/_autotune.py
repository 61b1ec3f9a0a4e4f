"""autotune and heuristics: what stands around a kernel and chooses compile-time arguments for it."""

import contextlib
import copy
import functools
import hashlib
import inspect
import json
import os
import time

from gluonc import _predictions, _settings, _simulated, errors
from gluonc._engine import current_target, simulated_target
from gluonc._jit import JITFunction, KernelInterface
from gluonc._many import as_compiled, compile_many
from gluonc._native import __version__

# What a configuration may fail with while others work: it asks for more than there is.
_FAILURES = errors.OutOfResources, errors.CompilationError, errors.NotSupportedYet
# A configuration that takes so many times as long as the best one is not measured further.
_HOPELESS = 1.25


class Config:
    """Compile-time arguments and options of one configuration."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None,
                 ir_override=None):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages
        self.num_ctas, self.maxnreg, self.pre_hook = num_ctas, maxnreg, pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        """What a launch with this configuration is given."""
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas,
                   "num_stages": self.num_stages, "maxnreg": self.maxnreg,
                   "ir_override": self.ir_override}
        return {**self.kwargs, **{name: value for name, value in options.items()
                                  if value is not None}}

    def _fields(self):
        return {**vars(self), "pre_hook": None}

    def __repr__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __eq__(self, other):
        return isinstance(other, Config) and (self.all_kwargs(), self.pre_hook) == (
            other.all_kwargs(), other.pre_hook)

    def __hash__(self):
        return hash((*map(str, self.all_kwargs().items()), self.pre_hook))


class _Around(KernelInterface):
    """Stands around a kernel, or around what stands around one."""

    def __init__(self, fn, arg_names):
        functools.update_wrapper(self, fn, updated=())
        self.fn, self.arg_names = fn, list(arg_names)

    @property
    def base_fn(self):
        """The Python function at the bottom."""
        found = self.fn
        while not inspect.isfunction(found):
            found = found.fn
        return found

    @property
    def _kernel(self):
        """The kernel around that function."""
        found = self.fn
        while not isinstance(found, JITFunction):
            found = found.fn
        return found


class Autotuner(_Around):
    """A kernel with configurations: the fastest is chosen for each value of the arguments `key`. On a
    simulated GPU the performance model predicts which one that is. Where times mean nothing, on the
    simulator without such a GPU and for chips that the model does not know, it is the first that
    compiles, unless `do_bench` is the script's own."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None,
                 pre_hook=None, post_hook=None, prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None, cache_results=False):
        super().__init__(fn, arg_names)
        self.configs, self.keys, self.cache = list(configs) or [Config({})], list(key), {}
        # Arguments that measuring must not change: zeroed before each run, or put back after it.
        self.reset_to_zero, self.restore_value = list(reset_to_zero or ()), list(restore_value or ())
        self.restore_copies = {}
        self.pre_hook, self.post_hook = pre_hook or self._save, post_hook or self._restore
        self.user_defined_pre_hook, self.user_defined_post_hook = bool(pre_hook), bool(post_hook)
        pruning = prune_configs_by or {}
        self.early_config_prune = pruning.get("early_config_prune")
        self.perf_model, self.configs_top_k = pruning.get("perf_model"), pruning.get("top_k", 1.0)
        self.cache_results = cache_results or _settings.value("autotuning", "cache")
        # None: that of triton.testing, cut short where a configuration cannot win any more.
        self._do_bench = do_bench or _old_do_bench(warmup, rep, use_cuda_graph)
        self.nargs = self.best_config = None
        # Configuration -> what it failed with when it was compiled or measured last.
        self._failures = {}
        # Of the last choice that was measured.
        self.configs_timings, self.bench_time = {}, None

    @property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        from gluonc._testing import do_bench
        return do_bench

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        try:
            config = self.configs[0] if len(self.configs) == 1 else self._chosen(args, kwargs)
            self.best_config = config
            if config.pre_hook:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **kwargs, **config.all_kwargs())
        finally:
            self.nargs = None

    def warmup(self, *args, **kwargs):
        """Compiles every configuration without launching."""
        self.nargs = dict(zip(self.arg_names, args))
        try:
            return self._compile(args, kwargs, self.prune_configs(kwargs))
        finally:
            self.nargs = None

    # -- Arguments that runs change --------------------------------------------------------------

    def _save(self, named, reset_only=False):
        for name in self.reset_to_zero:
            if named[name] is not None:
                named[name].zero_()
        if not reset_only:
            self.restore_copies = {name: named[name].clone() for name in self.restore_value
                                   if named[name] is not None}

    def _restore(self, named, exception):
        for name, value in self.restore_copies.items():
            named[name].copy_(value)
        self.restore_copies = {}

    # -- The choice ------------------------------------------------------------------------------

    def prune_configs(self, kwargs):
        """The configurations that are worth a try."""
        kwargs = {name: value for name, value in kwargs.items() if name not in ("grid", "warmup")}
        configs = self.configs
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, self.nargs, **kwargs))
            if not configs:
                raise errors.AutotunerError("autotune: early_config_prune left no configuration")
        if self.perf_model:
            kept = self._count_kept(len(configs))
            if len(configs) > kept:
                estimates = [(self.perf_model(**self.nargs, **kwargs, **config.all_kwargs()), i)
                             for i, config in enumerate(configs)]
                configs = [configs[i] for _, i in sorted(estimates)[:kept]]
        return configs

    def _count_kept(self, count):
        top_k = self.configs_top_k
        if isinstance(top_k, float) and top_k <= 1.0:
            return max(1, int(count * top_k))
        if isinstance(top_k, int):
            return top_k
        raise TypeError(f"autotune: top_k is a number of configurations or a part of all, up to 1.0, "
                        f"not {top_k!r}")

    def _chosen(self, args, kwargs):
        named = {name: value for name, value in {**self.nargs, **kwargs}.items()
                 if name in self.arg_names}
        key = (*(named[name] for name in self.keys if name in named),
               *(str(value.dtype) for value in named.values() if hasattr(value, "dtype")))
        if key not in self.cache:
            self.cache[key] = self._choose(key, named, args, kwargs)
        return self.cache[key]

    def _choose(self, key, named, args, kwargs):
        configs = self.prune_configs(kwargs)
        if len(configs) == 1:
            return configs[0]
        if not self._do_bench and not _have_times(named):
            best = self._first_that_compiles(configs, args, kwargs)
            self._reset(best, kwargs)
            return best
        path = self._path(key, configs)
        self.configs_timings = _read_timings(path)
        is_known = bool(self.configs_timings)
        if not is_known:
            begin = time.time()
            self.configs_timings = self._measure(configs, args, kwargs)
            self.bench_time = time.time() - begin
            _write_timings(path, key, self.configs_timings)
        best = min(self.configs_timings, key=self.configs_timings.get)
        self._reset(best, kwargs)
        self._tell(key, best, is_known)
        return best

    def _reset(self, config, kwargs):
        self.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()}, reset_only=True)

    def _first_that_compiles(self, configs, args, kwargs):
        first = None
        for config in configs:
            try:
                self._compile(args, kwargs, [config])
                return config
            except _FAILURES as failure:
                first = first or failure
        raise first

    def _compile(self, args, kwargs, configs):
        return compile_many(self._launches(args, kwargs, configs))

    def _launches(self, args, kwargs, configs):
        kwargs = {name: value for name, value in kwargs.items() if name != "warmup"}
        return [(self.fn, *self._arguments(args, kwargs, config)) for config in configs]

    def _arguments(self, args, kwargs, config):
        """Those of a launch with the configuration, whose pre-hook may set the blocks of descriptors:
        here of copies, since configurations are compiled side by side."""
        if not config.pre_hook:
            return args, {**kwargs, **config.all_kwargs()}
        args = [copy.copy(value) if _is_descriptor(value) else value for value in args]
        kwargs = {name: copy.copy(value) if _is_descriptor(value) else value
                  for name, value in kwargs.items()}
        config.pre_hook({**dict(zip(self.arg_names, args)), **kwargs, **config.all_kwargs()})
        return args, {**kwargs, **config.all_kwargs()}

    def _measure(self, configs, args, kwargs):
        """Configuration -> times. Those that fail take forever. Each is measured while others are compiled."""
        self._failures = {}
        timings = {}
        if hasattr(self.fn, "warmup"):
            # Whoever closes it, and not the collector of garbage, stops what is still being compiled.
            with contextlib.closing(as_compiled(self._launches(args, kwargs, configs))) as compiled:
                for result, config in zip(compiled, configs):
                    if isinstance(result, Exception):
                        self._failures[config] = result
                    timings[config] = self._bench(*args, config=config, best=_best(timings), **kwargs)
        else:
            for config in configs:
                timings[config] = self._bench(*args, config=config, best=_best(timings), **kwargs)
        if all(_is_endless(times) for times in timings.values()):
            raise next(self._failures[config] for config in configs if config in self._failures)
        return timings

    def _bench(self, *args, config, best=float("inf"), **kwargs):
        if _settings.value("autotuning", "print"):
            print(f"autotune: {self.base_fn.__name__} with {config}")
        twice = kwargs.keys() & config.kwargs.keys()
        if twice:
            raise ValueError(f"autotune: the launch and a configuration give {', '.join(twice)}")
        chosen = {**kwargs, **config.all_kwargs()}
        named = {**self.nargs, **chosen}

        def call():
            if config.pre_hook:
                config.pre_hook(named)
            self.pre_hook(named)
            try:
                if config in self._failures:
                    raise self._failures[config]
                self.fn.run(*args, **chosen)
            except Exception as failure:
                self.post_hook(named, exception=failure)
                raise
            self.post_hook(named, exception=None)

        try:
            if self._do_bench is None:
                from gluonc._testing import bench
                return bench(call, quantiles=(0.5, 0.2, 0.8), hopeless=_HOPELESS * best)
            return self._do_bench(call, quantiles=(0.5, 0.2, 0.8))
        except _FAILURES as failure:
            self._failures[config] = failure
            return [float("inf")] * 3

    def _tell(self, key, best, is_known):
        if _settings.value("autotuning", "print") and not is_known:
            print(f"autotune: {self.base_fn.__name__} for {key} in {self.bench_time:.2f} s: {best}")
        listener = _settings.value("autotuning", "listener")
        if listener is not None:
            listener(fn=self._kernel, key=key, best_config=best, cache_hit=is_known,
                     configs_timings=self.configs_timings,
                     duration=None if is_known else self.bench_time)

    def _path(self, key, configs):
        """The file that keeps the times of these configurations; None where nothing does."""
        folder = _settings.results_folder()
        if not self.cache_results or not folder or any(config.pre_hook for config in configs):
            return None
        parts = (__version__, current_target() or simulated_target(), self._kernel.cache_key,
                 _settings.fingerprint(), key, *configs)
        digest = hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()
        return os.path.join(folder, digest, f"{self.base_fn.__name__[:150]}.autotune.json")


def _old_do_bench(warmup, rep, use_cuda_graph):
    """What measures where a script says how in the way that Triton had before `do_bench`."""
    if warmup is None and rep is None and not use_cuda_graph:
        return None
    from gluonc import _testing
    rep = 100 if rep is None else rep
    if use_cuda_graph:
        return functools.partial(_testing.do_bench_cudagraph, rep=rep)
    return functools.partial(_testing.do_bench, warmup=25 if warmup is None else warmup, rep=rep)


def _have_times(named):
    if _simulated.is_active():
        target = simulated_target()
        if not _predictions.are_known(target):
            _predictions.tell_why(f"the performance model has no figures of {target}",
                                  "autotune takes the first configuration that compiles")
            return False
        return True
    return any(
        getattr(getattr(_tensor_of(value), "device", None), "type", "") == "cuda"
        for value in named.values())


def _is_descriptor(value):
    return hasattr(type(value), "__gluonc_descriptor_type__")


def _tensor_of(value):
    return value.base if _is_descriptor(value) else value


def _is_endless(times):
    return min(times) == float("inf") if isinstance(times, (list, tuple)) else times == float("inf")


def _best(timings):
    return min((times[0] if isinstance(times, (list, tuple)) else times for times in timings.values()),
               default=float("inf"))


def _read_timings(path):
    if path is None or not os.path.exists(path):
        return {}
    with open(path) as file:
        return {Config(**fields): times for fields, times in json.load(file)["configs_timings"]}


def _write_timings(path, key, timings):
    if path is None:
        return
    try:
        text = json.dumps({"key": list(map(str, key)),
                           "configs_timings": [(config._fields(), times)
                                               for config, times in timings.items()]})
    except TypeError:
        # A configuration holds what is no number or text.
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Other processes may read it meanwhile.
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w") as file:
        file.write(text)
    os.replace(temporary, path)


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None,
             pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False,
             do_bench=None, cache_results=False):
    """Decorates a kernel with configurations to choose from for each value of the arguments `key`.

    `prune_configs_by` may hold early_config_prune(configs, named_args, **kwargs), and perf_model with
    top_k: the model's estimates leave so many, or such a part. Measuring zeroes `reset_to_zero` and
    puts `restore_value` back; hooks that are given do that instead. `cache_results` keeps times on
    disk."""
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook,
                                post_hook, prune_configs_by, warmup, rep, use_cuda_graph, do_bench,
                                cache_results)


class Heuristics(_Around):
    """A kernel with compile-time arguments that follow from its other arguments."""

    def __init__(self, fn, arg_names, values):
        super().__init__(fn, arg_names)
        self.values = dict(values)

    def run(self, *args, **kwargs):
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        for name, value in self.values.items():
            named[name] = kwargs[name] = value(named)
        return self.fn.run(*args, **kwargs)


def heuristics(values):
    """Decorates a kernel: each name in `values` is an argument computed from the others."""
    return lambda fn: Heuristics(fn, fn.arg_names, values)
