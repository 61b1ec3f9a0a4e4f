"""Random buffers in shared memory and views of them, right and wrong ones, against NumPy.

A program fills a buffer (or each one of a ring), looks at it through a few views, and loads or
gathers what it sees or stores to it. Layouts, shapes and views are drawn with little regard for each other. Either
all who take programs refuse it with a diagnostic, or all accept it and the values are NumPy's: the
simulator, and code generation for each of CHIPS (for Hopper, where clusters are). What NumPy cannot
do must be refused.
"""

import math
from dataclasses import dataclass, field

import numpy as np

import layouts
from program import DTYPES, offsets

CHIPS = [80, 90]
# Diagnostics that blame the compiler, not the program.
OUR_FAULT = {"InvalidIr", "PtxasRejected", "InternalError"}


class Refused(Exception):
    """No program may do this."""


@dataclass
class Seen:
    """What a view shows, as places in memory: `array[ring, ...]` if it is a ring of buffers."""
    array: np.ndarray
    is_ring: bool
    # False where the bytes would tell, not the elements.
    is_known: bool = True

    def single(self):
        if self.is_ring:
            raise Refused
        return self.array


@dataclass
class View:
    """A method of a buffer as text, and what it does to a Seen."""
    text: str
    apply: object


def _permute(order):
    def apply(seen):
        if sorted(order) != list(range(seen.single().ndim)):
            raise Refused
        return Seen(seen.array.transpose(order), False)
    return View(f".permute({order})", apply)


def _reshape(shape):
    def apply(seen):
        if math.prod(shape) != seen.single().size:
            raise Refused
        return Seen(seen.array.reshape(shape), False)
    return View(f".reshape({shape})", apply)


def _slice(start, length, dim):
    def apply(seen):
        if not -seen.array.ndim <= dim < seen.array.ndim:
            raise Refused
        if start < 0 or length < 1 or start + length > seen.array.shape[dim]:
            raise Refused
        window = [slice(None)] * seen.array.ndim
        window[dim] = slice(start, start + length)
        return Seen(seen.array[tuple(window)], seen.is_ring)
    return View(f".slice({start}, {length}, dim={dim})", apply)


def _index(number, scalar):
    def apply(seen):
        at = scalar if number == "n - 2" else number
        if not seen.is_ring or not 0 <= at < len(seen.array):
            raise Refused
        return Seen(seen.array[at], False)
    return View(f".index({number})", apply)


def _reinterpret(dtype, shape, layout):
    def apply(seen):
        return Seen(np.zeros(shape, int), False, is_known=False)
    return View(f"._reinterpret(gl.{dtype}, {shape}, {layout})", apply)


@dataclass
class Program:
    num_warps: int
    shape: list
    dtype: str
    # Buffers of a ring; None: no ring.
    ring: int
    scalar: int
    # Texts of the constructors: how the tile is loaded, the buffer's, and that of the view's tile.
    tile: str
    buffer: str
    result: str
    # Filled by the allocation itself, or by stores.
    is_initial: bool
    # "load", "store", or ("gather", axis).
    use: object
    num_ctas: int = 1
    views: list = field(default_factory=list)
    # The view's shape when the program was made.
    viewed: list = None

    def inputs(self, rng):
        """What fills the buffer, what is stored through the view, and indices for it."""
        low = -50 if self.dtype.startswith("float") else 0
        filled, stored = (rng.integers(low, 100, shape).astype(DTYPES[self.dtype])
                          for shape in (self.shape, self.viewed))
        extent = self.viewed[self.axis()] if self.axis() is not None else 1
        return filled, stored, rng.integers(0, extent, self.viewed, np.int32)

    def axis(self):
        return self.use[1] if isinstance(self.use, tuple) else None

    def result_shape(self):
        return self.shape if self.use == "store" else self.viewed

    def expected(self, filled, stored, indices):
        """The value that ends in memory; None: NumPy does not tell. Raises Refused."""
        if self.is_initial and self.ring:
            raise Refused
        memory = np.stack([filled + k for k in range(self.ring)]) if self.ring else filled.copy()
        memory = memory.astype(filled.dtype)
        seen = Seen(np.arange(memory.size).reshape(memory.shape), bool(self.ring))
        for view in self.views:
            was_known = seen.is_known
            seen = view.apply(seen)
            seen.is_known &= was_known
        places = seen.single()
        # A smaller program than the one that was drawn may see another shape.
        if not seen.is_known or list(places.shape) != list(self.viewed):
            return None
        if self.axis() is not None:
            return np.take_along_axis(memory.flat[places], indices, self.axis())
        if self.use == "load":
            return memory.flat[places]
        memory.flat[places] = stored
        return memory[self.scalar] if self.ring else memory

    def source(self, name):
        whole = ([self.ring] if self.ring else []) + list(self.shape)
        initial = ", v" if self.is_initial else ""
        filled = f"gl.load(p + ({offsets(self.shape, self.tile)}))"
        at = offsets(self.viewed, self.result)
        lines = [f"v = {filled}",
                 f"s = gl.allocate_shared_memory(gl.{self.dtype}, {whole}, {self.buffer}{initial})"]
        if not self.is_initial and self.ring:
            lines += [f"s.index({k}).store((v + {k}).to(gl.{self.dtype}))" for k in range(self.ring)]
        elif not self.is_initial:
            lines.append("s.store(v)")
        meet = ["gl.barrier(cluster=True)"] * (self.num_ctas > 1)
        lines += meet + ["t = s" + "".join(view.text for view in self.views)]
        if self.use == "store":
            back = "s.index(n - 2)" if self.ring else "s"
            lines += [f"t.store(gl.load(w + ({at})))", *meet, f"r = {back}.load({self.tile})"]
            at = offsets(self.shape, self.tile)
        elif self.use == "load":
            lines.append(f"r = t.load({self.result})")
        else:
            lines.append(f"r = t.gather(gl.load(i + ({at})), {self.axis()})")
        lines.append(f"gl.store(q + ({at}), r)")
        body = "\n".join(f"    {line}" for line in lines)
        return f"@gluon.jit\ndef {name}(p, w, i, q, n):\n{body}\n"

    def smaller(self):
        """Programs without one of the views."""
        for i in range(len(self.views)):
            yield Program(**{**vars(self), "views": self.views[:i] + self.views[i + 1:]})


# -- Drawing ---------------------------------------------------------------------


def _powers(rng, rank, most):
    exponents = [0] * rank
    for _ in range(rng.randrange(most + 1)):
        exponents[rng.randrange(rank)] += 1
    return [1 << e for e in exponents]


def _swizzled(rng, shape, launch, bits):
    vec, phase, phases = (1 << rng.randrange(5) for _ in range(3))
    return (f"gl.SwizzledSharedLayout({vec}, {phase}, {phases}, {layouts._order(rng, len(shape))}"
            f"{layouts.cga(rng, shape, launch)})")


def _nvmma(rng, shape, launch, bits):
    bases = layouts.cga_bases(rng, shape, launch)
    if rng.random() < 0.6:
        fitting = layouts.nvmma(rng, shape, bits, bases, rng.random() < 0.3)
        if fitting:
            return fitting
    rank = rng.choice([len(shape)] * 5 + [max(len(shape) - 1, 1), len(shape) + 1])
    bits = rng.choice([bits] * 4 + [8, 16, 32])
    turned = rng.choice(["", "", ", transposed=True"])
    return (f"gl.NVMMASharedLayout({rng.choice([0, 32, 64, 128])}, {bits}, {rank}{turned}"
            f"{layouts.cga_text(bases)})")


def _padded(rng, shape, launch, bits):
    made_for = list(shape) if rng.random() < 0.75 else _powers(rng, len(shape), 10)
    intervals = rng.sample([4, 8, 16, 32, 64, 128], rng.choice([1, 1, 2]))
    pairs = [[interval, 1 << rng.randrange(interval.bit_length())] for interval in intervals]
    return (f"gl.PaddedSharedLayout.with_identity_for({pairs}, {made_for}, "
            f"{layouts._order(rng, len(shape))}{layouts.cga(rng, shape, launch)})")


def _linear(rng, shape, launch, bits):
    bases = [[size if d == axis else 0 for d in range(len(shape))]
             for axis, extent in enumerate(shape)
             for size in (1 << b for b in range(extent.bit_length() - 1))]
    rng.shuffle(bases)
    if len(bases) > 1 and rng.random() < 0.3:
        i, j = rng.sample(range(len(bases)), 2)
        bases[i] = [x ^ y for x, y in zip(bases[i], bases[j])]
    if bases and rng.random() < 0.1:
        bases.pop()
    if rng.random() < 0.15:
        bases.insert(rng.randrange(len(bases) + 1), [0] * len(shape))
    zeros = [0] * len(shape)
    ctas = launch.num_ctas.bit_length() - 1
    blocks = [bases.pop() if bases and rng.random() < 0.7 else zeros for _ in range(ctas)]
    return f"gl.SharedLinearLayout({bases or [zeros]}{f', {blocks}' if blocks else ''})"


def _shared(rng, shape, launch, bits):
    if rng.random() < 0.05:
        shape = shape[1:] or [*shape, 2]
    return rng.choice([_swizzled, _nvmma, _padded, _linear])(rng, shape, launch, bits)


def _view(rng, seen, program):
    shape = list(seen.array.shape)
    rank = len(shape)
    choice = rng.random()
    if choice < 0.3:
        return _permute(layouts._order(rng, rank if rng.random() < 0.95 else rank + 1))
    if choice < 0.6:
        extra = rng.choice([0] * 19 + [1])
        return _reshape(layouts._split(rng, math.prod(shape).bit_length() - 1 + extra,
                                       rng.randint(1, 4)))
    if choice < 0.9:
        dim = rng.randrange(rank)
        length = max(1, shape[dim] >> rng.randrange(3))
        start = rng.choice([0, rng.randrange(max(1, shape[dim] // length)) * length,
                            shape[dim] - length, rng.randint(0, shape[dim])])
        return _slice(start, length, dim - rank * rng.choice([0, 0, 1]))
    if choice < 0.95:
        return _index(rng.choice([0, shape[0] - 1, shape[0], "n - 2"]), program.scalar)
    dtype = rng.choice(list(DTYPES)[:-1])
    shape = shape[1:] if seen.is_ring else shape
    shape = shape if rng.random() < 0.5 else _powers(rng, rng.randint(1, 3), 8)
    return _reinterpret(dtype, shape, _shared(rng, shape, program, _bits(dtype)))


def _bits(dtype):
    return 8 * np.dtype(DTYPES[dtype]).itemsize


def make(rng, clusters=(1,)):
    shape = _powers(rng, rng.choice([1, 2, 2, 2, 3]), 11)
    dtype = rng.choice([name for name in DTYPES if name != "int1"])
    ring = rng.choice([None, None, None, 1, 2, 3])
    program = Program(rng.choice([1, 2, 4, 4, 8]), shape, dtype, ring,
                      rng.randrange(ring) if ring else 0, "", "", "",
                      is_initial=rng.random() < (0.05 if ring else 0.5),
                      use=rng.choice(["load"] * 5 + ["store"] * 4 + ["gather"]),
                      num_ctas=rng.choice(clusters))
    program.buffer = _shared(rng, shape, program, _bits(dtype))
    program.tile = layouts.distributed(rng, shape, program)
    seen = Seen(np.zeros(([ring] if ring else []) + shape), bool(ring))
    if ring and rng.random() < 0.95:
        program.views.append(_index("n - 2", program.scalar))
        seen = program.views[-1].apply(seen)
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
        program.views.append(_view(rng, seen, program))
        try:
            seen = program.views[-1].apply(seen)
        except Refused:
            pass
    program.viewed = list(seen.array.shape)
    if program.use == "gather":
        program.use = "gather", rng.randrange(len(program.viewed))
    wild = program.viewed if rng.random() < 0.97 else [*program.viewed, 2]
    program.result = layouts.distributed(rng, wild, program)
    return program


# -- Running ---------------------------------------------------------------------


class Takers:
    """The simulator and the code generators. `outcome` is what run.py asks for."""

    def __init__(self, form):
        import gluonc
        from gluonc import errors
        from gluonc._triton.backends.compiler import GPUTarget
        self.gluonc, self.errors, self.form = gluonc, errors, form or "ptx"
        self.targets = [GPUTarget("cuda", chip, 32) for chip in CHIPS]

    def refusal(self, take):
        """None, or (kind, text) of the diagnostic."""
        try:
            take()
        except self.errors.KernelFault:
            raise
        except self.errors.GluonError as error:
            kinds = [d.get("kind") for d in error.diagnostics if d.get("severity") == "error"]
            return (kinds or [type(error).__name__])[0], str(error).strip()
        return None

    def compile(self, kernel, program, target):
        numpy_name = np.dtype(DTYPES[program.dtype]).name
        name = {"int": "i", "uint": "u", "float": "fp"}[numpy_name.rstrip("0123456789")]
        pointer = "*" + name + numpy_name.lstrip("uintfloat")
        signature = dict(p=pointer, w=pointer, i="*i32", q=pointer, n="i32")
        compiled = self.gluonc.compile(self.gluonc.ASTSource(kernel, signature), target,
                                       {"num_warps": program.num_warps,
                                        "num_ctas": program.num_ctas})
        compiled.asm[self.form]

    def outcome(self, kernel, program):
        """(what is wrong or None, whether the program was accepted)."""
        filled, stored, indices = program.inputs(np.random.default_rng(7))
        try:
            expected, possible = program.expected(filled, stored, indices), True
        except Refused:
            expected, possible = None, False
        refusals = {f"cuda:{target.arch}":
                    self.refusal(lambda: self.compile(kernel, program, target))
                    for target in self.targets if program.num_ctas == 1 or target.arch >= 90}
        ran = np.zeros(program.result_shape(), filled.dtype)
        try:
            refusals["simulator"] = self.refusal(
                # A run-time value that nothing is known of: 1 would be a constant.
                lambda: kernel[(1,)](filled, stored, indices, ran, program.scalar + 2,
                                     num_warps=program.num_warps, num_ctas=program.num_ctas))
        except self.errors.KernelFault as fault:
            # Other bytes than those that were written may be seen.
            if expected is not None:
                return f"fault: {fault}".strip(), True
            refusals["simulator"] = None
        problem = self.disagreement(refusals, possible)
        accepted = not any(refusals.values())
        if not problem and accepted and expected is not None and not np.array_equal(ran, expected):
            wrong = np.flatnonzero(ran.ravel() != expected.ravel())
            problem = (f"wrong at {len(wrong)} of {expected.size} places, first at {wrong[0]}: "
                       f"{ran.ravel()[wrong[0]]} for {expected.ravel()[wrong[0]]}")
        return problem, accepted

    @staticmethod
    def disagreement(refusals, possible):
        for who, refusal in refusals.items():
            if refusal and refusal[0] in OUR_FAULT:
                return f"{who}: {refusal[0]}: {refusal[1]}"
        accepting = [who for who, refusal in refusals.items() if not refusal]
        if accepting and len(accepting) < len(refusals):
            who, refusal = next((w, r) for w, r in refusals.items() if r)
            return f"{', '.join(accepting)} accepted what {who} refused: {refusal[1]}"
        if accepting and not possible:
            return "accepted, but NumPy has no such view"
        return None
