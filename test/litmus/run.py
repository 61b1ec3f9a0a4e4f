#!/usr/bin/env python3
"""Litmus tests: a kernel for each asynchronous instruction, and its mutants, which lack something.

On the simulator every correct kernel has to give the right result, without a fault, under every
schedule, and every mutant has to be at fault under every one. As executed PTX the correct kernels
have to give the right result, too. On a GPU they run many times over, every second time with random
delays between their steps. A mutant is `what is broken: kinds of faults that tell of it`, of which
WrongResult is one: some mistakes are no fault, but show.

    run.py [--seeds N]                          on the simulator
    run.py --device ptx                         the correct kernels, as executed PTX
    run.py --device cuda [--iterations N]       the correct kernels, N times in all each

Needs PyTorch and the package. Exit status 0 all is well, 1 something is not, 77 something is missing.
"""

import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from harness import CASES, SKIPPED, Environment, torch  # noqa: E402 I001
import gluonc  # noqa: E402
from gluonc._engine import engine  # noqa: E402

import blackwell  # noqa: E402 F401
import hopper  # noqa: E402 F401


def problem_of(name, broken, kinds, seeds):
    """What is wrong with a kernel of which something is broken, None if nothing; without `kinds` it is correct."""
    launch, holds = CASES[name].simulated(broken)
    for seed in [None, *range(seeds)]:
        engine().set_schedule_seed(seed)
        found = None
        try:
            launch()
        except gluonc.errors.GluonError as fault:
            found = [d["kind"] for d in fault.diagnostics]
        if not found and not holds():
            found = ["WrongResult"]
        if kinds is None and found:
            return f"{name}, seed {seed}: {found}"
        if kinds is not None and not (found and set(found) <= set(kinds)):
            return f"{name} without {broken}, seed {seed}: found {found}, not {kinds}"
    return None


def execute(name):
    """What is wrong with a correct kernel as executed PTX."""
    problem = problem_of(name, "nothing", None, 0)
    return [problem] if problem else []


def simulate(name, seeds):
    """What is wrong with a case on the simulator, one line each."""
    problems = (problem_of(name, broken, kinds, seeds)
                for broken, kinds in [("nothing", None), *CASES[name].mutants.items()])
    return [problem for problem in problems if problem]


def is_for_this_gpu(name):
    """Chips of one generation have a first digit, or two, in common."""
    return CASES[name].target[5:-2] == str(torch.cuda.get_device_capability()[0])


def stress(name, iterations):
    """What is wrong with a correct kernel on the GPU."""
    programs = 1000
    runs = [CASES[name].function(Environment("cuda", programs, how)) for how in ("nothing", "delayed")]
    for i in range(0, iterations, programs):
        launch, holds = runs[i // programs % 2]
        launch()
        if not holds():
            return [f"{name}: a wrong result in iterations {i} to {i + programs}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--device", choices=["cpu", "ptx", "cuda"], default="cpu")
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("cases", nargs="*", default=list(CASES))
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("litmus: skipped: no GPU")
        return SKIPPED
    if options.device == "cuda":
        options.cases = [name for name in options.cases if is_for_this_gpu(name)]
    if options.device == "ptx":
        os.environ["GLUONC_EXECUTE_PTX"] = "1"
    problems = []
    for name in options.cases:
        problems += (simulate(name, options.seeds) if options.device == "cpu" else
                     execute(name) if options.device == "ptx" else stress(name, options.iterations))
    for problem in problems:
        print(problem)
    mutants = sum(len(CASES[name].mutants) for name in options.cases) if options.device == "cpu" else 0
    print(f"litmus ({options.device}): {len(options.cases)} kernels, {mutants} mutants, "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
