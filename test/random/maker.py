"""What grows a random program, and what every kind of step needs."""

import numpy as np

import layouts
from program import DTYPES, Program, Step

SHAPES = [(32,), (64,), (128,), (256,), (1024,), (16, 16), (32, 32), (8, 64), (64, 16), (128, 4),
          (2, 128), (64, 64), (4, 8, 16), (2, 32, 8), (16, 4, 4)]


def is_float(dtype):
    return dtype.startswith("float")


class NothingFits(Exception):
    """No step has what a kind of step needs."""


class Maker:
    """Grows one program."""

    def __init__(self, rng, clusters=(1,), chip=None, lanes=32):
        self.rng = rng
        self.numpy = np.random.default_rng(rng.getrandbits(32))
        self.program = Program(rng.choice([1, 2, 4, 4, 8]), rng.choice(clusters))
        self.program.chip, self.program.lanes = chip, lanes
        self.program.scalars = [rng.randrange(5) for _ in range(2)]
        # Whether the host makes descriptors, and whether products are of two CTAs.
        self.host_describes, self.pairs = True, False

    def layout(self, shape):
        return layouts.distributed(self.rng, list(shape), self.program)

    def add(self, text, reads, value, dtype, layout=None, is_input=False, **rest):
        value = np.ascontiguousarray(value, dtype=DTYPES[dtype])
        self.program.steps.append(Step(text, list(reads), value, dtype, layout, is_input, **rest))
        return len(self.program.steps) - 1

    def values(self, shape, dtype):
        if is_float(dtype):
            return self.numpy.standard_normal(shape).astype(DTYPES[dtype])
        if dtype == "int1":
            return self.numpy.integers(0, 2, shape)
        info = np.iinfo(DTYPES[dtype])
        return self.numpy.integers(info.min, info.max, shape, endpoint=True, dtype=DTYPES[dtype])

    def input(self, shape, dtype, values=None, layout=None):
        if values is None:
            values = self.values(shape, dtype)
        return self.add("", [], values, dtype, layout or self.layout(shape), is_input=True)

    def pick(self, wanted=lambda step: True):
        """A step that fits, the late ones more likely."""
        fitting = [i for i, step in enumerate(self.program.steps)
                   if not step.is_private and wanted(step)]
        if not fitting:
            raise NothingFits
        return fitting[max(self.rng.randrange(len(fitting)) for _ in range(2))]

    def step(self, i):
        return self.program.steps[i]

    def convert(self, i, layout):
        step = self.step(i)
        if step.layout == layout:
            return i
        return self.add("{out} = gl.convert_layout({a0}, {layout})", [i], step.value, step.dtype,
                        layout)

    def meet(self, indent=""):
        """A line that lets CTAs see what others of their cluster wrote to shared memory."""
        return f"{indent}gl.barrier(cluster=True)\n" if self.program.num_ctas > 1 else ""

    def placed(self, i):
        """The step, or a conversion of it, with a layout that has a name."""
        return i if self.step(i).layout else self.convert(i, self.layout(self.step(i).shape))


def partner(m, i):
    """Another step with the shape, dtype and layout of step i."""
    step = m.step(i)
    j = m.pick(lambda other: other.shape == step.shape and other.dtype == step.dtype)
    if m.rng.random() < 0.2:
        j = m.input(step.shape, step.dtype)
    return m.convert(j, step.layout)
