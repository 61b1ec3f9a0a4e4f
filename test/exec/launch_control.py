"""Programs that take over the work of others which have not begun: nvidia.blackwell.clc."""

# RUN: takes_over src='randn((37, 128), f32)' dst='empty((37, 128), f32)' times='zeros(37, i32)' --grid 37 --target cuda:100a
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: takes_over src='randn((37, 128), f32)' dst='empty((37, 128), f32)' times='zeros(37, i32)' --grid 37 --target cuda:100a --schedule-seed 1
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: takes_over src='randn((37, 128), f32)' dst='empty((37, 128), f32)' times='zeros(37, i32)' --grid 37 --target cuda:103a --schedule-seed 2
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: takes_over src='randn((1, 128), f32)' dst='empty((1, 128), f32)' times='zeros(1, i32)' --grid 1 --target cuda:100a
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: asks_once launched='zeros(20, i32)' taken='zeros(20, i32)' granted='zeros(20, i32)' --grid 20 --target cuda:100a
# EXPECT: all(launched + taken == 1) and granted.sum() == taken.sum() and taken.sum() == 10
# RUN: asks_once launched='zeros(20, i32)' taken='zeros(20, i32)' granted='zeros(20, i32)' --grid 20 --target cuda:110a --schedule-seed 7
# EXPECT: all(launched + taken == 1) and granted.sum() == taken.sum()
# RUN: numbered times='zeros((2, 3, 5), i32)' --grid 5,3,2 --target cuda:100a
# EXPECT: times == 1
# RUN: in_cluster src='randn((9, 256), f32)' dst='empty((9, 256), f32)' times='zeros(9, i32)' --grid 9 --num-ctas 2 --target cuda:100a
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: in_cluster src='randn((9, 256), f32)' dst='empty((9, 256), f32)' times='zeros(9, i32)' --grid 9 --num-ctas 2 --target cuda:100a --schedule-seed 3
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: in_partitions src='randn((23, 128), f32)' dst='empty((23, 128), f32)' times='zeros(23, i32)' --grid 23 --target cuda:100a
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: in_partitions src='randn((23, 128), f32)' dst='empty((23, 128), f32)' times='zeros(23, i32)' --grid 23 --target cuda:100a --schedule-seed 5
# EXPECT: all(dst == 2 * src) and all(times == 1)
# RUN: reads_early out='zeros(4, i32)' --grid 4 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: asks_again out='zeros(4, i32)' --grid 4 --target cuda:100a
# FAULT: RequestAfterRefusal
# RUN: expects_nothing out='zeros(4, i32)' --grid 4 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: believes out='zeros(1, i32)' --grid 1 --target cuda:100a --masked-off fault
# FAULT: RefusalHasNoProgram
# RUN: all_store_here out='zeros(1, i32)' --grid 4 --target cuda:100a
# FAULT: UnorderedGlobalAccess

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import clc, mbarrier

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
PLAIN = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.jit
def prepared():
    """A barrier first, so that the answer has to be aligned."""
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    return bar, gl.allocate_shared_memory(gl.int64, [2], PLAIN)


@gluon.jit
def doubled(src, dst, times, program):
    i = program * 128 + gl.arange(0, 128, layout=LINE)
    gl.store(dst + i, 2 * gl.load(src + i))
    gl.atomic_add(times + program, 1)


@gluon.jit
def takes_over(src, dst, times):
    bar, answer = prepared()
    program = gl.program_id(0)
    phase = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        mbarrier.expect(bar, 16)
        clc.try_cancel(answer, bar)
        doubled(src, dst, times, program)
        mbarrier.wait(bar, phase)
        phase ^= 1
        work = clc.load_result(answer)
        more = work.is_canceled()
        if more:
            program = work.program_id(0)


@gluon.jit
def asks_once(launched, taken, granted):
    bar, answer = prepared()
    program = gl.program_id(0)
    clc.try_cancel(answer, bar)
    mbarrier.expect(bar, 16)
    mbarrier.wait(bar, 0)
    work = clc.load_result(answer)
    gl.store(launched + program, 1)
    gl.store(granted + program, work.is_canceled().to(gl.int32))
    if work.is_canceled():
        gl.store(taken + work.program_id(0), 1)


@gluon.jit
def numbered(times):
    bar, answer = prepared()
    x, y, z = gl.program_id(0), gl.program_id(1), gl.program_id(2)
    phase = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        gl.atomic_add(times + (z * 3 + y) * 5 + x, 1)
        mbarrier.expect(bar, 16)
        clc.try_cancel(answer, bar)
        mbarrier.wait(bar, phase)
        phase ^= 1
        work = clc.load_result(answer)
        more = work.is_canceled()
        if more:
            x, y, z = work.program_id(0), work.program_id(1), work.program_id(2)


@gluon.jit
def in_cluster(src, dst, times):
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    copies: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[0]])
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    answer = gl.allocate_shared_memory(gl.int64, [2], copies)
    mbarrier.sync_cluster_init()
    program = gl.program_id(0)
    phase = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        mbarrier.expect(bar, 16)
        # Both have read the last answer.
        gl.barrier(cluster=True)
        clc.try_cancel(answer, bar)
        i = program * 256 + gl.arange(0, 256, layout=line)
        gl.store(dst + i, 2 * gl.load(src + i))
        gl.atomic_add(times + program, 1)
        mbarrier.wait(bar, phase)
        phase ^= 1
        work = clc.load_result(answer)
        more = work.is_canceled()
        if more:
            program = work.program_id(0)


@gluon.jit
def ask(answers, full, free):
    """Asks for one piece of work after the other, two ahead of who does it."""
    round = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        slot = round % 2
        mbarrier.wait(free.index(slot), (round // 2 & 1) ^ 1)
        mbarrier.expect(full.index(slot), 16)
        clc.try_cancel(answers.index(slot), full.index(slot))
        mbarrier.wait(full.index(slot), round // 2 & 1)
        more = clc.load_result(answers.index(slot)).is_canceled()
        round += 1


@gluon.jit
def work_off(src, dst, times, answers, full, free):
    program = gl.program_id(0)
    round = gl.to_tensor(0)
    more = gl.to_tensor(True)
    while more:
        doubled(src, dst, times, program)
        slot = round % 2
        mbarrier.wait(full.index(slot), round // 2 & 1)
        work = clc.load_result(answers.index(slot))
        mbarrier.arrive(free.index(slot), count=1)
        more = work.is_canceled()
        if more:
            program = work.program_id(0)
        round += 1


@gluon.jit
def in_partitions(src, dst, times):
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    answers = gl.allocate_shared_memory(gl.int64, [2, 2], PLAIN)
    gl.warp_specialize([(work_off, (src, dst, times, answers, full, free)), (ask, (answers, full, free))], [1])


@gluon.jit
def reads_early(out):
    bar, answer = prepared()
    mbarrier.expect(bar, 16)
    clc.try_cancel(answer, bar)
    gl.store(out + gl.program_id(0), clc.load_result(answer).is_canceled().to(gl.int32))


@gluon.jit
def asks_again(out):
    bar, answer = prepared()
    for k in gl.static_range(4):
        mbarrier.expect(bar, 16)
        clc.try_cancel(answer, bar)
        mbarrier.wait(bar, k & 1)
        gl.atomic_add(out + gl.program_id(0), clc.load_result(answer).is_canceled().to(gl.int32))


@gluon.jit
def expects_nothing(out):
    bar, answer = prepared()
    clc.try_cancel(answer, bar)
    many = gl.num_programs(0) > 4
    mbarrier.expect(bar, 16, pred=many)
    mbarrier.arrive(bar, count=1, pred=many == 0)
    mbarrier.wait(bar, 0)
    gl.store(out + gl.program_id(0), clc.load_result(answer).is_canceled().to(gl.int32))


@gluon.jit
def believes(out):
    """It does not ask whether there is a program."""
    bar, answer = prepared()
    mbarrier.expect(bar, 16)
    clc.try_cancel(answer, bar)
    mbarrier.wait(bar, 0)
    gl.store(out + gl.program_id(0), clc.load_result(answer).program_id(0))


@gluon.jit
def all_store_here(out):
    bar, answer = prepared()
    mbarrier.expect(bar, 16)
    clc.try_cancel(answer, bar)
    mbarrier.wait(bar, 0)
    gl.store(out, gl.program_id(0))
