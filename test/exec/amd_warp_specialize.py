"""Partitions on gfx1250: warps that load and warps that compute, and each partition's own barriers."""

# RUN: pass_on x='randn((8, 128), f32)' out='empty(128, f32)' N=8 --grid 1 --target hip:gfx1250
# EXPECT: allclose(out, sum(x, axis=0), atol=1e-5)
# RUN: several x='randint(-100, 100, 1024, i32)' out='zeros(5, i32)' --grid 1 --target hip:gfx1250
# EXPECT: out == tensor([sum(x[0:128]), sum(x[128:192]), sum(x[256:384]), sum(x[384:512]), sum(x[512:544])])
# RUN: in_loop x='randint(-100, 100, 1024, i32)' out='zeros(4, i32)' n=4 --grid 1 --target hip:gfx1250
# EXPECT: out == sum(x.reshape((4, 256))[:, 0:64], axis=1) + sum(x.reshape((4, 256))[:, 128:256], axis=1)
# RUN: gives x='randint(-100, 100, 128, i32)' out='empty(128, i32)' --grid 2 --target hip:gfx1250
# EXPECT: out == x * 2 + 1
# RUN: together x='randn((64, 32), f32)' out='empty((3, 64, 32), f32)' --grid 3 --num-ctas 2 --target hip:gfx1250
# EXPECT: allclose(out, x + 3)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna5, gfx1250

FOUR = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def consume(x, out, smem, full, empty, N: gl.constexpr):
    total = gl.zeros([128], gl.float32, FOUR)
    for i in range(N):
        gfx1250.mbarrier.wait(full.index(i % 2), (i // 2) & 1)
        total += smem.index(i % 2).load(FOUR)
        gfx1250.mbarrier.arrive(empty.index(i % 2))
    gl.store(out + gl.arange(0, 128, layout=FOUR), total)


@gluon.jit
def produce(x, out, smem, full, empty, N: gl.constexpr):
    two: gl.constexpr = gl.BlockedLayout([2], [32], [2], [0])
    for i in range(N):
        if i >= 2:
            gfx1250.mbarrier.wait(empty.index(i % 2), (i // 2 + 1) & 1)
        smem.index(i % 2).store(gl.load(x + i * 128 + gl.arange(0, 128, layout=two)))
        gfx1250.mbarrier.arrive(full.index(i % 2))


@gluon.jit
def pass_on(x, out, N: gl.constexpr):
    """Rows through two buffers from a partition of two warps to the default one."""
    smem = gl.allocate_shared_memory(gl.float32, [2, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full = gl.allocate_shared_memory(gl.int64, [2, 1], gfx1250.mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [2, 1], gfx1250.mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        gfx1250.mbarrier.init(full.index(i), count=64)
        gfx1250.mbarrier.init(empty.index(i), count=128)
    gl.warp_specialize([(consume, (x, out, smem, full, empty, N)),
                        (produce, (x, out, smem, full, empty, N))], [2])


@gluon.jit
def add_up(x, out, begin: gl.constexpr, warps: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [warps], [0])
    v = gl.load(x + begin + gl.arange(0, 32 * warps, layout=layout))
    gl.atomic_add(out, gl.sum(v, 0))


@gluon.jit
def several(x, out):
    """Partitions of one, two and four warps, which reduce at the same time; twice."""
    gl.warp_specialize([(add_up, (x, out, 0, 4)), (add_up, (x, out + 1, 128, 2)),
                        (add_up, (x, out + 2, 256, 4))], [2, 4])
    gl.warp_specialize([(add_up, (x, out + 3, 384, 4)), (add_up, (x, out + 4, 512, 1))], [1])


@gluon.jit
def in_loop(x, out, n):
    for i in range(n):
        gl.warp_specialize([(add_up, (x + i * 256, out + i, 128, 4)),
                            (add_up, (x + i * 256, out + i, 0, 2))], [2])


@gluon.jit
def doubled(x, two):
    return x * two


@gluon.jit
def nothing(x, two):
    pass


@gluon.jit
def gives(x, out):
    """What the default partition returns."""
    i = gl.arange(0, 128, layout=FOUR)
    v = gl.load(x + i)
    v = gl.warp_specialize([(doubled, (v, 2)), (nothing, (x, 2))], [1])
    gl.store(out + i, v + 1)


@gluon.jit
def together(x, out):
    """Both workgroups of a cluster load all rows, by one access; each stores its half."""
    same: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[0, 0]])
    halves: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], [[1, 0]])
    r = gl.arange(0, 64, layout=gl.SliceLayout(1, same))
    c = gl.arange(0, 32, layout=gl.SliceLayout(0, same))
    v = gl.load(x + r[:, None] * 32 + c[None, :])
    cdna5.cluster.arrive()
    cdna5.cluster.wait()
    v = gl.convert_layout(v, halves)
    r = gl.arange(0, 64, layout=gl.SliceLayout(1, halves))
    c = gl.arange(0, 32, layout=gl.SliceLayout(0, halves))
    gl.store(out + gl.program_id(0) * 2048 + r[:, None] * 32 + c[None, :], v + gl.num_programs(0))
