"""Partitions that meet in memory: what `gluonc verify --explore` finds in every order of their operations.

`# RUN: KERNEL ARGUMENTS` with `# VERDICT:` agrees, differs or fails, which must not depend on reduction.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier


# RUN: own_counters out=zeros(3,i32)
# VERDICT: agrees
@gluon.jit
def own_counters(out):
    gl.warp_specialize([(counts, (out, 0)), (counts, (out, 1)), (counts, (out, 2))], [4, 4])


@gluon.jit
def counts(out, place):
    gl.atomic_add(out + place, 1)
    gl.store(out + place, gl.load(out + place) + 1)


# RUN: one_counter out=zeros(2,i32)
# VERDICT: agrees
@gluon.jit
def one_counter(out):
    gl.warp_specialize([(adds_twice, (out,)), (adds_twice, (out,))], [4])


@gluon.jit
def adds_twice(out):
    gl.atomic_add(out, 1)
    gl.atomic_add(out, 2)


# RUN: rare_fault out=zeros(2,i32)
# VERDICT: fails
@gluon.jit
def rare_fault(out):
    """Only if the other came in between the two."""
    gl.warp_specialize([(looks_twice, (out,)), (writes_once, (out,))], [4])


@gluon.jit
def looks_twice(out):
    first = gl.atomic_add(out, 0)
    second = gl.atomic_add(out, 0)
    if second != first:
        gl.store(out + 1000000, 1)


@gluon.jit
def writes_once(out):
    gl.atomic_add(out + 1, 5)
    gl.atomic_add(out + 1, 6)
    gl.atomic_xchg(out, 1)
    gl.atomic_xchg(out, 0)


# RUN: handed_over src=arange(0,384,f32) dst=empty(384,f32)
# VERDICT: agrees
@gluon.jit
def handed_over(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    smem = gl.allocate_shared_memory(gl.float32, [128], shared)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    gl.warp_specialize([(takes, (dst, smem, bars, layout)), (brings, (src, smem, bars, layout))], [4])


@gluon.jit
def takes(dst, smem, bars, layout: gl.constexpr):
    for i in range(3):
        mbarrier.wait(bars.index(0), i & 1)
        x = smem.load(layout)
        mbarrier.arrive(bars.index(1), count=1)
        gl.store(dst + i * 128 + gl.arange(0, 128, layout=layout), x)


@gluon.jit
def brings(src, smem, bars, layout: gl.constexpr):
    for i in range(3):
        mbarrier.wait(bars.index(1), (i & 1) ^ 1)
        smem.store(gl.load(src + i * 128 + gl.arange(0, 128, layout=layout)))
        mbarrier.arrive(bars.index(0), count=1)


# RUN: given_back_early src=arange(0,384,f32) dst=empty(384,f32)
# VERDICT: fails
@gluon.jit
def given_back_early(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    smem = gl.allocate_shared_memory(gl.float32, [128], shared)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    gl.warp_specialize([(takes_late, (dst, smem, bars, layout)), (brings, (src, smem, bars, layout))], [4])


@gluon.jit
def takes_late(dst, smem, bars, layout: gl.constexpr):
    for i in range(3):
        mbarrier.wait(bars.index(0), i & 1)
        mbarrier.arrive(bars.index(1), count=1)
        x = smem.load(layout)
        gl.store(dst + i * 128 + gl.arange(0, 128, layout=layout), x)


# RUN: hidden_by_atomics out=zeros(260,i32)
# VERDICT: fails
@gluon.jit
def hidden_by_atomics(out):
    """Atomics at two places put the partitions in an order, by luck: the race shows in the other order."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    smem = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.store(gl.full([128], 1, gl.int32, layout))
    gl.warp_specialize([(writes_then_counts, (out, smem, layout)), (counts_then_reads, (out, smem, layout))], [4])


@gluon.jit
def writes_then_counts(out, smem, layout: gl.constexpr):
    smem.store(gl.full([128], 2, gl.int32, layout))
    gl.atomic_add(out + 256, 1)


@gluon.jit
def counts_then_reads(out, smem, layout: gl.constexpr):
    gl.atomic_add(out + 257, 1)
    gl.store(out + gl.arange(0, 128, layout=layout), smem.load(layout))
