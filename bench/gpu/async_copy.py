#!/usr/bin/env python3
"""Elementwise addition through asynchronous copies, beside Triton's build of the same file.

    async_copy.py --gluonc BIN --out FILE.json --source 03-async-copy.py [--size 32768]

FILE is Triton's tutorial about asynchronous copies (either spelling), taken as it
is from a checkout; both compilers build its kernels. Every configuration must
give a + b exactly, then both are timed as bench.py does it.
"""

import argparse
import dataclasses
import datetime
import importlib.util
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bench  # noqa: E402
import cases  # noqa: E402
import ours  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
from triton.experimental.gluon import language as gl  # noqa: E402


@dataclasses.dataclass
class Swizzled(cases.Layout):
    """A SwizzledSharedLayout; the fields of the base are not used."""
    vec: int = 1

    def text(self):
        return f"gl.SwizzledSharedLayout({self.vec}, 1, 1, [1, 0])"


PLAIN = Swizzled([], [], [], [], vec=1)


class TritonKernel(bench.TritonKernel):
    def __init__(self, module, case):
        self.kernel, self.case, self.compiled = getattr(module, case.kernel), case, None
        self.arguments = [gl.SwizzledSharedLayout(v.vec, 1, 1, [1, 0]) if isinstance(v, Swizzled) else v
                          for v in case.arguments.values()]


def addition(tensors, kernel, rows, columns, **more):
    a, b, c = tensors
    m, n = a.shape
    arguments = dict(a_ptr=a, b_ptr=b, c_ptr=c, xnumel=m, ynumel=n, xstride_a=n, ystride_a=1, xstride_b=n,
                     ystride_b=1, xstride_c=n, ystride_c=1, XBLOCK=rows, YBLOCK=columns, **more)
    label = " ".join([kernel.removesuffix("_kernel"), f"{rows}x{columns}"] +
                     [f"{name}={value}" for name, value in more.items() if isinstance(value, int)])
    return cases.Case(label, kernel, arguments, ("XBLOCK", "YBLOCK", *more), (cases.cdiv(m, rows), 1, 1), 4,
                      3 * a.nbytes, lambda: torch.equal(a + b, c), lambda: c.fill_(float("nan")))


def all_cases(size):
    src = torch.randn(size * size, device="cuda")
    dst = torch.empty_like(src)
    yield cases.Case("memcpy_1d_cpasync 8192", "memcpy_1d_cpasync_kernel",
                     dict(in_ptr=src, out_ptr=dst, xnumel=src.numel(), XBLOCK=8192), ("XBLOCK", ),
                     (cases.cdiv(src.numel(), 8192), 1, 1), 4, 2 * src.nbytes, lambda: torch.equal(src, dst),
                     lambda: dst.fill_(float("nan")))
    tensors = (src.view(size, size), torch.randn(size, size, device="cuda"), dst.view(size, size))
    for rows, columns in ((32, 64), (32, 32)):
        yield addition(tensors, "elementwise_add_kernel", rows, columns)
        yield addition(tensors, "elementwise_add_cpasync_kernel", rows, columns, smem_layout=PLAIN)
    for depth in (1, 2, 3):
        yield addition(tensors, "elementwise_add_pipelined_kernel", 32, 64, smem_layout=PLAIN, num_buffers=depth)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--size", type=int, default=32768)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()

    spec = importlib.util.spec_from_file_location("tutorial", options.source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    stream, driver = torch.cuda.current_stream().cuda_stream, ours.Driver()
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "triton": triton.__version__, "async_copy": []}
    for case in all_cases(options.size):
        try:
            kernels = {"gluonc": ours.OurKernel(driver, options.gluonc, options.source, case),
                       "triton": TritonKernel(module, case)}
            result = bench.run_case(case, kernels, stream, options.rounds)
        except Exception as error:  # one broken case must not hide the others
            report["async_copy"].append({"name": case.name, "error": str(error), "correct": {"gluonc": False}})
            print(f"{case.name:40} FAILED {error}", flush=True)
            continue
        compiled = kernels["triton"].compiled
        result["registers"] = {"gluonc": kernels["gluonc"].registers(), "triton": compiled.n_regs}
        report["async_copy"].append(result)
        print(f"{case.name:40} gluonc {result['tib_s']['gluonc']:.3f}  triton {result['tib_s']['triton']:.3f} TiB/s  "
              f"ratio {result['ratio']:.3f}  regs {result['registers']}  correct {result['correct']}", flush=True)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    wrong = [c["name"] for c in report["async_copy"] if not all(c["correct"].values())]
    print("wrong results:", wrong or "none")
    return 1 if wrong else 0


if __name__ == "__main__":
    # Kernels compiled earlier on this machine must not stand in for today's.
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    sys.exit(main())
