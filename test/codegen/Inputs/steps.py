"""Rows that a loop walks through, as many at a time as a thread has pointers."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def walk(src, dst, stride, count, ROWS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([ROWS, 1], [1, 32], [1, 1], [1, 0])
    rows = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    pointers = src + rows * stride + columns
    total = gl.zeros([ROWS, 32], gl.float32, layout)
    for _ in range(count):
        total += gl.load(pointers)
        pointers += ROWS * stride
    gl.store(dst + rows * 32 + columns, total)
