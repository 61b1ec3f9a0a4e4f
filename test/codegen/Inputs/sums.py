from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def rows(x, y, layout: gl.constexpr):
    """Sums of 64 rows of 16, a row for each thread."""
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    at = row[:, None] * 16 + gl.arange(0, 16, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(y + row, gl.sum(gl.load(x + at), 1))


@gluon.jit
def far_apart(x, y, COUNT: gl.constexpr, layout: gl.constexpr):
    """Loads of each thread that are 4,096 bytes apart."""
    at = gl.arange(0, COUNT, layout=layout)
    gl.store(y + at, gl.load(x + at))
