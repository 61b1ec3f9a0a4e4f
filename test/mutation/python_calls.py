"""Random calls of the Python package with odd arguments.

    python_calls.py COUNT SEED      makes the calls of the seeds SEED … SEED + COUNT - 1

Every exception is a right answer, but for those that only a mistake inside the package raises. What
the process itself must not do (end by a signal, hang, fill the memory) its parent sees.
"""

import json
import random
import sys
import traceback

import gluonc as gluon
from gluonc import language as gl
from gluonc.nvidia.hopper import TensorDescriptor

try:
    import numpy as np
except ImportError:
    np = None

# The package's own mistakes, not the caller's.
OWN_MISTAKES = (SystemError, NameError, AssertionError, UnboundLocalError, gluon.InternalError)


@gluon.jit
def copy(x, y, n, B: gl.constexpr):
    i = gl.arange(0, B, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(y + i, gl.load(x + i, mask=i < n, other=0), mask=i < n)


@gluon.jit
def laid_out(x, layout: gl.constexpr, B: gl.constexpr = 128):
    i = gl.arange(0, B, layout=layout)
    gl.store(x + i, i)


@gluon.jit
def two_dims(x, layout: gl.constexpr, shared: gl.constexpr, M: gl.constexpr, N: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    at = rows[:, None] * N + columns[None, :]
    tile = gl.load(x + at)
    memory = gl.allocate_shared_memory(tile.dtype, [M, N], shared, tile)
    gl.store(x + at, memory.load(layout))


@gluon.jit
def pick(x, t, c: gl.constexpr, *rest):
    gl.store(x, t[0] + c)


@gluon.jit
def through(x, f: gl.constexpr, n=3):
    gl.store(x, f(n))


@gluon.jit
def double(n):
    return n * 2


@gluon.jit
def described(d, x):
    memory = gl.allocate_shared_memory(d.dtype, d.block_type.shape, d.layout)
    gl.store(x, 1)


class Raises:
    """Raises whatever it is asked."""

    def __getattr__(self, name):
        raise random.choice([ValueError, AttributeError, RecursionError, KeyError])(name)

    def __index__(self):
        raise ZeroDivisionError

    __float__ = __bool__ = __len__ = __iter__ = __hash__ = __index__


class Lies:
    """Looks like a tensor and is none."""

    def __init__(self, rng):
        self.dtype = rng.choice([gl.float32, "float32", None, 3, "x" * 1000])
        self.shape = rng.choice([(4,), (-1,), (1 << 62, 1 << 62), "4", None])
        self.address = rng.choice([0, 16, -1, 1 << 63, 1 << 70, 2.5, "0", None])

    def data_ptr(self):
        return self.address

    def stride(self):
        return (1,)


class Integer(int):
    """A subclass, as enumerations are."""


def cyclic():
    items = []
    items.append(items)
    return items


def nested(depth, kind=tuple):
    value = kind()
    for _ in range(depth):
        value = kind([value])
    return value


def array(rng):
    """A NumPy array, well formed or of a form that kernels do not take."""
    if np is None:
        return bytearray(512)
    dtype = rng.choice(["f4", "f4", "f4", "i4", "f2", "f8", "i8", "u1", "b1", ">f4", "c8", "O", "U4",
                        "M8[s]", [("a", "f4"), ("b", "i2")]])
    shape = rng.choice([(128,), (128,), (64, 64), (), (0,), (3, 5), (1,) * 20, (1,)])
    made = np.zeros(shape, dtype)
    how = rng.randrange(10)
    if how == 0:
        made.flags.writeable = False
    elif how == 1 and made.ndim:
        made = made[::-1]
    elif how == 2 and made.ndim:
        made = made[::2]
    elif how == 3:
        made = made.T
    elif how == 4 and made.size:
        made = np.broadcast_to(made, (2, *made.shape))
    elif how == 5 and made.size:
        made = np.lib.stride_tricks.as_strided(made, made.shape, [0] * made.ndim)
    return made


LAYOUTS = ["gl.BlockedLayout([1], [32], [4], [0])", "gl.BlockedLayout([2], [32], [4], [0])",
           "gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", "gl.AutoLayout()",
           "gl.BlockedLayout([8, 4], [4, 8], [2, 2], [0, 1])", "gl.BlockedLayout([], [], [], [])",
           "gl.BlockedLayout([0], [32], [4], [0])", "gl.BlockedLayout([1], [32], [4], [5])",
           "gl.BlockedLayout([1 << 40], [32], [4], [0])", "gl.BlockedLayout('1', 2, None, {})",
           "gl.SliceLayout(7, gl.BlockedLayout([1], [32], [4], [0]))", "gl.SliceLayout(0, None)",
           "gl.SwizzledSharedLayout(1, 1, 1, [1, 0])", "gl.SwizzledSharedLayout(3, -1, 0, [0, 0])",
           "gl.NVMMASharedLayout(128, 16, 2)", "gl.NVMMASharedLayout(7, 16, 2)",
           "gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 64], [1, 0])",
           "gl.PaddedSharedLayout.with_identity_for([[3, 4]], [], [1])",
           "gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], instr_shape=[16, 8])",
           "gl.DistributedLinearLayout([[1]], [[2], [4], [8], [16], [32]], [[64], [128]], [], [256])",
           "gl.SharedLinearLayout([[1], [2], [4]])", "gl.CoalescedLayout()"]
EXPRESSIONS = ["1", "gl.float32", "(1, 2)", "1 << 70", "9 ** 99", "'a' * 1000", "1 // 0", "(", "",
               "\x00", "é" * 50, "[x for x in range(5)]", "lambda: 0", "f'{1:>5}'", "-0.0", "None"]


def layout(rng):
    try:
        return eval(rng.choice(LAYOUTS))
    except Exception:
        return None


def odd(rng):
    """Anything at all."""
    makers = [
        lambda: rng.choice([0, 1, -1, 16, 128, 1 << 31, 1 << 32, 1 << 63, -(1 << 63), 1 << 64, 10**40]),
        lambda: rng.choice([0.0, -0.0, 1.5, 1e308, float("nan"), float("inf")]),
        lambda: rng.choice([None, True, False, ..., NotImplemented, int, object(), print]),
        lambda: rng.choice(["", "x", "a\0b", "\ud800", "gl.float32", "x" * 100000]),
        lambda: rng.choice([b"", b"abc", bytearray(64), memoryview(bytearray(64))]),
        lambda: array(rng), lambda: array(rng), lambda: array(rng),
        lambda: layout(rng), lambda: layout(rng),
        lambda: rng.choice([gl.float32, gl.int1, gl.constexpr(3), gl.constexpr(gl.constexpr(None))]),
        lambda: tuple(odd(rng) for _ in range(rng.randrange(4))),
        lambda: [odd(rng) for _ in range(rng.randrange(3))],
        lambda: {"a": odd(rng)},
        lambda: rng.choice([cyclic, lambda: nested(2000), lambda: nested(100000), Raises,
                            lambda: nested(500, list), lambda: Integer(3)])(),
        lambda: Lies(rng),
        lambda: rng.choice([double, copy, lambda x: x, range(3), set(), frozenset([1]), 1j]),
        lambda: descriptor(rng)]
    return rng.choice(makers)()


def descriptor(rng):
    try:
        return TensorDescriptor(array(rng), rng.choice([[64, 64], [1 << 40], [], [-1, 2]]),
                                rng.choice([[64, 1], [1], [0, 0], [1 << 60, 1]]),
                                rng.choice([[16, 16], [64, 64], [3], [1 << 20, 1]]), layout(rng))
    except Exception:
        return None


def grid(rng):
    return rng.choice([(1,), (1,), (1,), (2, 2), (1, 1, 1), 1, (), (0,), (-1,), (1, 2, 3, 4), None,
                       "1", (1.5,), (1 << 40,), lambda meta: (meta["B"],), lambda meta: 1 / 0,
                       [1], (True,), (gl.constexpr(1),)])


def options(rng):
    result = {}
    for name, values in {"num_warps": [4, 4, 1, 0, 3, -1, "4", None, 1 << 40],
                         "num_ctas": [1, 1, 2, 0, 99, None], "maxnreg": [None, 32, 0, -5, "x"],
                         "debug": [True, None, 3], "enable_fp_fusion": [False, "no"],
                         "launch_cooperative_grid": [True], "nonsense": [1], "num_stages": [3],
                         "grid": [(1,)], "warmup": [True, False]}.items():
        if rng.random() < 0.03:
            result[name] = rng.choice(values)
    return result


def right_arguments(rng, kernel):
    """What the kernel takes, nearly."""
    data = (lambda: np.zeros(4096, "f4")) if np is not None else (lambda: bytearray(16384))
    return {"copy": lambda: [data(), data(), 100, 128],
            "laid_out": lambda: [data(), layout(rng)],
            "two_dims": lambda: [data(), layout(rng), layout(rng), 64, 64],
            "pick": lambda: [data(), (1, 2.5), 3],
            "through": lambda: [data(), double],
            "described": lambda: [descriptor(rng), data()]}[kernel.__name__]()


def launch(rng):
    kernel = rng.choice([copy, laid_out, two_dims, pick, through, described])
    arguments = right_arguments(rng, kernel)
    for _ in range(rng.choice([0, 1, 1, 2])):
        how = rng.randrange(6)
        if how == 0 and arguments:
            del arguments[rng.randrange(len(arguments))]
        elif how == 1:
            arguments.insert(rng.randrange(len(arguments) + 1), odd(rng))
        elif arguments:
            arguments[rng.randrange(len(arguments))] = odd(rng)
    named = options(rng)
    if rng.random() < 0.1:
        named[rng.choice(["n", "x", "B", "é", ""])] = odd(rng)
    compiled = kernel[grid(rng)](*arguments, **named)
    if compiled is not None and rng.random() < 0.3:
        compiled.asm[rng.choice(["ttgir", "ptx", "llir", "nothing"])]
    if compiled is not None and rng.random() < 0.3:
        compiled[grid(rng)](*[odd(rng) if rng.random() < 0.2 else a for a in arguments])


def compile_for(rng):
    kernel = rng.choice([copy, laid_out, pick])
    types = ["*fp32", "*fp32:16", "i32", "fp64", "constexpr", "", "*", "u99", 3, None]
    names = ["x", "y", "n", "B", "layout", "t", "c", "zzz"]
    signature = {name: rng.choice(types) for name in rng.sample(names, rng.randrange(6))}
    constants = {name: odd(rng) for name in rng.sample(names, rng.randrange(3))}
    target = rng.choice(["cuda:90a", "cuda:80", "hip:gfx942", "", None, 90, "cuda:\0"])
    gluon.compile(gluon.ASTSource(kernel, signature, constants), target=target)


def construct(rng):
    """A layout or another object of the language, of anything."""
    cls = rng.choice([gl.BlockedLayout, gl.SliceLayout, gl.SwizzledSharedLayout, gl.NVMMASharedLayout,
                      gl.PaddedSharedLayout, gl.DistributedLinearLayout, gl.SharedLinearLayout,
                      gl.NVMMADistributedLayout, gl.DotOperandLayout, gl.constexpr, TensorDescriptor,
                      gluon.jit, gluon.constexpr_function, gluon.aggregate, gluon.cdiv,
                      gluon.next_power_of_2, gl.pointer_type])
    cls(*[odd(rng) for _ in range(rng.randrange(6))])


def evaluate(rng):
    from gluonc import _engine
    text = rng.choice(LAYOUTS + EXPRESSIONS)
    if rng.random() < 0.5 and text:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(EXPRESSIONS + list("()[]{}'\",.\\")) + text[at + 1:]
    _engine.engine().evaluate(text if rng.random() < 0.95 else odd(rng))


def call(rng):
    rng.choice([launch, launch, launch, launch, compile_for, construct, construct, evaluate])(rng)


def main():
    count, seed = map(int, sys.argv[1:])
    answers = {}
    for number in range(seed, seed + count):
        # The last number is the one that a crash belongs to.
        print(f"seed {number}", file=sys.stderr, flush=True)
        rng = random.Random(number)
        random.seed(number)
        try:
            call(rng)
            name = "fine"
        except Exception as error:
            name = type(error).__name__
            # Not of classes derived from them, which the package raises on purpose.
            if type(error) in OWN_MISTAKES:
                traceback.print_exc()
                sys.exit(f"internal error: the package's own mistake, seed {number}")
        answers[name] = answers.get(name, 0) + 1
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
