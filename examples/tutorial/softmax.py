"""Softmax of rows: a program has some of them, a warp reduces along the other axis."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def softmax(x, y, rows, columns, ROWS: gl.constexpr, COLUMNS: gl.constexpr, layout: gl.constexpr):
    row = gl.program_id(0) * ROWS + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))[:, None]
    column = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))[None, :]
    inside = (row < rows) & (column < columns)
    values = gl.load(x + row * columns + column, mask=inside, other=float("-inf"))
    # Of a row that is not there all is -inf; its maximum is taken as 0.
    largest = gl.max(values, 1)
    largest = gl.where(largest == float("-inf"), 0.0, largest)
    weights = gl.exp(values - largest[:, None])
    gl.store(y + row * columns + column, weights / gl.sum(weights, 1)[:, None], mask=inside)
