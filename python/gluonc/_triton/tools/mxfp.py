"""triton.tools.mxfp: tensors of the OCP microscaling formats, held in bytes.

E2M1 (4 bits: sign, two exponent bits of bias 1, one mantissa bit) and E8M0 (a power of two of bias
127; 255 is NaN).
"""

import torch

# Magnitudes of E2M1 by their three bits.
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


class _Codes:
    """One code a byte in `data`; subclasses say what a code means."""

    def __init__(self, data=None, size=None, device=None):
        self.device = device
        if data is not None:
            self.device = data.device
            self.data = self._encode(data)
        elif size is not None:
            self.size = size if isinstance(size, tuple) else (size,)
        else:
            raise ValueError(f"{type(self).__name__} needs data or a size")


class MXFP4Tensor(_Codes):
    """Values of E2M1, one a byte in `data`, from float32 `data` or by `size` for random()."""

    def random(self):
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, "E2M1 values convert to float32 only"
        table = torch.tensor(_E2M1 + tuple(-v for v in _E2M1), dtype=dtype, device=self.device)
        return table[self.data.long()]

    def _encode(self, values):
        # To nearest, ties to the even code: the midpoint below an even code belongs to it, the
        # midpoint below an odd one to its predecessor.
        table = torch.tensor(_E2M1, dtype=values.dtype, device=values.device)
        middles = (table[1:] + table[:-1]) / 2
        magnitude = values.abs()
        magnitude = torch.where(torch.isfinite(magnitude), magnitude, table[-1])
        code = torch.zeros(values.shape, dtype=torch.uint8, device=values.device)
        for upper, middle in enumerate(middles, start=1):
            above = magnitude >= middle if upper % 2 == 0 else magnitude > middle
            code = code + above.to(torch.uint8)
        return code | (torch.signbit(values).to(torch.uint8) << 3)

    def to_packed_tensor(self, dim):
        """Neighbours along `dim` in one byte, the first in the low half; odd sizes get a zero."""
        data = self.data
        assert 0 <= dim < data.ndim, f"tensor has no dimension {dim}"
        if data.shape[dim] % 2:
            shape = list(data.shape)
            shape[dim] = 1
            data = torch.cat([data, torch.zeros(shape, dtype=data.dtype, device=data.device)], dim)
        low, high = (data.index_select(dim, torch.arange(start, data.shape[dim], 2,
                                                         device=data.device))
                     for start in (0, 1))
        return low | (high << 4)

    def unpack_packed_tensor(self, packed, dim, original_shape):
        """What to_packed_tensor packed."""
        both = torch.stack([packed & 15, packed >> 4], dim + 1)
        shape = list(packed.shape)
        shape[dim] *= 2
        return both.reshape(shape).narrow(dim, 0, original_shape[dim])


class MXScaleTensor(_Codes):
    """Values of E8M0 in `data`, from positive float32 `data` or by `size` for random()."""

    def random(self, low=None, high=None):
        """Powers of two from `low` to `high`; by default any but NaN."""
        exponents = [0 if low is None else int(torch.tensor(low).log2()) + 127,
                     254 if high is None else max(0, min(254, int(torch.tensor(high).log2()) + 127))]
        exponents[0] = max(0, exponents[0])
        assert exponents[0] <= exponents[1], "the range of scales is empty"
        self.data = torch.randint(exponents[0], exponents[1] + 1, self.size, dtype=torch.uint8,
                                  device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, "E8M0 values convert to float32 only"
        value = torch.ldexp(torch.ones_like(self.data, dtype=dtype), self.data.to(torch.int32) - 127)
        return torch.where(self.data == 255, float("nan"), value)

    def _encode(self, values):
        valid = torch.isfinite(values) & (values > 0)
        exponent = torch.floor(torch.log2(torch.where(valid, values, 1.0)))
        code = (exponent + 127).clamp(0, 254).to(torch.uint8)
        return torch.where(valid, code, torch.full_like(code, 255))
