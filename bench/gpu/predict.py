#!/usr/bin/env python3
"""What the performance model predicts, beside what a GPU took. Needs no GPU.

    predict.py SUITE MEASURED.json [--tutorials FOLDER] [--out FILE.json] [--only REGEX]

SUITE is `language` (triton_kernels/kernels.py, measured by triton_language.py), `spread`
(triton_kernels/spread.py, measured by model/times.py), `flagship` (the kernels of examples/hopper_*, measured by
flagship.py) or `tutorials` (Triton's Gluon
tutorials in FOLDER, measured by tutorials.py). Prints predicted and measured times, the errors'
median and 90th percentile, and Kendall's tau among the configurations of each kernel.
"""

import argparse
import functools
import itertools
import json
import math
import pathlib
import re
import statistics
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from gluonc import _simulated  # noqa: E402

_simulated.activate("cuda:90a")

import torch  # noqa: E402

import sides  # noqa: E402
import tutorial_cases  # noqa: E402
from gluonc import _predictions  # noqa: E402


def without_values():
    """Times do not depend on numbers: tensors are what the system gives, and take no time."""
    def empty(*shape, **kwargs):
        return torch.empty(*shape, **kwargs)
    torch.randn = empty


def triton_cases(file, *_):
    side = sides.load_own(FOLDER / "triton_kernels", [file])
    for name, make in side.tutorials[file].CASES:
        def call(make=make):
            with side.entered():
                return make(torch)[0]
        yield name, call


def tutorial_calls(_, folder):
    import tutorials
    side = sides.load_own(folder, tutorial_cases.FILES)
    problem = tensors = None
    for case in tutorial_cases.all_cases(side):
        def call(case=case):
            nonlocal problem, tensors
            if case.problem != problem:
                tensors = None
                problem, tensors = case.problem, tutorials.make_tensors(case.problem)
            timed = tutorials.Timed(side, case, tensors)
            return timed.launch
        yield case.name, call


# What events around a single launch add to what it takes among others (bench/gpu/model/measure.py).
EVENTS_MS = 0.0023


def flagship_calls(names):
    """Launches of what flagship.py measured, by the names that it gives."""
    import flagship
    for name in names:
        kind, sizes, *rest = re.match(r"(matmul|attention|layer norm) (\S+) (\S+)( causal)?", name).groups()
        dtype, causal = getattr(torch, rest[0]), bool(rest[1])
        sizes = [int(size) for size in sizes.split("x")]

        def call(kind=kind, sizes=sizes, dtype=dtype, causal=causal):
            count, ours = flagship.programs(), flagship.load(kind.split()[-1])
            if kind == "matmul":
                m, n, k = sizes
                out = torch.bfloat16 if dtype.itemsize == 1 else dtype
                a, b = (torch.empty(size, k, device="cuda", dtype=dtype) for size in (m, n))
                c = torch.empty(m, n, device="cuda", dtype=out)
                return lambda: ours.product(a, b, c, count)
            if kind == "attention":
                tensors = [torch.empty(sizes, device="cuda", dtype=dtype).flatten(0, 1) for _ in range(4)]
                return lambda: ours.attend_all(*tensors, sizes[-1]**-0.5, causal, count)
            x, y = (torch.empty(sizes, device="cuda", dtype=dtype) for _ in range(2))
            weight, bias = (torch.empty(sizes[1], device="cuda", dtype=dtype) for _ in range(2))
            return lambda: ours.normalize(x, weight, bias, y, count)
        yield name, call


SUITES = {"language": functools.partial(triton_cases, "kernels"),
          "spread": functools.partial(triton_cases, "spread"), "tutorials": tutorial_calls,
          "flagship": lambda names, _: flagship_calls(names)}


def measured_times(report):
    if "results" in report:
        return {case["name"]: case["ms"]["gluonc"] - EVENTS_MS for case in report["results"]
                if "gluonc" in case["ms"]}
    cases = report["cases"]
    if isinstance(cases, dict):
        return {name: case["gluonc"]["ms"] - EVENTS_MS for name, case in cases.items()
                if "ms" in case["gluonc"]}
    return {case["name"]: case["ms"]["gluonc"] for case in cases if "ms" in case}


def kernel_of(name):
    """What configurations of one kernel on one problem share: the name without tile, stages, warps and order."""
    return re.sub(r"(( \d+(x\d+)*)? (x\d|w\d+)( s\d+)?| grouped \d+| n\d+( registers)?)$", "", name)


# Times that are as near are equal: the tutorials' file has one configuration twice, 4 % apart.
TIE = math.log(1.04)


def kendall(pairs):
    """Of [(predicted, measured)]; None where no two measured times differ."""
    agree = count = 0
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        if abs(math.log(b / d)) < TIE:
            continue
        count += 1
        agree += 1 if (a - c) * (b - d) > 0 else -1
    return agree / count if count else None


def summary(rows):
    errors = sorted(abs(row["predicted_ms"] / row["measured_ms"] - 1) for row in rows)
    groups = {}
    for row in rows:
        groups.setdefault(kernel_of(row["name"]), []).append((row["predicted_ms"], row["measured_ms"]))
    taus = {name: kendall(pairs) for name, pairs in groups.items()}
    taus = {name: tau for name, tau in taus.items() if tau is not None}
    return {"count": len(rows), "median_error": statistics.median(errors),
            "error_90": errors[min(len(errors) - 1, int(0.9 * len(errors)))], "kendall": taus,
            "mean_kendall": statistics.fmean(taus.values()) if taus else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("--tutorials")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    measured = measured_times(json.loads(options.measured.read_text()))
    without_values()
    rows = []
    for name, make in SUITES[options.suite](list(measured), options.tutorials):
        if name not in measured or not re.search(options.only, name):
            continue
        begin = time.perf_counter()
        run = make()
        with _predictions.predicted() as prediction:
            run()
        seconds = time.perf_counter() - begin
        rows.append({"name": name, "predicted_ms": prediction.milliseconds, "measured_ms": measured[name],
                     "limit": prediction.limit})
        print(f"{name:54} {prediction.milliseconds:9.4f} {measured[name]:9.4f} ms "
              f"{prediction.milliseconds / measured[name]:6.2f}  {prediction.limit}  ({seconds:.1f} s)", flush=True)
    report = {"measured": options.measured.name, "summary": summary(rows), "cases": rows}
    print(json.dumps(report["summary"], indent=1))
    if options.out:
        options.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
