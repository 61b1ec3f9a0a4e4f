#!/usr/bin/env python3
"""Time from source to code object for AMD's chips, gluonc's and Triton's, of the kernels of test/exec.

    amd_compile_time.py --gluonc build/release/bin/gluonc [--chips gfx942,gfx950,…] [--every N] [--json FILE] [FILE…]

Run it with a Python that has Triton 3.6 or newer; no GPU is needed. Each RUN line of a chip is
compiled from source by both, caches off, and the best of REPEAT times is kept. With --every only each Nth of
them is. Triton's time begins at the call of the kernel in a process that has compiled others of the
file; gluonc's is that of `gluonc compile --repeat`. Said are the geometric mean of gluonc's time ÷
Triton's, the range, and how many kernels either does not compile.
"""

import argparse
import importlib.util
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

import amd_objects
from amd_objects import CHIPS, EXEC, run
from signatures import signature

REPEAT = 3
SECONDS = 900


def widened(path, chip, folder):
    """The file, with layouts for waves of 64 lanes where the chip has such."""
    if CHIPS[chip] != 64:
        return path
    folder.mkdir(exist_ok=True, parents=True)
    (folder / path.name).write_text(run.widen(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder / path.name


def tests_of(path, chip, every):
    """Those that differ in more than data."""
    found, done = [], set()
    for test in run.read_tests(path):
        if not amd_objects.is_meant(test, chip):
            continue
        words = [run.widen(word) if CHIPS[chip] == 64 else word for word in test[1]]
        try:
            known = (words[0], *signature(words[1:]))
        except KeyError:
            continue
        if known not in done:
            done.add(known)
            found.append((test[0], words, known))
    return found[::every]


def time_triton(path, chip, every):
    """Prints a line of JSON for each RUN line: its number, and seconds or null."""
    amd_objects.prepare_triton(chip)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for line, words, _ in tests_of(path, chip, every):
        best = None
        try:
            for _ in range(REPEAT):
                function = getattr(module, words[0])
                function.device_caches.clear()
                begin = time.perf_counter()
                amd_objects.object_of(module, words, chip)
                seconds = time.perf_counter() - begin
                best = min(best or seconds, seconds)
        except Exception:  # Triton's own errors are of many types.
            best = None
        print(json.dumps([line, best]), flush=True)


def time_gluonc(gluonc, path, words, chip):
    """Seconds, or null."""
    command = [gluonc, "compile", f"{path}::{words[0]}", *words[1:], "--target", f"hip:{chip}",
               "--repeat", str(REPEAT), *run.INCLUDE]
    result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    return json.loads(result.stdout)["total_min_ms"] / 1e3 if result.returncode == 0 else None


def compare(gluonc, path, chip, every, folder):
    """[(name, gluonc's seconds, Triton's)] of one file; null for what does not compile."""
    source = widened(path, chip, folder / chip)
    command = [sys.executable, __file__, "--triton", str(source), "--chips", chip, "--every", str(every)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS,
                            env={**os.environ, "PYTHONPATH": os.pathsep.join(
                                filter(None, (run.INCLUDE[1], os.environ.get("PYTHONPATH"))))})
    theirs = dict(json.loads(line) for line in result.stdout.splitlines() if line.startswith("["))
    return [(f"{path.name}:{line}", time_gluonc(gluonc, source, known, chip), theirs.get(line))
            for line, _, known in tests_of(source, chip, every)]


def report(chip, rows):
    both = [(name, ours, its) for name, ours, its in rows if ours and its]
    ratios = [ours / its for _, ours, its in both]
    result = {"target": f"hip:{chip}", "kernels": len(both), "not_by_gluonc": sum(not row[1] for row in rows),
              "not_by_triton": sum(not row[2] for row in rows),
              "each": [{"name": name, "gluonc_s": ours, "triton_s": its} for name, ours, its in both]}
    if ratios:
        result["ratio"] = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"{chip}: {len(both)} kernels, gluonc's time ÷ Triton's {result['ratio']:.3f} "
              f"({min(ratios):.3f} to {max(ratios):.3f})", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--triton", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.triton:
        time_triton(options.triton, options.chips, options.every)
        return 0
    files = [path.resolve() for path in options.files] or [
        path for path in sorted(EXEC.glob("*.py")) if path.name not in run.SCRIPTS]
    results = []
    for chip in options.chips.split(","):
        rows = [row for path in files
                for row in compare(options.gluonc, path, chip, options.every, run.WIDENED)]
        results.append(report(chip, rows))
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
