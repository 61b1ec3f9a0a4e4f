"""A function that is called twice and calls another one: each call has costs of its own."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def scaled(x, factor):
    return x * factor + 1.0


@gluon.jit
def fetch(src, offsets):
    return scaled(gl.load(src + offsets), 3.0)


@gluon.jit
def add_fetched(a, b, dst, LANES: gl.constexpr):
    offsets = gl.arange(0, 1024, layout=gl.BlockedLayout([4], [LANES], [4], [0]))
    x = fetch(a, offsets)
    y = fetch(b, offsets)
    gl.store(dst + offsets, x + y)
