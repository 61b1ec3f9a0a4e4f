"""Mistakes that a GPU lets pass in silence and the simulator reports."""

# RUN: unmasked_copy src='randn(1000, f32)' dst='empty(1024, f32)' --grid 8
# FAULT: OutOfBoundsAccess
# RUN: unmasked_copy src='randn(1024, f32)' dst='empty(1000, f32)' --grid 8
# FAULT: OutOfBoundsAccess
# RUN: unmasked_copy src='empty(1024, f32)' dst='empty(1024, f32)' --grid 8
# FAULT: UninitializedRead
# RUN: divide x='randint(0, 1, 128, i32)' out='empty(128, i32)' --grid 1
# FAULT: IntegerDivisionFault
# RUN: shift x='full(128, -1, i32)' out='empty(128, i32)' --grid 1
# FAULT: ShiftTooWide
# RUN: shift x='full(128, 40, i32)' out='empty(128, i32)' --grid 1
# EXPECT: out == 0
# RUN: negative_offset src='randn(128, f32)' dst='empty(128, f32)' --grid 1
# FAULT: OutOfBoundsAccess
# RUN: assumes x='full(1, 8, i32)' out='empty(1, i32)' --grid 1
# FAULT: AssumptionViolated
# A column that is no multiple of 16 bytes ends the kernel on an H100, and the process's use of it.
# RUN: load_box src='randn((64, 64), f16)' dst='empty((32, 32), f16)' row=1 column=8 --grid 1
# EXPECT: dst == src[1:33, 8:40]
# RUN: load_box src='randn((64, 64), f16)' dst='empty((32, 32), f16)' row=8 column=1 --grid 1
# FAULT: BoxMisaligned

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


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


@gluon.jit
def load_box(src, dst, row, column):
    whole: gl.constexpr = gl.NVMMASharedLayout(0, 16, 2)
    box = gl.allocate_shared_memory(gl.float16, [32, 32], whole)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, 32 * 32 * 2)
    desc = tma.make_tensor_descriptor(src, [64, 64], [64, 1], [32, 32], whole)
    tma.async_load(desc, [row, column], arrived, box)
    mbarrier.wait(arrived, 0)
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(dst + rows * 32 + columns, box.load(layout))
