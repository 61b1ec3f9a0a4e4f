#!/usr/bin/env python3
"""Triton's own tutorials, unchanged, built by gluonc and by Triton, in one process.

    tutorials.py FOLDER --out FILE.json [--only REGEX] [--seconds 0.15] [--beside FILE.json]

FOLDER is python/tutorials/gluon of a checkout that the installed Triton runs; `--beside` names
what a run with another Triton wrote on the same machine, and adds, case by case, the ratio to
the better of the two. Every
configuration that the tutorials benchmark must give the right result on both sides.
Both are then recorded in CUDA graphs, so that no launch is timed, and replayed in
turns; the medians are compared. cuBLAS runs beside the matrix products. Writes JSON;
prints a table. Exit status 1 when a result was wrong.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time
import types

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sides  # noqa: E402
import tutorial_cases  # noqa: E402


def make_tensors(problem):
    """What a case works on, the expected result and how to compare with it."""
    def make(*shape, dtype=torch.float16):
        return torch.randn(shape, device="cuda", dtype=dtype)
    kind, *sizes = problem
    if kind == "add":
        a, b = (make(*sizes, *sizes, dtype=torch.float32) for _ in range(2))
        return types.SimpleNamespace(a=a, b=b, c=torch.empty_like(a), result="c", exact=True, expected=lambda: a + b)
    m, n, k = sizes
    a, b = make(m, k), make(k, n)
    if kind == "small":
        c = make(m, n, dtype=torch.float32)
        return types.SimpleNamespace(a=a, b=b, c=c, d=torch.empty_like(c), result="d", exact=False,
                                     expected=lambda: a.float() @ b.float() + c)
    return types.SimpleNamespace(a=a, b=b, c=torch.empty(m, n, device="cuda", dtype=torch.float16), result="c",
                                 exact=False, expected=lambda: a @ b)


class Timed:
    """One case on one side."""

    def __init__(self, side, case, tensors):
        self.side, self.case, self.tensors, self.graph = side, case, tensors, None

    def launch(self):
        with self.side.entered():
            import triton.experimental.gluon.language as gl
            self.case.call(self.side.tutorials, gl, self.tensors)

    def correct(self, expected):
        got = getattr(self.tensors, self.tensors.result)
        got.fill_(float("nan"))
        self.launch()
        torch.cuda.synchronize()
        if self.tensors.exact:
            return torch.equal(got, expected)
        scale = expected.float().abs().mean().item()
        return bool((got.float() - expected.float()).abs().max().item() < 0.05 * scale)

    def record(self, launches):
        self.launches, self.graph = launches, torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for _ in range(launches):
                self.launch()

    def replay(self):
        """Milliseconds of a launch."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / self.launches


class Library(Timed):
    """cuBLAS with the second operand as it likes it best."""

    def __init__(self, tensors):
        super().__init__(None, None, tensors)
        self.b = tensors.b.T.contiguous().T

    def launch(self):
        torch.mm(self.tensors.a, self.b, out=self.tensors.c)


def measure(timed, seconds):
    """{name: milliseconds}, each the median of replays that alternate."""
    for one in timed.values():
        one.record(1)
        one.replay()
    estimate = max(one.replay() for one in timed.values())
    launches = int(max(1, min(50, 2 / estimate)))
    if launches > 1:
        for one in timed.values():
            one.record(launches)
            one.replay()
    rounds = int(max(7, min(100, 1e3 * seconds / (estimate * launches))))
    times = {name: [] for name in timed}
    for number in range(rounds):
        for name in list(timed) if number % 2 == 0 else list(timed)[::-1]:
            times[name].append(timed[name].replay())
    return {name: statistics.median(values) for name, values in times.items()}


def run_case(both, case, tensors, expected, seconds):
    timed = {name: Timed(side, case, tensors) for name, side in both.items()}
    result = {"name": case.name, "problem": case.problem[1:], "unit": case.unit}
    begin = time.perf_counter()
    result["correct"] = {name: one.correct(expected) for name, one in timed.items()}
    result["first_launches_s"] = time.perf_counter() - begin
    if not all(result["correct"].values()):
        return result
    if case.problem[0] == "product":
        timed["cublas"] = Library(tensors)
    result["ms"] = measure(timed, seconds)
    result["rate"] = {name: case.work / ms / 1e9 for name, ms in result["ms"].items()}
    result["ratio"] = result["ms"]["gluonc"] / result["ms"]["triton"]
    return result


def line_of(result):
    text = f"{result['name']:52}"
    if "error" in result:
        return f"{text} FAILED {result['error'][:300]}"
    if "ratio" not in result:
        return f"{text} WRONG {result['correct']}"
    rates = "  ".join(f"{name} {rate:8.2f}" for name, rate in result["rate"].items())
    return f"{text} {rates} {result['unit']}  ratio {result['ratio']:.3f}"


def summary(results):
    """Geometric means by tutorial and over all."""
    groups = {}
    for result in results:
        if "ratio" in result:
            for name in ("all", result["name"][:2]):
                groups.setdefault(name, []).append(result["ratio"])
    return {name: {"geometric_mean": math.exp(statistics.fmean(map(math.log, ratios))), "worst": max(ratios),
                   "best": min(ratios), "count": len(ratios)} for name, ratios in groups.items()}


def beside(report, other):
    """The ratios to whichever of two Tritons is faster: the larger one of each case."""
    ratios = {case["name"]: case["ratio"] for case in other["cases"] if "ratio" in case}
    both = [{"name": case["name"], "ratio": max(case["ratio"], ratios[case["name"]])}
            for case in report["cases"] if "ratio" in case and case["name"] in ratios]
    return {"tritons": sorted((report["triton"], other["triton"])), "cases": both, "summary": summary(both)}


def print_summary(title, groups):
    for name, numbers in groups.items():
        print(f"{title}{name:4} geometric mean {numbers['geometric_mean']:.4f}  worst {numbers['worst']:.3f}  "
              f"best {numbers['best']:.3f}  of {numbers['count']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--beside", type=pathlib.Path)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.15)
    parser.add_argument("--scale", type=int, default=1)
    options = parser.parse_args()

    # Not above: predict.py takes the cases from here and needs no Triton.
    import triton

    torch.manual_seed(0)
    both = sides.load(options.folder, tutorial_cases.FILES)
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "triton": triton.__version__, "cases": []}
    problem = tensors = expected = None
    for case in tutorial_cases.all_cases(both["triton"], options.scale):
        if not re.search(options.only, case.name):
            continue
        if case.problem != problem:
            tensors = expected = None
            torch.cuda.empty_cache()
            problem, tensors = case.problem, make_tensors(case.problem)
            expected = tensors.expected()
        try:
            result = run_case(both, case, tensors, expected, options.seconds)
        except Exception as error:  # one broken case must not hide the others
            result = {"name": case.name, "error": f"{type(error).__name__}: {error}"}
        report["cases"].append(result)
        print(line_of(result), flush=True)
        report["summary"] = summary(report["cases"])
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    print_summary("", report.get("summary", {}))
    if options.beside:
        report["better"] = beside(report, json.loads(options.beside.read_text()))
        print_summary("the better of two: ", report["better"]["summary"])
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    return 0 if all(all(r.get("correct", {"": False}).values()) for r in report["cases"]) else 1


if __name__ == "__main__":
    # Kernels compiled earlier on this machine must not stand in for today's.
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    os.environ["GLUONC_CACHE_DIR"] = ""
    sys.exit(main())
