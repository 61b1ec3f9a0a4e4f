"""Steps about Blackwell's tensor memory: tiles that pass through it, copies to it, products."""

from dataclasses import dataclass, replace

import numpy as np

import layouts
import warpgroups
from maker import NothingFits
from program import through_engine
from warpgroups import BITS, MOST_BYTES, Operand

# Shapes of instructions that move tiles, and how many columns of 32 bits they need.
VARIANTS = {"32x32b": 1, "32x32b_splitn": 2, "16x64b": 2, "16x128b": 4, "16x256b": 8, "16x32bx2": 2}
HELD = {"float32": 32, "int32": 32, "uint32": 32, "float16": 16, "int16": 16, "int8": 8, "uint8": 8}
MOST_ELEMENTS = 8192


def needs_fours(m):
    if m.program.num_warps % 4:
        raise NothingFits


@dataclass
class Place:
    """A buffer in tensor memory: of a dtype, shape and blocks, whose rows CTAs divide as bases say."""
    dtype: str
    bits: int
    shape: list
    block: list
    stride: int = 1
    bases: tuple = ()
    two_ctas: bool = False

    @property
    def layout(self):
        cga = f", {[list(b) for b in self.bases]}" if self.bases else ""
        return f"TensorMemoryLayout({self.block}, {self.stride}{cga}{', two_ctas=True' * self.two_ctas})"

    @property
    def columns(self):
        """Of 32 bits, of one block."""
        return max(self.block[1] * self.bits * self.stride // 32, 1)

    def allocate(self, ring=0, value=""):
        shape = [ring, *self.shape] if ring else self.shape
        return f"allocate_tensor_memory(gl.{self.dtype}, {shape}, {self.layout}{', ' * bool(value)}{value})"


def variant(m, place):
    """A layout of registers for a buffer, as a method's call."""
    fitting = [name for name, least in VARIANTS.items() if least <= place.columns]
    # Warps beyond four and the lanes of rows that are not there take columns first.
    if place.columns < m.program.num_warps // 2 * (1 + (place.block[0] == 64)):
        fitting = [name for name in fitting if not name.endswith("splitn")]
    if place.two_ctas and place.block[0] == 64:
        # Their columns are halved already.
        fitting = [name for name in fitting if not name.endswith("splitn")]
    return f'get_reg_layout(instr_variant="{m.rng.choice(fitting)}")'


def stored(m, name, tile, place):
    """A line that stores a tile in a buffer."""
    return f"{name}.store(gl.convert_layout({tile}, {name}.{variant(m, place)}))\n"


def loaded(m, name, place):
    """A line that makes what a buffer holds the step's tile."""
    return f"{{out}} = gl.convert_layout({name}.load({name}.{variant(m, place)}), {{layout}})"


def row_bases(m, two_ctas=False):
    """Rows divided among CTAs, or for some the same."""
    bases, part = [], 1
    for _ in range(layouts._log2(m.program.num_ctas)):
        splits = two_ctas or m.rng.random() < 0.7
        bases.append([part, 0] if splits else [0, 0])
        part *= 1 + splits
    return bases, part


def somewhere(m):
    """A place for a tile of any type, and what a CTA has of its rows."""
    needs_fours(m)
    dtype = m.rng.choice(list(HELD))
    bases, parts = row_bases(m)
    own = m.rng.choice([64, 128, 128, 256])
    columns = m.rng.choice([16, 32, 64])
    if own * parts * columns > MOST_ELEMENTS:
        raise NothingFits
    rows = 64 if own == 64 else m.rng.choice([64, 128, 128])
    block = columns // 2 if columns > 16 and m.rng.random() < 0.2 else columns
    stride = m.rng.choice([1, 2]) if HELD[dtype] == 16 else 1
    return Place(dtype, HELD[dtype], [own * parts, columns], [rows, block], stride, tuple(map(tuple, bases)))


def through_tensor_memory(m):
    """Stored in one layout of registers, loaded in another."""
    place = somewhere(m)
    i = m.input(place.shape, place.dtype)
    m.add(f"tmem = {place.allocate()}\n{stored(m, 'tmem', '{a0}', place)}{loaded(m, 'tmem', place)}",
          [i], m.step(i).value, place.dtype, m.layout(place.shape))


def through_ring(m):
    """One of several buffers, which the launch chooses, among others that hold something else."""
    place, slots = somewhere(m), m.rng.choice([2, 3])
    if slots * place.shape[1] * place.bits * place.stride // 32 > 256:
        raise NothingFits
    i, j = m.input(place.shape, place.dtype), m.input(place.shape, place.dtype)
    n, c = m.program.scalars[0], m.rng.randrange(slots)
    last = (n + c) % slots == slots - 1
    # The second store may be to the same slot.
    m.add(f"tmem = {place.allocate(slots)}\nleft = tmem.index((n0 + {c}) % {slots})\nright = tmem.index({slots - 1})\n"
          + stored(m, "left", "{a0}", place) + stored(m, "right", "{a1}", place)
          + loaded(m, "left", place), [i, j], m.step(j if last else i).value, place.dtype,
          m.layout(place.shape))


def through_slices(m):
    """Columns of a buffer go to other columns, if the launch says so."""
    place = somewhere(m)
    columns = place.shape[1]
    if columns < 32 or place.block[1] != columns:
        raise NothingFits
    length = m.rng.choice([columns // 2, columns // 2, max(columns // 4, 16)])
    parts = columns // length
    to, start, limit = m.rng.randrange(parts), m.rng.randrange(parts), m.rng.randrange(5)
    i = m.input(place.shape, place.dtype)
    value = m.step(i).value.copy()
    if m.program.scalars[0] > limit:
        value[:, to * length:(to + 1) * length] = value[:, start * length:(start + 1) * length]
    part = replace(place, shape=[place.shape[0], length], block=[place.block[0], length])
    body = (f"tmem = {place.allocate()}\n{stored(m, 'tmem', '{a0}', place)}"
            f"left = tmem.slice({to * length}, {length})\nright = tmem.slice({start * length}, {length})\n"
            f"left.store(gl.convert_layout(right.load(right.{variant(m, part)}), left.{variant(m, part)}), "
            f"pred=n0 > {limit})\n")
    if m.rng.random() < 0.5:
        at = m.rng.randrange(parts) * length
        m.add(body + f"s = tmem.slice({at}, {length})\n" + loaded(m, "s", part), [i], value[:, at:at + length],
              place.dtype, m.layout(part.shape))
    else:
        m.add(body + loaded(m, "tmem", place), [i], value, place.dtype, m.layout(place.shape))


def seen_otherwise(m):
    """The bytes of a row as elements of another size."""
    needs_fours(m)
    bases, parts = row_bases(m)
    own, bytes = m.rng.choice([64, 128]), m.rng.choice([32, 64, 128])
    first, second = m.rng.sample(["int8", "int16", "int32"], 2)
    shapes = [[own * parts, bytes * 8 // HELD[dtype]] for dtype in (first, second)]
    if max(np.prod(shape) for shape in shapes) > MOST_ELEMENTS:
        raise NothingFits
    one, two = (Place(dtype, HELD[dtype], shape, [own, shape[1]], 1, tuple(map(tuple, bases)))
                for dtype, shape in zip((first, second), shapes))
    i = m.input(one.shape, first)
    value = m.step(i).value.view(np.dtype(second))
    m.add(f"tmem = {one.allocate()}\n{stored(m, 'tmem', '{a0}', one)}"
          f"s = tmem.reinterpret(gl.{second}, {two.shape}, {two.layout})\n" + loaded(m, "s", two), [i], value,
          second, m.layout(two.shape))


WAIT = "mbarrier.wait(bar, {})\nmbarrier.invalidate(bar)\n"
BEGIN = "bar = mbarrier.allocate_mbarrier()\nmbarrier.init(bar, count=1)\n"


def copied(m):
    """From shared memory, by the tensor cores' engine."""
    needs_fours(m)
    if m.program.num_ctas > 1:
        raise NothingFits
    dtype = m.rng.choice(["float32", "int32", "uint32"])
    rows, columns = m.rng.choice([(128, 8), (128, 16), (128, 32), (128, 64), (256, 32)])
    layout = layouts.nvmma(m.rng, [rows, columns], 32, multiplied=True)
    if not layout:
        raise NothingFits
    place = Place(dtype, 32, [rows, columns], [128, columns])
    i = m.input(place.shape, dtype)
    m.add(f"s = gl.allocate_shared_memory(gl.{dtype}, {place.shape}, {layout}, {{a0}})\ntmem = {place.allocate()}\n"
          f"{BEGIN}{through_engine(m.program)}tcgen05_copy(s, tmem)\ntcgen05_commit(bar)\n{WAIT.format(0)}"
          + loaded(m, "tmem", place), [i], m.step(i).value, dtype, m.layout(place.shape))


TYPES = [*warpgroups.TYPES, ("uint8", "int8", "int32", 100), ("float8e5", "float8e4nv", "float16", 1)]


@dataclass
class Task:
    """What is multiplied: a sum's place and operands."""
    sum: Place
    a: Operand
    b: Operand


def task(m, left, right, sums):
    """Random extents that one instruction or several multiply, of one CTA or of two."""
    rng, ctas, depth = m.rng, m.program.num_ctas, 256 // BITS[left]
    inner = depth * rng.choice([1, 2, 4])
    rows, columns = rng.choice([64, 128, 128]), rng.choice([16, 32, 64, 128])
    turned = (16, 8)
    stride = 2 if sums == "float16" else 1
    bits = HELD[sums]
    if m.pairs:
        columns = max(columns, 32)
        place = Place(sums, bits, [2 * rows, columns], [rows, columns], stride, ((1, 0),), True)
        return Task(place, Operand(left, [2 * rows, inner], [[1, 0]], 1, turned),
                    Operand(right, [inner, columns], [[0, 1]], 0, turned))
    bases, parts = row_bases(m) if ctas > 1 else ([], 1)
    down = 2 if rng.random() < 0.15 else 1
    block = columns // 2 if columns >= 32 and rng.random() < 0.15 else columns
    place = Place(sums, bits, [rows * parts * down, columns], [rows, block], stride, tuple(map(tuple, bases)))
    return Task(place, Operand(left, [rows * parts * down, inner], bases, 1, turned),
                Operand(right, [inner, columns], [[0, 0]] * len(bases), 0, turned))


def _left(m, work, tile):
    """Lines that put the left operand where it is multiplied, and its view."""
    a, place = work.a, work.sum
    # Of 64 rows both have one block, and two CTAs multiply 128 each.
    fits = place.block[0] == 128 or not place.two_ctas and place.block[1] == place.shape[1]
    if fits and m.rng.random() < 0.4:
        own = Place(a.dtype, a.bits, a.shape, [place.block[0], a.shape[1]], 1, place.bases, place.two_ctas)
        return f"left = {own.allocate()}\n{stored(m, 'left', tile, own)}", "left"
    return warpgroups.in_memory(m, a, tile, "left")


# What happens with products x, y and a sum, n1 times; what starts over forgets what the sum was.
WAYS = [
    ("tcgen05_mma(x, y, acc, mbarriers=[bar])\nmbarrier.wait(bar, k & 1)", False, False),
    ("tcgen05_mma(x, y, acc, use_acc=k != 0, mbarriers=[bar])\nmbarrier.wait(bar, k & 1)", True, False),
    ("tcgen05_mma(x, y, acc, use_acc=k > 0)", True, True),
    ("tcgen05_mma(x, y, acc)", False, True),
]


def summed(m, place, product, prepare, reads, call="tcgen05_mma(x, y, acc"):
    """The step that multiplies n1 times and loads the sum, which was the last of `reads` before."""
    count, before = m.program.scalars[1], m.step(reads[-1]).value
    body, starts_over, at_end = m.rng.choice(WAYS)
    times = count
    if at_end and m.rng.random() < 0.3:
        # One does nothing.
        body = body.replace("y, acc", "y, acc, pred=k != 1")
        times -= count > 1
    value = product * times + (0 if starts_over and count else before)
    if m.pairs and not at_end:
        # Or the first CTA is two phases ahead of what the other one waits for.
        body += "\ngl.barrier(cluster=True)"
    body = body.replace("tcgen05_mma(x, y, acc", call).replace("\n", "\n    ")
    last = "tcgen05_commit(bar)\nmbarrier.wait(bar, 0)\n" if at_end else ""
    start = stored(m, "acc", f"{{a{len(reads) - 1}}}", place)
    m.add(f"{prepare}acc = {place.allocate()}\n{start}{BEGIN}{through_engine(m.program)}"
          f"for k in range(n1):\n    {body}\n{last}mbarrier.invalidate(bar)\n" + loaded(m, "acc", place), reads,
          value, place.dtype, m.layout(place.shape))


def tensor_product(m):
    needs_fours(m)
    left, right, sums, largest = m.rng.choice(TYPES)
    work = task(m, left, right, sums)
    size = sum(np.prod(o.shape) * o.bits // 8 * 3 for o in (work.a, work.b))
    if size > MOST_BYTES or np.prod(work.sum.shape) > MOST_ELEMENTS * m.program.num_ctas:
        raise NothingFits
    (i, to_left), (j, to_right) = (warpgroups.numbers(m, o, largest) for o in (work.a, work.b))
    k = m.input(work.sum.shape, sums, m.numpy.integers(-9, 10, work.sum.shape))
    product = m.step(i).value.astype(np.int64) @ m.step(j).value.astype(np.int64)
    first, x = _left(m, work, "{a0}" + to_left)
    second, y = warpgroups.in_memory(m, work.b, "{a1}" + to_right, "right")
    summed(m, work.sum, product, f"{first}{second}x = {x}\ny = {y}\n", [i, j, k])


KINDS = [through_tensor_memory, through_tensor_memory, through_ring, through_slices, seen_otherwise, copied,
         tensor_product, tensor_product, tensor_product]
