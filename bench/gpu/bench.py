#!/usr/bin/env python3
"""Measures gluonc's kernels beside Triton's build of the same source, in one process.

    bench.py --gluonc BIN --out FILE.json [--scale 64]

For every case: both sides run once on a poisoned output and must copy exactly;
then both are timed with CUDA events, alternating, and the medians of the better
of the rounds are compared. Writes JSON; prints a table. Exit status 1 when a
result was wrong.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import statistics
import sys
import tempfile

import torch
import triton
from triton.experimental.gluon import language as gl

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cases  # noqa: E402
import ours  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "test/exec/copies.py"
TIB = float(1 << 40)


def load_triton_kernels():
    spec = importlib.util.spec_from_file_location("copies", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TritonKernel:
    def __init__(self, module, case):
        self.kernel, self.case = getattr(module, case.kernel), case
        self.arguments = [
            gl.BlockedLayout(v.size_per_thread, v.threads_per_warp, v.warps_per_cta, v.order)
            if isinstance(v, cases.Layout) else v for v in case.arguments.values()]
        self.compiled = None

    def launch(self, stream):
        self.compiled = self.kernel[self.case.grid](*self.arguments, num_warps=self.case.num_warps)


def measure(launch, repeats):
    """Median milliseconds of `repeats` launches, each between its own events, L2 flushed."""
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
              for _ in range(repeats)]
    for start, end in events:
        flush.zero_()
        start.record()
        launch()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in events)


def correct(case, kernel, stream):
    case.poison()
    kernel.launch(stream)
    torch.cuda.synchronize()
    return case.check()


def run_case(case, kernels, stream, rounds):
    result = {"name": case.name, "kernel": case.kernel, "moved_bytes": case.moved_bytes}
    result["correct"] = {side: correct(case, kernel, stream) for side, kernel in kernels.items()}
    times = {side: [] for side in kernels}
    for kernel in kernels.values():
        first = measure(lambda: kernel.launch(stream), 3)
    repeats = int(min(60, max(8, 200 / first)))
    for round_number in range(rounds):
        order = list(kernels) if round_number % 2 == 0 else list(kernels)[::-1]
        for side in order:
            times[side].append(measure(lambda: kernels[side].launch(stream), repeats))
    result["ms"] = {side: min(values) for side, values in times.items()}
    result["ms_rounds"] = times
    result["tib_s"] = {side: case.moved_bytes / TIB / (ms / 1e3) for side, ms in result["ms"].items()}
    result["ratio"] = result["ms"]["gluonc"] / result["ms"]["triton"]
    return result


def device_copy(scale):
    src = torch.randn(8 * cases.GIB_ELEMENTS // scale, device="cuda")
    dst = torch.empty_like(src)
    ms = measure(lambda: dst.copy_(src), 20)
    return {"ms": ms, "tib_s": 2 * src.nbytes / TIB / (ms / 1e3)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()

    torch.manual_seed(0)
    stream = torch.cuda.current_stream().cuda_stream
    driver, module = ours.Driver(), load_triton_kernels()
    report = {
        "device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
        "torch": torch.__version__, "triton": triton.__version__,
        "device_copy": device_copy(options.scale), "cases": []}
    print(f"device copy: {report['device_copy']['tib_s']:.3f} TiB/s")
    for case in cases.all_cases(torch, options.scale):
        try:
            kernels = {"gluonc": ours.OurKernel(driver, options.gluonc, SOURCE, case),
                       "triton": TritonKernel(module, case)}
            result = run_case(case, kernels, stream, options.rounds)
        except Exception as error:  # one broken case must not hide the others
            report["cases"].append({"name": case.name, "error": str(error), "correct": {"gluonc": False}})
            print(f"{case.name:28} FAILED {error}", flush=True)
            continue
        compiled = kernels["triton"].compiled
        result["registers"] = {"gluonc": kernels["gluonc"].registers(), "triton": compiled.n_regs}
        result["shared"] = {"gluonc": kernels["gluonc"].shared, "triton": compiled.metadata.shared}
        result["accesses"] = {"gluonc": ours.accesses(kernels["gluonc"].ptx),
                              "triton": ours.accesses(compiled.asm["ptx"])}
        report["cases"].append(result)
        print(f"{case.name:28} gluonc {result['tib_s']['gluonc']:.3f}  triton {result['tib_s']['triton']:.3f} TiB/s  "
              f"ratio {result['ratio']:.3f}  regs {result['registers']}  correct {result['correct']}", flush=True)
        print(f"{'':28} {result['accesses']}  shared {result['shared']}", flush=True)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
        kernels = None
        torch.cuda.empty_cache()
    wrong = [c["name"] for c in report["cases"] if not all(c["correct"].values())]
    print("wrong results:", wrong or "none")
    return 1 if wrong else 0


if __name__ == "__main__":
    # Kernels compiled earlier on this machine must not stand in for today's.
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    sys.exit(main())
