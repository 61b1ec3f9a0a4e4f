#!/usr/bin/env python3
"""Triton's Gluon tutorials 13 and 14, unchanged, built by gluonc, beside torch.

    newer_tutorials.py FOLDER --out FILE.json [--only REGEX] [--seconds 0.1]

FOLDER is python/tutorials/gluon of a checkout of August 2026. The Triton that one can install,
3.6, has not what these two import (im2col descriptors, cluster launch control), so it cannot be
measured here: cuDNN and torch's softmax take its place. Of 14, that is the part for Hopper:
softmax over the CTAs of a cluster, with the shapes of its own benchmark. Writes JSON; prints a
table. Exit status 1 when a result was wrong.
"""

import argparse
import datetime
import importlib
import json
import pathlib
import re
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tutorials  # noqa: E402

# N, H = W, channels in and out; 3 x 3 taps, stride and padding 1. The first is the tutorial's.
CONVOLUTIONS = ((4, 16, 64, 64), (64, 56, 64, 64), (64, 28, 128, 128), (64, 14, 256, 256))
SOFTMAX = [(1 << 15, 1 << log2) for log2 in range(8, 17)] + [(1 << 14, 1 << 17), (1 << 13, 1 << 18)]


class Call(tutorials.Timed):
    """A function without arguments, to be recorded and replayed."""

    def __init__(self, function):
        super().__init__(None, None, None)
        self.launch = function


def convolutions(module):
    for count, size, inputs, outputs in CONVOLUTIONS:
        def make(count=count, size=size, inputs=inputs, outputs=outputs):
            x = torch.randn(count, size, size, inputs, device="cuda", dtype=torch.float16)
            w = torch.randn(outputs, 3, 3, inputs, device="cuda", dtype=torch.float16)
            # The same memory as torch names it: channels last.
            theirs = (x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2))
            return (lambda: module.conv2d_tma_im2col(x, w, stride=1, padding=1),
                    lambda: torch.nn.functional.conv2d(*theirs, padding=1).permute(0, 2, 3, 1), 2e-2)
        work = 2 * count * size * size * outputs * 9 * inputs
        yield f"13 conv2d {count}x{size}x{size} {inputs}->{outputs}", make, work, "TFLOP/s"


def softmaxes(module):
    for rows, columns in SOFTMAX:
        def make(rows=rows, columns=columns):
            x = torch.empty(rows, columns, device="cuda").uniform_(-1, 1)
            out = torch.empty_like(x)
            return (lambda: module.multicta_softmax_f32(x, out), lambda: torch.softmax(x, dim=1, out=out), 1e-5)
        ctas = module.pick_multicta_softmax_config(columns)["num_ctas"]
        yield f"14 softmax {rows}x{columns} on {ctas} CTAs", make, 8 * rows * columns, "TB/s"


def run_case(name, make, work, unit, seconds):
    ours, theirs, tolerance = make()
    # What torch returns may be the memory that ours writes.
    expected = theirs().clone()
    got = ours()
    torch.cuda.synchronize()
    scale = expected.float().abs().max().item()
    correct = (got.float() - expected.float()).abs().max().item() <= tolerance * scale
    del got, expected
    result = {"name": name, "unit": unit, "correct": correct}
    if correct:
        result["ms"] = tutorials.measure({"gluonc": Call(ours), "torch": Call(theirs)}, seconds)
        result["rate"] = {side: work / ms / 1e9 for side, ms in result["ms"].items()}
        result["ratio"] = result["ms"]["gluonc"] / result["ms"]["torch"]
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.1)
    options = parser.parse_args()

    torch.manual_seed(0)
    for name in [name for name in sys.modules if name.split(".")[0] == "triton"]:
        del sys.modules[name]
    from gluonc import _aliases
    _aliases.install()
    sys.path.insert(0, options.folder)
    cases = [*convolutions(importlib.import_module("13-conv-im2col")),
             *softmaxes(importlib.import_module("14-multicta"))]
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "cases": []}
    for case in cases:
        if not re.search(options.only, case[0]):
            continue
        torch.cuda.empty_cache()
        try:
            result = run_case(*case, options.seconds)
        except Exception as error:  # one broken case must not hide the others
            result = {"name": case[0], "correct": False, "error": f"{type(error).__name__}: {error}"}
        report["cases"].append(result)
        print(f"{case[0]:44}", "  ".join(f"{side} {rate:7.2f}" for side, rate in result.get("rate", {}).items()),
              f"{result['unit']}  ratio {result['ratio']:.3f}" if "ratio" in result else f"FAILED {result}", flush=True)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    return 0 if all(result["correct"] for result in report["cases"]) else 1


if __name__ == "__main__":
    sys.exit(main())
