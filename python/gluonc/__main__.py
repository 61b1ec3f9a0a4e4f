"""`python -m gluonc [--simulate TARGET] script.py [argument…]`: runs a script written for Triton's
Gluon. `python -m gluonc check|compile|…` is the command `gluonc`."""

import argparse
import os
import runpy
import sys

from gluonc import _aliases, _simulated, __version__


# Those of the program `gluonc`, which the package has beside its library.
_COMMANDS = ("run", "compile", "build", "tune", "bundle", "lift", "explain", "verify", "debug", "check", "lsp", "layout",
             "pipeline", "doc", "cache", "info", "completion", "man")
_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "gluonc")


def command():
    """The command `gluonc` of an environment that the package is installed in."""
    os.execv(_PROGRAM, ["gluonc", *sys.argv[1:]])


def _programs(text):
    return text if text == "all" else int(text)


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m gluonc",
        description="Runs a script; its imports of triton.experimental.gluon get gluonc.",
        epilog=f"With {', '.join(_COMMANDS)} as its first word it is the command `gluonc`.")
    parser.add_argument("--version", action="version", version=f"gluonc {__version__}")
    parser.add_argument("--simulate", metavar="TARGET", default=os.environ.get("GLUONC_SIMULATE"),
                        help="pretend that such a GPU is there: cuda:90a, cuda:100a, hip:gfx942, …")
    parser.add_argument("--programs", type=_programs, metavar="N",
                        help="on a simulated GPU, run the first N programs of every launch, or "
                             "`all`. By default only launches on tensors of 512 MiB and more, "
                             "those of benchmarks, are cut; results of cut ones are incomplete")
    parser.add_argument("--schedule-seed", type=int, metavar="N",
                        help="let the partitions of simulated kernels take turns at random, as N "
                             "decides (GLUONC_SCHEDULE_SEED)")
    parser.add_argument("--races", choices=("ignore", "warn", "fault"),
                        help="accesses of simulated programs to the same memory in no order: a fault "
                             "by default (GLUONC_RACES)")
    parser.add_argument("--masked-off", choices=("ignore", "warn", "fault"),
                        help="results that depend on masked-off elements of loads without `other`: a "
                             "warning by default (GLUONC_MASKED_OFF)")
    parser.add_argument("--unknown-reads", choices=("ignore", "warn", "fault"),
                        help="loads of what nothing has written, and behind the end of a tensor: a "
                             "fault by default (GLUONC_UNKNOWN_READS)")
    parser.add_argument("--max-branches", type=int, metavar="N",
                        help="branches after which a simulated program counts as endless, 2^26 by "
                             "default; 0: none (GLUONC_MAX_BRANCHES)")
    parser.add_argument("--triton", metavar="WHICH", choices=("installed", "own"),
                        default=os.environ.get("GLUONC_TRITON", "installed"),
                        help="what answers for the rest of triton: `installed`, where there is one "
                             "(default), or `own`, the names of gluonc (GLUONC_TRITON)")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def main():
    if sys.argv[1:2] and sys.argv[1] in _COMMANDS:
        return command()
    options = _parse(sys.argv[1:])
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    _aliases.install(options.triton)
    if options.simulate:
        _simulated.activate(options.simulate)
    for name in ("schedule_seed", "races", "masked_off", "unknown_reads", "max_branches"):
        if (value := getattr(options, name)) is not None:
            os.environ["GLUONC_" + name.upper()] = str(value)
    if options.programs is None:
        _simulated.shorten_benchmarks()
    elif options.programs != "all":
        _simulated.few_programs(options.programs).__enter__()
    runpy.run_path(options.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
