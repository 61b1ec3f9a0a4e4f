#!/usr/bin/env python3
"""What a launch from Python costs: gluonc, Triton, torch.add and the bare driver call, in one process.

    launch.py --out FILE.json [--launches 10000] [--no-triton]

Every subject is measured twice. `burst`: each call is timed alone, and the device is waited for
after every 20. `queued`: 500 calls back to back, divided by 500. Both give medians in microseconds.
`first` holds first launches in fresh processes, with the disk cache empty and filled.
"""

import argparse
import ctypes
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
BURST, QUEUE = 20, 500


def load_kernels(package, folder):
    """kernels.py with `gluonc` or `triton.experimental.gluon`."""
    text = (HERE / "kernels.py").read_text().replace("gluonc", package, 1) \
        .replace("from gluonc", f"from {package}")
    text = text.replace("import gluonc as", f"import {package} as")
    path = pathlib.Path(folder) / f"kernels_{package.split('.')[0]}.py"
    path.write_text(text)
    sys.path.insert(0, str(folder))
    return __import__(path.stem)


def burst(call, launches):
    clock, times = time.perf_counter_ns, []
    for _ in range(launches // BURST):
        for _ in range(BURST):
            start = clock()
            call()
            times.append(clock() - start)
        torch.cuda.synchronize()
    return statistics.median(times) / 1e3


def queued(call, launches):
    times = []
    for _ in range(max(1, launches // QUEUE)):
        start = time.perf_counter_ns()
        for _ in range(QUEUE):
            call()
        times.append((time.perf_counter_ns() - start) / QUEUE)
        torch.cuda.synchronize()
    return statistics.median(times) / 1e3


def measure(call, launches):
    for _ in range(2 * QUEUE):
        call()
    torch.cuda.synchronize()
    return {"burst_us": burst(call, launches), "queued_us": queued(call, launches)}


class Bare:
    """cuLaunchKernelEx itself, on a function that gluonc loaded."""

    def __init__(self, folder):
        library = f"{folder}/bare.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", HERE / "bare.c", "-o", library, "-ldl"],
                       check=True)
        self._bare = ctypes.CDLL(library).bare

    def _times(self, compiled, parameters, rounds, length):
        times = (ctypes.c_double * (rounds * length))()
        failures = self._bare(ctypes.c_void_p(compiled.function), parameters, rounds, length, times)
        if failures:
            raise SystemExit(f"{failures} bare launches failed")
        return times

    def measure(self, compiled, parameters, launches):
        self._times(compiled, parameters, 2, QUEUE)
        short = self._times(compiled, parameters, launches // BURST, BURST)
        rounds = max(1, launches // QUEUE)
        long = self._times(compiled, parameters, rounds, QUEUE)
        means = [statistics.fmean(long[i * QUEUE:(i + 1) * QUEUE]) for i in range(rounds)]
        return {"burst_us": statistics.median(short) / 1e3,
                "queued_us": statistics.median(means) / 1e3}


FIRST = """
import time, torch
x = torch.zeros(1024, device="cuda")
y = torch.zeros(1024, device="cuda")
torch.cuda.synchronize()
start = time.perf_counter()
import {module} as kernels
after_import = time.perf_counter()
kernels.five[(1,)](x, y, x, 3, 5)
torch.cuda.synchronize()
end = time.perf_counter()
print((after_import - start) * 1e3, (end - after_import) * 1e3)
"""


def first_launch(module, folder, cache):
    environment = {**os.environ, "GLUONC_CACHE_DIR": cache, "TRITON_CACHE_DIR": cache,
                   "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    done = subprocess.run([sys.executable, "-c", FIRST.format(module=module)], env=environment,
                          capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr[-2000:]}
    imported, launched = map(float, done.stdout.split())
    return {"import_ms": imported, "launch_ms": launched}


def first_launches(modules, folder):
    results = {}
    for name, module in modules.items():
        with tempfile.TemporaryDirectory() as cache:
            results[name] = {"empty_cache": first_launch(module, folder, cache),
                             "from_cache": [first_launch(module, folder, cache)
                                            for _ in range(3)]}
    return results


def arguments():
    tensors = [torch.zeros(1024, device="cuda") for _ in range(10)]
    return {"five": (*tensors[:3], 3, 5),
            "nineteen": (*tensors, 3, 5, 7, 48, 1024, 9, 11, 13, 256)}


def subjects(modules, folder):
    """Name -> a call that launches."""
    calls = {}
    for name, module in modules.items():
        for kernel, values in arguments().items():
            launch = getattr(module, kernel)
            calls[f"{name} {kernel}"] = lambda launch=launch, values=values: launch[(1,)](*values)
    x, y = torch.zeros(1024, device="cuda"), torch.zeros(1024, device="cuda")
    calls["torch.add"] = lambda: torch.add(x, y, out=x)
    return calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--launches", type=int, default=10000)
    parser.add_argument("--no-triton", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packages = {"gluonc": "gluonc"}
        if not options.no_triton:
            packages["triton"] = "triton.experimental.gluon"
        modules = {name: load_kernels(package, folder) for name, package in packages.items()}
        results = {"device": torch.cuda.get_device_name(), "python": platform.python_version(),
                   "torch": torch.__version__, "launches": options.launches, "steady": {}}
        bare = Bare(folder)
        for kernel, values in arguments().items():
            compiled = getattr(modules["gluonc"], kernel)[(1,)](*values)
            results["steady"][f"bare {kernel}"] = bare.measure(
                compiled, len(compiled.executable.parameter_types) + 2, options.launches)
        for name, call in subjects(modules, folder).items():
            results["steady"][name] = measure(call, options.launches)
        results["first"] = first_launches(
            {name: module.__name__ for name, module in modules.items()}, folder)
    pathlib.Path(options.out).write_text(json.dumps(results, indent=1) + "\n")
    for name, times in results["steady"].items():
        print(f"{name:18} burst {times['burst_us']:7.3f} µs   queued {times['queued_us']:7.3f} µs")
    print(json.dumps(results["first"], indent=1))


if __name__ == "__main__":
    main()
