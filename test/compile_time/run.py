#!/usr/bin/env python3
"""Runs programs.py in CPython and in the compiler's evaluator, and compares the results.

    run.py --gluonc build/release/bin/gluonc [NAME...]
"""

import argparse
import importlib.util
import inspect
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

KERNEL = """
from triton.experimental import gluon as _gluon
from triton.experimental.gluon import language as _gl
_program = _gluon.constexpr_function({name})

@_gluon.jit
def _kernel():
    _gl.static_print(_program())
"""


def load(path):
    spec = importlib.util.spec_from_file_location("programs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = module
    spec.loader.exec_module(module)
    return module

STATIC_PRINT = " [GL2033 StaticPrint]"


def evaluate(gluonc, text, name):
    """What the compiler prints for the program, or its first error."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "programs.py"
        path.write_text(text + KERNEL.format(name=name), encoding="utf-8")
        run = subprocess.run([gluonc, "compile", f"{path}::_kernel", "--target", "cuda:90a", "--emit",
                              "ttgir", "-o", "-"], capture_output=True, text=True, timeout=60)
    for line in run.stderr.splitlines():
        if line.endswith(STATIC_PRINT):
            return line.split("warning: ", 1)[1].removesuffix(STATIC_PRINT)
        if "error: " in line:
            return line.split("programs.py", 1)[-1]
    return f"exit status {run.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    path = HERE / "programs.py"
    module, failures, count = load(path), 0, 0
    for name, program in inspect.getmembers(module, inspect.isfunction):
        if program.__module__ != "programs" or (options.names and name not in options.names):
            continue
        count += 1
        expected, actual = str(program()), evaluate(options.gluonc, path.read_text(), name)
        if expected != actual:
            failures += 1
            print(f"{name}:\n  CPython {expected}\n  gluonc  {actual}")
    print(f"compile_time: {count - failures} passed, {failures} failed")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
