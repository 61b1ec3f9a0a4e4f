#!/usr/bin/env python3
"""Kernels of the Triton language built by gluonc and by Triton, on the same tensors, in turns.

    triton_language.py --out FILE.json [--only REGEX] [--seconds 0.2]

The kernels are those of triton_kernels/. Each result is first compared with float64. Writes JSON,
prints a table with gluonc's time as a part of Triton's. Exit status 1 when a result was wrong.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics
import sys
import traceback

import torch
import triton

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import sides  # noqa: E402


def milliseconds(run, seconds):
    """The median of launches with a cold cache, recorded by events."""
    cold = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    times, spent = [], 0.0
    while len(times) < 10 or (spent < seconds * 1000 and len(times) < 1000):
        # A head start for the host, 0.3 ms, so that the chip does not wait for it.
        torch.cuda._sleep(600_000)
        cold.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
        spent += times[-1]
    return statistics.median(times)


def largest_error(result, expected):
    scale = expected.abs().mean().item()
    return (result.double() - expected).abs().max().item() / max(scale, 1e-30)


def measure(makers, seconds):
    """{side: {ms, error}} of one case. A maker gives the run, the reference, and the part of a
    result that the reference is of."""
    row = {}
    for side, (owner, make) in makers.items():
        with owner.entered():
            torch.manual_seed(0)
            try:
                run, reference, part = make(torch)
                result = run()
                torch.cuda.synchronize()
                row[side] = {"error": largest_error(part(result), reference())}
                row[side]["ms"] = milliseconds(run, seconds)
            except Exception:
                row[side] = {"failed": traceback.format_exc(limit=-1)[-400:]}
        torch.cuda.empty_cache()
    return row


def compare(cases, options):
    """Measures {case: {side: (owner, maker)}}, prints a line each, writes `options.out`. 1 when a
    result was wrong."""
    rows, status = {}, 0
    for name, makers in cases.items():
        row = measure(makers, options.seconds)
        ours, theirs = row["gluonc"], row["triton"]
        # Both round as they go: ours may be a little further off than theirs.
        if "failed" in ours or ours["error"] > max(2 * theirs.get("error", 0), 2e-2):
            status = 1
        if "ms" in ours and "ms" in theirs:
            row["ratio"] = ours["ms"] / theirs["ms"]
        rows[name] = row
        print(f"{name:60} {ours.get('ms', float('nan')):9.4f} ms "
              f"{theirs.get('ms', float('nan')):9.4f} ms  {row.get('ratio', float('nan')):6.3f}  "
              f"error {ours.get('error', float('nan')):.1e} {theirs.get('error', float('nan')):.1e}"
              f"{ours.get('failed', '')}{theirs.get('failed', '')}", flush=True)
    write(rows, options.out)
    return status


def write(rows, path):
    """Prints the mean of the rows that have a ratio, and writes all of them."""
    ratios = [row["ratio"] for row in rows.values() if row.get("ratio")]
    mean = statistics.geometric_mean(ratios) if ratios else None
    print(f"geometric mean of {len(ratios)}: {mean}")
    result = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "triton": triton.__version__, "geometric_mean": mean, "cases": rows}
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    both = sides.load(FOLDER / "triton_kernels", ["kernels"])

    def maker(make):
        return lambda torch: (*make(torch)[:2], lambda found: found)
    sides_of = {}
    for side, owner in both.items():
        for name, make in owner.tutorials["kernels"].CASES:
            if re.search(options.only, name):
                sides_of.setdefault(name, {})[side] = (owner, maker(make))
    return compare(sides_of, options)


if __name__ == "__main__":
    sys.exit(main())
