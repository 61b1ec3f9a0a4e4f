"""The kernel language construct by construct: a kernel each, which stores what every form gives."""

# RUN: assignment out='zeros(8, i32)' n=5 --grid 1 --num-warps 1
# EXPECT: out == tensor([5, 6, 1, 2, 3, 4, 12, 7], i32)
# RUN: annotations out='zeros(4, i32)' --grid 1 --num-warps 1
# EXPECT: out == tensor([8, 2, 3, 16], i32)
# RUN: displays out='zeros(8, i32)' n=3 --grid 1 --num-warps 1
# EXPECT: out == tensor([3, 4, 3, 2, 4, 10, 30, 3], i32)
# RUN: integers out='zeros(12, i32)' a=-7 b=2 --grid 1 --num-warps 1
# EXPECT: out == tensor([-5, -9, -14, -3, -1, 0, -5, -5, -28, -2, 6, 7], i32)
# RUN: floats out='zeros(6, f32)' a=-7 b=2 --grid 1 --num-warps 1
# EXPECT: out == tensor([-3.5, -1.0, -8.5, 7.0, 1.0, 0.0], f32)
# RUN: folded out='zeros(6, i32)' --grid 1 --num-warps 1
# EXPECT: out == tensor([-4, 1, 256, 3, 5, 1], i32)
# RUN: unsigned out='zeros(3, i32)' --grid 1 --num-warps 1
# EXPECT: out == tensor([1, 2147483647, 1], i32)
# RUN: comparisons out='zeros(6, i32)' a=2 b=3 --grid 1 --num-warps 1
# EXPECT: out == tensor([0, 1, 1, 1, 0, 0], i32)
# RUN: chains out='zeros(8, i32)' x='arange(32, i32)' inside='zeros(32, i32)' a=2 b=3 --grid 1 --num-warps 1
# EXPECT: all(out == tensor([1, 0, 1, 0, 1, 0, 1, 3], i32)) & all(inside == where((x > 2) & (x <= 9), 1, 0))
# RUN: boolean out='zeros(6, i32)' a=3 b=0 --grid 1 --num-warps 1
# EXPECT: out == tensor([0, 1, 0, 7, 0, 1], i32)
# RUN: identity out='zeros(3, i32)' absent=None --grid 1 --num-warps 1
# EXPECT: out == tensor([1, 0, 1], i32)
# RUN: conditionals out='zeros((3, 5), i32)' --grid 3 --num-warps 1
# EXPECT: (out[0] == tensor([10, 1, 2, 0, 1], i32)) & (out[1] == tensor([20, 1, 2, 1, 2], i32)) & (out[2] == tensor([30, 1, 2, 2, 2], i32))
# RUN: loops out='zeros(8, i32)' n=4 --grid 1 --num-warps 1
# EXPECT: out == tensor([6, 12, 9, 10, 4, 24, 3, 9], i32)
# RUN: returns out='zeros((3, 3), i32)' --grid 3 --num-warps 1
# EXPECT: (out[0] == tensor([1, 5, 6], i32)) & (out[1] == tensor([2, 6, 7], i32)) & (out[2] == tensor([2, 7, 8], i32))
# RUN: calls out='zeros(7, i32)' n=2 --grid 1 --num-warps 1
# EXPECT: out == tensor([123, 193, 321, 123, 6, 0, 42], i32)
# RUN: subscripts x='arange(32, i32)' out='zeros((3, 32), i32)' --grid 1 --num-warps 1
# EXPECT: (out[0] == x) & (out[1] == x * 2) & (out[2, 0] == 32) & (out[2, 1] == 5)
# RUN: tuples out='zeros(8, i32)' n=2 --grid 1 --num-warps 1
# EXPECT: out == tensor([4, 9, 2, 1, 6, 1, 8, 2], i32)
# RUN: aggregates out='zeros(7, i32)' n=3 --grid 1 --num-warps 1
# EXPECT: out == tensor([7, 13, 4, 10, 16, 5, 8], i32)
# RUN: compile_time out='zeros(6, i32)' --grid 1 --num-warps 1
# EXPECT: out == tensor([24, 30, 3, 5, 11, 9], i32)
# RUN: casts out='zeros(8, i32)' h=3.75 --grid 1 --num-warps 1
# EXPECT: out == tensor([3, -1, 255, 1, 1081081856, 44, 0, 4], i32)

from typing import NamedTuple

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
import triton.language as tl

FOUR = gl.constexpr(4)
WIDTH: gl.constexpr = gl.constexpr(32)


@gluon.jit
def assignment(out, n):
    a = n
    gl.store(out, a)
    a += 1
    gl.store(out + 1, a)
    (b, (c, d)), e = (1, [2, 3]), 4
    gl.store(out + 2, b)
    gl.store(out + 3, c)
    gl.store(out + 4, d)
    gl.store(out + 5, e)
    b, c = c + 10, b
    gl.store(out + 6, b)
    if (f := n + 2) > 3:
        pass
    gl.store(out + 7, f)


@gluon.jit
def annotations(out):
    SIZE: gl.constexpr = FOUR * 2
    number: int = 2
    later: gl.constexpr
    later = 3
    PAIR: gl.constexpr = (SIZE, 16)
    gl.store(out, SIZE)
    gl.store(out + 1, number)
    gl.store(out + 2, later)
    gl.store(out + 3, PAIR[1])


@gluon.jit
def displays(out, n):
    items = [n, n + 1, 10]
    doubled = [item * n for item in items]
    few = [item for item in (1, 2, 3, 4) if item % 2 == 0]
    gl.store(out, items[0])
    gl.store(out + 1, items[1])
    gl.store(out + 2, len(items))
    gl.store(out + 3, few[0])
    gl.store(out + 4, few[-1])
    gl.store(out + 5, items[-1])
    gl.store(out + 6, doubled[2])
    gl.store(out + 7, len(f"{FOUR}-{2!r}"))


@gluon.jit
def integers(out, a, b):
    gl.store(out, a + b)
    gl.store(out + 1, a - b)
    gl.store(out + 2, a * b)
    gl.store(out + 3, a // b)  # as in C, towards zero
    gl.store(out + 4, a % b)
    gl.store(out + 5, a & b)
    gl.store(out + 6, a | b)
    gl.store(out + 7, a ^ b)
    gl.store(out + 8, a << b)
    gl.store(out + 9, a >> b)
    gl.store(out + 10, ~a)
    gl.store(out + 11, -a)


@gluon.jit
def floats(out, a, b):
    x = a.to(gl.float32)
    gl.store(out, a / b)
    gl.store(out + 1, x % b)
    gl.store(out + 2, a - 1.5)
    gl.store(out + 3, -x)
    nothing = x * float("nan")
    gl.store(out + 4, (nothing != nothing).to(gl.float32))
    gl.store(out + 5, (nothing == nothing).to(gl.float32))


@gluon.jit
def folded(out):
    # Python's own arithmetic: division rounds down.
    gl.store(out, -7 // 2)
    gl.store(out + 1, -7 % 2)
    gl.store(out + 2, 2**8)
    gl.store(out + 3, min(FOUR, 3))
    gl.store(out + 4, max(FOUR, 5))
    gl.store(out + 5, isinstance(FOUR, gl.constexpr))


@gluon.jit
def unsigned(out):
    top = gl.to_tensor(0xffffffff)
    gl.store(out, (top > 0).to(gl.int32))
    gl.store(out + 1, (top >> 1).to(gl.int32))
    # Of equal width, unsigned wins.
    gl.store(out + 2, (top + gl.to_tensor(-1) > 5).to(gl.int32))


@gluon.jit
def comparisons(out, a, b):
    gl.store(out, (a == b).to(gl.int32))
    gl.store(out + 1, (a != b).to(gl.int32))
    gl.store(out + 2, (a < b).to(gl.int32))
    gl.store(out + 3, (a <= b).to(gl.int32))
    gl.store(out + 4, (a > b).to(gl.int32))
    gl.store(out + 5, (a >= b).to(gl.int32))


@gluon.jit
def chains(out, x, inside, a, b):
    gl.store(out, (1 < a < b).to(gl.int32))
    gl.store(out + 1, (1 < b < a).to(gl.int32))
    gl.store(out + 2, (0 < a <= 2 < b == 3).to(gl.int32))
    # The second comparison is known to fail.
    gl.store(out + 3, a < 4 < 2)
    gl.store(out + 4, 1 < 2 < 3)
    # What stands in the middle is evaluated once.
    gl.store(out + 6, (0 <= gl.atomic_add(out + 5, 1) < 1).to(gl.int32))
    gl.store(out + 5, gl.load(out + 5) - 1)
    n = b
    while n:
        gl.store(out + 7, gl.load(out + 7) + 1)
        n -= 1
    i = gl.arange(0, 32, layout=gl.BlockedLayout([1], [32], [1], [0]))
    values = gl.load(x + i)
    gl.store(inside + i, (a < values <= 9).to(gl.int32))


@gluon.jit
def boolean(out, a, b):
    gl.store(out, ((a == 3) and (b == 3)).to(gl.int32))
    gl.store(out + 1, ((a == 3) or (b == 3)).to(gl.int32))
    gl.store(out + 2, (not (a == 3)).to(gl.int32))
    # Known at compile time, the other operand itself.
    gl.store(out + 3, False or 7)
    gl.store(out + 4, 0 and undefined)
    gl.store(out + 5, (True and (b == 0)).to(gl.int32))


@gluon.jit
def identity(out, absent: gl.constexpr):
    gl.store(out, absent is None)
    gl.store(out + 1, absent is not None)
    if absent is None:
        gl.store(out + 2, 1)
    else:
        gl.store(out + 2, absent + 1)


@gluon.jit
def conditionals(out):
    pid = gl.program_id(0)
    to = out + 5 * pid
    if pid == 0:
        x = 10
    elif pid == 1:
        x = 20
    else:
        x = 30
    gl.store(to, x)
    if FOUR == 4:
        y = 1
    else:
        y = undefined
    gl.store(to + 1, y)
    gl.store(to + 2, 2 if FOUR > 3 else undefined)
    pair = (pid, 1)
    if pid > 0:
        pair = (pid, 2)
    gl.store(to + 3, pair[0])
    gl.store(to + 4, pair[1])


@gluon.jit
def loops(out, n):
    total = 0
    for i in range(n):
        total += i
    gl.store(out, total)
    total = 0
    for i in range(2, 2 * n, 2):
        total += i
    gl.store(out + 1, total)
    total = 0
    for i in range(5, 1, -2):
        total = total * 2 + i if total > 0 else total + i - 2
    gl.store(out + 2, total)
    total, steps = n, 0
    while total < 10:
        total += 2
        steps += 1
    gl.store(out + 3, total)
    gl.store(out + 4, steps + 1)
    product = 1
    for i in gl.static_range(1, 5):
        product *= i
    gl.store(out + 5, product)
    count = 0
    for i in tl.range(0, n, num_stages=2):
        if i % 2 == 1:
            for j in range(i):
                count += 1
        if i == 0:
            count -= 1
    gl.store(out + 6, count)
    first, second = 0, 1
    for i in range(n):
        first, second = second, first + second
    gl.store(out + 7, first * 3)


@gluon.jit
def nothing():
    return


@gluon.jit
def chosen(x):
    if x == 0:
        return 1
    nothing()
    return 2


@gluon.jit
def two(x):
    return x, x + 1


@gluon.jit
def returns(out):
    pid = gl.program_id(0)
    to = out + 3 * pid
    gl.store(to, chosen(pid))
    a, b = two(pid + 5)
    gl.store(to + 1, a)
    gl.store(to + 2, b)
    return
    gl.store(undefined, 0)


@gluon.jit
def digits(a, b=9, c=3):
    return a * 100 + b * 10 + c


@gluon.jit
def apply(function: gl.constexpr, a, rest):
    return function(a, *rest)


@gluon.jit
def sum_of(*items):
    total = 0
    for i in gl.static_range(len(items)):
        total += items[i]
    return total


@gluon.jit
def is_known(x):
    # A number is passed as such, a value of the program is not.
    return isinstance(x, gl.constexpr)


@gluon.jit(noinline=True)
def apart(a, b):
    return a * b


@gluon.jit
def calls(out, n):
    one = n - 1
    gl.store(out, digits(one, n))
    gl.store(out + 1, digits(one))
    gl.store(out + 2, digits(c=one, a=3, b=n))
    gl.store(out + 3, apply(digits, one, (n, 3)))
    gl.store(out + 4, sum_of(one, n, 3))
    gl.store(out + 5, is_known(n))
    gl.store(out + 6, apart(n, 21))


@gluon.jit
def subscripts(x, out):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 1], [1, 0])
    columns = gl.arange(0, WIDTH, layout=gl.SliceLayout(0, layout))
    row = gl.load(x + columns)
    gl.store(out + columns[None, :], row[None, :])
    gl.store(out + 32 + columns[None, :], row[None, :][:, :] * 2)
    gl.store(out + 64, row.shape[0])
    gl.store(out + 65, (row.dtype.primitive_bitwidth + row.numel + 16) // 16)


class Pair(NamedTuple):
    left: gl.tensor
    right: gl.tensor


@gluon.jit
def turned(pair):
    return Pair(pair.right, pair.left)


@gluon.jit
def tuples(out, n):
    t = (1, n, 3) + (4,)
    gl.store(out, len(t))
    gl.store(out + 1, sum_of(*t[1:]))
    gl.store(out + 2, t[1])
    gl.store(out + 3, ((1, 2) == (1, 2)))
    gl.store(out + 4, len((1, 2) * 3))
    pair = turned(Pair(n, n - 1))
    gl.store(out + 5, pair.left)
    for i in range(n):
        pair = Pair(pair.left + pair.right, pair.right + 1)
    gl.store(out + 6, pair.left * 1 + pair.right - 2)
    a, b = turned(Pair(3, 2))
    gl.store(out + 7, a)


@gluon.aggregate
class Counter:
    value: gl.tensor
    step: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, value, step):
        self.value = value
        self.step = gl.constexpr(step)

    @gluon.jit
    def create(value, step: gl.constexpr):
        return Counter(value, step)

    @gluon.jit
    def next(self, times=1):
        return Counter(self.value + self.step * times, self.step)

    @gluon.constexpr_function
    def doubled(self):
        return self.step * 2

    @gluon.jit
    def __add__(self, other):
        return Counter(self.value + other.value, self.step)


@gluon.aggregate
class Both:
    first: Counter
    buffer: gl.shared_memory_descriptor


@gluon.jit
def aggregates(out, n):
    counter = Counter.create(n, 4)
    gl.store(out, counter.next().value)
    for i in range(n):
        counter = counter.next()
    counter = counter.next() if FOUR == 5 else counter
    gl.store(out + 1, counter.value - 2)
    gl.store(out + 2, counter.step)
    gl.store(out + 3, (Counter(n, 4) + Counter(n + 4, 4)).value)
    gl.store(out + 4, counter.doubled() * 2)
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [1], [0])
    buffer = gl.allocate_shared_memory(gl.int32, [32], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    both = Both(Counter(n, 1), buffer)
    both.buffer.store(gl.full([32], 5, gl.int32, layout))
    gl.store(out + 5, gl.max(both.buffer.load(layout), 0))
    if n > 2:
        both = Both(both.first.next(5), both.buffer)
    gl.store(out + 6, both.first.value)


@gluon.constexpr_function
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@gluon.constexpr_function
def shape_of(size, *, rows=2):
    table = {"rows": rows, **{"columns": size // rows}}
    assert size % rows == 0, f"{size} does not divide"
    found = sorted((value for value in table.values()), key=lambda value: -value)
    while len(found) > 2:
        found.pop()
    for i, value in enumerate(found):
        if value == rows:
            continue
        break
    return found


@gluon.constexpr_function
def evens(n):
    return [i for i in range(n) if not i % 2]


@gluon.jit
def compile_time(out):
    gl.store(out, factorial(4))
    shape: gl.constexpr = shape_of(30, rows=2)
    gl.store(out + 1, shape[0] * shape[1])
    numbers: gl.constexpr = evens(6)
    gl.store(out + 2, len(numbers))
    gl.store(out + 3, sum_of(*evens(4), 3))
    gl.static_assert(FOUR == 4, "four")
    total = 0
    for i in gl.static_range(len(numbers)):
        total += numbers[i] * numbers[i] // 2 + i // 2
    gl.store(out + 4, total)
    gl.store(out + 5, shape_of(18, rows=9)[0])


@gluon.jit
def casts(out, h):
    x = h.to(gl.float32)
    gl.store(out, x.to(gl.int32))
    gl.store(out + 1, gl.to_tensor(255).to(gl.int8).to(gl.int32))
    gl.store(out + 2, gl.to_tensor(-1).to(gl.uint8).to(gl.int32))
    gl.store(out + 3, gl.to_tensor(8).to(gl.int1).to(gl.int32))
    gl.store(out + 4, (x + 0.0).to(gl.int32, bitcast=True))
    gl.store(out + 5, gl.cast(gl.to_tensor(300), gl.uint8).to(gl.int32))
    gl.store(out + 6, out.to(gl.int64) == 0)
    gl.store(out + 7, (x + 0.25).to(gl.bfloat16).to(gl.int32))
