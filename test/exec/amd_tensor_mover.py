"""The engine of gfx1250 that copies blocks of tensors."""

# RUN: copy src='randn((100, 50), f16)' dst='zeros((100, 50), f16)' M=100 N=50 layout='gl.SwizzledSharedLayout(1, 1, 1, [1, 0])' --grid 2,2 --target hip:gfx1250
# EXPECT: dst == src
# RUN: copy src='randn((100, 50), f32)' dst='zeros((100, 50), f32)' M=100 N=50 layout='gl.PaddedSharedLayout.with_identity_for([[32, 4]], [64, 32], [1, 0])' --grid 2,2 --target hip:gfx1250
# EXPECT: dst == src
# RUN: copy src='randn((100, 50), f64)' dst='zeros((100, 50), f64)' M=90 N=40 layout='gl.SwizzledSharedLayout(1, 1, 1, [1, 0])' --grid 2,2 --target hip:gfx1250
# EXPECT: abs(dst[0:90, 0:40] - src[0:90, 0:40]).max() + abs(dst[90:100]).max() + abs(dst[:, 40:50]).max() == 0
# RUN: outside src='randn((64, 32), f32)' dst='empty((64, 32), f32)' at=32 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:32] - src[32:64]).max() + abs(dst[32:64]).max() == 0
# RUN: outside src='randn((64, 32), f32)' dst='empty((64, 32), f32)' at=200 --grid 1 --target hip:gfx1250
# EXPECT: all(dst == 0)
# RUN: outside src='randn((64, 32), f32)' dst='empty((64, 32), f32)' at=-1 --grid 1 --target hip:gfx1250
# EXPECT: all(dst == 0)
# RUN: moved src='randn((64, 64), f32)' dst='empty((64, 32), f32)' --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:60, 0:16] - src[4:64, 48:64]).max() + abs(dst[60:64]).max() + abs(dst[:, 16:32]).max() == 0
# RUN: beyond src='randn((64, 32), f32)' dst='empty((64, 32), f32)' bounds=0 --grid 1 --target hip:gfx1250
# FAULT: OutOfBoundsAccess
# RUN: beyond src='randn((64, 32), f32)' dst='empty((64, 32), f32)' bounds=1 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:32] - src[32:64]).max() + abs(dst[32:64]).max() == 0
# RUN: switched src='randn((64, 32), f32)' dst='empty((64, 32), f32)' on=1 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: switched src='randn((64, 32), f32)' dst='empty((64, 32), f32)' on=0 --grid 1 --target hip:gfx1250
# EXPECT: all(dst == 7)
# RUN: counted src='randn((128, 32), f32)' dst='empty((64, 32), f32)' pending=1 --grid 1 --target hip:gfx1250
# EXPECT: dst == src[0:64]
# RUN: counted src='randn((128, 32), f32)' dst='empty((64, 32), f32)' pending=2 --grid 1 --target hip:gfx1250
# FAULT: UnfinishedCopyRead
# RUN: overwritten dst='empty((64, 32), f32)' wait=False --grid 1 --target hip:gfx1250
# FAULT: SharedWriteDuringRead
# RUN: overwritten dst='empty((64, 32), f32)' wait=True --grid 1 --target hip:gfx1250
# EXPECT: all(dst == 1)
# RUN: told src='randn((64, 32), f32)' dst='empty((64, 32), f32)' hint=None count=4 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: told src='randn((64, 32), f32)' dst='empty((64, 32), f32)' hint=5 count=2 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: told src='randn((64, 32), f32)' dst='empty((64, 32), f32)' hint=None count=5 --grid 1 --target hip:gfx1250
# FAULT: Deadlock
# RUN: fused src='randn((128, 32), f32)' dst='empty((128, 32), f32)' --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: rows src='randn((64, 64), f16)' dst='zeros((64, 64), f16)' kind=gl.int32 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:16, 32:64] - src[0:32:2, 32:64]).max() + abs(dst[:, 0:32]).max() == 0
# RUN: rows src='randn((64, 64), f16)' dst='zeros((64, 64), f16)' kind=gl.int16 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:16, 32:64] - src[0:32:2, 32:64]).max() + abs(dst[:, 0:32]).max() == 0
# RUN: few_rows src='randn((64, 32), f16)' dst='zeros((64, 32), f16)' named=16 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:16] - src[0:32:2]).max() + abs(dst[16:64]).max() == 0
# RUN: few_rows src='randn((64, 32), f16)' dst='zeros((64, 32), f16)' named=32 --grid 1 --target hip:gfx1250
# FAULT: UninitializedSharedRead
# RUN: half_there src='randn((64, 32), f32)' dst='zeros((64, 32), f32)' end=48 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:16] - src[32:48]).max() + abs(dst[16:64]).max() == 0
# RUN: half_there src='randn((64, 32), f32)' dst='zeros((64, 32), f32)' end=96 --grid 1 --target hip:gfx1250
# FAULT: UninitializedSharedRead
# RUN: last_tells src='randn((64, 32), f32)' dst='zeros((64, 32), f32)' first=None second=None count=4 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: last_tells src='randn((64, 32), f32)' dst='zeros((64, 32), f32)' first=1 second=3 count=2 --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: last_tells src='randn((64, 32), f32)' dst='zeros((64, 32), f32)' first=2 second=1 count=1 --grid 1 --target hip:gfx1250
# FAULT: UnfinishedCopyRead
# RUN: columns src='randn((64, 256), f16)' dst='empty((32, 32), f16)' K=192 --grid 1 --target hip:gfx1250
# EXPECT: allclose(dst, sum(src[0:32, 32:224].to(f32).reshape((32, 6, 32)), axis=1), 1e-2, 1e-2)
# RUN: dims src='randn((3, 5, 7, 20), f32)' dst='zeros((3, 5, 7, 20), f32)' --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: clusters src='randn((128, 32), f32)' dst='zeros((128, 32), f32)' --grid 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: dst == src
# RUN: gathered src='randn((128, 80), f16)' dst='empty((16, 64), f16)' at='8 * arange(0, 16) + 3' cga='[[0, 0]]' --grid 1 --num-warps 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: abs(dst[:, 0:48] - src[3:128:8, 16:64]).max() + abs(dst[:, 48:64]).max() == 0
# RUN: gathered src='randn((128, 80), f16)' dst='empty((16, 64), f16)' at='8 * arange(0, 16) + 3' cga='[[0, 1]]' --grid 1 --num-warps 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: abs(dst[:, 0:48] - src[3:128:8, 16:64]).max() + abs(dst[:, 48:64]).max() == 0
# RUN: gathered src='randn((128, 80), f16)' dst='empty((16, 64), f16)' at='8 * arange(0, 16) + 3' cga='[[1, 0], [2, 0]]' --grid 1 --num-warps 1 --num-ctas 4 --target hip:gfx1250
# EXPECT: abs(dst[:, 0:48] - src[3:128:8, 16:64]).max() + abs(dst[:, 48:64]).max() == 0
# RUN: gathered src='randn((128, 80), f16)' dst='empty((16, 64), f16)' at='8 * arange(0, 16) + 3' cga='[[0, 1], [0, 2]]' --grid 1 --num-warps 1 --num-ctas 4 --target hip:gfx1250
# EXPECT: abs(dst[:, 0:48] - src[3:128:8, 16:64]).max() + abs(dst[:, 48:64]).max() == 0
# RUN: gathered src='randn((128, 80), f16)' dst='empty((16, 64), f16)' at='8 * arange(0, 16) + 3' cga='[[1, 0], [0, 1]]' --grid 1 --num-warps 1 --num-ctas 4 --target hip:gfx1250
# EXPECT: abs(dst[:, 0:48] - src[3:128:8, 16:64]).max() + abs(dst[:, 48:64]).max() == 0
# RUN: pipelined src='randn((64, 256), f32)' dst='zeros((64, 32), f32)' --grid 1 --target hip:gfx1250
# EXPECT: allclose(dst, sum(src.reshape((64, 8, 32)), axis=1))
# RUN: partitions src='randn((64, 256), f32)' dst='zeros((64, 32), f32)' arrivals=128 --grid 1 --target hip:gfx1250
# EXPECT: allclose(dst, sum(src.reshape((64, 8, 32)), axis=1))
# RUN: partitions src='randn((64, 256), f32)' dst='zeros((64, 32), f32)' arrivals=64 --grid 1 --target hip:gfx1250
# FAULT: BarrierOverrun
# RUN: partitions src='randn((64, 256), f32)' dst='zeros((64, 32), f32)' arrivals=129 --grid 1 --target hip:gfx1250
# FAULT: Deadlock
# RUN: copies src='randn((64, 32), f32)' dst='zeros((64, 32), f32)' --grid 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: dst == src
# RUN: pieces src='randn((64, 64), f16)' dst='empty((64, 64), f16)' rows=4 cols=64 --grid 16 --num-warps 8 --target hip:gfx1250
# EXPECT: dst == src
# RUN: pieces src='randn((64, 64), f16)' dst='empty((64, 64), f16)' rows=2 cols=16 --grid 32 --num-warps 8 --target hip:gfx1250
# EXPECT: dst[:, 0:16] == src[:, 0:16]
# RUN: pieces src='randn((64, 64), f16)' dst='empty((64, 64), f16)' rows=64 cols=64 --grid 1 --num-warps 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: padded src='randn((60, 64), f16)' dst='empty((64, 64), f16)' layout='gl.PaddedSharedLayout.with_identity_for([[128, 8]], [64, 64], [1, 0])' --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:60] - src).max() + abs(dst[60:64]).max() == 0
# RUN: padded src='randn((60, 64), f16)' dst='empty((64, 64), f16)' layout='gl.PaddedSharedLayout.with_identity_for([[32, 2]], [64, 64], [1, 0])' --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:60] - src).max() + abs(dst[60:64]).max() == 0
# RUN: line src='randn(1000, f32)' dst='zeros(1000, f32)' layout='gl.SwizzledSharedLayout(1, 1, 1, [0])' --grid 4 --target hip:gfx1250
# EXPECT: dst == src
# RUN: line src='randn(1000, f32)' dst='zeros(1000, f32)' layout='gl.PaddedSharedLayout.with_identity_for([[256, 4]], [256], [0])' --grid 4 --target hip:gfx1250
# EXPECT: dst == src
# RUN: five src='randn((2, 3, 2, 5, 7), f32)' dst='zeros((2, 3, 2, 5, 7), f32)' --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: wide_rows src='randn((64, 64), f16)' dst='zeros((64, 64), f16)' kind=gl.int32 run=2 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:32, 0:60] - src[1:64:2, 0:60]).max() + abs(dst[32:64]).max() + abs(dst[:, 60:64]).max() == 0
# RUN: wide_rows src='randn((64, 64), f16)' dst='zeros((64, 64), f16)' kind=gl.int16 run=8 --grid 1 --target hip:gfx1250
# EXPECT: abs(dst[0:32, 0:60] - src[1:64:2, 0:60]).max() + abs(dst[32:64]).max() + abs(dst[:, 60:64]).max() == 0
# RUN: branched src='randn((64, 32), f32)' dst='empty((64, 32), f32)' on='ones(128, i32)' --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: branched src='randn((64, 32), f32)' dst='empty((64, 32), f32)' on='zeros(128, i32)' --grid 1 --target hip:gfx1250
# EXPECT: all(dst == 7)
# RUN: counted_paths src='randn((192, 32), f32)' dst='empty((64, 32), f32)' more=1 --grid 1 --target hip:gfx1250
# EXPECT: dst == src[0:64]
# RUN: counted_paths src='randn((192, 32), f32)' dst='empty((64, 32), f32)' more=0 --grid 1 --target hip:gfx1250
# EXPECT: dst == src[0:64]

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna5, gfx1250

TILE = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
ROWS = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))


@gluon.jit
def place(rows: gl.constexpr, cols: gl.constexpr, stride: gl.constexpr):
    """Where the elements of a block lie in rows of so many."""
    r = gl.arange(0, rows, layout=gl.SliceLayout(1, TILE))
    c = gl.arange(0, cols, layout=gl.SliceLayout(0, TILE))
    return r[:, None] * stride + c[None, :]


@gluon.jit
def copy(src, dst, M, N, layout: gl.constexpr):
    """In and out, block by block; what is outside of M x N stays."""
    a = cdna5.tdm.make_tensor_descriptor(src, [M, N], [50, 1], [64, 32], layout)
    b = gfx1250.tdm.make_tensor_descriptor(dst, [M, N], [50, 1], [64, 32], layout)
    smem = gl.allocate_shared_memory(a.dtype, a.block_shape, a.layout)
    at = [gl.program_id(0) * 64, gl.program_id(1) * 32]
    gfx1250.tdm.async_load(a, at, smem)
    gfx1250.tdm.async_wait(0)
    gfx1250.tdm.async_store(b, at, smem)
    gfx1250.tdm.async_wait(0)


@gluon.jit
def outside(src, dst, at):
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    cdna5.tdm.prefetch(desc, [at, 0])
    cdna5.tdm.async_load(desc, [at, 0], smem)
    cdna5.tdm.async_wait()
    gl.store(dst + place(64, 32, 32), smem.load(TILE))


@gluon.jit
def moved(src, dst):
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 64], [64, 1], [64, 32], ROWS)
    desc = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[4, 16], clamp_bounds=True)
    desc = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[0, 32], set_bounds=[60, 16])
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    cdna5.tdm.async_load(desc, dest=smem)
    cdna5.tdm.async_wait(0)
    gl.store(dst + place(64, 32, 32), smem.load(TILE))


@gluon.jit
def beyond(src, dst, bounds: gl.constexpr):
    """Offsets alone leave the bounds as they are."""
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], ROWS)
    desc = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[32, 0], clamp_bounds=bounds)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    cdna5.tdm.async_load(desc, dest=smem)
    cdna5.tdm.async_wait(0)
    gl.store(dst + place(64, 32, 32), smem.load(TILE))


@gluon.jit
def switched(src, dst, on):
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    smem.store(gl.full([64, 32], 7.0, gl.float32, TILE))
    gl.barrier()
    cdna5.tdm.async_load(desc, [0, 0], smem, pred=on > 0)
    cdna5.tdm.async_wait(0)
    gl.store(dst + place(64, 32, 32), smem.load(TILE))


@gluon.jit
def counted(src, dst, pending: gl.constexpr):
    """A copy that is switched off counts."""
    desc = cdna5.tdm.make_tensor_descriptor(src, [128, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [2, 64, 32], ROWS)
    cdna5.tdm.async_load(desc, [0, 0], smem.index(0))
    cdna5.tdm.async_load(desc, [64, 0], smem.index(1), pred=False)
    cdna5.tdm.async_wait(pending)
    gl.store(dst + place(64, 32, 32), smem.index(0).load(TILE))


@gluon.jit
def overwritten(dst, wait: gl.constexpr):
    desc = cdna5.tdm.make_tensor_descriptor(dst, [64, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    smem.store(gl.full([64, 32], 1.0, gl.float32, TILE))
    cdna5.tdm.async_store(desc, [0, 0], smem)
    if wait:
        cdna5.tdm.async_wait(0)
    smem.store(gl.full([64, 32], 2.0, gl.float32, TILE))


@gluon.jit
def told(src, dst, hint: gl.constexpr, count: gl.constexpr):
    """Each warp that takes part arrives at the barrier."""
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=count)
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    cdna5.tdm.async_load(desc, [0, 0], smem, mbarrier=bar, warp_used_hint=hint)
    cdna5.mbarrier.wait(bar, 0)
    gl.store(dst + place(64, 32, 32), smem.load(TILE))


@gluon.jit
def fused(src, dst):
    desc = cdna5.tdm.make_tensor_descriptor(src, [128, 32], [32, 1], [64, 32], ROWS)
    below = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[64, 0], clamp_bounds=True)
    smem = gl.allocate_shared_memory(gl.float32, [2, 64, 32], ROWS)
    cdna5.tdm.async_load_fused([(desc, smem.index(0), 3), (below, smem.index(1), 12)])
    cdna5.tdm.async_wait(0)
    for i in gl.static_range(2):
        gl.store(dst + i * 2048 + place(64, 32, 32), smem.index(i).load(TILE))


@gluon.jit
def columns(src, dst, K):
    """Rows by number in a loop that moves the descriptor: several instructions of one descriptor."""
    tile: gl.constexpr = gl.BlockedLayout([32, 1], [1, 32], [1, 4], [1, 0])
    padded: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 256], [256, 1], [32, 32], padded)
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, tile))
    smem = gl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    total = gl.zeros([32, 32], gl.float32, tile)
    for _ in range(0, K, 32):
        desc = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[0, 32])
        cdna5.tdm.async_gather(desc, i, smem)
        cdna5.tdm.async_wait(0)
        total += smem.load(tile).to(gl.float32)
    c = gl.arange(0, 32, layout=gl.SliceLayout(0, tile))
    gl.store(dst + i[:, None] * 32 + c[None, :], total.to(gl.float16))


@gluon.jit
def rows(src, dst, kind: gl.constexpr):
    """Every other row, from column 32 on; the last numbers are behind the tensor."""
    spread: gl.constexpr = gl.BlockedLayout([32, 1], [1, 32], [1, 4], [0, 1])
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, spread))
    a = cdna5.tdm.make_tensor_descriptor(src, [64, 64], [64, 1], [32, 32], ROWS)
    a = cdna5.tdm.update_tensor_descriptor(a, add_offsets=[0, 32], clamp_bounds=True)
    b = cdna5.tdm.make_tensor_descriptor(dst, [16, 64], [64, 1], [32, 32], ROWS)
    b = cdna5.tdm.update_tensor_descriptor(b, add_offsets=[0, 32], clamp_bounds=True)
    smem = gl.allocate_shared_memory(a.dtype, [32, 32], ROWS)
    cdna5.tdm.async_gather(a, (2 * i).to(kind), smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_scatter(b, i.to(kind), smem)
    cdna5.tdm.async_wait(0)


@gluon.jit
def few_rows(src, dst, named: gl.constexpr):
    """Fills the first 16 rows of a buffer of 32, and stores the first `named`."""
    spread: gl.constexpr = gl.SliceLayout(1, gl.BlockedLayout([16, 1], [1, 32], [1, 4], [0, 1]))
    a = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [32, 32], ROWS)
    b = cdna5.tdm.make_tensor_descriptor(dst, [64, 32], [32, 1], [32, 32], ROWS)
    smem = gl.allocate_shared_memory(a.dtype, [32, 32], ROWS)
    cdna5.tdm.async_gather(a, 2 * gl.arange(0, 16, layout=spread), smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_scatter(b, gl.arange(0, named, layout=spread), smem)
    cdna5.tdm.async_wait(0)


@gluon.jit
def half_there(src, dst, end):
    """Half of the buffer was never written; the tensor ends before that half, or after it."""
    a = cdna5.tdm.make_tensor_descriptor(src, [48, 32], [32, 1], [32, 32], ROWS)
    b = cdna5.tdm.make_tensor_descriptor(dst - 1024, [end, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    cdna5.tdm.async_load(a, [32, 0], smem.slice(0, 32, 0))
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, [32, 0], smem)


@gluon.jit
def last_tells(src, dst, first: gl.constexpr, second: gl.constexpr, count: gl.constexpr):
    """The second of two copies tells a barrier; the first is done before it where no other wave made it."""
    half: gl.constexpr = [32, 32]
    a = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], half, ROWS)
    upper = gl.allocate_shared_memory(gl.float32, half, ROWS)
    lower = gl.allocate_shared_memory(gl.float32, half, ROWS)
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=count)
    cdna5.tdm.async_load(a, [0, 0], upper, warp_used_hint=first)
    cdna5.tdm.async_load(a, [32, 0], lower, mbarrier=bar, warp_used_hint=second)
    cdna5.mbarrier.wait(bar, 0)
    at = place(32, 32, 32)
    gl.store(dst + at, upper.load(TILE))
    gl.store(dst + 1024 + at, lower.load(TILE))


@gluon.jit
def dims(src, dst):
    cube: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [3, 2, 1, 0])
    a = cdna5.tdm.make_tensor_descriptor(src, [3, 5, 7, 20], [700, 140, 20, 1], [4, 8, 8, 32], cube)
    b = cdna5.tdm.make_tensor_descriptor(dst, [3, 5, 7, 20], [700, 140, 20, 1], [4, 8, 8, 32], cube)
    smem = gl.allocate_shared_memory(gl.float32, [4, 8, 8, 32], cube)
    cdna5.tdm.async_load(a, [0, 0, 0, 0], smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, [0, 0, 0, 0], smem)


@gluon.jit
def gathered(src, dst, at, cga: gl.constexpr):
    """The CTAs of a cluster gather their shares of rows of 64, from column 16 on, out of rows of 80."""
    shares: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga)
    tile: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [1, 1], [1, 0], cga)
    rows_cga: gl.constexpr = [[basis[0], 0] for basis in cga]
    spread: gl.constexpr = gl.SliceLayout(1, gl.BlockedLayout([16, 1], [1, 32], [1, 1], [1, 0], rows_cga))
    desc = cdna5.tdm.make_tensor_descriptor(src, [128, 64], [80, 1], [16, 64], shares)
    desc = cdna5.tdm.update_tensor_descriptor(desc, add_offsets=[0, 16], clamp_bounds=True)
    smem = gl.allocate_shared_memory(desc.dtype, desc.block_shape, shares)
    cdna5.tdm.async_gather(desc, gl.load(at + gl.arange(0, 16, layout=spread)), smem)
    cdna5.tdm.async_wait(0)
    r = gl.arange(0, 16, layout=gl.SliceLayout(1, tile))
    c = gl.arange(0, 64, layout=gl.SliceLayout(0, tile))
    gl.store(dst + r[:, None] * 64 + c[None, :], smem.load(tile))


@gluon.jit
def clusters(src, dst):
    """Each CTA copies its rows."""
    halves: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[1, 0]])
    a = cdna5.tdm.make_tensor_descriptor(src, [128, 32], [32, 1], [128, 32], halves)
    b = cdna5.tdm.make_tensor_descriptor(dst, [128, 32], [32, 1], [128, 32], halves)
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], halves)
    cdna5.tdm.async_load(a, [0, 0], smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, [0, 0], smem)
    cdna5.tdm.async_wait(0)


@gluon.jit
def pipelined(src, dst):
    """Loads run ahead of the sums; those behind the last are switched off."""
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 256], [256, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [3, 64, 32], ROWS)
    for i in gl.static_range(2):
        cdna5.tdm.async_load(desc, [0, 32 * i], smem.index(i))
    total = gl.zeros([64, 32], gl.float32, TILE)
    for i in range(8):
        cdna5.tdm.async_load(desc, [0, 32 * (i + 2)], smem.index((i + 2) % 3), pred=i + 2 < 8)
        cdna5.tdm.async_wait(2)
        total += smem.index(i % 3).load(TILE)
    gl.store(dst + place(64, 32, 32), total)


@gluon.jit
def producer(desc, smem, full, empty, N: gl.constexpr):
    for i in range(N):
        slot = i % 2
        cdna5.mbarrier.wait(empty.index(slot), (i // 2 + 1) % 2)
        cdna5.tdm.async_load(desc, [0, 32 * i], smem.index(slot), mbarrier=full.index(slot))


@gluon.jit
def consumer(dst, smem, full, empty, N: gl.constexpr):
    total = gl.zeros([64, 32], gl.float32, TILE)
    for i in range(N):
        slot = i % 2
        cdna5.mbarrier.wait(full.index(slot), (i // 2) % 2)
        total += smem.index(slot).load(TILE)
        cdna5.mbarrier.arrive(empty.index(slot))
    gl.store(dst + place(64, 32, 32), total)


@gluon.jit
def partitions(src, dst, arrivals: gl.constexpr):
    """One warp loads; the others, 128 threads, arrive when they have read."""
    N: gl.constexpr = 8
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 256], [256, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [2, 64, 32], ROWS)
    full = gl.allocate_shared_memory(gl.int64, [2, 1], cdna5.mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [2, 1], cdna5.mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        cdna5.mbarrier.init(full.index(i), count=1)
        cdna5.mbarrier.init(empty.index(i), count=arrivals)
    gl.warp_specialize([(consumer, (dst, smem, full, empty, N)),
                        (producer, (desc, smem, full, empty, N))], [1])


@gluon.jit
def copies(src, dst):
    """Both CTAs of a cluster load the whole block."""
    same: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], [[0, 0]])
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], same)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], same)
    cdna5.tdm.async_load(desc, [0, 0], smem)
    cdna5.tdm.async_wait(0)
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[0, 0]])
    halves: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[1, 0]])
    x = gl.convert_layout(smem.load(tile), halves)
    r = gl.arange(0, 64, layout=gl.SliceLayout(1, halves))
    c = gl.arange(0, 32, layout=gl.SliceLayout(0, halves))
    gl.store(dst + r[:, None] * 32 + c[None, :], x)


@gluon.jit
def pieces(src, dst, rows: gl.constexpr, cols: gl.constexpr):
    """Warps share small blocks by columns, too, and some have nothing to do."""
    at = [gl.program_id(0) * rows, 0]
    a = cdna5.tdm.make_tensor_descriptor(src, [64, 64], [64, 1], [rows, cols], ROWS)
    b = cdna5.tdm.make_tensor_descriptor(dst, [64, 64], [64, 1], [rows, cols], ROWS)
    smem = gl.allocate_shared_memory(gl.float16, [rows, cols], ROWS)
    cdna5.tdm.async_load(a, at, smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, at, smem)
    cdna5.tdm.async_wait(0)


@gluon.jit
def padded(src, dst, layout: gl.constexpr):
    """Padding after several rows, or within one."""
    desc = cdna5.tdm.make_tensor_descriptor(src, [60, 64], [64, 1], [64, 64], layout)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], layout)
    cdna5.tdm.async_load(desc, [0, 0], smem)
    cdna5.tdm.async_wait(0)
    gl.store(dst + place(64, 64, 64), smem.load(TILE))


@gluon.jit
def line(src, dst, layout: gl.constexpr):
    a = cdna5.tdm.make_tensor_descriptor(src, [1000], [1], [256], layout)
    b = cdna5.tdm.make_tensor_descriptor(dst, [1000], [1], [256], layout)
    smem = gl.allocate_shared_memory(gl.float32, [256], layout)
    cdna5.tdm.async_load(a, [gl.program_id(0) * 256], smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_store(b, [gl.program_id(0) * 256], smem)
    cdna5.tdm.async_wait(0)


@gluon.jit
def five(src, dst):
    all: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [4, 3, 2, 1, 0])
    a = cdna5.tdm.make_tensor_descriptor(src, [2, 3, 2, 5, 7], [210, 70, 35, 7, 1], [1, 4, 2, 8, 8], all)
    b = cdna5.tdm.make_tensor_descriptor(dst, [2, 3, 2, 5, 7], [210, 70, 35, 7, 1], [1, 4, 2, 8, 8], all)
    smem = gl.allocate_shared_memory(gl.float32, [1, 4, 2, 8, 8], all)
    for i in range(2):
        cdna5.tdm.async_load(a, [i, 0, 0, 0, 0], smem)
        cdna5.tdm.async_wait(0)
        cdna5.tdm.async_store(b, [i, 0, 0, 0, 0], smem)
        cdna5.tdm.async_wait(0)


@gluon.jit
def wide_rows(src, dst, kind: gl.constexpr, run: gl.constexpr):
    """Rows with padding between them, whose numbers are known to no compiler; each warp has some."""
    rows: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[64, 4]], [32, 64], [1, 0])
    spread: gl.constexpr = gl.BlockedLayout([run, 1], [1, 32], [4, 1], [0, 1])
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, spread))
    one = gl.num_programs(0)
    a = cdna5.tdm.make_tensor_descriptor(src, [64, 60], [64, 1], [32, 64], rows)
    b = cdna5.tdm.make_tensor_descriptor(dst, [32, 64], [64, 1], [32, 64], rows)
    smem = gl.allocate_shared_memory(gl.float16, [32, 64], rows)
    cdna5.tdm.async_gather(a, (2 * i + one).to(kind), smem)
    cdna5.tdm.async_wait(0)
    cdna5.tdm.async_scatter(b, (i * one).to(kind), smem)
    cdna5.tdm.async_wait(0)


@gluon.jit
def branched(src, dst, on):
    """The engine does not care which lanes are active: the program has to go around it."""
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    desc = cdna5.tdm.make_tensor_descriptor(src, [64, 32], [32, 1], [64, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    smem.store(gl.full([64, 32], 7.0, gl.float32, TILE))
    gl.barrier()
    if gl.max(gl.load(on + gl.arange(0, 128, layout=line)), axis=0) > 0:
        cdna5.tdm.async_load(desc, [0, 0], smem)
    cdna5.tdm.async_wait(0)
    gl.store(dst + place(64, 32, 32), smem.load(TILE))


@gluon.jit
def counted_paths(src, dst, more):
    """A gather is several copies for the engine: a wait counts those of the path that has fewer."""
    spread: gl.constexpr = gl.BlockedLayout([32, 1], [1, 32], [1, 4], [0, 1])
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, spread))
    desc = cdna5.tdm.make_tensor_descriptor(src, [192, 32], [32, 1], [64, 32], ROWS)
    half = cdna5.tdm.make_tensor_descriptor(src, [192, 32], [32, 1], [32, 32], ROWS)
    smem = gl.allocate_shared_memory(gl.float32, [64, 32], ROWS)
    other = gl.allocate_shared_memory(gl.float32, [2, 32, 32], ROWS)
    cdna5.tdm.async_load(desc, [0, 0], smem)
    if more > 0:
        cdna5.tdm.async_gather(half, i, other.index(0))
    else:
        cdna5.tdm.async_load(half, [64, 0], other.index(0))
    cdna5.tdm.async_wait(1)
    x = smem.load(TILE)
    cdna5.tdm.async_gather(half, i, other.index(1))
    cdna5.tdm.async_wait(1)
    gl.store(dst + place(64, 32, 32), x)
