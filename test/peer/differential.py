#!/usr/bin/env python3
"""Random expressions and statements of the language, to gluonc and to the installed Triton.

    differential.py --gluonc build/release/bin/gluonc [--count 2000] [--seed 0] [--show 40] [--out FILE.json]

Both front ends get the same kernels, no GPU is needed. A kernel prints what it knows when it is
compiled: values of constexprs, types and shapes of what is computed. Compared are whether both
accept the kernel, and what they print. Mismatches are grouped by what the kernel does; --show prints so
many of them; --out has what is known after each hundred. Exit status 1 when there are any that `EXPECTED` does not name.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import importlib.util
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HEADER = """from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def twice(x, times: gl.constexpr = 2):
    return x * times

@gluon.jit
def pair(x, y):
    return y, x

@gluon.jit
def add(x, y):
    return x + y

@gluon.jit
def sign(x):
    if x < 0:
        return -1
    return 1

"""

SIGNATURE = {"p": "*fp32", "i": "i32", "j": "i64", "u": "u32", "b": "i8", "f": "fp32", "h": "fp16", "d": "fp64",
             "t": "i1"}
CONSTEXPRS = {"N": 8, "M": -3, "F": 0.5, "Z": 0, "S": "ab", "B": True}
LAYOUT = "gl.BlockedLayout([1], [32], [4], [0])"

# Where the two differ by intention: patterns of the kernel's text and of what either says, and the reason.
EXPECTED = [
    (r"gl\.cdiv", "", "cdiv of numbers is a number, as in later versions of Triton; in 3.6 it is a tensor"),
    ("", r"`if` conditionals can only accept", "conditions may be floats, as in Python"),
    ("", r"no attribute '__pos__'", "+x"),
    (r"umulhi", r"Expected dtype \['int32', 'int64'", "narrow integers are widened"),
    (r"return", r"initial value for `\w` is of type", "types only have to agree where both ways go on"),
    (r"for n in[\s\S]*for n in", r"`n` is not defined here", "behind an inner loop over n Triton's n is the outer one's"),
    (r"cumsum", r"no attribute 'cumsum'", "a name of 3.9"),
    (r"\[None, :, :\]", r"indices for", "Triton ignores `:` beyond the dimensions"),
    ("", r"is out of range for uint32", "Triton compares and computes with a negative number as a large one"),
    (r"expand_dims|None", r"to have a SliceLayout, but got: DistributedLinearLayout",
     "a dimension more of a layout without a name has one, too"),
    (r"fdiv", r"both operands of fdiv must have floating", "a truth value is a number"),
    (r"(min|max)\(", r"^\['-?0\.0'\]", "Triton refuses zeros of two signs, Python takes the first"),
    (r"keep_dims=True", r"\(1,\)", "one dimension may stay"),
    (r"return\n", r"^\[\]|\[\]$", "what follows a return is not looked at"),
]


def is_expected(text, ours, theirs):
    """Whether `EXPECTED` names the mismatch."""
    said = "\n".join(str(part) for part in (*ours, *theirs))
    return any(re.search(pattern, text) and re.search(words, said, re.M) for pattern, words, _ in EXPECTED)


class Constants:
    """Expressions whose value is known when the kernel is compiled."""

    def __init__(self, rng):
        self.rng = rng

    def number(self):
        rng = self.rng
        return rng.choice([str(rng.randint(0, 9)), str(rng.choice([0, 1, 2, 7, 31, 255, 2**31 - 1, 2**31, 2**40])),
                           rng.choice(["0.0", "1.5", "2.0", "1e10", "0.1"]), *"NMFZB", "True", "False"])

    def expression(self, depth):
        rng = self.rng
        if depth == 0:
            return self.number()
        sub = lambda: self.expression(depth - 1)
        kind = rng.randrange(14)
        if kind < 5:
            return f"({sub()} {rng.choice(['+', '-', '*', '/', '//', '%', '&', '|', '^'])} {sub()})"
        if kind == 5:
            return f"({sub()} {rng.choice(['<<', '>>', '**'])} {rng.randint(0, 5)})"
        if kind == 6:
            return f"({sub()} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {sub()})"
        if kind == 7:
            return f"({sub()} {rng.choice(['and', 'or'])} {sub()})"
        if kind == 8:
            return f"({rng.choice(['-', '+', '~', 'not '])}{sub()})"
        if kind == 9:
            return f"({sub()} if {sub()} else {sub()})"
        if kind == 10:
            return f"{rng.choice(['min', 'max'])}({sub()}, {sub()})"
        if kind == 11:
            return f"{rng.choice(['abs', 'int', 'float', 'bool', 'gl.constexpr'])}({sub()})"
        if kind == 12:
            return f"({sub()}, {sub()})[{rng.choice(['0', '1', '-1', 'N % 2'])}]"
        return rng.choice([f"gl.cdiv({sub()}, {sub()})", f"len(({sub()}, {sub()}))", f"(S == '{rng.choice(['ab', 'c'])}')",
                           f"({sub()} is None)", "gl.int32.primitive_bitwidth", f"gl.constexpr({sub()}).value"])


class Values:
    """Expressions over arguments and tensors."""

    BINARY = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
    TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
             "float64", "int1"]

    def __init__(self, rng):
        self.rng, self.constants = rng, Constants(rng)

    def leaf(self):
        rng = self.rng
        return rng.choice([*"ijubfhdt", "o", "x", "c", self.constants.number()])

    def expression(self, depth):
        rng = self.rng
        if depth == 0:
            return self.leaf()
        sub = lambda: self.expression(depth - 1)
        kind = rng.randrange(16)
        if kind < 7:
            return f"({sub()} {rng.choice(self.BINARY)} {sub()})"
        if kind == 7:
            return f"({rng.choice(['-', '+', '~', 'not '])}{sub()})"
        if kind == 8:
            return f"gl.where({sub()}, {sub()}, {sub()})"
        if kind == 9:
            return f"{rng.choice(['gl.minimum', 'gl.maximum', 'min', 'max'])}({sub()}, {sub()})"
        if kind == 10:
            return f"gl.to_tensor({sub()}).to(gl.{rng.choice(self.TYPES)})"
        if kind == 11:
            return f"gl.{rng.choice(['abs', 'exp', 'sqrt', 'log2', 'cos', 'floor', 'ceil'])}({sub()})"
        if kind == 12:
            return f"gl.{rng.choice(['fma'])}({sub()}, {sub()}, {sub()})"
        if kind == 13:
            return f"gl.{rng.choice(['sum', 'max', 'min'])}({sub()}, 0)"
        if kind == 14:
            return f"{rng.choice(['twice', 'sign'])}({sub()})"
        return rng.choice([f"gl.cdiv({sub()}, {sub()})", f"gl.full([128], {sub()}, gl.{rng.choice(self.TYPES)}, L)",
                           f"gl.load(p + {sub()})", f"({sub()} and {sub()})", f"({sub()} or {sub()})",
                           f"({sub()} if {sub()} else {sub()})", f"gl.div_rn({sub()}, {sub()})",
                           f"gl.fdiv({sub()}, {sub()})", f"gl.umulhi({sub()}, {sub()})", f"({sub()})[:, None]",
                           f"({sub()}).to(gl.{rng.choice(self.TYPES)}, bitcast=True)", f"({sub()}).dtype"])


class Statements:
    """Assignments, branches and loops over a few names."""

    def __init__(self, rng):
        self.rng, self.values, self.constants = rng, Values(rng), Constants(rng)

    def value(self):
        return self.rng.choice([self.values.expression(1), self.constants.expression(1), "v", "w", "v + 1", "w * v"])

    def block(self, depth, indent):
        return [line for _ in range(self.rng.randint(1, 3)) for line in self.statement(depth, indent)]

    def condition(self):
        return self.rng.choice(["i > 2", "t", "N > 4", "Z", "i", "v", "u != 0 and i < 3", "not t", "B", "f > 0", "S == 'ab'",
                                "N > 4 and i > 1", "i > 1 or N > 4"])

    def statement(self, depth, indent):
        rng, pad = self.rng, "    " * indent
        kind = rng.randrange(12 if depth else 7)
        name = rng.choice("vw")
        if kind < 3:
            return [f"{pad}{name} = {self.value()}"]
        if kind < 5:
            return [f"{pad}{name} {rng.choice(['+', '-', '*', '//', '|', '<<'])}= {self.value()}"]
        if kind == 5:
            return [pad + rng.choice(["v, w = w, v", "v, w = pair(v, w)", "v = (v, w)[0]", f"v: gl.constexpr = {self.value()}",
                                      "(v, w) = (1, 2)", "v = w = 3"])]
        if kind == 6:
            return [f"{pad}{name} = {rng.choice(['twice(v)', 'twice(w, 3)', 'twice(times=2, x=v)', 'sign(i)'])}"]
        if kind < 9:
            lines = [f"{pad}if {self.condition()}:", *self.block(depth - 1, indent + 1)]
            if rng.random() < 0.5:
                lines += [f"{pad}else:", *self.block(depth - 1, indent + 1)]
            return lines
        if kind == 9:
            bound = rng.choice(["range(4)", "range(i)", "gl.static_range(2)", "range(0, N, 2)", "range(N, 0, -1)", "range(M, i)"])
            return [f"{pad}for n in {bound}:", *self.block(depth - 1, indent + 1),
                    *([f"{pad}    v += n"] if rng.random() < 0.5 else [])]
        if kind == 10:
            return [f"{pad}while {rng.choice(['i < 3', 'v < 10', 'w > 0'])}:", *self.block(depth - 1, indent + 1)]
        return [pad + rng.choice(["return", "pass", "assert N == 8", "gl.static_assert(N > 3)", "gl.device_assert(i > 0)"])]


class Tensors:
    """Chains of operations that change the shape or the layout of a tensor of two dims."""

    LAYOUTS = ["gl.BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])", "gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])",
               "gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])", "gl.AutoLayout()",
               "gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])", "gl.SliceLayout(1, P)",
               "gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)"]

    def __init__(self, rng):
        self.rng = rng

    def step(self):
        rng = self.rng
        axis = rng.choice(["0", "1", "-1", "2"])
        return rng.choice([
            f"y = gl.sum(y, {axis})", f"y = gl.max(y, {axis}, keep_dims=True)", f"y = gl.expand_dims(y, {axis})",
            f"y = y[:, None]", f"y = y[None, :]", f"y = y[None, :, :]", "y = y.T", "y = gl.permute(y, [1, 0])",
            f"y = y.reshape([{rng.choice(['512', '16, 32', '8, 2, 32', '32, 16', '2, 2, 4, 32', '3, 4'])}])",
            f"y = gl.convert_layout(y, {rng.choice(self.LAYOUTS)})", "y = gl.join(y, y)", "y, z = y.split()",
            "y, z = gl.split(gl.join(y, y))", "y = y + y[0]" if rng.random() < 0.1 else "y = y + 1",
            "y = gl.sum(y, 1)[:, None] + y", "y = gl.sum(y, 0)[None, :] * y", f"y = gl.broadcast(y, y)[0]",
            f"y = gl.associative_scan(y, {axis}, add)", f"y = gl.cumsum(y, {axis})" if rng.random() < 0.3 else "y = -y",
            f"y = gl.reduce(y, {axis}, add)", "y = gl.set_auto_layout(y, P)", "y = gl.to_tensor(1.0) + y", "y = gl.sum(y)",
            f"y = gl.gather(y, y.to(gl.int32), {axis})", f"y = gl.histogram(y.to(gl.int32), 64, gl.SliceLayout(1, P))",
            "y = gl.where(y > 0, y, gl.sum(y, 1)[:, None])", "y = y.to(gl.float16)", "y = gl.zeros_like(y)",
            "y = gl.full_like(y, 3)", "y = y.broadcast_to([4, 16, 32])", "y = gl.ravel(y)", "y = y + r", "y = y * q[:, None]"])

    def lines(self):
        return [f"    P: gl.constexpr = {self.rng.choice(self.LAYOUTS[:3])}",
                "    r = gl.arange(0, 32, layout=gl.SliceLayout(0, P))", "    q = gl.arange(0, 16, layout=gl.SliceLayout(1, P))",
                "    y = gl.load(p + q[:, None] * 32 + r[None, :])",
                *(f"    {self.step()}" for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3]))),
                '    gl.static_print("#", y.dtype)', '    gl.static_print("#", y.shape)', '    gl.static_print("#", y.type.layout)']


def kernel(rng, number):
    kind = ("constant", "value", "statement", "tensor")[number % 4]
    lines = [f"    L: gl.constexpr = {LAYOUT}"] if kind != "constant" else []
    if kind == "tensor":
        lines += Tensors(rng).lines()
    elif kind == "constant":
        lines += [f"    a: gl.constexpr = {Constants(rng).expression(rng.randint(1, 3))}", '    gl.static_print("#", a)']
    else:
        lines += ["    o = gl.arange(0, 128, layout=L)", "    x = gl.load(p + o)", "    c = x > 0"]
    if kind == "value":
        lines += [f"    a = {Values(rng).expression(rng.randint(1, 2))}", '    gl.static_print("#", gl.to_tensor(a).dtype)',
                  '    gl.static_print("#", gl.to_tensor(a).shape)']
    if kind == "statement":
        lines += [f"    v = {rng.choice(['0', 'i', 'f', 'x', 'o', '1.5', 'b'])}", f"    w = {rng.choice(['1', 'j', 'u', 'h', 'x', 't'])}",
                  *Statements(rng).block(2, 1), '    gl.static_print("#", gl.to_tensor(v).dtype)',
                  '    gl.static_print("#", gl.to_tensor(w).dtype)']
    parameters = [*SIGNATURE, *(f"{name}: gl.constexpr" for name in CONSTEXPRS)]
    return kind, "\n".join([f"@gluon.jit\ndef k{number}({', '.join(parameters)}):", *lines])


class Triton:
    """The installed Triton's front end."""

    def __init__(self):
        from triton._C.libtriton import ir
        from triton.backends.compiler import GPUTarget
        from triton.compiler.compiler import make_backend
        from triton.experimental.gluon._runtime import GluonASTSource
        self.ir, self.source = ir, GluonASTSource
        self.target = GPUTarget("cuda", 90, 32)
        self.backend = make_backend(self.target)

    def __call__(self, function):
        """What the kernel printed, or None and the error."""
        names = function.arg_names
        constants = {(names.index(name),): value for name, value in CONSTEXPRS.items()}
        signature = {**SIGNATURE, **{name: "constexpr" for name in CONSTEXPRS}}
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                source = self.source(function, signature, constants)
                options = self.backend.parse_options({"num_warps": 4})
                context = self.ir.context()
                self.ir.load_dialects(context)
                self.backend.load_dialects(context)
                module = source.make_ir(self.target, options, self.backend.get_codegen_implementation(options),
                                        self.backend.get_module_map(), context)
                if not module.verify():
                    return None, "the module does not verify"
        except BaseException as error:  # the front end raises whatever Python raises
            lines = [line for line in str(error).splitlines() if line.strip(" ^")]
            return None, f"{type(error).__name__}: {lines[-1].strip() if lines else ''}"
        return re.findall(r"^# (.*)$", printed.getvalue(), re.M), None


def gluonc(program, path, name):
    """The same for gluonc; its status tells errors of the input from a crash."""
    literals = [f"{key}={value!r}" for key, value in CONSTEXPRS.items()]
    arguments = [f"{key}={value}" for key, value in SIGNATURE.items()] + literals
    done = subprocess.run([program, "compile", f"{path}::{name}", *arguments, "--target", "cuda:90a", "--emit", "ttgir",
                           "-o", "/dev/null"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 0:
        return re.findall(r": # (.*) \[GL2033", done.stderr), None
    if done.returncode != 1:
        return None, f"ended with {done.returncode}"
    error = re.search(r"error: (.*)", done.stderr)
    return None, error[1] if error else done.stderr


def spelled(text):
    """A printed value without what the two spell differently: shapes, names of a layout's fields, tuples."""
    if re.fullmatch(r"[(\[][\d', ]*[)\]]", text):
        return re.findall(r"\d+", text)
    if "Layout" in text:
        # Parentheses of layouts stay, those of tuples become brackets.
        text = re.sub(r"(, )?cga_layout=\[\]", "", text)
        return re.sub(r"(?<!\w)\(([\d, ]*)\)", r"[\1]", re.sub(r"\w+=", "", text))
    return text


def picture(program, layout, shape):
    """Which register of which thread has which element."""
    return subprocess.run([program, "layout", layout, "--shape", ",".join(shape)], capture_output=True, text=True,
                          check=False).stdout


def is_same(program, ours, theirs):
    """Whether two kernels printed the same; layouts are the same that place all elements alike."""
    if len(ours) != len(theirs):
        return False
    for mine, other in zip(ours, theirs):
        if spelled(mine) != spelled(other):
            # A layout is printed behind the shape.
            shape = re.findall(r"\d+", ours[1]) if len(ours) == 3 and "Layout" in mine else []
            if not shape or not (drawn := picture(program, mine, shape)) or drawn != picture(program, other, shape):
                return False
    return True


def judge(program, ours, theirs):
    """None if they agree, else what kind of mismatch it is."""
    if ours[0] is None and ours[1].startswith("ended with"):
        return "crash"
    if (ours[0] is None) != (theirs[0] is None):
        return "only Triton accepts" if ours[0] is None else "only gluonc accepts"
    if ours[0] is not None and not is_same(program, ours[0], theirs[0]):
        return "prints differ"
    return None


def write(options, count, tally, mismatches):
    """What is known after so many kernels."""
    pathlib.Path(options.out).write_text(json.dumps({"seed": options.seed, "count": count, "tally": {
        " ".join(key): count for key, count in sorted(tally.items())}, "mismatches": mismatches}, indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out")
    options = parser.parse_args()
    rng, triton = random.Random(options.seed), Triton()
    tally, shown, mismatches = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for start in range(0, options.count, 100):
            kernels = [kernel(rng, number) for number in range(start, min(start + 100, options.count))]
            path = pathlib.Path(folder) / f"kernels{start}.py"
            path.write_text(HEADER + "\n\n".join(text for _, text in kernels) + "\n", encoding="utf-8")
            spec = importlib.util.spec_from_file_location(path.stem, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            names = [f"k{number}" for number in range(start, start + len(kernels))]
            ours = [pool.submit(gluonc, options.gluonc, path, name) for name in names]
            for (kind, text), name, future in zip(kernels, names, ours):
                theirs = triton(getattr(module, name))
                mine = future.result()
                mismatch = judge(options.gluonc, mine, theirs)
                if mismatch and is_expected(text, mine, theirs):
                    mismatch = "expected mismatch"
                tally[kind, mismatch or ("both accept" if mine[0] is not None else "both refuse")] += 1
                if mismatch and mismatch != "expected mismatch":
                    mismatches.append({"kind": mismatch, "text": text, "gluonc": mine, "triton": theirs})
                    if shown[mismatch] < options.show:
                        shown[mismatch] += 1
                        print(f"== {mismatch}\n{text}\n   gluonc: {mine}\n   triton: {theirs}\n", flush=True)
            if options.out:
                write(options, start + len(kernels), tally, mismatches)
    for (kind, outcome), count in sorted(tally.items()):
        print(f"{kind:10} {outcome:22} {count}")
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
