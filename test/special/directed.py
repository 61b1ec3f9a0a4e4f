"""Rows of gl.extra.libdevice that round in a given direction, and casts; with exact fractions."""

import math
from fractions import Fraction

import numpy as np

from values import FLOATS

MODES = ("rn", "rz", "rd", "ru")


def goes_up(mode, negative, whole, rest):
    """Whether what lies `rest` of a step above the whole number rounds away from zero."""
    if mode == "rn":
        return rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2)
    return rest > 0 and mode == ("rd" if negative else "ru")


def exponent_of(size):
    """e with 2^e <= size < 2^(e + 1)."""
    e = size.numerator.bit_length() - size.denominator.bit_length()
    return e if Fraction(2) ** e <= size else e - 1


def rounded(exact, kind, mode):
    """A fraction that is not zero as a number of the format, in float64."""
    negative, size = exact < 0, abs(exact)
    unit = max(exponent_of(size), 1 - kind.bias) - kind.mantissa
    steps = size / Fraction(2) ** unit
    whole = math.floor(steps)
    return finish(whole + goes_up(mode, negative, whole, steps - whole), unit, kind, mode, negative)


def finish(whole, unit, kind, mode, negative):
    sign = -1.0 if negative else 1.0
    if whole * Fraction(2) ** unit <= Fraction(kind.largest):
        return sign * math.ldexp(whole, unit)
    away = mode == "rn" or mode == ("rd" if negative else "ru")
    return sign * (math.inf if away else kind.largest)


def rounded_root(x, kind, mode):
    if not x > 0 or math.isinf(x):
        return x if x == 0 or x == math.inf else math.nan
    exact = Fraction(x)
    unit = math.floor(exponent_of(exact) / 2) - kind.mantissa
    squared = exact / Fraction(4) ** unit
    whole = math.isqrt(math.floor(squared))
    exactly = Fraction(whole) ** 2 == squared
    return math.ldexp(whole + (not exactly and mode == "ru"), unit)


def zero_sum(a, b, mode):
    """What zeros of two signs, or what cancels, add up to."""
    if a == 0 and b == 0 and math.copysign(1, a) == math.copysign(1, b):
        return a
    return -0.0 if mode == "rd" else 0.0


def of_two(op, kind, mode):
    exact = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b,
             "mul": lambda a, b: a * b, "div": lambda a, b: a / b}[op]

    def one(a, b):
        plain = float(exact(np.float64(a), np.float64(b)))
        if not (math.isfinite(a) and math.isfinite(b)) or (op == "div" and b == 0):
            return plain
        result = exact(Fraction(a), Fraction(b))
        if result:
            return rounded(result, kind, mode)
        if op in ("add", "sub"):
            return zero_sum(a, b if op == "add" else -b, mode)
        return math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b))
    return one


def of_three(kind, mode):
    def one(a, b, c):
        if not (math.isfinite(a) and math.isfinite(b)):
            return float(np.float64(a) * np.float64(b) + np.float64(c))
        if not math.isfinite(c):
            return c
        result = Fraction(a) * Fraction(b) + Fraction(c)
        if result:
            return rounded(result, kind, mode)
        # A product that is not zero has its sign, too, however small.
        product = math.copysign(0.0 if a == 0 or b == 0 else 1.0,
                                math.copysign(1, a) * math.copysign(1, b))
        return zero_sum(product, c, mode) if product == 0 else zero_sum(1.0, -1.0, mode)
    return one


def each(function):
    def of(*columns):
        with np.errstate(all="ignore"):
            return np.array([function(*map(float, x)) for x in zip(*columns)])
    return of


def to_integer(mode, bits, signed, narrow):
    def one(x):
        if math.isnan(x):
            return 0 if narrow else 1 << (bits - 1)
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if math.isinf(x):
            return high if x > 0 else low
        return min(max({"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[mode](x), low), high)
    return lambda a: [one(float(x)) for x in a]


def from_integer(mode, kind):
    return lambda a: np.array([rounded(Fraction(x), kind, mode) if x else 0.0 for x in map(int, a)])


def narrowed(mode):
    single = FLOATS["float32"]
    return each(lambda x: rounded(Fraction(x), single, mode) if x and math.isfinite(x) else x)


def arithmetic_rows(Row):
    for t in ("float32", "float64"):
        kind = FLOATS[t]
        for mode in MODES[1:]:
            for op in ("add", "sub", "mul", "div"):
                yield Row(f"libdevice.{op}_{mode}(a, b)", (t, t), t, each(of_two(op, kind, mode)))
            division = of_two("div", kind, mode)
            yield Row(f"libdevice.rcp_{mode}(a)", (t,), t, each(lambda x, f=division: f(1.0, x)))
            yield Row(f"libdevice.sqrt_{mode}(a)", (t,), t,
                      each(lambda x, kind=kind, mode=mode: rounded_root(x, kind, mode)))
        for mode in MODES:
            yield Row(f"libdevice.fma_{mode}(a, b, c)", (t, t, t), t, each(of_three(kind, mode)))


def cast_rows(Row):
    for source, name in (("float32", "float"), ("float64", "double")):
        for target, bits, signed in (("int", 32, True), ("uint", 32, False), ("ll", 64, True), ("ull", 64, False)):
            for mode in MODES:
                yield Row(f"libdevice.{name}2{target}_{mode}(a)", (source,), f"int{bits}",
                          to_integer(mode, bits, signed, source == "float32" and bits == 32))
                if name == "double" and bits == 32 and mode != "rn":
                    continue
                integer = f"{'' if signed else 'u'}int{bits}"
                yield Row(f"libdevice.{target}2{name}_{mode}(a)", (integer,), source,
                          from_integer(mode, FLOATS[source]))
    for mode in MODES:
        yield Row(f"libdevice.double2float_{mode}(a)", ("float64",), "float32", narrowed(mode))


def bit_rows(Row):
    def double_bits(a):
        return np.asarray(a, np.float64).view(np.int64)

    def rough(a):
        with np.errstate(all="ignore"):
            one = 1 / (double_bits(a) >> 32 << 32).view(np.float64)
        return (one.view(np.int64) >> 32 << 32).view(np.float64)
    single = lambda a: np.asarray(a, np.float32).view(np.int32).tolist()
    number = lambda a, kind: np.array(a, kind).view(np.dtype(f"f{kind.itemsize}")).astype(np.float64)
    i4, u4, i8 = map(np.dtype, ("i4", "u4", "i8"))
    yield Row("libdevice.float_as_uint(a)", ("float32",), "int32", single, excludes=np.isnan)
    yield Row("libdevice.int_as_float(a)", ("int32",), "float32", lambda a: number(a, i4))
    yield Row("libdevice.uint_as_float(a)", ("uint32",), "float32", lambda a: number(a, u4))
    yield Row("libdevice.double_as_longlong(a)", ("float64",), "int64", lambda a: double_bits(a).tolist())
    yield Row("libdevice.longlong_as_double(a)", ("int64",), "float64", lambda a: number(a, i8))
    yield Row("libdevice.double2hiint(a)", ("float64",), "int32", lambda a: (double_bits(a) >> 32).tolist())
    yield Row("libdevice.double2loint(a)", ("float64",), "int32", lambda a: double_bits(a).tolist())
    yield Row("libdevice.hiloint2double(a, b)", ("int32", "int32"), "float64",
              lambda a, b: np.array([(x << 32) | (y & 0xffffffff) for x, y in zip(a, b)], np.int64).view(np.float64))
    yield Row("libdevice.rcp64h(a)", ("float64",), "float64", rough)


def unsigned_rows(Row):
    one = lambda function: lambda *columns: [function(*map(int, x)) for x in zip(*columns)]
    for t, bits in (("uint32", 32), ("uint64", 64)):
        yield Row("libdevice.mulhi(a, b)", (t, t), t, one(lambda x, y, bits=bits: x * y >> bits))
    two = ("uint32", "uint32")
    yield Row("libdevice.mul24(a, b)", two, "uint32", one(lambda x, y: (x & 0xffffff) * (y & 0xffffff)))
    yield Row("libdevice.hadd(a, b)", two, "uint32", one(lambda x, y: x + y >> 1))
    yield Row("libdevice.rhadd(a, b)", two, "uint32", one(lambda x, y: x + y + 1 >> 1))
    yield Row("libdevice.sad(a, b, c)", (*two, "uint32"), "uint32", one(lambda x, y, z: abs(x - y) + z))


def rest_rows(Row):
    def remainder(a, b):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
            return math.nan
        return math.remainder(a, b)

    def length(*x):
        return math.inf if any(map(math.isinf, x)) else math.hypot(*x)
    for t in ("float32", "float64"):
        yield Row("libdevice.fmod(a, b)", (t, t), t, each(lambda a, b: float(np.fmod(a, b))))
        yield Row("libdevice.remainder(a, b)", (t, t), t, each(remainder))
        # Of two arguments twice: all combinations of four are too many.
        yield Row("libdevice.norm4d(a, b, b, a)", (t, t), t, each(lambda a, b: length(a, b, b, a)),
                  (1 if t == "float32" else 4, 2))
        yield Row("libdevice.rnorm4d(a, b, b, a)", (t, t), t,
                  each(lambda a, b: float(1 / np.float64(length(a, b, b, a)))), (1 if t == "float32" else 6, 3))
    yield Row("libdevice.rsqrt_rn(a)", ("float32",), "float32", each(lambda a: float(1 / np.sqrt(a))))


def rows(Row):
    for family in (arithmetic_rows, cast_rows, bit_rows, unsigned_rows, rest_rows):
        yield from family(Row)
