"""Every kind of argument, through kernel[grid](…)."""

from collections import namedtuple

import gluonc
import kernels
import numpy as np
import pytest
from gluonc import language as gl

Box = namedtuple("Box", "start step")
Other = namedtuple("Other", "step start")


def arrays(*values):
    return [np.full(128, value, np.float32) for value in values]


def test_nested_tuples_arrive_in_order():
    a, b, dst = arrays(1, 2, 0)
    kernels.weigh[(1,)](dst, ((a, 3.0), (None, 7.0), (b, 0.5)), 128)
    assert (dst == 4).all()


def test_an_empty_tuple_is_an_argument():
    dst, = arrays(5)
    kernels.weigh[(1,)](dst, (), 128)
    assert not dst.any()


def test_compile_time_values_live_in_tuples():
    a, dst = arrays(2, 0)
    first = kernels.weigh[(1,)](dst, ((a, gl.constexpr(4.0)),), 128)
    assert (dst == 8).all()
    second = kernels.weigh[(1,)](dst, ((a, gl.constexpr(5.0)),), 128)
    assert (dst == 10).all() and first is not second


@gluonc.jit
def size_of(out, box: gl.constexpr):
    gl.store(out, box.start * 10 + box[1])


def test_a_namedtuple_is_a_compile_time_value():
    out = np.zeros(1, np.int32)
    size_of[(1,)](out, Box(4, 2))
    assert out == 42
    size_of[(1,)](out, box=gl.constexpr(Box(5, 3)))
    assert out == 53
    with pytest.raises(gluonc.CompilationError, match="start"):
        size_of[(1,)](out, (4, 2))


def test_tuples_of_other_shapes_are_other_kernels():
    a, dst = arrays(2, 0)
    one = kernels.weigh.warmup(dst, ((a, 1.5),), 128)
    assert one is kernels.weigh.warmup(dst, ((a, 2.5),), 128)
    assert one is not kernels.weigh.warmup(dst, ((a, 1.5), (a, 1.5)), 128)
    assert one is not kernels.weigh.warmup(dst, ((None, 1.5),), 128)
    assert one is not kernels.weigh.warmup(dst, ((a, 2),), 128)


def test_a_namedtuple_keeps_its_fields():
    dst = np.zeros(128, np.int32)
    kernels.shift[(1,)](dst, Box(start=100, step=3))
    assert np.array_equal(dst, np.arange(128) * 3 + 100)
    kernels.shift[(1,)](dst, Other(start=7, step=2))
    assert np.array_equal(dst, np.arange(128) * 2 + 7)


def test_variadic_arguments_are_a_tuple():
    dst = np.zeros(128, np.int32)
    kernels.shift[(1,)](dst, Box(0, 0), 2, 30, 400, SCALE=2)
    assert (dst == 864).all()
    kernels.shift[(1,)](dst, Box(5, 0))
    assert (dst == 5).all()


def test_functions_are_arguments():
    dst = np.zeros(128, np.int32)
    kernels.apply[(1,)](dst, kernels.square)
    assert np.array_equal(dst, np.arange(128) ** 2)


def test_annotations_fix_types():
    dst = np.zeros(2, np.int64)
    one = kernels.typed[(1,)](dst, 1, 2)
    assert dst.tolist() == [1, 2]
    assert one is kernels.typed[(1,)](dst, (1 << 40) + 1, 3.0)
    assert dst.tolist() == [(1 << 40) + 1, 3]
    with pytest.raises(TypeError, match="x: a float"):
        kernels.typed[(1,)](dst, 1.5, 2)


def test_integers_of_64_bits_arrive_and_larger_ones_are_refused():
    dst = np.zeros(128, np.uint64)
    kernels.fill[(1,)](dst, (1 << 64) - 2, 128)
    assert (dst == np.uint64((1 << 64) - 2)).all()
    with pytest.raises(OverflowError, match="value=18446744073709551616"):
        kernels.fill[(1,)](dst, 1 << 64, 128)


def test_a_large_integer_may_be_a_compile_time_value():
    dst = np.zeros(128, np.int32)
    kernels.shift[(1,)](dst, Box(1, 0), SCALE=1 << 70)
    assert (dst == (1 << 70) % 1000003).all()


def test_arguments_bind_as_python_binds_them():
    dst = np.zeros(128, np.int32)
    with pytest.raises(TypeError, match="missing a required argument: 'value'"):
        kernels.fill[(1,)](dst)
    with pytest.raises(TypeError, match="multiple values for argument 'value'"):
        kernels.fill[(1,)](dst, 1, value=2)
    with pytest.raises(TypeError, match="takes 4 positional arguments but 5 were given"):
        kernels.fill[(1,)](dst, 1, 2, 3, 4)
    # A name that was made at run time is not the same object as the parameter's.
    kernels.fill[(1,)](dst, **{"".join(["va", "lue"]): 6, "n": 128})
    assert (dst == 6).all()


@pytest.mark.parametrize("grid", [(), (1, 2, 3, 4), (-1,), (1.5,), "x"])
def test_what_is_no_grid_is_refused(grid):
    with pytest.raises((TypeError, ValueError)):
        kernels.fill[grid](np.zeros(4, np.int32), 1, 4)


def test_a_grid_may_be_a_number_or_a_list():
    dst = np.zeros(256, np.int32)
    kernels.fill[2](dst, 3, 256)
    kernels.fill[[2, 1]](dst, 3, 256)
    assert (dst == 3).all()


def test_a_hook_that_raises_stops_the_launch():
    dst = np.zeros(4, np.int32)
    kernel = gluonc.jit(kernels.fill.fn)

    def refuse(*args, **kwargs):
        raise RuntimeError("not now")
    kernel.add_pre_run_hook(refuse)
    with pytest.raises(RuntimeError, match="not now"):
        kernel[(1,)](dst, 1, 4)
    assert not dst.any()


def test_constants_that_cannot_be_hashed_are_refused():
    with pytest.raises(TypeError, match="unhashable"):
        kernels.fill[(1,)](np.zeros(4, np.int32), 1, 4, BLOCK={1, 2})
