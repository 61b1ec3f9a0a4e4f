"""Values of every kind on their way through assignments, branches, loops, calls and returns."""

# RUN: tuples x='randint(-99, 99, 8, i32)' out='empty(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == x * 3 + 2
# RUN: nested_targets out='zeros(6, i32)' --grid 1 --num-warps 1
# EXPECT: out == arange(6, i32) + 1
# RUN: carried_tuple n=9 out='zeros(3, i32)' --grid 1 --num-warps 1
# EXPECT: (out[0] == 34) & (out[1] == 55) & (out[2] == 9)
# RUN: carried_tuple n=0 out='full(3, 7, i32)' --grid 1 --num-warps 1
# EXPECT: (out[0] == 0) & (out[1] == 1) & (out[2] == 0)
# RUN: swapped n=5 out='zeros(2, i32)' --grid 1 --num-warps 1
# EXPECT: (out[0] == 2) & (out[1] == 1)
# RUN: branched_tuple x='randint(-99, 99, 8, i32)' out='empty((2, 8), i32)' --grid 8 --num-warps 1
# EXPECT: (out[0] == where(x > 0, x, 0)) & (out[1] == where(x > 0, 0, x))
# RUN: chosen x='randint(-99, 99, 8, i32)' out='empty((2, 8), i32)' --grid 8 --num-warps 1
# EXPECT: (out[0] == where(x > 0, x, 0 - x)) & (out[1] == where(x > 0, 1, 2))
# RUN: points x='randint(-99, 99, 8, i32)' out='empty((2, 8), i32)' --grid 8 --num-warps 1
# EXPECT: (out[0] == x + 4) & (out[1] == 2 * x)
# RUN: descriptors out='empty((4, 128), i32)' n=5 --grid 1
# EXPECT: (out[0] == 1) & (out[1] == 0)
# RUN: none_kept n=4 out='zeros(1, i32)' --grid 1 --num-warps 1
# EXPECT: out == 4
# RUN: starred out='zeros(4, i32)' --grid 1 --num-warps 1
# EXPECT: (out[0] == 6) & (out[1] == 123) & (out[2] == 321) & (out[3] == 57)
# RUN: returns x='arange(8, i32)' out='empty((2, 8), i32)' --grid 8 --num-warps 1
# EXPECT: (out[0] == where(x < 2, 10, where(x < 5, x, 30))) & (out[1] == where(x < 2, 1, where(x < 5, 2, 3)))
# RUN: strategies x='randint(-99, 99, 8, i32)' out='empty((3, 8), i32)' --grid 8 --num-warps 1
# EXPECT: (out[0] == x + x) & (out[1] == x * x) & (out[2] == 7 * x)
# RUN: comprehension x='randint(-99, 99, 8, i32)' out='empty(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == x * 12
# RUN: pairs_taken_apart x='randint(-99, 99, 8, i32)' out='empty(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == (x + 1) * 10 + 2 * x + 3
# RUN: walrus x='randint(-99, 99, 8, i32)' out='empty(8, i32)' --grid 8 --num-warps 1
# EXPECT: out == (x + 1) * 2 + x + 1
# RUN: steps out='zeros((3, 16), i32)' start=13 --grid 1 --num-warps 1
# EXPECT: (out[0] == where(arange(16, i32) % 3 == 1, where(arange(16, i32) > 1, 1, 0), 0)) & (out[1] == where(arange(16, i32) % 5 == 2, 1, 0))
# RUN: unrolled_return which=2 out='zeros(1, i32)' --grid 1 --num-warps 1
# EXPECT: out == 20
# RUN: deferred n=3 out='zeros(1, i32)' --grid 1 --num-warps 1
# EXPECT: out == 24
# RUN: annotated n=5 out='zeros(3, i32)' --grid 1 --num-warps 1
# EXPECT: (out[0] == 5) & (out[1] == 6) & (out[2] == 7)
# RUN: large out='zeros(7, f32)' --grid 1
# EXPECT: allclose(out[0], 1e20) & (out[1] == 2) & allclose(out[2:], 9.223372036854775808e18)

from collections import namedtuple

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
import triton.language as tl

line = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
Point = namedtuple("Point", ["x", "y"])
Labelled = namedtuple("Labelled", "point label", defaults=(3, ))


@gluon.jit
def divmod3(x):
    return x // 3, x % 3


@gluon.jit
def tuples(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    pair = (value, value * 2)
    both = pair + (2, )
    gl.static_assert(len(both) == 3)
    first, second, third = both
    items = [first, second]
    more = items * 2
    gl.static_assert(len(more) == 4)
    gl.store(out + pid, more[2] + more[-1] + third)


@gluon.jit
def nested_targets(out):
    (a, (b, [c])), d = (1, (2, [3])), 4
    e, f = [5, 6]
    values = (a, b, c, d, e, f)
    for i in gl.static_range(6):
        gl.store(out + i, values[i])


@gluon.jit
def carried_tuple(n, out):
    state = (gl.to_tensor(0), gl.to_tensor(1))
    count = 0
    for _ in range(n):
        state = (state[1], state[0] + state[1])
        count += 1
    gl.store(out, state[0])
    gl.store(out + 1, state[1])
    gl.store(out + 2, count)


@gluon.jit
def swapped(n, out):
    a = 1
    b = 2
    while n > 0:
        a, b = b, a
        n -= 1
    gl.store(out, a)
    gl.store(out + 1, b)


@gluon.jit
def branched_tuple(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    zero = gl.to_tensor(0)
    if value > 0:
        parts = (value, zero)
    else:
        parts = (zero, value)
    gl.store(out + pid, parts[0])
    gl.store(out + 8 + pid, parts[1])


@gluon.aggregate
class Tagged:
    value: gl.tensor
    tag: gl.tensor
    unit: gl.constexpr


# One class, equal constexpr fields: a run-time condition may choose between instances.
@gluon.jit
def chosen(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    up = Tagged(value, gl.to_tensor(1), "m")
    best = up if value > 0 else Tagged(-value, gl.to_tensor(2), "m")
    gl.static_assert(best.unit == "m")
    gl.store(out + pid, best.value)
    gl.store(out + 8 + pid, best.tag)


@gluon.jit
def moved(point, by: gl.constexpr):
    return Point(point.x + by, y=point.y + point.x)


@gluon.jit
def points(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    point = Point(value, value)
    labelled = Labelled(point)
    gl.device_assert(labelled.label == 3)
    for _ in range(1):
        point = moved(point, 4)
    a, b = point
    gl.store(out + pid, a)
    gl.store(out + 8 + pid, b)


# A loop carries buffer descriptors and an aggregate that holds one.
@gluon.aggregate
class Buffered:
    buffer: gl.shared_memory_descriptor
    count: gl.tensor


@gluon.jit
def descriptors(out, n):
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = gl.allocate_shared_memory(gl.int32, [2, 128], shared)
    ring.index(0).store(gl.full([128], 0, gl.int32, line))
    ring.index(1).store(gl.full([128], 1, gl.int32, line))
    front = ring.index(0)
    back = ring.index(1)
    held = Buffered(ring.index(0), gl.to_tensor(0))
    for i in range(n):
        front, back = back, front
        held = Buffered(ring.index(i % 2), held.count + 1)
    at = gl.arange(0, 128, layout=line)
    gl.store(out + at, front.load(line))
    gl.store(out + 128 + at, held.buffer.load(line))
    gl.device_assert(held.count == n)


@gluon.jit
def maybe_add(total, extra):
    if extra is None:
        return total + 1
    else:
        return total + extra


@gluon.jit
def none_kept(n, out):
    extra = None
    kind: gl.constexpr = gl.int32
    total = 0
    for _ in range(n):
        total = maybe_add(total, extra)
        if total > 100:
            total = gl.full([], 5, kind) if False else total
    gl.store(out, total)


@gluon.jit
def total_of(*values):
    total = 0
    for i in gl.static_range(len(values)):
        total += values[i]
    return total


@gluon.jit
def digits(a, b, c=3, *, base=10):
    return (a * base + b) * base + c


@gluon.jit
def starred(out):
    values = (1, 2, 3)
    gl.store(out, total_of(*values))
    gl.store(out + 1, digits(*values))
    gl.store(out + 2, digits(3, c=1, b=2))
    gl.store(out + 3, digits(*values[:2], base=6) + 6)


@gluon.jit
def graded(value):
    if value < 2:
        return 10, Point(1, value)
    elif value < 5:
        return value, Point(2, value)
    return 30, Point(3, value)


@gluon.jit
def returns(x, out):
    pid = gl.program_id(0)
    value, point = graded(gl.load(x + pid))
    gl.store(out + pid, value)
    gl.store(out + 8 + pid, point.x)


class Sum:

    @gluon.jit
    def combine(a, b):
        return a + b


class Product:

    @gluon.jit
    def combine(a, b):
        return a * b


@gluon.jit
def times(x, factor: gl.constexpr):
    return x * factor


@gluon.jit
def apply(strategy: gl.constexpr, x):
    return strategy.combine(x, x)


@gluon.jit
def call(function, x, argument):
    return function(x, argument)


SUM = gl.constexpr(Sum)
PRODUCT = gl.constexpr(Product)


@gluon.jit
def strategies(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    gl.store(out + pid, apply(SUM, value))
    gl.store(out + 8 + pid, apply(PRODUCT, value))
    function: gl.constexpr = times
    gl.store(out + 16 + pid, call(function, value, 7))


@gluon.jit
def comprehension(x, out):
    pid = gl.program_id(0)
    value = gl.load(x + pid)
    scaled = [value * factor for factor in (1, 2, 3, 4, 5, 6)]
    kept = [scaled[i] for i in (0, 1, 2, 3, 4, 5) if i % 2 == 1]
    gl.static_assert(len(kept) == 3)
    gl.store(out + pid, total_of(*kept))


@gluon.jit
def walrus(x, out):
    pid = gl.program_id(0)
    result = (y := gl.load(x + pid) + 1) * 2 + y
    gl.store(out + pid, result)


@gluon.jit
def steps(out, start):
    for i in range(start, 1, -3):
        gl.store(out + i, 1)
    for i in tl.range(2, 16, 5, num_stages=3, loop_unroll_factor=2, flatten=True):
        gl.store(out + 16 + i, 1)
    for i in gl.static_range(4, 0, -2):
        gl.store(out + 32 + i, 1)


@gluon.jit
def lookup(which: gl.constexpr):
    for i in gl.static_range(5):
        if i == which:
            return i * 10
    return -1


@gluon.jit
def unrolled_return(which: gl.constexpr, out):
    gl.store(out, lookup(which))


# A bare annotation makes the next assignment a compile-time one, inside a pattern, too.
@gluon.jit
def deferred(n, out):
    factor: gl.constexpr
    factor, offset = 4, n * 4
    gl.static_assert(factor == 4)
    gl.store(out, factor * n + offset)


@gluon.jit
def stored(p, w: gl.constexpr):
    gl.store(p, w + 1)


# The annotation lets run-time values through.
@gluon.jit
def annotated(n, out):
    w: gl.constexpr = n
    gl.store(out, w)
    stored(out + 1, n)
    pair = gl.tuple([n, 2])
    gl.store(out + 2, pair[0] + pair[1])


# Integers beyond 63 bits beside floats, and as floats.
@gluon.jit
def large(out):
    gl.store(out + 0, gl.to_tensor(1.0) * (1.0 * 10**20))
    gl.store(out + 1, 1.0 if (1 << 64) - 1 < 0.5 else 2.0)
    gl.store(out + 2, gl.to_tensor(1.0) + (1 << 63))
    gl.store(out + 3, gl.to_tensor(1.0) * (0xFFFFFFFFFFFFFFFF / 2))
    gl.store(out + 4, gl.full([1], 1 << 63, gl.float32, line).sum(0))
    gl.store(out + 5, gl.to_tensor(1.0) * (1 << 63))
    gl.store(out + 6, gl.to_tensor(1 << 63).to(gl.float32))


@gluon.jit
def pairs_taken_apart(x, out):
    i = gl.program_id(0)
    v = gl.load(x + i)
    sums = [a + b for a, b in ((v, 1), (2 * v, 3))]
    tens, ones = [(last, first) for (first, (_, last)) in ((sums[1], (0, sums[0])),)][0]
    gl.store(out + i, tens * 10 + ones)
