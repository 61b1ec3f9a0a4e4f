#!/usr/bin/env python3
"""A float16 matrix product on mma.sync beside Triton's build of the same kernel, and cuBLAS.

    matmul.py --gluonc BIN --out FILE.json [--size 4096]

The kernel is `gemm` of test/exec/mma.py: operands through rings of buffers that
asynchronous copies fill. Results are compared with torch's product.
"""

import argparse
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

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "test/exec/mma.py"
TILES = ((64, 64, 32, 3), (128, 128, 32, 3), (128, 128, 32, 4), (128, 128, 64, 3))


class TritonKernel(bench.TritonKernel):
    def __init__(self, module, case):
        self.kernel, self.case, self.compiled = getattr(module, case.kernel), case, None
        self.arguments = list(case.arguments.values())


def product(a, b, tile):
    size, (rows, columns, depth, stages) = a.shape[0], tile
    c = torch.empty(size, size, device="cuda", dtype=torch.float32)
    expected = (a @ b).float()
    arguments = dict(a=a, b=b, c=c, m=size, n=size, k=size, BM=rows, BN=columns, BK=depth, STAGES=stages)
    return cases.Case(f"gemm {size} {rows}x{columns}x{depth} x{stages}", "gemm", arguments, ("BM", "BN", "BK", "STAGES"),
                      (cases.cdiv(size, rows), cases.cdiv(size, columns), 1), 4, 3 * a.nbytes,
                      lambda: torch.allclose(c, expected, rtol=1e-2, atol=1e-1 * size**0.5 / 16),
                      lambda: c.fill_(float("nan")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--size", type=int, default=4096)
    options = parser.parse_args()

    spec = importlib.util.spec_from_file_location("mma", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    stream, driver = torch.cuda.current_stream().cuda_stream, ours.Driver()
    a = torch.randn(options.size, options.size, device="cuda", dtype=torch.float16)
    b = torch.randn(options.size, options.size, device="cuda", dtype=torch.float16)
    tflop = 2 * options.size**3 / 1e12
    library = bench.measure(lambda: torch.mm(a, b), 20)
    report = {"device": torch.cuda.get_device_name(), "date": datetime.date.today().isoformat(),
              "torch": torch.__version__, "triton": triton.__version__,
              "cublas_tflops": tflop / (library / 1e3), "matmul": []}
    print(f"cuBLAS {report['cublas_tflops']:.0f} TFLOP/s")
    for tile in TILES:
        case = product(a, b, tile)
        kernels = {"gluonc": ours.OurKernel(driver, options.gluonc, SOURCE, case),
                   "triton": TritonKernel(module, case)}
        result = bench.run_case(case, kernels, stream, 2)
        result["tflops"] = {side: tflop / (ms / 1e3) for side, ms in result["ms"].items()}
        result["registers"] = {"gluonc": kernels["gluonc"].registers(), "triton": kernels["triton"].compiled.n_regs}
        report["matmul"].append(result)
        print(f"{case.name:28} gluonc {result['tflops']['gluonc']:.0f}  triton {result['tflops']['triton']:.0f} TFLOP/s  "
              f"ratio {result['ratio']:.3f}  regs {result['registers']}  correct {result['correct']}", flush=True)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    wrong = [c["name"] for c in report["matmul"] if not all(c["correct"].values())]
    print("wrong results:", wrong or "none")
    return 1 if wrong else 0


if __name__ == "__main__":
    # Kernels compiled earlier on this machine must not stand in for today's.
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    sys.exit(main())
