"""autotune and heuristics, as scripts for Triton use them."""

import gluonc
import numpy as np
import pytest
from gluonc import language as gl
from gluonc import Config, autotune, heuristics


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
    with pytest.raises(ValueError, match="no configuration"):
        launch(autotune(CONFIGS, ["n"], prune_configs_by=nothing)(fill))


def test_arguments_are_zeroed_before_each_launch():
    tuned = autotune(CONFIGS[:1], ["n"], reset_to_zero=["dst"])(fill)
    dst = np.ones(64, np.int32).view(Zeroed)
    tuned[(1,)](dst, 7, 64)
    assert (dst == [7] * 32 + [0] * 32).all()


def test_hooks_see_the_configuration():
    seen = []
    config = Config({"BLOCK": 64}, pre_hook=lambda named: seen.append(named["BLOCK"]))
    launch(autotune([config], ["n"],
                    pre_hook=lambda named, reset_only: seen.append(reset_only))(fill))
    assert seen == [True, 64]


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
