#!/usr/bin/env python3
"""Compiles kernels of n and of 2n statements: work grows with the program, not with its square.

    run.py --gluonc build/release/bin/gluonc [--statements N] [--exponents] [NAME...]

A kind of statement passes where the CPU time for 2n is below `BOUND` times that for n. What is so
short that starting the program decides passes, too. --exponents prints what was measured.
"""

import argparse
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

import programs

# Twice as much takes twice as long; four times would be a square. Other processes make it noisy.
BOUND = 3.2
STATEMENTS = 2000
SHORT = 0.4
# Statements that are large, or whose growth is known (docs/limits.md), in smaller numbers.
FEWER = {"while_loops": 1000, "nested_loops": 1000, "reductions": 300,
         "noinline_functions": 700, "live_buffers": 1000, "many_partitions": 500, "conversions": 1000}


def seconds(gluonc, path):
    """CPU time of one compilation; None where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([gluonc, "compile", f"{path}::kernel", *programs.SIGNATURE, "--target", "cuda:90a",
                          "--emit", "ptx", "-o", "/dev/null", "--no-cache"], capture_output=True, text=True,
                         timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        print(run.stderr[:400])
        return None
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(gluonc, folder, name, statements):
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text(programs.PROGRAMS[name](statements), encoding="utf-8")
    return seconds(gluonc, path)


def grows_as_it_should(gluonc, folder, name, statements, show):
    for _ in range(2):
        one = measure(gluonc, folder, name, statements)
        two = measure(gluonc, folder, name, 2 * statements)
        if one is None or two is None:
            return False
        if show:
            print(f"{name:20} {statements:6} {one:6.2f} s {two:6.2f} s  n^{math.log2(two / one):.2f}", flush=True)
        if two < max(SHORT, BOUND * one):
            return True
    print(f"{name}: {one:.2f} s for {statements} statements, {two:.2f} s for twice as many")
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--statements", type=int)
    parser.add_argument("--exponents", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or list(programs.PROGRAMS)
    with tempfile.TemporaryDirectory() as folder:
        failures = sum(
            not grows_as_it_should(options.gluonc, folder, name,
                                   options.statements or FEWER.get(name, STATEMENTS), options.exponents)
            for name in names)
    print(f"growth: {len(names) - failures} passed, {failures} failed")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
