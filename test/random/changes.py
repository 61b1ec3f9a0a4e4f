#!/usr/bin/env python3
"""Random programs of several modules, and what becomes of their kernels when one thing changes.

Python itself says what a program means: each is executed a second time with a language in which a
kernel is a function that runs. gluonc's kernel has to store the same numbers on the simulator, and
to have them in its machine code, which comes out of one cache of compiled kernels for all programs,
from whichever process was there first. Programs that did not change are compiled once. Then objects
of the program are changed in place, and the same kernel is launched again.

    changes.py --count 300                     as in CI
    changes.py --count 50000 --jobs 16         a long run
    changes.py --count 1 --seed 7,23 --show    the program of a failure, before and after
"""

import argparse
import collections
import functools
import linecache
import multiprocessing
import os
import pathlib
import random
import re
import sys
import tempfile
import types

FOLDER = "/changes"
MODULES = ("main", "near", "far", "pack.inner")
HEAD = """\
import collections, dataclasses, enum, functools
from lang import gluon, gl
def total_of(cls): return cls.total.fn
"""


# -- Programs -----------------------------------------------------------------------------------

class Feature:
    """Something that a kernel reaches. `number` and `other` are its constants, `flag` a choice."""

    def __init__(self, rng, kind, index):
        self.kind, self.index, self.home = kind, index, rng.choice(MODULES)
        self.number, self.other = rng.sample(range(1, 200), 2)
        self.flag = rng.random() < 0.5

    def change(self, rng):
        """Changes one thing."""
        what = rng.choice(("number", "other", "flag"))
        if what == "flag":
            self.flag = not self.flag
        else:
            setattr(self, what, rng.choice([n for n in range(1, 200)
                                            if n not in (self.number, self.other)]))

    def render(self):
        """(definitions, what the kernel calls as an expression of the name N)."""
        return tuple(map(self._fill, self.kind[:2]))

    def render_change_in_place(self, rng):
        """A statement that changes an object in place."""
        return self._fill(rng.choice(self.kind[2:]), rng.randrange(200, 400))

    def _fill(self, text, new=0):
        words = {"N": f"f{self.index}", "A": self.number, "B": self.other, "IF": self.flag, "C": new,
                 "OPTION": "(noinline=True)" if self.flag else ""}
        return re.sub(r"(?<![a-zA-Z])N\b|\b(A|B|IF|OPTION|C)\b", lambda m: str(words[m[0]]), text)


# Definitions, use, and what may be done to them between launches. N is the name of what is used, A, B
# and C are numbers, IF is True or False.
KINDS = [
    ("""
@gluon.jit
def N(v, c: gl.constexpr = A):
    return v + c
""", "N(gl.to_tensor(B))",
     "N.fn.__defaults__ = (C,)"),
    ("""
V = A
@gluon.jit
def N(v, *, c: gl.constexpr = V):
    return v * c
V = B
""", "N(gl.to_tensor(3))",
     "N.fn.__kwdefaults__['c'] = C",
     "N.fn.__kwdefaults__ = {'c': C}"),
    ("""
@gluon.jit OPTION
def N(v):
    return v * A + B
""", "N(gl.to_tensor(5))"),
    ("""
if IF:
    @gluon.jit
    def N(v):
        return v + A
else:
    @gluon.jit
    def N(v):
        return v + B
""", "N(gl.to_tensor(1000))"),
    ("""
@gluon.jit
def N(v): return v + A
first = N
@gluon.jit
def N(v): return v - B
if IF:
    N = first
""", "N(gl.to_tensor(2000))",
     "N = first"),
    ("""
def make_N(c):
    c = gl.constexpr(c)
    @gluon.jit
    def inner(v):
        return v * c
    return inner
N = make_N(A)
unused_N = make_N(B)
""", "N(gl.to_tensor(7))",
     "N = make_N(C)"),
    ("""
def make_N(c):
    @gluon.jit
    def inner(v, k: gl.constexpr = c, *, m: gl.constexpr = c + B):
        return v * k + m
    return inner
N = make_N(A)
""", "N(gl.to_tensor(7))",
     "N.fn.__defaults__ = (C,)",
     "N.fn.__kwdefaults__['m'] = C"),
    ("""
made_N = []
for step in (A, B):
    @gluon.jit
    def one_N(v, k: gl.constexpr = step):
        return v * k
    made_N.append(one_N)
N = gl.constexpr(tuple(made_N if IF else made_N[::-1]))
""", "N[0](gl.to_tensor(9)) + 1000 * N[1](gl.to_tensor(2))"),
    ("N = gl.constexpr(A)\n", "gl.to_tensor(N) + B"),
    ("N = gl.constexpr((A, (B, IF)))\n", "gl.to_tensor(N[0]) + (N[1][0] if N[1][1] else 5)"),
    ("""
N_value = A
@gluon.constexpr_function
def N(c=B):
    return N_value * 1000 + c
""", "gl.to_tensor(N())",
     "N_value = C",
     "N.fn.__defaults__ = (C,)"),
    ("""
table_N = {"a": [A, {"b": B}], "c": IF}
@gluon.constexpr_function
def N():
    return table_N["a"][0] * 1000 + table_N["a"][1]["b"] if table_N["c"] else 17
""", "gl.to_tensor(N())",
     "table_N['a'][0] = C",
     "table_N['a'][1]['b'] = C",
     "table_N['c'] = not table_N['c']",
     "table_N['a'] = [C, {'b': 1}]",
     "table_N = {'c': False}"),
    ("""
def make_N(c):
    def deep(k=c + 1):
        return k + c
    other = lambda k, m=c: k * m
    @gluon.constexpr_function
    def inner():
        return deep() * 1000 + other(B)
    return inner
N = make_N(A)
""", "gl.to_tensor(N())",
     "N = make_N(C)"),
    ("""
@dataclasses.dataclass(frozen=True)
class Config_N:
    a: int
    b: int = B
config_N = Config_N(A)
@gluon.constexpr_function
def N():
    return config_N.a * 1000 + config_N.b
""", "gl.to_tensor(N())",
     "object.__setattr__(config_N, 'a', C)",
     "vars(config_N)['b'] = C",
     "config_N = Config_N(C, 1)"),
    ("""
class Mode_N(enum.Enum):
    FIRST = A
    SECOND = A + B
mode_N = Mode_N.FIRST if IF else Mode_N.SECOND
@gluon.constexpr_function
def N():
    return mode_N.value * 10 + (1 if mode_N == Mode_N.FIRST else 2)
""", "gl.to_tensor(N())",
     "mode_N = Mode_N.SECOND if mode_N is Mode_N.FIRST else Mode_N.FIRST"),
    ("""
Point_N = collections.namedtuple("Point_N", "x y", defaults=[B])
point_N = Point_N(A)
@gluon.constexpr_function
def N():
    return point_N.x * 1000 + point_N.y
""", "gl.to_tensor(N())",
     "point_N = point_N._replace(y=C)"),
    ("""
def add_N(a, b):
    return a * 1000 + b
part_N = functools.partial(add_N, A)
@gluon.constexpr_function
def N():
    return part_N(B)
""", "gl.to_tensor(N())",
     "part_N = functools.partial(add_N, C)"),
    ("""
def twice_N(fn):
    @functools.wraps(fn)
    def wrapper(k):
        return fn(k) + B
    return wrapper
@twice_N
def plain_N(k):
    return k + A
@gluon.constexpr_function
def N():
    return plain_N(1000)
""", "gl.to_tensor(N())",
     "plain_N = plain_N.__wrapped__"),
    ("""
class Settings_N:
    width = A
    @staticmethod
    def depth(k=B):
        return k
def other_N():
    return A + 7
if IF:
    Settings_N.width = Settings_N.width + 500
@gluon.constexpr_function
def N():
    return Settings_N.width * 1000 + Settings_N.depth()
""", "gl.to_tensor(N())",
     "Settings_N.width = C",
     "Settings_N.depth.__defaults__ = (C,)",
     "Settings_N.depth = staticmethod(other_N)"),
    ("""
@gluon.aggregate
class N:
    x: gl.tensor
    y: gl.constexpr = A
    @gluon.jit
    def total(self, more: gl.constexpr = B):
        return self.x + self.y * 1000 + more
""", "N(gl.to_tensor(3)).total()",
     "total_of(N).__defaults__ = (C,)"),
    ("""
if IF:
    @gluon.aggregate
    class N:
        x: gl.tensor
        @gluon.jit
        def total(self):
            return self.x + A
else:
    @gluon.aggregate
    class N:
        x: gl.tensor
        @gluon.jit
        def total(self):
            return self.x - B
""", "N(gl.to_tensor(3000)).total()"),
    ("""
def make_N(c):
    @gluon.aggregate
    class Base:
        x: gl.tensor
        @gluon.jit
        def total(self):
            return self.x * c
    return Base
One_N, Two_N = make_N(gl.constexpr(A)), make_N(gl.constexpr(B))
Base_N = One_N if IF else Two_N
@gluon.aggregate
class N(Base_N):
    pass
Base_N = None
""", "N(gl.to_tensor(11)).total()"),
]
# Names that modules share and change behind each other's backs.
SHARED = """
@gluon.jit
def same(v):
    return v * {number}
@gluon.aggregate
class Same:
    x: gl.tensor
    @gluon.jit
    def total(self):
        return self.x + {number}
"""


class Program:
    """Texts of modules, as decided so far."""

    def __init__(self, rng):
        kinds = rng.sample(KINDS, rng.randint(3, 6))
        self.features = [Feature(rng, kind, i) for i, kind in enumerate(kinds)]
        self.ways = [rng.randrange(3) for _ in self.features]
        self.shared = {module: rng.randint(2, 99) for module in MODULES}
        self.argument = rng.randint(2, 99)
        self.blank = 0

    def change(self, rng):
        """Changes one thing that the kernel reaches."""
        choice = rng.randrange(len(self.features) + 3)
        if choice < len(self.features):
            self.features[choice].change(rng)
        elif choice == len(self.features):
            self.shared[rng.choice(MODULES)] += 100
        elif choice == len(self.features) + 1:
            self.argument += 100
        else:
            self.blank = 1 - self.blank

    def texts(self):
        """Module -> text. The kernel is `kernel` of main, its argument `argument`."""
        parts = {module: [HEAD, "\n" * self.blank, SHARED.format(number=self.shared[module])]
                 for module in MODULES}
        uses = []
        for feature, way in zip(self.features, self.ways):
            text, use = feature.render()
            parts[feature.home].append(text)
            name = f"f{feature.index}"
            if feature.home != "main":
                short = feature.home.rpartition(".")[2]
                if way == 0:
                    parts["main"].append(f"from {feature.home} import {name}\n")
                elif way == 1 or "." not in feature.home:
                    parts["main"].append(f"import {feature.home} as {short}\n")
                    use = re.sub(rf"\b{name}\b", f"{short}.{name}", use)
                else:
                    parts["main"].append(f"import {feature.home}\n")
                    use = re.sub(rf"\b{name}\b", f"{feature.home}.{name}", use)
            uses.append(use)
        parts["main"].append("import near, far, pack.inner\n")
        for module in ("near", "far", "pack.inner"):
            uses.append(f"{module}.same(gl.to_tensor(1)) + {module}.Same(gl.to_tensor(5)).total()")
        uses += ["same(gl.to_tensor(1)) + Same(gl.to_tensor(5)).total()", "f(gl.to_tensor(13))"]
        stores = [f"    gl.store(out + {i}, ({use}) + {100000 * (i + 1)})\n"
                  for i, use in enumerate(uses)]
        parts["main"].append("def make_argument(c):\n    c = gl.constexpr(c)\n    @gluon.jit\n"
                             "    def argument(v): return v * c\n    return argument\n"
                             f"argument = make_argument({self.argument})\n"
                             "@gluon.jit\ndef kernel(out, f: gl.constexpr):\n" + "".join(stores))
        return {module: "".join(part) for module, part in parts.items()}, len(uses)


# -- What Python makes of them ---------------------------------------------------------------------

def plain_language(stored):
    """(gluon, gl) in which kernels are functions that run, and stores go to `stored`."""
    import dataclasses
    gluon, gl = types.SimpleNamespace(), types.SimpleNamespace()

    def decorate(fn=None, **_):
        if fn is None:
            return decorate
        fn.fn = fn
        return fn
    gluon.jit = gluon.constexpr_function = decorate
    gluon.aggregate = dataclasses.dataclass
    gl.constexpr = gl.to_tensor = lambda value: value
    gl.tensor = int
    gl.store = stored.__setitem__
    return gluon, gl


def run_modules(texts, language):
    """The module main of a program. Modules are where the program before had its own."""
    lang = types.ModuleType("lang")
    lang.gluon, lang.gl = language
    pack = types.ModuleType("pack")
    pack.__path__ = []
    modules = {name: types.ModuleType(name) for name in MODULES}
    pack.inner = modules["pack.inner"]
    added = {**modules, "lang": lang, "pack": pack}
    kept = {name: sys.modules.get(name) for name in added}
    sys.modules.update(added)
    try:
        for name in reversed(MODULES):
            path = f"{FOLDER}/{name.replace('.', '/')}.py"
            text = texts[name]
            linecache.cache[path] = len(text), None, text.splitlines(True), path
            modules[name].__file__ = path
            exec(compile(text, path, "exec"), vars(modules[name]))
    finally:
        for name, module in kept.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return modules["main"]


class Plain:
    """A program as Python runs it."""

    def __init__(self, texts):
        self._stored = {}
        self.main = run_modules(texts, plain_language(self._stored))

    def run(self):
        self._stored.clear()
        self.main.kernel(0, self.main.argument)
        return [self._stored[i] for i in range(len(self._stored))]


def change_in_place(main, home, statement):
    """Runs a statement in a module of a program."""
    module = main if home == "main" else functools.reduce(getattr, home.split("."), main)
    exec(statement, vars(module))


# -- What gluonc makes of them -----------------------------------------------------------------------

class Compiler:
    """gluonc, with a folder for compiled kernels."""

    def __init__(self, folder):
        os.environ["GLUONC_CACHE_DIR"] = str(folder)
        import gluonc
        import numpy
        from gluonc import language
        from gluonc._engine import engine
        self.gluonc, self.numpy, self.engine = gluonc, numpy, engine()
        self.language = gluonc, language

        class Compiled(gluonc.JITFunction):
            """Stops a launch where it would need a GPU."""

            def _compile(self, specs, options, device, values, is_warmup):
                self.made = engine().make(self._specialization(specs, options), "cuda:80", False)
        self._compiled = Compiled

    def start(self, texts):
        """The module main of a program."""
        return run_modules(texts, self.language)

    def run(self, main, count):
        """(what the kernel stores, the compiled kernel that did)."""
        out = self.numpy.zeros(count, self.numpy.int32)
        made = main.kernel[(1,)](out, main.argument)
        return out.tolist(), made

    def compile(self, main, count):
        """(machine code, the key of that)."""
        compiled = self._compiled(main.kernel.fn)
        compiled.warmup(self.numpy.zeros(count, self.numpy.int32), main.argument)
        return compiled.made.code("ptx").decode(), compiled.made.key()


def problem_of(compiler, program, keys, rng):
    """What is wrong with a program, or None; `keys` gets the key of its code."""
    texts, count = program.texts()
    plain = Plain(texts)
    wanted = plain.run()
    try:
        main = compiler.start(texts)
        stored, made = compiler.run(main, count)
        code, key = compiler.compile(main, count)
        keys[key] += 1
        if stored != wanted:
            return f"stores {stored}, not {wanted}"
        if "call" not in code:
            missing = [value for value in wanted if not re.search(rf"\b{value}\b", code)]
            if missing:
                return f"machine code without {missing}"
        if compiler.run(main, count)[1] is not made:
            return "launched again, and compiled again"
        return problem_in_place(compiler, program, plain, main, rng)
    except compiler.gluonc.GluonError as error:
        return f"refused: {error}"


def problem_in_place(compiler, program, plain, main, rng):
    """What is wrong once objects were changed in place, or None."""
    changeable = [feature for feature in program.features if len(feature.kind) > 2]
    for feature in rng.sample(changeable, min(2, len(changeable))):
        statement = feature.render_change_in_place(rng)
        for modules in (plain.main, main):
            change_in_place(modules, feature.home, statement)
        wanted = plain.run()
        stored = compiler.run(main, len(wanted))[0]
        if stored != wanted:
            return f"after `{statement}` in {feature.home} stores {stored}, not {wanted}"
    return None


def work(job):
    """Programs of one seed, each a change of the one before. Every fourth is made anew as it was:
    nothing may come of what happened in between."""
    folder, seed, count, show = job
    compiler = Compiler(folder)
    rng = random.Random(f"changes {seed}")
    # Of its own, so that programs are the same whatever is done to them.
    touches = random.Random(f"in place {seed}")
    keys, problems = collections.Counter(), []
    program = Program(rng)
    for step in range(count + 1):
        if step:
            program.change(rng)
        problem = problem_of(compiler, program, keys, touches)
        if problem is None and step % 4 == 0:
            before = len(keys)
            problem = problem_of(compiler, program, keys, touches)
            if problem is None and len(keys) != before:
                problem = "unchanged, and another key"
        if problem:
            problems.append(f"seed {seed}, change {step}: {problem}")
        if show and (problem or step >= count - 1):
            for name, text in program.texts()[0].items():
                print(f"--- {name}, change {step}\n{text}")
    return set(keys), problems


def entries(folder):
    return {path.stem: path.stat().st_ino for path in pathlib.Path(folder).rglob("*.entry")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="changes")
    parser.add_argument("--seed", default="1", help="the first one; `N,STEP` ends at a change")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--changes", type=int, default=50, help="changes of one program")
    parser.add_argument("--show", action="store_true", help="print programs that fail, and the last")
    options = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("skipped: numpy is missing")
        return 77
    first, _, step = options.seed.partition(",")
    each = int(step) if step else min(options.changes, options.count)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(folder, int(first) + i, each, options.show)
                for i in range(max(1, options.count // each if not step else 1))]
        context = multiprocessing.get_context("spawn")
        rounds = []
        # The second round meets in the cache what other processes left there.
        for order in (jobs, jobs[::-1]):
            with context.Pool(options.jobs) as pool:
                results = pool.map(work, order, chunksize=1)
            rounds.append((results, entries(folder)))
    problems = [problem for results, _ in rounds for _, found in results for problem in found]
    keys = [set().union(*(made for made, _ in results)) for results, _ in rounds]
    if keys[0] != keys[1]:
        problems.append("the second round has other keys")
    if rounds[0][1] != rounds[1][1]:
        problems.append("the second round compiled again")
    if set(rounds[0][1]) != keys[0]:
        problems.append(f"{len(keys[0])} kernels, {len(rounds[0][1])} in the cache")
    for problem in problems[:20]:
        print(problem)
    print(f"{len(jobs) * each} changes of {len(jobs)} programs, {len(keys[0])} kernels, "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
