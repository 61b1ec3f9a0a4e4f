"""Elements that the mask of a load leaves out, and that no `other` fills."""

# RUN: summed x='randn(128, f32)' y='zeros(1, f32)' n=100 --grid 1 --masked-off fault
# FAULT: MaskedOffUse
# RUN: summed x='zeros(128, f32) + 1' y='zeros(1, f32)' n=100 --grid 1
# EXPECT: y == 100
# RUN: summed x='zeros(128, f32) + 1' y='zeros(1, f32)' n=128 --grid 1 --masked-off fault
# EXPECT: y == 128
# RUN: stored_under_the_mask x='randn(128, f32)' y='zeros(128, f32)' n=100 --grid 1 --masked-off fault
# EXPECT: y == where(arange(128, i32) < 100, x * 2, 0)
# RUN: stored_everywhere x='randn(128, f32)' y='zeros(128, f32)' n=100 --grid 1 --masked-off fault
# FAULT: MaskedOffUse
# RUN: selected x='zeros(128, f32) + 1' y='zeros(1, f32)' n=100 --grid 1 --masked-off fault
# EXPECT: y == 100
# RUN: decided x='zeros(1, i32) + 1' y='zeros(1, i32)' n=0 --grid 1 --masked-off fault
# FAULT: MaskedOffUse
# RUN: decided x='zeros(1, i32) + 1' y='zeros(1, i32)' n=1 --grid 1 --masked-off fault
# EXPECT: y == 1
# RUN: addressed x='zeros(128, i32)' y='zeros(128, i32)' n=100 --grid 1 --masked-off fault
# FAULT: MaskedOffUse
# RUN: divided_by_zero x='zeros(128, i32) + 1' y='zeros(128, i32)' n=100 --grid 1
# FAULT: IntegerDivisionFault
# RUN: through_shared_memory x='randn(128, f32)' y='zeros(128, f32)' n=100 --grid 1 --masked-off fault
# EXPECT: y == where(arange(128, i32) < 100, x, 0)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

LAYOUT = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def summed(x, y, n):
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y, gl.sum(gl.load(x + i, mask=i < n), 0))


@gluon.jit
def stored_under_the_mask(x, y, n):
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y + i, gl.load(x + i, mask=i < n) * 2, mask=i < n)


@gluon.jit
def stored_everywhere(x, y, n):
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y + i, gl.load(x + i, mask=i < n) * 2)


@gluon.jit
def selected(x, y, n):
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y, gl.sum(gl.where(i < n, gl.load(x + i, mask=i < n), 0.0), 0))


@gluon.jit
def decided(x, y, n):
    if gl.load(x, mask=n > 0) > 0:
        gl.store(y, 1)


@gluon.jit
def addressed(x, y, n):
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.atomic_add(y + gl.load(x + i, mask=i < n), 1)


@gluon.jit
def divided_by_zero(x, y, n):
    """The fault is what counts, not the warning."""
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y + i, gl.load(x + i) // (n - n) + gl.load(x + i, mask=i < n))


@gluon.jit
def through_shared_memory(x, y, n):
    """Where buffers are filled whole, nobody knows yet what is used."""
    i = gl.arange(0, 128, layout=LAYOUT)
    buffer = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    buffer.store(gl.load(x + i, mask=i < n))
    gl.store(y + i, buffer.load(LAYOUT), mask=i < n)
