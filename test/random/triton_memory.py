"""Steps of the Triton language about memory: masks, orders, atomic updates, blocks of tensors."""

import itertools

import numpy as np

from maker import is_float
from program import DTYPES
from triton_tiles import WIDE, along, offsets


def turned_offsets(m, shape):
    """Offsets that do not go along the memory: (text, NumPy's indices into the flat tile)."""
    flat = np.arange(np.prod(shape)).reshape(shape)
    text = offsets(shape, m.rng.randrange(3))
    way = m.rng.randrange(3)
    if way == 0:
        return f"{flat.size - 1} - ({text})", flat.size - 1 - flat
    if way == 1:
        return f"({text}) ^ {flat.size // 2}", flat ^ (flat.size // 2)
    order = list(range(len(shape)))
    m.rng.shuffle(order)
    there = np.arange(flat.size).reshape([shape[d] for d in order]).transpose(np.argsort(order))
    strides = [int(s) // there.itemsize for s in there.strides]
    return " + ".join(f"tl.arange(0, {extent}){along(d, len(shape))} * {stride}"
                      for d, (extent, stride) in enumerate(zip(shape, strides))), there


def masked_load(m):
    """From another order of memory, with or without a mask and what takes its place."""
    shape = m.shape()
    dtype = m.rng.choice([d for d in DTYPES if d != "int1"])
    i = m.input(shape, dtype)
    at, there = turned_offsets(m, shape)
    value = m.step(i).value.ravel()[there]
    flat = np.arange(value.size).reshape(shape)
    text = f"at = {offsets(shape, m.rng.randrange(3))}\n"
    kind = m.rng.randrange(4)
    if kind == 0:
        text += f"{{out}} = tl.load({{p0}} + ({at}))"
    else:
        limit = m.rng.choice([0, value.size // 3, value.size // 2, value.size])
        mask, inside = m.rng.choice([(f"at < {limit}", flat < limit), ("at % 3 != 0", flat % 3 != 0),
                                     ("at < n0 * 16", flat < m.program.scalars[0] * 16)])
        other = m.rng.choice([None, "0", "7"])
        text += f"{{out}} = tl.load({{p0}} + ({at}), {mask}" + (f", other={other})" if other else ")")
        value = np.where(inside, value, np.array(int(other or 0), DTYPES[dtype]))
    m.add(text, [i], value, dtype)


def gathered_load(m):
    """By indices that another step computes."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64") and step.value.size > 1)
    shape = m.shape()
    size = int(np.prod(shape))
    j = m.input(shape, m.rng.choice([d for d in DTYPES if d != "int1"]))
    index = m.step(i).value & (size - 1)
    m.add(f"{{out}} = tl.load({{p1}} + ({{a0}} & {size - 1}))", [i, j], m.step(j).value.ravel()[index],
          m.step(j).dtype)


def scalar_load(m):
    i = m.pick(lambda step: step.dtype in WIDE)
    step = m.step(i)
    j = m.input((16,), step.dtype)
    at = m.program.scalars[0] * 2 + 1
    value = step.value + m.step(j).value[at]
    m.add("{out} = {a0} + tl.load({p1} + n0 * 2 + 1)", [i, j], value, step.dtype)


def through_memory(m):
    """Stored, and loaded in another order after a barrier."""
    i = m.pick(lambda step: step.dtype != "int1")
    step = m.step(i)
    j = m.input(step.shape, step.dtype)
    m.step(j).is_private = True
    at, there = turned_offsets(m, step.shape)
    text = f"tl.store({{p1}} + {offsets(step.shape)}, {{a0}})\n{m.barrier()}\n{{out}} = tl.load({{p1}} + ({at}))"
    m.add(text, [i, j], step.value.ravel()[there], step.dtype)


def atomics(m):
    """All elements of a tile meet at a few places; what is there before comes back in no order."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64", "uint32"))
    step = m.step(i)
    places = m.rng.choice([p for p in (1, 16, 64, 512) if p <= step.value.size])
    j = m.input((places,), step.dtype)
    m.step(j).is_private = True
    name, ufunc = m.rng.choice([("add", np.add), ("max", np.maximum), ("min", np.minimum), ("and", np.bitwise_and),
                                ("or", np.bitwise_or), ("xor", np.bitwise_xor)])
    value = m.step(j).value.copy()
    flat = np.arange(step.value.size)
    counted, mask = np.ones(step.value.size, bool), ""
    if m.rng.random() < 0.5:
        counted, mask = flat % 5 != 0, ", at % 5 != 0"
    ufunc.at(value, flat[counted] % places, step.value.ravel()[counted])
    m.add(f"at = {offsets(step.shape, m.rng.randrange(3))}\n"
          f"tl.atomic_{name}({{p1}} + at % {places}, {{a0}}{mask})\n{m.barrier()}\n"
          f"{{out}} = tl.load({{p1}} + tl.arange(0, {places}))", [i, j], value, step.dtype)


def exchanged(m):
    """The old value of an exchange, by one scalar or a tile."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    step = m.step(i)
    j = m.input(step.shape, step.dtype)
    m.step(j).is_private = True
    at = offsets(step.shape, m.rng.randrange(3))
    old = m.step(j).value
    kind = m.rng.randrange(3)
    if kind == 0:
        m.add(f"{{out}} = tl.atomic_xchg({{p1}} + ({at}), {{a0}})", [i, j], old, step.dtype)
    elif kind == 1:
        m.add(f"{{out}} = tl.atomic_cas({{p1}} + ({at}), {{a0}} * 0, {{a0}})", [i, j], old, step.dtype)
    else:
        value = step.value + old.ravel()[0]
        m.add("{out} = {a0} + tl.atomic_add({p1}, n1)", [i, j], value, step.dtype)


def block_pointer(m):
    """A part of a tensor by a block pointer or descriptor; what lies outside is padded."""
    rows, columns = m.rng.choice([(24, 40), (16, 64), (33, 20)])
    dtype = m.rng.choice(["float16", "float32", "int32", "int16"])
    tensor = m.values((rows, columns), dtype)
    block = [m.rng.choice([8, 16, 32]), m.rng.choice([8, 16, 32])]
    # Rows of described tensors, and blocks in them, begin at multiples of 16 bytes.
    unit = 16 // np.dtype(DTYPES[dtype]).itemsize
    described = m.rng.random() < 0.4 and columns % unit == 0
    steps = m.rng.randrange(1, 3)
    start = [m.rng.choice([0, 0, 8, -4, 20]), m.rng.choice([0, 0, 16, -8, 8 if described else 12])]
    i = m.input((rows, columns), dtype, tensor)
    m.step(i).is_private = True
    padding = "nan" if is_float(dtype) and m.rng.random() < 0.4 else "zero"
    total = np.zeros(block, DTYPES[dtype])
    for k in range(steps):
        part = np.full(block, np.nan if padding == "nan" else 0, DTYPES[dtype])
        for r, c in itertools.product(range(block[0]), range(block[1])):
            y, x = r + start[0], c + start[1] + 16 * k
            if 0 <= y < rows and 0 <= x < columns:
                part[r, c] = tensor[y, x]
        total = total + part
    if described:
        text = (f"desc = tl.make_tensor_descriptor({{p0}}, [{rows}, {columns}], [{columns}, 1], {block}, "
                f"padding_option='{padding}')\n"
                f"acc = tl.zeros({block}, tl.{dtype})\n"
                f"for k in range({steps}):\n    acc += desc.load([{start[0]}, {start[1]} + k * 16])\n{{out}} = acc")
    else:
        text = (f"desc = tl.make_block_ptr({{p0}}, ({rows}, {columns}), ({columns}, 1), ({start[0]}, {start[1]}), "
                f"({block[0]}, {block[1]}), (1, 0))\n"
                f"acc = tl.zeros({block}, tl.{dtype})\n"
                f"for k in range({steps}):\n"
                f"    acc += tl.load(desc, boundary_check=(0, 1), padding_option='{padding}')\n"
                f"    desc = tl.advance(desc, (0, 16))\n{{out}} = acc")
    m.add(text, [i], total, dtype)


KINDS = [masked_load, masked_load, gathered_load, scalar_load, through_memory, atomics, exchanged, block_pointer]
