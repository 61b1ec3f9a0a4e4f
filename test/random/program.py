"""Random well-typed kernels: steps with their text and, beside it, their value in NumPy.

A program is a list of steps; a step reads earlier ones and makes one tile. Everything is exact
(integers wrap, floats are added and multiplied one at a time), so results are compared bit by bit,
NaN equal to NaN.
"""

import re
from dataclasses import dataclass, field, replace

import numpy as np

import layouts

DTYPES = {"int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
          "uint8": np.uint8, "uint32": np.uint32, "float16": np.float16, "float32": np.float32,
          "float64": np.float64, "int1": np.bool_}

# Names that steps use for what is their own.
OWN_NAMES = ("k|at|ahead|x|y|z|s|left|right|count|pair|bar|desc|acc|ring[0-3]?|filled[0-3]|drained[0-3]|common0|"
             "result[01]|tmem|part[01]?")


@dataclass
class Tensor:
    """Memory that a kernel reaches by a descriptor, in blocks, or by a pointer."""
    # Contiguous; rows are as long as the alignment of strides wants them.
    memory: np.ndarray
    # The part of it that the descriptor sees.
    shape: list = None
    block: list = None
    # The constructor's text.
    layout: str = None
    padding: str = "zero"
    # Who makes the descriptor: the host or the kernel.
    on_host: bool = False

    @property
    def strides(self):
        return [step // self.memory.itemsize for step in self.memory.strides]

    def described(self, parameter, name):
        """The line that gives the descriptor a name."""
        if self.on_host:
            return f"{name} = {parameter}\n"
        return (f"{name} = tma.make_tensor_descriptor({parameter}, {self.shape}, {self.strides}, "
                f"{self.block}, {self.layout}, {self.padding!r})\n")

    def places(self, coordinates):
        """The part of a block that lies in the tensor: where in the block, where in memory."""
        inside, there = [], []
        for start, length, extent in zip(coordinates, self.block, self.shape):
            low, high = max(start, 0), max(min(start + length, extent), 0)
            high = max(low, high)
            inside.append(slice(low - start, high - start))
            there.append(slice(low, high))
        return tuple(inside), tuple(there)


@dataclass
class Boxed:
    """How an output reaches a tensor by a descriptor: "store", or what the engine computes."""
    tensor: Tensor
    coordinates: list
    how: str = "store"


@dataclass
class Step:
    """`text` makes the tile from the names of `reads`; lines, the last one assigns to {out}."""
    text: str
    reads: list
    value: np.ndarray
    dtype: str
    # The constructor's text; None where the compiler infers it.
    layout: str = None
    # Set for tiles that come from memory.
    is_input: bool = False
    # The functions that the text calls, each named {fn} and something.
    functions: str = ""
    # What {t0}, {t1}, … of the text are.
    tensors: list = field(default_factory=list)
    # Its memory is written later: for one step only.
    is_private: bool = False

    @property
    def shape(self):
        return self.value.shape


@dataclass
class Program:
    num_warps: int
    num_ctas: int
    steps: list = field(default_factory=list)
    # Steps that are stored.
    outputs: list = field(default_factory=list)
    # Runtime integers n0, n1, …
    scalars: list = field(default_factory=list)
    # One of AMD's, and how many lanes its waves have.
    chip: str = None
    lanes: int = 32
    # How an output reaches memory, which holds 85 everywhere, where it is not simply stored.
    modes: dict = field(default_factory=dict)

    # The language of its kernel: what the decorator is in, and the short name of its functions' module.
    LANGUAGE = ("gluon", "gl")

    def places(self, step, layout):
        """The row-major offsets of a step's elements, as an expression."""
        return offsets(step.shape, layout)

    def launch_options(self):
        return {"num_warps": self.num_warps, "num_ctas": self.num_ctas}

    def laid_out(self, value, step):
        """The value with a layout that has a name, and that layout."""
        if step.layout is not None:
            return value, step.layout
        layout = rows(step.shape, self)
        return f"gl.convert_layout({value}, {layout})", layout

    def reached(self):
        """The steps that the outputs depend on, in order."""
        seen, stack = set(), list(self.outputs)
        while stack:
            i = stack.pop()
            if i not in seen:
                seen.add(i)
                stack += self.steps[i].reads
        return sorted(seen)

    def only(self, outputs):
        """A program of the steps that `outputs` need."""
        kept = replace(self, outputs=list(outputs))
        order = kept.reached()
        new = {old: i for i, old in enumerate(order)}
        kept.steps = [Step(**{**vars(self.steps[i]), "reads": [new[r] for r in self.steps[i].reads]})
                      for i in order]
        kept.outputs = [new[i] for i in outputs]
        kept.modes = {new[i]: mode for i, mode in self.modes.items() if i in outputs}
        return kept

    def expected(self, i):
        """What memory holds in the end."""
        value, mode = self.steps[i].value, self.modes.get(i)
        if isinstance(mode, Boxed):
            return _boxed(value, mode)
        before = np.full_like(value, 85)
        if mode == "masked":
            flat = np.arange(value.size).reshape(value.shape)
            return np.where(flat % 3 == 0, before, value)
        with np.errstate(all="ignore"):
            return {None: value, "add": before + value, "max": np.maximum(before, value)}[mode]

    def loaded(self):
        """Inputs that are read as tiles; of the others the kernel takes the pointer only."""
        steps = [self.steps[i] for i in self.reached()]
        return {r for step in steps for k, r in enumerate(step.reads) if f"{{a{k}}}" in step.text} | {*self.outputs}

    def inputs(self):
        return [i for i in self.reached() if self.steps[i].is_input]

    def tensors(self):
        """(name, tensor) of what the steps read by descriptors."""
        return [(f"t{i}_{k}", tensor) for i in self.reached()
                for k, tensor in enumerate(self.steps[i].tensors)]


def _boxed(value, mode):
    result = mode.tensor.memory.copy()
    inside, there = mode.tensor.places(mode.coordinates)
    before, value = result[there], value[inside]
    with np.errstate(all="ignore"):
        result[there] = {"store": lambda: value, "add": lambda: before + value,
                         "min": lambda: np.minimum(before, value),
                         "max": lambda: np.maximum(before, value),
                         "and": lambda: before & value, "or": lambda: before | value,
                         "xor": lambda: before ^ value}[mode.how]()
    return result


def _layout_names(program):
    """Text of a layout -> name of the global that holds it."""
    texts = []
    for i in program.reached():
        step = program.steps[i]
        if step.layout and step.layout not in texts:
            texts.append(step.layout)
    return {text: f"L{i}" for i, text in enumerate(texts)}


def offsets(shape, layout):
    """The row-major offsets of a tile, as an expression."""
    terms = []
    for d, extent in enumerate(shape):
        inner, picks = layout, []
        for other in reversed(range(len(shape))):
            if other != d:
                inner = f"gl.SliceLayout({other}, {inner})"
        # The outermost slice is expanded first.
        alive = [d]
        for other in range(len(shape)):
            if other == d:
                continue
            alive = sorted([*alive, other])
            picks.append("[" + ", ".join("None" if a == other else ":" for a in alive) + "]")
        stride = int(np.prod(shape[d + 1:]))
        terms.append(f"gl.arange(0, {extent}, layout={inner}){''.join(picks)} * {stride}")
    return " + ".join(terms)


def rows(shape, program):
    """A layout for any shape: lanes and warps along the rows."""
    ones = [1] * (len(shape) - 1)
    return (f"gl.BlockedLayout({[*ones, 1]}, {[*ones, program.lanes]}, {[*ones, program.num_warps]}, "
            f"{list(reversed(range(len(shape))))}{layouts.whole(shape, program)})")


def source(program, name):
    """The text of a kernel: inputs, outputs and scalars are its parameters."""
    inputs = program.inputs()
    parameters = [*(f"p{i}" for i in inputs), *(name for name, _ in program.tensors()),
                  *(f"q{i}" for i in program.outputs),
                  *(f"n{i}" for i in range(len(program.scalars)))]
    lines, functions, loaded = [], "", program.loaded()
    for i in program.reached():
        step = program.steps[i]
        functions += step.functions.replace("{fn}", f"{name}_{i}")
        if step.is_input and i not in loaded:
            continue
        if step.is_input:
            lines.append(f"v{i} = gl.load(p{i} + ({program.places(step, step.layout)}))"
                         + ".to(gl.int1)" * (step.dtype == "int1"))
        else:
            names = {f"{letter}{k}": f"{name}{r}" for k, r in enumerate(step.reads)
                     for letter, name in (("a", "v"), ("p", "p"))}
            # A name keeps its type through a loop, so every step has its own.
            # Keyword arguments keep theirs.
            text = re.sub(rf"\b({OWN_NAMES})\b(?!=)", rf"\g<1>{i}", step.text)
            names |= {f"t{k}": f"t{i}_{k}" for k in range(len(step.tensors))}
            lines += text.format(out=f"v{i}", layout=step.layout, fn=f"{name}_{i}",
                                 **names).split("\n")
    for i in program.outputs:
        step = program.steps[i]
        value, layout = program.laid_out(f"v{i}" + ".to(gl.int8)" * (step.dtype == "int1"), step)
        mode = program.modes.get(i)
        if isinstance(mode, Boxed):
            lines += _boxed_output(mode, i, value, program)
        else:
            lines.append(_output(mode, f"q{i}", program.places(step, layout), value))
    body = "\n".join("    " + line for line in lines)
    body = _name_layouts(body, program, name)
    text = functions + body[0] + f"@gluon.jit\ndef {name}({', '.join(parameters)}):\n" + body[1]
    return in_language(text, *program.LANGUAGE)


def in_language(text, decorator, module):
    """Text of steps, which are of Gluon where they need not be, in this language."""
    return re.sub(r"\bgl\.", f"{module}.", re.sub(r"\bgluon\.", f"{decorator}.", text))


def _output(mode, pointer, places, value):
    if mode == "masked":
        return f"i = {places}\n    gl.store({pointer} + i, {value}, mask=i % 3 != 0)"
    function = f"atomic_{mode}" if mode else "store"
    return f"gl.{function}({pointer} + ({places}), {value})"


def _boxed_output(mode, i, value, program):
    tensor = mode.tensor
    function = "async_store" if mode.how == "store" else f"async_atomic_{mode.how}"
    return (tensor.described(f"q{i}", f"to{i}")
            + f"b{i} = gl.allocate_shared_memory(to{i}.dtype, {tensor.block}, {tensor.layout})\n"
            f"b{i}.store({value})\n{through_engine(program)}"
            f"tma.{function}(to{i}, {mode.coordinates}, b{i})\ntma.store_wait(0)").split("\n")


def through_engine(program):
    """Lines after which the copy engine and the tensor cores see what all CTAs stored."""
    if program.num_ctas == 1:
        return "fence_async_shared()\n"
    return "fence_async_shared(cluster=True)\ngl.barrier(cluster=True)\n"


def _name_layouts(body, program, name):
    """(definitions of globals, body with their names): long constructors are unreadable."""
    definitions = ""
    # Longest first: a slice holds its parent's text.
    for text, short in sorted(_layout_names(program).items(), key=lambda item: -len(item[0])):
        short = f"{name}_{short}"
        if text in body:
            body = body.replace(text, short)
            definitions += f"{short} = gl.constexpr({text})\n"
    return definitions + "\n\n", body
