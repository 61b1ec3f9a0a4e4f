"""How far mathematics is from the truth, in units in the last place (ulp); how casts round.

On the simulator, and on a GPU where PyTorch has one. The bounds are those of docs/accuracy.md;
`pytest -s` prints what was measured.
"""

import math

import bessel
import gluonc
import numpy as np
import pytest
from gluonc import language as gl
from gluonc.language.extra import libdevice


def _devices():
    yield "cpu"
    try:
        import torch
    except ImportError:
        return
    if torch.cuda.is_available():
        yield "cuda"


DEVICES = list(_devices())


@gluonc.jit
def apply(x, y, n, function: gl.constexpr):
    i = gl.program_id(0) * 1024 + gl.arange(0, 1024, layout=gl.BlockedLayout([8], [32], [4], [0]))
    gl.store(y + i, function(gl.load(x + i, mask=i < n, other=1.0)), mask=i < n)


@gluonc.jit
def quotient(x):
    return x / 3.7


def run(device, kernel, grid, *arguments):
    """Launches with copies of the NumPy arrays on the device, and copies them back."""
    if device == "cpu":
        kernel[grid](*arguments)
        return
    import torch
    copies = [torch.from_numpy(a).cuda() if isinstance(a, np.ndarray) else a for a in arguments]
    kernel[grid](*copies)
    for copy, array in zip(copies, arguments):
        if isinstance(array, np.ndarray):
            array[...] = copy.cpu().numpy()


def applied(device, function, x):
    y = np.zeros_like(x)
    run(device, apply, (gluonc.cdiv(len(x), 1024),), x, y, len(x), function)
    return y


def ulps(found, truth, dtype):
    """The largest distance in units in the last place of the truth."""
    truth = np.asarray(truth, np.longdouble)
    nearest = truth.astype(dtype)
    same = (found == nearest) | (np.isnan(found) & np.isnan(nearest))
    # A subnormal result may be flushed to zero.
    tiny = (found == 0) & (np.abs(nearest) < np.finfo(dtype).smallest_normal)
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(nearest)[1], np.finfo(dtype).minexp + 1)
        unit = np.ldexp(np.longdouble(1), exponent - np.finfo(dtype).nmant - 1)
        distance = np.abs(found.astype(np.longdouble) - truth) / unit
    return float(np.max(np.where(same | tiny, 0, distance)))


def between(low, high, dtype, count=100_000):
    return np.random.default_rng(1).uniform(low, high, count).astype(dtype)


def sizes(dtype, count=100_000):
    """Positive numbers of every magnitude."""
    exponents = np.finfo(dtype).maxexp - 2
    rng = np.random.default_rng(2)
    return np.ldexp(rng.uniform(0.5, 1, count), rng.integers(-exponents, exponents, count)).astype(
        dtype)


def normal(dtype):
    """Without subnormal ones, which the hardware's roots take for zero."""
    x = sizes(dtype)
    return x[x >= np.finfo(dtype).smallest_normal]


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0]
erf = np.vectorize(math.erf, otypes=[np.float64])

# Function, its truth, arguments, the largest error on the simulator and on a GPU.
CASES = [
    ("exp", np.exp, between(-87, 88, np.float32), 1, 90),
    ("exp near 0", np.exp, between(-1, 1, np.float32), 1, 3),
    ("exp2", np.exp2, between(-125, 127, np.float32), 1, 3),
    ("log", np.log, sizes(np.float32), 1, 1.5),
    ("log2", np.log2, sizes(np.float32), 1, 2),
    ("log2 near 1", np.log2, between(0.5, 2, np.float32), 1, 2),
    ("sin", np.sin, between(-100, 100, np.float32), 1, 2),
    ("cos", np.cos, between(-100, 100, np.float32), 1, 2),
    ("sin of large numbers", np.sin, between(-2.0**50, 2.0**50, np.float32), 1, 2),
    ("sin of all sizes", np.sin, sizes(np.float32), 1, 2),
    ("cos of all sizes", np.cos, sizes(np.float32), 1, 2),
    ("sqrt", np.sqrt, normal(np.float32), 1, 2),
    ("rsqrt", lambda x: 1 / np.sqrt(x), normal(np.float32), 1.5, 3),
    ("sqrt_rn", np.sqrt, sizes(np.float32), 0.5, 0.5),
    ("erf", erf, between(-4, 4, np.float32), 1, 4),
    ("exp", np.exp, between(-745, 709, np.float64), 1, 1),
    ("exp2", np.exp2, between(-1074, 1023, np.float64), 1, 1),
    ("log", np.log, sizes(np.float64), 1, 1),
    ("log near 1", np.log, between(0.5, 2, np.float64), 1, 1),
    ("log2", np.log2, sizes(np.float64), 1, 1),
    ("log2 near 1", np.log2, between(0.5, 2, np.float64), 1, 1),
    ("sin", np.sin, between(-1e6, 1e6, np.float64), 1, 1),
    ("cos", np.cos, between(-1e6, 1e6, np.float64), 1, 1),
    ("sin of large numbers", np.sin, between(-2.0**50, 2.0**50, np.float64), 1, 1),
    ("sqrt", np.sqrt, sizes(np.float64), 0.5, 0.5),
    ("erf", erf, between(-7, 7, np.float64), 2.5, 2.5),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2].dtype}")
def test_errors_are_bounded(case, device):
    name, truth, x, on_cpu, on_gpu = case
    found = applied(device, getattr(gl, name.split()[0]), x)
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble) if truth is not erf else x.astype(np.float64)
        error = ulps(found, truth(wide), x.dtype)
    print(f"| {name} | {x.dtype} | {device} | {error:.2f} |")
    assert error <= (on_cpu if device == "cpu" else on_gpu) + 0.01


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values(dtype, device):
    x = np.array(SPECIAL, dtype)
    for name, truth in [("exp", np.exp), ("exp2", np.exp2), ("log", np.log), ("log2", np.log2),
                        ("sin", np.sin), ("cos", np.cos), ("sqrt", np.sqrt), ("erf", erf)]:
        found = applied(device, getattr(gl, name), x)
        with np.errstate(all="ignore"):
            expected = truth(x).astype(dtype)
        # NaN, infinities and zeros as they are; what is finite is bounded elsewhere.
        exact = ~np.isfinite(expected) | (expected == 0)
        np.testing.assert_array_equal(found[exact], expected[exact], err_msg=name)


# The largest error of Bessel functions: absolute, but relative to what is above 1.
BESSEL = {np.float32: 6e-8, np.float64: 1e-14}


@gluonc.jit
def apply_order(n, x, y, function: gl.constexpr):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    gl.store(y + i, function(gl.load(n + i), gl.load(x + i)))


def bessel_error(found, truth):
    return float(np.max(np.abs(found.astype(np.longdouble) - truth) / np.maximum(np.abs(truth), 1)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", list(BESSEL))
@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1", "cyl_bessel_i0", "cyl_bessel_i1"])
def test_bessel_functions(name, dtype, device):
    order = int(name[-1])
    if name[0] == "y":
        x = np.abs(between(1e-3, 60, dtype, 256))
        truth = bessel.second_kind([order], x)[:, 0]
    else:
        x = between(-60, 60, dtype, 256)
        truth = bessel.modified(order, x) if name[0] == "c" else bessel.first_kind([order], x)[:, 0]
    error = bessel_error(applied(device, getattr(libdevice, name), x), truth)
    print(f"| {name} | {x.dtype} | {device} | {error:.2g} |")
    assert error <= BESSEL[dtype]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", list(BESSEL))
@pytest.mark.parametrize("name", ["jn", "yn"])
def test_bessel_functions_of_an_order(name, dtype, device):
    n = np.random.default_rng(3).integers(0, 40, 256).astype(np.int32)
    x = between(-60, 60, dtype, 256) if name == "jn" else between(0.5, 60, dtype, 256)
    y = np.zeros_like(x)
    run(device, apply_order, (1,), n, x, y, getattr(libdevice, name))
    family = bessel.first_kind if name == "jn" else bessel.second_kind
    truth = family(range(40), x)[np.arange(len(n)), n]
    finite = np.abs(truth) < np.finfo(dtype).max
    error = bessel_error(y[finite], truth[finite])
    print(f"| {name} | {x.dtype} | {device} | {error:.2g} |")
    assert np.isinf(y[~finite]).all()
    # Upwards Y_n grows, and so does what 40 steps have rounded.
    assert error <= max(BESSEL[dtype], 1e-13)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", list(BESSEL))
def test_special_values_of_bessel_functions(dtype, device):
    x = np.array([0.0, math.inf, -math.inf, math.nan, -1.0], dtype)
    nan, inf = math.nan, math.inf
    for name, expected in {"j0": [1, 0, 0, nan], "j1": [0, 0, 0, nan], "y0": [-inf, 0, nan, nan, nan],
                           "y1": [-inf, 0, nan, nan, nan], "cyl_bessel_i0": [1, inf, inf, nan],
                           "cyl_bessel_i1": [0, inf, -inf, nan]}.items():
        found = applied(device, getattr(libdevice, name), x)
        np.testing.assert_array_equal(found[:len(expected)], np.array(expected, dtype), err_msg=name)


@pytest.mark.parametrize("device", DEVICES)
def test_quotients(device):
    x = sizes(np.float32)
    x = x[(x > 1e-30) & (x < 1e30)]
    divisor = np.longdouble(np.float32(3.7))
    assert ulps(applied(device, quotient, x), x.astype(np.longdouble) / divisor, np.float32) <= 2.01


@gluonc.jit
def rounded(source, target, dtype: gl.constexpr, small: gl.constexpr, back: gl.constexpr):
    i = gl.program_id(0) * 1024 + gl.arange(0, 1024, layout=gl.BlockedLayout([8], [32], [4], [0]))
    x = gl.load(source + i).to(dtype, bitcast=True)
    gl.store(target + i, x.to(small).to(back, bitcast=True))


def small_float(exponent_bits, mantissa_bits, bias, largest):
    codes = np.arange(largest + 1)
    exponent, mantissa = codes >> mantissa_bits, codes & ((1 << mantissa_bits) - 1)
    normal = (1 + mantissa / 2**mantissa_bits) * 2.0**(exponent - bias)
    return np.where(exponent == 0, mantissa * 2.0**(1 - bias - mantissa_bits), normal)


FORMATS = {"float8e4nv": (small_float(4, 3, 7, 0x7e), 0x7f),
           "float8e5": (small_float(5, 2, 15, 0x7b), 0x7f)}


def nearest_codes(values, table, nan):
    """The codes of the nearest values, ties to even; what is too large becomes the largest."""
    size = np.abs(values)
    above = np.clip(np.searchsorted(table, size), 1, len(table) - 1)
    low, high = size - table[above - 1], table[above] - size
    with np.errstate(invalid="ignore"):
        up = np.where(low == high, above % 2 == 0, low > high) | np.isinf(size)
    codes = np.where(np.isnan(size), nan, np.where(up, above, above - 1))
    return codes | np.signbit(values) << 7


def every_16_bits(name):
    bits = np.arange(1 << 16).astype(np.uint16)
    wide = bits.view(np.float16) if name == "float16" else (
        bits.astype(np.uint32) << 16).view(np.float32)
    return bits, wide.astype(np.float64)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("small", list(FORMATS))
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_all_16_bit_floats_round_to_8_bits(name, small, device):
    bits, values = every_16_bits(name)
    found = np.zeros(1 << 16, np.uint8)
    run(device, rounded, (64,), bits.view(np.int16), found.view(np.int8), getattr(gl, name),
        getattr(gl, small), gl.int8)
    expected = nearest_codes(values, *FORMATS[small])
    # Which NaN it is, is the hardware's business.
    number = ~np.isnan(values)
    np.testing.assert_array_equal(found[number], expected[number])
    table, nan = FORMATS[small]
    assert np.all((found[~number] & 0x7f) > len(table) - 1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("small", list(FORMATS))
def test_float64_is_rounded_to_8_bits_once(small, device):
    """Numbers so near a tie that float32 does not tell them apart from it."""
    table, nan = FORMATS[small]
    ties = (table[:-1] + table[1:]) / 2
    values = np.concatenate([ties * (1 + k * 2.0**-45) for k in (-1, 0, 1)])
    values = np.resize(np.concatenate([values, -values]), 1024)
    found = np.zeros(1024, np.uint8)
    run(device, rounded, (1,), values.view(np.int64), found.view(np.int8), gl.float64,
        getattr(gl, small), gl.int8)
    np.testing.assert_array_equal(found, nearest_codes(values, table, nan))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("small", list(FORMATS))
@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32"])
def test_all_8_bit_floats_widen(small, wide, device):
    table, _ = FORMATS[small]
    codes = np.arange(1024).astype(np.uint8)
    bits = np.int32 if wide == "float32" else np.int16
    found = np.zeros(1024, bits)
    run(device, rounded, (1,), codes.view(np.int8), found, getattr(gl, small), getattr(gl, wide),
        getattr(gl, np.dtype(bits).name))
    if wide == "bfloat16":
        values = (found.astype(np.int32) << 16).view(np.float32)
    else:
        values = found.view(wide)
    finite = (codes & 0x7f) < len(table)
    expected = np.where(codes & 0x80, -1.0, 1.0) * table[np.minimum(codes & 0x7f, len(table) - 1)]
    np.testing.assert_array_equal(values[finite], expected[finite])
    infinite = (codes & 0x7f == 0x7c) & (small == "float8e5")
    assert np.all(np.isinf(values[infinite])) and np.all(np.isnan(values[~finite & ~infinite]))


@pytest.mark.parametrize("device", DEVICES)
def test_float32_rounds_to_16_bits(device):
    """Every 16-bit pattern in the upper half, with lower halves around a tie."""
    upper = np.arange(1 << 16).astype(np.uint32) << 16
    for lower in (0, 1, 0x7fff, 0x8000, 0x8001, 0xffff):
        bits = upper | np.uint32(lower)
        values = bits.view(np.float32)
        number = ~np.isnan(values)
        found = np.zeros(1 << 16, np.uint16)
        run(device, rounded, (64,), bits.view(np.int32), found.view(np.int16), gl.float32,
            gl.bfloat16, gl.int16)
        even = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
        np.testing.assert_array_equal(found[number], even[number].astype(np.uint16))
        run(device, rounded, (64,), bits.view(np.int32), found.view(np.int16), gl.float32,
            gl.float16, gl.int16)
        with np.errstate(over="ignore"):
            expected = values.astype(np.float16).view(np.uint16)
        np.testing.assert_array_equal(found[number], expected[number])
