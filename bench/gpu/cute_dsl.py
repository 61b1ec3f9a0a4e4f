#!/usr/bin/env python3
"""Our product and attention beside those of CuTe DSL's examples, on the same tensors, in turns.

    cute_dsl.py FOLDER --out FILE.json [--only matmul,attention] [--rounds 40] [--quick]

FOLDER is examples/python/CuTeDSL of a checkout of NVIDIA/cutlass; nvidia-cutlass-dsl must be
installed. Its `dense_gemm_persistent` is built with several tiles, clusters and swizzles for every
shape, its `fmha` with the tile that it takes by default; the fastest counts. Timed as flagship.py times.
Data are normal random numbers, and small integers, which cost the chip less power. Writes JSON;
prints a table. Exit status 1 when a result was wrong.
"""

import argparse
import datetime
import importlib.metadata
import importlib.util
import itertools
import json
import math
import pathlib
import sys
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import flagship  # noqa: E402

SHAPES = ((4096, 4096, 4096), (8192, 8192, 1024), (8192, 8192, 8192))
# Tile, cluster and swizzle of the order of tiles.
MATMUL_CONFIGS = list(itertools.product(((128, 256),), ((2, 1), (1, 2), (1, 1)), (1, 8)))


def load(folder, path):
    source = pathlib.Path(folder) / "cute/hopper/kernel" / path
    if str(folder) not in sys.path:  # the examples import each other's helpers
        sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(source.stem, source)
    module = importlib.util.module_from_spec(spec)
    sys.modules[source.stem] = module
    spec.loader.exec_module(module)
    return module


def stream():
    import cuda.bindings.driver as driver
    return driver.CUstream(torch.cuda.current_stream().cuda_stream)


def cute_type(dtype):
    import cutlass
    return {torch.float16: cutlass.Float16, torch.bfloat16: cutlass.BFloat16,
            torch.float8_e4m3fn: cutlass.Float8E4M3FN, torch.float32: cutlass.Float32}[dtype]


def as_cute(tensor, leading):
    """The same memory as CuTe's tensor of dynamic shape; `leading` is the dim whose stride is 1."""
    from cutlass.cute.runtime import from_dlpack
    view = tensor.view(torch.uint8) if tensor.dtype.itemsize == 1 else tensor
    result = from_dlpack(view, assumed_align=16)
    result.element_type = cute_type(tensor.dtype)
    return result.mark_layout_dynamic(leading_dim=leading)


def cute_products(module, a, b, c):
    """{configuration: launch}."""
    import cutlass
    from cutlass import cute
    operands = [as_cute(t.unsqueeze(-1), 1) for t in (a, b, c)]
    sides = {}
    for tile, cluster, swizzle in MATMUL_CONFIGS:
        kernel = module.HopperWgmmaGemmPersistentKernel(cutlass.Float32, tile, cluster, swizzle, True)
        clusters = cutlass.utils.HardwareInfo().get_max_active_clusters(math.prod(cluster))
        try:
            compiled = cute.compile(kernel, *operands, clusters, stream())
        except Exception as error:  # not every tile fits every type
            print(f"cute {tile} {cluster} {swizzle}: {str(error)[:200]}")
            continue
        name = f"cute {tile[0]}x{tile[1]} {cluster[0]}x{cluster[1]} {swizzle}"
        sides[name] = lambda compiled=compiled: compiled(*operands, stream())
    return sides


def numbers(kind, shape, dtype):
    if kind == "normal":
        return torch.randn(shape, device="cuda").to(dtype)
    return torch.randint(-2, 3, shape, device="cuda").to(dtype)


def bench_matmul(options):
    ours, theirs = flagship.load("matmul"), load(options.folder, "dense_gemm/dense_gemm_persistent.py")
    count = flagship.programs()
    for dtype, out_dtype in ((torch.float16, torch.float16), (torch.float8_e4m3fn, torch.bfloat16)):
        for (m, n, k), kind in itertools.product(SHAPES[:1] if options.quick else SHAPES, ("normal", "integers")):
            torch.manual_seed(0)
            a, b = (numbers(kind, (size, k), dtype) for size in (m, n))
            c = torch.empty(m, n, device="cuda", dtype=out_dtype)
            expected = a.to(torch.float16) @ b.to(torch.float16).T
            tolerance = 0.02 if out_dtype == torch.bfloat16 else 0.01
            judge = flagship.close_to(expected, tolerance * max(1, k / 4096 if dtype.itemsize == 1 else 1) * k**0.5)
            sides = {"gluonc": lambda: ours.product(a, b, c, count), **cute_products(theirs, a, b, c)}
            yield flagship.compare(f"matmul {m}x{n}x{k} {str(dtype)[6:]} {kind}", 2e-9 * m * n * k, "tflops", sides,
                                   options.rounds, lambda _, launch: judge(c, launch))


def cute_attention(module, tensors, scale, causal):
    """Launches fmha on (batch, heads, length, width), which it calls (length, width, 1, heads, batch)."""
    import cutlass
    from cutlass import cute
    q, k, v, o = (as_cute(t.unsqueeze(2).permute(3, 4, 2, 1, 0), 1) for t in tensors)
    batch, heads, length, width = tensors[0].shape
    lse = torch.empty(batch, heads, 1, length, 1, device="cuda")
    sums = as_cute(lse.permute(3, 4, 2, 1, 0), 0)
    masks = module.fmha_utils.MaskEnum
    kernel = module.HopperFusedMultiHeadAttentionForward(cutlass.Float32, cutlass.Float32, (64, 128, width), False,
                                                         masks.WINDOW_MASK)
    arguments = [q, k, v, o, sums, scale * math.log2(math.e), scale, 1.0, None,
                 cutlass.Int32(0) if causal else None]
    compiled = cute.compile(kernel, *arguments, stream())
    # `lse` must live as long as the launch.
    return lambda alive=lse: compiled(*arguments, stream())


def bench_attention(options):
    ours, theirs = flagship.load("attention"), load(options.folder, "attention/fmha.py")
    for width, length, causal in itertools.product((128, 64), (1024, 4096, 16384), (False, True)):
        if options.quick and (width, length) != (128, 4096):
            continue
        torch.manual_seed(0)
        shape = (16384 // length, 2048 // width, length, width)
        q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
        o = torch.empty_like(q)
        both = flagship.attention_sides(ours, None, (q, k, v, o), causal, False)
        judge = flagship.close_to(both["flash"](), 0.005)
        sides = {"gluonc": both["gluonc"], "cute": cute_attention(theirs, (q, k, v, o), width**-0.5, causal)}
        work = 4e-9 * q.numel() * length / (2 if causal else 1)
        yield flagship.compare(f"attention {'x'.join(map(str, shape))}{' causal' * causal}", work, "tflops", sides,
                               options.rounds, lambda _, launch: judge(o, launch))


BENCHMARKS = {"matmul": bench_matmul, "attention": bench_attention}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="matmul,attention")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "cute": importlib.metadata.version("nvidia-cutlass-dsl-libs-core"), "results": []}
    for name in options.only.split(","):
        for result in BENCHMARKS[name](options):
            report["results"].append(result)
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
    return 0 if all(all(result["correct"].values()) for result in report["results"]) else 1


if __name__ == "__main__":
    sys.exit(main())
