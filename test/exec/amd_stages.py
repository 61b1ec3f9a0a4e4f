"""Loops in stages that two halves of the warps run in turns (gfx9, gfx1250)."""

# Each stage of a block uses a buffer that nobody else uses in the two stages around it.
# RUN: turns x='arange(8 * 1024, i32)' y='empty(1024, i32)' COUNT=8 SLOTS=3 LANES=64 --num-warps 8 --grid 1 --target hip:gfx950
# EXPECT: y == sum(x.reshape((8, 1024)), axis=0)
# RUN: turns x='arange(8 * 1024, i32)' y='empty(1024, i32)' COUNT=8 SLOTS=3 LANES=64 --num-warps 8 --grid 1 --target hip:gfx942
# EXPECT: y == sum(x.reshape((8, 1024)), axis=0)
# RUN: turns x='arange(8 * 512, i32)' y='empty(512, i32)' COUNT=8 SLOTS=3 LANES=32 --num-warps 8 --grid 1 --target hip:gfx1250
# EXPECT: y == sum(x.reshape((8, 512)), axis=0)
# RUN: turns x='arange(8 * 512, i32)' y='empty(512, i32)' COUNT=8 SLOTS=3 LANES=64 --num-warps 4 --grid 1 --target hip:gfx950
# EXPECT: y == sum(x.reshape((8, 512)), axis=0)
# With two buffers the half behind still writes what the other reads.
# RUN: turns x='arange(8 * 1024, i32)' y='empty(1024, i32)' COUNT=8 SLOTS=2 LANES=64 --num-warps 8 --grid 1 --target hip:gfx950
# FAULT: StageOverlap
# RUN: adjacent x='arange(8 * 1024, i32)' y='empty(1024, i32)' COUNT=8 LANES=64 --num-warps 8 --grid 1 --target hip:gfx950
# FAULT: StageOverlap
# RUN: copies x='arange(8 * 1024, i32)' y='empty(1024, i32)' COUNT=8 SLOTS=4 --num-warps 8 --grid 1 --target hip:gfx950
# EXPECT: y == sum(x.reshape((8, 1024)), axis=0)
# RUN: copies x='arange(8 * 1024, i32)' y='empty(1024, i32)' COUNT=8 SLOTS=2 --num-warps 8 --grid 1 --target hip:gfx950
# FAULT: StageOverlap
# What warps of one half alone exchange disturbs no one.
# RUN: apart x='arange(1024, i32)' y='empty(1024, i32)' COUNT=4 --num-warps 8 --grid 1 --target hip:gfx950
# EXPECT: y == 4 * x + 6
# RUN: meet x='arange(8 * 1024, i32)' y='empty(8, i32)' --num-warps 8 --grid 1 --target hip:gfx950
# EXPECT: y == sum(x.reshape((8, 1024)), axis=1)
# RUN: unrolled x='arange(7 * 1024, i32)' y='empty(7 * 1024, i32)' n=7 --num-warps 8 --grid 1 --target hip:gfx950
# EXPECT: y == x + 1
# RUN: unrolled x='arange(1024, i32)' y='zeros(1024, i32)' n=0 --num-warps 8 --grid 1 --target hip:gfx942
# EXPECT: all(y == 0)

import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna4


@gluon.jit
def turns(x, y, COUNT: gl.constexpr, SLOTS: gl.constexpr, LANES: gl.constexpr):
    """Sums up COUNT blocks, which go through LDS: one stage reads, the other writes SLOTS - 1 blocks ahead."""
    one: gl.constexpr = gl.BlockedLayout([1], [LANES], [gl.num_warps()], [0])
    two: gl.constexpr = gl.BlockedLayout([2], [LANES], [gl.num_warps()], [0])
    SIZE: gl.constexpr = 2 * LANES * gl.num_warps()
    ring = gl.allocate_shared_memory(gl.int32, [SLOTS, SIZE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, SIZE, layout=one)
    for k in gl.static_range(SLOTS - 1):
        ring.index(k).store(gl.load(x + k * SIZE + i))
    total = gl.zeros([SIZE], gl.int32, two)
    for k in range(COUNT):
        with gl.amd.warp_pipeline_stage("read", priority=1):
            part = ring.index(k % SLOTS).load(two)
        with gl.amd.warp_pipeline_stage("write"):
            ahead = k + SLOTS - 1
            ring.index(ahead % SLOTS).store(gl.load(x + ahead * SIZE + i, mask=i < (COUNT - ahead) * SIZE, other=0))
            total += part
    gl.store(y + gl.arange(0, SIZE, layout=two), total)


@gluon.jit
def adjacent(x, y, COUNT: gl.constexpr, LANES: gl.constexpr):
    """A buffer that the next stage overwrites."""
    one: gl.constexpr = gl.BlockedLayout([1], [LANES], [gl.num_warps()], [0])
    two: gl.constexpr = gl.BlockedLayout([2], [LANES], [gl.num_warps()], [0])
    SIZE: gl.constexpr = 2 * LANES * gl.num_warps()
    smem = gl.allocate_shared_memory(gl.int32, [SIZE], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, SIZE, layout=one)
    smem.store(gl.load(x + i))
    total = gl.zeros([SIZE], gl.int32, two)
    for k in range(COUNT):
        with gl.amd.warp_pipeline_stage("read"):
            part = smem.load(two)
        with gl.amd.warp_pipeline_stage("write"):
            smem.store(gl.load(x + k * SIZE + i))
        with gl.amd.warp_pipeline_stage("sum"):
            total += part
    gl.store(y + gl.arange(0, SIZE, layout=two), total)


@gluon.jit
def copies(x, y, COUNT: gl.constexpr, SLOTS: gl.constexpr):
    """The same by asynchronous copies, which a wait between the stages is for."""
    one: gl.constexpr = gl.BlockedLayout([1], [64], [8], [0])
    two: gl.constexpr = gl.BlockedLayout([2], [64], [8], [0])
    ring = gl.allocate_shared_memory(gl.int32, [SLOTS, 1024], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, 1024, layout=one)
    for k in gl.static_range(SLOTS - 1):
        cdna4.async_copy.buffer_load_to_shared(ring.index(k), x, k * 1024 + i)
        cdna4.async_copy.commit_group()
    cdna4.async_copy.wait_group(SLOTS - 3 if SLOTS > 2 else 0)
    total = gl.zeros([1024], gl.int32, two)
    for k in range(COUNT):
        with gl.amd.warp_pipeline_stage("read"):
            part = ring.index(k % SLOTS).load(two)
        with gl.amd.warp_pipeline_stage("copy"):
            ahead = k + SLOTS - 1
            cdna4.async_copy.buffer_load_to_shared(ring.index(ahead % SLOTS), x, ahead * 1024 + i,
                                                   mask=i < (COUNT - ahead) * 1024)
            cdna4.async_copy.commit_group()
            total += part
        cdna4.async_copy.wait_group(SLOTS - 3 if SLOTS > 2 else 0)
    cdna4.async_copy.wait_group(0)
    gl.store(y + gl.arange(0, 1024, layout=two), total)


@gluon.jit
def apart(x, y, COUNT: gl.constexpr):
    """Each half keeps to its part of the buffer."""
    line: gl.constexpr = gl.BlockedLayout([2], [64], [8], [0])
    smem = gl.allocate_shared_memory(gl.int32, [1024], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, 1024, layout=line)
    total = gl.zeros([1024], gl.int32, line)
    for k in range(COUNT):
        with gl.amd.warp_pipeline_stage("write"):
            smem.store(gl.load(x + i) + k)
        with gl.amd.warp_pipeline_stage("read"):
            total += smem.load(line)
    gl.store(y + i, total)


@gluon.jit
def meet(x, y):
    """All warps add up a block in a stage: none of the halves is behind."""
    line: gl.constexpr = gl.BlockedLayout([2], [64], [8], [0])
    i = gl.arange(0, 1024, layout=line)
    for k in range(8):
        with gl.amd.warp_pipeline_stage("load"):
            part = gl.load(x + k * 1024 + i)
        with gl.amd.warp_pipeline_stage("sum"):
            gl.store(y + k, gl.sum(part, 0))


@gluon.jit
def unrolled(x, y, n):
    line: gl.constexpr = gl.BlockedLayout([2], [64], [8], [0])
    i = gl.arange(0, 1024, layout=line)
    for k in tl.range(0, n, loop_unroll_factor=2):
        with gl.amd.warp_pipeline_stage("load", priority=1):
            part = gl.load(x + k * 1024 + i)
        with gl.amd.warp_pipeline_stage("store", priority=0):
            gl.store(y + k * 1024 + i, part + 1)
