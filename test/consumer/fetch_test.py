#!/usr/bin/env python3
"""A project that fetches the checkout by CMake's FetchContent and builds a bundle.

    fetch_test.py CHECKOUT GLUONC CXX CC

With a compiler that is there, no more than the launcher is built; without one, the compiler would be.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from deb_test import CONSUMER, COPY, KERNELS, run

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
include(FetchContent)
FetchContent_Declare(gluonc SOURCE_DIR CHECKOUT)
FetchContent_MakeAvailable(gluonc)
add_executable(consumer consumer.cpp)
gluonc_add_kernels(consumer FILES kernels.toml OPTIONS --ptx --no-cache)
"""


def main():
    checkout, program, cxx, cc = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, text in (("CMakeLists.txt", PROJECT.replace("CHECKOUT", checkout)), ("kernels.toml", KERNELS), ("copy.py", COPY),
                           ("consumer.cpp", CONSUMER)):
            (work / name).write_text(text)

        def configure(build, *options):
            run("cmake", "-G", "Ninja", "-S", work, "-B", work / build, f"-DCMAKE_CXX_COMPILER={cxx}", f"-DCMAKE_C_COMPILER={cc}", *options)

        # What `ninja` alone would do.
        configure("whole")
        plan = run("ninja", "-C", work / "whole", "-t", "commands")
        assert "kernels.gluonpack" in plan and "gluonc_tool" in plan and "_test.dir" not in plan, plan[-2000:]
        configure("launcher", f"-DGLUONC_PROGRAM={program}")
        assert "gluonc_tool" not in run("ninja", "-C", work / "launcher", "-t", "commands")
        said = run("ninja", "-C", work / "launcher")
        count = int(re.findall(r"^\[\d+/(\d+)\]", said, re.M)[-1])
        assert run(work / "launcher/consumer") == "opened\n"
    print(f"a fetched checkout builds the launcher and a bundle in {count} steps")


if __name__ == "__main__":
    main()
