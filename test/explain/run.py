#!/usr/bin/env python3
"""Planted mistakes in kernels: `gluonc explain` names each at its line, and nothing else.

See planted.py for the form of the comments; planted_amd.py is for AMD's chips, planted_blackwell.py for Blackwell, planted_triton.py for Triton.

    run.py --gluonc BIN [--ptxas] [KERNEL...]
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
FILES = tuple(HERE / name for name in ("planted.py", "planted_amd.py", "planted_blackwell.py", "planted_triton.py"))
COMMENT = re.compile(r"# (RUN|MENDED|NEEDS): (.*)")
FINDS = re.compile(r"# FINDS: GL(\d+) (\w+)")
# Kernels of which other functions have a line that is found.
CALLED = {"gathers": ["fetch"], "hands_over": ["multiply_boxes"], "takes_turns": ["doubles"], "turned_elsewhere": ["turn_in"]}
# Nothing here takes longer on the executor, on any machine.
MOST_SECONDS = 20


def read_launches(text):
    """[(kernel, arguments, is mended, needs)], and {kernel: [(line, kind)]}; kernels that others call count with them."""
    launches, pending, finds, kernel, needs = [], [], {}, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := COMMENT.match(line):
            if match[1] == "NEEDS":
                pending = [(*launch[:3], match[2]) for launch in pending]
            else:
                name, *arguments = shlex.split(match[2])
                pending.append((name, arguments, match[1] == "MENDED", needs))
        elif match := re.match(r"def (\w+)\(", line):
            kernel = match[1]
            finds[kernel] = []
            launches += pending
            pending = []
        if match := FINDS.search(line):
            finds[kernel].append((number, match[2]))
    return launches, finds


def explain(gluonc, file, kernel, arguments):
    target = [] if "--target" in arguments else ["--target", "cuda:90a"]
    command = [str(gluonc), "explain", f"{file}::{kernel}", *arguments, *target, "--format", "json"]
    begin = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    seconds = time.monotonic() - begin
    if result.returncode:
        return None, result.stderr, seconds
    return json.loads(result.stdout), result.stderr, seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True, type=pathlib.Path)
    parser.add_argument("--ptxas", action="store_true", help="there is one: registers are known")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    launches = []
    for file in FILES:
        found, finds = read_launches(file.read_text(encoding="utf-8"))
        launches += [(file, finds, *launch) for launch in found]
    failed = skipped = 0
    slowest = 0
    for file, finds, kernel, arguments, is_mended, needs in launches:
        if options.kernels and kernel not in options.kernels:
            continue
        if needs == "ptxas" and not options.ptxas:
            skipped += 1
            continue
        what = f"{file.name}: {kernel} {'mended' if is_mended else ''}"
        report, errors, seconds = explain(options.gluonc.resolve(), file, kernel, arguments)
        slowest = max(slowest, seconds)
        expected = set() if is_mended else set(finds[kernel])
        for callee in CALLED.get(kernel, ()):
            expected |= set() if is_mended else set(finds[callee])
        if report is None or seconds > MOST_SECONDS:
            print(f"{what}: {seconds:.1f} s: {errors}")
            failed += 1
            continue
        found = {(f.get("line"), f["kind"]) for f in report["findings"]}
        if found != expected:
            failed += 1
            print(f"{what}: found {sorted(found)}, expected {sorted(expected)}")
            for finding in report["findings"]:
                print(f"    {finding.get('line')}: {finding['message']} {finding['hints']}")
    count = len(launches) - skipped
    print(f"explain: {count} launches, {failed} failed, {skipped} skipped; the slowest took {slowest:.1f} s")
    return 1 if failed or not launches else 0


if __name__ == "__main__":
    sys.exit(main())
