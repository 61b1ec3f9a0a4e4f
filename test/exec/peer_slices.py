"""Copies into a part of a buffer that lies in the other CTA of a pair, with the barrier of the CTA that sends."""

# RUN: loaded src='randn((128, 64), f32)' dst='empty((256, 64), f32)' CGA='[[1, 0]]' ROWS=256 COLUMNS=64 \
#   DIM=0 MULTICAST=False --grid 1 --num-ctas 2 --target cuda:100a
# EXPECT: all(dst[:128] == -5) & all(dst[128:] == src)
# RUN: loaded src='randn((128, 64), f32)' dst='empty((256, 64), f32)' CGA='[[1, 0], [0, 0]]' ROWS=256 COLUMNS=64 \
#   DIM=0 MULTICAST=False --grid 1 --num-ctas 4 --target cuda:100a --schedule-seed 3
# EXPECT: all(dst[:128] == -5) & all(dst[128:] == src)
# RUN: loaded src='randn((128, 64), f16)' dst='empty((256, 64), f16)' CGA='[[1, 0], [0, 0]]' ROWS=256 COLUMNS=64 \
#   DIM=0 MULTICAST=True --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: all(dst[:128] == -5) & all(dst[128:] == src)
# RUN: loaded src='randn((32, 128), f16)' dst='empty((32, 256), f16)' CGA='[[0, 1]]' ROWS=32 COLUMNS=256 \
#   DIM=1 MULTICAST=False --grid 1 --num-ctas 2 --target cuda:100a
# EXPECT: all(dst[:, :128] == -5) & all(dst[:, 128:] == src)
# RUN: loaded src='randn((64, 128), f32)' dst='empty((64, 256), f32)' CGA='[[0, 1], [1, 0]]' ROWS=64 COLUMNS=256 \
#   DIM=1 MULTICAST=False --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: all(dst[:, :128] == -5) & all(dst[:, 128:] == src)
# RUN: gathered src='randn((64, 64), f16)' dst='empty((128, 64), f16)' CGA='[[1, 0]]' ROWS=128 COLUMNS=64 \
#   DIM=0 MULTICAST=False --grid 1 --num-ctas 2 --target cuda:100a
# EXPECT: all(dst[:64] == -5) & all(dst[64:] == src[::-1])
# RUN: gathered src='randn((64, 64), f16)' dst='empty((128, 64), f16)' CGA='[[1, 0], [0, 0]]' ROWS=128 COLUMNS=64 \
#   DIM=0 MULTICAST=True --grid 1 --num-ctas 4 --target cuda:100a --schedule-seed 5
# EXPECT: all(dst[:64] == -5) & all(dst[64:] == src[::-1])
# RUN: gathered src='randn((32, 128), f16)' dst='empty((32, 256), f16)' CGA='[[0, 1]]' ROWS=32 COLUMNS=256 \
#   DIM=1 MULTICAST=False --grid 1 --num-ctas 2 --target cuda:100a
# EXPECT: all(dst[:, :128] == -5) & all(dst[:, 128:] == src[::-1])
# RUN: gathered src='randn((64, 128), f16)' dst='empty((128, 128), f16)' CGA='[[1, 0], [0, 1]]' ROWS=128 COLUMNS=128 \
#   DIM=0 MULTICAST=False --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: all(dst[:64] == -5) & all(dst[64:] == src[::-1])

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import fence_async_shared, mbarrier, tma


@gluon.jit
def layout_of(CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [gl.num_warps(), 1], [1, 0], cga_layout=CGA)
    return layout


@gluon.jit
def filled(dtype: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr, shared: gl.constexpr, layout: gl.constexpr):
    """A buffer that all of the cluster see filled."""
    whole = gl.allocate_shared_memory(dtype, [ROWS, COLUMNS], shared, gl.full([ROWS, COLUMNS], -5, dtype, layout))
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    fence_async_shared(cluster=True)
    gl.barrier(cluster=True)
    return whole, arrived


@gluon.jit
def put(dst, whole, arrived, ROWS: gl.constexpr, COLUMNS: gl.constexpr, layout: gl.constexpr):
    mbarrier.wait(arrived, phase=0)
    gl.barrier(cluster=True)
    mbarrier.invalidate(arrived)
    i = gl.arange(0, ROWS, gl.SliceLayout(1, layout))
    j = gl.arange(0, COLUMNS, gl.SliceLayout(0, layout))
    gl.store(dst + i[:, None] * COLUMNS + j[None, :], whole.load(layout))


@gluon.jit
def loaded(src, dst, CGA: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr, DIM: gl.constexpr,
           MULTICAST: gl.constexpr):
    layout: gl.constexpr = layout_of(CGA)
    dtype: gl.constexpr = src.dtype.element_ty
    shared: gl.constexpr = gl.NVMMASharedLayout(128, dtype.primitive_bitwidth, rank=2, cga_layout=CGA)
    whole, arrived = filled(dtype, ROWS, COLUMNS, shared, layout)
    size: gl.constexpr = ROWS // 2 if DIM == 0 else COLUMNS // 2
    part = whole.slice(size, size, dim=DIM)
    block = tma.make_tensor_descriptor(src, part.shape, [part.shape[1], 1], part.shape, shared)
    mbarrier.expect(arrived, block.nbytes_per_cta)
    tma.async_load(block, [0, 0], arrived, part, multicast=MULTICAST)
    put(dst, whole, arrived, ROWS, COLUMNS, layout)


@gluon.jit
def gathered(src, dst, CGA: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr, DIM: gl.constexpr,
             MULTICAST: gl.constexpr):
    layout: gl.constexpr = layout_of(CGA)
    dtype: gl.constexpr = src.dtype.element_ty
    shared: gl.constexpr = gl.NVMMASharedLayout(128, dtype.primitive_bitwidth, rank=2, cga_layout=CGA)
    whole, arrived = filled(dtype, ROWS, COLUMNS, shared, layout)
    size: gl.constexpr = ROWS // 2 if DIM == 0 else COLUMNS // 2
    part = whole.slice(size, size, dim=DIM)
    row = tma.make_tensor_descriptor(src, part.shape, [part.shape[1], 1], [1, part.shape[1]], shared)
    rows: gl.constexpr = part.shape[0]
    spread: gl.constexpr = gl.BlockedLayout([4, 1], [1, 32], [gl.num_warps(), 1], [0, 1], cga_layout=CGA)
    mbarrier.expect(arrived, part.nbytes_per_cta)
    tma.async_gather(row, rows - 1 - gl.arange(0, rows, gl.SliceLayout(1, spread)), 0, arrived, part,
                     multicast=MULTICAST)
    put(dst, whole, arrived, ROWS, COLUMNS, layout)
