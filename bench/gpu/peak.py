"""What the tensor cores of the chip reach when nothing else limits them, beside which the matrix
products and attention of examples/ are to be read.

Two warpgroups on every multiprocessor multiply the same tiles in shared memory again and again: no
memory traffic, no barriers, no epilogue. The chip's clock depends on its power, and that on the
operands' bits; so the tiles are of random numbers, as those of the benchmarks, or of zeros.
"""

import statistics
import subprocess
import threading
import time

import torch

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import fence_async_shared, warpgroup_mma, warpgroup_mma_wait

ROWS, COLUMNS = 128, 256


@gluon.jit
def multiply(a_ptr, b_ptr, c_ptr, steps, ROWS: gl.constexpr, COLUMNS: gl.constexpr, DEPTH: gl.constexpr):
    """The same product of a tile `steps` times."""
    bits: gl.constexpr = a_ptr.dtype.element_ty.primitive_bitwidth
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, COLUMNS, 256 // bits])
    plain: gl.constexpr = gl.BlockedLayout([1, 16], [8, 4], [8, 1], [1, 0])
    shared: gl.constexpr = gl.NVMMASharedLayout(128, bits, rank=2)
    k = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, plain))[None, :]
    row = gl.arange(0, ROWS, layout=gl.SliceLayout(1, plain))[:, None]
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(1, plain))[:, None]
    a = gl.allocate_shared_memory(a_ptr.dtype.element_ty, [ROWS, DEPTH], shared, gl.load(a_ptr + row * DEPTH + k))
    b = gl.allocate_shared_memory(a_ptr.dtype.element_ty, [COLUMNS, DEPTH], shared, gl.load(b_ptr + column * DEPTH + k))
    fence_async_shared()
    sums = gl.zeros([ROWS, COLUMNS], gl.float32, layout)
    for _ in range(steps):
        sums = warpgroup_mma(a, b.permute((1, 0)), sums, is_async=True)
        sums = warpgroup_mma_wait(1, deps=[sums])
    sums = warpgroup_mma_wait(0, deps=[sums])
    # Only for the compiler to believe that it is needed.
    gl.store(c_ptr + gl.program_id(0), gl.sum(gl.sum(sums, 1), 0))


def launcher(dtype, zeros, programs, steps, device="cuda"):
    """A launch without arguments, and the operations it does."""
    depth = 128 // dtype.itemsize
    torch.manual_seed(0)
    a, b = (torch.randn(size, depth) * (0 if zeros else 1) for size in (ROWS, COLUMNS))
    a, b = (tensor.to(dtype).to(device) for tensor in (a, b))
    c = torch.empty(programs, device=device)

    def launch():
        multiply[(programs,)](a, b, c, steps, ROWS, COLUMNS, depth, num_warps=8)
        return a, b, c

    return launch, 2.0 * ROWS * COLUMNS * depth * steps * programs


def busy(launch, seconds):
    """Milliseconds of a launch when one follows the other, and MHz and watts meanwhile."""
    seen = []
    done = threading.Event()

    def look():
        while not done.is_set():
            text = subprocess.run(["nvidia-smi", "--query-gpu=clocks.sm,power.draw", "--format=csv,noheader,nounits"],
                                  capture_output=True, text=True, check=False).stdout
            seen.append(tuple(float(field) for field in text.splitlines()[0].split(",")))
            time.sleep(0.05)

    watcher = threading.Thread(target=look)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    watcher.start()
    started, launches = time.monotonic(), 0
    begin.record()
    while time.monotonic() - started < seconds:
        for _ in range(20):
            launch()
        launches += 20
        torch.cuda.synchronize()
    end.record()
    torch.cuda.synchronize()
    done.set()
    watcher.join()
    # The first sample may be from before the chip became busy.
    middle = [statistics.median(values) for values in zip(*(seen[1:] or seen))]
    return begin.elapsed_time(end) / launches, middle[0], middle[1]
