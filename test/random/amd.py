"""Steps for AMD's chips: matrix cores, buffers, copies past the registers, padded pieces of LDS."""

import math

import numpy as np

import layouts
from maker import NothingFits, is_float
from program import offsets

# Lanes of a wave by chip.
LANES = {"gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1200": 32, "gfx1250": 32}
# Operands -> [(M, N, K of an instruction, elements of K side by side in a lane)].
_MFMA = {
    3: {"float16": [(32, 32, 8, 4), (16, 16, 16, 4)], "int8": [(32, 32, 16, 8), (16, 16, 32, 8)],
        "float32": [(32, 32, 2, 1), (16, 16, 4, 1)], "float64": [(16, 16, 4, 1)]},
    4: {"float16": [(32, 32, 16, 8), (16, 16, 32, 8), (32, 32, 8, 4)],
        "int8": [(32, 32, 32, 16), (16, 16, 64, 16)],
        "float32": [(32, 32, 2, 1), (16, 16, 4, 1)], "float64": [(16, 16, 4, 1)]},
}
_WMMA = {
    1: {"float16": [(16, 16, 16, 16)], "int8": [(16, 16, 16, 16)]},
    2: {"float16": [(16, 16, 16, 8)], "int8": [(16, 16, 16, 8)]},
    3: {"float16": [(16, 16, 32, 8)], "int8": [(16, 16, 64, 8)], "float32": [(16, 16, 4, 2)]},
}
_CORES = {"gfx942": ("mfma", 3, "cdna3"), "gfx950": ("mfma", 4, "cdna4"), "gfx1100": ("wmma", 1, "rdna3"),
          "gfx1200": ("wmma", 2, "rdna4"), "gfx1250": ("wmma", 3, "cdna5")}
_BUFFERS = {"gfx942": "cdna3", "gfx950": "cdna4", "gfx1250": "cdna5"}
HELPERS = ""


def _grid(rng, warps):
    """How warps stand along M and N."""
    return layouts._split(rng, layouts._log2(warps), 2)


def accumulator(rng, chip, warps, instruction, dtype):
    """(text, extents of what the warps hold) of a layout of sums."""
    kind, version, _ = _CORES[chip]
    turned, along = rng.random() < 0.5, _grid(rng, warps)
    rows, columns, depth, _ = instruction
    if kind == "mfma":
        wide = ", 64" if dtype == "float64" else ""
        return (f"gl.amd.AMDMFMALayout({version}, [{rows}, {columns}, {depth}], {turned}, {along}{wide})",
                (rows * along[0], columns * along[1]))
    bases = ([[0, 1 << i] for i in range(layouts._log2(along[1]))]
             + [[1 << i, 0] for i in range(layouts._log2(along[0]))])
    more, held = [], list(along)
    if rng.random() < 0.4:
        dim = rng.randrange(2)
        more = [[held[0], 0] if dim == 0 else [0, held[1]]]
        held[dim] *= 2
    return (f"gl.amd.AMDWMMALayout({version}, {turned}, {bases}, {more}, [{rows}, {columns}, {depth}])",
            (rows * held[0], columns * held[1]))


def _operand(m, shape, dtype):
    largest = 100 if dtype == "int8" else 3
    return m.input(shape, dtype, m.numpy.integers(-largest, largest + 1, shape))


def product(m):
    """Sums in a loop; the operands come through registers or through LDS."""
    chip = m.program.chip
    kind, version, module = _CORES[chip]
    table = (_MFMA if kind == "mfma" else _WMMA)[version]
    dtype = m.rng.choice(list(table))
    instruction = m.rng.choice(table[dtype])
    parent, held = accumulator(m.rng, chip, m.program.num_warps, instruction, dtype)
    rows, columns = (extent * m.rng.choice([1, 1, 2]) for extent in held)
    inner = instruction[2] * m.rng.choice([1, 2, 4])
    if max(rows * columns, inner * max(rows, columns)) > 16384:
        raise NothingFits
    i, j = _operand(m, (rows, inner), dtype), _operand(m, (inner, columns), dtype)
    sums = {"int8": "int32", "float64": "float64"}.get(dtype, "float32")
    k = m.input((rows, columns), sums, m.numpy.integers(-9, 10, (rows, columns)), parent)
    wide = np.int64 if sums == "int32" else np.float64
    value = m.step(k).value + (m.step(i).value.astype(wide) @ m.step(j).value.astype(wide)
                               * m.program.scalars[0])
    # Twice as much may be more than there is of K: some lanes hold what others do.
    doubles = (kind, version) == ("mfma", 3) and dtype in ("float16", "int8") and m.rng.random() < 0.4
    width = instruction[3] * (2 if doubles else 1)
    lines = []
    for side, name, argument in ((0, "x", i), (1, "y", j)):
        operand = f"gl.DotOperandLayout({side}, {parent}, {width})"
        if m.rng.random() < 0.5:
            lines.append(f"{name} = gl.convert_layout({{a{side}}}, {operand})\n")
        else:
            shape = m.step(argument).shape
            lines.append(f"s{name} = gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, "
                         f"{lds(m, shape)}, {{a{side}}})\n{name} = s{name}.load({operand})\n")
    # A name keeps its type through a loop, so every step has its own.
    text = "".join(lines).replace("sx", "left").replace("sy", "right")
    m.add(f"{text}z = {{a2}}\nfor k in range(n0):\n    z = {module}.{kind}(x, y, z)\n{{out}} = z",
          [i, j, k], value, sums, parent)


def lds(m, shape):
    """A shared layout, on gfx1250 of pieces now and then."""
    if m.program.chip == "gfx1250" and m.rng.random() < 0.3:
        dim = m.rng.randrange(len(shape))
        partitions, groups = m.rng.choice([(2, 1), (2, 2), (4, 1), (1, 2), (2, 4)])
        if shape[dim] >= partitions * groups:
            piece = list(shape)
            piece[dim] //= partitions * groups
            inner = layouts.shared(m.rng, piece, m.program)
            return f"cdna5.PartitionedSharedLayout({partitions}, {groups}, {dim}, {inner})"
    return layouts.shared(m.rng, list(shape), m.program)


def through_lds(m):
    i = m.pick(lambda step: step.dtype != "int1")
    step = m.step(i)
    m.add(f"s = gl.allocate_shared_memory(gl.{step.dtype}, {list(step.shape)}, {lds(m, step.shape)}, "
          "{a0})\n{out} = s.load({layout})", [i], step.value, step.dtype, m.layout(step.shape))


def buffer_load(m):
    """Of what a mask leaves out the other value stays; what is behind the end is zero."""
    module = _BUFFERS.get(m.program.chip)
    if not module:
        raise NothingFits
    shape = m.rng.choice([(64,), (256,), (16, 16), (32, 32), (8, 64)])
    dtype = m.rng.choice(["int8", "int16", "int32", "float16", "float32", "int64", "float64"])
    i = m.input(shape, dtype)
    layout = m.layout(shape)
    places, value = offsets(shape, layout), m.step(i).value
    flat = np.arange(value.size).reshape(shape)
    options = m.rng.choice(["", ", mask=s % 3 != 0, other=7", ", mask=s < n1 * 16"])
    if "other" in options:
        value = np.where(flat % 3 != 0, value, 7)
    elif options:
        value = np.where(flat < m.program.scalars[1] * 16, value, 0)
    m.add(f"s = {places}\n{{out}} = {module}.buffer_load({{p0}}, s{options})", [i], value, dtype,
          layout)


def buffer_store(m):
    """A store by buffer over an input, and what is there then."""
    module = _BUFFERS.get(m.program.chip)
    if not module:
        raise NothingFits
    i = m.placed(m.pick(lambda step: step.dtype in ("int32", "float32", "int16", "int64", "float16")))
    step = m.step(i)
    j = m.input(step.shape, step.dtype)
    m.step(j).is_private = True
    flat = np.arange(step.value.size).reshape(step.shape)
    value = np.where(flat % 3 == 0, step.value, m.step(j).value)
    # The input is read before, as all inputs are, and its memory read again by others' lanes.
    m.add(f"s = {offsets(step.shape, step.layout)}\ngl.barrier()\n"
          f"{module}.buffer_store({{a0}}, {{p1}}, s, mask=s % 3 == 0)\ngl.barrier()\n"
          f"x = {offsets(step.shape, '{layout}')}\n"
          f"{{out}} = {module}.buffer_load({{p1}}, x)", [i, j], value, step.dtype,
          m.layout(step.shape))


def _lanes_in_line(m, shape, elements):
    """A layout whose lanes take runs of `elements` one behind the other, the last dim first."""
    lanes = m.program.lanes
    row = shape[-1] // elements
    if row < 1:
        raise NothingFits
    across = min(row, lanes)
    ones = [1] * (len(shape) - 1)
    if len(shape) == 1:
        return f"gl.BlockedLayout([{elements}], [{lanes}], [{m.program.num_warps}], [0])"
    return (f"gl.BlockedLayout([{', '.join(map(str, [*ones, elements]))}], "
            f"[{lanes // across}, {across}], [{m.program.num_warps}, 1], [1, 0])")


def asynchronous_copy(m):
    """Global memory to LDS past the registers, in a ring of two buffers."""
    chip = m.program.chip
    if chip not in ("gfx942", "gfx950", "gfx1250"):
        raise NothingFits
    shape = m.rng.choice([(256,), (512,), (32, 32), (64, 64), (16, 128)])
    dtype = m.rng.choice(["int32", "float32", "float16", "int64"])
    bits = 8 * np.dtype(m.step(m.input(shape, dtype)).value.dtype).itemsize
    widths = {"gfx942": [32], "gfx950": [32, 128], "gfx1250": [32, 64, 128]}[chip]
    elements = m.rng.choice(widths) // bits
    i = len(m.program.steps) - 1
    if elements < 1 or math.prod(shape) < elements * m.program.lanes * m.program.num_warps:
        raise NothingFits
    layout = _lanes_in_line(m, shape, elements)
    j = m.input(shape, dtype)
    value = (m.step(i), m.step(j))[m.program.scalars[0] % 2].value
    plain = layouts.plain(shape, m.program)
    if chip == "gfx1250":
        if m.rng.random() < 0.4 and shape[-1] >= 32:
            interval = max(shape[-1], 32)
            plain = (f"gl.PaddedSharedLayout.with_identity_for([[{interval}, {max(4, 128 // bits)}]], "
                     f"{list(shape)}, {list(reversed(range(len(shape))))})")
        copy = "cdna5.async_copy.global_to_shared(s.index({slot}), {p} + left)"
        module = "cdna5"
    else:
        copy = ("cdna4.async_copy.global_load_to_shared(s.index({slot}), {p} + left)"
                if m.rng.random() < 0.5 else
                "cdna4.async_copy.buffer_load_to_shared(s.index({slot}), {p}, left)")
        module = "cdna4"
    if chip == "gfx942":
        copy = "cdna4.async_copy.global_load_to_shared(s.index({slot}), {p} + left)"
    lines = [copy.replace("{slot}", str(slot)).replace("{p}", f"{{p{slot}}}")
             + f"\n{module}.async_copy.commit_group()\n" for slot in (0, 1)]
    wait = m.rng.randrange(2)
    text = (f"s = gl.allocate_shared_memory(gl.{dtype}, {[2, *shape]}, {plain})\n"
            f"left = {offsets(shape, layout)}\n" + "".join(lines))
    if wait:
        # The first is there while the second may be on its way.
        text += (f"{module}.async_copy.wait_group(1)\ngl.barrier()\nx = s.index(0).load({{layout}})\n"
                 f"{module}.async_copy.wait_group(0)\ngl.barrier()\ny = s.index(1).load({{layout}})\n"
                 "{out} = y if n0 % 2 == 1 else x")
        text = text.replace("{out} = y if n0 % 2 == 1 else x", "{out} = gl.where(n0 % 2 == 1, y, x)")
    else:
        text += (f"{module}.async_copy.wait_group(0)\ngl.barrier()\n"
                 "{out} = s.index(n0 % 2).load({layout})")
    m.add(text, [i, j], value, dtype, m.layout(shape))


def store_past_registers(m):
    """LDS to global memory on gfx1250."""
    if m.program.chip != "gfx1250":
        raise NothingFits
    shape = m.rng.choice([(256,), (512,), (64, 64)])
    dtype = m.rng.choice(["int32", "float32"])
    elements = m.rng.choice([1, 2, 4])
    if math.prod(shape) < elements * 32 * m.program.num_warps:
        raise NothingFits
    i, j = m.input(shape, dtype), m.input(shape, dtype)
    m.step(j).is_private = True
    layout = _lanes_in_line(m, shape, elements)
    plain = layouts.plain(shape, m.program)
    m.add(f"s = gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, {plain}, {{a0}})\n"
          f"gl.barrier()\ncdna5.async_copy.shared_to_global({{p1}} + ({offsets(shape, layout)}), s)\n"
          "cdna5.async_copy.commit_group()\ncdna5.async_copy.wait_group(0)\ngl.barrier()\n"
          f"x = {offsets(shape, '{layout}')}\n"
          "{out} = gl.load({p1} + x)", [i, j], m.step(i).value, dtype, m.layout(shape))


def converted_sums(m):
    """Elements from and to the layouts of the matrix cores."""
    chip = m.program.chip
    kind, version, _ = _CORES[chip]
    table = (_MFMA if kind == "mfma" else _WMMA)[version]
    i = m.pick(lambda step: len(step.shape) == 2 and min(step.shape) >= 16 and
               (is_float(step.dtype) or step.dtype in ("int32", "int8", "int16")))
    step = m.step(i)
    parent, _ = accumulator(m.rng, chip, m.program.num_warps,
                            m.rng.choice(table["float16"]), "float16")
    layout = parent
    if m.rng.random() < 0.5:
        width = {"mfma": [4, 8], "wmma": [{1: 16, 2: 8, 3: 8}.get(version)]}[kind]
        layout = f"gl.DotOperandLayout({m.rng.randrange(2)}, {parent}, {m.rng.choice(width)})"
    j = m.convert(i, layout)
    m.convert(j, m.layout(step.shape))


KINDS = [product, product, product, through_lds, buffer_load, buffer_store, asynchronous_copy,
         asynchronous_copy, store_past_registers, converted_sums]
