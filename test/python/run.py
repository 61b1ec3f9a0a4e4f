#!/usr/bin/env python3
"""Runs the tests of the Python package against a build; 77 where something needed is missing.

    run.py BUILD/python [pytest argument…]
"""

import importlib.util
import os
import pathlib
import sys


def main():
    package = pathlib.Path(sys.argv[1])
    missing = [name for name in ("pytest", "numpy") if importlib.util.find_spec(name) is None]
    if not list(package.glob("gluonc/_native*")):
        missing.insert(0, "the package (it needs nanobind when the build is configured)")
    if missing:
        print("skipped: missing", ", ".join(missing))
        return 77
    here = str(pathlib.Path(__file__).resolve().parent)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(package), here, *filter(None, [os.environ.get("PYTHONPATH")])])
    # Tests must not depend on what earlier ones left.
    os.environ["GLUONC_CACHE_DIR"] = ""
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                              here, *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
