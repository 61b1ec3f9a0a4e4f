"""Keys of functions: what they follow from."""

import gluonc
import pytest
from gluonc._jit import triton_jit
from gluonc._triton import _language as tl

SIZE = tl.constexpr(4)


@triton_jit
def innermost(x):
    return x + 1


@triton_jit
def inner(x):
    return innermost(x) * SIZE


@triton_jit
def outer(x):
    tl.store(x, inner(tl.load(x)))


@gluonc.constexpr_function
def flag():
    return False


@triton_jit
def asks(x):
    if flag():
        tl.store(x, 0)


def changed(function, old, new, of):
    """The key of `of` while `function` has another text."""
    function._unsafe_update_src(function.src.replace(old, new))
    key = of.cache_key
    function._unsafe_update_src(function.src.replace(new, old))
    return key


@pytest.mark.parametrize("function, of", [(innermost, outer), (inner, outer), (outer, outer),
                                          (flag, asks)])
def test_a_key_follows_the_text_of_what_is_called(function, of):
    old, new = ("False", "True") if function is flag else ("x", "y")
    assert changed(function, old, new, of) != of.cache_key
    assert changed(function, old, old, of) == of.cache_key


def made(value):
    shared = tl.constexpr(value)

    @triton_jit
    def child():
        return shared

    @triton_jit
    def parent():
        child()
    return child, parent


def test_a_key_follows_the_constants_of_what_is_called():
    first, again, other = made(1), made(1), made(2)
    assert first[1].cache_key == again[1].cache_key != other[1].cache_key
    assert [value for value, _ in first[0].used_global_vals.values()] == [tl.constexpr(1)]
    assert [name for name, _ in inner.used_global_vals] == ["SIZE"]
    assert not outer.used_global_vals


def test_functions_may_call_each_other():
    @triton_jit
    def even(n):
        return n == 0 or odd(n - 1)

    @triton_jit
    def odd(n):
        return n != 0 and even(n - 1)
    assert even.cache_key != odd.cache_key and even.cache_key == even.cache_key
