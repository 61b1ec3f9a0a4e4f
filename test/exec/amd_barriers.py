"""Barriers in LDS and clusters of gfx1250, on the simulator."""

# RUN: phases y='empty(4, i32)' --grid 1 --target hip:gfx1250
# EXPECT: y == arange(4, i32) % 2
# RUN: copies_arrive src='randn(128, f32)' dst='empty(128, f32)' wait=True --grid 1 --target hip:gfx1250
# EXPECT: dst == src
# RUN: copies_arrive src='randn(128, f32)' dst='empty(128, f32)' wait=False --grid 1 --target hip:gfx1250
# FAULT: UnfinishedCopyRead
# RUN: too_few y='empty(4, i32)' count=256 --grid 1 --target hip:gfx1250
# FAULT: Deadlock
# RUN: too_few y='empty(4, i32)' count=64 --grid 1 --target hip:gfx1250
# FAULT: BarrierOverrun
# RUN: unready --grid 1 --target hip:gfx1250
# FAULT: BarrierNotInitialized
# RUN: begin_again y='empty(4, i32)' --grid 1 --target hip:gfx1250
# EXPECT: all(y == 0)
# RUN: clusters x='randn(512, f32)' y='empty(512, f32)' --grid 2 --num-ctas 2 --target hip:gfx1250
# EXPECT: allclose(y, x + 1)
# RUN: clusters_own y='empty(256, i32)' --grid 1 --num-ctas 2 --target hip:gfx1250
# EXPECT: all(y == 1)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna5, gfx1250

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.jit
def phases(y):
    """Every thread arrives; the result is the phase that it arrived in."""
    bar = gl.allocate_shared_memory(gl.int64, [1], gfx1250.mbarrier.MBarrierLayout())
    gfx1250.mbarrier.init(bar, count=128)
    for i in range(4):
        phase = gfx1250.mbarrier.arrive(bar)
        gfx1250.mbarrier.wait(bar, phase)
        gl.store(y + i, phase)


@gluon.jit
def copies_arrive(src, dst, wait: gl.constexpr):
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout())
    cdna5.mbarrier.init(bar, count=128)
    at = gl.arange(0, 128, layout=LINE)
    smem = gl.allocate_shared_memory(gl.float32, [128], PLAIN)
    cdna5.async_copy.global_to_shared(smem, src + at)
    cdna5.async_copy.mbarrier_arrive(bar)
    if wait:
        cdna5.mbarrier.wait(bar, 0)
    gl.store(dst + at, smem.load(LINE))


@gluon.jit
def too_few(y, count: gl.constexpr):
    bar = gl.allocate_shared_memory(gl.int64, [1], gfx1250.mbarrier.MBarrierLayout())
    gfx1250.mbarrier.init(bar, count=count)
    gfx1250.mbarrier.arrive(bar)
    gfx1250.mbarrier.wait(bar, 0)
    gl.store(y, 1)


@gluon.jit
def unready():
    bar = gl.allocate_shared_memory(gl.int64, [1], gfx1250.mbarrier.MBarrierLayout())
    gfx1250.mbarrier.wait(bar, 0)


@gluon.jit
def begin_again(y):
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], gfx1250.mbarrier.MBarrierLayout())
    for i in range(4):
        bar = bars.index(i % 2)
        gfx1250.mbarrier.init(bar, count=256)
        phase = gfx1250.mbarrier.arrive(bar, count=2)
        gfx1250.mbarrier.wait(bar, 0)
        gl.store(y + i, phase)


@gluon.jit
def clusters(x, y):
    """Both CTAs meet; each has half of the block."""
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])
    at = gl.program_id(0) * 256 + gl.arange(0, 256, layout=line)
    value = gl.load(x + at)
    cdna5.cluster.arrive()
    value += 1
    cdna5.cluster.wait()
    gl.store(y + at, value)


@gluon.jit
def clusters_own(y):
    """Each CTA has a barrier of its own, where 128 threads arrive."""
    bar = gl.allocate_shared_memory(gl.int64, [1], cdna5.mbarrier.MBarrierLayout([[0]]))
    cdna5.mbarrier.init(bar, count=128)
    cdna5.mbarrier.wait(bar, cdna5.mbarrier.arrive(bar))
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])
    gl.store(y + gl.arange(0, 256, layout=line), cdna5.mbarrier.arrive(bar))
