#!/usr/bin/env python3
"""Speed of the simulator on a 64 MiB copy, beside the same tile program in NumPy.

    simulator.py --gluonc BIN [--out FILE.json]

The NumPy program does what the kernel says, one tile after another: offsets,
mask, gather under the mask, scatter under the mask. Without NumPy only our time
is printed.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "examples/memcpy.py"
ELEMENTS, BLOCK = 16 * 1024 * 1024, 2048


def ours(gluonc):
    command = [gluonc, "run", f"{SOURCE}::memcpy", f"n={ELEMENTS}", "src=randn(n, f32)", "dst=empty(n, f32)",
               f"BLOCK={BLOCK}", "layout=gl.BlockedLayout([4], [32], [4], [0])", "--grid", "gl.cdiv(n, BLOCK)",
               "--expect", "dst == src", "--device", "cpu", "--time"]
    times = []
    for _ in range(5):
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        value, unit = re.search(r"time:?\s+([\d.]+) (s|ms|us)", output).groups()
        times.append(float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit])
    return statistics.median(times)


def tiles_in_numpy(numpy):
    src = numpy.random.default_rng(0).standard_normal(ELEMENTS, dtype=numpy.float32)
    dst = numpy.full(ELEMENTS, numpy.nan, dtype=numpy.float32)
    lanes = numpy.arange(BLOCK, dtype=numpy.int32)
    start = time.perf_counter()
    for program in range((ELEMENTS + BLOCK - 1) // BLOCK):
        offsets = program * BLOCK + lanes
        inside = offsets < ELEMENTS
        tile = numpy.zeros(BLOCK, dtype=numpy.float32)
        tile[inside] = src[offsets[inside]]
        dst[offsets[inside]] = tile[inside]
    seconds = time.perf_counter() - start
    assert (src == dst).all()
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--out")
    options = parser.parse_args()
    report = {"bytes": 4 * ELEMENTS, "gluonc_s": ours(options.gluonc)}
    print(f"simulator: 64 MiB copied in {1e3 * report['gluonc_s']:.0f} ms")
    try:
        import numpy
    except ImportError:
        print("NumPy is not installed: no comparison")
    else:
        report["numpy_s"] = tiles_in_numpy(numpy)
        report["ratio"] = report["numpy_s"] / report["gluonc_s"]
        print(f"the same tiles in NumPy: {1e3 * report['numpy_s']:.0f} ms ({report['ratio']:.1f} x)")
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
