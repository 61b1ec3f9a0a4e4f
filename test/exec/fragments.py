"""Tensor-core fragments: through every kind of shared memory, converted, reduced and sliced."""

# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)' \
#   smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)' \
#   smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' \
#   second='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   smem='gl.NVMMASharedLayout(128, 16, 2, False)' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]), 2)' \
#   smem='gl.NVMMASharedLayout(64, 16, 2, False)' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' \
#   second='gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])' \
#   smem='gl.NVMMASharedLayout(128, 16, 2, True)' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), bf16)' dst='empty((64, 64), bf16)' turned='empty((64, 64), bf16)' \
#   first='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)' \
#   second='gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), 2)' \
#   smem='gl.NVMMASharedLayout(32, 16, 2, False)' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f32)' dst='empty((64, 64), f32)' turned='empty((64, 64), f32)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 1)' \
#   smem='gl.SwizzledSharedLayout(4, 1, 8, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f32)' dst='empty((64, 64), f32)' turned='empty((64, 64), f32)' \
#   first='gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 1)' \
#   second='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' \
#   smem='gl.NVMMASharedLayout(128, 32, 2, False)' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), i8)' dst='empty((64, 64), i8)' turned='empty((64, 64), i8)' \
#   first='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 4)' \
#   second='gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 4)' \
#   smem='gl.SwizzledSharedLayout(16, 2, 4, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), i8)' dst='empty((64, 64), i8)' turned='empty((64, 64), i8)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 4)' \
#   smem='gl.NVMMASharedLayout(64, 8, 2, False)' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 8)' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 4)' \
#   smem='gl.SwizzledSharedLayout(8, 1, 8, [0, 1])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' \
#   smem='gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f64)' dst='empty((64, 64), f64)' turned='empty((64, 64), f64)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [8, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [8, 8]), 1)' \
#   smem='gl.SwizzledSharedLayout(2, 1, 4, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)' \
#   smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1
# EXPECT: turned == src.T
# RUN: there_and_back src='randint(-100, 100, (64, 64), f16)' dst='empty((64, 64), f16)' turned='empty((64, 64), f16)' \
#   first='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' \
#   second='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   smem='gl.NVMMASharedLayout(128, 16, 2, False)' --grid 1
# EXPECT: turned == src.T
# RUN: there_and_back src='randint(-100, 100, (64, 64), f32)' dst='empty((64, 64), f32)' turned='empty((64, 64), f32)' \
#   first='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' \
#   second='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 1)' \
#   smem='gl.SwizzledSharedLayout(4, 1, 8, [1, 0])' --grid 1
# EXPECT: turned == src.T
# RUN: there_and_back src='randint(-100, 100, (64, 64), i8)' dst='empty((64, 64), i8)' turned='empty((64, 64), i8)' \
#   first='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 4)' \
#   second='gl.DotOperandLayout(1, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 4)' \
#   smem='gl.SwizzledSharedLayout(16, 2, 4, [1, 0])' --grid 1
# EXPECT: turned == src.T
# RUN: sums src='randint(-9, 10, (64, 64), f32)' rows='empty(64, f32)' columns='empty(64, f32)' \
#   layout='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' --grid 1
# EXPECT: rows == src.sum(1)
# RUN: sums src='randint(-9, 10, (64, 64), f32)' rows='empty(64, f32)' columns='empty(64, f32)' \
#   layout='gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])' --grid 1
# EXPECT: columns == src.sum(0)
# RUN: sums src='randint(-9, 10, (64, 64), f32)' rows='empty(64, f32)' columns='empty(64, f32)' \
#   layout='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' --grid 1
# EXPECT: rows == src.sum(1)
# RUN: sums src='randint(-9, 10, (64, 64), f32)' rows='empty(64, f32)' columns='empty(64, f32)' \
#   layout='gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])' --grid 1
# EXPECT: columns == src.sum(0)
# RUN: sums src='randint(-9, 10, (64, 64), f32)' rows='empty(64, f32)' columns='empty(64, f32)' \
#   layout='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)' --grid 1
# EXPECT: rows == src.sum(1)
# RUN: sums src='randint(-9, 10, (64, 64), f32)' rows='empty(64, f32)' columns='empty(64, f32)' \
#   layout='gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8]), 2)' --grid 1
# EXPECT: columns == src.sum(0)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

blocked = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))


@gluon.jit
def places(layout: gl.constexpr):
    r = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    return r[:, None] * 64 + c[None, :]


# `first` writes the buffer, `second` reads it, as it is and transposed.
@gluon.jit
def there_and_back(src, dst, turned, first: gl.constexpr, second: gl.constexpr, smem: gl.constexpr):
    x = gl.convert_layout(gl.load(src + places(blocked)), first)
    buffer = gl.allocate_shared_memory(x.dtype, [64, 64], smem)
    buffer.store(x)
    gl.store(dst + places(blocked), gl.convert_layout(buffer.load(second), blocked))
    y = buffer.permute([1, 0]).load(second)
    gl.store(turned + places(second), gl.convert_layout(gl.convert_layout(y, first), second))


@gluon.jit
def sums(src, rows, columns, layout: gl.constexpr):
    x = gl.load(src + places(layout))
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    gl.store(rows + gl.arange(0, 64, layout=line), gl.convert_layout(gl.sum(x, axis=1), line))
    gl.store(columns + gl.arange(0, 64, layout=gl.SliceLayout(0, layout)), gl.sum(x, axis=0))
