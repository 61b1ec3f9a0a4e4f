#!/usr/bin/env python3
"""The Gluon back ends of fla-core, unmodified, built by gluonc and by Triton, on the same data.

    fla_core.py --out FILE.json [--side gluonc|triton]

fla-core and a Triton whose Gluon it runs with must be installed, with gluonc beside. Each side runs in
a process of its own (`--side`, which the program calls itself with): `python -m gluonc` answers for
`triton.experimental.gluon` alone, so what fla-core wrote in the Triton language is Triton's on both
sides. Forward and backward are compared with float64 on the CPU at small sizes, then timed
at large ones by events, with a head start for the host. Writes JSON; prints a table. Exit status 1 when
a result was wrong or a back end was not taken.
"""

import argparse
import datetime
import json
import logging
import math
import os
import statistics
import subprocess
import sys
import tempfile

os.environ["FLA_GLUON"] = "1"

import torch
import torch.nn.functional as F


def sinkhorn(tokens, device, dtype):
    from fla.ops.utils.sinkhorn import sinkhorn as theirs
    x = torch.randn(tokens, 4, 4, dtype=dtype, device=device)

    def reference(x):
        for _ in range(20):
            x = x - torch.logsumexp(x, dim=-2, keepdim=True)
            x = x - torch.logsumexp(x, dim=-1, keepdim=True)
        return x.exp()
    return [x], lambda x: theirs(x, 20), reference


def cross_entropy(tokens, device, dtype):
    from fla.modules.fused_cross_entropy.ops import cross_entropy_loss as theirs
    x = 3 * torch.randn(tokens, 32000, dtype=dtype, device=device)
    targets = torch.randint(0, 32000, (tokens,), device=device)
    return ([x], lambda x: theirs(x, targets, label_smoothing=0.1)[0],
            lambda x: F.cross_entropy(x, targets.to(x.device), reduction="none", label_smoothing=0.1))


def causal_conv1d(tokens, device, dtype):
    from fla.modules.causal_conv1d import causal_conv1d as theirs
    x = torch.randn(4, tokens // 4, 2048, dtype=dtype, device=device)
    weight = torch.randn(2048, 4, dtype=dtype, device=device)

    def reference(x, weight):
        padded = F.pad(x.transpose(1, 2), (3, 0))
        return F.silu(F.conv1d(padded, weight[:, None], groups=2048)).transpose(1, 2)
    return [x, weight], lambda x, w: theirs(x=x, weight=w, activation="silu")[0], reference


def attention_residual(tokens, device, dtype):
    from fla.ops.attnres import fused_attnres as theirs
    width, layers = 2048, 6
    query = torch.randn(width, dtype=dtype, device=device) / width**0.5
    weight = torch.rand(width, dtype=dtype, device=device) + 0.5
    sources = [torch.randn(tokens, width, dtype=dtype, device=device) for _ in range(layers)]

    def reference(query, weight, *sources):
        stacked = torch.stack(sources)
        keys = F.rms_norm(stacked, (width,), weight, 1e-6)
        return ((keys @ query).softmax(0)[..., None] * stacked).sum(0)
    return [query, weight, *sources], lambda q, w, *s: theirs(q, list(s), w, None), reference


OPERATIONS = {"sinkhorn": (sinkhorn, 64, 1 << 18), "cross entropy": (cross_entropy, 32, 8192),
              "causal conv1d": (causal_conv1d, 256, 16384), "attention residual": (attention_residual, 64, 16384)}


def error(got, expected):
    return (got.double().cpu() - expected).abs().max().item() / max(expected.abs().max().item(), 1e-30)


def check(operation, tokens, dtype):
    """The largest errors of the result and of the gradients, relative to the largest expected value."""
    inputs, ours, reference = operation(tokens, "cuda", dtype)
    inputs = [tensor.detach().requires_grad_() for tensor in inputs]
    exact = [tensor.detach().double().cpu().requires_grad_() for tensor in inputs]
    got, expected = ours(*inputs), reference(*exact)
    upstream = torch.randn(expected.shape, dtype=torch.float64)
    gradients = torch.autograd.grad(got, inputs, upstream.to("cuda", got.dtype))
    wanted = torch.autograd.grad(expected, exact, upstream)
    return error(got, expected), max(map(error, gradients, wanted))


def milliseconds(launch, rounds=30):
    for _ in range(5):
        launch()
    times, flush = [], torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    for _ in range(rounds):
        flush.zero_()
        torch.cuda._sleep(3_000_000)  # the host gets ahead
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


class Taken(logging.Handler):
    """Notes which functions fla-core gave to its Gluon back ends."""

    def __init__(self):
        super().__init__()
        self.functions = set()

    def emit(self, record):
        text = record.getMessage()
        if text.endswith("-> gluon"):
            self.functions.add(text.split()[-3])


def run_side():
    """{case: {errors, ms}} with whatever answers for Gluon in this process."""
    from triton.experimental import gluon
    taken, logger = Taken(), logging.getLogger("fla.backends")
    logger.addHandler(taken)
    logger.setLevel(logging.INFO)
    results = {"jit of": gluon.jit.__module__}
    for name, (operation, few, many) in OPERATIONS.items():
        for dtype in (torch.float32, torch.bfloat16):
            torch.manual_seed(0)
            case = results[f"{name} {str(dtype)[6:]}"] = {}
            try:
                case["error"], case["gradient_error"] = check(operation, few, dtype)
                inputs, ours, _ = operation(many, "cuda", dtype)
                inputs = [tensor.requires_grad_() for tensor in inputs]
                out = ours(*inputs)
                upstream = torch.randn_like(out)
                with torch.no_grad():
                    case["forward_ms"] = milliseconds(lambda: ours(*inputs))
                case["backward_ms"] = milliseconds(
                    lambda: torch.autograd.grad(out, inputs, upstream, retain_graph=True))
            except Exception as failure:  # one that fails must not hide the others
                case["failure"] = f"{type(failure).__name__}: {str(failure)[-400:]}"
            torch.cuda.empty_cache()
    results["taken"] = sorted(taken.functions)
    return results


def run_both():
    report = {}
    for side, command in (("gluonc", [sys.executable, "-m", "gluonc"]), ("triton", [sys.executable])):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "side.json")
            done = subprocess.run([*command, __file__, "--side", side, "--out", path],
                                  env={**os.environ, "TRITON_CACHE_DIR": folder, "FLA_CACHE_DIR": folder})
            if done.returncode:
                sys.exit(f"fla_core.py: {side} ended with {done.returncode}")
            with open(path, encoding="utf-8") as file:
                report[side] = json.load(file)
    return report


def judge(name, report):
    """A line of the table; whether our side is right."""
    ours, theirs = report["gluonc"][name], report["triton"][name]
    tolerance = 2e-4 if name.endswith("float32") else 3e-2
    right = "failure" not in ours and max(ours["error"], ours["gradient_error"]) <= tolerance
    ratios = {key: ours[key] / theirs[key] for key in ("forward_ms", "backward_ms") if key in ours and key in theirs}
    print(f"{name:30} {'right' if right else 'WRONG'}", "  ".join(
        f"{key[:-3]} {ours[key]:.4f} ms, {ratio:.3f} of Triton's" for key, ratio in ratios.items()),
        ours.get("failure", ""), theirs.get("failure", ""), f"errors {ours.get('error')} {ours.get('gradient_error')}")
    return right, ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--side", choices=("gluonc", "triton"))
    options = parser.parse_args()
    status = 0
    if options.side:
        report = run_side()
    else:
        import triton
        report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
                  "torch": torch.__version__, "triton": triton.__version__, **run_both()}
        names = [name for name in report["gluonc"] if isinstance(report["gluonc"][name], dict)]
        judged = [judge(name, report) for name in names]
        ratios = [ratio for _, each in judged for ratio in each.values()]
        if ratios:
            report["geometric_mean"] = math.exp(statistics.fmean(map(math.log, ratios)))
            print(f"geometric mean {report['geometric_mean']:.3f}, worst {max(ratios):.3f} of {len(ratios)}")
        taken = [report[side]["taken"] for side in ("gluonc", "triton")]
        print(f"Gluon's functions: {taken[0]}", "" if taken[0] == taken[1] else f"Triton's: {taken[1]}")
        status = 0 if all(right for right, _ in judged) and taken[0] else 1
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
    return status


if __name__ == "__main__":
    sys.exit(main())
