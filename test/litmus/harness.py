"""What litmus cases are made of: the register of cases, where one runs, and what its kernels get."""

import os
import sys

SKIPPED = 77


def load():
    """torch and gluonc, or what is missing."""
    try:
        import torch
        from gluonc import _aliases
    except ImportError as error:
        print("litmus: skipped:", error)
        sys.exit(SKIPPED)
    _aliases.install()
    return torch


torch = load()
from gluonc import language as gl  # noqa: E402
from gluonc._engine import simulated_target  # noqa: E402
from gluonc.nvidia.hopper import TensorDescriptor  # noqa: E402

CASES = {}


class Case:
    """`function(env)` makes the arguments of one launch and tells what must hold after it. A mutant is `what is
    broken: kinds of faults that tell of it`."""

    def __init__(self, function, target, mutants):
        self.function, self.target, self.mutants = function, target, mutants

    def simulated(self, broken):
        """(launch, holds), on the simulator of the case's chip."""
        if os.environ.get("GLUONC_SIMULATE") != self.target:
            os.environ["GLUONC_SIMULATE"] = self.target
            simulated_target.cache_clear()
        return self.function(Environment("cpu", 2, broken))


def case(target="cuda:90a", /, **mutants):

    def register(function):
        CASES[function.__name__] = Case(function, target, mutants)
        return function

    return register


class Environment:
    """Where a case runs, and what of it is broken."""

    def __init__(self, device, programs, broken="nothing"):
        self.device, self.programs, self.broken = device, programs, broken

    def random(self, *shape, dtype=torch.float32):
        generator = torch.Generator().manual_seed(len(shape) + shape[0])
        return torch.randint(-4, 5, shape, generator=generator).to(self.device, dtype)

    def zeros(self, *shape, dtype=torch.float32):
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def launch(self, kernel, *arguments, **options):
        kernel[(self.programs,)](*arguments, broken=self.broken, **options)


FLAT = gl.NVMMASharedLayout(0, 32, rank=2)
SWIZZLED = gl.NVMMASharedLayout(128, 16, rank=2)


def boxes(tensor, block=(32, 64), layout=FLAT):
    return TensorDescriptor.from_tensor(tensor, list(block), layout)
