"""Two partitions and a ring of buffers between them, for whole outputs of faults. `broken` says how."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier

STAGES = gl.constexpr(3)


@gluon.jit
def producer(src, ring, filled, free, n, layout: gl.constexpr, broken: gl.constexpr):
    for i in range(n):
        mbarrier.wait(free.index(i % STAGES), (i // STAGES & 1) ^ 1)
        ring.index(i % STAGES).store(gl.load(src + i * 128 + gl.arange(0, 128, layout=layout)))
        mbarrier.arrive(filled.index(i % STAGES), count=1)


@gluon.jit
def consumer(dst, ring, filled, free, n, layout: gl.constexpr, broken: gl.constexpr):
    for i in range(n):
        mbarrier.wait(filled.index(i % STAGES), i // STAGES & 1)
        if broken == "early":
            mbarrier.arrive(free.index(i % STAGES), count=1)
        gl.store(dst + i * 128 + gl.arange(0, 128, layout=layout), ring.index(i % STAGES).load(layout))
        if broken != "early":
            mbarrier.arrive(free.index(i % STAGES), count=1, pred=i < 2 or broken != "stuck")


@gluon.jit
def hand_over(src, dst, n, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    ring = gl.allocate_shared_memory(gl.float32, [STAGES, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    filled = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    free = gl.allocate_shared_memory(gl.int64, [STAGES, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(STAGES):
        mbarrier.init(filled.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    gl.warp_specialize([(consumer, (dst, ring, filled, free, n, layout, broken)),
                        (producer, (src, ring, filled, free, n, layout, broken))], [4])
