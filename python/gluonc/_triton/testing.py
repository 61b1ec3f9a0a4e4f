"""triton.testing."""

from gluonc._peaks import get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops
from gluonc._report import Benchmark, perf_report
from gluonc._testing import (assert_close, do_bench, do_bench_cudagraph,
                             do_bench_cudagraph as do_bench_cudagraph_proton,
                             do_bench as do_bench_proton)


def cublas():
    """cuBLAS to compare with, which is PyTorch's matrix product."""
    from gluonc._triton._C.libtriton.nvidia import CublasLt
    return CublasLt(None)
