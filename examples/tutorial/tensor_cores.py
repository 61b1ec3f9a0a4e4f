"""A product on tensor cores with both operands in registers: mma.sync."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from triton.experimental.gluon.language.nvidia.ampere import mma_v2


@gluon.jit
def places(rows, columns, stride, layout: gl.constexpr):
    i = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))[:, None]
    return i * stride + gl.arange(0, columns, layout=gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def product(a, b, c, depth, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    """C = A B with A of M x depth and B of depth x N."""
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0])
    result: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, result, 2)
    right: gl.constexpr = gl.DotOperandLayout(1, result, 2)
    sums = gl.zeros([M, N], gl.float32, result)
    for k in range(0, depth, K):
        x = gl.load(a + k + places(M, K, depth, rows))
        y = gl.load(b + k * N + places(K, N, N, rows))
        sums = mma_v2(gl.convert_layout(x, left), gl.convert_layout(y, right), sums)
    gl.store(c + places(M, N, N, result), sums)
