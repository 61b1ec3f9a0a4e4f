"""Kernels mean what Python's objects say, not what their text would say if it ran again."""

import collections
import dataclasses
import enum
import functools
import gc
import typing
import weakref

import gluonc
import gluonc as gluon
import numpy as np
import pytest
from gluonc import language as gl
from sources import from_file, from_text, launch


# -- Defaults -------------------------------------------------------------------------------------

REBOUND = """
V = 1
@gluon.jit
def helper(v, c: gl.constexpr = V, *, d: gl.constexpr = V * 10):
    return v + c + d
@gluon.constexpr_function
def static(c=V):
    return c
@gluon.jit
def kernel(out, c: gl.constexpr = V):
    gl.store(out, helper(100) + static() * 1000 + c * 10000)
V = 2
"""


def test_defaults_are_what_they_were_at_the_definition():
    assert launch(from_text("rebound", REBOUND).kernel) == 11111


def test_functions_made_in_a_loop_keep_their_defaults():
    made = []
    for factor in (3, 5):
        @gluon.jit
        def helper(v, c: gl.constexpr = factor):
            return v * c
        made.append(helper)

    @gluon.jit
    def kernel(out, f: gl.constexpr):
        gl.store(out, f(1))
    assert [launch(kernel, helper) for helper in made] == [3, 5]


def test_defaults_of_methods():
    c = 7

    @gluon.aggregate
    class Pair:
        x: gl.tensor
        y: gl.constexpr = c

        def __init__(self, x, y=c):
            self.x = x
            self.y = gl.constexpr(y + 1)

        @gluon.jit
        def total(self, more: gl.constexpr = c):
            return self.x + self.y + more

    @gluon.jit
    def kernel(out):
        gl.store(out, Pair(gl.to_tensor(100)).total())
    assert launch(kernel) == 115


def test_functions_defined_by_compile_time_code_keep_their_defaults():
    @gluon.constexpr_function
    def sum_of_last():
        made = [lambda x, i=i: x + 10 * i for i in range(3)]
        for i in range(100, 103):
            def keep(i=i):
                return i
            made.append(lambda x, keep=keep: keep() + x)
        return made[0](1) + made[1](1) + made[3](1)

    @gluon.jit
    def kernel(out):
        gl.store(out, sum_of_last())
    assert launch(kernel) == 1 + 11 + 101


# -- Definitions ----------------------------------------------------------------------------------

BRANCHES = """
if FAST:
    @gluon.aggregate
    class Ops:
        x: gl.tensor
        @gluon.jit
        def m(self): return self.x + 1
    @gluon.jit
    def f(v): return v + 10
else:
    @gluon.aggregate
    class Ops:
        x: gl.tensor
        @gluon.jit
        def m(self): return self.x + 2
    @gluon.jit
    def f(v): return v + 20
@gluon.jit
def kernel(out):
    gl.store(out, Ops(gl.to_tensor(100)).m() + f(0))
"""


@pytest.mark.parametrize("fast, expected", [(True, 111), (False, 122)])
def test_the_branch_that_python_took_counts(fast, expected):
    assert launch(from_text(f"branches{fast}", BRANCHES, FAST=fast).kernel) == expected


def class_adding(number):
    number = gl.constexpr(number)

    @gluon.aggregate
    class Adding:
        x: gl.tensor

        @gluon.jit
        def m(self):
            return self.x + number
    return Adding


def test_bases_are_those_that_python_has():
    Base = class_adding(2)

    @gluon.aggregate
    class Derived(Base):
        pass
    Base = class_adding(1)

    @gluon.jit
    def kernel(out):
        gl.store(out, Derived(gl.to_tensor(100)).m())
    assert launch(kernel) == 102


def test_the_first_base_with_a_member_counts():
    @gluon.aggregate
    class Both(class_adding(1), class_adding(2)):
        pass

    @gluon.jit
    def kernel(out):
        gl.store(out, Both(gl.to_tensor(100)).m())
    assert launch(kernel) == 101


FIELDS = """
Kind = gl.tensor
def with_scale(cls):
    cls.__annotations__["scale"] = gl.constexpr
    return cls
@gluon.aggregate
@with_scale
class Box:
    x: Kind
    if WIDE:
        y: gl.constexpr
    other: {union}
Kind = gl.constexpr
@gluon.jit
def kernel(out, v):
    box = Box(x=v, {y} other=OTHER, scale=100)
    gl.store(out, box.x * box.scale + (box.y if WIDE_CONSTANT else 0))
"""


@pytest.mark.parametrize("union", ["gl.tensor | gl.constexpr", "typing.Optional[gl.constexpr]",
                                   "'gl.constexpr'", "Kind2"])
@pytest.mark.parametrize("wide", [False, True])
def test_fields_are_those_that_python_has(wide, union):
    text = FIELDS.format(y="y=5," if wide else "", union=union)
    module = from_text(f"fields{wide}{union}", text, WIDE=wide, WIDE_CONSTANT=gl.constexpr(wide),
                       OTHER=gl.constexpr(1), Kind2=int, typing=typing)
    assert launch(module.kernel, 7) == 700 + 5 * wide


def test_a_field_of_another_type_is_refused():
    for future in ("", "from __future__ import annotations\n"):
        module = from_text(f"refused{len(future)}", future + """
Size = gl.constexpr
@gluon.aggregate
class Box:
    x: Size
    def __init__(self, x): self.x = x
@gluon.jit
def kernel(out, v): gl.store(out, Box(v).x)
""")
        with pytest.raises(gluonc.CompilationError, match="(?s)must be Size.*FieldType.*x: Size"):
            launch(module.kernel, 7)


def test_names_of_two_modules_do_not_mix():
    text = """
@gluon.jit
def act(v): return v + NUMBER
@gluon.aggregate
class Op:
    v: gl.tensor
    @gluon.jit
    def go(self): return self.v * NUMBER
"""
    modules = [from_text(name, text, NUMBER=gl.constexpr(number))
               for name, number in (("first", 3), ("second", 5))]

    @gluon.jit
    def kernel(out, f: gl.constexpr, C: gl.constexpr):
        gl.store(out, f(100) + C(gl.to_tensor(10)).go())
    assert [launch(kernel, module.act, module.Op) for module in modules] == [133, 155]


def test_a_wrapped_function_is_its_wrapper():
    def adding(fn):
        @functools.wraps(fn)
        def wrapper(x):
            return fn(x) + 100
        return wrapper

    @adding
    def plain(x):
        return x

    @gluon.constexpr_function
    def static():
        return plain(1)

    @gluon.jit
    def kernel(out):
        gl.store(out, static())
    assert launch(kernel) == 101


def test_lambdas_of_one_line():
    pair = (lambda x: x + 1, lambda x: x + 2)  # noqa: E731

    @gluon.constexpr_function
    def static():
        return pair[0](10) * 100 + pair[1](10)

    @gluon.jit
    def kernel(out):
        gl.store(out, static())
    assert launch(kernel) == 1112


def test_an_option_of_the_decorator_counts_as_python_has_it():
    def plain(x):
        return x + 1
    outlined, inlined = gluon.jit(noinline=True)(plain), gluon.jit(plain)

    @gluon.jit
    def kernel(out, f: gl.constexpr):
        gl.store(out, f(gl.to_tensor(1)))
    texts = [kernel.front_end_ir("cuda:80", gl.int32, f) for f in (outlined, inlined)]
    assert ["tt.call" in text for text in texts] == [True, False]
    assert launch(kernel, outlined) == 2


# -- Values ---------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Config:
    width: int
    depth: int = 3


class Mode(enum.Enum):
    A = 1
    B = 2


class Other(enum.Enum):
    A = 1


class Level(enum.IntEnum):
    LOW = 4


Point = collections.namedtuple("Point", "x y", defaults=[9])


def value_of(function):
    """What compile-time code gives for a Python function of no arguments."""
    static = gluon.constexpr_function(function)

    @gluon.jit
    def kernel(out):
        gl.store(out, static())
    return launch(kernel)


def test_objects_that_compile_time_code_reads():
    config, point, modes = Config(5), Point(7), {Mode.B: [Config(11)]}
    power = functools.partial(pow, 2)

    def all_of_them():
        assert Mode.A == Mode.A and Mode.A != Mode.B and Mode.A != Other.A and Mode.A.name == "A"
        assert Config(5) == config and Config(6) != config
        return (config.width + 10 * config.depth + 100 * (point.x + point.y)
                + 10000 * modes[Mode.B][0].width + 1000000 * Mode.B.value + 10000000 * Level.LOW
                + power(5))
    assert value_of(all_of_them) == all_of_them()


def test_what_has_no_text_is_refused_with_the_reason():
    thing = object()
    with pytest.raises(gluonc.CompilationError, match="(?s)`thing.attribute`.*a object is a value of"):
        value_of(lambda: thing.attribute)


def test_attributes_of_classes_are_what_they_are_now():
    class Settings:
        width = 3

    Settings.width = 4
    Settings.more = 5
    assert value_of(lambda: Settings.width * 10 + Settings.more) == 45


def test_constructors_run_as_in_python():
    class Base:
        def __init__(self, a):
            self.a = 2 * a

    class Derived(Base):
        pass

    @dataclasses.dataclass
    class Checked:
        width: int
        double: int = 0

        def __post_init__(self):
            self.double = 2 * self.width

    def all_of_them():
        return Derived(3).a + 100 * Checked(7).double
    assert value_of(all_of_them) == all_of_them() == 1406


def test_an_object_is_the_same_from_everywhere():
    @gluon.aggregate
    class Box:
        x: gl.tensor
    other = from_text("boxes", "@gluon.jit\ndef is_box(b): return isinstance(b, Box)\n", Box=Box)
    is_box = other.is_box

    @gluon.jit
    def kernel(out):
        gl.store(out, 1 if is_box(Box(gl.to_tensor(1))) else 0)
    assert launch(kernel) == 1


def test_a_name_that_python_does_not_have_is_unknown():
    module = from_text("gone", "N = gl.constexpr(3)\n@gluon.jit\ndef kernel(out): "
                               "gl.store(out, N)\ndel N\n")
    with pytest.raises(gluonc.CompilationError, match="N"):
        launch(module.kernel)


def test_signs_of_zero_tell_specializations_apart():
    @gluon.jit
    def kernel(out, pair: gl.constexpr):
        gl.store(out, gl.to_tensor(1.0) * pair[0])
    out = np.ones(1)
    signs = []
    for zero in (0.0, -0.0):
        kernel[(1,)](out, (zero,))
        signs.append(np.signbit(out[0]))
    assert signs == [False, True]


# -- Changes --------------------------------------------------------------------------------------

def test_the_text_is_the_one_that_python_ran(tmp_path):
    text = "@gluon.jit\ndef kernel(out):\n    gl.store(out, {0})\ndef plain():\n    return {0}\n"
    old = from_file(tmp_path / "edited.py", text.format(11))
    new = from_file(tmp_path / "edited.py", text.format(1222))
    (tmp_path / "edited.py").write_text("nothing\n")
    assert launch(old.kernel) == 11 and launch(new.kernel) == 1222
    assert value_of(new.plain) == 1222
    (tmp_path / "edited.py").unlink()
    assert launch(gluon.jit(old.kernel.fn)) == 11
    with pytest.raises(gluonc.CompilationError, match="has changed since plain was defined"):
        plain = from_file(tmp_path / "other.py", "def plain():\n    return 3\n").plain
        (tmp_path / "other.py").write_text("def plain():\n    return 4\n")
        value_of(lambda: plain())


def test_a_function_under_a_name_may_be_exchanged_between_launches():
    module = from_text("exchanged", """
@gluon.jit
def helper(): return 1
@gluon.jit
def kernel(out): gl.store(out, helper())
""")
    assert launch(module.kernel) == 1
    module.helper = from_text("better", "@gluon.jit\ndef helper(): return 2\n").helper
    assert launch(module.kernel) == 2
    module.helper.fn.__defaults__ = ()
    assert launch(module.kernel) == 2


IN_PLACE = """
import dataclasses, functools
@gluon.jit
def helper(v, c: gl.constexpr = 1, *, d: gl.constexpr = 2):
    return v + c + d
table, pairs = {"a": [1, {"b": 2}]}, ([1], 2)
@dataclasses.dataclass
class Config:
    width: int
class Settings:
    depth = 1
    sizes = [1]
class Derived(Settings):
    pass
config, wrapped = Config(1), [Config(1)]
def other(): return 13
def plain(k=[1]):
    return k[0]
part = functools.partial(plain, [1])
@gluon.constexpr_function
def static(c=3):
    return c
@gluon.constexpr_function
def total():
    return (table["a"][0] + table["a"][1]["b"] + pairs[0][0] + config.width + wrapped[0].width
            + Settings.depth + Settings.sizes[0] + Derived.depth + plain() + part() + static())
@gluon.jit
def kernel(out, f: gl.constexpr = None):
    gl.store(out, helper(0) + total())
"""

# What is done to the module, and how the number that its kernel stores changes.
CHANGES_IN_PLACE = {
    "table['a'][0] += 10": 10,
    "table['a'][1]['b'] = 12": 10,
    "table['a'] = [11, {'b': 2}]": 10,
    "pairs[0][0] = 11": 10,
    "config.width = 11": 10,
    "vars(config)['width'] = 11": 10,
    "config.__dict__ = {'width': 11}": 10,
    "wrapped[0].width = 11": 10,
    "wrapped[0] = Config(11)": 10,
    "Settings.depth = 11": 20,
    "Derived.depth = 11": 10,
    "Settings.sizes[0] = 11": 10,
    "plain.__defaults__[0][0] = 11": 10,
    "plain.__defaults__ = [11],": 10,
    "part.args[0][0] = 11": 10,
    "static.fn.__defaults__ = 13,": 10,
    "static.fn = other": 10,
    "helper.fn.__defaults__ = 11,": 10,
    "helper.fn.__kwdefaults__['d'] = 12": 10,
    "helper.fn.__kwdefaults__ = {'d': 12}": 10,
    "helper.noinline = True": 0,
    "__builtins__ = dict(vars(__import__('builtins')))": 0,
}


@pytest.mark.parametrize("shape", ["alone", "with a function"])
@pytest.mark.parametrize("change", CHANGES_IN_PLACE)
def test_what_is_changed_in_place_counts(change, shape):
    module = from_text("in_place", IN_PLACE)
    arguments = [module.helper] if shape == "with a function" else []
    # What was specialized otherwise notices it, too.
    launches = [lambda: launch(module.kernel, *arguments), lambda: launch(module.kernel, "other")]
    before = [run() for run in launches]
    assert before[0] == before[1] == 3 + 14
    exec(change, vars(module))
    expected = 3 + 14 + CHANGES_IN_PLACE[change]
    assert [run() for run in launches] == [expected, expected]


def test_a_constant_may_not_change_in_place():
    module = from_text("constants_in_place", """
size, sizes = gl.constexpr(1), gl.constexpr([1, 2])
@gluon.jit
def first(out): gl.store(out, size)
@gluon.jit
def second(out): gl.store(out, sizes[0])
""")
    assert launch(module.first) == launch(module.second) == 1
    module.size.value = 3
    module.sizes.value[0] = 4
    with pytest.raises(RuntimeError, match=r"size has changed from .*1.* to .*3.* since first"):
        launch(module.first)
    with pytest.raises(RuntimeError, match=r"sizes has changed from .*1, 2.* to .*4, 2.* since"):
        launch(module.second)
    module.size.value = 1
    assert launch(module.first) == 1


def test_a_name_that_comes_to_hide_a_builtin():
    module = from_text("hiding", """
@gluon.constexpr_function
def most(): return max(1, 2)
@gluon.jit
def kernel(out): gl.store(out, most())
""")
    assert launch(module.kernel) == 2
    module.max = min
    assert launch(module.kernel) == 1


def test_defaults_of_a_kernel_are_those_of_the_launch():
    @gluon.jit
    def kernel(out, x=1, *, c: gl.constexpr = 10):
        gl.store(out, x + c)
    assert launch(kernel) == 11
    kernel.fn.__defaults__ = 2,
    assert launch(kernel) == 12
    kernel.fn.__kwdefaults__["c"] = 20
    assert launch(kernel) == 22
    kernel.fn.__code__ = (lambda out, x=1, *, c=1: None).__code__
    with pytest.raises(RuntimeError, match="the function behind kernel is another one"):
        launch(kernel)


def test_equal_values_are_not_compiled_again(monkeypatch):
    module = from_text("equal", """
values = [1000, 2000]
@gluon.constexpr_function
def total(): return sum(values)
@gluon.jit
def kernel(out): gl.store(out, total())
""")
    kernel = module.kernel
    assert launch(kernel) == 3000
    monkeypatch.setattr(type(kernel), "_compile", None)
    module.values = [int("1000"), int("2000")]
    assert launch(kernel) == 3000
    # What launches look at now is the new list.
    assert kernel._loaded[0]._holds()
    module.values[0] = 0
    assert not kernel._loaded[0]._holds()


def test_a_variable_around_a_kernel_may_change_between_launches():
    def make():
        @gluon.jit
        def helper():
            return 1

        @gluon.jit
        def kernel(out):
            gl.store(out, helper())

        def exchange(other):
            nonlocal helper
            helper = other
        return kernel, exchange
    kernel, exchange = make()
    assert launch(kernel) == 1
    exchange(from_text("better2", "@gluon.jit\ndef helper(): return 2\n").helper)
    assert launch(kernel) == 2


# -- Lifetime -------------------------------------------------------------------------------------

def test_kernels_made_in_a_loop_are_freed():
    def make(number):
        number = gl.constexpr(number)

        @gluon.jit
        def inner(out):
            gl.store(out, number)
        return inner
    made = []
    for i in range(50):
        kernel = make(i)
        assert launch(kernel) == i
        made.append(weakref.ref(kernel))
    del kernel
    gc.collect()
    assert not any(kernel() for kernel in made)


def test_functions_given_to_a_kernel_are_freed():
    @gluon.jit
    def kernel(out, f: gl.constexpr, more: gl.constexpr = 0):
        gl.store(out, f[0](1) if more else f(1))

    def make(factor):
        factor = gl.constexpr(factor)

        @gluon.jit
        def scale(v):
            return v * factor
        return scale

    def make_class(factor):
        class Scale:
            @staticmethod
            def of(v):
                return v * factor
        return Scale

    @gluon.jit
    def kernel_of_class(out, C: gl.constexpr):
        gl.store(out, C.of(1))
    made, compiled = [], []
    for i in range(30):
        f, g, cls = make(i), make(i), make_class(i)
        assert launch(kernel, f) == launch(kernel, (g, "text"), 1) == i
        assert launch(kernel_of_class, cls) == i
        made += map(weakref.ref, (f, g, cls))
        compiled.append(weakref.ref(kernel.warmup(gl.int32, f)))
    del f, g, cls
    gc.collect()
    assert not any(function() for function in made)
    assert not any(one() for one in compiled)
    # Those that live keep what was compiled for them.
    f = make(7)
    first = kernel.warmup(gl.int32, f)
    gc.collect()
    assert kernel.warmup(gl.int32, f) is first


def test_kernels_given_a_function_that_lives_long_are_freed():
    @gluon.jit
    def one():
        return 1

    def make(number):
        number = gl.constexpr(number)

        @gluon.jit
        def kernel(out, f: gl.constexpr, g: gl.constexpr):
            gl.store(out, f() + g() + number)
        return kernel
    made = []
    for i in range(10):
        @gluon.jit
        def other():
            return 0
        kernel = make(i)
        assert launch(kernel, one, other) == i + 1
        made += weakref.ref(kernel), weakref.ref(other)
    del kernel, other
    gc.collect()
    assert not any(thing() for thing in made)


def test_kernels_that_name_themselves_are_freed():
    @gluon.jit
    def count(out, n: gl.constexpr):
        if n > 0:
            count(out, n - 1)
        else:
            gl.store(out, 7)
    assert launch(count, 3) == 7
    watched = weakref.ref(count)
    del count
    gc.collect()
    assert watched() is None


def test_a_compiled_kernel_outlives_what_it_was_made_from():
    compiled = []

    def make(number):
        number = gl.constexpr(number)

        @gluon.jit
        def inner(out):
            gl.store(out, number)
        compiled.append(inner.warmup(gl.int32))
    make(41)
    gc.collect()
    assert "41" in compiled[0].asm["llir"]
