"""Programs of a grid, and elements of one store, at the same global memory."""

# RUN: count y='zeros(1, i32)' --grid 8
# FAULT: UnorderedGlobalAccess
# RUN: same_value y='zeros(4, f32)' --grid 8
# EXPECT: y == zeros(4, f32) + 5
# RUN: own_value y='zeros(1, i32)' --grid 8
# FAULT: UnorderedGlobalAccess
# RUN: own_value y='zeros(1, i32)' --grid 1
# EXPECT: y == 0
# RUN: own_value y='zeros(1, i32)' --grid 8 --races ignore
# EXPECT: (y >= 0) & (y < 8)
# RUN: own_value y='zeros(1, i32)' --grid 8 --races warn
# EXPECT: (y >= 0) & (y < 8)
# RUN: neighbours x='zeros(1024, f32)' --grid 8
# FAULT: UnorderedGlobalAccess
# RUN: in_place x='arange(1024, f32)' --grid 8
# EXPECT: x == arange(1024, f32) + 1
# RUN: single_bytes x='zeros(64, i8)' --grid 64
# EXPECT: x == arange(64, i8)
# RUN: overlapping_tiles x='zeros(1100, f32)' step=128 --grid 8
# EXPECT: x == where(arange(1100, i32) < 1024, arange(1100, i32) // 128, 0)
# RUN: overlapping_tiles x='zeros(1100, f32)' step=127 --grid 8
# FAULT: UnorderedGlobalAccess
# RUN: columns x='zeros((64, 64), i32)' --grid 8
# EXPECT: x == arange(64, i32) // 8
# RUN: counted_and_read y='zeros(1, i32)' z='zeros(8, i32)' --grid 8
# FAULT: UnorderedGlobalAccess
# RUN: reset_and_counted y='zeros(1, i32)' --grid 8
# FAULT: UnorderedGlobalAccess
# RUN: turns y='zeros(128, i32)' turn='zeros(1, i32)' SEM='"acq_rel"' --grid 12
# EXPECT: y == 66
# RUN: turns y='zeros(128, i32)' turn='zeros(1, i32)' SEM='"relaxed"' --grid 12
# FAULT: UnorderedGlobalAccess
# RUN: last_one_resets x='zeros(12, i32)' arrived='zeros(1, i32)' total='zeros(1, i32)' SEM='"acq_rel"' --grid 12
# EXPECT: total == 66 and arrived == 0
# RUN: last_one_resets x='zeros(12, i32)' arrived='zeros(1, i32)' total='zeros(1, i32)' SEM='"relaxed"' --grid 12
# FAULT: UnorderedGlobalAccess
# RUN: two_chains y='zeros(256, i32)' turn='zeros(2, i32)' --grid 12
# EXPECT: y == where(arange(256, i32) < 128, 30, 36)
# RUN: stored_twice y='zeros(64, i32)' divisor=2 --grid 1
# FAULT: StoreOverlap
# RUN: stored_twice y='zeros(64, i32)' divisor=2 --grid 1 --races warn
# EXPECT: sum(y) >= 0
# RUN: stored_alike y='zeros(64, i32)' --grid 2
# EXPECT: y[:32] == arange(32, i32)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

LAYOUT = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def count(y):
    gl.store(y, gl.load(y) + 1)


@gluon.jit
def same_value(y):
    gl.store(y + gl.arange(0, 128, layout=LAYOUT) % 4, gl.full([128], 5.0, gl.float32, LAYOUT))


@gluon.jit
def own_value(y):
    gl.store(y, gl.program_id(0))


@gluon.jit
def neighbours(x):
    """Reads what the next program writes."""
    i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=LAYOUT)
    gl.store(x + i, gl.load(x + i + 1, mask=i < 1023, other=0.0))


@gluon.jit
def in_place(x):
    i = gl.program_id(0) * 128 + gl.arange(0, 128, layout=LAYOUT)
    gl.store(x + i, gl.load(x + i) + 1)


@gluon.jit
def single_bytes(x):
    gl.store(x + gl.program_id(0), gl.program_id(0).to(gl.int8))


@gluon.jit
def overlapping_tiles(x, step):
    i = gl.program_id(0) * step + gl.arange(0, 128, layout=LAYOUT)
    gl.store(x + i, gl.full([128], gl.program_id(0), gl.int32, LAYOUT).to(gl.float32))


@gluon.jit
def columns(x):
    """Eight columns of a matrix, stored down each."""
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [8, 4], [4, 1], [1, 0])
    c = gl.program_id(0) * 8 + gl.arange(0, 8, layout=gl.SliceLayout(1, layout))[:, None]
    r = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    gl.store(x + r * 64 + c, gl.program_id(0) + r * 0 + c * 0)


@gluon.jit
def counted_and_read(y, z):
    """Who reads what others update must be atomic, too."""
    gl.atomic_add(y, 1, sem="relaxed")
    gl.store(z + gl.program_id(0), gl.load(y))


@gluon.jit
def reset_and_counted(y):
    if gl.program_id(0) == 0:
        gl.store(y, 0)
    gl.atomic_add(y, 1)


@gluon.jit
def last_one_resets(x, arrived, total, SEM: gl.constexpr):
    gl.store(x + gl.program_id(0), gl.program_id(0))
    if gl.atomic_add(arrived, 1, sem=SEM) == gl.num_programs(0) - 1:
        gl.store(arrived, 0)
        i = gl.arange(0, 128, layout=LAYOUT)
        gl.store(total, gl.sum(gl.load(x + i, i < 12, 0), 0))


@gluon.jit
def turns(y, turn, SEM: gl.constexpr):
    i = gl.arange(0, 128, layout=LAYOUT)
    while gl.atomic_add(turn, 0, sem=SEM) != gl.program_id(0):
        pass
    gl.store(y + i, gl.load(y + i) + gl.program_id(0))
    gl.atomic_add(turn, 1, sem=SEM)


@gluon.jit
def two_chains(y, turn):
    """Every second program belongs to one chain, the others to the other."""
    i = gl.arange(0, 128, layout=LAYOUT)
    chain = gl.program_id(0) % 2
    while gl.atomic_add(turn + chain, 0, sem="acquire") != gl.program_id(0) // 2:
        pass
    at = y + chain * 128 + i
    gl.store(at, gl.load(at) + gl.program_id(0))
    gl.atomic_add(turn + chain, 1, sem="release")


@gluon.jit
def stored_twice(y, divisor):
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y + i // divisor, i)


@gluon.jit
def stored_alike(y):
    """Four elements go to each place, all of one value; and so do two programs."""
    i = gl.arange(0, 128, layout=LAYOUT)
    gl.store(y + i % 32, i % 32)
