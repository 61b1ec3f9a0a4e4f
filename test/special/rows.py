"""What is compared: one row per operation and operand types, with its reference in NumPy."""

import dataclasses
import fractions
import functools
import math
import statistics
import typing

import numpy as np

import directed
from values import FLOATS, INTEGERS, TYPES

LINES, LENGTH = 64, 32
STANDARD = ["float16", "bfloat16", "float32", "float64"]
SINGLE = ["float32", "float64"]


@dataclasses.dataclass
class Row:
    """`expression` of a, b and c, of the given types; `reference` gives values of the type `result`:
    float64 to be rounded, Python integers to be wrapped, or bools."""

    expression: str
    types: tuple
    result: str
    reference: typing.Callable
    # Units in the last place that a GPU and the simulator may be off.
    ulps: tuple = (0, 0)
    # Operands for which the language promises nothing.
    excludes: typing.Callable = None
    # A GPU may take subnormal arguments and results for zero.
    flushes: bool = False
    # `a` is a block of LINES lines, each of which gives one result.
    reduces: bool = False

    @property
    def name(self):
        return f"{self.expression} [{', '.join(self.types)}]"


def quietly(function):
    def quiet(*arguments):
        with np.errstate(all="ignore"):
            return function(*arguments)
    return quiet


def larger(a, b, propagate):
    """maximum: a NaN loses, or wins where it propagates; -0 is below +0."""
    below = (a < b) | ((a == b) & np.signbit(a))
    result = np.where(below, b, a)
    result = np.where(np.isnan(a), b, np.where(np.isnan(b), a, result))
    return np.where(propagate & (np.isnan(a) | np.isnan(b)), np.nan, result)


def smaller(a, b, propagate):
    return -larger(-a, -b, propagate)


def exact_fma(toward_odd):
    """a * b + c in float64, rounded once; to odd where another rounding follows, which then is that
    of the exact sum."""
    def one(a, b, c):
        if not (math.isfinite(a) and math.isfinite(b)):
            return np.float64(a) * b + c
        if not math.isfinite(c):
            return c
        total = fractions.Fraction(a) * fractions.Fraction(b) + fractions.Fraction(c)
        if total == 0:
            # Only the sign of a zero is left to settle.
            product = math.copysign(1, a) * math.copysign(1, b) * (0.0 if a == 0 or b == 0 else 1.0)
            return product + c if product == 0 else 0.0
        try:
            near = float(total)
        except OverflowError:
            return math.inf if total > 0 else -math.inf
        error = total - fractions.Fraction(near)
        return next_odd(near, error) if toward_odd and error else near
    return quietly(lambda a, b, c: np.array([one(*map(float, triple)) for triple in zip(a, b, c)]))


def next_odd(near, error):
    """`near`, or its neighbour in the direction of the error: the one whose last bit is set."""
    if np.float64(near).view(np.int64) % 2:
        return near
    return math.nextafter(near, math.inf if error > 0 else -math.inf)


def float_rows():
    for t in STANDARD:
        wide = t if t == "float64" else "float32"
        for op, reference in {"+": np.add, "-": np.subtract, "*": np.multiply}.items():
            yield Row(f"a {op} b", (t, t), t, quietly(reference))
        yield Row("a / b", (t, t), wide, quietly(np.divide), (0 if wide == "float64" else 2, 0))
        yield Row("gl.fdiv(a, b)", (t, t), t, quietly(np.divide), (2 if t == "float32" else t != "float64", 0))
        yield Row("a % b", (t, t), wide, quietly(np.fmod))
        yield Row("-a", (t,), t, np.negative)
        yield Row("gl.abs(a)", (t,), t, np.abs)
        yield Row("gl.where(a < b, a, b)", (t, t), t, lambda a, b: np.where(a < b, a, b))
        for op, reference in {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
                              ">": np.greater, ">=": np.greater_equal}.items():
            yield Row(f"a {op} b", (t, t), "int1", reference)
        compared = "float32" if t == "bfloat16" else t
        for name, reference in (("maximum", larger), ("minimum", smaller)):
            for mode in ("NONE", "ALL"):
                yield Row(f"gl.{name}(a, b, gl.PropagateNan.{mode})", (t, t), compared,
                          lambda a, b, reference=reference, mode=mode: reference(a, b, mode == "ALL"))
    for t in ("float16", "float32", "float64"):
        yield Row("gl.fma(a, b, c)", (t, t, t), t, exact_fma(t != "float64"))
    yield Row("gl.div_rn(a, b)", ("float32", "float32"), "float32", quietly(np.divide))
    for t in ("float8e4nv", "float8e5"):
        # Infinity stays itself, which rounding to these types, as results here are, makes finite.
        yield Row("gl.abs(a)", (t,), t, np.abs, excludes=np.isinf)
        yield Row("gl.maximum(a, b)", (t, t), t, lambda a, b: larger(a, b, False))
        yield Row("gl.minimum(a, b)", (t, t), t, lambda a, b: smaller(a, b, False))


def function_rows():
    """Bounds as in docs/accuracy.md; here for the ends of the range."""
    def logarithm(function):
        return quietly(lambda a: np.where(a < 0, np.nan, function(np.abs(a))))
    functions = {"exp": (np.exp, 90, 1), "exp2": (np.exp2, 3, 1), "log": (logarithm(np.log), 2, 1),
                 "log2": (logarithm(np.log2), 2, 1), "sqrt": (np.sqrt, 2, 0.5),
                 "rsqrt": (lambda a: 1 / np.sqrt(a), 3, 1), "floor": (np.floor, 0, 0),
                 "ceil": (np.ceil, 0, 0), "sqrt_rn": (np.sqrt, 0, 0),
                 "erf": (lambda a: np.array([math.erf(x) for x in a]), 4, 2.5)}
    for name, (reference, single, double) in functions.items():
        for t in SINGLE:
            gpu = single if t == "float32" else math.ceil(double)
            yield Row(f"gl.{name}(a)", (t,), t, quietly(reference), (gpu, min(gpu, 1 if name != "rsqrt" else 2)),
                      flushes=t == "float32" and name in ("exp", "exp2", "sqrt", "rsqrt"))


def each_of(function, poles=math.nan):
    """Python's function of floats for arrays; at poles, where it raises, what `poles` says."""
    def one(*x):
        try:
            return function(*map(float, x))
        except OverflowError:
            return math.inf
        except ValueError:
            return poles(*x) if callable(poles) else poles
    return lambda *columns: np.array([one(*x) for x in zip(*columns)])


def normal_quantile(p):
    if not 0 <= p <= 1:
        return math.nan
    if p in (0, 1):
        return math.inf if p else -math.inf
    return statistics.NormalDist().inv_cdf(p)


def inverse_erf(x):
    # Near 0, where the quantile has lost x.
    if abs(x) < 1e-4:
        return x * math.sqrt(math.pi) / 2 * (1 + math.pi * x * x / 12)
    return normal_quantile((x + 1) / 2) / math.sqrt(2)


def half_turns(function, shift):
    def of(a):
        r = np.remainder(a, 2.0)
        return np.where((2 * r + shift) % 2 == 0, 0.0, function(np.pi * r))
    return of


def gamma_pole(x):
    return math.copysign(math.inf, x) if x == 0 else math.nan


def bits_of(a):
    return np.asarray(a, np.float32).view(np.int32).tolist()


def library_rows():
    """gl.extra.libdevice: each in f32 and, with a bound, in f64."""
    functions = {
        "expm1": (np.expm1, 1, 4), "log1p": (np.log1p, 1, 4), "sinh": (np.sinh, 1, 6),
        "cosh": (np.cosh, 1, 6), "asinh": (np.arcsinh, 1, 6), "acosh": (np.arccosh, 1, 6),
        "atanh": (np.arctanh, 1, 6), "tan": (np.tan, 8, None), "asin": (np.arcsin, 1, 4),
        "acos": (np.arccos, 1, 4), "atan": (np.arctan, 1, 4), "cbrt": (np.cbrt, 1, 2),
        "rcbrt": (lambda a: 1 / np.cbrt(a), 1, 4), "exp10": (lambda a: 10.0 ** a, 1, None),
        "erfc": (each_of(math.erfc), 1, None),
        "erfinv": (each_of(inverse_erf), 1, None),
        "erfcinv": (each_of(lambda x: -normal_quantile(x / 2) / math.sqrt(2)), 1, None),
        "normcdf": (each_of(lambda x: math.erfc(-x / math.sqrt(2)) / 2), 1, None),
        "normcdfinv": (each_of(normal_quantile), 1, None),
        "lgamma": (each_of(math.lgamma, math.inf), 1, None),
        "tgamma": (each_of(math.gamma, gamma_pole), 1, None),
        "rcp_rn": (lambda a: 1 / a, 0, 0), "sqrt_rn": (np.sqrt, 0, 0)}
    for name, (reference, single, double) in functions.items():
        yield Row(f"libdevice.{name}(a)", ("float32",), "float32", quietly(reference), (single, 1))
        if double is not None:
            yield Row(f"libdevice.{name}(a)", ("float64",), "float64", quietly(reference), (double, 4))
    # C's, of which NumPy's differs from machine to machine: infinity beside NaN.
    hypot = lambda a, b: np.where(np.isinf(a) | np.isinf(b), np.inf, np.hypot(a, b))
    pairs = {"atan2": (np.arctan2, 1, 4), "hypot": (hypot, 1, 2),
             "rhypot": (lambda a, b: 1 / hypot(a, b), 1, 4), "pow": (np.power, 1, None),
             "add_rn": (np.add, 0, 0), "sub_rn": (np.subtract, 0, 0), "mul_rn": (np.multiply, 0, 0),
             "fdim": (lambda a, b: np.where(a > b, a - b, np.where(np.isnan(a) | np.isnan(b), np.nan, 0.0)), 0, 0)}
    for name, (reference, single, double) in pairs.items():
        yield Row(f"libdevice.{name}(a, b)", ("float32",) * 2, "float32", quietly(reference), (single, 1))
        if double is not None:
            yield Row(f"libdevice.{name}(a, b)", ("float64",) * 2, "float64", quietly(reference), (double, 2))
    for t, kind in (("float32", np.float32), ("float64", np.float64)):
        yield Row("libdevice.nextafter(a, b)", (t, t), t, quietly(
            lambda a, b, kind=kind: np.nextafter(a.astype(kind), b.astype(kind)).astype(np.float64)))
        yield Row("libdevice.logb(a)", (t,), t, quietly(lambda a: np.where(
            np.isfinite(a) & (a != 0), np.frexp(a)[1] - 1.0, np.where(a == 0, -np.inf, np.abs(a)))))
        yield Row("libdevice.ilogb(a)", (t,), "int32", lambda a: [
            math.frexp(x)[1] - 1 if math.isfinite(x) and x else 2**31 - 1 if math.isinf(x) else -2**31 for x in a])
        yield Row("libdevice.signbit(a)", (t,), "int1", np.signbit, excludes=np.isnan)
        yield Row("libdevice.ldexp(a, b)", (t, "int32"), t, quietly(
            lambda a, b: np.ldexp(a, np.clip(b, -5000, 5000).astype(np.int32))), (1, 0))
        unknown = lambda x: not abs(x) < 2.0**62
        yield Row("libdevice.llrint(a)", (t,), "int64", lambda a: [round(x) for x in a.tolist()], excludes=unknown)
        yield Row("libdevice.llround(a)", (t,), "int64",
                  lambda a: [int(math.copysign(math.floor(abs(x) + 0.5) if abs(x) < 2**52 else abs(x), x))
                             if abs(x) != 0.49999999999999994 else 0 for x in a.tolist()], excludes=unknown)
    yield Row("libdevice.finitef(a)", ("float32",), "int1", np.isfinite)
    yield Row("libdevice.isfinited(a)", ("float64",), "int1", np.isfinite)
    yield Row("libdevice.float_as_int(a)", ("float32",), "int32", bits_of, excludes=np.isnan)

    def signed(x, bits):
        x &= (1 << bits) - 1
        return x - (1 << bits) if x >> (bits - 1) else x
    one = lambda function: lambda *columns: [function(*map(int, x)) for x in zip(*columns)]
    for t, bits in (("int32", 32), ("int64", 64)):
        yield Row("libdevice.brev(a)", (t,), t, one(
            lambda x, bits=bits: int(f"{x & (1 << bits) - 1:0{bits}b}"[::-1], 2)))
        yield Row("libdevice.ffs(a)", (t,), "int32", one(lambda x: (x & -x).bit_length()))
        yield Row("libdevice.mulhi(a, b)", (t, t), t, one(lambda x, y, bits=bits: x * y >> bits))
    two = ("int32", "int32")
    yield Row("libdevice.mul24(a, b)", two, "int32", one(lambda x, y: signed(x, 24) * signed(y, 24)))
    yield Row("libdevice.hadd(a, b)", two, "int32", one(lambda x, y: x + y >> 1))
    yield Row("libdevice.rhadd(a, b)", two, "int32", one(lambda x, y: x + y + 1 >> 1))
    yield Row("libdevice.sad(a, b, c)", (*two, "int32"), "int32", one(lambda x, y, z: abs(x - y) + z))
    yield Row("libdevice.byte_perm(a, b, c)", (*two, "int32"), "int32", one(
        lambda x, y, s: sum((((y & 0xffffffff) << 32 | x & 0xffffffff) >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i
                            for i in range(4))))


def truncated_quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def integer_rows():
    def each(function):
        return lambda a, b: [function(x, y) for x, y in zip(a, b)]
    for t, kind in INTEGERS.items():
        low = -(1 << (kind.bits - 1)) if kind.is_signed else 0
        undefined = lambda a, b, low=low: b == 0 or (a == low and b == -1)
        too_far = lambda a, b, bits=kind.bits: not 0 <= b < bits
        for op, function in {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
                             "&": lambda x, y: x & y, "|": lambda x, y: x | y,
                             "^": lambda x, y: x ^ y}.items():
            yield Row(f"a {op} b", (t, t), t, each(function))
        yield Row("a // b", (t, t), t, each(truncated_quotient), excludes=undefined)
        yield Row("a % b", (t, t), t, each(lambda x, y: x - y * truncated_quotient(x, y)), excludes=undefined)
        yield Row("a << b", (t, t), t, each(lambda x, y: x << y), excludes=too_far)
        yield Row("a >> b", (t, t), t, each(lambda x, y: x >> y), excludes=too_far)
        yield Row("gl.maximum(a, b)", (t, t), t, each(max))
        yield Row("gl.minimum(a, b)", (t, t), t, each(min))
        yield Row("a < b", (t, t), "int1", each(lambda x, y: x < y))
        yield Row("a == b", (t, t), "int1", each(lambda x, y: x == y))
        yield Row("-a", (t,), t, lambda a: [-x for x in a])
        yield Row("~a", (t,), t, lambda a: [~x for x in a])
        yield Row("gl.abs(a)", (t,), t, lambda a: [abs(x) for x in a])
        yield Row("a / b", (t, t), "float32",
                  quietly(lambda a, b: np.array(a, np.float32).astype(np.float64)
                          / np.array(b, np.float32).astype(np.float64)), (2, 0))
        if kind.bits >= 32:
            mask = (1 << kind.bits) - 1
            yield Row("gl.umulhi(a, b)", (t, t), t,
                      each(lambda x, y, mask=mask, bits=kind.bits: (x & mask) * (y & mask) >> bits))


def reduction_rows():
    """Whole lines, in which NaNs and infinities meet."""
    def along(function):
        return lambda a: functools.reduce(function, np.array(a, object if isinstance(a, list) else None)
                                          .reshape(LINES, LENGTH).T)
    for t in STANDARD:
        wide = t if t == "float64" else "float32"
        for name, function in (("max", larger), ("min", smaller)):
            yield Row(f"gl.{name}(a, 1)", (t,), wide,
                      along(lambda x, y, function=function: function(x, y, False)), reduces=True)
    for t, kind in INTEGERS.items():
        sign = "int" if kind.is_signed else "uint"
        wide = t if kind.bits >= 32 else "int32"
        yield Row("gl.max(a, 1)", (t,), wide, along(np.maximum), reduces=True)
        yield Row("gl.min(a, 1)", (t,), wide, along(np.minimum), reduces=True)
        yield Row("gl.sum(a, 1)", (t,), f"{sign}{max(kind.bits, 32)}", along(lambda x, y: x + y), reduces=True)
        yield Row("gl.xor_sum(a, 1)", (t,), t, along(lambda x, y: x ^ y), reduces=True)


def cast_rows():
    for source in TYPES:
        for target in TYPES:
            if source == target:
                continue
            a, b = TYPES[source], TYPES[target]
            byte = (a.bits == 8 and a.is_float) or (b.bits == 8 and b.is_float)
            if byte and not (a.is_float and b.is_float):
                continue
            cast = f"a.to(gl.{target})"
            if a.is_float and b.is_float:
                yield Row(cast, (source,), target, lambda x: x)
                if b.bits < a.bits and b.bits >= 16:
                    yield Row(f'a.to(gl.{target}, fp_downcast_rounding="rtz")', (source,), target,
                              lambda x, b=b: toward_zero(x, b))
            elif a.is_float:
                excludes = lambda x, b=b: not math.isfinite(x) or not b.holds(int(x))
                yield Row(cast, (source,), target, lambda x: [int(v) for v in x], excludes=excludes)
            elif b.is_float:
                yield Row(cast, (source,), target, lambda x, b=b: nearest(x, b))
            else:
                yield Row(cast, (source,), target, lambda x: list(x))
        if not (TYPES[source].is_float and TYPES[source].bits == 8):
            yield Row("a.to(gl.int1)", (source,), "int1", lambda x: [v != 0 for v in x])


def toward_zero(x, kind):
    near = kind.round(x)
    with np.errstate(all="ignore"):
        up = np.abs(near) > np.abs(x)
    step = np.array([below(v, kind) for v in near])
    return np.where(up, step, near)


def below(value, kind):
    """The next value of the format towards zero."""
    if not math.isfinite(value):
        return math.copysign(kind.largest, value)
    fraction, exponent = math.frexp(abs(value))
    unit = max(exponent - 1, 1 - kind.bias) - kind.mantissa
    # Below a power of two, numbers lie closer.
    closer = fraction == 0.5 and exponent > 2 - kind.bias
    return math.copysign(abs(value) - math.ldexp(1, unit - closer), value)


def nearest(integers, kind):
    """Integers as float64 that rounds to the right number of `kind`."""
    return np.array([float(v) if kind.bits == 64 else to_odd(v) for v in integers])


def to_odd(v):
    near = float(v)
    return near if int(near) == v else next_odd(near, v - int(near))


def rows():
    for family in (float_rows, function_rows, library_rows, integer_rows, reduction_rows, cast_rows):
        yield from family()
    yield from directed.rows(Row)
