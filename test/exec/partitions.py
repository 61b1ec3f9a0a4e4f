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

# Launches that overlap: one partition waits for the launch before, another lets the next begin.
# RUN: overlapping x='randint(-99, 99, 256, i32)' y='zeros(256, i32)' --grid 2
# EXPECT: y == 2 * x

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_wait)
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
