"""Steps of the Triton language about tiles: shapes, reductions, scans, memory. No layouts."""

import itertools

import numpy as np

from maker import NothingFits, is_float
from program import DTYPES

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint32")
WIDE = ("int32", "int64", "uint32")
MOST = 8192


def along(d, rank, whole=True):
    """The subscript that lays a range along one of the dimensions; those in front need no mention."""
    picks = [":" if e == d else "None" for e in range(0 if whole else d, rank)]
    return f"[{', '.join(picks)}]" if len(picks) > 1 else ""


def offsets(shape, style=0):
    """The row-major offsets of a tile, in one of several ways to write them."""
    if style == 1 and len(shape) > 1:
        return f"tl.arange(0, {int(np.prod(shape))}).reshape({list(shape)})"
    return " + ".join(f"tl.arange(0, {extent}){along(d, len(shape), style == 0)} * {int(np.prod(shape[d + 1:], dtype=int))}"
                      for d, extent in enumerate(shape))


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


def numbers(m):
    """Ranges of different ranks that meet."""
    shape = m.shape()
    terms, value = [], np.zeros(shape, np.int32)
    for d, extent in enumerate(shape):
        low, factor = m.rng.choice([0, 0, 1, 69]), m.rng.choice([1, 1, 3, -1, 16])
        terms.append(f"tl.arange({low}, {low + extent}){along(d, len(shape), False)} * {factor}")
        value = value + ((np.arange(extent) + low) * factor).reshape([-1] + [1] * (len(shape) - d - 1))
    m.add("{out} = " + " + ".join(terms), [], value, "int32")


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
    text = f"tl.store({{p1}} + {offsets(step.shape)}, {{a0}})\ntl.debug_barrier()\n{{out}} = tl.load({{p1}} + ({at}))"
    m.add(text, [i, j], step.value.ravel()[there], step.dtype)


def broadcast_ranks(m):
    """A tile with one of fewer dimensions, or with ones among them."""
    i = m.pick(lambda step: len(step.shape) > 1 and step.dtype != "int1")
    step = m.step(i)
    shape = [1 if m.rng.random() < 0.4 else extent for extent in step.shape][m.rng.randrange(len(step.shape)):]
    j = m.input(shape, step.dtype)
    a, b = step.value, m.step(j).value
    text, value = m.rng.choice([("{a0} + {a1}", a + b), ("{a1} * {a0}", b * a),
                                ("tl.where({a1} > {a0}, {a1}, {a0})", np.where(b > a, b, a)),
                                ("tl.maximum({a0}, {a1})", np.fmax(a, b))])
    m.add("{out} = " + text, [i, j], value, step.dtype)


def outer(m):
    """Two rows make a tile."""
    i = m.pick(lambda step: len(step.shape) == 1 and step.dtype in (*WIDE, "float32"))
    j = m.pick(lambda step: len(step.shape) == 1 and step.dtype == m.step(i).dtype)
    a, b = m.step(i).value, m.step(j).value
    if a.size * b.size > MOST:
        raise NothingFits
    operator, value = m.rng.choice([("+", a[:, None] + b), ("-", a[:, None] - b), ("*", a[:, None] * b)])
    m.add(f"{{out}} = {{a0}}[:, None] {operator} {{a1}}", [i, j], value, m.step(i).dtype)


def _spread(m, text, reads, value, dtype, shape):
    """A step of what may be a scalar, which is added to zeros then."""
    if np.ndim(value) == 0:
        text, value = f"tl.full([{shape[-1]}], 0, tl.{dtype}) + {text}", np.full(shape[-1:], value)
    m.add("{out} = " + text, reads, value, dtype)


def _axis(m, shape):
    axis = m.rng.randrange(len(shape))
    return axis, m.rng.choice([axis, axis - len(shape)])


def reduce_keeping(m):
    """All axes, one, several in turn; the dimension may stay."""
    i = m.pick(lambda step: step.dtype in INTEGERS and step.shape)
    step = m.step(i)
    result = step.dtype if step.dtype in ("int64", "uint32") else "uint32" if step.dtype == "uint8" else "int32"
    wide = step.value.astype(DTYPES[result])
    name, function = m.rng.choice([("sum", np.sum), ("max", np.max), ("min", np.min),
                                   ("xor_sum", np.bitwise_xor.reduce)])
    if name == "xor_sum":
        result, wide = step.dtype, step.value
    if name in ("max", "min") and step.dtype == "uint8":
        result, wide = "int32", step.value.astype(np.int32)
    keep = m.rng.random() < 0.5
    with_type = ", dtype=tl.int64" * (name == "sum" and m.rng.random() < 0.2)
    if with_type:
        result, wide = "int64", step.value.astype(np.int64)
    kind = m.rng.randrange(3)
    options = {"dtype": DTYPES[result]} if name == "sum" else {}
    if kind == 0:
        shape = [1] * len(step.shape)
        value = function(wide, axis=None, **options)
        text = f"tl.{name}({{a0}}, axis=None, keep_dims={keep}{with_type})"
        _spread(m, text, [i], value.reshape(shape) if keep else value, result, step.shape)
        return
    axis, given = _axis(m, step.shape)
    value = function(wide, axis=axis, keepdims=keep, **options)
    text = f"tl.{name}({{a0}}, axis={given}, keep_dims={keep}{with_type})"
    if kind == 1 and value.ndim > 1 and name != "sum":
        again, given = _axis(m, value.shape)
        value = function(value, axis=again)
        text = f"tl.{name}({text}, {given})"
    _spread(m, text, [i], value, result, step.shape)


def extremum_and_place(m):
    i = m.pick(lambda step: step.dtype in ("int32", "int64", "float32") and step.shape)
    step = m.step(i)
    values, text = step.value, "{a0}"
    if step.dtype != "float32":
        # Few different ones, so that ties occur.
        values, text = values & 7, "({a0} & 7)"
    axis, given = _axis(m, step.shape)
    name = m.rng.choice(["max", "min"])
    places = {"max": np.argmax, "min": np.argmin}[name](values, axis)
    keep = m.rng.random() < 0.4
    if not np.all(np.isfinite(values)):
        raise NothingFits
    which = m.rng.randrange(3)
    if keep:
        places = np.expand_dims(places, axis)
    if which == 0:
        _spread(m, f"tl.arg{name}({text}, {given}, keep_dims={keep})", [i], places, "int32", step.shape)
        return
    value = getattr(values, name)(axis, keepdims=keep)
    call = f"tl.{name}({text}, {given}, return_indices=True, keep_dims={keep})[{which - 1}]"
    _spread(m, call, [i], (value, places)[which - 1], (step.dtype, "int32")[which - 1], step.shape)


def reduce_pairs(m):
    """Several tiles at once, by a function that orders them."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    step = m.step(i)
    j = m.input(step.shape, "int32")
    axis, given = _axis(m, step.shape)
    keys, values = step.value, m.step(j).value
    # The greatest key's value; among equal keys the greatest value.
    order = np.lexsort((values, keys), axis=axis)
    best = np.take(order, [step.shape[axis] - 1], axis)
    keep = m.rng.random() < 0.5
    which = m.rng.randrange(2)
    value = np.take_along_axis((keys, values)[which], best, axis)
    _spread(m, f"tl.reduce(({{a0}}, {{a1}}), {given}, greatest, keep_dims={keep})[{which}]", [i, j],
            value if keep else np.squeeze(value, axis), (step.dtype, "int32")[which], step.shape)


def float_sums(m):
    """Of small whole numbers, which no order of additions rounds, along one axis or two."""
    i = m.pick(lambda step: step.dtype == "int8" and step.shape)
    step = m.step(i)
    to = m.rng.choice(["float32", "float64"])
    axis, given = _axis(m, step.shape)
    value = step.value.astype(DTYPES[to]).sum(axis)
    text = f"tl.sum({{a0}}.to(tl.{to}), {given})"
    if value.ndim and m.rng.random() < 0.4:
        again, given = _axis(m, value.shape)
        value, text = value.sum(again), f"tl.sum({text}, {given})"
    _spread(m, text, [i], value, to, step.shape)


def cumulative(m):
    i = m.pick(lambda step: step.dtype in INTEGERS)
    step = m.step(i)
    result = {"int8": "int32", "int16": "int32", "uint8": "uint32"}.get(step.dtype, step.dtype)
    axis, given = _axis(m, step.shape)
    reverse = m.rng.random() < 0.4
    name, ufunc = m.rng.choice([("cumsum", np.add), ("cumsum", np.add), ("cumprod", np.multiply)])
    if name == "cumprod":
        result = step.dtype
    turned = np.flip(step.value, axis) if reverse else step.value
    value = ufunc.accumulate(turned.astype(DTYPES[result]), axis, dtype=DTYPES[result])
    m.add(f"{{out}} = tl.{name}({{a0}}, {given}, reverse={reverse})", [i],
          np.flip(value, axis) if reverse else value, result)


def rearrange(m):
    """What changes places only."""
    i = m.pick(lambda step: step.value.size * 2 <= MOST and (step.dtype != "int1"))
    step = m.step(i)
    value, rank = step.value, len(step.shape)
    axis = m.rng.randrange(rank)
    choices = [(f"tl.flip({{a0}}, {axis})", np.flip(value, axis)), ("tl.ravel({a0})", value.ravel()),
               (f"tl.expand_dims({{a0}}, {axis})", np.expand_dims(value, axis))]
    if rank > 1:
        choices += [("tl.trans({a0})", value.swapaxes(-1, -2)), ("{a0}.T", value.T)][:2 if rank == 2 else 1]
        # Transposed and added, transposed again.
        choices.append(("tl.trans(tl.trans({a0}) + 1)", value + np.array(1, value.dtype)))
    ones = [d for d, extent in enumerate(step.shape) if extent == 1]
    if ones and rank > 1:
        d = m.rng.choice(ones)
        choices.append((f"tl.squeeze({{a0}}, {d})", np.squeeze(value, d)))
    if ones:
        d = m.rng.choice(ones)
        wide = [*step.shape]
        wide[d] = m.rng.choice([2, 8, 32])
        if np.prod(wide) <= MOST:
            choices += 2 * [(f"tl.broadcast_to({{a0}}, {wide})", np.broadcast_to(value, wide))]
    text, value = m.rng.choice(choices)
    m.add("{out} = " + text, [i], value, step.dtype)


def put_together(m):
    i = m.pick(lambda step: step.dtype != "int1" and 2 * step.value.size <= MOST and len(step.shape) < 4)
    step = m.step(i)
    j = m.input(step.shape, step.dtype)
    a, b = step.value, m.step(j).value
    d = m.rng.randrange(len(step.shape))
    both = np.stack([a, b], -1)
    text, value = m.rng.choice([
        (f"tl.cat({{a0}}, {{a1}}, dim={d})", np.concatenate([a, b], d)),
        ("tl.interleave({a0}, {a1})", both.reshape([*step.shape[:-1], -1])), ("tl.join({a0}, {a1})", both),
        ("tl.split(tl.join({a0}, {a1}))[1]", b)])
    m.add("{out} = " + text, [i, j], value, step.dtype)


def taken_apart(m):
    """The halves of the last dimension, or every other element of it, meet."""
    i = m.pick(lambda step: step.dtype in (*WIDE, "float32") and step.shape[-1] > 1)
    step = m.step(i)
    shape, half = step.shape, step.shape[-1] // 2
    if m.rng.random() < 0.5:
        parts = [*shape[:-1], half, 2]
        view, a, b = f"{{a0}}.reshape({parts})", step.value[..., ::2], step.value[..., 1::2]
    else:
        parts = [*shape[:-1], 2, half]
        order = [*range(len(shape) - 1), len(shape), len(shape) - 1]
        view, a, b = f"{{a0}}.reshape({parts}).permute({order})", step.value[..., :half], step.value[..., half:]
    m.add(f"left, right = tl.split({view})\n{{out}} = left * 2 - right", [i], a * np.array(2, a.dtype) - b, step.dtype)


def sorted_rows(m):
    i = m.pick(lambda step: step.dtype in ("int32", "int16", "uint32", "float32") and step.shape[-1] <= 64
               and step.value.size <= 2048 and not np.any(np.isnan(step.value)))
    step = m.step(i)
    falling = m.rng.random() < 0.5
    value = np.sort(step.value, -1)
    if m.rng.random() < 0.4 and step.shape[-1] > 2:
        k = 1 << m.rng.randrange(step.shape[-1].bit_length() - 1)
        m.add(f"{{out}} = tl.topk({{a0}}, {k})", [i], value[..., ::-1][..., :k], step.dtype)
        return
    m.add(f"{{out}} = tl.sort({{a0}}, descending={falling})", [i], value[..., ::-1] if falling else value, step.dtype)


def histogram(m):
    i = m.pick(lambda step: step.dtype in ("int32", "uint32") and len(step.shape) == 1)
    step = m.step(i)
    bins = m.rng.choice([1, 2, 16, 128])
    small = step.value & np.array(bins - 1, step.value.dtype)
    counted, mask = np.ones(step.shape, bool), ""
    if m.rng.random() < 0.5:
        counted, mask = step.value % 2 == 0, ", mask={a0} % 2 == 0"
    value = np.bincount(small[counted], minlength=bins)
    m.add(f"{{out}} = tl.histogram({{a0}} & {bins - 1}, {bins}{mask})", [i], value, "int32")


def clamp(m):
    i = m.pick(lambda step: step.dtype in ("float32", "int32") and not np.any(np.isnan(step.value)))
    step = m.step(i)
    if step.dtype == "float32":
        m.add("{out} = tl.clamp({a0}, -0.5, 0.75)", [i], np.clip(step.value, np.float32(-0.5), np.float32(0.75)), step.dtype)
        return
    m.add("{out} = tl.minimum(tl.maximum({a0}, -n0), 1000)", [i],
          np.minimum(np.maximum(step.value, -m.program.scalars[0]), 1000), step.dtype)


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
          f"tl.atomic_{name}({{p1}} + at % {places}, {{a0}}{mask})\ntl.debug_barrier()\n"
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
    described = m.rng.random() < 0.4
    steps = m.rng.randrange(1, 3)
    start = [m.rng.choice([0, 0, 8, -4, 20]), m.rng.choice([0, 0, 16, -8, 12])]
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


KINDS = [numbers, masked_load, masked_load, gathered_load, scalar_load, through_memory, broadcast_ranks,
         broadcast_ranks, outer, reduce_keeping, reduce_keeping, extremum_and_place, reduce_pairs, float_sums,
         cumulative, rearrange, rearrange, put_together, taken_apart, sorted_rows, histogram, clamp, atomics,
         exchanged, block_pointer]
