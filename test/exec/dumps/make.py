#!/usr/bin/env python3
"""Writes what Triton 3.6 makes of the kernels in test/exec: IR for `run.py --dumps` to run here.

    make.py [FILE...]     with Triton 3.6, PyTorch and gluonc's own tests; needs no GPU

Each RUN line is compiled for cuda:80, or for cuda:90 where that does not do, up to the end of
Triton's own passes on IR. Kernels that Triton 3.6 does not take are left out and named.
"""

import importlib.util
import pathlib
import re
import subprocess
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.experimental import gluon
from triton.runtime import driver
from triton.runtime.jit import MockTensor

from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, hopper
from triton.language.core import _aggregate

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import run  # noqa: E402

# Dumps with assembly that is Triton's own are for looking at, not for keeping.
NOT_KEPT = {"fp8e4b15.py"}

# What has another name since.
gluon.aggregate = _aggregate
gl.barrier = gl.thread_barrier
ampere.async_copy.async_load = ampere.async_copy.async_copy_global_to_shared
hopper.async_copy.async_load = hopper.async_copy.async_copy_global_to_shared
hopper.tma.async_load = hopper.tma.async_copy_global_to_shared
hopper.tma.async_store = hopper.tma.async_copy_shared_to_global

# Longer ones are unrolled code, of which the short ones have everything.
LONGEST = 12000
TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "int1",
         **{f"{letter}{bits}": f"{name}{bits}" for bits in (8, 16, 32, 64)
            for letter, name in (("i", "int"), ("u", "uint"))}}


class Made(Exception):
    """Holds the IR: there is no need for machine code."""


class NoGpu:
    """What Triton asks of its driver until it has compiled."""

    def __init__(self, capability):
        self.capability = capability

    def get_current_target(self):
        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self):
        return self.capability

    def get_current_stream(self, device):
        return 0


def stop(self, module, metadata, options, capability):
    raise Made(module.str_nodebug())


def value_of(text, known, scope):
    """A tensor's type as a stand-in, or the value of any other argument."""
    tensor = re.match(r"(randn|rand|randint|arange|zeros|ones|full|empty|where)\(", text)
    if not tensor:
        return eval(text, scope, dict(known))
    names = re.findall(r"\b([a-z]+\d+)\b(?=\s*[,)])", text)
    return MockTensor(getattr(triton.language, TYPES[names[-1]]))


def compile_line(module, arguments, capability):
    """The IR of one RUN line."""
    driver.set_active(NoGpu(capability))
    kernel, *rest = arguments
    values, options = {}, {}
    words = iter(rest)
    for word in words:
        if word.startswith("--"):
            option, given = word[2:].replace("-", "_"), next(words)
            if option in ("num_warps", "num_ctas", "maxnreg"):
                options[option] = int(given)
            continue
        name, text = word.split("=", 1)
        values[name] = value_of(text, values, vars(module))
    function = getattr(module, kernel)
    known = {name: value for name, value in values.items() if name in function.arg_names}
    try:
        function.run(grid=(1, 1, 1), warmup=True, **known, **options)
    except Made as made:
        return made.args[0]
    raise RuntimeError("nothing was compiled")


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(path, test, module):
    """Writes the dump of one test, or says why there is none."""
    name, problem = run.dump_of(path, test), ""
    for capability in (80, 90):
        try:
            text = compile_line(module, test[1], capability)
        except Exception as error:
            problem = (str(error.__cause__ or error).strip().splitlines() or ["an assertion"])[-1][:100]
            continue
        if len(text) <= LONGEST and path.name not in NOT_KEPT:
            name.write_text(text)
        return
    print(f"{name.name}: {problem}", flush=True)


def main():
    CUDABackend.make_llir = stop
    triton.knobs.compilation.always_compile = True
    # Their names of today.
    gluon.aggregate = triton.language.core._aggregate
    files = [pathlib.Path(name).resolve() for name in sys.argv[1:]]
    if not files:
        # One process each: Triton aborts on some kernels, which ends the file.
        for path in sorted(HERE.parent.glob("*.py")):
            if path.name != "run.py":
                subprocess.run([sys.executable, __file__, str(path)], timeout=300)
    for path in files:
        try:
            module = load(path)
        except (AttributeError, ImportError, TypeError) as error:
            print(f"{path.name}: {error}")
            continue
        for test in run.read_tests(path):
            if "--target" not in test[1]:
                write(path, test, module)


if __name__ == "__main__":
    main()
