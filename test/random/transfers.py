"""Steps about the copy engine: blocks of tensors that it brings, sums up and takes away."""

import numpy as np

import layouts
from maker import SHAPES, NothingFits, is_float
from program import Boxed, DTYPES, Tensor

BLOCKS = SHAPES + [(2, 2, 8, 16), (4, 1, 2, 64), (2, 1, 2, 4, 32), (256, 32), (16, 128), (512,)]
MOVED = [dtype for dtype in DTYPES if dtype not in ("int1", "float64")]


def bits_of(dtype):
    return 8 * np.dtype(DTYPES[dtype]).itemsize


def unit_of(dtype):
    """Elements that the engine takes at once, 16 bytes: boxes begin at multiples of that many."""
    return 128 // bits_of(dtype)


def tensor_for(m, block, dtype, values=None, bases=None, extent=None):
    """A tensor of this or a random size, to be reached in blocks."""
    if bases is None:
        bases = layouts.cga_bases(m.rng, block, m.program)
    layout = layouts.nvmma(m.rng, block, bits_of(dtype), bases)
    # One block behind the other, each begins at 128 bytes.
    if not layout or np.prod(layouts.share(block, bases)) * bits_of(dtype) // 8 % 128:
        raise NothingFits
    shape = list(extent or (m.rng.randrange(1, 2 * length + 2) for length in block))
    unit = unit_of(dtype)
    held = [*shape[:-1], -(-shape[-1] // unit) * unit]
    if values is not None:
        # What is stored ends where a unit does, not where the tensor does.
        shape = held
    memory = m.values(held, dtype) if values is None else np.full(held, values, DTYPES[dtype])
    # Descriptors that the host makes have no elements of 64 bits.
    on_host = bits_of(dtype) < 64 and m.rng.random() < 0.6 and m.host_describes
    padding = m.rng.choice(["zero", "nan"]) if is_float(dtype) else "zero"
    return Tensor(memory, shape, list(block), layout, padding, on_host)


def somewhere(m, tensor, before=True):
    """Coordinates of a block, of which a part or all may lie outside of the tensor: before its
    beginning for loads only."""
    if m.rng.random() < 0.3:
        return [0] * len(tensor.block)
    at = [m.rng.randrange(-length, extent + 1) if m.rng.random() < 0.6 else
          m.rng.randrange(max(extent - length, 0) + 1)
          for length, extent in zip(tensor.block, tensor.shape)]
    if not before:
        at = [max(c, 0) for c in at]
    at[-1] -= at[-1] % (16 // tensor.memory.itemsize)
    return at


def block_at(tensor, coordinates):
    missing = np.nan if tensor.padding == "nan" else 0
    block = np.full(tensor.block, missing, tensor.memory.dtype)
    inside, there = tensor.places(coordinates)
    block[inside] = tensor.memory[there]
    return block


def _written(m, coordinates):
    """The coordinates' text; some are known to the launch only."""
    n = m.program.scalars[0]
    return "[" + ", ".join(f"n0 + {c - n}" if m.rng.random() < 0.3 else str(c)
                           for c in coordinates) + "]"


def load_block(m):
    dtype, block = m.rng.choice(MOVED), m.rng.choice(BLOCKS)
    tensor = tensor_for(m, block, dtype)
    at = somewhere(m, tensor)
    m.add(tensor.described("{t0}", "desc")
          + f"s = gl.allocate_shared_memory(desc.dtype, {list(block)}, {tensor.layout})\n"
          "bar = mbarrier.allocate_mbarrier()\nmbarrier.init(bar, count=1)\n"
          "mbarrier.expect(bar, desc.nbytes_per_cta)\n"
          f"tma.async_load(desc, {_written(m, at)}, bar, s, multicast={m.rng.random() < 0.5})\n"
          "mbarrier.wait(bar, 0)\nmbarrier.invalidate(bar)\n"
          f"{m.meet()}{{out}} = s.load({{layout}})", [], block_at(tensor, at), dtype,
          m.layout(block), tensors=[tensor])


def load_ring(m):
    """Blocks that lie one after the other; some are on their way while one is read."""
    dtype, block = m.rng.choice(["int32", "float32"]), m.rng.choice(BLOCKS)
    if np.prod(block) > 4096:
        raise NothingFits
    # Of one layout in all CTAs, so that each waits for its own share only.
    bases = layouts.cga_bases(m.rng, block, m.program)
    tensor = tensor_for(m, block, dtype, bases=bases)
    axis, which = m.rng.randrange(len(block)), m.rng.randrange(2)
    start, count, depth = somewhere(m, tensor), m.program.scalars[which], m.rng.choice([1, 2, 3])
    layout = layouts.blocked(m.rng, list(block), m.program, layouts.cga_text(bases))
    # What one CTA loads for several needs a slot that all of them have read.
    multicast = m.program.num_ctas > 1 and m.rng.random() < 0.5
    at = ", ".join(f"{c} + INDEX * {block[axis]}" if d == axis else str(c)
                   for d, c in enumerate(start))
    i = m.input(block, dtype, layout=layout)
    value = m.step(i).value
    for k in range(count):
        here = [c + k * block[axis] * (d == axis) for d, c in enumerate(start)]
        value = value * value.dtype.type(3) + block_at(tensor, here)

    def begin(index):
        slot = f"bar.index({index} % {depth})"
        return (f"    mbarrier.expect({slot}, desc.nbytes_per_cta, pred={index} < n{which})\n"
                f"    tma.async_load(desc, [{at.replace('INDEX', index)}], {slot}, "
                f"ring.index({index} % {depth}), pred={index} < n{which}, multicast={multicast})\n")

    m.add(tensor.described("{t0}", "desc")
          + f"ring = gl.allocate_shared_memory(desc.dtype, {[depth, *block]}, {tensor.layout})\n"
          f"bar = mbarrier.allocate_mbarrier(batch={depth})\n"
          f"for k in gl.static_range({depth}):\n    mbarrier.init(bar.index(k), count=1)\n"
          f"for k in gl.static_range({depth - 1}):\n{begin('k')}"
          f"x = {{a0}}\nfor k in range(n{which}):\n    ahead = k + {depth - 1}\n"
          f"{m.meet('    ') if multicast else ''}{begin('ahead')}"
          f"    mbarrier.wait(bar.index(k % {depth}), k // {depth} & 1)\n"
          f"    x = x * 3 + ring.index(k % {depth}).load({layout})\n"
          f"for k in gl.static_range({depth}):\n    mbarrier.invalidate(bar.index(k))\n"
          "{out} = x", [i], value, dtype, layout, tensors=[tensor])


def sent(m):
    """From registers to whichever CTA holds the place, which counts the bytes."""
    if m.program.num_ctas == 1:
        raise NothingFits
    dtype, shape = m.rng.choice(["int32", "float32", "int64"]), m.rng.choice(SHAPES)
    bases = layouts.cga_bases(m.rng, shape, m.program, copies=False)
    if not all(map(any, bases)):
        raise NothingFits
    i = m.input(shape, dtype, layout=layouts.blocked(m.rng, list(shape), m.program,
                                                     layouts.cga_text(bases)))
    m.add(f"s = gl.allocate_shared_memory(gl.{dtype}, {list(shape)}, "
          f"{layouts.plain_shares(m.rng, shape, m.program)})\n"
          "bar = mbarrier.allocate_mbarrier()\nmbarrier.init(bar, count=1)\n"
          "mbarrier.expect(bar, s.nbytes_per_cta)\nasync_store(s, {a0}, bar)\n"
          "mbarrier.wait(bar, 0)\nmbarrier.invalidate(bar)\n"
          f"{m.meet()}{{out}} = s.load({{layout}})", [i], m.step(i).value, dtype, m.layout(shape))


def boxed(m, i):
    """An output by the copy engine, or None where it cannot."""
    step = m.step(i)
    if step.dtype not in MOVED or not 1 <= len(step.shape) <= 5:
        return None
    ways = ["store", "store"]
    # What CTAs with copies would do more than once is left out: a sum.
    if step.dtype in ("int32", "uint32", "float32", "float16") and m.program.num_ctas == 1:
        ways.append("add")
    if "int" in step.dtype and bits_of(step.dtype) >= 32:
        ways += ["min", "max", *(["and", "or"] if bits_of(step.dtype) == 32 else [])]
    try:
        tensor = tensor_for(m, step.shape, step.dtype, values=85)
    except NothingFits:
        return None
    tensor.padding = "zero"
    return Boxed(tensor, somewhere(m, tensor, before=False), m.rng.choice(ways))


KINDS = [load_block, load_block, load_ring, sent]
