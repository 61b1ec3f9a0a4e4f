"""Aggregates and named tuples: construction, methods, and their way through control flow."""

# RUN: dot_products a='randint(-99, 99, 512, f32)' b='randint(-99, 99, 512, f32)' dst='empty(512, f32)' --grid 1
# EXPECT: dst == (a + b) * (a + b)
# RUN: accumulate src='randint(-50, 50, (6, 128), i32)' dst='empty(128, i32)' n=6 --grid 1
# EXPECT: dst == src[0] + src[1] + src[2] + src[3] + src[4] + src[5]
# RUN: accumulate src='randint(-50, 50, (1, 128), i32)' dst='full(128, 7, i32)' n=0 --grid 1
# EXPECT: dst == 0
# RUN: branch src='randint(-99, 99, 128, f32)' dst='empty(128, f32)' up=2 --grid 1
# EXPECT: dst == src + 3
# RUN: branch src='randint(-99, 99, 128, f32)' dst='empty(128, f32)' up=0 --grid 1
# EXPECT: dst == src - 3
# RUN: ring src='randn((7, 128), f32)' dst='empty((7, 128), f32)' n=7 DEPTH=3 --grid 1
# EXPECT: dst == src + src
# RUN: named src='randn(256, f32)' dst='empty(256, f32)' n=200 --grid 1
# EXPECT: dst[:200] == src[:200]
# RUN: built src='randint(-99, 99, 128, f32)' dst='empty(128, f32)' --grid 1
# EXPECT: dst == src * 12
# RUN: operators src='randint(-100, 100, 128, i32)' dst='empty(128, i32)' --grid 1
# EXPECT: dst == 3 * src + 5

from typing import NamedTuple

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.language.core import _aggregate as aggregate

line = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
flat = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.aggregate
class Pair:
    a: gl.tensor
    b: gl.tensor

    @gluon.jit
    def load(a_ptr, b_ptr, N: gl.constexpr):
        offsets = gl.arange(0, N, layout=line)
        return Pair(gl.load(a_ptr + offsets), b=gl.load(b_ptr + offsets))

    @gluon.jit
    def total(self):
        return self.a + self.b

    @gluon.jit
    def squared(self):
        return self.total() * self.total()


@gluon.jit
def dot_products(a, b, dst):
    pair = Pair.load(a, b, 512)
    gl.store(dst + gl.arange(0, 512, layout=line), pair.squared())


@gluon.aggregate
class Counter:
    sums: gl.tensor
    count: gl.tensor
    step: gl.constexpr = 1

    @gluon.jit
    def add(self, values):
        return Counter(self.sums + values, self.count + self.step, self.step)

    @gluon.constexpr_function
    def doubled_step(self):
        return self.step * 2


# A loop carries the two tensors; the step stays a constexpr.
@gluon.jit
def accumulate(src, dst, n):
    offsets = gl.arange(0, 128, layout=line)
    counter = Counter(gl.zeros([128], gl.int32, line), gl.to_tensor(0))
    gl.static_assert(counter.doubled_step() == 2)
    for i in range(n):
        counter = counter.add(gl.load(src + i * 128 + offsets))
    gl.store(dst + offsets, gl.where(counter.count == n, counter.sums, -1))


@gluon.aggregate
class Outer:
    inner: Counter
    offset: gl.tensor


@gluon.jit
def moved(outer, by):
    inner = gluon.language.aggregate_replace(outer.inner, sums=outer.inner.sums + by)
    return Outer(inner, outer.offset)


@gluon.jit
def branch(src, dst, up):
    offsets = gl.arange(0, 128, layout=line)
    outer = Outer(Counter(gl.load(src + offsets), gl.to_tensor(0), 4), gl.to_tensor(1.0))
    if up > 0:
        outer = moved(outer, 2.0)
        outer = Outer(outer.inner, outer.offset)
    else:
        outer = Outer(moved(outer, -2.0).inner, gl.to_tensor(-1.0))
    gl.static_assert(outer.inner.step == 4)
    gl.store(dst + offsets, outer.inner.sums + outer.offset)


# How older sources write it: a plain constructor, constexpr fields wrapped by hand.
@aggregate
class Ring:
    buffers: gl.shared_memory_descriptor
    layout: gl.constexpr
    depth: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, buffers, layout):
        self.buffers = buffers
        self.layout = gl.constexpr(layout)
        self.depth = gl.constexpr(buffers.shape[0])

    @gluon.jit
    def fetch(self, ptrs, i, n):
        async_copy.async_load(self.buffers.index(i % self.depth), ptrs + i * 128, ptrs_mask(ptrs, i, n))
        async_copy.commit_group()

    @gluon.jit
    def take(self, i):
        return self.buffers.index(i % self.depth).load(self.layout)


@gluon.jit
def ptrs_mask(ptrs, i, n):
    return gl.full(ptrs.shape, True, gl.int1, line) & (i < n)


@gluon.jit
def ring(src, dst, n, DEPTH: gl.constexpr):
    offsets = gl.arange(0, 128, layout=line)
    buffers = Ring(gl.allocate_shared_memory(gl.float32, [DEPTH, 128], flat), line)
    for i in gl.static_range(DEPTH - 1):
        buffers.fetch(src + offsets, i, n)
    for i in range(n):
        buffers.fetch(src + offsets, i + DEPTH - 1, n)
        async_copy.wait_group(DEPTH - 1)
        value = buffers.take(i)
        gl.store(dst + i * 128 + offsets, value + value)


class Tile(NamedTuple):
    offsets: gl.tensor
    mask: gl.tensor


@gluon.jit
def make_tile(n):
    offsets = gl.arange(0, 256, layout=line)
    return Tile(offsets, mask=offsets < n)


@gluon.jit
def named(src, dst, n):
    tile = make_tile(n)
    offsets, mask = tile
    gl.store(dst + tile.offsets, gl.load(src + offsets, mask=mask), mask=tile.mask)


def scaler(factor):

    @gluon.aggregate
    class Scaler:
        amount: gl.tensor

        @gluon.jit
        def make(value):
            return Scaler(value * factor)

        @property
        def twice(self):
            return 2

        @gluon.jit
        def apply(self, x):
            return x * self.amount * self.twice

    return Scaler


triple = scaler(gl.constexpr(3))


# The class comes from a function of the host program, with a constant of its own.
@gluon.jit
def built(src, dst):
    offsets = gl.arange(0, 128, layout=line)
    gl.store(dst + offsets, triple.make(gl.to_tensor(2.0)).apply(gl.load(src + offsets)))


@gluon.aggregate
class Linear:
    slope: gl.tensor
    bias: gl.tensor

    @gluon.jit
    def __add__(self, other):
        return Linear(self.slope + other.slope, self.bias + other.bias)

    @gluon.jit
    def at(self, x):
        return self.slope * x + self.bias


@gluon.jit
def operators(src, dst):
    offsets = gl.arange(0, 128, layout=line)
    f = Linear(gl.to_tensor(1), gl.to_tensor(2)) + Linear(gl.to_tensor(2), gl.to_tensor(3))
    gl.store(dst + offsets, f.at(gl.load(src + offsets)))
