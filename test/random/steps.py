"""The kinds of steps. Each function adds a step or two to a program.

The functions of HELPERS are at the top of every generated file.
"""

import contextlib

import numpy as np

import amd
import buffers
import flow
import layouts
import numeric
import partitions
import pipelines
import products
import scaled
import scaled_pipelines
import tensor_memory
import transfers
import warpgroups
from maker import SHAPES, Maker, NothingFits, is_float, partner
from program import DTYPES

HELPERS = '''
@gluon.jit
def add(a, b):
    return a + b


@gluon.jit
def larger(a, b):
    return gl.where(a > b, a, b)


@gluon.jit
def later(a, b):
    return b


@gluon.jit
def both(a, b):
    return a + b, a - b
''' + flow.HELPERS
GLUON_HELPERS = flow.GLUON_HELPERS


def convert(m):
    i = m.pick()
    m.convert(i, m.layout(m.step(i).shape))


def fresh_input(m):
    m.input(m.rng.choice(SHAPES), m.rng.choice(list(DTYPES)))


def binary(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    j = partner(m, i)
    a, b, dtype = m.step(i).value, m.step(j).value, m.step(i).dtype
    choices = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}
    if not is_float(dtype):
        choices |= {"&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b}
    operator = m.rng.choice(list(choices))
    m.add(f"{{out}} = {{a0}} {operator} {{a1}}", [i, j], choices[operator](), dtype,
          m.step(i).layout)


def with_constant(m):
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    step, c = m.step(i), m.rng.choice([3, 5, 7, 100])
    # C's division, which rounds towards zero; the least integer has no opposite.
    wide = step.value.astype(object)
    quotient = np.where(wide < 0, -(-wide // c), wide // c)
    remainder = wide - quotient * c
    shift = m.rng.randrange(8)
    text, value = m.rng.choice([(f"// {c}", quotient), (f"% {c}", remainder),
                                (f">> {shift}", step.value >> shift),
                                (f"<< {shift}", step.value << shift),
                                (f"+ n0 * {c}", step.value + m.program.scalars[0] * c)])
    m.add(f"{{out}} = {{a0}} {text}", [i], value, step.dtype, step.layout)


def compare_and_choose(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    operator, value = m.rng.choice([("<", a.value < b.value), (">=", a.value >= b.value),
                                    ("==", a.value == b.value), ("!=", a.value != b.value)])
    k = m.add(f"{{out}} = {{a0}} {operator} {{a1}}", [i, j], value, "int1", a.layout)
    m.add("{out} = gl.where({a0}, {a1}, {a2})", [k, i, j], np.where(value, a.value, b.value),
          a.dtype, a.layout)


def cast(m):
    i = m.pick(lambda step: not is_float(step.dtype))
    step = m.step(i)
    to = m.rng.choice([d for d in DTYPES if d not in ("int1", "float16")])
    m.add(f"{{out}} = {{a0}}.to(gl.{to})", [i], step.value.astype(DTYPES[to]), to, step.layout)


def widen(m):
    i = m.pick(lambda step: step.dtype in ("float16", "float32"))
    step = m.step(i)
    m.add("{out} = {a0}.to(gl.float64)", [i], step.value.astype(np.float64), "float64", step.layout)


def reduce(m):
    i = m.pick(lambda step: step.dtype == "int32" and step.shape)
    i = m.placed(i)
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    total = np.add.reduce(step.value, axis, dtype=np.int32)
    text, value = m.rng.choice([
        ("gl.sum({a0}, axis=AXIS)", total), ("gl.reduce({a0}, AXIS, add)", total),
        ("gl.max({a0}, axis=AXIS)", step.value.max(axis)),
        ("gl.min({a0}, axis=AXIS)", step.value.min(axis)),
        ("gl.xor_sum({a0}, axis=AXIS)", np.bitwise_xor.reduce(step.value, axis))])
    text = text.replace("AXIS", str(axis))
    if len(step.shape) == 1:
        # A scalar: spread again, so that it can be used.
        m.add(f"{{out}} = {{a0}} + {text}", [i], step.value + value, "int32", step.layout)
    else:
        m.add(f"{{out}} = {text}", [i], value, "int32", f"gl.SliceLayout({axis}, {step.layout})")


def scan(m):
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    i = m.placed(i)
    step = m.step(i)
    axis, reverse = m.rng.randrange(len(step.shape)), m.rng.random() < 0.5
    function, ufunc = m.rng.choice([("add", np.add), ("larger", np.maximum)])
    turned = np.flip(step.value, axis) if reverse else step.value
    value = ufunc.accumulate(turned, axis, dtype=step.value.dtype)
    m.add(f"{{out}} = gl.associative_scan({{a0}}, {axis}, {function}, reverse={reverse})", [i],
          np.flip(value, axis) if reverse else value, step.dtype, step.layout)


def expand(m):
    """A row or column added to a larger tile."""
    i = m.pick(lambda step: len(step.shape) < 3 and step.dtype != "int1")
    step = m.step(i)
    dim = m.rng.randrange(len(step.shape) + 1)
    large = [*step.shape]
    large.insert(dim, m.rng.choice([4, 16, 32]))
    if np.prod(large) > 8192:
        return
    parent = m.layout(large)
    i = m.convert(i, f"gl.SliceLayout({dim}, {parent})")
    j = m.input(large, step.dtype, layout=parent)
    m.add(f"{{out}} = gl.expand_dims({{a0}}, {dim}) + {{a1}}", [i, j],
          np.expand_dims(step.value, dim) + m.step(j).value, step.dtype, parent)


def permute(m):
    i = m.pick(lambda step: len(step.shape) > 1)
    step, order = m.step(i), list(range(len(m.step(i).shape)))
    m.rng.shuffle(order)
    m.add(f"{{out}} = gl.permute({{a0}}, {order})", [i], step.value.transpose(order), step.dtype)


def reshape(m):
    i = m.pick()
    step = m.step(i)
    fitting = [s for s in SHAPES if np.prod(s) == step.value.size and s != step.shape]
    if fitting:
        shape = m.rng.choice(fitting)
        m.add(f"{{out}} = gl.reshape({{a0}}, {list(shape)})", [i], step.value.reshape(shape),
              step.dtype)


def join_and_split(m):
    i = m.placed(m.pick(lambda step: len(step.shape) < 3))
    # A new dim of two elements may leave most of a tensor to each thread, which takes 2048 at most.
    if m.step(i).value.size > 2048:
        return
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    k = m.add("{out} = gl.join({a0}, {a1})", [i, j], np.stack([a.value, b.value], -1), a.dtype)
    side = m.rng.randrange(2)
    m.add(f"{{out}} = gl.split({{a0}})[{side}]", [k], (a.value, b.value)[side], a.dtype)


def gather(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    shape = list(step.shape)
    shape[axis] = m.rng.choice([shape[axis], 16, 64])
    if np.prod(shape) > 8192:
        return
    index = m.numpy.integers(0, step.shape[axis], shape, dtype=np.int32)
    j = m.input(shape, "int32", index)
    m.add(f"{{out}} = gl.gather({{a0}}, {{a1}}, {axis})", [i, j],
          np.take_along_axis(step.value, index, axis), step.dtype, m.step(j).layout)


def through_shared_memory(m):
    i = m.pick(lambda step: step.dtype != "int1")
    step = m.step(i)
    text = (f"s = gl.allocate_shared_memory(gl.{step.dtype}, {list(step.shape)}, "
            f"{layouts.shared(m.rng, step.shape, m.program)}, {{a0}})\n")
    value, view = step.value, "s"
    kind = m.rng.randrange(3)
    if kind == 1 and value.ndim > 1:
        order = list(range(value.ndim))
        m.rng.shuffle(order)
        value, view = value.transpose(order), f"s.permute({order})"
    elif kind == 2:
        dim = m.rng.randrange(value.ndim)
        length = max(value.shape[dim] // 2, 1)
        start = m.rng.choice([0, value.shape[dim] - length])
        value = np.take(value, range(start, start + length), dim)
        view = f"s.slice({start}, {length}, dim={dim})"
        # Slices that cut through the swizzle are refused, rightly.
        text = text.replace(layouts_of(text), layouts.plain(step.shape, m.program))
    m.add(text + f"{m.meet()}{{out}} = {view}.load({{layout}})", [i], value, step.dtype,
          m.layout(value.shape))


def layouts_of(text):
    """The shared layout in an allocation's text."""
    begin = min(i for i in (text.find("gl.Swizzled"), text.find("gl.Padded")) if i >= 0)
    return text[begin:text.rindex(", {a0}")]


def loop(m):
    """A tile and an integer carried through a loop with a count of the launch."""
    i = m.pick(lambda step: step.dtype in ("int32", "int64"))
    i = m.placed(i)
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    which = m.rng.randrange(2)
    value, count = a.value, 0
    for k in range(m.program.scalars[which]):
        value = (value + b.value * k) ^ (b.value >> 1)
        count += k
    value = value + count
    text = (f"x, count = {{a0}}, 0\nfor k in range(n{which}):\n"
            "    x = (x + {a1} * k) ^ ({a1} >> 1)\n    count += k\n{out} = x + count")
    m.add(text, [i, j], value, a.dtype, a.layout)


def branch(m):
    i = m.placed(m.pick())
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    limit = m.rng.randrange(5)
    taken = m.program.scalars[0] > limit
    text = f"if n0 > {limit}:\n    {{out}} = {{a0}}\nelse:\n    {{out}} = {{a1}}"
    m.add(text, [i, j], (a if taken else b).value, a.dtype, a.layout)


def call(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    j = partner(m, i)
    a, b = m.step(i).value, m.step(j).value
    side = m.rng.randrange(2)
    m.add(f"{{out}} = both({{a0}}, {{a1}})[{side}]", [i, j], (a + b, a - b)[side], m.step(i).dtype,
          m.step(i).layout)


OWN_KINDS = [convert, convert, fresh_input, binary, binary, with_constant, compare_and_choose, cast,
         widen, reduce, reduce, scan, expand, permute, reshape, join_and_split, gather,
         through_shared_memory, through_shared_memory, loop, branch, call]
KINDS = OWN_KINDS + buffers.KINDS + flow.KINDS + numeric.KINDS + products.KINDS
# Half of the steps of a program for a chip, and what is among the others.
OF_CHIPS = {
    "hopper": transfers.KINDS + partitions.KINDS + warpgroups.KINDS,
    "blackwell": transfers.KINDS + partitions.KINDS + 3 * (tensor_memory.KINDS + scaled.KINDS + 2 * pipelines.KINDS
                                                            + scaled_pipelines.KINDS),
}
# What of the rest is NVIDIA's.
ONLY_NVIDIA = [buffers.asynchronous_copy, products.mma_v2]
WARPS = {"hopper": [1, 2, 4, 4, 4, 8], "blackwell": [4, 4, 4, 8]}


def modes(dtype):
    """How a tile of this type may reach memory."""
    return ([None, None, None, "masked"]
            + ["add"] * (dtype in ("int32", "int64", "uint32", "float32", "float64", "float16"))
            + ["max"] * (dtype in ("int32", "int64", "uint32")))


def make(rng, length, clusters=(1,), chip=None, host_describes=True, kinds=()):
    """A program of about `length` steps, of as many CTAs as one of `clusters` says. Half of the steps are what is new in
    the chip, of `kinds` where some are named."""
    if chip in amd.LANES:
        m = Maker(rng, (1,), chip, amd.LANES[chip])
        m.program.num_warps = rng.choice([1, 2, 4, 4, 8])
    else:
        m = Maker(rng, clusters)
    m.host_describes = host_describes
    others = [kind for kind in KINDS if kind not in ONLY_NVIDIA] if m.program.chip else KINDS if chip == "blackwell" else KINDS + [warpgroups.warpgroup_product]
    if chip and not m.program.chip:
        m.program.num_warps = rng.choice(WARPS[chip])
        m.pairs = chip == "blackwell" and m.program.num_ctas == 2 and rng.random() < 0.7
    of_chip = [kind for kind in OF_CHIPS.get(chip, []) if not kinds or kind.__name__ in kinds]
    if kinds and not of_chip:
        raise ValueError(f"no kind of step of {chip} has a name of {kinds}")
    m.input(rng.choice(SHAPES), "int32")
    m.input(rng.choice(SHAPES), rng.choice(list(DTYPES)))
    while len(m.program.steps) < length:
        with np.errstate(all="ignore"), contextlib.suppress(NothingFits):
            rng.choice(amd.KINDS if m.program.chip and rng.random() < 0.5 else
                       of_chip if of_chip and rng.random() < 0.5 else others)(m)
    count = len(m.program.steps)
    outputs = range(2, count)
    if chip == "blackwell":
        outputs = [i for i in outputs if "TensorMemory" in m.program.steps[i].text] or outputs
    m.program.outputs = sorted({count - 1, *(rng.choice(outputs) for _ in range(3))})
    for i in m.program.outputs:
        m.program.modes[i] = rng.choice(modes(m.program.steps[i].dtype))
        if chip in OF_CHIPS and rng.random() < 0.6:
            m.program.modes[i] = transfers.boxed(m, i) or m.program.modes[i]
    return m.program
