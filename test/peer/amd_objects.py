#!/usr/bin/env python3
"""Code objects of Triton 3.6 for AMD's chips, executed by gluonc as its own are.

    amd_objects.py --gluonc build/release/bin/gluonc [--chips gfx942,gfx1100,…] [--keep FOLDER] [FILE…]

Run it with the Python that has Triton 3.6; no GPU is needed. Triton compiles the kernels of
test/exec, the executor runs its machine code with the inputs of the RUN line, and what the EXPECT
line says must hold. LLVM has put the waits, the addresses and the matrix layouts there as AMD's
compiler does, so that this tests the executor, not gluonc's code generator. Also said is for how
many kernels gluonc's own code leaves the same bits. Exit status 1 if a run fails that EXPECTED does
not name.
"""

import argparse
import concurrent.futures
import importlib.util
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXEC = HERE.parent / "exec"
sys.path.insert(0, str(EXEC))
import run  # noqa: E402

CHIPS = {"gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1200": 32, "gfx1250": 32}
TENSOR = r"(randn|rand|randint|arange|zeros|ones|full|empty|where)\("
SECONDS = 120
# Kernels whose code by Triton 3.6 leaves something else, and why.
EXPECTED = {
    "amd_barriers:phases": "an arrival gives all three bits of the phase",
    "amd_barriers:clusters_own": "the same",
    "atomics:extremes": "waves of 64 lanes find the largest of signed numbers as if they had no sign, before the atomic",
    "atomics:swaps": "threads that hold the same elements swap them, too",
    "functions:called_twice": "the callee's partial sums lie where the caller's buffer does",
    "noinline:in_place": "no barrier lies between a store and the call of a function that stores, too",
    "noinline:turned_in_place": "LLVM takes a wait for LDS out of a loop that needs it from the second iteration on",
    "language:displays": "conditions of comprehensions are ignored",
    "language:folded": "constexpr parameters are no instances of constexpr",
}
# Faults that the executor finds in code by Triton 3.6, and why. Without them the result must hold.
FAULTS = {
    # Half of the waves are one barrier behind the others (its ping-pong schedule). They have begun to
    # read before the barrier after which the others write there, and wait for that behind it.
    "03_matrix_multiplication:matmul_kernel": "is written while another wave may still read it",
}


# ---- With Triton, in a process of its own: some kernels abort it ------------------


def value_of(text, known, scope):
    """A tensor's type as a stand-in, or the value of any other argument."""
    import triton
    from triton.runtime.jit import MockTensor

    if not re.search(TENSOR, text):
        return eval(text, scope, dict(known))
    kinds = {"f": "float", "i": "int", "u": "uint"}
    name = re.findall(r"\b(bf16|[fiu]\d+)\b(?=\s*[,)])", text)[-1]
    name = "bfloat16" if name == "bf16" else kinds[name[0]] + name[1:]
    return MockTensor(getattr(triton.language, name))


def object_of(module, words, chip):
    """The code object of one RUN line."""
    kernel, *rest = words
    function = getattr(module, kernel)
    values, options = {}, {}
    words = iter(rest)
    for word in words:
        if word.startswith("--"):
            option, given = word[2:].replace("-", "_"), next(words)
            if option == "num_warps":
                options[option] = int(given)
            elif option == "num_ctas" and given != "1":
                if chip != "gfx1250":
                    raise ValueError("clusters")
                options[option] = int(given)
            continue
        name, text = word.split("=", 1)
        try:
            values[name] = value_of(text, values, vars(module))
        except (AttributeError, NameError):
            # What the expectation alone needs may be of functions that Python lacks.
            if name in function.arg_names:
                raise
    known = {name: value for name, value in values.items() if name in function.arg_names}
    return function.run(grid=(1, 1, 1), warmup=True, **known, **options).asm["hsaco"]


def prepare_triton(chip):
    """Triton compiles for the chip, every time anew."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl
    from triton.runtime import driver

    class NoGpu:
        """What Triton asks of its driver until it has compiled."""

        def get_current_target(self):
            return GPUTarget("hip", chip, CHIPS[chip])

        def get_current_device(self):
            return 0

        def get_current_stream(self, device):
            return 0

    # What has another name since.
    gluon.aggregate = triton.language.core._aggregate
    gl.barrier = gl.thread_barrier
    gl.amd.cdna5 = gl.amd.gfx1250
    sys.modules["triton.experimental.gluon.language.amd.cdna5"] = gl.amd.gfx1250
    # The examples import these of gluonc.
    sys.modules["gluonc"] = gluon
    sys.modules["gluonc.language"] = gl
    sys.modules["gluonc.language.amd"] = gl.amd
    triton.knobs.compilation.always_compile = True
    driver.set_active(NoGpu())


def compile_file(path, chip, folder):
    """Writes LINE.hsaco for every RUN line of a file that Triton takes."""
    prepare_triton(chip)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for test in run.read_tests(path):
        if not is_meant(test, chip):
            continue
        try:
            words = [run.widen(word) if CHIPS[chip] == 64 else word for word in test[1]]
            (folder / f"{test[0]}.hsaco").write_bytes(object_of(module, words, chip))
        except Exception:  # Triton's own errors are of many types.
            continue


# ---- With gluonc -----------------------------------------------------------------


def is_meant(test, chip):
    return test[2] == "EXPECT" and run.target_of(test) in ("", f"hip:{chip}")


def tensors_of(test):
    return [word.split("=", 1)[0] for word in test[1] if re.match(r"\w+=.*" + TENSOR, word)]


def execute(gluonc, chip, path, test, code=None, saved=None):
    """Null, or what went wrong."""
    line, (kernel, *arguments), _, text = test
    if CHIPS[chip] == 64:
        arguments = [run.widen(word) for word in arguments]
    command = [gluonc, "run", f"{path}::{kernel}", *arguments, "--device", "amdgcn", *run.INCLUDE,
               "--expect", text]
    if not run.target_of(test):
        command += ["--target", f"hip:{chip}"]
    if code:
        command += ["--hsaco", str(code)]
    for name in tensors_of(test) if saved else []:
        command += ["--save", f"{name}={saved}.{name}.npy"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"{path.name}:{line}: timed out"
    return None if result.returncode == 0 else f"{path.name}:{line}: {shlex.join(command)}\n" + (
        result.stdout + result.stderr)


def same_bits(test, one, other):
    """Whether two runs have left the same in all tensors."""
    return all(pathlib.Path(f"{one}.{name}.npy").read_bytes() ==
               pathlib.Path(f"{other}.{name}.npy").read_bytes() for name in tensors_of(test))


def compare(gluonc, chip, path, test, folder):
    """(did gluonc compile it, what went wrong with Triton's code, are the bits the same), or null."""
    ours, theirs = folder / f"{test[0]}.ours", folder / f"{test[0]}.theirs"
    mine = execute(gluonc, chip, path, test, saved=ours)
    compiled = not (mine and any(kind in mine for kind in run.LACKING))
    problem = execute(gluonc, chip, path, test, folder / f"{test[0]}.hsaco", theirs)
    # What is not in the chip's language, gluonc does not take at all.
    if problem and any(kind in problem for kind in run.LACKING):
        return None
    return compiled, problem, not mine and not problem and same_bits(test, ours, theirs)


def is_expected(name, problem):
    return name in EXPECTED or name in FAULTS and FAULTS[name] in problem


def check_chip(gluonc, chip, files, folder, pool):
    folder.mkdir(parents=True)
    sources = folder / "sources"
    sources.mkdir()
    jobs = []
    for path in files:
        source = path
        if CHIPS[chip] == 64:
            source = sources / path.name
            source.write_text(run.widen(path.read_text(encoding="utf-8")), encoding="utf-8")
        objects = folder / path.stem
        objects.mkdir()
        jobs.append((source, objects, [sys.executable, __file__, "--compile", str(source), "--chips",
                                       chip, "--keep", str(objects)]))
    environment = {**os.environ, "PYTHONPATH": run.INCLUDE[1]}
    made = lambda job: subprocess.run(job[2], capture_output=True, timeout=600, env=environment)
    list(pool.map(made, jobs))
    runs = [(source, test, objects) for source, objects, _ in jobs for test in run.read_tests(source)
            if (objects / f"{test[0]}.hsaco").exists()]
    results = list(pool.map(lambda one: compare(gluonc, chip, *one), runs))
    taken = [(one, result) for one, result in zip(runs, results) if result]
    if not taken:
        print(f"{chip}: Triton compiles none of them", flush=True)
        return True
    runs, results = zip(*taken)
    failed = [(f"{path.stem}:{test[1][0]}", problem)
              for (path, test, _), (_, problem, _) in zip(runs, results) if problem]
    known = [name for name, problem in failed if is_expected(name, problem)]
    problems = [problem for name, problem in failed if not is_expected(name, problem)]
    for problem in problems:
        print(problem, flush=True)
    compiled = sum(done for done, _, _ in results)
    print(f"{chip}: {len(runs)} code objects of Triton, {len(runs) - len(failed)} passed, "
          f"{len(problems)} failed, "
          f"{len(known)} as expected of Triton's code ({', '.join(known)})"
          f"; gluonc has code for {compiled} of the kernels, and leaves the same bits for "
          f"{sum(same for _, _, same in results)}", flush=True)
    return not problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--compile", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.compile:
        compile_file(options.compile, options.chips, options.keep)
        return 0
    files = [path.resolve() for path in options.files] or [
        path for path in sorted(EXEC.glob("*.py")) if path.name not in run.SCRIPTS]
    fine = True
    with (tempfile.TemporaryDirectory() as temporary,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        folder = options.keep or pathlib.Path(temporary)
        for chip in options.chips.split(","):
            fine &= check_chip(options.gluonc, chip, files, folder / chip, pool)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
