"""`python -m gluonc script.py [argument…]`: runs a script written for Triton's Gluon."""

import os
import runpy
import sys

from gluonc import _aliases, __version__


def main():
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"gluonc {__version__}")
        return 0
    if not arguments or arguments[0].startswith("-"):
        print("usage: python -m gluonc SCRIPT [ARGUMENT…]\n"
              "Runs a script; its imports of triton.experimental.gluon get gluonc.",
              file=sys.stderr)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    _aliases.install()
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
