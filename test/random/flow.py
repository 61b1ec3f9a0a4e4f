"""Steps about control flow, calls and values made of others."""

import numpy as np

import layouts
from maker import NothingFits, partner

HELPERS = '''

@gluon.jit
def after(a, b, c, d):
    return a * c, b * c + d


@gluon.jit
def early(a, n):
    if n > 2:
        return a + n
    return a * 5
'''

# Of Gluon only.
GLUON_HELPERS = '''

@gluon.jit(noinline=True)
def apart(buffer, n, layout: gl.constexpr):
    for k in range(n):
        buffer.store(buffer.load(layout) * 3 + k)
    return n + 1


@gluon.aggregate
class Pair:
    first: gl.tensor
    second: gl.tensor

    @gluon.jit
    def turned(self, k):
        return Pair(self.second + k, self.first - self.second)
'''


def _integers(m):
    """Two tiles of one type and layout."""
    i = m.placed(m.pick(lambda step: step.dtype in ("int32", "int64")))
    j = partner(m, i)
    return i, j, m.step(i).value, m.step(j).value


def _add(m, text, i, j, value):
    m.add(text, [i, j], value, m.step(i).dtype, m.step(i).layout)


def while_loop(m):
    i, j, a, b = _integers(m)
    x = a
    for _ in range(m.program.scalars[0]):
        x = x * 3 + b
    _add(m, "x, left = {a0}, n0\nwhile left > 0:\n    x = x * 3 + {a1}\n    left -= 1\n{out} = x",
         i, j, x)


def nested_loops(m):
    i, j, a, b = _integers(m)
    x = a
    for k in range(m.program.scalars[0]):
        if k % 2 == 0:
            x = x + b
        else:
            for l in range(m.program.scalars[1]):
                x = (x ^ b) + l
    _add(m, "x = {a0}\nfor k in range(n0):\n    if k % 2 == 0:\n        x = x + {a1}\n    else:\n"
         "        for l in range(n1):\n            x = (x ^ {a1}) + l\n{out} = x", i, j, x)


def unrolled_loop(m):
    i, j, a, b = _integers(m)
    x = a
    for k in range(3):
        x = x - b * k
    _add(m, "x = {a0}\nfor k in gl.static_range(3):\n    x = x - {a1} * k\n{out} = x", i, j, x)


def conversions_in_loop(m):
    """Scratch memory that is used in every iteration."""
    i, j, a, b = _integers(m)
    other = m.layout(a.shape)
    x = a
    for _ in range(m.program.scalars[1]):
        x = x * 5 + b
    _add(m, f"x, y = {{a0}}, gl.convert_layout({{a1}}, {other})\nfor k in range(n1):\n"
         f"    z = gl.convert_layout(x, {other}) * 5 + y\n"
         f"    x = gl.convert_layout(z, {m.step(i).layout})\n{{out}} = x", i, j, x)


def reduction_decides(m):
    """A branch on what all threads computed together."""
    i = m.placed(m.pick(lambda step: step.dtype == "int32" and len(step.shape) == 1))
    j = partner(m, i)
    a, b = m.step(i).value, m.step(j).value
    bit = 1 << m.rng.randrange(31)
    taken = np.bitwise_xor.reduce(a) & bit != 0
    _add(m, f"if (gl.xor_sum({{a0}}, axis=0) & {bit}) != 0:\n    {{out}} = {{a0}} + {{a1}}\nelse:\n"
         "    {out} = {a1}", i, j, a + b if taken else b)


def noinline_call(m):
    """A buffer changed by a function that stays one, in layouts of its own."""
    if m.program.num_ctas > 1:
        # CTAs with copies would change the buffer each.
        raise NothingFits
    i = m.placed(m.pick(lambda step: step.dtype in ("int32", "int64")))
    step = m.step(i)
    value = step.value
    for k in range(m.program.scalars[0]):
        value = value * 3 + k
    m.add(f"s = gl.allocate_shared_memory(gl.{step.dtype}, {list(step.shape)}, "
          f"{layouts.shared(m.rng, step.shape, m.program)}, {{a0}})\n"
          f"count = apart(s, n0, {m.layout(step.shape)})\n"
          "{out} = s.load({layout}) + count", [i],
          value + m.program.scalars[0] + 1, step.dtype, m.layout(step.shape))


def early_return(m):
    i = m.placed(m.pick(lambda step: step.dtype in ("int32", "int64")))
    a, n = m.step(i), m.program.scalars[1]
    m.add("{out} = early({a0}, n1)", [i], a.value + n if n > 2 else a.value * 5, a.dtype, a.layout)


def aggregate(m):
    i, j, a, b = _integers(m)
    for k in range(m.program.scalars[1]):
        a, b = b + k, a - b
    which = m.rng.choice(["first", "second"])
    _add(m, "pair = Pair({a0}, {a1})\nfor k in range(n1):\n    pair = pair.turned(k)\n"
         f"{{out}} = pair.{which}", i, j, a if which == "first" else b)


KINDS = [while_loop, nested_loops, unrolled_loop, conversions_in_loop, reduction_decides,
         noinline_call, early_return, aggregate]
