"""Programs that take over others' work, and rows that are named one by one. What `broken` names is left out."""

from common import pause
from tensor_memory import square
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import clc, fence_async_shared, mbarrier, tma

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.jit
def double(src, dst, program):
    i = program * 128 + gl.arange(0, 128, layout=LINE)
    gl.store(dst + i, 2 * gl.load(src + i))


@gluon.jit
def take_over(src, dst, broken: gl.constexpr):
    """A program asks for the next one's work before it does its own."""
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    answer = gl.allocate_shared_memory(gl.int64, [2], PLAIN)
    program = gl.program_id(0)
    phase = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        if broken == "arrive":
            mbarrier.arrive(bar, count=1)
        elif broken != "expect":
            mbarrier.expect(bar, 32 if broken == "bytes" else 16)
        pause(broken)
        clc.try_cancel(answer, bar)
        double(src, dst, program)
        if broken == "twice":
            clc.try_cancel(answer, bar)
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, phase ^ 1 if broken == "phase" else phase)
        phase ^= 1
        work = clc.load_result(answer)
        more = work.is_canceled()
        if broken == "refused":
            more = phase == 1
        if broken == "believe":
            gl.store(dst + work.program_id(0) * 128 + gl.arange(0, 128, layout=LINE), 0.0)
        if more:
            program = work.program_id(0)


@gluon.jit
def take_over_together(src, dst, broken: gl.constexpr):
    """Each CTA of a cluster gets the answer: both have to have read the last one before the next comes."""
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    answer = gl.allocate_shared_memory(gl.int64, [2], gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[0]]))
    mbarrier.sync_cluster_init()
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    program = gl.program_id(0)
    phase = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        mbarrier.expect(bar, 16)
        if broken != "read":
            pause(broken)
            gl.barrier(cluster=True)
        pause(broken)
        clc.try_cancel(answer, bar)
        i = program * 128 + gl.arange(0, 128, layout=line)
        gl.store(dst + i, 2 * gl.load(src + i))
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, phase)
        phase ^= 1
        work = clc.load_result(answer)
        more = work.is_canceled()
        if more:
            program = work.program_id(0)


@gluon.jit
def asks(answers, full, free, broken: gl.constexpr):
    step = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        slot = step % 2
        if broken != "free":
            pause(broken)
            mbarrier.wait(free.index(slot), (step // 2 & 1) ^ 1)
        mbarrier.expect(full.index(slot), 16)
        pause(broken)
        clc.try_cancel(answers.index(slot), full.index(slot))
        mbarrier.wait(full.index(slot), step // 2 & 1)
        more = clc.load_result(answers.index(slot)).is_canceled()
        step += 1


@gluon.jit
def works(src, dst, answers, full, free, broken: gl.constexpr):
    program = gl.program_id(0)
    step = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        double(src, dst, program)
        slot = step % 2
        if broken != "full":
            pause(broken)
            mbarrier.wait(full.index(slot), step // 2 & 1)
        if broken == "early":
            mbarrier.arrive(free.index(slot), count=1)
        pause(broken)
        work = clc.load_result(answers.index(slot))
        if broken != "early" and broken != "keep":
            pause(broken)
            mbarrier.arrive(free.index(slot), count=1)
        more = work.is_canceled()
        if more:
            program = work.program_id(0)
        step += 1


@gluon.jit
def take_over_ahead(src, dst, broken: gl.constexpr):
    """One partition asks, two pieces of work ahead of another, which does them."""
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    answers = gl.allocate_shared_memory(gl.int64, [2, 2], PLAIN)
    gl.warp_specialize([(works, (src, dst, answers, full, free, broken)), (asks, (answers, full, free, broken))], [1])


@gluon.jit
def gathered(src, numbers, dst, broken: gl.constexpr):
    """Rows that numbers name come into a buffer, twice."""
    spread: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    block = gl.allocate_shared_memory(gl.float32, [32, 64], src.layout)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    # The descriptor's block is one row.
    size: gl.constexpr = 32 * src.block_type.nbytes
    for k in gl.static_range(2):
        first = (gl.program_id(0) * 2 + k) * 32
        rows = gl.load(numbers + first + gl.arange(0, 32, spread))
        if broken == "row":
            mbarrier.expect(bar, src.block_type.nbytes)
        elif broken == "more":
            mbarrier.expect(bar, size + 16)
        elif broken != "expect":
            mbarrier.expect(bar, size)
        pause(broken)
        tma.async_gather(src, rows, 0, bar, block)
        if broken == "store":
            block.store(gl.zeros([32, 64], gl.float32, layout))
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, 0 if broken == "phase" else k)
        gl.store(dst + first * 64 + square(32, 64, layout), block.load(layout))


@gluon.jit
def scattered(src, numbers, dst, broken: gl.constexpr):
    """A buffer's rows go to places that numbers name, twice."""
    spread: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    block = gl.allocate_shared_memory(gl.float32, [32, 64], dst.layout)
    for k in gl.static_range(2):
        first = (gl.program_id(0) * 2 + k) * 32
        rows = gl.load(numbers + first + gl.arange(0, 32, spread))
        block.store(gl.load(src + first * 64 + square(32, 64, layout)))
        fence_async_shared()
        pause(broken)
        tma.async_scatter(dst, rows // 2 if broken == "rows" else rows, 0, block)
        if broken == "end":
            tma.store_wait(k)
        elif broken == "count":
            tma.store_wait(1)
        elif broken != "wait":
            pause(broken)
            tma.store_wait(0)
