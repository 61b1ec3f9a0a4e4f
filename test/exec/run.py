#!/usr/bin/env python3
"""Runs the execution tests: kernel files that state their own inputs and results.

A kernel file holds lines such as

    # RUN: scale x='randn(1000, f32)' y='empty(1000, f32)' n=1000 BLOCK=256 --grid 'gl.cdiv(n, BLOCK)'
    # EXPECT: y == 2 * x

Each RUN line, with the EXPECT line that follows it, is one test; the first word
is the kernel, the rest goes to `gluonc run` as it stands. A RUN line may end in
a backslash. FAULT in place of EXPECT names the diagnostic kind that the checker
must report (simulator only: a GPU gives no such check). A RUN line that says --target is for the
simulator of that chip. On `ptx`, the PTX for sm_90a as the CPU executes it, kernels
with instructions that are not executed yet are counted and skipped. With --target cuda:CHIP, tests
that name no chip run for that one, on `cpu` or `ptx`. Those that name another are left out; those
that need what it lacks are counted and skipped. On `amdgcn`, the machine code of AMD's chips,
kernels run as the chip --target says, gfx1100 unless told otherwise, or as the RUN line does; those
that need what it lacks, or have no machine code for it, are counted and skipped. For chips with
waves of 64 lanes, blocked layouts of 32 get twice as many. On `hip` it is the first AMD GPU that
says which chip; LD_LIBRARY_PATH=build/release/fake_hip FAKE_HIP_CHIP=gfx950 gives one that is none.

    run.py --gluonc build/release/bin/gluonc --device cpu|ptx|amdgcn|cuda|hip [--target CHIP] [--dumps]
           [FILE...]

With --dumps, what runs in place of each kernel is the IR that Triton made of it, from dumps/.

SIGTERM (of `timeout`, say) ends it with the counts so far. Exit status 0 all passed, 1 a failure or
not all run, 77 the device is not there.
"""

import argparse
import ast
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
# Some kernel files import those of the examples.
INCLUDE = ("-I", str(HERE.parents[1] / "examples"))
# What the executors say of instructions that they do not know, and compilations of what a chip
# lacks or has no machine code for.
UNKNOWN = "not executed yet"
UNKNOWN_TO_AMDGCN = "does not know this instruction"
LACKING = ("GL2059", "GL2508", "GL2520", "GL2553", "GL4001")
LACKING_NVIDIA = ("GL2553", "a cluster of several CTAs has no machine code")
# Assembly in the kernel is PTX.
ALIEN = ("inline_asm", "GL6041")
AMD = ("amdgcn", "hip")
WIDE_WAVES = ("hip:gfx942", "hip:gfx950")
# Copies of kernel files with wider waves.
FOLDER = tempfile.TemporaryDirectory()
WIDENED = pathlib.Path(FOLDER.name)
# What lies here and is no kernel file.
SCRIPTS = ("run.py", "targets.py")


def read_tests(path):
    """[(line, arguments, 'EXPECT' | 'FAULT', text)] of one kernel file."""
    tests, pending, run_line = [], None, 0
    joined = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("#"):
            continue
        text = line[1:].strip()
        if joined or text.startswith("RUN:"):
            if not joined:
                if pending:
                    raise SystemExit(f"{path}:{run_line}: RUN without EXPECT or FAULT")
                run_line = number
                text = text[4:]
            joined += text.rstrip("\\") + " "
            if text.endswith("\\"):
                continue
            pending, joined = shlex.split(joined), ""
        elif text.startswith(("EXPECT:", "FAULT:")):
            if not pending:
                raise SystemExit(f"{path}:{number}: EXPECT or FAULT without RUN")
            kind, rest = text.split(":", 1)
            tests.append((run_line, pending, kind, rest.strip()))
            pending = None
    if pending:
        raise SystemExit(f"{path}:{run_line}: RUN without EXPECT or FAULT")
    return tests


def target_of(test):
    """The chip that the RUN line names; empty where it names none."""
    words = test[1]
    return words[words.index("--target") + 1] if "--target" in words else ""


def is_simulator_only(test, device, chip=""):
    """PTX is executed for any of NVIDIA's chips, machine code for the chosen one of AMD's. Neither,
    nor a GPU, lets a load go on of which nobody knows what it gives."""
    vendor = {"ptx": "cuda:", "amdgcn": chip, "hip": chip}.get(device)
    target = target_of(test)
    return test[2] == "FAULT" or "--unknown-reads" in test[1] or bool(target) and not (vendor and target.startswith(vendor))


def widen(text):
    """Blocked layouts of 32 lanes with 64: twice as many along the dim that has most."""
    def wider(match):
        lanes = ast.literal_eval(match[2])
        if math.prod(lanes) != 32:
            return match[0]
        most = lanes.index(max(lanes))
        return match[1] + str([2 * n if i == most else n for i, n in enumerate(lanes)])
    return re.sub(r"(BlockedLayout\(\[[^\]]*\], )(\[[\d, ]+\])", wider, text)


def dump_of(path, test):
    """Where Triton's IR of a test is, if anywhere. Tests of one kernel differ by their arguments."""
    marks = hashlib.sha256(" ".join(test[1]).encode()).hexdigest()[:6]
    return HERE / "dumps" / f"{path.stem}.{test[1][0]}.{marks}.ttgir"


def run_one(gluonc, device, chip, dumps, path, test):
    """None when the test passes, else what went wrong."""
    line, (kernel, *arguments), kind, text = test
    if chip and not target_of(test):
        arguments += ["--target", chip]
        if chip in WIDE_WAVES:
            arguments = [widen(word) for word in arguments]
            path = WIDENED / path.name
    command = [gluonc, "run", f"{path}::{kernel}", *arguments, "--device", device, *INCLUDE]
    if dumps:
        command += ["--ttgir", str(dump_of(path, test))]
    if kind == "EXPECT":
        command += ["--expect", text]
    else:
        command += ["--diagnostics=json"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return f"{path}:{line}: timed out"
    output = result.stdout + result.stderr
    wanted = 0 if kind == "EXPECT" else 3
    if (device == "ptx" and UNKNOWN in output) or (device in AMD and UNKNOWN_TO_AMDGCN in output):
        return UNKNOWN
    if result.returncode == wanted and (kind == "EXPECT" or f'"kind":"{text}"' in output):
        return None
    lacking = LACKING if device in AMD else LACKING_NVIDIA
    if chip and any(mark in output for mark in lacking):
        return LACKING
    if device in AMD and ALIEN[1] in output and ALIEN[0] in path.read_text(encoding="utf-8"):
        return LACKING
    return f"{path}:{line}: exit status {result.returncode}, wanted {wanted}\n  {shlex.join(command)}\n{output}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--target", default="")
    parser.add_argument("--dumps", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.device in AMD:
        options.target = options.target or "hip:gfx1100"
    vendor = "hip:" if options.device in AMD else "cuda:"
    if options.target and (options.device == "cuda" or not options.target.startswith(vendor)):
        parser.error(f"--device {options.device} does not run as {options.target}")

    on_cpu = options.device in ("cpu", "ptx", "amdgcn")
    if not on_cpu:
        info = subprocess.run([options.gluonc, "info", "--format", "json"], capture_output=True,
                              text=True)
        first = [device for device in json.loads(info.stdout)["devices"]
                 if device.get("device") == f"{options.device}:0"]
        if options.device == "hip" and first:
            options.target = "hip:" + first[0]["chip"]
    has_device = on_cpu or first

    jobs, simulator_only, others = [], 0, 0
    for path in options.files or sorted(HERE.glob("*.py")):
        if path.name in SCRIPTS:
            continue
        for test in read_tests(path):
            if (vendor == "cuda:" and options.target and
                    target_of(test) not in ("", options.target)):
                others += 1
                continue
            if options.device != "cpu" and is_simulator_only(test, options.device, options.target):
                simulator_only += 1
                continue
            if options.dumps and not dump_of(path, test).exists():
                continue
            jobs.append((path, test))
    if not jobs:
        sys.exit("exec: found no tests")
    if not has_device:
        print(f"exec: 0 passed, 0 failed, {len(jobs)} skipped (no {options.device} device)")
        return SKIPPED

    # Each process on a GPU makes a context of its own.
    if options.device in AMD and options.target in WIDE_WAVES:
        for path in HERE.glob("*.py"):
            (WIDENED / path.name).write_text(widen(path.read_text(encoding="utf-8")),
                                             encoding="utf-8")
    workers = os.cpu_count() if on_cpu else min(12, os.cpu_count())
    done = failed = unknown = lacking = 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pool = concurrent.futures.ThreadPoolExecutor(workers)
    outcome = lambda job: run_one(options.gluonc, options.device, options.target, options.dumps,
                                  *job)
    try:
        for failure in pool.map(outcome, jobs):
            done += 1
            if failure == UNKNOWN:
                unknown += 1
            elif failure == LACKING:
                lacking += 1
            elif failure:
                failed += 1
                print(failure, flush=True)
    except KeyboardInterrupt:
        pass
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    name = f"{options.device} {options.target}".rstrip()
    passed = done - failed - unknown - lacking
    print(f"exec ({name}): {passed} passed, {failed} failed, "
          f"{simulator_only} simulator-only skipped" + f", {others} for other chips" * bool(others) +
          f", {unknown} {UNKNOWN}" * bool(unknown) +
          f", {lacking} lack what they need" * bool(lacking) +
          f", {len(jobs) - done} not run: ended before" * (done < len(jobs)))
    return 1 if failed or done < len(jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
