#!/usr/bin/env python3
"""torch.compile over gluonc and over Triton: models that Inductor makes Triton kernels of.

    inductor.py --out FILE.json [--only REGEX] [--rounds 2]

Each side runs in processes of its own, in turns, with empty caches and Inductor's own compile
workers. Results and gradients are first compared with those of the model in float64, run eagerly.
Times are those of a forward and a backward pass: of its kernels on the GPU, and of the whole step.
Writes JSON, prints a table with gluonc's time as a part of Triton's. Exit status 1 when a result was
wrong or a model failed over gluonc.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

CASES = {}
# Seconds for a process of one side.
LIMIT = 60


def case(make):
    """`make(torch, kind)` gives (model, tensors that it takes), in the floating type `kind`."""
    CASES[make.__name__] = make
    return make


@case
def layer_norm(torch, kind):
    model = torch.nn.Sequential(torch.nn.LayerNorm(4096), torch.nn.GELU())
    return model, [torch.randn(8192, 4096)]


@case
def rms_norm_gate(torch, kind):
    def model(x, gate):
        scaled = x.to(_wide(torch, kind)) * torch.rsqrt(
            x.to(_wide(torch, kind)).square().mean(-1, keepdim=True) + 1e-6)
        return scaled.to(x.dtype) * torch.nn.functional.silu(gate)
    return model, [torch.randn(8192, 4096), torch.randn(8192, 4096)]


@case
def cross_entropy(torch, kind):
    labels = torch.randint(0, 32000, (4096,), device="cuda")

    def model(logits):
        return torch.nn.functional.cross_entropy(logits.to(_wide(torch, kind)), labels,
                                                 reduction="none")
    return model, [torch.randn(4096, 32000)]


@case
def batch_norm(torch, kind):
    model = torch.nn.Sequential(torch.nn.BatchNorm2d(256), torch.nn.ReLU(), torch.nn.AvgPool2d(2))
    return model, [torch.randn(32, 256, 56, 56)]


@case
def transformer_block(torch, kind):
    return torch.nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, batch_first=True,
                                            activation="gelu", norm_first=True), \
        [torch.randn(8, 1024, 768)]


@case
def scans(torch, kind):
    return lambda x: x.cumsum(1) * x.sigmoid().cumprod(1), [torch.randn(4096, 1000) / 8]


@case
def column_sums(torch, kind):
    return lambda x: (x * x.sigmoid()).sum(0), [torch.randn(16384, 2048) / 64]


@case
def transposed(torch, kind):
    return lambda x, y: (x.permute(2, 0, 1) + y).contiguous().tanh(), \
        [torch.randn(512, 512, 64), torch.randn(64, 512, 512)]


@case
def product_template(torch, kind):
    # `_settings` leaves Inductor no other product than its Triton template.
    def model(x, w):
        return torch.nn.functional.silu(x @ w)
    return model, [torch.randn(4096, 4096), torch.randn(4096, 4096) / 64]


@case
def flex_attention(torch, kind):
    from torch.nn.attention.flex_attention import create_block_mask
    from torch.nn.attention.flex_attention import flex_attention as attend

    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 2048, 2048, device="cuda")
    shape = 4, 16, 2048, 64

    def model(q, k, v):
        if kind == torch.float64:
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return attend(q, k, v, block_mask=mask)
    return model, [torch.randn(shape) for _ in range(3)]


def _wide(torch, kind):
    return torch.float64 if kind == torch.float64 else torch.float32


def _settings(torch, name):
    import torch._inductor.config as config
    # What does not come from Inductor's caches is compiled.
    config.fx_graph_cache = False
    if name == "product_template":
        config.max_autotune_gemm = True
        config.max_autotune_gemm_backends = "TRITON"


def _built(torch, name, kind):
    """(model, leaves that it takes) of fixed random numbers, in `kind` on the GPU."""
    torch.manual_seed(0)
    model, tensors = CASES[name](torch, kind)
    if isinstance(model, torch.nn.Module):
        model = model.to("cuda", kind)
    leaves = [tensor.half().to("cuda", kind).requires_grad_() for tensor in tensors]
    return model, leaves


def _step(model, leaves, gradient):
    """One forward and backward pass: the result, and the gradients."""
    result = model(*leaves)
    result.backward(gradient.to(result.dtype))
    parameters = list(model.parameters()) if hasattr(model, "parameters") else []
    gradients = [leaf.grad for leaf in leaves + parameters]
    for leaf in leaves + parameters:
        leaf.grad = None
    return [result.detach(), *gradients]


def _difference(found, wanted):
    """The largest difference, as a part of the largest number that is wanted."""
    if not found.isfinite().all():
        return float("inf")
    return ((found.double() - wanted).abs().max() / wanted.abs().max().clamp(min=1e-30)).item()


def _milliseconds(torch, call, seconds=0.3):
    times = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 10:
        begin, done = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        done.record()
        done.synchronize()
        times.append(begin.elapsed_time(done))
    return statistics.median(times[len(times) // 4:])


def _kernel_milliseconds(torch, call, times=20):
    """What the kernels of a call take on the GPU, without the gaps that the host leaves."""
    from torch.profiler import ProfilerActivity, profile
    call()
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(times):
            call()
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profiler.key_averages()) / 1e3 / times


def run_case(name):
    """In the process of one side."""
    import torch
    _settings(torch, name)
    model, leaves = _built(torch, name, torch.float16)
    gradient = torch.randn(model(*leaves).shape, device="cuda")
    begin = time.monotonic()
    compiled = torch.compile(model)
    found = _step(compiled, leaves, gradient)
    torch.cuda.synchronize()
    first = time.monotonic() - begin
    wanted = _step(*_built(torch, name, torch.float64), gradient.half())

    def step():
        return _step(compiled, leaves, gradient)
    import triton
    return {"difference": max(map(_difference, found, wanted)), "first_call_s": first,
            "step_ms": _milliseconds(torch, step), "kernels_ms": _kernel_milliseconds(torch, step),
            "triton": triton.__version__, "module": triton.__name__}


def run_side(side, name):
    """What a process of one side says; an error as text."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": cache, "GLUONC_CACHE_DIR": "",
                                    "TRITON_CACHE_DIR": os.path.join(cache, "triton")}
        python = [sys.executable] + (["-m", "gluonc", "--triton", "own"] if side == "gluonc" else [])
        said, log = os.path.join(cache, "said"), os.path.join(cache, "log")
        # Not through pipes, which Inductor's workers would hold open.
        with open(said, "w") as out, open(log, "w") as errors:
            process = subprocess.Popen([*python, __file__, "--case", name], env=environment,
                                       stdout=out, stderr=errors, start_new_session=True)
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = f"no end in {LIMIT} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        # Triton leaves its stages there, gluonc machine code alone.
        if side == "gluonc" and any(name.endswith(".ttir") for _, _, names in
                                    os.walk(environment["TRITON_CACHE_DIR"]) for name in names):
            return {"error": "Triton itself has compiled a kernel"}
        if status:
            with open(log) as file:
                return {"error": f"{status}: {file.read()[-3000:]}"}
        with open(said) as file:
            return json.loads(file.read().splitlines()[-1])


def combined(runs):
    """Least times of a side's runs, largest difference."""
    failed = [run for run in runs if "error" in run]
    if failed:
        return failed[0]
    pick = {"difference": max}
    return {key: pick.get(key, min)(run[key] for run in runs) for key in runs[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--case")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(run_case(options.case)))
        return 0
    results, status = {}, 0
    for name in CASES:
        if not re.search(options.only, name):
            continue
        runs = {"gluonc": [], "triton": []}
        for _ in range(options.rounds):
            for side in runs:
                runs[side].append(run_side(side, name))
        sides = results[name] = {side: combined(found) for side, found in runs.items()}
        ours, theirs = sides["gluonc"], sides["triton"]
        if "error" in ours or ours["difference"] > 2e-2:
            status = 1
        if "error" in ours or "error" in theirs:
            print(name, *(f"{side}: {run['error']}" for side, run in sides.items() if "error" in run),
                  flush=True)
            continue
        ratios = "  ".join(f"{key[:-3]} {ours[key]:.3f} ms, {ours[key] / theirs[key]:.3f}"
                           for key in ("kernels_ms", "step_ms"))
        print(f"{name:20} difference {ours['difference']:.1e} ({theirs['difference']:.1e})  {ratios}  "
              f"first call {ours['first_call_s']:.1f} s ({theirs['first_call_s']:.1f})", flush=True)
    if options.out:
        import torch
        with open(options.out, "w") as file:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__,
                       "models": results}, file, indent=1)
    return status


if __name__ == "__main__":
    sys.exit(main())
