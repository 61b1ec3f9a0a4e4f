"""Mistakes that a GPU lets pass in silence and the simulator reports."""

# RUN: unmasked_copy src='randn(1000, f32)' dst='empty(1024, f32)' --grid 8
# FAULT: OutOfBoundsAccess
# RUN: unmasked_copy src='randn(1024, f32)' dst='empty(1000, f32)' --grid 8
# FAULT: OutOfBoundsAccess
# RUN: unmasked_copy src='empty(1024, f32)' dst='empty(1024, f32)' --grid 8
# FAULT: UninitializedRead
# RUN: divide x='randint(0, 1, 128, i32)' out='empty(128, i32)' --grid 1
# FAULT: IntegerDivisionFault
# RUN: shift x='full(128, 40, i32)' out='empty(128, i32)' --grid 1
# FAULT: ShiftTooWide
# RUN: negative_offset src='randn(128, f32)' dst='empty(128, f32)' --grid 1
# FAULT: OutOfBoundsAccess
# RUN: assumes x='full(1, 8, i32)' out='empty(1, i32)' --grid 1
# FAULT: AssumptionViolated

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def lanes():
    return gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def unmasked_copy(src, dst):
    i = gl.program_id(0) * 128 + lanes()
    gl.store(dst + i, gl.load(src + i))


@gluon.jit
def divide(x, out):
    i = lanes()
    gl.store(out + i, 100 // gl.load(x + i))


@gluon.jit
def shift(x, out):
    i = lanes()
    gl.store(out + i, 1 << gl.load(x + i))


@gluon.jit
def negative_offset(src, dst):
    i = lanes()
    gl.store(dst + i, gl.load(src + i - 1))


@gluon.jit
def assumes(x, out):
    n = gl.load(x)
    gl.assume(n < 8)
    gl.store(out, n)
