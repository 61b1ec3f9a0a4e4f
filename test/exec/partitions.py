"""Partitions of a program that feed each other: what they multiply, copy, call and wait for."""

# A product's left side comes out of registers, in partitions of four and of eight warps.
# RUN: relay a='randint(-4, 5, (128, 192), f16)' b='randint(-4, 5, (192, 64), f16)' c='empty((128, 64), f32)' K=192 \
#   KI=16 BUFFERS=2 --grid 1
# EXPECT: c == a @ b
# RUN: relay a='randint(-4, 5, (128, 256), f16)' b='randint(-4, 5, (256, 64), f16)' c='empty((128, 64), f32)' K=256 \
#   KI=16 BUFFERS=3 LOADERS=2 --grid 1
# EXPECT: c == a @ b
# RUN: relay a='randint(-4, 5, (192, 64), bf16)' b='randint(-4, 5, (64, 64), bf16)' c='empty((192, 64), f32)' K=64 \
#   KI=16 BUFFERS=1 WARPS=8 LOADERS=4 --grid 1
# EXPECT: c == a @ b
# RUN: relay a='randint(-4, 5, (192, 192), f16)' b='randint(-4, 5, (192, 64), f16)' c='empty((192, 64), f32)' K=192 \
#   KI=16 BUFFERS=3 WARPS=8 LOADERS=8 --grid 1
# EXPECT: c == a @ b
# RUN: relay a='randint(-4, 5, (192, 128), f16)' b='randint(-4, 5, (128, 64), f16)' c='empty((192, 64), f32)' K=128 \
#   KI=16 BUFFERS=4 --grid 1 --num-warps 8
# EXPECT: c == a @ b
# RUN: relay a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 64), f16)' c='empty((128, 64), f16)' K=128 \
#   KI=16 BUFFERS=2 --grid 1
# EXPECT: c == (a @ b).to(f16)

# As many rounds as the program asks for, through any number of buffers.
# RUN: rounds x='randint(-99, 99, (1, 128), i32)' y='zeros((1, 128), i32)' n=1 BUFFERS=3 --grid 1
# EXPECT: y == x + 1
# RUN: rounds x='randint(-99, 99, (9, 128), i32)' y='zeros((9, 128), i32)' n=9 BUFFERS=1 --grid 1
# EXPECT: y == x + 1
# RUN: rounds x='randint(-99, 99, (17, 128), i32)' y='zeros((17, 128), i32)' n=17 BUFFERS=2 --grid 1
# EXPECT: y == x + 1
# RUN: rounds x='randint(-99, 99, (16, 128), i32)' y='zeros((16, 128), i32)' n=16 BUFFERS=5 --grid 1
# EXPECT: y == x + 1
# RUN: rounds x='randint(-99, 99, (4, 128), i32)' y='zeros((4, 128), i32)' n=0 BUFFERS=2 --grid 1
# EXPECT: y == 0 * x
# A run of rounds with two buffers, then one with three, on the same barriers.
# RUN: changing x='randint(-99, 99, (23, 128), i32)' y='zeros((23, 128), i32)' first=8 all=23 --grid 1
# EXPECT: y == x + 1
# RUN: changing x='randint(-99, 99, (9, 128), i32)' y='zeros((9, 128), i32)' first=0 all=9 --grid 1
# EXPECT: y == x + 1

# Three partitions arrive at one barrier, one of them twice and one with a count of two.
# RUN: meet x='randint(-99, 99, 512, i32)' y='zeros(512, i32)' n=5 --grid 1
# EXPECT: y == 5 * x
# RUN: meet x='randint(-99, 99, 512, i32)' y='zeros(512, i32)' n=1 --grid 3 --num-warps 2
# EXPECT: y == x

# Descriptors travel: made before, by one partition for itself, and anew in each round.
# RUN: described a='rand((256, 64), f16)' b='zeros((256, 64), f16)' n=4 --grid 1
# EXPECT: b == a
# RUN: described a='rand((64, 64), f16)' b='zeros((64, 64), f16)' n=1 --grid 1 --num-warps 8
# EXPECT: b == a
# RUN: made_for_all a='rand((8, 8, 64), f16)' b='zeros((8, 8, 64), f16)' --grid 1
# EXPECT: b == a

# Functions that call others, some of them not inlined; what they call meets only with its own partition.
# RUN: calling x='randint(-99, 99, 256, i32)' y='zeros((3, 256), i32)' n=3 --grid 2
# EXPECT: (y[0] == 3 * sum(x) + 0 * x) & (y[1] == 6 * x) & (y[2] == sum(x) + 0 * x)

# A partition whose threads are numbered from 128 on, where 128 is also what the CTA adds to a place.
# RUN: copied_by_the_second x='randint(-99, 99, 256, i32)' y='zeros(256, i32)' --grid 1 --num-ctas 4
# EXPECT: y == x

# In each CTA of a cluster one partition multiplies what another loads; B is sent to both CTAs at once.
# RUN: cluster_feeds a='randint(-4, 5, (256, 256), f16)' b='randint(-4, 5, (256, 64), f16)' c='empty((256, 64), f32)' \
#   K=256 BUFFERS=2 --grid 1 --num-ctas 2
# EXPECT: c == a @ b
# RUN: cluster_feeds a='randint(-4, 5, (512, 320), f16)' b='randint(-4, 5, (320, 64), f16)' c='empty((512, 64), f32)' \
#   K=320 BUFFERS=3 --grid 2 --num-ctas 2 --num-warps 8
# EXPECT: c == a @ b

# Views: of the destination of copies, and of what is multiplied; functions that stay functions copy, too.
# RUN: into_slices a='rand((128, 128), f16)' b='zeros((128, 128), f16)' --grid 1
# EXPECT: b == a
# RUN: apart a='rand((2, 64, 64), f16)' b='zeros((2, 64, 64), f16)' --grid 1
# EXPECT: b == a
# RUN: two_at_once a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((2, 64, 64), f32)' --grid 1
# EXPECT: (c[0] == a @ b) & (c[1] == 2 * (a @ b.T))
# The default partition's results; five workers beside it.
# RUN: giving_back x='randint(-9, 9, 128, i32)' y='zeros((3, 128), i32)' --grid 1
# EXPECT: (y[0] == 2 * x) & (y[1] == 7) & (y[2] == x + 2)
# RUN: many x='randint(-9, 9, 128, i32)' y='zeros((6, 128), i32)' --grid 1
# EXPECT: (y[0] == x) & (y[1] == x + 1) & (y[2] == x + 2) & (y[3] == x + 3) & (y[4] == x + 4) & (y[5] == x + 5)

# Launches that overlap: one partition waits for the launch before, another lets the next begin.
# RUN: overlapping x='randint(-99, 99, 256, i32)' y='zeros(256, i32)' --grid 2
# EXPECT: y == 2 * x

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_init, warpgroup_mma_wait)
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@gluon.jit
def line(N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    return gl.arange(0, N, layout=layout)


@gluon.aggregate
class Ring:
    """Buffers that go round; `empty` and `full` have a barrier for each."""
    buffers: gl.shared_memory_descriptor
    full: gl.shared_memory_descriptor
    empty: gl.shared_memory_descriptor

    @gluon.jit
    def make(element: gl.constexpr, shape: gl.constexpr, layout: gl.constexpr, count: gl.constexpr,
             readers: gl.constexpr):
        buffers = gl.allocate_shared_memory(element, shape, layout)
        full = mbarrier.allocate_mbarrier(batch=count)
        empty = mbarrier.allocate_mbarrier(batch=count)
        for i in gl.static_range(count):
            mbarrier.init(full.index(i), count=1)
            mbarrier.init(empty.index(i), count=readers)
        return Ring(buffers, full, empty)

    @gluon.jit
    def to_write(self, round, COUNT: gl.constexpr):
        mbarrier.wait(self.empty.index(round % COUNT), (round // COUNT & 1) ^ 1)
        return self.buffers.index(round % COUNT), self.full.index(round % COUNT)

    @gluon.jit
    def to_read(self, round, COUNT: gl.constexpr):
        mbarrier.wait(self.full.index(round % COUNT), round // COUNT & 1)
        return self.buffers.index(round % COUNT), self.empty.index(round % COUNT)


@gluon.jit
def load_columns(b, ring, K: gl.constexpr, BUFFERS: gl.constexpr):
    for k in range(0, K, 64):
        block, full = ring.to_write(k // 64, BUFFERS)
        mbarrier.expect(full, b.block_type.nbytes)
        tma.async_load(b, [k, 0], full, block)


@gluon.jit
def multiply(a, c, ring, row, M: gl.constexpr, K: gl.constexpr, KI: gl.constexpr, BUFFERS: gl.constexpr):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, 64, KI])
    left: gl.constexpr = gl.DotOperandLayout(0, sums, KI // 8)
    rows = row + gl.arange(0, M, layout=gl.SliceLayout(1, left))[:, None]
    inner = gl.arange(0, 64, layout=gl.SliceLayout(0, left))[None, :]
    z = gl.zeros([M, 64], c.dtype.element_ty, layout=sums)
    for k in range(0, K, 64):
        x = gl.load(a + rows * K + k + inner)
        block, empty = ring.to_read(k // 64, BUFFERS)
        z = warpgroup_mma(x, block, z, is_async=True)
        z = warpgroup_mma_wait(0, deps=[z])
        mbarrier.arrive(empty)
    rows = row + gl.arange(0, M, layout=gl.SliceLayout(1, sums))[:, None]
    gl.store(c + rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, sums))[None, :], z)


@gluon.jit
def relay(a, b, c, K: gl.constexpr, KI: gl.constexpr, BUFFERS: gl.constexpr, WARPS: gl.constexpr = 4,
          LOADERS: gl.constexpr = 1):
    """The default partition multiplies the first rows, a worker the next 64 or 128; loaders bring B."""
    element: gl.constexpr = b.dtype.element_ty
    layout: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 64], element)
    columns = tma.make_tensor_descriptor(b, [K, 64], [64, 1], [64, 64], layout)
    ring = Ring.make(element, [BUFFERS, 64, 64], layout, BUFFERS, 2)
    first: gl.constexpr = 16 * gl.num_warps()
    gl.warp_specialize([
        (multiply, (a, c, ring, 0, first, K, KI, BUFFERS)),
        (multiply, (a, c, ring, first, 16 * WARPS, K, KI, BUFFERS)),
        (load_columns, (columns, ring, K, BUFFERS)),
    ], [WARPS, LOADERS], [120, 24])


@gluon.jit
def put(x, ring, begin, end, skip, COUNT: gl.constexpr):
    for i in range(begin, end):
        buffer, full = ring.to_write(i + skip, COUNT)
        buffer.store(gl.load(x + i * 128 + line(128)))
        mbarrier.arrive(full)


@gluon.jit
def take(y, ring, begin, end, skip, COUNT: gl.constexpr):
    for i in range(begin, end):
        buffer, empty = ring.to_read(i + skip, COUNT)
        values = buffer.load(gl.BlockedLayout([1], [32], [gl.num_warps()], [0]))
        mbarrier.arrive(empty)
        gl.store(y + i * 128 + line(128), values + 1)


@gluon.jit
def rounds(x, y, n, BUFFERS: gl.constexpr):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = Ring.make(gl.int32, [BUFFERS, 128], flat, BUFFERS, 1)
    gl.warp_specialize([(take, (y, ring, 0, n, 0, BUFFERS)), (put, (x, ring, 0, n, 0, BUFFERS))], [2], [24])


@gluon.jit
def put_in_turns(x, ring, first, all):
    put(x, ring, 0, first, 0, 2)
    # The first two barriers stand where they began, and the third has not been used.
    put(x, ring, first, all, -first, 3)


@gluon.jit
def take_in_turns(y, ring, first, all):
    take(y, ring, 0, first, 0, 2)
    take(y, ring, first, all, -first, 3)


@gluon.jit
def changing(x, y, first, all):
    """`first` is a multiple of four: both barriers have gone through as many phases of either kind."""
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = Ring.make(gl.int32, [3, 128], flat, 3, 1)
    gl.warp_specialize([(take_in_turns, (y, ring, first, all)), (put_in_turns, (x, ring, first, all))], [1], [24])


@gluon.jit
def bring(x, part, written, read, n, PART: gl.constexpr):
    for i in range(n):
        mbarrier.wait(read, (i & 1) ^ 1)
        part.store(gl.load(x + PART * 128 + line(128)))
        if PART == 2:
            mbarrier.arrive(written, count=2)
        else:
            mbarrier.arrive(written)
            if PART == 1:
                mbarrier.arrive(written, count=1, pred=i >= 0)
                mbarrier.arrive(written, pred=i < 0)


@gluon.jit
def add(x, y, buffer, written, read, n):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    total = gl.zeros([512], gl.int32, layout)
    for i in range(n):
        buffer.slice(0, 128).store(gl.load(x + line(128)))
        mbarrier.wait(written, i & 1)
        total += buffer.load(layout)
        mbarrier.arrive(read)
    gl.store(y + line(512), total)


@gluon.jit
def meet(x, y, n):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(gl.int32, [512], flat)
    written = mbarrier.allocate_mbarrier()
    read = mbarrier.allocate_mbarrier()
    mbarrier.init(written, count=5)
    mbarrier.init(read, count=1)
    gl.warp_specialize([
        (add, (x, y, buffer, written, read, n)),
        (bring, (x, buffer.slice(128, 128), written, read, n, 1)),
        (bring, (x, buffer.slice(256, 128), written, read, n, 2)),
        (bring, (x, buffer.slice(384, 128), written, read, n, 3)),
    ], [1, 2, 4], [24, 24, 24])


@gluon.jit
def read_described(source, ring, n):
    for i in range(n):
        block, full = ring.to_write(i, 2)
        mbarrier.expect(full, source.block_type.nbytes)
        tma.async_load(source, [64 * i, 0], full, block)


@gluon.jit
def write_described(b, ring, n):
    for i in range(n):
        block, empty = ring.to_read(i, 2)
        target = tma.make_tensor_descriptor(b + i * 4096, [64, 64], [64, 1], [64, 64], block.layout)
        tma.async_store(target, [0, 0], block)
        tma.store_wait(pendings=0)
        mbarrier.arrive(empty)


@gluon.jit
def nothing():
    pass


@gluon.jit
def copy_places(x, y):
    at = gl.arange(0, 256, layout=gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[0], [1]]))
    gl.store(y + at, gl.load(x + at))


@gluon.jit
def copied_by_the_second(x, y):
    gl.warp_specialize([(nothing, ()), (copy_places, (x, y))], [4])


@gluon.jit
def described(a, b, n):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    source = tma.make_tensor_descriptor(a, [64 * n, 64], [64, 1], [64, 64], layout)
    ring = Ring.make(gl.float16, [2, 64, 64], layout, 2, 1)
    gl.warp_specialize([
        (nothing, ()),
        (read_described, (source, ring, n)),
        (write_described, (b, ring, n)),
    ], [1, 2], [24, 24])


@gluon.jit
def move_half(source, target, block, ready, half: gl.constexpr):
    mbarrier.expect(ready, source.block_type.nbytes)
    tma.async_load(source, [4 * half, 0, 0], ready, block)
    mbarrier.wait(ready, 0)
    tma.async_store(target, [4 * half, 0, 0], block)
    tma.store_wait(pendings=0)


@gluon.jit
def made_for_all(a, b):
    """Two partitions use the same two descriptors at once."""
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 3)
    source = tma.make_tensor_descriptor(a, [8, 8, 64], [512, 64, 1], [4, 8, 64], layout)
    target = tma.make_tensor_descriptor(b, [8, 8, 64], [512, 64, 1], [4, 8, 64], layout)
    blocks = gl.allocate_shared_memory(gl.float16, [2, 4, 8, 64], layout)
    ready = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(ready.index(i), count=1)
    gl.warp_specialize([
        (move_half, (source, target, blocks.index(0), ready.index(0), 0)),
        (move_half, (source, target, blocks.index(1), ready.index(1), 1)),
    ], [1], [24])


@gluon.jit
def total_of(x, N: gl.constexpr):
    """A sum over warps: the partition's threads exchange partial sums."""
    return gl.sum(gl.load(x + line(N)), 0)


@gluon.jit(noinline=True)
def total_apart(x, N: gl.constexpr, layout: gl.constexpr):
    return gl.sum(gl.load(x + gl.arange(0, N, layout=layout)), 0)


@gluon.jit(noinline=True)
def total_times(x, n, N: gl.constexpr, layout: gl.constexpr):
    return total_apart(x, N, layout) * n


@gluon.jit
def by_loops(x, y, n):
    total = 0
    for _ in range(n):
        total += total_of(x, 256)
    gl.store(y + line(256), gl.full([256], total, gl.int32, gl.BlockedLayout([1], [32], [gl.num_warps()], [0])))


@gluon.jit
def by_steps(x, y, n):
    values = gl.load(x + line(256))
    for i in range(n):
        if i % 2 == 1:
            values = values * 3
        else:
            if i == 2:
                values = values * 2
    gl.store(y + 256 + line(256), values)


@gluon.jit
def by_calls(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    total = total_times(x, 2, 256, layout) - total_apart(x, 256, layout)
    gl.store(y + 512 + line(256), gl.full([256], total, gl.int32, layout))


@gluon.jit
def calling(x, y, n):
    gl.warp_specialize([(by_loops, (x, y, n)), (by_steps, (x, y, n)), (by_calls, (x, y))], [1, 8], [32, 40])


@gluon.jit
def wait_and_load(x, buffer, full):
    gdc_wait()
    buffer.store(gl.load(x + gl.program_id(0) * 128 + line(128)))
    mbarrier.arrive(full)


@gluon.jit
def release_and_store(y, buffer, full):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    mbarrier.wait(full, 0)
    values = buffer.load(layout)
    gdc_launch_dependents()
    gl.store(y + gl.program_id(0) * 128 + line(128), values * 2)


@gluon.jit
def overlapping(x, y):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffer = gl.allocate_shared_memory(gl.int32, [128], flat)
    full = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    gl.warp_specialize([(release_and_store, (y, buffer, full)), (wait_and_load, (x, buffer, full))], [2], [24])


@gluon.jit
def load_for_cluster(a, b, xs, ys, full, own, both, row, K: gl.constexpr, BUFFERS: gl.constexpr):
    for k in range(0, K, 64):
        slot, phase = k // 64 % BUFFERS, (k // 64 // BUFFERS & 1) ^ 1
        mbarrier.wait(own.index(slot), phase)
        # Who sends to both CTAs waits for both.
        mbarrier.wait(both.index(slot), phase)
        mbarrier.expect(full.index(slot), a.nbytes_per_cta + b.nbytes_per_cta)
        tma.async_load(a, [row, k], full.index(slot), xs.index(slot))
        tma.async_load(b, [k, 0], full.index(slot), ys.index(slot), multicast=True)


@gluon.jit
def multiply_in_cluster(c, xs, ys, full, own, both, row, K: gl.constexpr, BUFFERS: gl.constexpr):
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, 64, 16], cga_layout=[[1, 0]])
    z = gl.zeros([256, 64], gl.float32, sums)
    for k in range(0, K, 64):
        slot = k // 64 % BUFFERS
        mbarrier.wait(full.index(slot), k // 64 // BUFFERS & 1)
        z = warpgroup_mma(xs.index(slot), ys.index(slot), z, is_async=True)
        z = warpgroup_mma_wait(0, deps=[z])
        mbarrier.arrive(own.index(slot))
        mbarrier.arrive(both.index(slot))
    gl.store(c + places(256, 64, row, 64, sums), z)


@gluon.jit
def cluster_feeds(a, b, c, K: gl.constexpr, BUFFERS: gl.constexpr):
    of_a: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2, cga_layout=[[1, 0]])
    of_b: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2, cga_layout=[[0, 0]])
    rows = tma.make_tensor_descriptor(a, [256 * gl.num_programs(0), K], [K, 1], [256, 64], of_a)
    columns = tma.make_tensor_descriptor(b, [K, 64], [64, 1], [64, 64], of_b)
    xs = gl.allocate_shared_memory(gl.float16, [BUFFERS, 256, 64], of_a)
    ys = gl.allocate_shared_memory(gl.float16, [BUFFERS, 64, 64], of_b)
    full = mbarrier.allocate_mbarrier(batch=BUFFERS)
    own = mbarrier.allocate_mbarrier(batch=BUFFERS)
    both = mbarrier.allocate_mbarrier(batch=BUFFERS, two_ctas=True)
    for i in gl.static_range(BUFFERS):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(own.index(i), count=1)
        mbarrier.init(both.index(i), count=1)
    row = 256 * gl.program_id(0)
    gl.warp_specialize([
        (multiply_in_cluster, (c, xs, ys, full, own, both, row, K, BUFFERS)),
        (load_for_cluster, (rows, columns, xs, ys, full, own, both, row, K, BUFFERS)),
    ], [1], [24])


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, row, stride, layout: gl.constexpr):
    r = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    return (row + r[:, None]) * stride + gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def fill_slices(source, blocks, full):
    for i in range(2):
        for j in gl.static_range(2):
            tma.async_load(source, [64 * j, 64 * i], full, blocks.index(i).slice(64 * j, 64, dim=0))


@gluon.jit
def store_whole(target, blocks, full, bytes: gl.constexpr):
    mbarrier.expect(full, bytes)
    mbarrier.wait(full, 0)
    for i in range(2):
        tma.async_store(target, [0, 64 * i], blocks.index(i))
    tma.store_wait(0)


@gluon.jit
def into_slices(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    source = tma.make_tensor_descriptor(a, [128, 128], [128, 1], [64, 64], layout)
    target = tma.make_tensor_descriptor(b, [128, 128], [128, 1], [128, 64], layout)
    blocks = gl.allocate_shared_memory(gl.float16, [2, 128, 64], layout)
    full = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    gl.warp_specialize([(store_whole, (target, blocks, full, 4 * source.nbytes_per_cta)),
                        (fill_slices, (source, blocks, full))], [2], [24])


@gluon.jit(noinline=True)
def fetch(source, full, block, i):
    mbarrier.expect(full, source.nbytes_per_cta)
    tma.async_load(source, [i, 0, 0], full, block)


@gluon.jit(noinline=True)
def keep(target, full, block, i):
    mbarrier.wait(full, 0)
    tma.async_store(target, [i, 0, 0], block)
    tma.store_wait(0)


@gluon.jit
def fetch_all(source, full, blocks):
    for i in range(2):
        fetch(source, full.index(i), blocks.index(i), i)


@gluon.jit
def keep_all(target, full, blocks):
    for i in range(2):
        keep(target, full.index(i), blocks.index(i), i)


@gluon.jit
def apart(a, b):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 3)
    source = tma.make_tensor_descriptor(a, [2, 64, 64], [4096, 64, 1], [1, 64, 64], layout)
    target = tma.make_tensor_descriptor(b, [2, 64, 64], [4096, 64, 1], [1, 64, 64], layout)
    blocks = gl.allocate_shared_memory(gl.float16, [2, 1, 64, 64], layout)
    full = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
    gl.warp_specialize([(keep_all, (target, full, blocks)), (fetch_all, (source, full, blocks))], [1], [24])


@gluon.jit
def two_at_once(a, b, c):
    """Products of slices in flight together, one from registers; the first is used before the second is done."""
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    x = gl.allocate_shared_memory(gl.float16, [64, 64], layout, gl.load(a + places(64, 64, 0, 64, rows)))
    y = gl.allocate_shared_memory(gl.float16, [64, 64], layout, gl.load(b + places(64, 64, 0, 64, rows)))
    fence_async_shared()
    left = x.load(gl.DotOperandLayout(0, sums, 2))
    first = warpgroup_mma_init(gl.zeros([64, 64], gl.float32, sums))
    second = warpgroup_mma_init(gl.zeros([64, 64], gl.float32, sums))
    for k in gl.static_range(0, 64, 32):
        first = warpgroup_mma(x.slice(k, 32, dim=1), y.slice(k, 32, dim=0), first, is_async=True)
    second = warpgroup_mma(left + left, y.permute((1, 0)), second, is_async=True)
    first = warpgroup_mma_wait(1, deps=[first])
    gl.store(c + places(64, 64, 0, 64, sums), first)
    second, _, _ = warpgroup_mma_wait(0, deps=[second, x, y])
    gl.store(c + places(64, 64, 64, 64, sums), second)


@gluon.jit
def give(x):
    values = gl.load(x + line(128))
    return values * 2, gl.full([128], 7, gl.int32, values.type.layout)


@gluon.jit
def add_number(x, y, number: gl.constexpr):
    gl.store(y + number * 128 + line(128), gl.load(x + line(128)) + number)


@gluon.jit
def giving_back(x, y):
    first, second = gl.warp_specialize([(give, (x, )), (add_number, (x, y, 2))], [2])
    gl.store(y + line(128), first)
    gl.store(y + 128 + line(128), second)


@gluon.jit
def many(x, y):
    gl.warp_specialize([(add_number, (x, y, 0)), (add_number, (x, y, 1)), (add_number, (x, y, 2)),
                        (add_number, (x, y, 3)), (add_number, (x, y, 4)), (add_number, (x, y, 5))],
                       [1, 2, 4, 1, 4], [24, 32, 40, 24, 48])
