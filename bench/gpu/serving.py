#!/usr/bin/env python3
"""The kernels that serve a language model (examples/hopper_decode, hopper_matmul/grouped.py, scaled.py, skinny.py, skinny_fp8.py), beside libraries and copies.

    serving.py --out FILE.json [--only decode,grouped,scaled,skinny,skinny_fp8] [--rounds 40]

As flagship.py measures: all sides of a shape take turns on the same tensors, a poisoned result is compared first, the
median counts. Exit status 1 when a result was wrong.
"""

import argparse
import datetime
import importlib.util
import json
import pathlib
import statistics
import sys
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import flagship  # noqa: E402

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def load(name):
    """examples/hopper_NAME.py as a module, which may import its neighbours."""
    path = EXAMPLES / f"hopper_{name}.py"
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Lengths of the sequences, heads of queries and of keys, positions of a page, D.
DECODE = [([4096] * 64, 32, 8, 64, 128), ([65536], 32, 8, 64, 128), ([8192] * 8, 32, 8, 64, 128),
          ([512 + 113 * i for i in range(128)], 32, 8, 64, 128), ([4096] * 64, 64, 8, 128, 128),
          ([4096] * 64, 32, 8, 32, 128), ([4096] * 64, 16, 16, 64, 64), ([1024] * 256, 8, 1, 64, 128)]


def copy_speed():
    """Gigabytes a second, read and written, of a copy of 2 GiB; a smaller one leaves a part of what it wrote in L2."""
    source, target = (torch.empty(2 << 30, dtype=torch.int8, device="cuda") for _ in range(2))
    copy = 2e-6 * source.nbytes / statistics.median(flagship.measure({"": lambda: target.copy_(source)}, 10, True)[""])
    print(f"copy {copy:.1f} GB/s")
    return copy


def bench_decode(rounds):
    """Gigabytes of keys and values a second; PyTorch gets them contiguous, and all sequences equally long."""
    ours = load("decode/decode")
    results = []
    copy = copy_speed()
    for lengths, q_heads, heads, page, d in DECODE:
        torch.manual_seed(0)
        dtype, batch = torch.float16, len(lengths)
        counts = [-(-length // page) for length in lengths]
        table = torch.zeros(batch, max(counts), dtype=torch.int32, device="cuda")
        order = torch.randperm(sum(counts), device="cuda", dtype=torch.int32)
        for i, pages in enumerate(order.split(counts)):
            table[i, :len(pages)] = pages
        k, v = (torch.randn(len(order), heads, page, d, device="cuda").to(dtype) for _ in range(2))
        q = torch.randn(batch, q_heads, d, device="cuda").to(dtype)
        o, sizes = torch.empty_like(q), torch.tensor(lengths, dtype=torch.int32, device="cuda")
        count = flagship.programs()
        partial = ours.scratch(count, q_heads // heads, d, "cuda")
        expected = ours.reference(q, k, v, table, sizes, d**-0.5)
        judge = flagship.close_to(expected, 2e-3)
        sides = {"gluonc": lambda: ours.attend(q, k, v, o, table, sizes, d**-0.5, count, partial)}
        if len(set(lengths)) == 1:
            plain = [torch.stack([cache[row.long()].transpose(0, 1).flatten(1, 2) for row in table]) for cache in (k, v)]
            sides["torch"] = lambda: o.copy_(torch.nn.functional.scaled_dot_product_attention(
                q[:, :, None], *plain, enable_gqa=q_heads != heads)[:, :, 0])
        work = 2e-6 * sum(lengths) * heads * d * 2
        name = f"decode {batch} x {sum(lengths) // batch}, heads {q_heads}/{heads}, page {page}, D {d}"
        result = flagship.compare(name, work, "gb_s", sides, rounds, lambda _, launch: judge(o, launch), clean=True)
        result["of_copy"] = result["gb_s"]["gluonc"] / copy
        print(f"{'':44} {result['of_copy']:.3f} of a copy's bandwidth", flush=True)
        results.append(result)
    return results


# Rows of each expert, N, K: sizes of Mixtral 8x7B, of Qwen3 30B-A3B, of DeepSeek-V3 (up and down).
GROUPED = [([4096] * 8, 14336, 4096), ([4096] * 8, 4096, 14336), ([512] * 128, 1536, 2048), ([1024] * 32, 4096, 7168),
           ([1024] * 32, 7168, 2048), ([100 + 300 * (i * 7 % 8) for i in range(32)], 4096, 7168),
           ([256] * 64, 2048, 4096), ([128] * 128, 2048, 2048)]


def bench_grouped(rounds):
    """TFLOP/s of products that count, beside torch's."""
    ours = load("matmul/grouped")
    results = []
    for sizes, n, k in GROUPED:
        for dtype in (torch.bfloat16, torch.float8_e4m3fn):
            torch.manual_seed(0)
            a = torch.randn(sum(sizes), k, device="cuda").to(dtype)
            b = torch.stack([torch.randn(n, k, device="cuda").to(dtype) for _ in sizes])
            c = torch.empty(sum(sizes), n, dtype=torch.bfloat16, device="cuda")
            ends = torch.tensor(sizes).cumsum(0).to(device="cuda", dtype=torch.int32)
            sides = {"gluonc": lambda: ours.product(a, b, ends, c, flagship.programs())}
            if dtype == torch.bfloat16:
                sides["torch"] = lambda: torch._grouped_mm(a, b.transpose(1, 2), offs=ends)
            else:
                ones = torch.ones(sum(sizes), device="cuda"), torch.ones(len(sizes), n, device="cuda")
                sides["torch"] = lambda: torch._scaled_grouped_mm(a, b.transpose(1, 2), *ones, offs=ends,
                                                                  out_dtype=c.dtype, use_fast_accum=True)
            parts = a.to(torch.bfloat16).split(sizes)
            expected = torch.cat([part @ matrix.to(torch.bfloat16).T for part, matrix in zip(parts, b)])
            judge = flagship.close_to(expected, 0.02 * k**0.5)
            name = f"grouped {len(sizes)} x {sum(sizes) // len(sizes)}, {n}x{k}, {str(dtype)[6:]}"
            results.append(flagship.compare(
                name, 2e-9 * sum(sizes) * n * k, "tflops", sides, rounds,
                lambda side, launch: judge(c, launch if side == "gluonc" else lambda: c.copy_(launch()))))
    return results


SCALED = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 7168, 16384), (4096, 24576, 1536), (4096, 7168, 2048),
          (16384, 4096, 7168), (1024, 4096, 7168)]


def bench_scaled(rounds):
    """TFLOP/s, beside torch's and beside our product without scales."""
    ours, plain = load("matmul/scaled"), load("matmul/matmul")
    results = []
    for m, n, k in SCALED:
        torch.manual_seed(0)
        a, sa = ours.random_operand(m, k, 1, "cuda")
        b, sb = ours.random_operand(n, k, 128, "cuda")
        sa = sa.T.contiguous()
        c = torch.empty(m, n, dtype=torch.bfloat16, device="cuda")
        wide = [(x.float() * ours.widened(scales, *x.shape, tall).float()).to(torch.bfloat16)
                for x, scales, tall in ((a, sa.T, 1), (b, sb, 128))]
        judge = flagship.close_to(wide[0] @ wide[1].T, 0.02 * k**0.5)
        count = flagship.programs()
        sides = {"gluonc": lambda: ours.product(a, sa, b, sb, c, count),
                 "torch": lambda: torch._scaled_mm(a, b.T, sa.T, sb.T, out_dtype=c.dtype, out=c)}
        result = flagship.compare(f"scaled {m}x{n}x{k}", 2e-9 * m * n * k, "tflops", sides, rounds,
                                  lambda _, launch: judge(c, launch))
        unscaled = statistics.median(flagship.measure({"": lambda: plain.product(a, b, c, count)}, rounds)[""])
        result["of_plain"] = unscaled / result["ms"]["gluonc"]
        print(f"{'':44} {result['of_plain']:.3f} of the speed without scales", flush=True)
        results.append(result)
    return results


# N, K: products of a layer of Llama 3 8B, and its logits.
SKINNY = [(6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336), (128256, 4096)]


def bench_skinny(rounds):
    """Gigabytes of weights a second. Products of several weights in a row, as a model has them, so that none is in L2."""
    ours = load("matmul/skinny")
    results = []
    copy = copy_speed()
    for n, k in SKINNY:
        torch.manual_seed(0)
        weights = [torch.randn(n, k, device="cuda", dtype=torch.bfloat16) for _ in range(max(1, -(-400_000_000 // (2 * n * k))))]
        for batch in (1, 8, 32, 64):
            x = torch.randn(batch, k, device="cuda", dtype=torch.bfloat16)
            ys = [torch.empty(batch, n, device="cuda", dtype=torch.bfloat16) for _ in weights]
            memory = ours.scratch(flagship.programs(), batch, "cuda")

            def launch(pdl):
                for w, y in zip(weights, ys):
                    ours.project(x, w, y, flagship.programs(), memory, pdl)

            def library():
                for w, y in zip(weights, ys):
                    torch.mm(x, w.T, out=y)

            sides = {"gluonc": lambda: launch(True), "gluonc, no PDL": lambda: launch(False), "torch": library}
            sides = {name: graph_of(side) for name, side in sides.items()}
            expected = x.double() @ weights[-1].double().T
            judge = flagship.close_to(expected, 0.01 * k**0.5)
            name = f"skinny {batch} x {n} x {k}, {len(weights)} in a row"
            result = flagship.compare(name, 2e-6 * len(weights) * n * k, "gb_s", sides, rounds,
                                      lambda _, side: judge(ys[-1], side), clean=True)
            result["of_copy"] = result["gb_s"]["gluonc"] / copy
            print(f"{'':44} {result['of_copy']:.3f} of a copy's bandwidth", flush=True)
            results.append(result)
    return results


def bench_skinny_fp8(rounds):
    """Gigabytes of weights in fp8 a second, beside the product with weights in bf16; `speedup` is how much sooner it ends."""
    ours, wide = load("matmul/skinny_fp8"), load("matmul/skinny")
    results = []
    copy = copy_speed()
    for n, k in SKINNY[:-1]:
        torch.manual_seed(0)
        weights = [torch.randn(n, k, device="cuda", dtype=torch.bfloat16) for _ in range(max(1, -(-400_000_000 // (n * k))))]
        in_fp8 = [ours.quantized(w) for w in weights]
        packed = [(ours.pack(w), scales) for w, scales in in_fp8]
        for batch in (1, 8, 32, 64):
            x = torch.randn(batch, k, device="cuda", dtype=torch.bfloat16)
            ys = [torch.empty(batch, n, device="cuda", dtype=torch.bfloat16) for _ in weights]
            memory, wide_memory = (side.scratch(flagship.programs(), batch, "cuda") for side in (ours, wide))

            def launch():
                for (w, scales), y in zip(packed, ys):
                    ours.project(x, w, scales, y, flagship.programs(), memory, True)

            def bf16():
                for w, y in zip(weights, ys):
                    wide.project(x, w, y, flagship.programs(), wide_memory, True)

            w, scales = in_fp8[-1]
            expected = {"gluonc": x.double() @ (w.double() * scales.double()[:, None]).T, "bf16": x.double() @ weights[-1].double().T}
            judges = {side: flagship.close_to(each, 0.01 * k**0.5) for side, each in expected.items()}
            result = flagship.compare(f"skinny_fp8 {batch} x {n} x {k}, {len(weights)} in a row", 1e-6 * len(weights) * n * k,
                                      "gb_s", {"gluonc": graph_of(launch), "bf16": graph_of(bf16)}, rounds,
                                      lambda side, launch: judges[side](ys[-1], launch), clean=True)
            result["of_copy"] = result["gb_s"]["gluonc"] / copy
            print(f"{'':44} {result['of_copy']:.3f} of a copy's bandwidth", flush=True)
            results.append(result)
    return results


def graph_of(launch):
    """The launches as a CUDA graph: hosts are slower than these kernels."""
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch()
    return graph.replay


BENCHMARKS = {"decode": bench_decode, "grouped": bench_grouped, "scaled": bench_scaled, "skinny": bench_skinny, "skinny_fp8": bench_skinny_fp8}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default=",".join(BENCHMARKS))
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "results": []}
    for name in options.only.split(","):
        report["results"] += BENCHMARKS[name](options.rounds)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    wrong = [r["name"] for r in report["results"] if not all(r["correct"].values()) or "gluonc" not in r["ms"]]
    print("wrong results:", wrong or "none")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
