"""Element types as bits: what the special values of each are, how they decode, how numbers round."""

import numpy as np


class Format:
    """A float format: bits of exponent and mantissa; `finite` ones have no infinities."""

    def __init__(self, name, exponent, mantissa, finite=False):
        self.name, self.exponent, self.mantissa, self.finite = name, exponent, mantissa, finite
        self.bits = 1 + exponent + mantissa
        self.is_float = True
        self.memory = np.dtype(f"i{self.bits // 8}")
        self.bias = (1 << (exponent - 1)) - 1
        top = self.decode(np.arange(1 << self.bits, dtype=np.uint64)) if self.bits == 8 else None
        self.largest = float((2 - 2.0 ** -mantissa) * 2.0 ** self.bias) if top is None else float(
            np.max(top[np.isfinite(top)]))

    def decode(self, bits):
        """float64 values, exact; of 64 bits the value itself."""
        if self.bits == 64:
            return bits.astype(np.int64).view(np.float64)
        bits = bits.astype(np.int64) & ((1 << self.bits) - 1)
        sign = np.where(bits >> (self.bits - 1), -1.0, 1.0)
        exponent = bits >> self.mantissa & ((1 << self.exponent) - 1)
        fraction = (bits & ((1 << self.mantissa) - 1)).astype(np.float64)
        value = np.where(
            exponent == 0, np.ldexp(fraction, 1 - self.bias - self.mantissa),
            np.ldexp(fraction + (1 << self.mantissa), (exponent - self.bias - self.mantissa).astype(int)))
        top = exponent == (1 << self.exponent) - 1
        if self.finite:
            value[top & (fraction == (1 << self.mantissa) - 1)] = np.nan
        else:
            value[top] = np.where(fraction[top] == 0, np.inf, np.nan)
        return sign * value

    def round(self, value):
        """To nearest, ties to even, from float64; types of 8 bits saturate."""
        value = np.asarray(value, np.float64)
        if self.bits == 64:
            return value
        _, exponent = np.frexp(value)
        unit = np.maximum(exponent, 2 - self.bias) - 1 - self.mantissa
        with np.errstate(all="ignore"):
            rounded = np.ldexp(np.rint(np.ldexp(value, -unit)), unit)
        rounded = np.where(np.isfinite(value), rounded, value)
        over = np.abs(rounded) > self.largest
        beyond = self.largest if self.bits == 8 else np.inf
        return np.copysign(np.where(over, beyond, np.abs(rounded)), value)

    def specials(self):
        """Bit patterns: zeros, subnormals, ones, ties, extremes, infinities, NaNs; then the negatives."""
        one = self.bias << self.mantissa
        infinity = ((1 << self.exponent) - 1) << self.mantissa
        largest = infinity - 1 if not self.finite else infinity + (1 << self.mantissa) - 2
        half = one - (1 << self.mantissa)
        bits = [0, 1, 2, (1 << self.mantissa) - 1, 1 << self.mantissa, (1 << self.mantissa) + 1, half,
                half + 1, one - 1, one, one + 1, one + (1 << (self.mantissa - 1)),
                one + (1 << self.mantissa), one + (5 << (self.mantissa - 2) if self.mantissa > 2 else 3),
                largest - 1, largest, (largest + one) // 2, infinity, infinity + 1,
                infinity + (1 << (self.mantissa - 1))]
        bits += [b | 1 << (self.bits - 1) for b in bits]
        return np.array(bits, np.uint64).astype(np.int64).astype(self.memory)


class Integer:
    def __init__(self, name):
        self.name, self.is_float = name, False
        self.bits = int(name.removeprefix("u").removeprefix("int"))
        self.is_signed = not name.startswith("u")
        self.memory = np.dtype(f"i{self.bits // 8}")

    def wrap(self, value):
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.is_signed and value >> (self.bits - 1) else value

    def decode(self, bits):
        """Python integers."""
        return [self.wrap(int(b)) for b in bits]

    def holds(self, value):
        return self.wrap(value) == value

    def specials(self):
        high = 1 << (self.bits - 1)
        values = [0, 1, 2, 3, 5, 7, 10, 63, 100, high - 2, high - 1, high, high + 1, -1, -2, -3, -7, -100,
                  0x5555555555555555, 1 << (self.bits // 2), (1 << (self.bits // 2)) - 1]
        return np.array([Integer.wrap(self, v) & ((1 << self.bits) - 1) for v in values],
                        np.uint64).astype(np.int64).astype(self.memory)


FLOATS = {f.name: f for f in [Format("float8e4nv", 4, 3, finite=True), Format("float8e5", 5, 2),
                              Format("float16", 5, 10), Format("bfloat16", 8, 7),
                              Format("float32", 8, 23), Format("float64", 11, 52)]}
INTEGERS = {name: Integer(name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32",
                                             "int64", "uint64")}
TYPES = {**FLOATS, **INTEGERS}
