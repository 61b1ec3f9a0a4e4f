"""What planted.py is for Blackwell: products in tensor memory, and partitions that hand buffers over. All for cuda:100a."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory, get_tmem_reg_layout,
                                                                 mbarrier, tcgen05_commit, tcgen05_mma, tma)


@gluon.jit
def bring(of_a, of_b, xs, ys, bars, k):
    bar = bars.index(k % 2)
    mbarrier.expect(bar, of_a.nbytes_per_cta + of_b.nbytes_per_cta)
    tma.async_load(of_a, [0, k * 64], bar, xs.index(k % 2))
    tma.async_load(of_b, [k * 64, 0], bar, ys.index(k % 2))


# RUN: product_then_copies a=randn((128,256),f16) b=randn((256,64),f16) c=empty((128,64),f32) EARLY=False --target cuda:100a
# MENDED: product_then_copies a=randn((128,256),f16) b=randn((256,64),f16) c=empty((128,64),f32) EARLY=True --target cuda:100a
@gluon.jit
def product_then_copies(a, b, c, EARLY: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    of_a = tma.make_tensor_descriptor(a, [128, 256], [256, 1], [128, 64], shared)
    of_b = tma.make_tensor_descriptor(b, [256, 64], [64, 1], [64, 64], shared)
    xs = gl.allocate_shared_memory(gl.float16, [2, 128, 64], shared)
    ys = gl.allocate_shared_memory(gl.float16, [2, 64, 64], shared)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    mbarrier.init(done, count=1)
    sums = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout((128, 64), col_stride=1))
    bring(of_a, of_b, xs, ys, bars, 0)
    for k in gl.static_range(4):
        mbarrier.wait(bars.index(k % 2), k // 2 & 1)  # FINDS: GL8030 WaitAlone
        tcgen05_mma(xs.index(k % 2), ys.index(k % 2), sums, use_acc=k != 0)
        tcgen05_commit(done)
        if EARLY and k < 3:
            bring(of_a, of_b, xs, ys, bars, k + 1)
        mbarrier.wait(done, k & 1)  # FINDS: GL8030 WaitAlone
        if not EARLY and k < 3:
            bring(of_a, of_b, xs, ys, bars, k + 1)
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    of_rows: gl.constexpr = get_tmem_reg_layout(gl.float32, (128, 64), TensorMemoryLayout((128, 64), col_stride=1), gl.num_warps())
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, wide))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :]
    gl.store(c + rows * 64 + columns, gl.convert_layout(sums.load(of_rows), wide))
    for i in gl.static_range(2):
        mbarrier.invalidate(bars.index(i))
    mbarrier.invalidate(done)


# RUN: rows_of_tensor_memory dst=empty((128,64),f32) WIDE=False --target cuda:100a
# MENDED: rows_of_tensor_memory dst=empty((128,64),f32) WIDE=True --target cuda:100a
@gluon.jit
def rows_of_tensor_memory(dst, WIDE: gl.constexpr):
    """A lane has a row of tensor memory, so lanes are a row apart where they store it as it is."""
    of_rows: gl.constexpr = get_tmem_reg_layout(gl.float32, (128, 64), TensorMemoryLayout((128, 64), col_stride=1), gl.num_warps())
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    layout: gl.constexpr = wide if WIDE else of_rows
    held = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout((128, 64), col_stride=1))
    held.store(gl.full([128, 64], 1.0, gl.float32, of_rows))
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(dst + rows * 64 + columns, gl.convert_layout(held.load(of_rows), layout))  # FINDS: GL8001 UncoalescedAccess


@gluon.jit
def load_boxes(of_a, of_b, xs, ys, full, empty):
    STAGES: gl.constexpr = xs.shape[0]
    for k in range(4):
        slot = k % STAGES
        mbarrier.wait(empty.index(slot), (k // STAGES & 1) ^ 1)
        mbarrier.expect(full.index(slot), of_a.nbytes_per_cta + of_b.nbytes_per_cta)
        tma.async_load(of_a, [0, k * 64], full.index(slot), xs.index(slot))
        tma.async_load(of_b, [k * 64, 0], full.index(slot), ys.index(slot))


@gluon.jit
def multiply_boxes(xs, ys, full, empty, done, sums):
    STAGES: gl.constexpr = xs.shape[0]
    for k in range(4):
        slot = k % STAGES
        mbarrier.wait(full.index(slot), k // STAGES & 1)  # FINDS: GL8030 WaitAlone
        tcgen05_mma(xs.index(slot), ys.index(slot), sums, use_acc=k != 0)
        tcgen05_commit(empty.index(slot))
    tcgen05_commit(done)


@gluon.jit
def nothing():
    pass


# RUN: hands_over a=randn((128,256),f16) b=randn((256,64),f16) c=empty((128,64),f32) STAGES=1 --target cuda:100a
# MENDED: hands_over a=randn((128,256),f16) b=randn((256,64),f16) c=empty((128,64),f32) STAGES=2 --target cuda:100a
@gluon.jit
def hands_over(a, b, c, STAGES: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    of_a = tma.make_tensor_descriptor(a, [128, 256], [256, 1], [128, 64], shared)
    of_b = tma.make_tensor_descriptor(b, [256, 64], [64, 1], [64, 64], shared)
    xs = gl.allocate_shared_memory(gl.float16, [STAGES, 128, 64], shared)
    ys = gl.allocate_shared_memory(gl.float16, [STAGES, 64, 64], shared)
    full = mbarrier.allocate_mbarrier(batch=STAGES)
    empty = mbarrier.allocate_mbarrier(batch=STAGES)
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    mbarrier.init(done, count=1)
    sums = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout((128, 64), col_stride=1))
    gl.warp_specialize([
        (nothing, ()),
        (multiply_boxes, (xs, ys, full, empty, done, sums)),
        (load_boxes, (of_a, of_b, xs, ys, full, empty)),
    ], [1, 1], [24, 24])
    mbarrier.wait(done, 0)
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    of_rows: gl.constexpr = get_tmem_reg_layout(gl.float32, (128, 64), TensorMemoryLayout((128, 64), col_stride=1), gl.num_warps())
    rows = gl.arange(0, 128, layout=gl.SliceLayout(1, wide))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :]
    gl.store(c + rows * 64 + columns, gl.convert_layout(sums.load(of_rows), wide))
