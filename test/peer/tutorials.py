#!/usr/bin/env python3
"""Runs every kernel of Triton's first two Gluon tutorials, unchanged, through gluonc.

    tutorials.py --gluonc BIN --device cpu|cuda FOLDER

FOLDER holds 01-intro.py and 02-layouts.py of a Triton checkout (not part of
this repository). Sizes that divide the block and sizes that do not; random
inputs, poisoned outputs, exact comparison.
"""

import argparse
import pathlib
import subprocess
import sys


def blocked(size, threads, warps, order):
    return f"gl.BlockedLayout({size}, {threads}, {warps}, {order})"


ROWS = blocked([1, 1], [1, 32], [1, 4], [1, 0])
COLUMNS = blocked([1, 1], [32, 1], [4, 1], [0, 1])


def one_dimensional():
    yield "01-intro.py::copy_scalar_kernel", ["in_ptr=randn(1, f32)", "out_ptr=empty(1, f32)"], "1", 1, "out_ptr == in_ptr"
    for kernel in ("memcpy_kernel", "memcpy_kernel_autotune"):
        for n in (40, 64, 500):
            yield (f"01-intro.py::{kernel}", [f"xnumel={n}", "in_ptr=randn(xnumel, f32)", "out_ptr=empty(xnumel, f32)", "XBLOCK=64"],
                   "gl.cdiv(xnumel, XBLOCK)", 1, "out_ptr == in_ptr")
    for n in (200, 1000, 1024, 8192):
        for block in (128, 256):
            for registers in (1, 2, 8):
                layout = blocked([registers], [32], [4], [0])
                yield ("02-layouts.py::memcpy_1d_kernel", [f"xnumel={n}", "in_ptr=randn(xnumel, f32)", "out_ptr=empty(xnumel, f32)",
                       f"XBLOCK={block}", f"layout={layout}"], "gl.cdiv(xnumel, XBLOCK)", 4, "out_ptr == in_ptr")


def strides(m, n, transposed):
    return (1, m) if transposed else (n, 1)


def two_dimensional():
    for m, n in ((100, 2000), (1000, 200), (256, 512)):
        for xblock, yblock in ((128, 256), (256, 128)):
            for t_in, t_out in ((False, False), (True, True), (True, False), (False, True)):
                shapes = {False: f"({m}, {n})", True: f"({n}, {m})"}
                (si, sj), (di, dj) = strides(m, n, t_in), strides(m, n, t_out)
                common = [f"xnumel={m}", f"ynumel={n}", f"in_ptr=randn({shapes[t_in]}, f32)", f"out_ptr=empty({shapes[t_out]}, f32)",
                          f"xstride_in={si}", f"ystride_in={sj}", f"xstride_out={di}", f"ystride_out={dj}",
                          f"XBLOCK={xblock}", f"YBLOCK={yblock}"]
                expect = f"out_ptr{'.T' if t_out else ''} == in_ptr{'.T' if t_in else ''}"
                grid = "gl.cdiv(xnumel, XBLOCK), gl.cdiv(ynumel, YBLOCK)"
                yield "02-layouts.py::memcpy_2d_kernel", [*common, f"layout={ROWS}"], grid, 4, expect
                if xblock == yblock or (xblock, yblock) == (128, 256):
                    # Two layouts: the tile is converted between load and store.
                    converted = [*common[:-2], "XBLOCK=128", "YBLOCK=128"]
                    yield ("02-layouts.py::memcpy_2d_inout_kernel",
                           [*converted, f"layout_in={COLUMNS if t_in else ROWS}", f"layout_out={COLUMNS if t_out else ROWS}"],
                           grid, 4, expect)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()

    files = [options.folder / "01-intro.py", options.folder / "02-layouts.py"]
    check = subprocess.run([options.gluonc, "check", *map(str, files)], capture_output=True, text=True)
    failures = 0 if check.returncode == 0 else 1
    print("check:", "accepted" if not failures else check.stderr)
    count = 0
    for kernel, arguments, grid, warps, expect in [*one_dimensional(), *two_dimensional()]:
        command = [options.gluonc, "run", str(options.folder / kernel), *arguments, "--grid", grid, "--num-warps", str(warps),
                   "--device", options.device, "--expect", expect]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300)
        count += 1
        if result.returncode:
            failures += 1
            print(" ".join(command), result.stdout, result.stderr, sep="\n")
    print(f"tutorials ({options.device}): {count} runs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
