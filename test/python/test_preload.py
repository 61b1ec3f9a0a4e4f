"""Specializations that are made ahead of launches: from text, and by an executor."""

import concurrent.futures
import re

import gluonc
import numpy as np
import pytest
from gluonc import hooks
from gluonc._async import AsyncCompileMode, FutureKernel, active_mode
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl


@pytest.fixture
def told():
    """What hooks of compilations were told."""
    found = []
    hooks.compile_enter = lambda **about: found.append(about)
    yield found
    hooks.compile_enter = None


@triton_jit
def one(x):
    return x + 1


@triton_jit
def other(x):
    return x + 2


@triton_jit
def applied(out, n, scale, pair, f: tl.constexpr, shape: tl.constexpr, kind: tl.constexpr):
    at = tl.arange(0, shape[0])
    tl.store(out + at, (f(at) * scale + pair[0]).to(kind), at < n)


ARGUMENTS = 16, 1.5, (3, 1), one, (16, "x"), tl.float32


def test_a_specialization_is_made_from_its_text(told):
    out = np.zeros(16, np.float32)
    compiled = applied[(1,)](out, *ARGUMENTS, num_warps=2)
    text = told[0]["compile"]["specialization_data"]
    caches = applied.device_caches[0][0]
    assert told[0]["compile"]["key"] in caches
    caches.clear()
    assert applied.preload(text).hash == compiled.hash and len(caches) == 1
    told.clear()
    again = applied[(1,)](out, *ARGUMENTS, num_warps=2)
    assert not told and again.hash == compiled.hash and len(caches) == 1
    applied[(1,)](out, 17, *ARGUMENTS[1:], num_warps=2)
    applied[(1,)](out, 16, 1.5, (3, 1), other, (16, "x"), tl.float32, num_warps=2)
    assert len(told) == 2 and len(caches) == 3


@triton_jit
def typed(out, a: tl.int64, b: tl.float16):
    tl.store(out, a + b)


def test_types_of_annotations_and_alignment_are_kept(told):
    memory = np.zeros(8, np.float32)
    for out, a in ((memory, 32), (memory[1:], 7), (memory, 1 << 40)):
        typed[(1,)](out, a, 1)
    typed.device_caches[0][0].clear()
    texts = [about["compile"]["specialization_data"] for about in told]
    told.clear()
    for text in texts:
        typed.preload(text)
    assert len(told) == 2
    for out, a in ((memory, 32), (memory[1:], 7)):
        typed[(1,)](out, a, 1)
    assert len(told) == 2


@triton_jit
def nested(out, values):
    tl.static_assert(values[1][0] == 2)
    tl.store(out, values[0][0] + values[1][0] + values[1][1])


def test_constants_in_tuples_are_kept(told):
    compiled = nested.warmup(np.zeros(1, np.int32), ((1,), (tl.constexpr(2), 5)))
    assert nested.preload(told[0]["compile"]["specialization_data"]).hash == compiled.hash


def test_the_text_is_that_of_one_function_and_target(told):
    typed.device_caches[0][0].clear()
    typed[(1,)](np.zeros(1, np.float32), 3, 1.0)
    text = told[0]["compile"]["specialization_data"]
    with pytest.raises(RuntimeError, match="Specialization data is for .*typed"):
        applied.preload(text)
    with pytest.raises(RuntimeError, match="Specialization data is for {'backend': 'none'"):
        typed.preload(re.sub(r'"backend": "\w+"', '"backend": "none"', text))


class Waiting(concurrent.futures.Executor):
    """Does nothing before it is told to."""

    def __init__(self):
        self.work = []

    def submit(self, fn, *args, **kwargs):
        future = concurrent.futures.Future()

        def run():
            try:
                future.set_result(fn(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)
        self.work.append(run)
        return future

    def run(self):
        while self.work:
            self.work.pop(0)()


@triton_jit
def filled(out, value: tl.constexpr):
    tl.static_assert(value != 3)
    tl.store(out, value)


def test_an_executor_compiles_and_launches_wait():
    pool, caches, out = Waiting(), filled.device_caches[0][0], np.zeros(1, np.int32)
    with AsyncCompileMode(pool) as mode:
        futures = [filled.warmup(out, value) for value in (1, 2, 1)]
        assert active_mode.get() is mode and len(pool.work) == len(caches) == 2
        assert all(isinstance(future, FutureKernel) for future in futures)
        assert futures[0] is futures[2] and not futures[0].done()
        pool.run()
        compiled = filled[(1,)](out, 2)
        assert out[0] == 2 and compiled is futures[1].result() and len(caches) == 2
    assert active_mode.get() is None
    assert filled.warmup(out, 1) is futures[0].result() and futures[0].name == "filled"


def test_the_end_of_the_mode_raises_what_compilations_raised():
    out = np.zeros(1, np.int32)
    with pytest.raises(gluonc.errors.CompileTimeAssertionFailure):
        with concurrent.futures.ThreadPoolExecutor(1) as pool, AsyncCompileMode(pool):
            filled.warmup(out, 3)
    assert active_mode.get() is None
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with AsyncCompileMode(pool, ignore_errors=True):
            filled.warmup(np.zeros(1, np.int64), 3)
            with pytest.raises(RuntimeError, match="active already"):
                AsyncCompileMode(pool).__enter__()


def test_an_exception_does_not_wait():
    with pytest.raises(ZeroDivisionError), AsyncCompileMode(Waiting()):
        filled.warmup(np.zeros(1, np.int8), 1)
        raise ZeroDivisionError
    assert active_mode.get() is None
