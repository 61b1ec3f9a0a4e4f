"""Functions that gluonc calls around launches and compilations."""

import gluonc
import kernels
import numpy as np
import pytest
from gluonc import hooks


@pytest.fixture
def seen():
    """A list; hooks that the test adds are gone after it."""
    yield []
    for chain in (hooks.launch_enter, hooks.launch_exit):
        chain.replace(None)
    hooks.compile_enter = hooks.compile_exit = None


def counted(grid, metadata, arguments):
    return {"bytes": 4 * grid[0] * arguments["n"], "warps": metadata.num_warps,
            "name": f"fill {arguments['value']}"}


fill = gluonc.jit(kernels.fill.fn, launch_metadata=counted)


def test_launches_tell_hooks_about_themselves(seen):
    dst = np.zeros(100, np.int32)
    hooks.launch_enter.add(lambda metadata: seen.append(("enter", dst[0])))
    hooks.launch_exit.add(lambda metadata: seen.append(("exit", dst[0], metadata.get())))
    hooks.launch_exit.add(lambda metadata: seen.append("the last one first"))
    compiled = fill[(2,)](dst, 7, 100)
    assert seen == [("enter", 0), "the last one first",
                    ("exit", 7, {"name": "fill 7", "function": None, "stream": 0, "bytes": 800,
                                 "warps": 4})]
    compiled[(1,)](dst, 9, 100)
    assert seen[-1][2]["name"] == "fill 9" and seen[-1][2]["bytes"] == 400
    hooks.launch_enter.replace(None)
    hooks.launch_exit.replace(None)
    before = len(seen)
    fill[(2,)](dst, 8, 100)
    assert len(seen) == before and dst[0] == 8


def test_launch_metadata_is_asked_for_by_get_alone(seen):
    silent = gluonc.jit(kernels.fill.fn, launch_metadata=lambda *_: seen.append(1) or {})
    silent[(1,)](np.zeros(4, np.int32), 7, 4)
    hooks.launch_enter.add(lambda metadata: None)
    silent[(1,)](np.zeros(4, np.int32), 7, 4)
    assert not seen


def test_a_hook_that_fails_stops_the_launch(seen):
    def fail(metadata):
        raise ZeroDivisionError
    hooks.launch_enter.add(fail)
    dst = np.zeros(4, np.int32)
    with pytest.raises(ZeroDivisionError):
        fill[(1,)](dst, 7, 4)
    assert not dst.any()


def test_compilations_tell_hooks_about_themselves(seen):
    fresh = gluonc.jit(kernels.fill.fn)
    hooks.compile_enter = lambda **about: seen.append(about)
    hooks.compile_exit = lambda **about: seen.append(about["repr"])
    dst = np.zeros(64, np.float32)
    fresh[(1,)](dst, 2.0, 64, BLOCK=64)
    about, after = seen
    assert about["fn"].name == "fill" and about["fn"].jit_function is fresh
    assert about["compile"]["constants"] == {(3,): 64} and not about["is_manual_warmup"]
    assert about["compile"]["signature"]["value"] == "fp32" and "num_warps=4" in after
    fresh[(1,)](dst, 3.0, 64, BLOCK=64)
    assert len(seen) == 2
    fresh.warmup(dst, 2.0, 3, BLOCK=32)
    assert seen[2]["is_manual_warmup"]


def test_a_hook_can_keep_a_kernel_from_being_compiled(seen):
    fresh = gluonc.jit(kernels.fill.fn)
    hooks.compile_enter = lambda **about: True
    dst = np.zeros(64, np.int32)
    assert fresh[(1,)](dst, 2, 64) is None and not dst.any()
    hooks.compile_enter = None
    assert fresh[(1,)](dst, 2, 64) is not None and dst.all()


def test_knobs_of_triton_are_the_same_hooks(seen):
    from gluonc._triton import knobs
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = seen.append
        knobs.runtime.launch_exit_hook.add(seen.append)
        kernels.fill[(1,)](np.zeros(4, np.int32), 7, 4)
        knobs.runtime.jit_cache_hook = lambda **about: True
        assert len(seen) == 2 and hooks.launch_enter and hooks.compile_enter
    assert not hooks.launch_enter and not hooks.launch_exit and hooks.compile_enter is None
