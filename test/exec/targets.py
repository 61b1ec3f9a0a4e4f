#!/usr/bin/env python3
"""Compiles the kernels of the execution tests for every chip, down to machine code.

Each test sees sm_80, 90 and 100 and one of the others in turn. A chip may lack what a kernel uses; then gluonc says so itself, with a diagnostic. ptxas never is
the one to refuse. A driver that is not one (test/driver/fake_cuda) stands in for a GPU of the chip.

    targets.py --gluonc build/release/bin/gluonc --fake-cuda build/release/fake_cuda [FILE...]

Exit status 0 all right, 1 a failure, 77 ptxas is not there.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

import run

CHIPS = [80, 90, 100]
OTHERS = [86, 89, 120]
# For kernels that name a chip.
LIKE = {"cuda:100a": [100, 103, 110], "cuda:103a": [103, 110], "cuda:110a": [110], "cuda:120a": [120, 121]}
# Diagnostics that blame the compiler, not the kernel.
OUR_FAULT = {"InvalidIr", "InvalidTtgir", "PtxasRejected", "InternalError"}


def kinds(output):
    for line in output.splitlines():
        if line.startswith("{"):
            report = json.loads(line)
            if report.get("severity") == "error":
                yield report["kind"]


def chips_of(number, test):
    words = test[1]
    if "--target" not in words:
        return [*CHIPS, OTHERS[number % len(OTHERS)]]
    return LIKE.get(words[words.index("--target") + 1], [])


def without_target(arguments):
    if "--target" not in arguments:
        return arguments
    at = arguments.index("--target")
    return arguments[:at] + arguments[at + 2:]


def compile_one(options, path, chip, test):
    """(the first kind of diagnostic or "compiled", None or what went wrong)."""
    line, (kernel, *arguments), kind, text = test
    command = [options.gluonc, "run", f"{path}::{kernel}", *without_target(arguments), "--device", "cuda",
               "--no-cache", "--diagnostics=json", *run.INCLUDE]
    # Some arguments are for the expectation only. Without a GPU it does not hold: exit status 3.
    if kind == "EXPECT":
        command += ["--expect", text]
    environment = dict(os.environ, LD_LIBRARY_PATH=options.fake_cuda, FAKE_CUDA_CHIP=str(chip))
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=120,
                                env=environment)
    except subprocess.TimeoutExpired:
        return "timed out", f"{path}:{line}: sm_{chip}: timed out"
    found = list(kinds(result.stderr))
    if result.returncode in (0, 3):
        return "compiled", None
    if found and result.returncode in (1, 4) and not OUR_FAULT.intersection(found):
        return found[0], None
    return "failed", (f"{path}:{line}: sm_{chip}: exit status {result.returncode}\n"
                      f"  {shlex.join(command)}\n{result.stdout}{result.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--fake-cuda", required=True)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    files = options.files or [path for path in sorted(run.HERE.glob("*.py"))
                              if path.name not in run.SCRIPTS]
    jobs = [(path, chip, test) for path in files for number, test in enumerate(run.read_tests(path))
            for chip in chips_of(number, test)]
    outcomes, failed = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcome, failure in pool.map(lambda job: compile_one(options, *job), jobs):
            outcomes[outcome] += 1
            if failure:
                failed += 1
                print(failure, flush=True)
    if outcomes["ToolMissing"]:
        print("exec/targets: ptxas is not there")
        return run.SKIPPED
    refused = {kind: n for kind, n in outcomes.items() if kind not in ("compiled", "failed")}
    print(f"exec/targets: {outcomes['compiled']} compiled, {refused} refused, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
