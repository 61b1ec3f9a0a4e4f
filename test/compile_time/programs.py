"""Python as compile-time code uses it. Each function without arguments is one program.

run.py calls every one in CPython and in the compiler, and compares what they print.
"""

import copy
import functools
import itertools
import math
from collections import namedtuple
from dataclasses import dataclass

Point = namedtuple("Point", ["x", "y"])


def list_comprehensions():
    squares = [i * i for i in range(10) if i % 2 == 0]
    pairs = [(i, j) for i in range(3) for j in range(i)]
    return squares, pairs, [x for row in [[1, 2], [3]] for x in row]


def dict_comprehensions():
    lengths = {name: len(name) for name in ("a", "bcd", "ef")}
    return lengths, sorted(lengths.items()), {v: k for k, v in lengths.items()}["_" and 3]


def set_displays():
    primes = {2, 3, 5, 5, 2}
    evens = {i % 4 for i in range(100)}
    return sorted(primes), sorted(evens), 3 in primes, 4 not in primes, len(primes)


def set_methods():
    a, b = {1, 2, 3}, {3, 4}
    return sorted(a | b), sorted(a & b), sorted(a - b), sorted(set([5, 5, 6])), set([1]) == {1}


def generators():
    return (sum(i * i for i in range(5)), max(x % 7 for x in (8, 9, 20)), all(i > 0 for i in (1, 2)),
            any(i > 5 for i in (1, 2)), tuple(i + 1 for i in range(3)))


def while_loops():
    n, steps = 27, []
    while True:
        if n == 1:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if n > 50:
            continue
        steps.append(n)
    else:
        steps.append(-1)
    return steps


def for_else():
    found = []
    for n in range(2, 20):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            found.append(n)
    return found


def nested_functions():
    base = 10

    def add(x, y=1, *rest, scale=2, **named):
        return (x + y + base + sum(rest)) * scale + len(named)

    return add(1), add(1, 2), add(1, 2, 3, 4), add(1, scale=5), add(1, q=1, r=2)


def late_binding():
    # A closure sees what its variable holds when it is called.
    value = 1

    def get():
        return value

    value = 2
    return get()


def recursion():

    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return [fib(i) for i in range(12)]


def lambdas():
    compose = lambda f, g: lambda x: f(g(x))
    return compose(lambda x: x + 1, lambda x: x * 2)(10), (lambda *a: a)(1, 2)


def unpacking():
    a, (b, *c), d = 1, (2, 3, 4), 5
    first, *rest = "xyz"
    *front, last = [1, 2, 3]
    return a, b, c, d, first, rest, front, last


def multiple_targets():
    a = b = [1]
    b.append(2)
    return a, b, a is b


def swaps_in_place():
    rows = [[1, 2], [3, 4]]
    rows[0][1], rows[1][0] = rows[1][0], rows[0][1]
    return rows


def item_updates():
    counts = {}
    for c in "abracadabra":
        counts[c] = counts.get(c, 0) + 1
    counts["a"] += 10
    values = [1, 2, 3]
    values[-1] *= 5
    values[0] <<= 3
    return counts, values


def deletions():
    values = [1, 2, 3, 4]
    del values[1]
    table = {"a": 1, "b": 2}
    del table["a"]
    return values, table


def slice_assignment():
    values = list(range(8))
    values[2:4] = [9, 9, 9]
    return values, values[::-2], values[1:-1]


def list_methods():
    values = [3, 1, 2]
    values.sort()
    values.extend([5, 4])
    values.sort(reverse=True)
    values.remove(3)
    values.insert(1, 7)
    values.append(values.pop(0))
    other = values.copy()
    other.clear()
    return values, values.index(7), values.count(1), other, values + [0] * 2


def dict_methods():
    table = {"a": 1}
    table.update({"b": 2})
    table.setdefault("c", 3)
    table.setdefault("a", 9)
    popped = table.pop("b")
    return table, popped, list(table.keys()), list(table.values()), "a" in table, {**table, "z": 0}


def string_methods():
    text = "  Block_Size  ".strip()
    return (text.lower(), text.upper(), text.replace("_", "-"), text.split("_"), ",".join(["a", "b"]),
            text.startswith("Block"), text.endswith("x"), text.find("S"), text.rjust(12), text.title(),
            text[::-1], "x" * 3, "a" < "b", text.removeprefix("Block_"), "7".isdigit(),
            "%d-%s" % (4, "q"), "{} {:>4} {name}".format(1, 2, name="n"))


def f_strings():
    x, y, name = 42, 3.14159, "n"
    return (f"{x}", f"{x:5d}|{x:<5}|{x:^5}|{x:05}", f"{y:.2f}", f"{x:#x} {x:b} {x:o} {x:X}", f"{name!r}",
            f"{x + 1 = }", f"{{}}", f"{x:>{5}}", f"{12345678:,}", f"{0.000012:g} {y:e}", f"{name:*^7}")


def booleans():
    return (1 and 0 or 5, not [], not 0, None or "x", 1 < 2 < 3, 1 < 3 < 2, True + True, 3 == 3.0,
            bool(""), [] == (), (1, 2) < (1, 3), None is None)


def arithmetic():
    return (7 // -2, -7 % 3, 7 / 2, 2**-1, divmod(-7, 2), abs(-3), round(2.5), round(3.14159, 2), pow(3, 4),
            pow(3, 4, 5), 1 << 70, ~5, 6 ^ 3, 7 & ~2, -7 >> 1, int("12"), int(-3.9), float("1.5"), 0x10,
            int("ff", 16), 5 .bit_length(), min(3, 1, 2), max([4, 9]), sum([1, 2], 10))


def mathematics():
    return (math.ceil(2.1), math.floor(-2.1), math.log2(8), math.sqrt(16.0), math.prod([2, 3, 4]),
            math.gcd(12, 18), math.lcm(4, 6), math.isqrt(17), math.inf, math.isinf(math.inf),
            math.log(math.e), math.isclose(0.1 + 0.2, 0.3), math.fabs(-2), math.pow(2, 3))


def iteration():
    return (list(enumerate("ab", 1)), list(zip([1, 2], "xy", (True, False))), list(reversed([1, 2, 3])),
            list(map(lambda x: x + 1, [1, 2])), list(filter(lambda x: x > 1, [1, 2, 3])),
            sorted([3, 1, 2], key=lambda x: -x), list(itertools.product([1, 2], [3])),
            list(itertools.chain([1], (2, 3))), list(itertools.accumulate([1, 2, 3])),
            functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), list(range(10, 0, -3)), 5 in range(0, 10, 5))


def partials():
    f = functools.partial(lambda a, b, c=0: (a, b, c), 1)
    return f(2), f(2, c=3), functools.partial(f, 5, c=6)()


def copies():
    rows = [[1], [2]]
    shallow, deep = copy.copy(rows), copy.deepcopy(rows)
    rows[0].append(9)
    rows.append([3])
    return rows, shallow, deep


def named_tuples():
    p = Point(1, y=2)
    x, y = p
    return p.x + p.y, x, y, p[0], len(p), p == (1, 2), tuple(p._replace(x=5)), p._fields


@dataclass(frozen=True)
class Tile:
    rows: int
    columns: int = 4

    @property
    def size(self):
        return self.rows * self.columns

    @staticmethod
    def square(n):
        return Tile(n, n)

    @classmethod
    def line(cls, n):
        return cls(1, n)

    def split(self, by):
        return Tile(self.rows // by, self.columns)


def dataclasses_():
    t = Tile(8)
    return t.size, t.split(2).rows, Tile.square(3).size, Tile.line(7).columns, t == Tile(8, 4), t != Tile(1)


class Counter:
    step = 2

    def __init__(self, start=0):
        self.value = start
        self.history = []

    def advance(self):
        self.value += self.step
        self.history.append(self.value)
        return self

    def __len__(self):
        return len(self.history)

    def __getitem__(self, i):
        return self.history[i]

    def __call__(self, x):
        return self.value + x


class Double(Counter):
    step = 4

    def __init__(self, start):
        Counter.__init__(self, start * 2)
        self.extra = "e"


def classes():
    c = Counter(1).advance().advance()
    d = Double(3)
    d.advance()
    return c.value, c.history, len(c), c[1], c(10), d.value, d.extra, isinstance(d, Counter), isinstance(c, Double)


def exceptions():
    out = []
    for text in ("12", "x", ""):
        try:
            out.append(int(text))
        except ValueError:
            out.append(None)
        finally:
            out.append("f")
    try:
        raise RuntimeError("message")
    except (KeyError, RuntimeError) as error:
        out.append(str(error))
    else:
        out.append("never")
    try:
        assert len(out) == 0, "not empty"
    except AssertionError as error:
        out.append(str(error))
    try:
        {}["missing"]
    except KeyError:
        out.append("key")
    try:
        [1][5]
    except IndexError:
        out.append("index")
    try:
        1 // 0
    except ZeroDivisionError:
        out.append("zero")
    return out


def walrus():
    values = []
    while (n := len(values)) < 3:
        values.append(n)
    return values, [y for x in range(5) if (y := x * x) > 3]


def types():
    return (type(1) is int, type("s") == str, isinstance(1, (str, int)), isinstance(True, int),
            isinstance([], list), isinstance((), tuple), isinstance({}, dict), isinstance(None, type(None)),
            callable(len), hasattr("s", "upper"), getattr(Tile(2), "rows"), getattr(1, "nothing", "d"),
            type(1.5).__name__)


def global_state():
    total = 0

    def add(n):
        nonlocal total
        total += n
        return total

    add(3)
    add(4)
    return total


def strings_and_bytes():
    return ord("a"), chr(98), hex(255), bin(5), oct(8), str(1.0), repr("q'"), str((1, "a", None)), "a" "b"


def conditional_imports():
    import math as m
    from functools import reduce
    return m.floor(2.5), reduce(lambda a, b: a + b, (1, 2, 3))
