"""The kinds of cases: what is mutated, and the command that gets it."""

import dataclasses
import importlib.util
import os
import pathlib
import re

import judge
import texts

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
TARGETS = ["cuda:80", "cuda:90a", "cuda:90a"]
PASSES = ["allocate-global-scratch", "allocate-shared", "allocate-warp-groups",
          "check-barrier-bytes", "check-box-starts", "inline", "insert-barriers",
          "insert-cluster-barriers", "insert-proxy-fences", "legalize-combines",
          "lower-descriptors", "resolve-layouts", "simplify", "pipeline"]
TENSOR = re.compile(r"(randn|rand|randint|arange|zeros|ones|full|empty|zeros_like|tensor|npy)\b")
POINTERS = {"f32": "fp32", "f16": "fp16", "bf16": "bf16", "f64": "fp64", "i32": "i32", "i64": "i64",
            "i8": "i8", "i16": "i16", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
            "i1": "u1", "f8e4nv": "fp8e4nv", "f8e5": "fp8e5"}


KERNEL = b"""from triton.experimental import gluon
from triton.experimental.gluon import language as gl

@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + i, gl.load(src + i, mask=i < n), mask=i < n)
"""
COMMANDS = [
    ["check", "k.py"], ["check", "--diagnostics=json", "k.py"], ["info"], ["--help"], ["run", "--help"],
    ["compile", "k.py::copy", "src=*fp32:16", "dst=*fp32:16", "n=i32", "BLOCK=128", "--target",
     "cuda:90a", "--emit", "ptx", "-o", "out", "--num-warps", "4", "--maxnreg", "64", "--line-info"],
    ["compile", "k.py::copy", "src=*fp32:16", "dst=*fp32:16", "n=i32", "BLOCK=128", "--target",
     "cuda:80", "--emit", "ttgir", "-o", "-", "--repeat", "2", "--time-passes"],
    ["run", "k.py::copy", "src=arange(100, f32)", "dst=empty(100, f32)", "n=100", "BLOCK=128",
     "--device", "cpu", "--grid", "2,1", "--expect", "dst == src", "--save", "dst=out.npy", "--rtol",
     "0.1", "--schedule-seed", "3", "--target", "cuda:80", "--debug", "--time-passes"],
    ["layout", "BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])", "--shape", "32,32", "--format", "svg",
     "-o", "out"],
    ["layout", "NVMMASharedLayout(128, 16, 2)", "--shape", "64,64", "--element-bits", "16"],
    ["cache", "list"], ["cache", "verify"], ["cache", "prune", "--max-mb", "1", "--older-than", "2"]]
WORDS = ["", "-", "--", "-o", "=", "k.py", "k.py::", "::copy", "k.py::copy", "none.py", ".", "/", "x" * 5000,
         "--grid", "0", "-1", "1,2,3,4", "18446744073709551616", "1e400", "nan", "--target", "cuda:80",
         "cuda:", "--emit", "cubin", "ast", "--shape", "1 << 40", "--format", "json", "--help",
         "--diagnostics", "--diagnostics=json", "n=", "=3", "src=zeros(1 << 50, f32)", "\xff", "é=1",
         "src=npy('/dev/zero')", "src=randn((3, 5), f16)", "n=9**9**9", "src=[1, [2]]", "--expect",
         "src[0] == 1", "src.T", "sum(dst) / 0", "allclose(src, dst)", "--repeat", "--num-ctas"]


@dataclasses.dataclass
class Case:
    """A file that was mutated and the command that reads it, or a command with a seed alone."""
    command: list
    name: str = None
    data: bytes = b""
    statuses: tuple = (0, 1, 2, 3, 4)
    environment: dict = None
    # How many seeds the command runs through, from the one in its last word.
    count: int = 1


def load_exec():
    spec = importlib.util.spec_from_file_location("exec_run", TESTS / "exec/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Maker:
    """Makes the case of a kind and a seeded generator."""

    def __init__(self, options):
        self.options = options
        self.gluonc = str(options.bin / "gluonc")
        self.exec = load_exec()
        files = [path for path in sorted((TESTS / "exec").glob("*.py")) if path.name != "run.py"]
        self.tests = [(path, test) for path in files for test in self.exec.read_tests(path)]
        self.sources = files + sorted((TESTS.parent / "examples").rglob("*.py"))
        self.ir_files = sorted(path for end in ("ttgir", "mlir") for path in TESTS.rglob(f"*.{end}"))
        self.dumped = [(path, test) for path, test in self.tests
                       if self.exec.dump_of(path, test).exists()]

    def make(self, kind, rng):
        return getattr(self, kind)(rng)

    def check(self, rng):
        data = rng.choice(self.sources).read_bytes()
        if rng.random() < 0.3:
            data = texts.raw(rng, data, rng.choice([1, 2, 5, 20]))
        else:
            data = encode(texts.source(rng, data.decode(), rng.choice([1, 2, 3, 8, 30])))
        return Case([self.gluonc, "check", "k.py"], "k.py", data)

    def mutated_test(self, rng):
        """(kernel, arguments, source) of an execution test; the kernel itself is hit the most."""
        path, (_, (kernel, *arguments), _, _) = rng.choice(self.tests)
        text = path.read_text()
        count = rng.choice([1, 1, 1, 2, 2, 3, 5])
        span = re.search(rf"^def {re.escape(kernel)}\b.*\n(?:[ \t)].*\n|\n)*", text, re.M)
        if span and rng.random() < 0.8:
            text = text[:span.start()] + texts.source(rng, span.group(), count) + text[span.end():]
        else:
            text = texts.source(rng, text, count)
        return kernel, arguments, encode(text)

    def run(self, rng):
        kernel, arguments, data = self.mutated_test(rng)
        if rng.random() < 0.15:
            arguments = [texts.source(rng, word, 1) if "=" in word and rng.random() < 0.4 else word
                         for word in arguments]
        command = [self.gluonc, "run", f"k.py::{kernel}", *arguments, "--device", "cpu", "--no-cache"]
        if "--target" not in arguments and rng.random() < 0.3:
            command += ["--target", rng.choice(TARGETS)]
        if rng.random() < 0.1:
            command += ["--schedule-seed", str(rng.randrange(10))]
        for option in ("--races", "--masked-off", "--unknown-reads"):
            if rng.random() < 0.1:
                command += [option, rng.choice(["ignore", "warn", "fault"])]
        return Case([word.replace("\0", "") for word in command], "k.py", data)

    def compile(self, rng):
        kernel, arguments, data = self.mutated_test(rng)
        stage = rng.choice(["ptx"] * 6 + ["llir", "ttgir-opt"])
        return Case([self.gluonc, "compile", f"k.py::{kernel}", *to_types(arguments), "--target",
                     rng.choice(TARGETS), "--emit", stage, "-o", "/dev/null", "--no-cache"], "k.py", data)

    def lift(self, rng):
        kernel, arguments, data = self.mutated_test(rng)
        return Case([self.gluonc, "lift", f"k.py::{kernel}", *to_types(arguments), "--target",
                     rng.choice([*TARGETS, "hip:gfx942", "hip:gfx1250"]), "-o", "/dev/null"], "k.py", data)

    def ir(self, rng):
        data = encode(texts.ir(rng, rng.choice(self.ir_files).read_text(), rng.choice([1, 1, 2, 3, 6])))
        if rng.random() < 0.1:
            data = texts.raw(rng, data, rng.choice([1, 5]))
        return Case([self.gluonc, "compile", "k.ttgir", "--target", rng.choice(TARGETS), "--emit",
                     rng.choice(["ptx", "ptx", "llir", "ttgir-opt"]), "-o", "/dev/null", "--no-cache"],
                    "k.ttgir", data)

    def run_ir(self, rng):
        path, test = rng.choice(self.dumped)
        kernel, *arguments = test[1]
        data = encode(texts.ir(rng, self.exec.dump_of(path, test).read_text(), rng.choice([1, 1, 2, 3])))
        return Case([self.gluonc, "run", f"{path}::{kernel}", *arguments, "--device", "cpu",
                     "--no-cache", "--ttgir", "k.ttgir"], "k.ttgir", data)

    def opt(self, rng):
        case = self.ir(rng)
        passes = [f"--gluonc-{name}" for name in rng.sample(PASSES, rng.choice([0, 1, 1, 2, 4]))]
        case.command = [str(self.options.bin / "gluon-opt"), "k.ttgir", *passes, "-o", "/dev/null"]
        case.statuses = (0, 1)
        return case

    def seeded(self, rng, command, count, environment=None):
        return Case([*command, str(count), str(rng.randrange(1 << 40))], statuses=(0,),
                    environment={**os.environ, **(environment or {})}, count=count)

    def words(self, rng):
        """Command lines whose words are mutated; files stay as they are."""
        words = list(rng.choice(COMMANDS))
        if rng.random() < 0.3:
            path, test = rng.choice(self.tests)
            words = ["run", f"{path}::{test[1][0]}", *test[1][1:], "--device", "cpu"]
        for _ in range(rng.choice([1, 1, 2, 4])):
            i, how = rng.randrange(len(words)), rng.randrange(6)
            if how == 0 and len(words) > 1:
                del words[i]
            elif how == 1:
                words.insert(i, rng.choice(words))
            elif how == 2:
                words[i] = rng.choice(WORDS)
            elif how == 3:
                words.insert(i, rng.choice(WORDS))
            else:
                words[i] = texts.source(rng, words[i], 1)
        return Case([self.gluonc, *[word.replace("\0", "") for word in words]], "k.py", KERNEL)

    def npy(self, rng):
        dtype = rng.choice(["<f4", "<f4", "|b1", "<i8", "<f2", "|u1", "|V2", ">f4", "|O"])
        shape = rng.choice(["(100,)", "(100,)", "(10, 10)", "()", "(0,)", "(-1,)", "(1 << 40,)",
                            "(1" + ",1" * rng.choice([3, 70, 5000]) + ")", "(18446744073709551616,)"])
        head = (f"{{'descr': '{dtype}', 'fortran_order': {rng.choice(['True', 'False', '0'])}, "
                f"'shape': {shape}, }}").encode().ljust(117) + b"\n"
        size = rng.choice([len(head), len(head), 0, 65535])
        data = b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + head + rng.randbytes(400)
        if rng.random() < 0.6:
            data = texts.raw(rng, data, rng.choice([1, 2, 5]))
        wanted = rng.choice(["", "", ", f32", ", bf16", ", f8e5", ", i1"])
        return Case([self.gluonc, "run", "copy.py::copy", f'src=npy("in.npy"{wanted})', "dst=zeros_like(src)",
                     "n=100", "BLOCK=128", "--device", "cpu", "--no-cache", "--expect", "dst == src",
                     "--save", "dst=out.npy"], "in.npy", data)

    def api(self, rng):
        return self.seeded(rng, [str(self.options.api)], 40)

    def python(self, rng):
        environment = {"PYTHONPATH": str(self.options.package), "GLUONC_CACHE_DIR": ""}
        if self.options.preload:
            environment["LD_PRELOAD"] = str(self.options.preload)
        return self.seeded(rng, [str(self.options.python), str(HERE / "python_calls.py")], 40,
                           environment)


def encode(text):
    return text.encode("utf-8", "surrogatepass")


def to_types(arguments):
    """`gluonc compile` arguments of `gluonc run` ones."""
    result, options, words = [], [], iter(arguments)
    for word in words:
        if word in ("--num-warps", "--num-ctas", "--maxnreg"):
            options += [word, next(words)]
        elif word.startswith("--"):
            if "=" not in word and word != "--debug":
                next(words, None)
        elif "=" in word:
            name, value = word.split("=", 1)
            dtype = re.search(rf"\b({'|'.join(POINTERS)})\b", value)
            if TENSOR.match(value):
                word = f"{name}=*{POINTERS[dtype.group(1)] if dtype else 'fp32'}:16"
            elif re.fullmatch(r"-?\d+", value) and name.islower():
                word = f"{name}=i32"
            elif re.fullmatch(r"-?\d*\.\d*", value):
                word = f"{name}=fp32"
            result.append(word)
    return result + options


def try_case(case, folder, limits):
    """Runs a case in an empty folder."""
    folder = pathlib.Path(folder)
    (folder / "copy.py").write_bytes(KERNEL)
    if case.name:
        (folder / case.name).write_bytes(case.data)
    environment = case.environment or {**os.environ, "GLUONC_CACHE_DIR": ""}
    return judge.run(case.command, folder, limits, case.statuses, environment)


def reduce(case, folder, limits, problem):
    """A smaller case with the same problem: fewer lines, or the one seed that shows it."""
    def shows(smaller):
        return try_case(smaller, folder, limits).problem == problem

    if case.name and not problem.startswith(("hang", "memory")):
        return dataclasses.replace(case, data=texts.shrink(
            case.data, lambda data: shows(dataclasses.replace(case, data=data))))
    if case.count > 1:
        *command, count, seed = case.command
        for i in range(case.count):
            one = dataclasses.replace(case, command=[*command, "1", str(int(seed) + i)], count=1)
            if shows(one):
                return one
    return case
