#!/usr/bin/env python3
"""Compile time of gluonc beside Triton's, same kernels, same machine, caches off.

    compile.py --gluonc BIN [--out FILE.json] [--count 20]

gluonc: `compile --repeat` (source to PTX in a warm process, medians), and the
whole process from source to cubin. Triton: the times its compilation listener
reports, warm, for the target cuda:90 (no GPU is needed). Without Triton only
our side is printed.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "test/exec/copies.py"
POINTER, COUNT = "*fp32:16", "i32:16"
ROWS = ([1, 4], [4, 8], [4, 1], [1, 0])
COLUMNS = ([4, 1], [16, 2], [1, 4], [0, 1])
STRIDED = dict(src=POINTER, dst=POINTER, rows=COUNT, cols=COUNT, src_row=COUNT, src_col=1, dst_row=1, dst_col=COUNT)
# name -> (kernel, arguments in order; a tuple is a BlockedLayout, an int a compile-time value)
KERNELS = {
    "copy_1d": ("copy_1d", dict(src=POINTER, dst=POINTER, n=COUNT, BLOCK=2048, layout=([4], [32], [4], [0]))),
    "copy_2d": ("copy_2d", dict(STRIDED, layout=ROWS, ROWS=32, COLS=64)),
    "copy_2d_converted": ("copy_2d_converted", dict(STRIDED, src_layout=ROWS, dst_layout=COLUMNS, ROWS=64, COLS=64)),
    "copy_scalars": ("copy_scalars", dict(src=POINTER, dst=POINTER, n=COUNT, BLOCK=2048)),
}


def our_words(arguments):
    for name, value in arguments.items():
        if isinstance(value, tuple):
            yield f"{name}=gl.BlockedLayout({', '.join(map(str, value))})"
        else:
            yield f"{name}={value}"


def measure_ours(gluonc, kernel, arguments, count):
    command = [gluonc, "compile", f"{SOURCE}::{kernel}", *our_words(arguments), "--target", "cuda:90a",
               "--no-cache"]
    warm = subprocess.run([*command, "--emit", "ptx", "--repeat", str(count), "-o", os.devnull],
                          capture_output=True, text=True, check=True)
    result = json.loads(warm.stdout)
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            start = time.perf_counter()
            subprocess.run([*command, "--emit", "cubin", "-o", os.path.join(folder, "k.cubin")],
                           check=True)
            times.append(1e3 * (time.perf_counter() - start))
    result["process_to_cubin_ms"] = statistics.median(times)
    return result


def measure_triton(triton, gl, source, module, kernel, arguments, count):
    from triton.backends.compiler import GPUTarget
    records = []
    triton.knobs.compilation.listener = lambda **event: records.append(event["times"])
    signature, constexprs, attributes = {}, {}, {}
    for index, (name, value) in enumerate(arguments.items()):
        if isinstance(value, str):
            signature[name], _, aligned = value.partition(":")
            if aligned:
                attributes[(index, )] = [["tt.divisibility", 16]]
        else:
            signature[name] = "constexpr"
            constexprs[(index, )] = gl.BlockedLayout(*value) if isinstance(value, tuple) else value
    for _ in range(count + 2):
        ast = source(getattr(module, kernel), dict(signature), constexprs=dict(constexprs), attrs=dict(attributes))
        triton.compile(ast, target=GPUTarget("cuda", 90, 32), options={"num_warps": 4})
    rows = []
    for times in records[2:]:
        stages = {"front end": times.ir_initialization / 1e3}
        stages.update({name: micros / 1e3 for name, micros in times.lowering_stages})
        rows.append(stages)
    stages = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    ptxas = stages.pop("cubin")
    return {"stages_ms": stages, "total_ms": sum(stages.values()), "ptxas_ms": ptxas}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--out")
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()

    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    try:
        import triton
        from triton.experimental.gluon import language as gl
        from triton.experimental.gluon._runtime import GluonASTSource
        spec = importlib.util.spec_from_file_location("copies", SOURCE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        triton = None

    report = {}
    for name, (kernel, arguments) in KERNELS.items():
        entry = {"gluonc": measure_ours(options.gluonc, kernel, arguments, options.count)}
        line = (f"{name:20} gluonc to PTX {entry['gluonc']['total_ms']:.2f} ms, "
                f"process to cubin {entry['gluonc']['process_to_cubin_ms']:.1f} ms")
        if triton:
            entry["triton"] = measure_triton(triton, gl, GluonASTSource, module, kernel, arguments, options.count)
            entry["ratio"] = entry["gluonc"]["total_ms"] / entry["triton"]["total_ms"]
            line += (f"; triton to PTX {entry['triton']['total_ms']:.1f} ms + ptxas "
                     f"{entry['triton']['ptxas_ms']:.1f} ms; ratio 1/{1 / entry['ratio']:.1f}")
        report[name] = entry
        print(line, flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
