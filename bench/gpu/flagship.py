#!/usr/bin/env python3
"""The kernels of examples/hopper_* beside the vendor's libraries and Triton's build of the same files.

    flagship.py --out FILE.json [--only peak,matmul,attention,backward,norm] [--quick] [--sweep] [--no-triton] [--limit S]

Everything of one shape runs in one process on the same random tensors, launch by launch in turns,
and the median of each side counts. A poisoned output is compared with the library's result before
anything is timed. `--sweep` tries other configurations of our kernels as well; `--quick` few shapes.
Exit status 1 when a result was wrong; a side that takes more than `--limit` seconds for one shape
hangs, and ends the program with its name.
"""

import argparse
import datetime
import faulthandler
import importlib.util
import json
import pathlib
import random
import statistics
import sys
import tempfile
import time
import warnings

import torch

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def load(name, package="gluonc"):
    """examples/hopper_NAME as a module, with gluonc or with Triton under it."""
    source = EXAMPLES / f"hopper_{name}/{name}.py"
    if package != "gluonc":
        text = source.read_text().replace("import gluonc as", f"import {package} as")
        source = pathlib.Path(tempfile.mkdtemp()) / f"{name}_with_triton.py"
        source.write_text(text.replace("from gluonc", f"from {package}"))
    spec = importlib.util.spec_from_file_location(source.stem, source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_with_triton(name, options):
    """None, and a word why, where this Triton cannot build the file."""
    if options.no_triton:
        return None
    try:
        from triton.experimental.gluon.language.nvidia.hopper import tma
        # Names of 3.6 for what later ones call so.
        for new, old in (("async_load", "async_copy_global_to_shared"), ("async_store", "async_copy_shared_to_global")):
            if not hasattr(tma, new):
                setattr(tma, new, getattr(tma, old))
        return load(name, "triton.experimental.gluon")
    except Exception as error:
        print(f"no Triton beside {name}: {error}")
        return None


LIMIT = 30
# The last line names what hung.
PROGRESS = sys.stderr


def measure(sides, rounds, clean=False):
    """Milliseconds of every launch of every side: one launch of each, in an order drawn anew each round.

    A chip at its power limit slows down under what ran before; so all have the same before them. L2 is
    flushed between; `clean`: and holds nothing that has to be written back, which takes as long as reading it.
    """
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    events = {side: [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(rounds)] for side in sides}
    shuffled = random.Random(0)
    for number in range(rounds):
        # A head start for the host, 0.3 ms a launch, so that the chip never waits for it.
        torch.cuda._sleep(600_000 * len(sides))
        for side in shuffled.sample(list(sides), len(sides)):
            flush.zero_()
            if clean:
                flush[:flush.nbytes // 2].view(torch.int32).max()
            events[side][number][0].record()
            sides[side]()
            events[side][number][1].record()
    torch.cuda.synchronize()
    return {side: [start.elapsed_time(end) for start, end in pairs] for side, pairs in events.items()}


def compare(name, work, unit, sides, rounds, correct, clean=False):
    """One line of the report: `sides` maps names to launches; `correct` judges what one left behind."""
    result = {"name": name, "ms": {}, unit: {}, "correct": {}}
    alive = {}
    for side, launch in sides.items():
        PROGRESS.write(f"{name}: {side}\n")
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            result["correct"][side] = correct(side, launch)
            alive[side] = launch
        except Exception as error:  # a side that cannot do this shape must not hide the others
            result.setdefault("errors", {})[side] = f"{type(error).__name__}: {str(error)[-300:]}"
        faulthandler.cancel_dump_traceback_later()
    times = measure(alive, rounds, clean)
    for side, values in times.items():
        result["ms"][side] = statistics.median(values)
        result[unit][side] = work / result["ms"][side]
    others = [ms for side, ms in result["ms"].items() if not side.startswith(("gluonc", "triton", "flash"))]
    if others and "gluonc" in alive:
        result["speedup"] = min(others) / result["ms"]["gluonc"]
    print(f"{name:44}", "  ".join(f"{side} {value:.1f}{'' if result['correct'][side] else ' WRONG'}"
                                  for side, value in result[unit].items()),
          f" x{result.get('speedup', 0):.3f}", result.get("errors", ""), flush=True)
    return result


def close_to(expected, tolerance):
    """A judge of outputs: poisons, launches, compares."""
    def judge(output, launch):
        output.fill_(float("nan"))
        launch()
        torch.cuda.synchronize()
        difference = (output.float() - expected.float()).abs()
        return bool((difference <= tolerance * (1 + expected.float().abs())).all())
    return judge


def programs():
    return torch.cuda.get_device_properties(0).multi_processor_count


MATMUL_SWEEP = [dict(group=8), dict(group=12), dict(ctas=2)]


def matmul_sides(ours, triton, a, b, c, dtype, sweep):
    count = programs()
    sides = {"gluonc": lambda: ours.product(a, b, c, count)}
    for config in MATMUL_SWEEP if sweep else ():
        label = ",".join(f"{k}={v}" for k, v in config.items())
        sides[f"gluonc {label}"] = lambda config=config: ours.product(a, b, c, count, config)
    if triton is not None:
        sides["triton"] = lambda: triton.product(a, b, c, count)
    if dtype == torch.float8_e4m3fn:
        one = torch.ones((), device="cuda")
        sides["cublas"] = lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=c.dtype, use_fast_accum=True, out=c)
    else:
        sides["cublas"] = lambda: torch.mm(a, b.T, out=c)
    return sides


def bench_matmul(options):
    ours, triton = load("matmul"), load_with_triton("matmul", options)
    square, wide = [(s, s, s) for s in (4096, 8192, 16384)], [(8192, 8192, k) for k in (512, 1024, 2048, 4096, 16384)]
    shapes = [(4096,) * 3, (8192, 8192, 1024), (8192,) * 3] if options.quick else square + wide
    results = []
    for dtype, out_dtype in ((torch.float16, torch.float16), (torch.bfloat16, torch.bfloat16),
                             (torch.float8_e4m3fn, torch.bfloat16)):
        if str(dtype)[6:] not in options.dtypes:
            continue
        for m, n, k in shapes[:1] if options.quick and dtype != torch.float16 else shapes:
            torch.manual_seed(0)
            a, b = (torch.randn(size, k, device="cuda").to(dtype) for size in (m, n))
            c = torch.empty(m, n, device="cuda", dtype=out_dtype)
            expected = (a.to(torch.float16) @ b.to(torch.float16).T)
            # Sums of fp8 products are kept to 13 bits, and cut off every time one is added.
            tolerance = 0.02 if dtype == torch.bfloat16 else 0.01 * max(1, k / 4096 if dtype.itemsize == 1 else 1)
            judge = close_to(expected, tolerance * k**0.5)
            sides = matmul_sides(ours, triton, a, b, c, dtype, options.sweep)
            results.append(compare(f"matmul {m}x{n}x{k} {str(dtype)[6:]}", 2e-9 * m * n * k, "tflops", sides,
                                   options.rounds, lambda _, launch: judge(c, launch)))
    return results


ATTENTION_SWEEP = {128: [dict(keys=64, stages=4)],
                   64: [dict(consumers=2, registers=240, stages=4), dict(consumers=3, registers=160, stages=2)]}


def attention_sides(ours, triton, tensors, causal, sweep):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    q, k, v, o = tensors
    scale, count, flat = q.shape[-1]**-0.5, programs(), [t.flatten(0, 1) for t in tensors]
    sides = {"gluonc": lambda: ours.attend_all(*flat, scale, causal, count)}
    for config in ATTENTION_SWEEP[q.shape[-1]] if sweep else ():
        label = ",".join(f"{k}={v}" for k, v in config.items())
        sides[f"gluonc {label}"] = lambda config=config: ours.attend_all(*flat, scale, causal, count, config)
    if triton is not None:
        sides["triton"] = lambda: triton.attend_all(*flat, scale, causal, count)

    def library(backend):
        def launch():
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
        return launch

    sides["cudnn"] = library(SDPBackend.CUDNN_ATTENTION)
    sides["flash"] = library(SDPBackend.FLASH_ATTENTION)
    return sides


def bench_attention(options):
    ours, triton = load("attention"), load_with_triton("attention", options)
    results = []
    lengths = (1024, 8192) if options.quick else (1024, 2048, 4096, 8192, 16384)
    for d, dtype in ((128, torch.float16), (64, torch.float16), (128, torch.bfloat16), (64, torch.bfloat16)):
        for causal in (False, True) if str(dtype)[6:] in options.dtypes else ():
            for length in lengths[:1] if options.quick and dtype == torch.bfloat16 else lengths:
                torch.manual_seed(0)
                shape = (16384 // length, 2048 // d, length, d)
                q, k, v = (torch.randn(shape, device="cuda", dtype=dtype) for _ in range(3))
                o = torch.empty_like(q)
                sides = attention_sides(ours, triton, (q, k, v, o), causal, options.sweep and dtype == torch.float16)
                judge = close_to(sides["flash"](), 0.005 if dtype == torch.float16 else 0.02)

                def correct(side, launch):
                    if side.startswith(("gluonc", "triton")):
                        return judge(o, launch)
                    return judge(o, lambda: o.copy_(launch()))

                work = 4e-9 * q.numel() * length / (2 if causal else 1)
                name = f"attention {shape[0]}x{shape[1]}x{length}x{d} {str(dtype)[6:]}{' causal' * causal}"
                results.append(compare(name, work, "tflops", sides, options.rounds, correct))
    return results


def bench_backward(options):
    """TFLOP/s of the five products, beside cuDNN's and FlashAttention's gradients as torch has them; the passes forward are not in it."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    sys.path.insert(0, str(EXAMPLES / "hopper_attention"))
    import attention as forward
    import backward as ours
    results = []
    for d, dtype in ((128, torch.float16), (64, torch.float16), (128, torch.bfloat16)):
        for causal in (False, True):
            for length in (1024, 8192) if options.quick else (1024, 2048, 4096, 8192, 16384):
                torch.manual_seed(0)
                shape = (16384 // length, 2048 // d, length, d)
                q, k, v, do = (torch.randn(shape, device="cuda", dtype=dtype) for _ in range(4))
                flat = [t.flatten(0, 1) for t in (q, k, v, do)]
                made = [torch.empty_like(t) for t in flat[:3]]
                o, lse = torch.empty_like(flat[0]), torch.empty(flat[0].shape[:2], device="cuda")
                scale, memory = d**-0.5, ours.scratch(flat[0])
                forward.attend_all(*flat[:3], o, scale, causal, programs(), lse=lse)
                sides = {"gluonc": lambda: ours.attend_back(*flat[:3], o, lse, flat[3], *made, scale, causal, memory)}

                def library(backend):
                    inputs = [t.detach().requires_grad_() for t in (q, k, v)]
                    with sdpa_kernel(backend):
                        out = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal, scale=scale)
                    return lambda: torch.autograd.grad(out, inputs, do, retain_graph=True)

                sides["cudnn"] = library(SDPBackend.CUDNN_ATTENTION)
                sides["flash"] = library(SDPBackend.FLASH_ATTENTION)
                together = torch.empty(3, *flat[0].shape, dtype=dtype, device="cuda")
                judge = close_to(torch.stack([t.flatten(0, 1) for t in sides["flash"]()]), 0.01 if dtype == torch.float16 else 0.06)

                def correct(side, launch):
                    def collect():
                        grads = launch()
                        together.copy_(torch.stack([t.flatten(0, 1) for t in grads] if grads else made))
                    for t in made:
                        t.fill_(float("nan"))
                    return judge(together, collect)

                work = 10e-9 * q.numel() * length / (2 if causal else 1)
                name = f"attention backward {shape[0]}x{shape[1]}x{length}x{d} {str(dtype)[6:]}{' causal' * causal}"
                results.append(compare(name, work, "tflops", sides, options.rounds, correct))
    return results


def bench_norm(options):
    """Gigabytes read and written a second, beside a copy of the same bytes."""
    ours, triton = load("norm"), load_with_triton("norm", options)
    results = []
    for dtype in (torch.float16, torch.float32):
        for n in (8192,) if options.quick else (1024, 4096, 8192, 12288, 16384, 32768):
            if str(dtype)[6:] == "float32" and options.quick:
                continue
            m = (256 << 20) // (n * dtype.itemsize)
            torch.manual_seed(0)
            x = torch.randn(m, n, device="cuda", dtype=dtype)
            weight, bias = (torch.randn(n, device="cuda", dtype=dtype) for _ in range(2))
            y, other = torch.empty_like(x), torch.empty_like(x)
            sides = {"gluonc": lambda: ours.normalize(x, weight, bias, y, programs())}
            if triton is not None:
                sides["triton"] = lambda: triton.normalize(x, weight, bias, y, programs())
            sides["torch"] = lambda: torch.nn.functional.layer_norm(x, (n,), weight, bias)
            judge = close_to(sides["torch"](), 2e-3 if dtype == torch.float16 else 1e-5)

            def correct(side, launch):
                return judge(y, launch if side != "torch" else lambda: y.copy_(launch()))

            result = compare(f"layer norm {m}x{n} {str(dtype)[6:]}", 2e-6 * x.nbytes, "gb_s", sides, options.rounds,
                             correct)
            copy = statistics.median(measure({"copy": lambda: other.copy_(x)}, options.rounds)["copy"])
            result["roofline_gb_s"] = 2e-6 * x.nbytes / copy
            print(f"{'':44} copy {result['roofline_gb_s']:.1f}")
            results.append(result)
    return results


def fresh(launch, work):
    """TFLOP/s of five launches in a row, on a chip that was idle for a second."""
    launch()
    torch.cuda.synchronize()
    time.sleep(1)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(1_000_000)
    launch()
    begin.record()
    for _ in range(5):
        launch()
    end.record()
    torch.cuda.synchronize()
    return 5e-9 * work / begin.elapsed_time(end)


def peak_of(name, launch, work, times):
    """One line of the report: as the others are timed, after a rest, and over a longer time."""
    import peak
    result = {"name": name, "ms": {"peak": statistics.median(times)}}
    sustained_ms, mhz, watts = peak.busy(launch, 1.2)
    result["tflops"] = {"peak": 1e-9 * work / result["ms"]["peak"], "fresh": fresh(launch, work),
                        "sustained": 1e-9 * work / sustained_ms}
    result.update(sustained_mhz=mhz, sustained_watts=watts)
    print(f"{name:44}", "  ".join(f"{key} {value:.1f}" for key, value in result["tflops"].items()),
          f" {mhz:.0f} MHz, {watts:.0f} W", flush=True)
    return result


def bench_peak(options):
    """The tensor cores' own speed, with random numbers and with zeros, and our product beside it."""
    import peak
    ours = load("matmul")
    results = []
    for dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn):
        if str(dtype)[6:] not in options.dtypes:
            continue
        # As much as a product of 8192 x 8192 x 8192, which takes its turns with them.
        a, b = (torch.randn(8192, 8192, device="cuda").to(dtype) for _ in range(2))
        c = torch.empty(8192, 8192, device="cuda", dtype=torch.bfloat16 if dtype.itemsize == 1 else dtype)
        sides = {"matmul 8192x8192x8192": (lambda: ours.product(a, b, c, programs()), 2.0 * 8192**3)}
        for name in ("random", "zeros"):
            sides[f"peak, {name}"] = peak.launcher(dtype, name == "zeros", programs(), 16384 * 128 // programs())
        times = measure({name: launch for name, (launch, _) in sides.items()}, options.rounds)
        results += [peak_of(f"{name} {str(dtype)[6:]}", launch, work, times[name])
                    for name, (launch, work) in sides.items()]
    return results


def add_shares(results):
    """Of the tensor cores' speed with random numbers, where that was measured before."""
    peaks = {r["name"].split()[-1]: r["tflops"]["peak"] for r in results if r["name"].startswith("peak, random")}
    for result in results:
        peak = next((peaks[word] for word in result["name"].split() if word in peaks), None)
        if peak and "gluonc" in result.get("tflops", {}):
            result["share_of_peak"] = result["tflops"]["gluonc"] / peak


BENCHMARKS = {"peak": bench_peak, "matmul": bench_matmul, "attention": bench_attention, "backward": bench_backward, "norm": bench_norm}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="peak,matmul,attention,backward,norm")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--no-triton", action="store_true")
    parser.add_argument("--dtypes", default="float16,bfloat16,float8_e4m3fn")
    parser.add_argument("--limit", type=int, default=LIMIT)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")

    globals()["LIMIT"] = options.limit
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "results": []}
    for name in options.only.split(","):
        report["results"] += BENCHMARKS[name](options)
        add_shares(report["results"])
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    wrong = [r["name"] for r in report["results"]
             if "correct" in r and (not all(r["correct"].values()) or "gluonc" not in r["ms"])]
    print("wrong results:", wrong or "none")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
