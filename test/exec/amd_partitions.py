"""Buffers in LDS that are cut into pieces, which belong to partitions in turn."""

# RUN: through src='randn((64, 32), f16)' dst='empty((64, 32), f16)' smem='PIECES(2, 4, 0, gl.SwizzledSharedLayout(4, 2, 4, [1, 0]))' lanes=32 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: through src='randn((64, 32), f16)' dst='empty((64, 32), f16)' smem='PIECES(2, 1, 1, gl.PaddedSharedLayout.with_identity_for([[32, 8]], [64, 16], [1, 0]))' lanes=32 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: through src='randn((64, 32), f16)' dst='empty((64, 32), f16)' smem='PIECES(4, 2, 0, gl.PaddedSharedLayout.with_identity_for([[64, 4]], [8, 32], [0, 1]))' lanes=64 --grid 1 --target hip:gfx950
# EXPECT: dst == src
# RUN: turned src='randn((64, 32), f16)' dst='empty((32, 64), f16)' smem='PIECES(2, 2, 0, gl.PaddedSharedLayout.with_identity_for([[32, 8]], [16, 32], [1, 0]))' lanes=32 --grid 1 --target hip:gfx1250
# EXPECT: dst == src.T
# RUN: part src='randn((64, 32), f16)' dst='empty((16, 32), f16)' smem='PIECES(2, 2, 0, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))' lanes=32 first=16 --grid 1 --target hip:gfx1250
# EXPECT: dst == src[16:32]
# RUN: part src='randn((64, 32), f16)' dst='empty((16, 32), f16)' smem='PIECES(2, 1, 0, gl.PaddedSharedLayout.with_identity_for([[64, 8]], [32, 32], [1, 0]))' lanes=32 first=48 --grid 1 --target hip:gfx1250
# EXPECT: dst == src[48:64]
# RUN: ring src='randint(-99, 99, (64, 32), f16)' dst='empty((64, 32), f16)' smem='PIECES(2, 2, 1, gl.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 8], [1, 0]))' slot=1 --grid 1 --target hip:gfx1250
# EXPECT: dst == src + 1
# RUN: moved src='randn((70, 40), f16)' dst='zeros((70, 40), f16)' M=70 N=40 smem='PIECES(2, 4, 0, gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0]))' --grid 2,2 --target hip:gfx1250
# EXPECT: dst == src
# RUN: moved src='randn((70, 40), f16)' dst='zeros((70, 40), f16)' M=70 N=40 smem='PIECES(2, 4, 0, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))' --grid 2,2 --num-warps 16 --target hip:gfx1250
# EXPECT: dst == src
# RUN: moved src='randn((70, 40), f16)' dst='zeros((70, 40), f16)' M=70 N=40 smem='PIECES(4, 2, 1, gl.PaddedSharedLayout.with_identity_for([[4, 2]], [64, 4], [1, 0]))' --grid 2,2 --num-warps 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: told src='randn((64, 32), f16)' dst='empty((64, 32), f16)' --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: by_columns src='randn((64, 32), f16)' dst='empty((64, 32), f16)' smem='PIECES(2, 2, 0, gl.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 32], [1, 0]))' K=32 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: by_columns src='randn((64, 32), f16)' dst='empty((64, 32), f16)' smem='gl.PaddedSharedLayout.with_identity_for([[32, 2]], [64, 32], [1, 0])' K=32 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: by_columns src='randint(-128, 128, (64, 32), i8)' dst='empty((64, 32), i8)' smem='PIECES(2, 1, 1, gl.PaddedSharedLayout.with_identity_for([[16, 4]], [64, 16], [1, 0]))' K=64 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: multiplied a='randint(-3, 3, (128, 64), f16)' b='randint(-3, 3, (64, 128), f16)' c='empty((128, 128), f32)' --grid 1 --target hip:gfx1250
# EXPECT: c == a.to(f32) @ b.to(f32)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna5

PIECES = cdna5.PartitionedSharedLayout


@gluon.jit
def at(rows: gl.constexpr, cols: gl.constexpr, layout: gl.constexpr):
    r = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, cols, layout=gl.SliceLayout(0, layout))
    return r[:, None] * cols + c[None, :]


@gluon.jit
def filled(src, smem: gl.constexpr, lanes: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 8, 8], [4, 1], [1, 0])
    return gl.allocate_shared_memory(gl.float16, [64, 32], smem, gl.load(src + at(64, 32, wide)))


@gluon.jit
def through(src, dst, smem: gl.constexpr, lanes: gl.constexpr):
    tall: gl.constexpr = gl.BlockedLayout([8, 1], [8, lanes // 8], [1, 4], [0, 1])
    gl.store(dst + at(64, 32, tall), filled(src, smem, lanes).load(tall))


@gluon.jit
def turned(src, dst, smem: gl.constexpr, lanes: gl.constexpr):
    tall: gl.constexpr = gl.BlockedLayout([1, 8], [4, lanes // 4], [4, 1], [1, 0])
    gl.store(dst + at(32, 64, tall), filled(src, smem, lanes).permute([1, 0]).load(tall))


@gluon.jit
def part(src, dst, smem: gl.constexpr, lanes: gl.constexpr, first: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 8, 8], [4, 1], [1, 0])
    gl.store(dst + at(16, 32, wide), filled(src, smem, lanes).slice(first, 16).load(wide))


@gluon.jit
def ring(src, dst, smem: gl.constexpr, slot):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    x = gl.load(src + at(64, 32, wide))
    buffers = gl.allocate_shared_memory(gl.float16, [2, 64, 32], smem)
    buffers.index(0).store(x)
    buffers.index(1).store(x + 1)
    gl.store(dst + at(64, 32, wide), buffers.index(slot).load(wide))


@gluon.jit
def moved(src, dst, M, N, smem: gl.constexpr):
    """By the tensor mover, in blocks of which some lie outside of the tensor in part."""
    a = cdna5.tdm.make_tensor_descriptor(src, [M, N], [N, 1], [64, 32], smem)
    b = cdna5.tdm.make_tensor_descriptor(dst, [M, N], [N, 1], [64, 32], smem)
    buffer = gl.allocate_shared_memory(gl.float16, [64, 32], smem)
    row, column = gl.program_id(0) * 64, gl.program_id(1) * 32
    cdna5.tdm.async_load(a, [row, column], buffer)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, [row, column], buffer)
    cdna5.tdm.async_wait(0)


@gluon.jit
def told(src, dst):
    """Each warp moves two pieces, and tells the barrier of the second."""
    smem: gl.constexpr = PIECES(2, 4, 0, gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], smem)
    buffer = gl.allocate_shared_memory(gl.float16, [64, 32], smem)
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=4)
    cdna5.tdm.async_load(desc, [0, 0], buffer, mbarrier=bar)
    cdna5.mbarrier.wait(bar, 0)
    gl.store(dst + at(64, 32, wide), buffer.load(wide))


@gluon.jit
def multiplied(a, b, c):
    """With the layouts that are made for it."""
    wide: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    padded_a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 8]], [128, 64], [1, 0])
    padded_b: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[128, 8]], [64, 128], [1, 0])
    made: gl.constexpr = cdna5.make_partitioned_dot_layouts(128, 128, padded_a, padded_b, 4, [16, 16, 32])
    x = gl.allocate_shared_memory(gl.float16, [128, 64], made[0], gl.load(a + at(128, 64, wide)))
    y = gl.allocate_shared_memory(gl.float16, [64, 128], made[1], gl.load(b + at(64, 128, wide)))
    sums = cdna5.wmma(x.load(gl.DotOperandLayout(0, made[2], 8)), y.load(gl.DotOperandLayout(1, made[2], 8)),
                      gl.zeros([128, 128], gl.float32, made[2]))
    gl.store(c + at(128, 128, made[2]), sums)


@gluon.jit
def by_columns(src, dst, smem: gl.constexpr, K: gl.constexpr):
    """An operand whose rows are K, in buffers whose padding is not of whole runs."""
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    mma: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, K])
    buffer = gl.allocate_shared_memory(src.dtype.element_ty, [64, 32], smem, gl.load(src + at(64, 32, wide)))
    columns = buffer.load(gl.DotOperandLayout(1, mma, 8))
    gl.store(dst + at(64, 32, wide), gl.convert_layout(columns, wide))
