#!/usr/bin/env python3
"""Triton's Gluon tutorials 13 and 14, unchanged, built by gluonc and by Triton, beside torch.

    newer_tutorials.py FOLDER --out FILE.json [--only REGEX] [--seconds 0.1]

FOLDER is python/tutorials/gluon of a checkout of August 2026. Triton 3.6 has not what these two
import (im2col descriptors, cluster launch control); 3.9 has. Where the installed one has not, cuDNN
and torch's softmax alone are beside gluonc. Of 14, the part for Hopper is measured: softmax over the
CTAs of a cluster, with the shapes of its own benchmark. Writes JSON; prints a table. Exit status 1
when a result was wrong.
"""

import argparse
import datetime
import json
import pathlib
import re
import sys

import torch
import triton

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sides  # noqa: E402
import tutorials  # noqa: E402

# N, H = W, channels in and out; 3 x 3 taps, stride and padding 1. The first is the tutorial's.
CONVOLUTIONS = ((4, 16, 64, 64), (64, 56, 64, 64), (64, 28, 128, 128), (64, 14, 256, 256))
SOFTMAX = [(1 << 15, 1 << log2) for log2 in range(8, 17)] + [(1 << 14, 1 << 17), (1 << 13, 1 << 18)]


FILES = ("13-conv-im2col", "14-multicta")


class Call(tutorials.Timed):
    """A function without arguments, to be recorded and replayed; of torch where `side` is None."""

    def __init__(self, side, function):
        super().__init__(side, None, None)
        self.function = function

    def launch(self):
        if self.side is None:
            return self.function()
        with self.side.entered():
            return self.function(self.side.tutorials)


def convolutions():
    for count, size, inputs, outputs in CONVOLUTIONS:
        def make(count=count, size=size, inputs=inputs, outputs=outputs):
            x = torch.randn(count, size, size, inputs, device="cuda", dtype=torch.float16)
            w = torch.randn(outputs, 3, 3, inputs, device="cuda", dtype=torch.float16)
            # The same memory as torch names it: channels last.
            theirs = (x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2))
            return (lambda files: files[FILES[0]].conv2d_tma_im2col(x, w, stride=1, padding=1),
                    lambda: torch.nn.functional.conv2d(*theirs, padding=1).permute(0, 2, 3, 1), 2e-2)
        work = 2 * count * size * size * outputs * 9 * inputs
        yield f"13 conv2d {count}x{size}x{size} {inputs}->{outputs}", make, work, "TFLOP/s"


def softmaxes(files):
    for rows, columns in SOFTMAX:
        def make(rows=rows, columns=columns):
            x = torch.empty(rows, columns, device="cuda").uniform_(-1, 1)
            out = torch.empty_like(x)
            return (lambda files: files[FILES[1]].multicta_softmax_f32(x, out),
                    lambda: torch.softmax(x, dim=1, out=out), 1e-5)
        ctas = files[FILES[1]].pick_multicta_softmax_config(columns)["num_ctas"]
        yield f"14 softmax {rows}x{columns} on {ctas} CTAs", make, 8 * rows * columns, "TB/s"


def close(got, expected, tolerance):
    scale = expected.float().abs().max().item()
    return (got.float() - expected.float()).abs().max().item() <= tolerance * scale


def run_case(both, name, make, work, unit, seconds):
    ours, theirs, tolerance = make()
    timed = {side: Call(both[side], ours) for side in both} | {"torch": Call(None, theirs)}
    # What torch returns may be the memory that ours writes.
    expected = theirs().clone()
    correct = {side: close(call.launch(), expected, tolerance) for side, call in timed.items()}
    torch.cuda.synchronize()
    del expected
    result = {"name": name, "unit": unit, "correct": correct}
    if all(correct.values()):
        result["ms"] = tutorials.measure(timed, seconds)
        result["rate"] = {side: work / ms / 1e9 for side, ms in result["ms"].items()}
        beside = "triton" if "triton" in both else "torch"
        result["ratio"] = result["ms"]["gluonc"] / result["ms"][beside]
    return result


def load(folder):
    """The sides that can import the two files: gluonc, and Triton if it has what they need."""
    try:
        return sides.load(folder, FILES)
    except ImportError as error:
        print(f"without Triton: {error}")
        return {"gluonc": sides.load_own(folder, FILES)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.1)
    options = parser.parse_args()

    torch.manual_seed(0)
    both = load(options.folder)
    cases = [*convolutions(), *softmaxes(both["gluonc"].tutorials)]
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "triton": triton.__version__ if "triton" in both else None,
              "cases": []}
    for case in cases:
        if not re.search(options.only, case[0]):
            continue
        torch.cuda.empty_cache()
        try:
            result = run_case(both, *case, options.seconds)
        except Exception as error:  # one broken case must not hide the others
            result = {"name": case[0], "correct": {"gluonc": False}, "error": f"{type(error).__name__}: {error}"}
        report["cases"].append(result)
        print(f"{case[0]:44}", "  ".join(f"{side} {rate:7.2f}" for side, rate in result.get("rate", {}).items()),
              f"{result['unit']}  ratio {result['ratio']:.3f}" if "ratio" in result else f"FAILED {result}", flush=True)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    for name, numbers in tutorials.summary(report["cases"]).items():
        print(f"{name:4} geometric mean {numbers['geometric_mean']:.4f}  worst {numbers['worst']:.3f}  "
              f"best {numbers['best']:.3f}  of {numbers['count']}")
    return 0 if all(all(result["correct"].values()) for result in report["cases"]) else 1


if __name__ == "__main__":
    sys.exit(main())
