"""Steps about what AMD's chips have: products of waves, buffers, copies past the registers."""

from dataclasses import dataclass

import layouts
from maker import NothingFits
from program import offsets


@dataclass
class Chip:
    """`products`: by type, (shapes of the instruction, widths of an operand's run)."""
    lanes: int
    # Of its products, and of its buffers and copies if it has these.
    module: str
    version: int
    products: dict
    has_buffers: bool = False

    def matrix(self, rng, launch, shape):
        """The layout of a sum."""
        if "mfma" in self.product:
            warps = layouts._split(rng, layouts._log2(launch.num_warps), 2)
            return (f"gl.amd.AMDMFMALayout({self.version}, {list(shape)}, {rng.random() < 0.5}, {warps})")
        bases, tiles = [], [1, 1]
        for _ in range(layouts._log2(launch.num_warps)):
            dim = rng.randrange(2)
            bases.append([tiles[0] * (dim == 0), tiles[1] * (dim == 1)])
            tiles[dim] *= 2
        # The shape is given where a version has several.
        given = f", instr_shape={list(shape)}" if self.version == 3 else ""
        return f"gl.amd.AMDWMMALayout({self.version}, {rng.random() < 0.5}, {bases}{given})"

    @property
    def product(self):
        return f"gl.amd.{self.module}.{'mfma' if self.lanes == 64 else 'wmma'}"


CHIPS = {
    "gfx942": Chip(64, "cdna3", 3, {"float16": ([(16, 16, 16), (32, 32, 8)], [4, 8]),
                                    "int8": ([(16, 16, 32), (32, 32, 16)], [8, 16]),
                                    "float32": ([(16, 16, 4), (32, 32, 2)], [1, 2])}, True),
    "gfx950": Chip(64, "cdna4", 4, {"float16": ([(16, 16, 32), (32, 32, 16)], [8]),
                                    "int8": ([(16, 16, 64), (32, 32, 32)], [16]),
                                    "float32": ([(16, 16, 4), (32, 32, 2)], [1])}, True),
    "gfx1100": Chip(32, "rdna3", 1, {"float16": ([(16, 16, 16)], [16]), "int8": ([(16, 16, 16)], [16])}),
    "gfx1200": Chip(32, "rdna4", 2, {"float16": ([(16, 16, 16)], [8]), "int8": ([(16, 16, 16)], [8])}),
    "gfx1250": Chip(32, "cdna5", 3, {"float16": ([(16, 16, 32)], [8]), "int8": ([(16, 16, 64)], [8, 16]),
                                     "float32": ([(16, 16, 4)], [2])}, True),
}


def chip_of(launch):
    return CHIPS[launch.chip]


def sum_layout(rng, shape, launch):
    """That of a sum or of an operand, for a tile that is large enough."""
    chip = chip_of(launch)
    shapes, widths = chip.products["float16"]
    instruction = rng.choice(shapes)
    parent = chip.matrix(rng, launch, instruction)
    if rng.random() < 0.5 or shape[0] < instruction[0] or shape[1] < instruction[2]:
        return parent
    return f"gl.DotOperandLayout({rng.randrange(2)}, {parent}, {rng.choice(widths)})"


def product(m):
    """Small integers, whose sums every order of additions gives exactly; several times."""
    chip = chip_of(m.program)
    dtype = m.rng.choice(list(chip.products))
    shapes, widths = chip.products[dtype]
    instruction = m.rng.choice(shapes)
    rows, columns = (max(m.rng.choice([16, 32, 64]), extent) for extent in instruction[:2])
    inner = max(m.rng.choice([16, 32, 64]), instruction[2])
    parent = chip.matrix(m.rng, m.program, instruction)
    largest = 3 if dtype != "int8" else 100
    i, j = (m.input(shape, dtype, m.numpy.integers(-largest, largest + 1, shape))
            for shape in ((rows, inner), (inner, columns)))
    sum_type = "int32" if dtype == "int8" else "float32"
    k = m.input((rows, columns), sum_type, m.numpy.integers(-9, 10, (rows, columns)), parent)
    value = m.step(k).value + (m.step(i).value.astype(int) @ m.step(j).value.astype(int)) * m.program.scalars[0]
    width = m.rng.choice(widths)

    def operand(index, argument):
        layout = f"gl.DotOperandLayout({index}, {parent}, {width})"
        if m.rng.random() < 0.5:
            return "", f"gl.convert_layout({{{argument}}}, {layout})"
        name, shape = f"s{index}", m.step((i, j)[index]).shape
        shared = layouts.shared(m.rng, shape, m.program)
        return (f"{name} = gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, {shared}, {{{argument}}})\n",
                f"{name}.load({layout})")

    (before_x, x), (before_y, y) = operand(0, "a0"), operand(1, "a1")
    m.add(f"{before_x}{before_y}x = {x}\ny = {y}\nz = {{a2}}\nfor k in range(n0):\n"
          f"    z = {chip.product}(x, y, z)\n{{out}} = z", [i, j, k], value, sum_type, parent)


def buffer_load(m):
    """Elements at computed places, some masked and with another value then."""
    i = m.pick(lambda step: step.is_input and step.dtype != "int1")
    step = m.step(i)
    shape = m.rng.choice([(64,), (16, 16), (8, 64)])
    index = m.numpy.integers(0, step.value.size, shape, dtype="int32")
    j = m.input(shape, "int32", index)
    value, rest = step.value.ravel()[index], ""
    if m.rng.random() < 0.6:
        value, rest = value.copy(), ", mask={a1} % 3 != 0, other=7"
        value[index % 3 == 0] = 7
    m.add(f"{{out}} = gl.amd.{chip_of(m.program).module}.buffer_load({{p0}}, {{a1}}{rest})", [i, j], value,
          step.dtype, m.step(j).layout)


def copy_past_registers(m):
    """A tile that LDS gets without registers, in groups of which one is awaited after the other."""
    chip = chip_of(m.program)
    dtype = m.rng.choice(["int32", "float32"])
    if chip.module == "cdna5":
        shape = m.rng.choice([(256,), (32, 32), (64, 16)])
        layout = layouts.blocked(m.rng, list(shape), m.program)
        start = "gl.amd.cdna5.async_copy.global_to_shared"
    elif chip.module == "cdna4":
        # A wave writes one run of LDS.
        shape = (m.rng.choice([64, 256]) * m.program.num_warps,)
        layout = f"gl.BlockedLayout([{shape[0] // (64 * m.program.num_warps)}], [64], [{m.program.num_warps}], [0])"
        start = "gl.amd.cdna4.async_copy.global_load_to_shared"
    else:
        raise NothingFits
    wait = f"gl.amd.{chip.module}.async_copy"
    i, j = m.input(shape, dtype), m.input(shape, dtype)
    rank = len(shape)
    plain = f"gl.SwizzledSharedLayout(1, 1, 1, {list(reversed(range(rank)))})"
    result = m.layout(shape)
    value = m.step(i).value + m.step(j).value
    m.add(f"s = gl.allocate_shared_memory(gl.{dtype}, {[2, *shape]}, {plain})\n"
          f"{start}(s.index(0), {{p0}} + ({offsets(shape, layout)}))\n{wait}.commit_group()\n"
          f"{start}(s.index(1), {{p1}} + ({offsets(shape, layout)}))\n{wait}.commit_group()\n"
          f"{wait}.wait_group(1)\nx = s.index(0).load({{layout}})\n{wait}.wait_group(0)\n"
          "{out} = x + s.index(1).load({layout})", [i, j], value, dtype, result)


def kinds(chip):
    """Those that the chip has."""
    return [product, product, *([buffer_load, copy_past_registers] if CHIPS[chip].has_buffers else [])]
