"""Steps about Blackwell's products of 8-bit and 4-bit floats with a scale for each 16 or 32 elements."""

from dataclasses import dataclass

import numpy as np

from maker import NothingFits
from program import through_engine
from tensor_memory import Place, needs_fours, stored, summed

# Values of four bits: a sign, two of exponent, one of mantissa.
NIBBLES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
TYPES = {"e4m3": "float8e4nv", "e5m2": "float8e5", "e2m1": "uint8"}
MOST_BYTES = 160 << 10


@dataclass
class Side:
    """An operand: `rows` of M or N by `inner`, in 8-bit or 4-bit floats."""
    kind: str
    rows: int
    inner: int
    # Of the operand, and of its scales.
    bases: list
    scale_bases: list
    padded: bool

    @property
    def bytes(self):
        return self.inner // 2 if self.kind == "e2m1" else self.inner


def cga(bases):
    return f"cga_layout={bases}" if bases else ""


def _elements(m, side):
    """The step that has the operand, its type's text and its values."""
    shape = (side.rows, side.bytes)
    if side.kind == "e2m1":
        i = m.input(shape, "uint8")
        bytes = m.step(i).value
        return i, "", NIBBLES[np.stack([bytes & 15, bytes >> 4], -1).reshape(side.rows, side.inner)]
    i = m.input(shape, "float16", m.numpy.integers(-3, 4, shape))
    return i, f".to(gl.{TYPES[side.kind]})", m.step(i).value.astype(np.float64)


def _operand(m, side, tile, name):
    """Lines that put it into shared memory, and the view of rows by inner."""
    turned = side.kind != "e2m1" and m.rng.random() < 0.3
    shape, bases, view = [side.rows, side.bytes], side.bases, name
    if name == "left" and not side.padded and m.rng.random() < 0.3:
        place = Place(TYPES[side.kind], 8, shape, [128, side.bytes], 1, tuple(map(tuple, bases)), m.pairs)
        return f"left = {place.allocate()}\n{stored(m, 'left', tile, place)}", "left"
    if turned:
        shape, tile, view = shape[::-1], f"gl.permute({tile}, [1, 0])", f"{name}.permute((1, 0))"
        bases = [basis[::-1] for basis in bases]
    options = "".join(f", {text}" for text in (cga(bases), "fp4_padded=True" * side.padded) if text)
    element = f"gl.{TYPES[side.kind]}"
    layout = f"gl.NVMMASharedLayout.get_default_for({shape}, {element}{options})"
    return f"{name} = gl.allocate_shared_memory({element}, {shape}, {layout}, {tile})\n", view


def packed_bases(own, columns):
    """Where the bytes of a CTA's scales in shared memory belong, from which they are copied, None where there is no way."""
    beside = [[0, step] for step in (4, 8) if step < columns]
    if own % 128 == 0 and columns in (4, 8, 16):
        upper = [[32, 0], [64, 0]]
    elif own == 64 and columns in (8, 16):
        upper, beside = [[32, 0], beside[0]], beside[1:]
    else:
        return None
    return [[0, 1], [0, 2], *upper, [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], *beside, *([[128, 0]] if own == 256 else [])]


def _packed(side, columns):
    """The layout of scales in shared memory from which they are copied, None where there is none."""
    own = side.rows // (2 if [1, 0] in side.scale_bases else 1)
    bases = packed_bases(own, columns)
    blocks = [[own * down, 0] for down, _ in side.scale_bases]
    return bases and f"gl.SharedLinearLayout({bases}{', ' + str(blocks) if blocks else ''})"


def _scales(m, side, vector, name, number):
    """The step that has the scales, their values, one for each element, and lines that put them into place."""
    columns = side.inner // vector
    shape = (side.rows, columns)
    layout = f"TensorMemoryScalesLayout({cga(side.scale_bases)})"
    if vector == 16:
        i = m.input(shape, "float16", m.numpy.integers(1, 4, shape))
        factors, element, tile = m.step(i).value.astype(np.float64), "float8e4nv", f"{{a{number}}}.to(gl.float8e4nv)"
    else:
        i = m.input(shape, "uint8", m.numpy.integers(126, 129, shape))
        factors, element, tile = 2.0 ** (m.step(i).value.astype(np.float64) - 127), "uint8", f"{{a{number}}}"
    lines = f"{name} = allocate_tensor_memory(gl.{element}, {list(shape)}, {layout})\n"
    packed = _packed(side, columns)
    # A product behind a copy tells that it is over.
    if packed and (m.program.num_ctas == 1 or m.pairs) and m.program.scalars[1] and m.rng.random() < 0.5:
        lines += (f"s = gl.allocate_shared_memory(gl.{element}, {list(shape)}, {packed}, {tile})\n"
                  f"{through_engine(m.program)}tcgen05_copy(s, {name})\n")
    else:
        lines += f"{name}.store(gl.convert_layout({tile}, {name}.get_reg_layout()))\n"
    return i, np.repeat(factors, vector, 1), lines


def scaled_product(m):
    needs_fours(m)
    if m.program.num_ctas > 2 or m.program.num_ctas == 2 and not m.pairs:
        raise NothingFits
    kinds = [m.rng.choice(list(TYPES)) for _ in range(2)]
    both = kinds == ["e2m1", "e2m1"]
    vector = m.rng.choice([16, 32]) if both else 32
    inner = m.rng.choice([128, 128, 256, 512])
    columns = m.rng.choice([64, 128, 128, 256])
    pair = m.pairs
    if pair and columns == 256:
        raise NothingFits
    rows = 256 if pair or columns == 64 and m.rng.random() < 0.2 else 128
    sides = [Side(kind, extent, inner, [[1, 0]] if pair else [], [scales] if pair else [], kind == "e2m1" and not both)
             for kind, extent, scales in zip(kinds, (rows, columns), ([1, 0], [0, 0]))]
    if sum(side.rows * side.bytes * (2 if side.padded else 1) * 2 for side in sides) > MOST_BYTES:
        raise NothingFits
    steps, values, views, lines = [], [], [], ""
    for number, (side, name) in enumerate(zip(sides, ("left", "right"))):
        i, cast, value = _elements(m, side)
        put, view = _operand(m, side, f"{{a{number}}}{cast}", name)
        steps.append(i)
        values.append(value)
        views.append(view)
        lines += put
    for number, (side, name) in enumerate(zip(sides, ("part0", "part1"))):
        i, factors, put = _scales(m, side, vector, name, 2 + number)
        steps.append(i)
        values[number] = values[number] * factors
        lines += put
    place = Place("float32", 32, [rows, columns], [128, columns], 1, ((1, 0),) if pair else (), pair)
    steps.append(m.input(place.shape, "float32", m.numpy.integers(-9, 10, place.shape)))
    summed(m, place, values[0] @ values[1].T, f"{lines}x = {views[0]}\ny = {views[1]}.permute((1, 0))\n", steps,
           "tcgen05_mma_scaled(x, y, acc, part0, part1, "
           f"{kinds[0]!r}, {kinds[1]!r}".replace("'", '"'))


KINDS = [scaled_product, scaled_product]
