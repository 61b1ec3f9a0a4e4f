"""Steps about single elements: casts that round, divisions, extrema. Everything is exact."""

import numpy as np

from maker import NothingFits, is_float, partner
from program import DTYPES

INTEGERS = [dtype for dtype in DTYPES if "int" in dtype and dtype != "int1"]


def small_float(exponent_bits, mantissa_bits, bias, largest):
    """The nonnegative finite values of an 8-bit float format, by code."""
    codes = np.arange(largest + 1)
    exponent, mantissa = codes >> mantissa_bits, codes & ((1 << mantissa_bits) - 1)
    normal = (1 + mantissa / 2**mantissa_bits) * 2.0**(exponent - bias)
    return np.where(exponent == 0, mantissa * 2.0**(1 - bias - mantissa_bits), normal)


SMALL_FLOATS = {"float8e5": small_float(5, 2, 15, 0x7b), "float8e4nv": small_float(4, 3, 7, 0x7e)}


def rounded_to(values, table):
    """To nearest, ties to the even code; what is too large becomes the largest."""
    size = np.abs(values.astype(np.float64))
    above = np.clip(np.searchsorted(table, size), 1, len(table) - 1)
    low, high = table[above - 1], table[above]
    # An infinite size is nearer to neither; minimum() settles it.
    up = np.where(size - low == high - size, above % 2 == 0, size - low > high - size)
    result = np.where(np.isinf(size) | up, high, low)
    return np.where(np.isnan(size), np.nan, np.copysign(result, values)).astype(np.float32)


def brain_float(values):
    """Rounded to bfloat16."""
    bits = values.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & np.uint32(0xffff0000)
    return np.where(np.isnan(values), np.float32(np.nan), bits.view(np.float32))


def through_small_float(m):
    i = m.pick(lambda step: step.dtype in ("float16", "float32"))
    step = m.step(i)
    name = m.rng.choice(["float8e5", "float8e4nv", "bfloat16"])
    value = (brain_float(step.value) if name == "bfloat16" else
             rounded_to(step.value, SMALL_FLOATS[name]))
    m.add(f"{{out}} = {{a0}}.to(gl.{name}).to(gl.float32)", [i], value, "float32", step.layout)


def narrow(m):
    i = m.pick(lambda step: step.dtype in ("float64", "float32"))
    step = m.step(i)
    to = "float16" if step.dtype == "float32" else m.rng.choice(["float16", "float32"])
    m.add(f"{{out}} = {{a0}}.to(gl.{to})", [i], step.value.astype(DTYPES[to]), to, step.layout)


def float_of_integer(m):
    i = m.pick(lambda step: step.dtype in ("int8", "int16", "int32", "uint32", "int64"))
    step = m.step(i)
    m.add("{out} = {a0}.to(gl.float16)", [i], step.value.astype(np.float16), "float16", step.layout)


def integer_of_float(m):
    to = m.rng.choice(["int8", "int16", "int32", "int64"])
    limit = min(np.iinfo(DTYPES[to]).max, 2**52)

    def fits(step):
        return is_float(step.dtype) and bool(np.all(np.abs(step.value) < limit))
    i = m.pick(fits)
    step = m.step(i)
    m.add(f"{{out}} = {{a0}}.to(gl.{to})", [i], np.trunc(step.value).astype(DTYPES[to]), to,
          step.layout)


def unary(m):
    i = m.pick(lambda step: step.dtype != "int1")
    step = m.step(i)
    x = step.value
    choices = [("-{a0}", -x), ("gl.abs({a0})", np.abs(x))]
    if is_float(step.dtype):
        if step.dtype != "float16":
            choices += [("gl.floor({a0})", np.floor(x)), ("gl.ceil({a0})", np.ceil(x))]
        if step.dtype == "float32":
            choices += [("gl.sqrt_rn(gl.abs({a0}))", np.sqrt(np.abs(x)))]
    else:
        choices += [("~{a0}", ~x)]
    text, value = m.rng.choice(choices)
    m.add(f"{{out}} = {text}", [i], value, step.dtype, step.layout)


def divide(m):
    """Division by a tensor without zeros."""
    i = m.placed(m.pick(lambda step: step.dtype in ("float32", *INTEGERS)))
    j = partner(m, i)
    a, b, dtype = m.step(i).value, m.step(j).value, m.step(i).dtype
    if dtype == "float32":
        m.add("{out} = gl.div_rn({a0}, {a1})", [i, j], a / b, dtype, m.step(i).layout)
        return
    divisor = ((b & 15) + 1).astype(b.dtype)
    wide = a.astype(object)
    quotient = np.where(wide < 0, -(-wide // divisor), wide // divisor)
    text, value = m.rng.choice([("//", quotient), ("%", wide - quotient * divisor)])
    m.add(f"{{out}} = {{a0}} {text} (({{a1}} & 15) + 1)", [i, j], value.astype(b.dtype), dtype,
          m.step(i).layout)


def shift(m):
    i = m.placed(m.pick(lambda step: step.dtype in INTEGERS))
    j = partner(m, i)
    a, b = m.step(i).value, m.step(j).value
    text, value = m.rng.choice([("<<", a << (b & 7)), (">>", a >> (b & 7))])
    m.add(f"{{out}} = {{a0}} {text} ({{a1}} & 7)", [i, j], value, m.step(i).dtype,
          m.step(i).layout)


def upper_half(m):
    i = m.placed(m.pick(lambda step: step.dtype == "uint32"))
    j = partner(m, i)
    product = m.step(i).value.astype(np.uint64) * m.step(j).value.astype(np.uint64)
    m.add("{out} = gl.umulhi({a0}, {a1})", [i, j], product >> np.uint64(32), "uint32",
          m.step(i).layout)


def extremum(m):
    """NaN gives way to a number."""
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    j = partner(m, i)
    a, b = m.step(i).value, m.step(j).value
    name, function = m.rng.choice([("maximum", np.fmax), ("minimum", np.fmin)])
    m.add(f"{{out}} = gl.{name}({{a0}}, {{a1}})", [i, j], function(a, b), m.step(i).dtype,
          m.step(i).layout)


def place_of_extremum(m):
    """The first of several equal ones."""
    i = m.placed(m.pick(lambda step: step.dtype == "int32" and len(step.shape) > 1))
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    # Few different values, so that ties occur.
    name, function = m.rng.choice([("argmax", np.argmax), ("argmin", np.argmin)])
    m.add(f"{{out}} = gl.{name}({{a0}} & 3, {axis})", [i], function(step.value & 3, axis), "int32",
          f"gl.SliceLayout({axis}, {step.layout})")


def sum_of_floats(m):
    """Of small integers, which no order of additions rounds."""
    i = m.placed(m.pick(lambda step: step.dtype == "int8" and len(step.shape) > 1))
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    to = m.rng.choice(["float32", "float64"])
    m.add(f"{{out}} = gl.sum({{a0}}.to(gl.{to}), axis={axis})", [i],
          step.value.sum(axis, dtype=np.float64), to, f"gl.SliceLayout({axis}, {step.layout})")


def largest_float(m):
    i = m.placed(m.pick(lambda step: step.dtype in ("float32", "float64", "int64", "uint32") and
                        len(step.shape) > 1 and bool(np.all(np.isfinite(step.value)))))
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    m.add(f"{{out}} = gl.max({{a0}}, axis={axis})", [i], step.value.max(axis), step.dtype,
          f"gl.SliceLayout({axis}, {step.layout})")


def scan_of_pairs(m):
    """The composition of x -> ax + b, which does not commute."""
    i = m.placed(m.pick(lambda step: step.dtype == "int32"))
    j = partner(m, i)
    step = m.step(i)
    axis, which = m.rng.randrange(len(step.shape)), m.rng.randrange(2)
    factors, sums = (np.moveaxis(m.step(k).value.copy(), axis, 0) for k in (i, j))
    if len(factors) == 0:
        raise NothingFits
    for k in range(1, len(factors)):
        sums[k] += sums[k - 1] * factors[k]
        factors[k] *= factors[k - 1]
    value = np.moveaxis((factors, sums)[which], 0, axis)
    m.add(f"{{out}} = gl.associative_scan(({{a0}}, {{a1}}), {axis}, after)[{which}]", [i, j], value,
          "int32", step.layout)


KINDS = [through_small_float, through_small_float, narrow, float_of_integer, integer_of_float,
         unary, unary, divide, shift, upper_half, extremum, place_of_extremum, sum_of_floats,
         largest_float, scan_of_pairs]
