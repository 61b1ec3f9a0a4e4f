"""Steps about shared memory and about single elements of global memory."""

import numpy as np

import layouts
from maker import partner
from program import offsets


def _allocate(m, dtype, shape, rank=None):
    layout = layouts.shared(m.rng, shape[-(rank or len(shape)):], m.program)
    return f"gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, {layout})"


def ring(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    value = (a, b)[(m.program.scalars[0] + 1) % 2].value
    m.add(f"s = {_allocate(m, a.dtype, (2, *a.shape), len(a.shape))}\ns.index(0).store({{a0}})\n"
          f"s.index(1).store({{a1}})\n{m.meet()}{{out}} = s.index((n0 + 1) % 2).load({{layout}})",
          [i, j], value,
          a.dtype, m.layout(a.shape))


def ring_in_loop(m):
    """Each iteration reads what the one before wrote, in another layout."""
    i = m.placed(m.pick(lambda step: step.dtype in ("int32", "int64")))
    j = partner(m, i)
    a, b = m.step(i), m.step(j)
    value = a.value
    for _ in range(m.program.scalars[0]):
        value = value * 3 + b.value
    m.add(f"s = {_allocate(m, a.dtype, (2, *a.shape), len(a.shape))}\ns.index(0).store({{a0}})\n"
          f"{m.meet()}for k in range(n0):\n"
          f"    s.index((k + 1) % 2).store(s.index(k % 2).load({a.layout}) * 3 + {{a1}})\n"
          f"{m.meet('    ')}"
          "{out} = s.index(n0 % 2).load({layout})", [i, j], value, a.dtype, m.layout(a.shape))


def store_to_slice(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1" and min(step.shape) > 1))
    step = m.step(i)
    dim = m.rng.randrange(len(step.shape))
    part = list(step.shape)
    part[dim] //= 2
    j = m.input(part, step.dtype)
    start = m.rng.choice([0, part[dim]])
    value = step.value.copy()
    value[tuple(slice(start, start + part[dim]) if d == dim else slice(None)
                for d in range(len(part)))] = m.step(j).value
    m.add(f"s = gl.allocate_shared_memory(gl.{step.dtype}, {list(step.shape)}, "
          f"{layouts.plain(step.shape, m.program)}, {{a0}})\n{m.meet()}s.slice({start}, {part[dim]}, dim={dim})"
          f".store({{a1}})\n{m.meet()}{{out}} = s.load({{layout}})", [i, j], value, step.dtype,
          m.layout(step.shape))


def gather_from_buffer(m):
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    index = m.numpy.integers(0, step.shape[axis], step.shape, dtype=np.int32)
    j = m.input(step.shape, "int32", index)
    layout = layouts.shared(m.rng, step.shape, m.program)
    m.add(f"s = gl.allocate_shared_memory(gl.{step.dtype}, {list(step.shape)}, {layout}, {{a0}})\n"
          f"{m.meet()}{{out}} = s.gather({{a1}}, {axis})", [i, j],
          np.take_along_axis(step.value, index, axis), step.dtype, m.step(j).layout)


def scatter_to_buffer(m):
    """Every element goes to a place of its own."""
    i = m.placed(m.pick(lambda step: step.dtype != "int1"))
    step = m.step(i)
    axis = m.rng.randrange(len(step.shape))
    index = np.argsort(m.numpy.random(step.shape), axis).astype(np.int32)
    j = m.input(step.shape, "int32", index, step.layout)
    value = np.empty_like(step.value)
    np.put_along_axis(value, index, step.value, axis)
    m.add(f"s = {_allocate(m, step.dtype, step.shape)}\ns.scatter({{a0}}, {{a1}}, {axis})\n"
          f"{m.meet()}{{out}} = s.load({{layout}})", [i, j], value, step.dtype, m.layout(step.shape))


def atomic_scatter(m):
    """Many elements meet; the order does not matter."""
    i = m.placed(m.pick(lambda step: step.dtype == "int32" and len(step.shape) == 1))
    step = m.step(i)
    index = m.numpy.integers(0, 32, step.shape, dtype=np.int32)
    j = m.input(step.shape, "int32", index, step.layout)
    name, ufunc, start = m.rng.choice([("add", np.add, 3), ("max", np.maximum, -5),
                                       ("xor", np.bitwise_xor, 6)])
    value = np.full(32, start, np.int32)
    ufunc.at(value, index, step.value)
    layout = m.layout((32,))
    m.add(f"s = gl.allocate_shared_memory(gl.int32, [32], {layouts.plain((32,), m.program)}, "
          f"gl.full([32], {start}, gl.int32, {layout}))\n"
          f"{m.meet()}s.atomic_scatter_{name}({{a0}}, {{a1}}, 0)\n{m.meet()}{{out}} = s.load({{layout}})", [i, j],
          value, "int32", layout)


def histogram(m):
    shape = (m.rng.choice([64, 256, 1024]),)
    values = m.numpy.integers(0, 16, shape, dtype=np.int32)
    i = m.input(shape, "int32", values)
    m.add("{out} = gl.histogram({a0}, 16, layout={layout})", [i],
          np.bincount(values, minlength=16), "int32", m.layout((16,)))


def indexed_load(m):
    """Elements of global memory at computed places, some masked."""
    i = m.pick(lambda step: step.is_input and step.dtype != "int1")
    step = m.step(i)
    count = step.value.size
    shape = m.rng.choice([(64,), (16, 16), (8, 64)])
    index = m.numpy.integers(0, count, shape, dtype=np.int32)
    j = m.input(shape, "int32", index)
    keep = index % 3 != 0
    m.add("{out} = gl.load({p0} + {a1}, mask={a1} % 3 != 0, other=7)", [i, j],
          np.where(keep, step.value.ravel()[index], 7), step.dtype, m.step(j).layout)


def asynchronous_copy(m):
    shape = m.rng.choice([(256,), (32, 32), (64, 16)])
    dtype = m.rng.choice(["int32", "float32", "int64"])
    i = m.input(shape, dtype)
    # A copy reaches the CTA's own memory only.
    layout = layouts.blocked(m.rng, list(shape), m.program, layouts.whole(shape, m.program))
    m.add(f"s = gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, {layouts.plain(shape, m.program)})\n"
          f"gl.nvidia.ampere.async_copy.async_copy_global_to_shared(s, {{p0}} + "
          f"({offsets(shape, layout)}))\ngl.nvidia.ampere.async_copy.commit_group()\n"
          "gl.nvidia.ampere.async_copy.wait_group(0)\n{out} = s.load({layout})", [i],
          m.step(i).value, dtype, m.layout(shape))


KINDS = [ring, ring_in_loop, store_to_slice, gather_from_buffer, scatter_to_buffer, atomic_scatter,
         histogram, indexed_load, asynchronous_copy]
