#!/usr/bin/env python3
"""Wall time of autotuning a matrix product from nothing, by gluonc and by Triton, on a GPU.

    autotune.py --out FILE.json [--rounds 3] [--size 4096]

Each side in processes of its own, in turns, without what is cached: 20 configurations of one kernel of the Triton language
are compiled and measured, at the first call. Needs the package gluonc and Triton.
"""

import argparse
import datetime
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

KERNELS = pathlib.Path(__file__).resolve().parent / "triton_kernels"
# Rows, columns, K, warps, stages.
CONFIGURATIONS = [(m, n, k, 8 if m * n >= 128 * 256 else 4, stages)
                  for (m, n), k, stages in itertools.product([(128, 256), (128, 128), (64, 256), (128, 64), (64, 128)],
                                                             [32, 64], [3, 4])]


def tune(size):
    """In a process of one side: {"seconds", "best"}."""
    import torch
    import triton
    sys.path.insert(0, str(KERNELS))
    import kernels
    configurations = [triton.Config({"TILE_M": m, "TILE_N": n, "TILE_K": k, "GROUP": 8}, num_warps=warps, num_stages=stages)
                      for m, n, k, warps, stages in CONFIGURATIONS]
    tuned = triton.autotune(configs=configurations, key=["M", "N", "K"])(kernels.matmul_kernel)
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.float16)
    torch.mm(a, b)
    torch.cuda.synchronize()
    start = time.perf_counter()
    tuned[lambda given: (triton.cdiv(size, given["TILE_M"]) * triton.cdiv(size, given["TILE_N"]),)](
        a, b, c, size, size, size, size, size, size)
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    wrong = ((c.double() - a.double() @ b.double()).abs() > 0.05 * size**0.5).sum().item()
    return {"seconds": seconds, "best": str(tuned.best_config), "wrong": wrong, "triton": getattr(triton, "__version__", "")}


def measure(side, size):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TRITON_CACHE_DIR": folder, "GLUONC_CACHE_DIR": ""}
        command = [sys.executable, *(["-m", "gluonc", "--triton", "own"] if side == "gluonc" else []), __file__, "--worker",
                   "--size", str(size)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{side}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(tune(options.size)))
        return 0
    import torch
    sides = {"gluonc": [], "triton": []}
    for _ in range(options.rounds):
        for side, results in sides.items():
            results.append(measure(side, options.size))
            print(side, results[-1], flush=True)
    medians = {side: statistics.median(result["seconds"] for result in results) for side, results in sides.items()}
    print(f"{medians['gluonc']:.2f} s beside {medians['triton']:.2f} s: {medians['gluonc'] / medians['triton']:.3f}")
    if options.out:
        pathlib.Path(options.out).write_text(json.dumps(
            {"what": f"wall time of the first call of an autotuned product of {options.size} x {options.size} x {options.size}, float16",
             "device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(), "processors": os.cpu_count(),
             "configurations": len(CONFIGURATIONS), "median_seconds": medians, "rounds": sides}, indent=1) + "\n")
    return int(any(result["wrong"] for results in sides.values() for result in results))


if __name__ == "__main__":
    sys.exit(main())
