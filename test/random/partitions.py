"""Partitions that hand tiles to each other: rings of buffers with two mbarriers a slot.

The first partition of a chain makes the tiles, from memory or by the copy engine; those between
read a ring and write the next; one or two at the end sum up. Any of them may be the default one.
"""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

import layouts
import transfers
from maker import NothingFits, is_float
from program import Tensor, offsets

TILES = [(64,), (256,), (1024,), (16, 16), (8, 64), (32, 32), (64, 64), (4, 8, 16)]

# Of shared memory that one chain uses.
MOST_BYTES = 120 << 10


@dataclass
class Stage:
    """A partition: its function's lines, its arguments and what one call of it computes."""
    lines: list
    arguments: list
    warps: int
    layout: str


def _layout(m, shape, warps, parts):
    launch = SimpleNamespace(num_warps=warps, num_ctas=m.program.num_ctas)
    return layouts.blocked(m.rng, list(shape), launch, parts)


def _waits(ring, depth, side):
    parity = f"k // {depth} & 1" if side == "filled" else f"k // {depth} & 1 ^ 1"
    return f"        mbarrier.wait({side}{ring}.index(k % {depth}), {parity})"


def _arrives(ring, depth, side):
    return f"        mbarrier.arrive({side}{ring}.index(k % {depth}))"


def _change(m, dtype, shape, layout, parts):
    """What a partition does to a tile x: its lines, and the same of an array."""
    choices = [(["x = x * 3 + k"], lambda x, k: x * x.dtype.type(3) + x.dtype.type(k)),
               (["if k % 2 == 0:", "    x = x + 1"], lambda x, k: x + x.dtype.type(k % 2 == 0))]
    other = _layout(m, shape, m.warps, parts)
    choices.append(([f"x = gl.convert_layout(gl.convert_layout(x, {other}) * 5, {layout})"],
                    lambda x, k: x * x.dtype.type(5)))
    if not is_float(dtype) and m.program.num_ctas == 1:
        axis = m.rng.randrange(len(shape))
        text = f"gl.sum(x, axis={axis})"
        if len(shape) > 1:
            text = f"gl.expand_dims({text}, {axis})"
        choices.append(([f"x = x - {text}"],
                        lambda x, k: x - x.sum(axis, dtype=x.dtype, keepdims=True)))
        choices.append((["x = x ^ k"], lambda x, k: x ^ x.dtype.type(k)))
    return m.rng.choice(choices)


class Chain:
    """Grows the partitions and the tiles that they pass on."""

    def __init__(self, m):
        self.m = m
        self.shape, self.dtype = m.rng.choice(TILES), m.rng.choice(["int32", "int64", "float32"])
        self.bases = layouts.cga_bases(m.rng, self.shape, m.program)
        self.parts = layouts.cga_text(self.bases)
        self.which = m.rng.randrange(2)
        self.count = m.program.scalars[self.which]
        self.stages, self.setup, self.tensors, self.ends = [], [], [], []
        self.rings = self.buffers = 0
        # Whether one CTA loads what several hold: not before all of them are done with the slot.
        self.multicast = False
        # Who shows to the engine that the slots of ring 0 were read: "readers", "engine", or nobody, as threads fill it.
        self.fenced_by = None

    def warps(self):
        """Of the next partition."""
        return self.m.rng.choice([1, 2, 4, 4, 8])

    def ring(self, readers=1):
        """A new ring; its number and depth."""
        number, depth = self.rings, self.m.rng.choice([1, 2, 2, 3])
        self.rings += 1
        self.setup += [
            f"ring{number} = gl.allocate_shared_memory(gl.{self.dtype}, {[depth, *self.shape]}, "
            f"{self.shared})",
            f"filled{number} = mbarrier.allocate_mbarrier(batch={depth})",
            f"drained{number} = mbarrier.allocate_mbarrier(batch={depth})",
            f"for k in gl.static_range({depth}):",
            f"    mbarrier.init(filled{number}.index(k), count=1)",
            f"    mbarrier.init(drained{number}.index(k), count={readers})"]
        self.ends += [f"for k in gl.static_range({depth}):",
                      f"    mbarrier.invalidate(filled{number}.index(k))",
                      f"    mbarrier.invalidate(drained{number}.index(k))"]
        self.buffers += depth
        if self.shares(number):
            steps = [1 << sum(map(any, self.bases[:bit])) for bit in range(len(self.bases))]
            common = [[step if any(basis) else 0] for step, basis in zip(steps, self.bases)]
            self.setup += [
                f"common0 = gl.allocate_shared_memory(gl.int64, "
                f"{[depth, 1 << sum(map(any, self.bases))]}, mbarrier.MBarrierLayout({common}))",
                f"for k in gl.static_range({depth}):",
                f"    mbarrier.init(common0.index(k), count={readers})"]
            self.ends += [f"for k in gl.static_range({depth}):",
                          "    mbarrier.invalidate(common0.index(k))"]
        return number, depth

    def shares(self, number):
        return self.multicast and number == 0

    def names(self, number):
        common = ["common0"] if self.shares(number) else []
        return [f"ring{number}", f"filled{number}", f"drained{number}", *common]

    def gives_back(self, number, depth):
        """Lines that say that a slot may be filled again."""
        common = [_arrives(number, depth, "common")] if self.shares(number) else []
        fence = ["        fence_async_shared()"] if number == 0 and self.fenced_by == "readers" else []
        return [*fence, _arrives(number, depth, "drained"), *common]

    def stage(self, lines, arguments, layout, warps):
        self.stages.append(Stage(lines, [*arguments, f"n{self.which}"], warps, layout))

    def source(self, readers):
        m, warps = self.m, self.warps()
        by_engine = m.rng.random() < 0.6
        tensor = None
        if by_engine:
            # The engine reads one block after the other along some dimension.
            tensor = transfers.tensor_for(m, self.shape, self.dtype, bases=self.bases)
            self.shared = tensor.layout
            self.multicast = not all(map(any, self.bases)) and m.rng.random() < 0.6
        else:
            order = layouts._order(m.rng, len(self.shape))
            self.shared = f"gl.SwizzledSharedLayout({m.rng.choice([1, 2, 4])}, 1, " \
                          f"{m.rng.choice([1, 2, 4])}, {order}{self.parts})"
        number, depth = self.ring(readers)
        if by_engine:
            self.fenced_by = m.rng.choice(["readers", "engine"])
            self.read_by_engine(tensor, number, depth, warps)
        else:
            self.read_by_threads(number, depth, warps)
        return number, depth

    def read_by_engine(self, tensor, number, depth, warps):
        m, axis = self.m, self.m.rng.randrange(len(self.shape))
        start = transfers.somewhere(m, tensor)
        self.tiles = [transfers.block_at(tensor, [c + k * self.shape[axis] * (d == axis)
                                                  for d, c in enumerate(start)])
                      for k in range(self.count)]
        at = ", ".join(str(c) if d != axis else f"{c} + k * {self.shape[axis]}"
                       for d, c in enumerate(start))
        self.tensors.append(tensor)
        self.setup.insert(0, tensor.described("{t0}", "desc").rstrip("\n"))
        common = [_waits(number, depth, "common")] if self.multicast else []
        fence = ["        fence_async_shared()"] if self.fenced_by == "engine" else []
        self.stage(["    for k in range(n):", _waits(number, depth, "drained"), *common, *fence,
                    f"        mbarrier.expect(filled{number}.index(k % {depth}), "
                    "desc.nbytes_per_cta)",
                    f"        tma.async_load(desc, [{at}], filled{number}.index(k % {depth}), "
                    f"ring{number}.index(k % {depth}), multicast={self.multicast})"], ["desc", *self.names(number)], None,
                   warps)

    def read_by_threads(self, number, depth, warps):
        m, size = self.m, int(np.prod(self.shape))
        layout = _layout(m, self.shape, warps, self.parts)
        values = m.values((self.count + 1, *self.shape), self.dtype)
        self.tiles = list(values[:self.count])
        self.tensors.append(Tensor(values))
        self.stage(["    for k in range(n):",
                    f"        x = gl.load(p + k * {size} + ({offsets(self.shape, layout)}))",
                    _waits(number, depth, "drained"),
                    f"        ring{number}.index(k % {depth}).store(x)",
                    _arrives(number, depth, "filled")], ["{t0}", *self.names(number)], layout, warps)

    def middle(self, number, depth, readers):
        m, warps = self.m, self.warps()
        layout = _layout(m, self.shape, warps, self.parts)
        after, after_depth = self.ring(readers)
        m.warps = warps
        lines, compute = _change(m, self.dtype, self.shape, layout, self.parts)
        self.tiles = [compute(tile, k) for k, tile in enumerate(self.tiles)]
        self.stage(["    for k in range(n):", _waits(number, depth, "filled"),
                    f"        x = ring{number}.index(k % {depth}).load({layout})",
                    *self.gives_back(number, depth), *("        " + line for line in lines),
                    _waits(after, after_depth, "drained"),
                    f"        ring{after}.index(k % {after_depth}).store(x)",
                    _arrives(after, after_depth, "filled")],
                   [*self.names(number), *self.names(after)], layout, warps)
        return after, after_depth

    def sink(self, number, depth, result):
        m, warps = self.m, self.warps()
        layout = _layout(m, self.shape, warps, self.parts)
        self.setup.append(f"result{result} = gl.allocate_shared_memory(gl.{self.dtype}, "
                          f"{list(self.shape)}, {self.shared})")
        self.buffers += 1
        factor = m.rng.choice([3, 5, 7])
        self.stage([f"    acc = gl.full({list(self.shape)}, 1, gl.{self.dtype}, {layout})",
                    "    for k in range(n):", _waits(number, depth, "filled"),
                    f"        acc = acc * {factor} + ring{number}.index(k % {depth}).load({layout})",
                    *self.gives_back(number, depth), f"    result{result}.store(acc)"],
                   [*self.names(number), f"result{result}"], layout, warps)
        value = np.ones(self.shape, self.tiles[0].dtype if self.tiles else self.dtype)
        for tile in self.tiles:
            value = value * value.dtype.type(factor) + tile
        return value


def _functions(stages):
    """The text of the partitions' functions and the call that runs them, the default one first."""
    text, entries = "", []
    for index, stage in enumerate(stages):
        parameters = [{"n": "n", "{": "p"}.get(a[0], a) for a in stage.arguments]
        text += (f"@gluon.jit\ndef {{fn}}_{index}({', '.join(parameters)}):\n"
                 + "\n".join(stage.lines) + "\n\n\n")
        entries.append(f"({{fn}}_{index}, ({', '.join(stage.arguments)},))")
    return text, f"gl.warp_specialize([{', '.join(entries)}], {[s.warps for s in stages[1:]]}"


def hand_over(m):
    chain = Chain(m)
    middles, sinks = m.rng.choice([0, 0, 1, 2]), m.rng.choice([1, 1, 2])
    default = m.rng.randrange(1 + middles + sinks)

    # The default partition has the warps of the kernel.
    def warps(choose=chain.warps):
        return m.program.num_warps if len(chain.stages) == default else choose()
    chain.warps = warps
    ring = chain.source(sinks if middles == 0 else 1)
    for left in reversed(range(middles)):
        ring = chain.middle(*ring, sinks if left == 0 else 1)
    values = [chain.sink(*ring, k) for k in range(sinks)]
    if chain.buffers * values[0].nbytes > MOST_BYTES:
        raise NothingFits
    if m.program.num_warps + sum(-(-s.warps // 4) * 4 for s in chain.stages) > 24:
        raise NothingFits
    stages = [chain.stages[default], *(s for k, s in enumerate(chain.stages) if k != default)]
    functions, call = _functions(stages)
    if m.program.num_warps % 4 == 0 and m.rng.random() < 0.5:
        call += f", {[m.rng.choice([40, 64, 96]) for _ in stages[1:]]}"
    load = " + ".join(f"result{k}.load({{layout}})" for k in range(sinks))
    # Before barriers end that others signal, and before they read results.
    text = "\n".join([*chain.setup, call + ")\n" + m.meet() + chain.ends[0], *chain.ends[1:]])
    m.add(f"{text}\n{{out}} = {load}", [],
          sum(values[1:], values[0]), chain.dtype, m.layout(chain.shape), functions=functions,
          tensors=chain.tensors)


KINDS = [hand_over, hand_over]
