#!/usr/bin/env python3
"""Compiles what `gluonc lift` prints with Triton, for chips that need not be there.

    lifted.py --gluonc build/release/bin/gluonc [--target cuda:90a]... [FILE...]

Run it with a Python that has Triton; not part of `./dev test`. Kernels are those of test/lift/run.py,
for which it says how they are lifted. Prints what Triton refuses, and counts. Exit status 0.
"""

import argparse
import collections
import importlib.util
import pathlib
import re
import sys
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonASTSource

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "lift"))
import run as lift  # noqa: E402

CHIPS = {"cuda:80": GPUTarget("cuda", 80, 32), "cuda:90a": GPUTarget("cuda", 90, 32),
         "hip:gfx942": GPUTarget("hip", "gfx942", 64), "hip:gfx1250": GPUTarget("hip", "gfx1250", 32)}


def compile_lifted(path, name, target):
    """Compiles for the arguments that the head of the file lists; values of constants do not matter."""
    spec = importlib.util.spec_from_file_location("lifted", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, name)
    text = path.read_text(encoding="utf-8")
    types, constants, attributes = {}, {}, {}
    for parameter, what in re.findall(r"^#     (\w+): (.*)$", text, re.M):
        types[parameter], _, divisible = what.partition(":")
        if what.startswith("constexpr("):
            types[parameter], constants[parameter] = "constexpr", 0
        elif divisible:
            attributes[kernel.arg_names.index(parameter),] = [["tt.divisibility", 16]]
    warps = int(re.search(r"(\d+) warp", text)[1])
    source = GluonASTSource(kernel, types, constants, attributes)
    triton.compile(source, target=CHIPS[target], options={"num_warps": warps})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--target", action="append", choices=CHIPS)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for case in lift.read_cases(options.gluonc, pathlib.Path(folder), options.files, options.target or CHIPS):
            if case.target not in CHIPS or case.lift()[0]:
                continue
            try:
                compile_lifted(case.lifted, case.kernel, case.target)
                counts[case.target, "compiled"] += 1
            except Exception as error:  # Triton raises what it likes.
                counts[case.target, "refused"] += 1
                print(f"{case.name()}: {type(error).__name__}: {(str(error).splitlines() or [''])[-1]}")
    for (target, outcome), count in sorted(counts.items()):
        print(f"{target}: {count} {outcome}")


if __name__ == "__main__":
    main()
