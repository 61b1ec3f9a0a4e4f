"""Operators that classes define, forward and reflected, and operators called by their names."""

# RUN: irregular out='empty((8, 320), i32)' --grid 1
# EXPECT: (out[0] == -(2 * arange(320, i32) + 3)) & (out[1] == where(arange(320, i32) < 280, 1, 0))
# RUN: irregular out='empty((8, 320), i32)' --grid 1
# EXPECT: (out[2] == arange(320, i32) + 4) & (out[3] == 4 - arange(320, i32)) & (out[4] == where(arange(320, i32) > 4, 1, 0))
# RUN: passing x='randint(-99, 99, 128, i32)' out='empty(128, i32)' --grid 1
# EXPECT: out == 3 * x
# RUN: derived x='randint(-99, 99, 128, i32)' out='empty(128, i32)' --grid 1
# EXPECT: out == x * 1000
# RUN: unary x='randint(-99, 99, 128, i32)' out='empty((3, 128), i32)' --grid 1
# EXPECT: (out[0] == 0 - x) & (out[1] == -1 - x) & (out[2] == where(x == 0, 1, 0))
# RUN: booleans x='randint(0, 2, 128, i32)' out='empty((2, 128), i32)' --grid 1
# EXPECT: (out[0] == x * 5) & (out[1] == x + 5)
# RUN: by_name x='randint(1, 99, 128, i32)' out='empty((4, 128), i32)' --grid 1
# EXPECT: (out[0] == x + 2) & (out[1] == 2 - x) & (out[2] == 0 - x) & (out[3] == where(x < 50, 1, 0))

from dataclasses import replace

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

line = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


def Pieces(sizes, template):
    """A class of vectors whose length is no power of two, kept as pieces that are."""
    starts = tuple(sum(sizes[:i]) for i in range(len(sizes)))
    layouts = tuple(
        replace(template, size_per_thread=[max(1, template.size_per_thread[0] * size // sizes[0])])
        for size in sizes)
    count = gl.constexpr(len(sizes))
    piece_sizes = gl.constexpr(sizes)
    piece_starts = gl.constexpr(starts)
    piece_layouts = gl.constexpr(layouts)

    @gluon.aggregate
    class PiecesType:
        parts: gl.tuple

        @gluon.jit
        def arange():
            parts = ()
            for i in gl.static_range(count):
                parts += (gl.arange(piece_starts[i], piece_starts[i] + piece_sizes[i],
                                    layout=piece_layouts[i]), )
            return PiecesType(parts)

        @gluon.jit
        def store(self, pointer):
            for i in gl.static_range(count):
                at = gl.arange(piece_starts[i], piece_starts[i] + piece_sizes[i],
                               layout=piece_layouts[i])
                gl.store(pointer + at, self.parts[i].to(gl.int32))

        @gluon.jit
        def each(self, other, operator: gl.constexpr):
            parts = ()
            for i in gl.static_range(count):
                if isinstance(other, PiecesType):
                    parts += (getattr(self.parts[i], operator)(other.parts[i]), )
                else:
                    parts += (getattr(self.parts[i], operator)(other), )
            return PiecesType(parts)

        @gluon.jit
        def __add__(self, other):
            return self.each(other, "__add__")

        @gluon.jit
        def __radd__(self, other):
            return self.each(other, "__radd__")

        @gluon.jit
        def __rsub__(self, other):
            return self.each(other, "__rsub__")

        @gluon.jit
        def __rmul__(self, other):
            return self.each(other, "__rmul__")

        @gluon.jit
        def __lt__(self, other):
            return self.each(other, "__lt__")

        @gluon.jit
        def __gt__(self, other):
            return self.each(other, "__gt__")

        @gluon.jit
        def __neg__(self):
            parts = ()
            for i in gl.static_range(count):
                parts += (-self.parts[i], )
            return PiecesType(parts)

    PiecesType.length = gl.constexpr(sum(sizes))
    return PiecesType


Pieces320 = Pieces((256, 64), gl.BlockedLayout([2], [32], [4], [0]))


@gluon.jit
def irregular(out):
    gl.static_assert(Pieces320.length == 320)
    x = Pieces320.arange()
    four = gl.to_tensor(4)
    (-(2 * x + 3)).store(out)
    (x < 280).store(out + 320)
    (four + x).store(out + 640)
    (four - x).store(out + 960)
    # The scalar has no say over an aggregate: this asks for `x > 4`.
    (four < x).store(out + 1280)


@gluon.aggregate
class Passes:
    value: gl.tensor

    @gluon.constexpr_function
    def __add__(self, other):
        return NotImplemented


@gluon.aggregate
class Takes:
    value: gl.tensor

    @gluon.jit
    def __radd__(self, other):
        return Takes(self.value * 2 + other.value)


@gluon.jit
def passing(x, out):
    at = gl.arange(0, 128, layout=line)
    value = gl.load(x + at)
    gl.store(out + at, (Passes(value) + Takes(value)).value)


@gluon.aggregate
class Base:
    value: gl.tensor

    @gluon.jit
    def __mul__(self, other):
        return self.value * 10


@gluon.aggregate
class Derived(Base):

    @gluon.jit
    def __rmul__(self, other):
        return self.value * 1000


# The class on the right derives from the one on the left, so it is asked first.
@gluon.jit
def derived(x, out):
    at = gl.arange(0, 128, layout=line)
    value = gl.load(x + at)
    gl.store(out + at, Base(value) * Derived(value))


@gluon.aggregate
class Signed:
    value: gl.tensor

    @gluon.jit
    def __neg__(self):
        return Signed(-self.value)

    @gluon.jit
    def __invert__(self):
        return Signed(~self.value)

    @gluon.jit
    def __not__(self):
        return Signed((self.value == 0).to(gl.int32))


@gluon.jit
def unary(x, out):
    at = gl.arange(0, 128, layout=line)
    signed = Signed(gl.load(x + at))
    gl.store(out + at, (-signed).value)
    gl.store(out + 128 + at, (~signed).value)
    gl.store(out + 256 + at, (not signed).value)


@gluon.aggregate
class Logical:
    value: gl.tensor

    @gluon.jit
    def logical_and(self, other):
        return Logical(self.value * other.value)

    @gluon.jit
    def logical_or(self, other):
        return Logical(self.value + other.value)


@gluon.jit
def booleans(x, out):
    at = gl.arange(0, 128, layout=line)
    value = gl.load(x + at)
    five = Logical(gl.full([128], 5, gl.int32, line))
    gl.store(out + at, (Logical(value) and True and five).value)
    gl.store(out + 128 + at, (Logical(value) or five).value)


@gluon.jit
def by_name(x, out):
    at = gl.arange(0, 128, layout=line)
    value = gl.load(x + at)
    gl.store(out + at, value.__add__(2))
    gl.store(out + 128 + at, value.__rsub__(2))
    gl.store(out + 256 + at, value.__neg__())
    gl.store(out + 384 + at, value.__lt__(50).to(gl.int32))
