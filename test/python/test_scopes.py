"""Names in kernels mean what Python says."""

import gluonc
import gluonc as gluon
import numpy as np
import pytest
from gluonc import language as gl
from sources import from_text, launch

COMPUTED = gl.constexpr(sum(range(5)))


def nested(factor):
    @gluon.jit
    def helper(x):
        return x * factor

    @gluon.jit
    def kernel(out, x):
        gl.store(out, helper(x) + COMPUTED)
    return kernel


def test_a_nested_kernel_sees_the_variables_around_it():
    # Same name, same line, other values.
    assert launch(nested(gl.constexpr(3)), 5) == 25
    assert launch(nested(gl.constexpr(7)), 5) == 45


def test_a_variable_that_is_no_constexpr_is_refused_by_name():
    with pytest.raises(gluonc.CompilationError, match="factor"):
        launch(nested(3), 5)


def test_globals_count_as_they_are_at_the_first_launch(monkeypatch):
    monkeypatch.setitem(globals(), "COMPUTED", gl.constexpr(100))
    assert launch(nested(gl.constexpr(1)), 5) == 105


def test_a_constant_that_changes_between_launches_is_an_error():
    text = """
@gluon.jit
def inner():
    return LIMIT

@gluon.jit
def first(out):
    gl.store(out, inner())

@gluon.jit
def second(out):
    gl.store(out, LIMIT + 1)
"""
    module = from_text("constants", text, LIMIT=gl.constexpr(4))
    assert launch(module.first) == 4
    module.LIMIT = gl.constexpr(4)
    assert launch(module.first) == 4
    module.LIMIT = gl.constexpr(5)
    with pytest.raises(RuntimeError, match="LIMIT has changed from .*4.* to .*5.* since first"):
        launch(module.first)
    # What was not compiled before sees the new value.
    assert launch(module.second) == 6
    module.LIMIT = gl.constexpr(4)
    assert launch(module.first) == 4


def test_functions_and_values_of_other_modules():
    other = from_text("other", "LIMIT = gl.constexpr(4)\n\n@gluon.jit\ndef half(x):\n"
                      "    return x // LIMIT\n")
    half = other.half

    @gluon.jit
    def kernel(out, x):
        gl.store(out, half(x))
    assert launch(kernel, 44) == 11


def test_kernels_made_by_exec_and_in_cells():
    cell = from_text("cell", "@gluon.jit\ndef kernel(out, x):\n    gl.store(out, x + 1)\n")
    assert launch(cell.kernel, 2) == 3


def test_functions_are_compile_time_arguments():
    @gluon.jit
    def twice(x):
        return 2 * x

    @gluon.constexpr_function
    def three():
        return 3

    @gluon.jit
    def kernel(out, x, F: gl.constexpr, PAIR: gl.constexpr):
        gl.store(out, F(x) + PAIR[1]())
    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 5, twice, (twice, three))
    assert out[0] == 13


def test_aggregates_of_a_function():
    bias = gl.constexpr(10)

    @gluon.aggregate
    class Pair:
        a: gl.tensor
        b: gl.constexpr

        @gluon.jit
        def total(self):
            return self.a + self.b + bias

    # Generators of classes do that; the text still says Pair.
    Pair.__name__ = f"Pair({bias.value})"

    @gluon.jit
    def kernel(out, x):
        gl.store(out, Pair(x, 2).total())
    assert launch(kernel, 5) == 17


def test_names_of_the_language_are_found_under_any_name():
    from gluonc.language import store as put

    @gluon.jit
    def kernel(out, x):
        put(out, gluonc.cdiv(x, 4))
    assert launch(kernel, 9) == 3


def test_the_ir_before_any_pass_can_be_read():
    text = nested(gl.constexpr(3)).front_end_ir("cuda:80", gl.int32, 5)
    assert 'ttg.target = "cuda:80"' in text and "tt.func public @kernel" in text


def test_a_failing_resolver_does_not_fail_the_compiler():
    class Odd:
        @property
        def fn(self):
            raise RuntimeError("no")
    odd = Odd()

    @gluon.jit
    def kernel(out, x):
        gl.store(out, odd)
    with pytest.raises(gluonc.CompilationError, match="odd"):
        launch(kernel, 2)


def passes_on(cls):
    """Fields of aggregates in a class are its own."""
    def __getattr__(self, name):
        for member in self.__dict__.values():
            if getattr(member, "__triton_aggregate__", False) and hasattr(member, name):
                return getattr(member, name)
        raise AttributeError(f"{type(self).__name__} has no `{name}`")

    cls.__getattr__ = __getattr__
    return cls


def test_aggregates_inherit_fields_with_defaults():
    @gluon.aggregate
    class Base:
        x: gl.constexpr = gl.constexpr(100)

    @gluon.aggregate
    class Derived(Base):
        y: gl.constexpr

    made = Derived(y=7)
    assert (made.x.value, made.y.value) == (100, 7) and Derived(1, 2).x.value == 1
    for wrong in (lambda: Derived(1), lambda: Derived(1, 2, 3), lambda: Derived(1, x=1, y=2),
                  lambda: Derived(y=1, z=2)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="other aggregates only"):
        @gluon.aggregate
        class Wrong(dict):
            x: gl.constexpr


def test_copies_of_aggregates_of_the_host():
    @gluon.aggregate
    class State:
        x: gl.constexpr
        y: gl.constexpr

    first = State(1, 2)
    second = gl.aggregate_replace(first, y=3)
    assert (first.y.value, second.x.value, second.y.value) == (2, 1, 3)
    with pytest.raises(TypeError, match="no field 'z'"):
        gl.aggregate_replace(first, z=1)
    with pytest.raises(TypeError, match="expects an aggregate"):
        gl.aggregate_replace(42, x=1)


def test_aggregates_of_the_host_are_compile_time_values():
    @gluon.aggregate
    class Inner:
        step: gl.constexpr

        @gluon.constexpr_function
        def __init__(self, step):
            self.step = gl.constexpr(step)

        @gluon.jit
        def plus_base(self, x):
            return x + self.base

    @passes_on
    @gluon.aggregate
    class Outer:
        inner: Inner
        base: gl.constexpr

        @gluon.constexpr_function
        def __init__(self, step, base):
            self.inner = Inner(step)
            self.base = gl.constexpr(base)

    @gluon.jit
    def kernel(out, x, config: gl.constexpr):
        made: gl.constexpr = Outer(20, 0)
        gl.store(out, config.plus_base(x) + config.step + made.step)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 4, Outer(3, 10))
    assert out[0] == 37 and Outer(3, 10).step == 3

    @gluon.jit
    def missing(out, config: gl.constexpr):
        gl.store(out, config.stride)
    with pytest.raises(gluonc.CompilationError, match="stride"):
        missing[(1,)](out, Outer(3, 10))
