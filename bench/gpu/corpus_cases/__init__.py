"""Workloads of public libraries of the Triton language, for corpus.py.

A case makes (inputs, call, reference[, part]): `call(*inputs)` gives results of the library, `reference` what they
must be, from the same inputs in float64. With `part` both are compared only in the first batch and the first `part`
of dimension 2, which depend on nothing else. All floats among the inputs get gradients.
"""

import torch
import torch.nn.functional as F

CASES = {}
B16, F32 = torch.bfloat16, torch.float32


def case(library, tolerance=2e-2):
    def decorate(make):
        CASES[f"{library} {make.__name__}"] = make, tolerance
        return make
    return decorate


class Data:
    """Values from a generator on the CPU, which repeat after a prime number: the same for every side, and quick to make."""

    def __init__(self, small):
        self.small, self.generator = small, torch.Generator().manual_seed(0)

    def size(self, small, large):
        return small if self.small else large

    def _fill(self, draw, shape, dtype):
        count = torch.Size(shape).numel()
        base = draw(min(count, 1048573)).to(dtype).to("cuda")
        return base.repeat(-(-count // len(base)))[:count].reshape(shape).contiguous()

    def normal(self, *shape, dtype=B16):
        return self._fill(lambda n: torch.randn(n, generator=self.generator), shape, dtype)

    def uniform(self, *shape, dtype=B16):
        return self._fill(lambda n: torch.rand(n, generator=self.generator), shape, dtype)

    def integers(self, high, *shape):
        return self._fill(lambda n: torch.randint(0, high, (n,), generator=self.generator), shape, torch.int64)

    def rows(self, width, large=4096, small=(24, 256)):
        return self.normal(*self.size(small, (large, width)))

    def gates(self, *shape, strength=0.1):
        """Logarithms of what states are multiplied by."""
        return F.logsigmoid(self.normal(*shape, dtype=F32) + 2) * strength


def rms(x, eps=1e-6):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


def rotated(x, cos, sin):
    """Halves of the last dimension, as pairs, turned by angles."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def load():
    """All cases, by library and name."""
    from . import fla, liger, others
    del fla, liger, others
    return CASES
