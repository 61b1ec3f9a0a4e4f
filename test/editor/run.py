#!/usr/bin/env python3
"""Sessions of a real client (pytest-lsp) with `gluonc lsp`; 77 where the client is not installed.

    run.py GLUONC [pytest argument…]
"""

import importlib.util
import os
import pathlib
import sys


def main():
    if importlib.util.find_spec("pytest_lsp") is None:
        print("skipped: missing pytest-lsp (`./dev test` installs it into build/venv where PyPI can be reached)")
        return 77
    os.environ["GLUONC"] = sys.argv[1]
    here = str(pathlib.Path(__file__).resolve().parent)
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", here,
                              here, *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
