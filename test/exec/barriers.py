"""Barriers in shared memory by every way to arrive, announce, wait and route: mbarrier, async_copy, fences."""

# Of the CTAs whose numbers differ in bits that `from_cta` lacks, the least signals all.
# RUN: routed y='zeros((2, 32), i32)' CTAS=2 FROM=0 --grid 1 --num-ctas 2
# EXPECT: y == 3
# RUN: routed y='zeros((4, 32), i32)' CTAS=4 FROM=1 --grid 1 --num-ctas 4
# EXPECT: y == 3
# RUN: routed y='zeros((4, 32), i32)' CTAS=4 FROM=3 --grid 2 --num-ctas 4
# EXPECT: y == 3
# RUN: routed y='zeros((8, 32), i32)' CTAS=8 FROM=5 --grid 1 --num-ctas 8 --num-warps 1
# EXPECT: y == 3
# RUN: routed y='zeros((16, 32), i32)' CTAS=16 FROM=0 --grid 1 --num-ctas 16 --num-warps 1
# EXPECT: y == 3
# Bytes are announced by one CTA for others, whose own copies bring them.
# RUN: announced x='arange(512, i32)' y='zeros(512, i32)' CGA='[[1]]' FROM=0 --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: announced x='arange(512, i32)' y='zeros(512, i32)' CGA='[[1], [2]]' FROM=2 --grid 1 --num-ctas 4
# EXPECT: y == x
# RUN: announced x='arange(512, i32)' y='zeros(512, i32)' CGA='[[1], [0]]' FROM=1 --grid 1 --num-ctas 4
# EXPECT: y == x
# One barrier for two CTAs, in a ring; the lower one waits, and lets the other go on by a barrier of its own.
# RUN: in_pairs y='zeros((4, 2), i32)' n=5 CTAS=4 --grid 1 --num-ctas 4
# EXPECT: y == 5
# RUN: in_pairs y='zeros((2, 2), i32)' n=1 CTAS=2 --grid 1 --num-ctas 2 --num-warps 8
# EXPECT: y == 1

# What is not to be done is skipped, whether that is known at compile time or not.
# RUN: if_asked x='arange(64, i32)' y='zeros(64, i32)' yes=True no=False --grid 1
# EXPECT: y == x
# RUN: if_asked x='arange(64, i32)' y='zeros(64, i32)' yes=True no=False --grid 1 --num-warps 1
# EXPECT: y == x
# Memory of a barrier is used again, by a barrier with another count and by values.
# RUN: begun_again x='arange(128, i32)' y='zeros(128, i32)' --grid 1
# EXPECT: y == 3 * x
# RUN: chosen x='randint(-9, 9, (8, 64), i32)' y='zeros((8, 64), i32)' order='tensor([3, 0, 2, 1], i32)' --grid 1
# EXPECT: (y[:4] == x[:4]) & (y[4:] == 0)

# Copies by threads arrive when they are done: counted beforehand, or as they come.
# RUN: arrives x='randn((3, 512), f32)' y='zeros((3, 512), f32)' n=3 COUNTED=True --grid 1
# EXPECT: y == x
# RUN: arrives x='randn((4, 512), f32)' y='zeros((4, 512), f32)' n=4 COUNTED=False --grid 1
# EXPECT: y == x
# RUN: arrives x='randn((2, 512), f32)' y='zeros((2, 512), f32)' n=2 COUNTED=True --grid 1 --num-warps 8
# EXPECT: y == x
# RUN: arrives_in_partition x='randn((5, 512), f32)' y='zeros((5, 512), f32)' n=5 WARPS=1 --grid 1
# EXPECT: y == x
# RUN: arrives_in_partition x='randn((5, 512), f32)' y='zeros((5, 512), f32)' n=5 WARPS=4 --grid 1 --num-warps 2
# EXPECT: y == x

# Stores from registers to all CTAs that hold something of the buffer, in every width.
# RUN: sent x='randint(-99, 99, (64, 64), i8)' y='zeros((64, 64), i8)' A='[[1, 0]]' S='[[0, 0]]' B='[[0, 1]]' --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: sent x='randn((64, 64), f16)' y='zeros((64, 64), f16)' A='[[1, 0]]' S='[[0, 1]]' B='[[0, 1]]' --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: sent x='randn((64, 64), f32)' y='zeros((64, 64), f32)' A='[[1, 0], [0, 1]]' S='[[0, 1], [0, 0]]' B='[[0, 0], [1, 0]]' \
#   --grid 1 --num-ctas 4
# EXPECT: y == x
# RUN: sent x='randn((64, 64), f64)' y='zeros((64, 64), f64)' A='[[0, 1]]' S='[[1, 0]]' B='[[1, 0]]' --grid 1 --num-ctas 2 \
#   --num-warps 8
# EXPECT: y == x
# RUN: sent x='randint(-99, 99, (64, 64), i64)' y='zeros((64, 64), i64)' A='[[1, 0], [0, 1]]' S='[[1, 0], [2, 0]]' \
#   B='[[1, 0], [2, 0]]' --grid 1 --num-ctas 4
# EXPECT: y == x

# The engine stores what threads of all CTAs wrote.
# RUN: fenced x='randn((64, 128), f32)' y='zeros((64, 128), f32)' --grid 1 --num-ctas 2
# EXPECT: y == x

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import ampere, hopper
from triton.experimental.gluon.language.nvidia.hopper import async_copy, cluster, mbarrier, tma


@gluon.jit
def line(N: gl.constexpr, CGA: gl.constexpr = []):
    return gl.arange(0, N, layout=gl.BlockedLayout([1], [32], [gl.num_warps()], [0], cga_layout=CGA))


@gluon.constexpr_function
def one_each(ctas):
    return [[2**i] for i in range(ctas.bit_length() - 1)]


@gluon.jit
def routed(y, CTAS: gl.constexpr, FROM: gl.constexpr):
    """Each phase takes an arrival that is routed and two of its own."""
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=3)
    rounds = 0
    for i in range(3):
        mbarrier.arrive(bar, from_cta=FROM)
        mbarrier.arrive(bar, count=2)
        mbarrier.arrive(bar, from_cta=FROM, pred=i < 0)
        mbarrier.wait(bar, i & 1)
        # Arrivals of the next round must not meet one that another CTA is still in.
        cluster.barrier(relaxed=True)
        rounds += 1
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], cga_layout=one_each(CTAS))
    gl.store(y + gl.arange(0, 32 * CTAS, layout=layout), rounds)


@gluon.jit
def announced(x, y, CGA: gl.constexpr, FROM: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(0, 32, 1, cga_layout=CGA)
    source = tma.make_tensor_descriptor(x, [512], [1], [512], layout)
    block = gl.allocate_shared_memory(gl.int32, [512], layout)
    bar = gl.allocate_shared_memory(gl.int64, [gl.num_ctas()], mbarrier.MBarrierLayout.multicta(gl.num_ctas()))
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, 3, pred=x is None, from_cta=FROM)
    mbarrier.expect(bar, block.nbytes_per_cta, from_cta=FROM)
    tma.async_load(source, [0], bar, block)
    mbarrier.wait(bar, 0, deps=(block, ))
    gl.store(y + line(512, CGA), block.load(gl.BlockedLayout([1], [32], [gl.num_warps()], [0], cga_layout=CGA)))


@gluon.jit
def in_pairs(y, n, CTAS: gl.constexpr):
    both = mbarrier.allocate_mbarrier(batch=2, two_ctas=True)
    own = mbarrier.allocate_mbarrier()
    for i in gl.static_range(2):
        mbarrier.init(both.index(i), count=1)
    mbarrier.init(own, count=1)
    rounds = 0
    for i in range(n):
        bar = both.index(i % 2)
        mbarrier.arrive(bar)
        mbarrier.wait(bar, i // 2 & 1)
        mbarrier.arrive(own, from_cta=CTAS - 2)
        mbarrier.wait(own, i & 1)
        rounds += 1
    copies: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], cga_layout=one_each(CTAS))
    gl.store(y + gl.arange(0, 2 * CTAS, layout=copies), rounds)


@gluon.jit
def if_asked(x, y, yes, no):
    layout: gl.constexpr = gl.NVMMASharedLayout(0, 32, 1)
    source = tma.make_tensor_descriptor(x, [64], [1], [64], layout)
    block = gl.allocate_shared_memory(gl.int32, [64], layout, gl.zeros([64], gl.int32, line(64).type.layout))
    bars = mbarrier.allocate_mbarrier(batch=2)
    mbarrier.init(bars.index(0), count=1)
    mbarrier.init(bars.index(1), count=1)
    hopper.fence_async_shared()
    mbarrier.expect(bars.index(0), 256, pred=yes)
    mbarrier.expect(bars.index(0), 256, pred=no)
    mbarrier.expect(bars.index(0), 256, False)
    tma.async_load(source, [0], bars.index(0), block, pred=no)
    tma.async_load(source, [0], bars.index(0), block, pred=yes)
    tma.async_load(source, [0], bars.index(0), block, False)
    # Nobody ever arrives at the second.
    mbarrier.wait(bars.index(1), 0, pred=no)
    mbarrier.wait(bars.index(1), 0, False)
    mbarrier.wait(bars.index(0), 0, pred=yes)
    ampere.mbarrier.arrive(bars.index(1), pred=no)
    ampere.mbarrier.arrive(bars.index(1), pred=yes)
    mbarrier.wait(bars.index(1), 0)
    gl.store(y + line(64), block.load(line(64).type.layout))


@gluon.jit
def begun_again(x, y):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.arrive(bar)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    mbarrier.init(bar, count=3)
    mbarrier.arrive(bar, count=3)
    mbarrier.wait(bar, 0)
    mbarrier.invalidate(bar)
    buffer = gl.allocate_shared_memory(gl.int32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]),
                                       gl.load(x + line(128)) * 3)
    gl.store(y + line(128), buffer.load(line(128).type.layout))


@gluon.jit
def chosen(x, y, order):
    """Buffers and their barriers are taken in an order that memory holds."""
    layout: gl.constexpr = gl.NVMMASharedLayout(0, 32, 1)
    blocks = gl.allocate_shared_memory(gl.int32, [4, 64], layout)
    bars = mbarrier.allocate_mbarrier(batch=4)
    for i in gl.static_range(4):
        mbarrier.init(bars.index(i), count=1)
    source = tma.make_tensor_descriptor(x, [512], [1], [64], layout)
    for i in range(4):
        slot = gl.load(order + i)
        mbarrier.expect(bars.index(slot), source.block_type.nbytes)
        tma.async_load(source, [slot * 64], bars.index(slot), blocks.index(slot))
    for i in range(4):
        slot = gl.load(order + 3 - i)
        mbarrier.wait(bars.index(slot), 0)
        gl.store(y + slot * 64 + line(64), blocks.index(slot).load(line(64).type.layout))


@gluon.jit
def copy_in(x, buffers, full, i, COUNTED: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0])
    async_copy.async_load(buffers.index(i % 2), x + i * 512 + gl.arange(0, 512, layout=layout))
    async_copy.mbarrier_arrive(full.index(i % 2), increment_count=not COUNTED)


@gluon.jit
def arrives(x, y, n, COUNTED: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.float32, [2, 512], gl.SwizzledSharedLayout(4, 1, 1, [0]))
    full = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=32 * gl.num_warps() if COUNTED else 1)
    for i in range(n):
        copy_in(x, buffers, full, i, COUNTED)
        if not COUNTED:
            # The threads' own arrivals are made up for; one is still to come.
            mbarrier.arrive(full.index(i % 2))
        mbarrier.wait(full.index(i % 2), i // 2 & 1)
        gl.store(y + i * 512 + line(512), buffers.index(i % 2).load(line(512).type.layout))


@gluon.jit
def copy_in_all(x, buffers, full, empty, n):
    for i in range(n):
        mbarrier.wait(empty.index(i % 2), (i // 2 & 1) ^ 1)
        copy_in(x, buffers, full, i, True)


@gluon.jit
def store_all(y, buffers, full, empty, n):
    for i in range(n):
        mbarrier.wait(full.index(i % 2), i // 2 & 1)
        values = buffers.index(i % 2).load(line(512).type.layout)
        mbarrier.arrive(empty.index(i % 2))
        gl.store(y + i * 512 + line(512), values)


@gluon.jit
def arrives_in_partition(x, y, n, WARPS: gl.constexpr):
    buffers = gl.allocate_shared_memory(gl.float32, [2, 512], gl.SwizzledSharedLayout(4, 1, 1, [0]))
    full = mbarrier.allocate_mbarrier(batch=2)
    empty = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=32 * WARPS)
        mbarrier.init(empty.index(i), count=1)
    gl.warp_specialize([(store_all, (y, buffers, full, empty, n)), (copy_in_all, (x, buffers, full, empty, n))],
                       [WARPS], [40])


@gluon.jit
def square(layout: gl.constexpr):
    return (gl.arange(0, 64, gl.SliceLayout(1, layout))[:, None] * 64 +
            gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :])


@gluon.jit
def sent(x, y, A: gl.constexpr, S: gl.constexpr, B: gl.constexpr):
    """From registers split as A says to a buffer split as S says, and back as B says."""
    a: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0], cga_layout=A)
    b: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0], cga_layout=B)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=S)
    buffer = gl.allocate_shared_memory(x.dtype.element_ty, [64, 64], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, buffer.nbytes_per_cta)
    hopper.async_store(buffer, gl.load(x + square(a)), bar)
    mbarrier.wait(bar, 0, deps=[buffer])
    cluster.barrier()
    gl.store(y + square(b), buffer.load(b))


@gluon.jit
def fenced(x, y):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 32, 2, cga_layout=[[0, 1]])
    across: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    at = (gl.arange(0, 64, gl.SliceLayout(1, across))[:, None] * 128 +
          gl.arange(0, 128, gl.SliceLayout(0, across))[None, :])
    target = tma.make_tensor_descriptor(y, [64, 128], [128, 1], [64, 128], layout)
    block = gl.allocate_shared_memory(gl.float32, [64, 128], layout)
    block.store(gl.load(x + at))
    hopper.fence_async_shared(cluster=True)
    cluster.barrier(relaxed=False)
    tma.async_store(target, [0, 0], block)
    tma.store_wait(0)
