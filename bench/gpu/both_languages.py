#!/usr/bin/env python3
"""examples/hopper_attention/gated.py, a kernel in both languages, beside what either language has alone.

    python -m gluonc --triton own both_languages.py --out FILE.json [--rounds 30]

`gluonc` is the kernel in both. `kernels` is Gluon's attention, between a kernel of Triton for the queries and one for the
gate. `tl …` is one kernel of Triton, with the tile and the options that its name says; the best right one of them counts. Results
are compared with float64 first. Exit status 1 when one was wrong.
"""

import argparse
import datetime
import json
import pathlib
import sys

import torch
import triton
import triton.language as tl

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "triton_kernels"), str(FOLDER.parents[1] / "examples/hopper_attention")]
import attention  # noqa: E402
import flagship  # noqa: E402
import gated  # noqa: E402
from gated import angles, normalize, open_gate  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402
from warps import attend  # noqa: E402

# Rows of Q, keys, warps, stages, whether a warp of its own loads.
TILES = [(128, 128, 8, 2, True), (128, 128, 8, 2, False), (128, 64, 8, 3, True), (128, 64, 8, 3, False),
         (64, 64, 4, 3, False)]
EPS = 1e-6


@triton.jit
def queries(q, weight, cosines, sines, eps, head, row, length, D: tl.constexpr):
    x = tl.load(q + (head * length + row) * D + tl.arange(0, D)[None, :], row < length, other=0)
    turn = angles(cosines, sines, row, length, D)
    return normalize(x, tl.load(weight + tl.arange(0, D)[None, :]), turn, eps)


@triton.jit
def store_gated(x, gate, out, head, row, length, D: tl.constexpr):
    place = (head * length + row) * D + tl.arange(0, D)[None, :]
    tl.store(out + place, open_gate(x, tl.load(gate + place, row < length, other=0)), row < length)


@triton.jit
def in_triton(q, k, v, gate, out, weight, cosines, sines, eps, scale, length, D: tl.constexpr, ROWS: tl.constexpr,
              KEYS: tl.constexpr, CAUSAL: tl.constexpr, WARPS: tl.constexpr):
    head = tl.program_id(1)
    first = (tl.num_programs(0) - 1 - tl.program_id(0)) * ROWS
    row = first + tl.arange(0, ROWS)[:, None]
    x = queries(q, weight, cosines, sines, eps, head, row, length, D)
    best = tl.full([ROWS], -float("inf"), tl.float32)
    sums = tl.zeros([ROWS], tl.float32)
    total = tl.zeros([ROWS, D], tl.float32)
    whole = first if CAUSAL else length
    total, sums, best = attend(x, k, v, head * length, total, sums, best, 0, whole, first, scale, ROWS, KEYS, False, WARPS)
    if CAUSAL:
        total, sums, best = attend(x, k, v, head * length, total, sums, best, first, first + ROWS, first, scale, ROWS, KEYS,
                                   True, WARPS)
    store_gated((total / sums[:, None]).to(out.dtype.element_ty), gate, out, head, row, length, D)


@triton.jit
def rotate(q, out, weight, cosines, sines, eps, length, D: tl.constexpr, ROWS: tl.constexpr):
    head = tl.program_id(1)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    x = queries(q, weight, cosines, sines, eps, head, row, length, D)
    tl.store(out + (head * length + row) * D + tl.arange(0, D)[None, :], x, row < length)


@triton.jit
def apply_gate(x, gate, out, length, D: tl.constexpr, ROWS: tl.constexpr):
    head = tl.program_id(1)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    rows = tl.load(x + (head * length + row) * D + tl.arange(0, D)[None, :], row < length, other=0)
    store_gated(rows, gate, out, head, row, length, D)


def sides_of(heads, length, d, causal):
    """(launches by name, what they write, what is right)."""
    torch.manual_seed(0)
    q, k, v, gate = (torch.randn(heads, length, d, device="cuda", dtype=torch.float16) for _ in range(4))
    weight = torch.rand(d, device="cuda") + 0.5
    turns = gated.tables(length, d, "cuda")
    out, between, attended = (torch.empty_like(q) for _ in range(3))
    grid = triton.cdiv(length, 32), heads
    flat = [x.view(-1, d) for x in (k, v)]

    def kernels():
        rotate[grid](q, between, weight, *turns, EPS, length, d, 32)
        attention.attend_all(between, k, v, attended, d**-0.5, causal, flagship.programs())
        apply_gate[grid](attended, gate, out, length, d, 32)

    def of_triton(rows, keys, warps, stages, specialized):
        def run():
            blocks = [TensorDescriptor.from_tensor(x, [keys, d]) for x in flat]
            in_triton[(length // rows, heads)](q, *blocks, gate, out, weight, *turns, EPS, d**-0.5 * 1.44269504, length, d,
                                               rows, keys, causal, specialized, num_warps=warps, num_stages=stages)
        return run

    launches = {"gluonc": lambda: gated.attend_all(q, k, v, gate, out, weight, turns, causal,
                                                   flagship.programs(), EPS), "kernels": kernels}
    for tile in TILES:
        launches["tl {}x{} w{} s{}{}".format(*tile[:4], " ws" * tile[4])] = of_triton(*tile)
    wanted = torch.cat([gated.expected(q[i:i + 1], k[i:i + 1], v[i:i + 1], gate[i:i + 1], weight, turns, causal, EPS)
                        for i in range(heads)])
    return launches, out, wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    results = []
    for heads, length, d, causal in ((64, 1024, 128, False), (32, 4096, 128, False), (64, 1024, 128, True),
                                     (32, 4096, 128, True), (32, 4096, 64, False), (32, 4096, 64, True)):
        launches, out, wanted = sides_of(heads, length, d, causal)
        judge = flagship.close_to(wanted, 4e-3)
        work = 4 * heads * length * length * d / (2 if causal else 1) / 1e9
        result = flagship.compare(f"gated {heads}x{length}x{d}{' causal' * causal}", work, "TFLOP/s", launches,
                                  options.rounds, lambda side, launch: judge(out, launch))
        for rest in ("kernels", "tl"):
            result[f"of {rest}"] = result["ms"]["gluonc"] / min(
                ms for side, ms in result["ms"].items() if side.startswith(rest) and result["correct"][side])
        print("  gluonc takes", *(f"{result[f'of {rest}']:.3f} of the time of {rest}" for rest in ("kernels", "tl")))
        results.append(result)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump({"device": torch.cuda.get_device_name(), "date": str(datetime.date.today()), "results": results}, file,
                      indent=1)
    return 0 if all(all(result["correct"].values()) for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
