"""Steps of the Triton language about tiles: shapes, reductions, scans. No layouts."""

import numpy as np

from maker import NothingFits
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


def numbers(m):
    """Ranges of different ranks that meet."""
    shape = m.shape()
    terms, value = [], np.zeros(shape, np.int32)
    for d, extent in enumerate(shape):
        low, factor = m.rng.choice([0, 0, 1, 69]), m.rng.choice([1, 1, 3, -1, 16])
        terms.append(f"tl.arange({low}, {low + extent}){along(d, len(shape), False)} * {factor}")
        value = value + ((np.arange(extent) + low) * factor).reshape([-1] + [1] * (len(shape) - d - 1))
    m.add("{out} = " + " + ".join(terms), [], value, "int32")


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


KINDS = [numbers, broadcast_ranks, broadcast_ranks, outer, reduce_keeping, reduce_keeping, extremum_and_place,
         reduce_pairs, float_sums, cumulative, rearrange, rearrange, put_together, taken_apart, sorted_rows, histogram,
         clamp]
