#!/usr/bin/env python3
"""Builds examples/engine, its kernels as PTX, and its tests, or runs what was built.

    build.py SOURCE BUILD CXX GLUONC_DIR
    build.py --run PROGRAM ARGUMENT…

Exit status 77: a library is missing, or the program is.
"""

import pathlib
import subprocess
import sys


def build(source, folder, compiler, gluonc):
    configured = subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_CXX_COMPILER={compiler}",
                                 "-DENGINE_TESTS=ON", "-DENGINE_PTX=ON", f"-Dgluonc_DIR={gluonc}"], capture_output=True, text=True)
    if configured.returncode:
        print(configured.stderr)
        return 77 if "The engine needs" in configured.stderr else 1
    return subprocess.run(["cmake", "--build", folder]).returncode


def run(program, *arguments):
    if not pathlib.Path(program).exists():
        print(f"skipped: there is no {program}")
        return 77
    return subprocess.run([program, *arguments]).returncode


if __name__ == "__main__":
    sys.exit(run(*sys.argv[2:]) if sys.argv[1] == "--run" else build(*sys.argv[1:]))
