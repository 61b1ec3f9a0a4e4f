"""autotune and heuristics, as scripts for Triton use them."""

import time
from types import SimpleNamespace

import gluonc
import numpy as np
import pytest
from gluonc import language as gl
from gluonc import Config, _autotune, _testing, autotune, heuristics
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl
from gluonc._triton.tools.tensor_descriptor import TensorDescriptor


@gluonc.jit
def fill(dst, value, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(dst + offsets, value, mask=offsets < n)


CONFIGS = [Config({"BLOCK": 32}, num_warps=1), Config({"BLOCK": 64}), Config({"BLOCK": 256})]


class Zeroed(np.ndarray):
    """NumPy's arrays have no zero_()."""

    def zero_(self):
        self[:] = 0


def launch(kernel, **more):
    dst = np.zeros(500, np.int32)
    kernel[lambda meta: (gluonc.cdiv(meta["n"], meta["BLOCK"]),)](dst, 7, 500, **more)
    assert (dst == 7).all()
    return kernel.best_config.kwargs["BLOCK"]


def test_the_simulator_takes_the_first_configuration():
    assert launch(autotune(CONFIGS, key=["n"])(fill)) == 32


def test_configurations_are_pruned_first():
    def of_size(configs, named, **kwargs):
        assert named["n"] == 500
        return [config for config in configs if config.kwargs["BLOCK"] > 32]
    large = {"early_config_prune": of_size}
    assert launch(autotune(CONFIGS, ["n"], prune_configs_by=large)(fill)) == 64
    best = {"perf_model": lambda BLOCK, **_: -BLOCK, "top_k": 1}
    assert launch(autotune(CONFIGS, ["n"], prune_configs_by=best)(fill)) == 256
    nothing = {"early_config_prune": lambda configs, named: []}
    with pytest.raises(gluonc.errors.AutotunerError, match="no configuration"):
        launch(autotune(CONFIGS, ["n"], prune_configs_by=nothing)(fill))


@pytest.mark.parametrize("top_k, estimated, kept", [
    (1, 3, [256]), (2, 3, [256, 64]), (0.7, 3, [256, 64]), (0.1, 3, [256]), (1.0, 0, [32, 64, 256])])
def test_a_model_leaves_a_number_or_a_part(top_k, estimated, kept):
    seen, tried = [], []

    def model(BLOCK, **_):
        seen.append(BLOCK)
        return -BLOCK

    def measure(call, quantiles):
        call()
        tried.append(tuned.nargs["n"])
        return [1.0] * 3
    tuned = autotune(CONFIGS, ["n"], prune_configs_by={"perf_model": model, "top_k": top_k},
                     do_bench=measure)(fill)
    assert launch(tuned) == kept[0] and len(seen) == estimated
    # One is not measured.
    assert len(tried) == (len(kept) if len(kept) > 1 else 0)


def test_a_part_is_no_more_than_all():
    tuned = autotune(CONFIGS, ["n"], prune_configs_by={"perf_model": lambda **_: 0, "top_k": 1.5})
    with pytest.raises(TypeError, match="top_k"):
        launch(tuned(fill))


def by_block(times):
    """A do_bench that takes such a time for a value of BLOCK, which the launch leaves in `seen`."""
    def measure(call, quantiles):
        assert quantiles == (0.5, 0.2, 0.8)
        call()
        return [times[seen[-1]]] * 3
    seen = []
    return measure, lambda named: seen.append(named["BLOCK"])


def test_the_fastest_is_chosen_once_for_each_key():
    measure, note = by_block({32: 3.0, 64: 1.0, 256: 2.0})
    calls = []
    configs = [Config(config.kwargs, pre_hook=note) for config in CONFIGS]
    tuned = autotune(configs, ["n"], do_bench=lambda *args, **kwargs: calls.append(1) or
                     measure(*args, **kwargs))(fill)
    assert launch(tuned) == launch(tuned) == 64 and len(calls) == 3
    assert sorted(tuned.configs_timings.values()) == [[1.0] * 3, [2.0] * 3, [3.0] * 3]
    assert tuned.bench_time > 0 and tuned.nargs is None and len(tuned.cache) == 1
    tuned[(1,)](np.zeros(32, np.int32), 7, 32)
    assert len(calls) == 6 and {key[0] for key in tuned.cache} == {500, 32}


def test_measuring_leaves_arguments_as_they_were():
    before = []

    class Array(Zeroed):
        def clone(self):
            return self.copy()

        def copy_(self, other):
            self[:] = other

    def measure(call, quantiles):
        call()
        before.append(dst[0])
        return [1.0] * 3
    dst = np.full(64, 5, np.int32).view(Array)
    grid = lambda meta: (gluonc.cdiv(64, meta["BLOCK"]),)  # noqa: E731
    autotune(CONFIGS, ["n"], restore_value=["dst"], do_bench=measure)(fill)[grid](dst, 7, 64)
    assert before == [5] * 3 and (dst == 7).all()
    dst[:] = 5
    autotune(CONFIGS, ["n"], reset_to_zero=["dst"], do_bench=measure)(fill)[(1,)](dst, 7, 64)
    # Zeroed for each run and, when it is decided, for the one that counts.
    assert (dst == [7] * 32 + [0] * 32).all()
    # Optional ones may be none.
    autotune(CONFIGS, ["n"], reset_to_zero=["n"], restore_value=["n"], do_bench=measure)(
        gluonc.jit(optional))[(1,)](dst, None)


def optional(dst, n, BLOCK: gl.constexpr):
    gl.store(dst, BLOCK if n is None else n)


def test_hooks_see_the_configuration():
    seen = []
    config = Config({"BLOCK": 64}, pre_hook=lambda named: seen.append(named["BLOCK"]))
    before = {"pre_hook": lambda named, reset_only=False: seen.append(reset_only)}
    launch(autotune([config], ["n"], **before)(fill))
    assert seen == [64]
    launch(autotune([config, CONFIGS[0]], ["n"], **before)(fill))
    assert seen == [64, 64, True, 64]


@gluonc.jit
def picky(dst, n, BLOCK: gl.constexpr):
    gl.static_assert(BLOCK > 32, "too small")
    gl.store(dst, BLOCK)


def test_configurations_that_fail_lose():
    dst, failed = np.zeros(1, np.int32), []

    def after(named, exception):
        failed.append(type(exception).__name__)

    def measure(call, quantiles):
        call()
        return [1.0] * 3
    tuned = autotune(CONFIGS[:2], ["n"], post_hook=after, do_bench=measure)(picky)
    tuned[(1,)](dst, 3)
    assert dst[0] == 64 and failed == ["CompileTimeAssertionFailure", "NoneType"]
    assert tuned.configs_timings[CONFIGS[0]] == [float("inf")] * 3
    # The simulator's choice, too.
    again = autotune(CONFIGS[:2], ["n"])(picky)
    again[(1,)](dst, 3)
    assert again.best_config is CONFIGS[1]
    bad = [CONFIGS[0], Config({"BLOCK": 16}), Config({"BLOCK": 64}, num_warps=64)]
    with pytest.raises(gluonc.errors.CompileTimeAssertionFailure):
        autotune(bad, ["n"], do_bench=measure)(picky)[(1,)](dst, 3)


def test_a_configuration_and_a_launch_do_not_give_the_same():
    tuned = autotune(CONFIGS, ["n"], do_bench=lambda call, quantiles: call())(fill)
    with pytest.raises(ValueError, match="BLOCK"):
        tuned[(1,)](np.zeros(4, np.int32), 7, 4, BLOCK=32)


def test_what_cannot_win_is_measured_a_few_times_only():
    from gluonc._testing import bench
    calls = []

    def slow():
        calls.append(1)
        time.sleep(0.001)
    assert len(bench(slow, warmup=0, rep=60, return_mode="all", hopeless=0.5)) == 5 and len(calls) == 9
    assert len(bench(slow, warmup=0, rep=60, return_mode="all", hopeless=50.0)) > 5


def test_each_is_measured_in_its_turn_and_a_failure_stops_the_rest():
    seen = []

    def measure(call, quantiles):
        call()
        seen.append(1)
        if len(seen) == 2:
            raise ZeroDivisionError
        return [1.0] * 3
    with pytest.raises(ZeroDivisionError):
        launch(autotune(CONFIGS, ["n"], do_bench=measure)(fill))
    assert len(seen) == 2


def test_times_are_kept_on_disk(tmp_path, monkeypatch):
    from gluonc._triton import knobs
    told = []
    with knobs.cache.scope(), knobs.autotuning.scope():
        knobs.cache.dir, knobs.autotuning.listener = str(tmp_path), lambda **about: told.append(about)
        calls = []
        for _ in range(2):
            tuned = autotune(CONFIGS, ["n"], cache_results=True, do_bench=lambda call, quantiles: (
                calls.append(1) or [float(len(calls))] * 3))(fill)
            assert launch(tuned) == 32
    assert len(calls) == 3 and len(list(tmp_path.glob("*/fill.autotune.json"))) == 1
    assert [about["cache_hit"] for about in told] == [False, True]
    assert told[0]["fn"] is fill and told[0]["duration"] > 0 and told[1]["duration"] is None
    assert told[1]["best_config"] == CONFIGS[0] and len(told[1]["configs_timings"]) == 3


def test_choices_are_printed_on_demand(monkeypatch, capsys):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    launch(autotune(CONFIGS, ["n"], do_bench=lambda call, quantiles: [1.0] * 3)(fill))
    assert "fill" in capsys.readouterr().out


def test_libraries_derive_from_the_autotuner():
    class Own(gluonc.Autotuner):
        def run(self, *args, **kwargs):
            self.nargs = dict(zip(self.arg_names, args))
            config = self.prune_configs(kwargs)[-1]
            self.best_config = config
            return self.fn.run(*args, **kwargs, **config.all_kwargs())
    assert launch(Own(fill, fill.arg_names, CONFIGS, ["n"], None, None)) == 256


def test_configurations_are_values():
    assert Config({"A": 1}) == Config({"A": 1}) != Config({"A": 1}, num_stages=2)
    assert len({Config({"A": 1}), Config({"A": 1}), Config({"A": 1}, ir_override="x")}) == 2
    assert Config({"A": 1}, maxnreg=64).all_kwargs() == {
        "A": 1, "num_warps": 4, "num_ctas": 1, "num_stages": 3, "maxnreg": 64}


def test_heuristics_stand_around_heuristics():
    inner = heuristics({"BLOCK": lambda named: 2 * named["value"]})(fill)
    kernel = heuristics({"value": lambda named: 16})(inner)
    dst = np.zeros(64, np.int32)
    kernel[(2,)](dst, n=64)
    assert (dst == 16).all() and kernel.arg_names == fill.arg_names
    assert autotune([Config({"n": 64})], ["dst"])(kernel).base_fn is fill.fn
    assert kernel.warmup(dst, n=64).metadata.num_warps == 4


def test_heuristics_follow_from_other_arguments_in_turn():
    chosen = {"BLOCK": lambda named: 32 * named["num_warps"],
              "value": lambda named: named["BLOCK"] // 16}
    kernel = heuristics(chosen)(fill)
    dst = np.zeros(64, np.int32)
    kernel[(1,)](dst, n=64, num_warps=2)
    assert (dst == 4).all()


def test_every_configuration_can_be_compiled_ahead():
    tuned = autotune(CONFIGS, ["n"])(fill)
    assert [compiled.metadata.num_warps for compiled in
            tuned.warmup(np.zeros(4, np.int32), 7, 4)] == [1, 4, 4]


def test_benchmarks_are_there_under_names_of_their_own(capsys):
    @gluonc.perf_report(gluonc.Benchmark(["n"], [10, 20], "scale", [1, 2], ["one", "two"], "times",
                                         {}))
    def measure(n, scale):
        dst = np.zeros(n, np.int32)
        assert gluonc.do_bench(lambda: fill[(1,)](dst, 7, n, 32), warmup=0, rep=0) > 0
        assert (dst == 7).all()
        return n * scale
    measure.run(print_data=True)
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1", "20", "20", "40"]


def test_every_public_name_is_there_and_listed():
    assert {"autotune", "Benchmark", "Config", "do_bench", "heuristics", "perf_report"} <= \
        set(gluonc.__all__) <= set(dir(gluonc))
    for name in gluonc.__all__:
        assert getattr(gluonc, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'autotuner'"):
        gluonc.autotuner


def test_pre_hooks_set_blocks_of_descriptors_that_are_compiled_side_by_side():
    def set_block(named):
        named["tensor"].block_shape = [1, named["COLUMNS"]]

    @autotune([Config({"COLUMNS": columns}, pre_hook=set_block) for columns in (16, 32)], ["rows"])
    @triton_jit
    def double(tensor, rows, COLUMNS: tl.constexpr):
        for row in range(rows):
            tensor.store([row, 0], 2 * tensor.load([row, 0]))
    values = np.ones((2, 32), np.float32)
    described = TensorDescriptor(values, [2, 32], [32, 1], [1, 1])
    types = [compiled.executable.parameter_types[0] for compiled in double.warmup(described, 2)]
    assert types == ["tensordesc<fp32[1, 16],aligned>", "tensordesc<fp32[1, 32],aligned>"]
    assert described.block_shape == [1, 1]


def test_tensors_behind_descriptors_are_on_their_device():
    class Described:
        __gluonc_descriptor_type__ = "tensordesc<fp32[1, 16]>"
        base = SimpleNamespace(device=SimpleNamespace(type="cuda"))
    assert _autotune._have_times({"n": 4, "tensor": Described()})
    assert not _autotune._have_times({"n": 4})


def test_a_call_that_is_far_off_does_not_decide(monkeypatch):
    times = iter([50.0, 50.0] + [0.01] * 1000)
    monkeypatch.setattr(_testing, "_measure", lambda: lambda call: next(times))
    assert _testing.bench(lambda: None, warmup=0, rep=1, quantiles=[0.5]) == 0.01
