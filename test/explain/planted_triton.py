"""What planted.py is for kernels of Triton, whose layouts, copies and waits the compiler chooses."""

import triton
import triton.language as tl


# RUN: multiply a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) K=256 --num-stages 1
# MENDED: multiply a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) K=256 --num-stages 2
# RUN: multiply a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) K=256 --num-stages 1 --target cuda:80
# MENDED: multiply a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) K=256 --num-stages 3 --target cuda:80
# RUN: multiply a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) K=256 --num-stages 1 --target cuda:100a
# MENDED: multiply a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) K=256 --num-stages 3 --target cuda:100a
@triton.jit
def multiply(a, b, c, K):
    """Its operands are loaded and multiplied in the same iteration, unless there are stages."""
    rows = tl.arange(0, 64)[:, None]
    columns = tl.arange(0, 64)[None, :]
    sums = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 64):
        x = tl.load(a + rows * K + k + columns)  # FINDS: GL8030 WaitAlone
        y = tl.load(b + (k + rows) * 64 + columns)
        sums = tl.dot(x, y, sums)
    tl.store(c + rows * 64 + columns, sums)


# RUN: rows_upside_down src=randn((64,64),f32) dst=empty((64,64),f32)
@triton.jit
def rows_upside_down(src, dst):
    rows = tl.arange(0, 64)[:, None]
    columns = tl.arange(0, 64)[None, :]
    tile = tl.load(src + rows * 64 + columns)
    turned = tl.gather(tile, 63 - rows + 0 * columns, axis=0)  # FINDS: GL8010 BankConflicts
    tl.store(dst + rows * 64 + columns, turned)
