"""Products of warpgroups: every type and shape, operands in all places that the tensor cores read."""

from dataclasses import dataclass

import numpy as np

import layouts
from maker import NothingFits
from program import through_engine

# Type of A, of B, of the sum; the largest number in an operand that leaves every sum exact.
TYPES = [("float16", "float16", "float32", 3), ("float16", "float16", "float16", 1),
         ("bfloat16", "bfloat16", "float32", 3), ("float32", "float32", "float32", 3),
         ("float8e4nv", "float8e5", "float32", 3), ("float8e5", "float8e5", "float32", 3),
         ("float8e4nv", "float8e4nv", "float32", 3), ("int8", "int8", "int32", 100)]
BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "float8e4nv": 8, "float8e5": 8, "int8": 8,
        "uint8": 8}
# Of both operands together.
MOST_BYTES = 96 << 10
# In a thread, and in all: steps that follow hold the sum in shared memory, of 64 bits perhaps.
MOST_SUMS = 128
MOST_ELEMENTS = 16384


@dataclass
class Operand:
    """A tile of A or B: of `shape`, split over CTAs as `bases` say."""
    dtype: str
    shape: list
    bases: list
    # The dimension that is summed over.
    inner: int
    # Sizes of elements of which another dimension than that may be contiguous.
    turned: tuple = (16,)

    @property
    def bits(self):
        return BITS[self.dtype]


def numbers(m, operand, largest):
    """An input that holds the operand's values in a type that NumPy has."""
    dtype = operand.dtype if operand.dtype in ("float16", "float32", "int8", "uint8") else "float16"
    least = 0 if dtype == "uint8" else -largest
    i = m.input(operand.shape, dtype, m.numpy.integers(least, largest + 1, operand.shape))
    return i, "" if dtype == operand.dtype else f".to(gl.{operand.dtype})"


def _layout(*arguments):
    layout = layouts.nvmma(*arguments, multiplied=True)
    if not layout:
        raise NothingFits
    return layout


def in_memory(m, operand, tile, name):
    """Lines that put the tile into shared memory, and the view that is multiplied."""
    rng, shape, bases = m.rng, operand.shape, operand.bases
    inner_last = operand.bits not in operand.turned or rng.random() < 0.5
    transposed = inner_last != (operand.inner == 1)
    if rng.random() < 0.4:
        # The same bytes, seen from the other side.
        layout = _layout(rng, shape[::-1], operand.bits, [b[::-1] for b in bases], not transposed)
        lines = (f"{name} = gl.allocate_shared_memory(gl.{operand.dtype}, {shape[::-1]}, "
                 f"{layout}, gl.permute({tile}, [1, 0]))\n")
        return lines, f"{name}.permute((1, 0))"
    layout = _layout(rng, shape, operand.bits, bases, transposed)
    if rng.random() < 0.4:
        slots = rng.choice([2, 3])
        slot = f"(n0 + {rng.randrange(slots)}) % {slots}"
        return (f"{name} = gl.allocate_shared_memory(gl.{operand.dtype}, {[slots, *shape]}, "
                f"{layout})\n{name}.index({slot}).store({tile})\n",
                f"{name}.index({slot})")
    return (f"{name} = gl.allocate_shared_memory(gl.{operand.dtype}, {shape}, {layout}, {tile})\n",
            name)


def _place(m, operand, tile, name, parent):
    """The same for either place: A may lie in registers."""
    lines, view = in_memory(m, operand, tile, name)
    if operand.inner == 1 and m.rng.random() < 0.35:
        registers = f"gl.DotOperandLayout(0, {parent}, {32 // operand.bits})"
        if m.rng.random() < 0.5:
            return "", f"gl.convert_layout({tile}, {registers})"
        return lines + m.meet(), f"{view}.load({registers})"
    return lines, view


def _shape(m, left_bits):
    """The accumulator's layout, its extents, what is summed over, and who has what."""
    rng, warps = m.rng, m.program.num_warps
    across = rng.choice([1, 2]) if warps == 8 else 1
    columns, depth = rng.choice([8, 16, 32, 64, 128, 256]), 256 // left_bits
    bases = layouts.cga_bases(rng, [4, 4], m.program)
    splits = [4 // part for part in layouts.share([4, 4], bases)]
    own = [16 * (warps // across) * rng.choice([1, 1, 2]), columns * across * rng.choice([1, 1, 2])]
    if own[0] * own[1] // (32 * warps) > MOST_SUMS:
        raise NothingFits
    parent = (f"gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[{warps // across}, "
              f"{across}], instr_shape=[16, {columns}, {depth}]{layouts.cga_text(bases)})")
    rows, columns = (extent * split for extent, split in zip(own, splits))
    return parent, rows, columns, depth * rng.choice([1, 2, 4]), bases


# What happens with products x, y and an accumulator z, n1 times; the wait after the loop is for all.
WAYS = [
    ("z = warpgroup_mma(x, y, z)", False),
    ("z = warpgroup_mma(x, y, z, is_async=True)\nz = warpgroup_mma_wait(0, deps=[z])", False),
    ("z = warpgroup_mma(x, y, z, use_acc=k != 0, is_async=True)\n"
     "z = warpgroup_mma_wait(1, deps=[z])", True),
    ("z = warpgroup_mma(x, y, z, use_acc=k > 0)", True),
]


def warpgroup_product(m):
    if m.program.num_warps % 4:
        raise NothingFits
    left, right, sums, largest = m.rng.choice(TYPES)
    parent, rows, columns, inner, bases = _shape(m, BITS[left])
    a = Operand(left, [rows, inner], [[basis[0], 0] for basis in bases], 1)
    b = Operand(right, [inner, columns], [[0, basis[1]] for basis in bases], 0)
    operands = sum(np.prod(o.shape) * o.bits // 8 * 3 for o in (a, b))
    if operands > MOST_BYTES or rows * columns > MOST_ELEMENTS:
        raise NothingFits
    (i, to_left), (j, to_right) = numbers(m, a, largest), numbers(m, b, largest)
    k = m.input((rows, columns), sums, m.numpy.integers(-9, 10, (rows, columns)), parent)
    product = m.step(i).value.astype(np.int64) @ m.step(j).value.astype(np.int64)
    before, count = m.step(k).value, m.program.scalars[1]
    body, starts_over = m.rng.choice(WAYS)
    value = product * count + (0 if starts_over and count else before)
    first, x = _place(m, a, "{a0}" + to_left, "left", parent)
    second, y = in_memory(m, b, "{a1}" + to_right, "right")
    body = body.replace("\n", "\n    ")
    m.add(f"{first}{second}{through_engine(m.program)}x = {x}\ny = {y}\nz = {{a2}}\n"
          f"for k in range(n1):\n    {body}\n"
          "z = warpgroup_mma_wait(0, deps=[z])\n{out} = z", [i, j, k], value, sums, parent)


def products_in_flight(m):
    """Two accumulators, of which the older one is waited for while the other is summed up."""
    if m.program.num_warps % 4 or m.program.num_ctas > 1:
        raise NothingFits
    parent, rows, columns, inner, _ = _shape(m, 16)
    a = Operand("float16", [rows, inner], [], 1)
    b = Operand("float16", [inner, columns], [], 0)
    if 6 * (rows + columns) * inner > MOST_BYTES or rows * columns > 8192:
        raise NothingFits
    i, j = numbers(m, a, 3)[0], numbers(m, b, 3)[0]
    k = m.input((rows, columns), "float32", m.numpy.integers(-9, 10, (rows, columns)), parent)
    product = m.step(i).value.astype(np.int64) @ m.step(j).value.astype(np.int64)
    first, x = _place(m, a, "{a0}", "left", parent)
    second, y = in_memory(m, b, "{a1}", "right")
    m.add(f"{first}{second}{through_engine(m.program)}x = {x}\ny = {y}\n"
          "z = warpgroup_mma(x, y, {a2}, is_async=True)\n"
          "acc = warpgroup_mma(x, y, {a2}, use_acc=False, is_async=True)\n"
          "z = warpgroup_mma_wait(1, deps=[z])\n{out} = z * 2\n"
          "acc = warpgroup_mma_wait(0, deps=[acc])\n{out} = {out} + acc", [i, j, k],
          2 * (m.step(k).value + product) + product, "float32", parent)


KINDS = [warpgroup_product, warpgroup_product, products_in_flight]
