#!/usr/bin/env python3
"""Compile time of Triton's tutorials: gluonc beside Triton, same kernels, same ptxas, no caches.

    compile_tutorials.py FOLDER --out FILE.json [--only REGEX] [--count 5]

FOLDER is python/tutorials/gluon of a checkout that the installed Triton runs. No GPU is
needed: both sides compile for cuda:90. For each kernel: milliseconds from source text
to PTX, those with ptxas, and what the machine code takes (registers, spills,
instructions). Medians of runs that alternate, after one to warm up.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import types

os.environ.update(GLUONC_SIMULATE="cuda:90a", GLUONC_CACHE_DIR="", TRITON_ALWAYS_COMPILE="1",
                  TRITON_CACHE_DIR=tempfile.mkdtemp())
import gluonc  # noqa: E402
from gluonc import _native  # noqa: E402
os.environ.setdefault("TRITON_PTXAS_PATH", _native.find_ptxas())
import torch  # noqa: E402
import triton  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gpu"))
import sides  # noqa: E402
import tutorial_cases  # noqa: E402


class NoGpu:
    """What Triton asks a driver when it compiles."""

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")


def pretend():
    triton.runtime.driver.set_active(NoGpu())
    torch.cuda.get_device_capability = lambda *_: (9, 0)
    torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(multi_processor_count=132)


def make_tensors(problem):
    """Tensors of the right types; nobody looks at what is in them."""
    kind, *sizes = problem
    if kind == "add":
        return types.SimpleNamespace(**{name: torch.empty(*sizes, *sizes) for name in "abc"})
    m, n, k = sizes
    a, b = torch.empty(m, k, dtype=torch.float16), torch.empty(k, n, dtype=torch.float16)
    sums = torch.float32 if kind == "small" else torch.float16
    return types.SimpleNamespace(a=a, b=b, c=torch.empty(m, n, dtype=sums), d=torch.empty(m, n, dtype=sums))


class Triton:
    """Compiles the launches of a case by Triton."""

    def __init__(self, side):
        self.side, self.times, self.kernel = side, [], None
        with side.entered():
            from triton.runtime.jit import JITFunction
        run = JITFunction.run

        def compile_only(function, *args, grid, warmup=False, **kwargs):
            function.device_caches.clear()
            self.kernel = run(function, *args, grid=grid, warmup=True, **kwargs)
            return self.kernel
        JITFunction.run = compile_only
        triton.knobs.compilation.listener = lambda **event: self.times.append(event["times"])

    def compile(self, case, tensors):
        with self.side.entered():
            import triton.experimental.gluon.language as gl
            self.times.clear()
            case.call(self.side.tutorials, gl, tensors)
        (times, ) = self.times
        stages = {name: micros / 1e3 for name, micros in times.lowering_stages}
        assembling = stages.pop("cubin")
        before = times.ir_initialization / 1e3 + sum(stages.values())
        return before, before + assembling, self.kernel.asm["cubin"]


class Ours:
    """The same by gluonc."""

    def __init__(self, side):
        from gluonc import _engine, _jit, _scopes
        self.side, self.engine, self.scopes, captured = side, _engine.engine(), _scopes, []

        class Probe(_jit.GluonJITFunction):
            def _compile(self, specs, options, *_):
                captured.append((self, specs, options))
                raise StopIteration

        def skipped(function):
            return function.do_not_specialize, function.do_not_specialize_on_alignment
        self.skipped = skipped

        def launcher(function, grid):
            def launch(*args, **kwargs):
                probe = Probe(function.fn, *skipped(function), debug=function.debug)
                try:
                    probe._specialize(args, kwargs)
                except StopIteration:
                    pass
            return launch
        _jit.JITFunction.__getitem__ = launcher
        self.captured = captured
        # An engine without an assembler stops at PTX.
        self.without_ptxas = _native.Engine("", "")

    def compile(self, case, tensors):
        with self.side.entered():
            import triton.experimental.gluon.language as gl
            self.captured.clear()
            case.call(self.side.tutorials, gl, tensors)
            (probe, specs, options), = self.captured
            to_ptx, _ = self.make(self.without_ptxas, probe, specs, options)
            to_cubin, executable = self.make(self.engine, probe, specs, options)
        return to_ptx, to_cubin, executable.code("cubin")

    def make(self, engine, probe, specs, options):
        """Milliseconds from the file's text, which is read anew, to the last form that `engine` makes."""
        self.scopes.engine = lambda: engine
        fresh = type(probe)(probe.fn, *self.skipped(probe), debug=probe.debug)
        begin = time.perf_counter()
        executable = engine.make(fresh._specialization(specs, options), "cuda:90a", False)
        return 1e3 * (time.perf_counter() - begin), executable


def code_facts(cubin):
    """Registers, bytes of stack (spills) and instructions, by the tools that Triton ships."""
    tool = pathlib.Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        usage, sass = (subprocess.run([tool, option, file.name], capture_output=True, text=True, check=True).stdout
                       for option in ("-res-usage", "-sass"))
    registers, stack = map(int, re.search(r"REG:(\d+) STACK:(\d+)", usage).groups())
    return {"registers": registers, "stack_bytes": stack,
            "instructions": len(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+\S", sass, re.M))}


def run_case(compilers, case, tensors, count):
    times, facts = {name: [] for name in compilers}, {}
    for name, compiler in compilers.items():
        facts[name] = code_facts(compiler.compile(case, tensors)[2])
    for _ in range(count):
        for name, compiler in compilers.items():
            times[name].append(compiler.compile(case, tensors)[:2])
    result = {"name": case.name, "code": facts}
    for place, key in enumerate(("to_ptx_ms", "to_cubin_ms")):
        result[key] = {name: statistics.median(pair[place] for pair in pairs) for name, pairs in times.items()}
        result[key.replace("_ms", "_ratio")] = result[key]["gluonc"] / result[key]["triton"]
    return result


def line_of(result):
    parts = []
    for name in sides.NAMES[::-1]:
        facts = result["code"][name]
        parts.append(f"{name} {result['to_ptx_ms'][name]:6.1f} → {result['to_cubin_ms'][name]:6.1f} ms, "
                     f"{facts['registers']} registers, {facts['stack_bytes']} spilled, {facts['instructions']} long")
    return (f"{result['name']:50} {'; '.join(parts)}; 1/{1 / result['to_ptx_ratio']:.1f} to PTX, "
            f"1/{1 / result['to_cubin_ratio']:.2f} in all")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--count", type=int, default=5)
    options = parser.parse_args()

    pretend()
    both = sides.load(options.folder, tutorial_cases.FILES)
    compilers = {"triton": Triton(both["triton"]), "gluonc": Ours(both["gluonc"])}
    report = {"date": datetime.date.today().isoformat(), "triton": triton.__version__,
              "gluonc": gluonc.__version__, "ptxas": os.environ["TRITON_PTXAS_PATH"], "cases": []}
    seen = set()
    for case in tutorial_cases.all_cases(both["triton"]):
        # Other depths of K are the same code.
        kernel = re.sub(r" K=\d+$", "", case.name)
        if kernel in seen or not re.search(options.only, case.name):
            continue
        seen.add(kernel)
        report["cases"].append(run_case(compilers, case, make_tensors(case.problem), options.count))
        print(line_of(report["cases"][-1]), flush=True)
    for key in ("to_ptx_ratio", "to_cubin_ratio"):
        ratios = [result[key] for result in report["cases"]]
        report[key] = {"geometric_mean": math.exp(statistics.fmean(map(math.log, ratios))), "worst": max(ratios)}
        print(f"{key}: geometric mean 1/{1 / report[key]['geometric_mean']:.2f}, worst 1/{1 / report[key]['worst']:.2f}")
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)


if __name__ == "__main__":
    main()
