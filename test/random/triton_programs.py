"""Programs of the Triton language: what Gluon's steps have without layouts, and steps of their own."""

import contextlib
from dataclasses import dataclass

import numpy as np

import flow
import numeric
import steps
import triton_flow
import triton_memory
import triton_tiles
from maker import SHAPES, Maker, NothingFits
from program import DTYPES, Program, in_language

HEAD = "import triton\nimport triton.language as tl\n\n"
HELPERS = in_language(steps.HELPERS, "triton", "tl") + triton_flow.HELPERS

TARGETS = ["cuda:80", "cuda:90a", "cuda:90a", "cuda:100a", "hip:gfx942", "hip:gfx1250"]
# What has no layout in it.
SHARED_KINDS = [steps.binary, steps.with_constant, steps.compare_and_choose, steps.cast, steps.widen, steps.scan,
                steps.permute, steps.reshape, steps.gather, steps.loop, steps.branch, steps.call, flow.while_loop,
                flow.nested_loops, flow.unrolled_loop, flow.early_return, flow.reduction_decides, *numeric.KINDS]
MORE_SHAPES = [(1,), (2,), (16,), (512,), (1, 64), (64, 1), (128, 16), (16, 128), (2, 2, 2, 8), (8, 1, 16)]


@dataclass
class TritonProgram(Program):
    target: str = TARGETS[0]
    num_stages: int = 3

    LANGUAGE = ("triton", "tl")

    def launch_options(self):
        return super().launch_options() | {"num_stages": self.num_stages}

    def places(self, step, layout):
        # Written in a way that stays when the program shrinks.
        return triton_tiles.offsets(step.shape, (sum(step.shape) + len(step.dtype)) % 3)

    def laid_out(self, value, step):
        return value, None


class TritonMaker(Maker):
    """Grows a program whose tiles have no layouts."""

    def __init__(self, rng):
        super().__init__(rng)
        old, target = self.program, rng.choice(TARGETS)
        ctas = rng.choice([1, 1, 1, 1, 2, 4]) if target in ("cuda:90a", "cuda:100a") else 1
        self.program = TritonProgram(old.num_warps, ctas, scalars=old.scalars, target=target,
                                     num_stages=rng.choice([1, 2, 3, 3, 4]))
        self.is_amd = self.program.target.startswith("hip")

    def shape(self):
        return self.rng.choice(SHAPES + MORE_SHAPES)

    def layout(self, shape):
        return None

    def barrier(self):
        """The line behind which all threads see what was stored; CTAs of a cluster have none."""
        if self.program.num_ctas > 1:
            raise NothingFits
        return "tl.debug_barrier()"

    def add(self, text, reads, value, dtype, layout=None, is_input=False, **rest):
        # Gluon's steps say how their layouts follow from those that they read.
        return super().add(text, reads, value, dtype, None, is_input, **rest)

    def convert(self, i, layout):
        return i

    def placed(self, i):
        return i


def make(rng, length):
    """A program of about `length` steps."""
    m = TritonMaker(rng)
    # That chip has no such numbers.
    shared = [kind for kind in SHARED_KINDS if m.program.target != "cuda:80" or kind != numeric.through_small_float]
    m.input(m.shape(), "int32")
    m.input(m.shape(), rng.choice(list(DTYPES)))
    m.input(rng.choice([(32, 32), (16, 16), (64,)]), "int32")
    while len(m.program.steps) < length:
        with np.errstate(all="ignore"), contextlib.suppress(NothingFits):
            rng.choice(rng.choice([shared, triton_tiles.KINDS + triton_memory.KINDS, triton_flow.KINDS]))(m)
    count = len(m.program.steps)
    computed = [i for i in range(count) if not m.program.steps[i].is_input]
    m.program.outputs = sorted({computed[-1], *(rng.choice(computed) for _ in range(3))})
    for i in m.program.outputs:
        m.program.modes[i] = rng.choice(steps.modes(m.program.steps[i].dtype))
    return m.program
