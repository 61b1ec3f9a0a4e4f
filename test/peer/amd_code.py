#!/usr/bin/env python3
"""Compares AMD machine code that gluonc and Triton make of the same kernels.

Kernels of test/exec, as gluonc's IR for a chip, are compiled by both. Of each code object: vector and
scalar registers, bytes of LDS, spilled registers, instructions, waits, and of the matrix cores'
instructions which there are and how often; the time from IR to code object.

    PYTHONPATH=FOLDER_OF_TRITON amd_code.py --gluonc build/release/bin/gluonc [--target hip:gfx942]
        [--repeat N] [--code FILE.json] [KERNEL_FILE...]

Each side's time is the least of N (3). FILE.json is written anew behind every kernel file, so that a run
that is ended early keeps what it has. For chips with waves of 64 lanes, blocked layouts of 32 get twice as
many. What either side does not compile is counted. Exit status 0, or 1 where matrix instructions differ.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/exec"))
import run  # noqa: E402
from signatures import signature  # noqa: E402

METADATA = {"vgprs": "vgpr_count", "sgprs": "sgpr_count", "lds_bytes": "group_segment_fixed_size",
            "spilled_vgprs": "vgpr_spill_count", "spilled_sgprs": "sgpr_spill_count"}


def facts(assembly):
    """What the metadata and the instructions of an assembly say."""
    found = {name: int((re.findall(rf"\.{key}:\s+(\d+)", assembly) or [0])[0]) for name, key in METADATA.items()}
    code = re.split(r"^\.Lfunc_end|^\s+\.section\s+\.rodata", assembly.split(".p2align", 1)[-1], flags=re.M)[0]
    words = re.findall(r"^\s+([a-z]\w+)(?=\s|$)", code, re.M)
    # A packed pair is two instructions.
    found["instructions"] = sum(1 + word.startswith("v_dual_") for word in words)
    found["waits"] = sum(word.startswith(("s_waitcnt", "s_wait_")) for word in words)
    found["matrix"] = dict(collections.Counter(word for word in words if re.match(r"v_(mfma|wmma|swmmac)", word)))
    return found


def by_triton(ttgir, chip, warps, repeat):
    """(assembly, milliseconds from IR to code object)"""
    import triton
    from triton.backends.compiler import GPUTarget
    lanes = 64 if f"hip:{chip}" in run.WIDE_WAVES else 32
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.ttgir"
        path.write_text(ttgir)
        best = math.inf
        for _ in range(repeat):
            begin = time.perf_counter()
            made = triton.compile(str(path), target=GPUTarget("hip", chip, lanes), options={"num_warps": warps})
            best = min(best, time.perf_counter() - begin)
        return made.asm["amdgcn"], best * 1e3


class Triton:
    """Compiles in a process of its own: what Triton aborts on ends that one."""

    def __init__(self):
        self.pool = None

    def compile(self, *arguments):
        self.pool = self.pool or concurrent.futures.ProcessPoolExecutor(1)
        try:
            return self.pool.submit(by_triton, *arguments).result()
        except concurrent.futures.process.BrokenProcessPool:
            self.pool = None
            raise


def by_gluonc(gluonc, ttgir, target, repeat):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.ttgir"
        path.write_text(ttgir)
        command = [gluonc, "compile", str(path), "--target", target]
        text = subprocess.run([*command, "--emit", "amdgcn", "-o", "-"], capture_output=True, text=True)
        if text.returncode:
            return None, text.stderr
        timed = subprocess.run([*command, "--repeat", str(repeat)], capture_output=True, text=True)
        if timed.returncode:
            return None, timed.stderr
        return text.stdout, json.loads(timed.stdout)["total_min_ms"]


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def summary(target, kernels):
    ratio = lambda key: [each["gluonc"][key] / each["triton"][key] for each in kernels if each["triton"][key]]
    more = {key: sum(each["gluonc"][key] > each["triton"][key] for each in kernels) for key in METADATA}
    return {"target": target, "kernels": len(kernels), "instructions": mean(ratio("instructions")),
            "more_than_triton": more, "vgprs": mean(ratio("vgprs")),
            "waits": mean([max(r, 1e-9) for r in ratio("waits")]), "compile_time": mean(ratio("milliseconds"))}


def show(result, kernels):
    counts = [each["gluonc"]["instructions"] / each["triton"]["instructions"] for each in kernels]
    print(f"{result['target']}: {len(kernels)} kernels; ÷ Triton's: instructions {result['instructions']:.3f} "
          f"({min(counts):.2f} to {max(counts):.2f}), vector registers {result['vgprs']:.3f}, "
          f"time {result['compile_time']:.3f}; more than Triton's in {result['more_than_triton']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--target", default="hip:gfx942")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--code", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    chip = options.target.split(":")[1]
    is_wide = options.target in run.WIDE_WAVES
    kernels, refused, differ = [], collections.Counter(), 0
    triton = Triton()
    for path in options.files or sorted((ROOT / "test/exec").glob("*.py")):
        if path.name in run.SCRIPTS:
            continue
        if is_wide:
            for each in path.parent.glob("*.py"):
                (run.WIDENED / each.name).write_text(run.widen(each.read_text(encoding="utf-8")), encoding="utf-8")
        done = set()
        for line, (kernel, *arguments), kind, _ in run.read_tests(path):
            words = arguments
            if kind == "FAULT" or ("--target" in words and words[words.index("--target") + 1] != options.target):
                continue
            try:
                words = signature([run.widen(word) for word in words] if is_wide else words)
            except KeyError:
                refused["signature"] += 1
                continue
            if (kernel, *words) in done:
                continue
            done.add((kernel, *words))
            source = run.WIDENED / path.name if is_wide else path
            ir = subprocess.run([options.gluonc, "compile", f"{source}::{kernel}", *words, "--target", options.target,
                                 "--emit", "ttgir", "-o", "-", *run.INCLUDE], capture_output=True, text=True)
            if ir.returncode:
                refused["gluonc's front end"] += 1
                continue
            ours, mine = by_gluonc(options.gluonc, ir.stdout, options.target, options.repeat)
            if ours is None:
                refused[re.sub(r"^.*?error: ", "gluonc: ", mine.strip().splitlines()[0])] += 1
                continue
            warps = int(re.search(r'"ttg.num-warps" = (\d+)', ir.stdout)[1])
            try:
                theirs, its = triton.compile(ir.stdout, chip, warps, options.repeat)
            except Exception:  # Triton's own limits are not ours.
                refused["triton"] += 1
                continue
            each = {"name": f"{path.name}:{line} {kernel}", "gluonc": {**facts(ours), "milliseconds": mine},
                    "triton": {**facts(theirs), "milliseconds": its}}
            kernels.append(each)
            if each["gluonc"]["matrix"] != each["triton"]["matrix"]:
                differ += 1
                print(f"{each['name']}: {each['gluonc']['matrix']} and Triton's {each['triton']['matrix']}")
        if options.code and kernels:
            options.code.write_text(json.dumps({**summary(options.target, kernels), "not_compiled": dict(refused),
                                                "last_file": path.name, "each": kernels}, indent=1) + "\n")
    if kernels:
        show(summary(options.target, kernels), kernels)
    print(f"not compiled: {dict(refused)}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
