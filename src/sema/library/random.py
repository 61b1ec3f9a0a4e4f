"""Random numbers"""

# Of a seed and a position: Philox 4x32 and 4x64, counters through rounds of multiplication.

import triton
import triton.language as tl


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    """The counter (c0, c1, c2, c3), unsigned, after `n_rounds` rounds with the key (k0, k1)."""
    is_wide: tl.constexpr = c0.dtype == tl.uint64
    tl.static_assert(is_wide or c0.dtype == tl.uint32, "philox counts in uint32 or uint64")
    even: tl.constexpr = 0xD2E7470EE14C6C93 if is_wide else 0xD2511F53
    odd: tl.constexpr = 0xCA5A826395121157 if is_wide else 0xCD9E8D57
    step0: tl.constexpr = 0x9E3779B97F4A7C15 if is_wide else 0x9E3779B9
    step1: tl.constexpr = 0xBB67AE8584CAA73B if is_wide else 0xBB67AE85
    for _ in tl.static_range(n_rounds):
        high0, low0 = tl.umulhi(c0, tl.full([], even, c0.dtype)), c0 * even
        high2, low2 = tl.umulhi(c2, tl.full([], odd, c0.dtype)), c2 * odd
        c0, c1, c2, c3 = high2 ^ c1 ^ k0, low2, high0 ^ c3 ^ k1, low0
        k0 += step0
        k1 += step1
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    """Four blocks of random bits, as wide as the counter is."""
    key = tl.to_tensor(seed)
    tl.static_assert(key.dtype.is_int(), "a seed is an integer")
    key = key.to(tl.uint64)
    first = tl.to_tensor(c0)
    bits: tl.constexpr = first.dtype.primitive_bitwidth
    tl.static_assert(bits == 32 or bits == 64, "philox counts in integers of 32 or 64 bits")
    unsigned: tl.constexpr = tl.uint64 if bits == 64 else tl.uint32
    if bits == 64:
        k0, k1 = key, tl.full([], 0, tl.uint64)
    else:
        k0, k1 = key.to(tl.uint32), (key >> 32).to(tl.uint32)
    return philox_impl(
        first.to(unsigned, bitcast=True),
        tl.to_tensor(c1).to(unsigned, bitcast=True),
        tl.to_tensor(c2).to(unsigned, bitcast=True),
        tl.to_tensor(c3).to(unsigned, bitcast=True),
        k0,
        k1,
        n_rounds,
    )


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four blocks of random uint32, for each offset its own."""
    position = tl.to_tensor(offset)
    low = position.to(tl.uint32)
    zero = low ^ low
    if position.dtype.primitive_bitwidth > 32:
        high = (position >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    """A block of random uint32."""
    return randint4x(seed, offset, n_rounds)[0]


@triton.jit
def uint_to_uniform_float(x):
    """Random bits as float32 in [0, 1): all magnitudes of a signed integer are equally likely."""
    bits: tl.constexpr = x.dtype.primitive_bitwidth
    tl.static_assert(x.dtype.is_int() and (bits == 32 or bits == 64), "32 or 64 random bits")
    # Just below 2**-31 and 2**-63, so that the largest product rounds below 1.
    scale: tl.constexpr = 4.6566127342e-10 if bits == 32 else 1.0842020432385337e-19
    signed = x.to(tl.int32 if bits == 32 else tl.int64, bitcast=True)
    return tl.where(signed < 0, ~signed, signed) * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    """A block of float32, uniform in [0, 1)."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = 10):
    """Four blocks of float32, uniform in [0, 1)."""
    bits = randint4x(seed, offsets, n_rounds)
    return (
        uint_to_uniform_float(bits[0]),
        uint_to_uniform_float(bits[1]),
        uint_to_uniform_float(bits[2]),
        uint_to_uniform_float(bits[3]),
    )


@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Two blocks of normally distributed numbers from two of uniform ones (Box and Muller)."""
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(u1, 1.0e-7)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    """A block of float32, normally distributed."""
    bits = randint4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(uint_to_uniform_float(bits[0]), uint_to_uniform_float(bits[1]))[0]


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    """Four blocks of float32, normally distributed."""
    u = rand4x(seed, offset, n_rounds)
    first = pair_uniform_to_normal(u[0], u[1])
    second = pair_uniform_to_normal(u[2], u[3])
    return first[0], first[1], second[0], second[1]
