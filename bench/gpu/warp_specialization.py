#!/usr/bin/env python3
"""What `tl.range(warp_specialize=True)` brings, in gluonc and in Triton, on the same tensors.

    warp_specialization.py --out FILE.json [--only REGEX] [--seconds 0.2]

The kernels are those of triton_kernels/warps.py. Each result is first compared with float64. Triton's
specialized kernels run in a process of their own: its compiler may abort on them. Prints a line for
each case, with the better time of gluonc as a part of the better time of Triton. Exit status 1 when a
result of gluonc was wrong.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import threading

import torch

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import sides  # noqa: E402
from triton_language import measure, write  # noqa: E402

KERNELS = FOLDER / "triton_kernels"


def alone(names, seconds):
    """{name: times} of Triton's specialized kernels, measured by a process that may not come back."""
    rows = {}
    while len(rows) < len(names):
        rest = names[len(rows):]
        command = [sys.executable, __file__, "--seconds", str(seconds), "--alone", *rest]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            # A kernel may hang, too.
            timer = threading.Timer(5 * len(rest) + 30, child.kill)
            timer.start()
            out, errors = child.communicate()
            timer.cancel()
        found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        rows.update(zip(rest, found))
        if len(found) < len(rest):
            rows[rest[len(found)]] = {"failed": f"exit status {child.returncode}: {errors[-200:]}"}
    return rows


def is_right(row, way):
    """All round as they go: one may be a little further off than another."""
    limit = max(2 * row["triton"].get("error", 0), 2e-2)
    return "failed" not in row[way] and row[way]["error"] <= limit


def best(row, side):
    """The better time of those that gave the right result."""
    return min((row[way]["ms"] for way in row if way.startswith(side) and is_right(row, way)),
               default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--alone", nargs="+")
    options = parser.parse_args()
    both = sides.load(KERNELS, ["warps"])
    makers = {side: dict(owner.tutorials["warps"].CASES) for side, owner in both.items()}
    kept = {}

    def maker(side, name, warps):
        def make(torch):
            run, reference = makers[side][name](torch, warps)
            # The tensors are the same for all, as the seed is.
            return run, lambda: kept.setdefault(name, reference()), lambda found: found
        return both[side], make

    if options.alone:
        for name in options.alone:
            print(json.dumps(measure({"triton": maker("triton", name, True)},
                                     options.seconds)["triton"]), flush=True)
            kept.clear()
        return 0
    names = [name for name in makers["gluonc"] if re.search(options.only, name)]
    specialized = alone(names, options.seconds)
    rows, status = {}, 0
    for name in names:
        row = measure({f"{side}{' specialized' * warps}": maker(side, name, warps)
                       for side, warps in (("gluonc", False), ("gluonc", True), ("triton", False))},
                      options.seconds)
        kept.clear()
        torch.cuda.empty_cache()
        row["triton specialized"] = specialized[name]
        status |= not (is_right(row, "gluonc") and is_right(row, "gluonc specialized"))
        ours, theirs = best(row, "gluonc"), best(row, "triton")
        ratio = ours / theirs if ours and theirs else None
        ways = [row[way].get("ms") for way in ("gluonc specialized", "gluonc")]
        row["ratio"] = ratio
        row["specialized by plain"] = ways[0] / ways[1] if all(ways) else None
        rows[name] = row
        print(f"{name:46}", *(f"{way}: {row[way].get('ms', float('nan')):.4f} ({row[way].get('error', 9):.0e})"
                              for way in ("gluonc", "gluonc specialized", "triton",
                                          "triton specialized")),
              f"ratio {ratio}", *(f"{way} {row[way]['failed'][-200:]}" for way in row
                                  if isinstance(row[way], dict) and "failed" in row[way]), flush=True)
    write(rows, options.out)
    return status


if __name__ == "__main__":
    sys.exit(main())
