"""Layouts that the compiler chooses, and layouts of tensor cores without tensor cores."""

# RUN: differences src='randint(-100, 100, 256, i32)' dst='empty(128, i32)' --grid 1
# EXPECT: dst == src.reshape((128, 2))[:, 1] - src.reshape((128, 2))[:, 0]
# RUN: masked_square dst='empty((16, 16), i32)' --grid 1
# EXPECT: (sum(dst) == 100) & (sum(dst, 0)[:10] == 10) & (sum(dst, 1)[:10] == 10)
# RUN: sum_rows src='randint(-9, 9, (32, 64), i32)' dst='empty(32, i32)' steps=5 --grid 1
# EXPECT: dst == 5 * src.sum(1)
# RUN: sine src='randn((100, 200), f32)' dst='zeros((100, 200), f32)' m=100 n=200 --grid 4,2
# EXPECT: allclose(dst, maximum(sin(src), 0), 1e-5, 1e-5)
# RUN: coalesce src='randn((100, 200), f32)' dst='zeros((100, 200), f32)' m=100 n=200 --grid 4,2
# EXPECT: dst == src
# RUN: through src='randn((64, 64), f16)' dst='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((64, 64), f32)' dst='empty((64, 64), f32)' \
#   first='gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [1, 4], [16, 8]), 1)' \
#   second='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 8])' --grid 1
# EXPECT: dst == src
# RUN: through src='randint(-100, 100, (64, 64), i8)' dst='empty((64, 64), i8)' \
#   first='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 32]), 4)' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((64, 64), f32)' dst='empty((64, 64), f32)' \
#   first='gl.DotOperandLayout(0, gl.BlockedLayout([2, 2], [8, 4], [4, 1], [1, 0]), 0)' \
#   second='gl.DotOperandLayout(1, gl.BlockedLayout([2, 2], [8, 4], [4, 1], [1, 0]), 0)' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((64, 64), f32)' dst='empty((64, 64), f32)' \
#   first='gl.amd.AMDWMMALayout(3, True, warp_bases=[[0, 1], [1, 0]])' \
#   second='gl.DotOperandLayout(1, gl.amd.AMDWMMALayout(2, False, [2, 2]), 8)' --grid 1
# EXPECT: dst == src
# RUN: halves src='randint(-100, 100, (64, 64), i32)' dst='empty((64, 64), i32)' --grid 1
# EXPECT: (dst[:, :32] == src[:, :32] + src[:, 32:]) & (dst[:, 32:] == src[:, :32] - src[:, 32:])
# RUN: swizzled src='randn((64, 64), f16)' dst='empty((64, 64), f16)' \
#   tiles='gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)' --grid 1
# EXPECT: dst.T == src
# RUN: swizzled src='randn((64, 64), f32)' dst='empty((64, 64), f32)' \
#   tiles='gl.NVMMASharedLayout(64, 32, transposed=True)' --grid 1
# EXPECT: dst.T == src
# RUN: row_maxima src='randn((64, 32), f32)' dst='empty(64, f32)' --grid 1
# EXPECT: dst == src.max(1)
# RUN: reordered src='randint(-99, 99, (128, 16), i32)' dst='empty((128, 16), i32)' --grid 1
# EXPECT: dst == src
# RUN: fields_are_lists x='empty(1, i32)' --grid 1
# EXPECT: x == 7

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def differences(src, dst):
    pairs = gl.load(src + gl.arange(0, 256)).reshape(128, 2)
    first, second = pairs.split()
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    gl.store(dst + gl.arange(0, 128), gl.set_auto_layout(second - first, layout))


@gluon.jit
def masked_square(dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0])
    mask = gl.full((16, 16), True, gl.int1, layout)
    mask &= (gl.arange(0, 16) < 10).expand_dims(0)
    mask &= (gl.arange(0, 16) < 10).expand_dims(1)
    offsets = gl.arange(0, 16)[:, None] * 16 + gl.arange(0, 16)[None, :]
    gl.store(dst + offsets, mask.to(gl.int32))


@gluon.jit
def sum_rows(src, dst, steps):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    tile = gl.load(src + gl.set_auto_layout(
        gl.arange(0, 32)[:, None] * 64 + gl.arange(0, 64)[None, :], layout))
    total = gl.zeros([32, 64], gl.int32)
    offset = gl.zeros([32, 64], gl.int32)
    for _ in range(steps):
        # Both stay open until after the loop.
        total = total + 1 + offset
    sums = gl.sum(gl.set_auto_layout(total, layout) * tile, 1)
    gl.store(dst + gl.arange(0, 32), sums)


@gluon.jit
def offsets_and_mask(m, n, layout: gl.constexpr):
    x = gl.program_id(0) * 32 + gl.arange(0, 32, layout)
    y = gl.program_id(1) * 128 + gl.arange(0, 128, layout)
    return x[:, None] * n + y[None, :], (x[:, None] < m) & (y[None, :] < n)


@gluon.jit
def sine(src, dst, m, n):
    offsets, mask = offsets_and_mask(m, n, gl.CoalescedLayout())
    value = gl.maximum(gl.sin(gl.load(src + offsets, mask=mask)), 0.0)
    gl.store(dst + offsets, value, mask=mask)


@gluon.jit
def coalesce(src, dst, m, n):
    offsets, mask = offsets_and_mask(m, n, gl.AutoLayout())
    value = gl.load(gl.set_auto_layout(src + offsets, gl.CoalescedLayout()), mask=mask)
    gl.store(gl.set_auto_layout(dst + offsets, gl.CoalescedLayout()), value,
             mask=gl.set_auto_layout(mask, gl.CoalescedLayout()))


@gluon.jit
def square(layout: gl.constexpr):
    rows = gl.arange(0, 64, gl.SliceLayout(1, layout))
    return rows[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def through(src, dst, first: gl.constexpr, second: gl.constexpr):
    plain: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tile = gl.convert_layout(gl.load(src + square(plain)), first)
    gl.store(dst + square(second), gl.convert_layout(tile, second))


@gluon.jit
def swizzled(src, dst, tiles: gl.constexpr):
    plain: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    buffer = gl.allocate_shared_memory(src.dtype.element_ty, [64, 64], tiles)
    buffer.store(gl.load(src + square(plain)))
    gl.store(dst + square(plain), buffer.permute([1, 0]).load(plain))


@gluon.jit
def row_maxima(src, dst):
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    rows = gl.arange(0, 64, gl.SliceLayout(1, mma))
    columns = gl.arange(0, 32, gl.SliceLayout(0, mma))
    tile = gl.load(src + rows[:, None] * 32 + columns[None, :])
    gl.store(dst + rows, gl.max(tile, 1))


@gluon.jit
def halves(src, dst):
    # The halves of a row lie in one thread, wherever: split and join move nothing.
    layout: gl.constexpr = gl.BlockedLayout([1, 64], [32, 1], [2, 2], [0, 1])
    tile = gl.load(src + square(layout))
    left, right = tile.reshape([64, 2, 32]).permute([0, 2, 1]).split()
    both = gl.join(left + right, left - right).permute([0, 2, 1]).reshape([64, 64])
    gl.store(dst + square(layout), gl.convert_layout(both, layout, assert_trivial=True))


@gluon.constexpr_function
def wider(layout):
    """The layout with twice the columns, in one more register bit."""
    rows, columns = layout.shape
    return gl.DistributedLinearLayout(layout.reg_bases + [[0, columns]], layout.lane_bases, layout.warp_bases,
                                      layout.block_bases, [rows, 2 * columns])


@gluon.jit
def fields_are_lists(x):
    layout: gl.constexpr = gl.DistributedLinearLayout([[0, 1], [0, 2], [0, 4]], [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]],
                                                      [[32, 0], [64, 0]], [], [128, 8])
    wide: gl.constexpr = wider(layout)
    gl.static_assert(wide.reg_bases[3] == [0, 8])
    gl.static_assert([0] + wide.shape == [0, 128, 16])
    gl.store(x, 7)


@gluon.jit
def reordered(src, dst):
    """A conversion within the registers of each thread is trivial."""
    lanes: gl.constexpr = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
    one: gl.constexpr = gl.DistributedLinearLayout([[0, 8], [0, 1], [0, 2], [0, 4]], lanes, [[32, 0], [64, 0]], [], [128, 16])
    other: gl.constexpr = gl.DistributedLinearLayout([[0, 1], [0, 2], [0, 4], [0, 8]], lanes, [[32, 0], [64, 0]], [], [128, 16])
    m = gl.arange(0, 128, gl.SliceLayout(1, one))[:, None]
    n = gl.arange(0, 16, gl.SliceLayout(0, one))[None, :]
    value = gl.convert_layout(gl.load(src + m * 16 + n), other, assert_trivial=True)
    gl.store(dst + gl.convert_layout(m * 16 + n, other, assert_trivial=True), value)
