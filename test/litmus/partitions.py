"""Partitions that hand buffers to each other, and warpgroup_mma. What `broken` names is left out."""

from common import COLS, ROWS, pause, tile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_init, warpgroup_mma_wait)


@gluon.jit
def writer(src, smem, full, empty, first, tiles, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [gl.num_warps(), 1], [1, 0])
    for i in range(tiles):
        if broken != "empty":
            pause(broken)
            mbarrier.wait(empty, (i & 1) ^ 1)
        if broken == "early":
            pause(broken)
            mbarrier.arrive(full, count=1)
        pause(broken)
        smem.store(gl.load(src + tile(first + i * ROWS, layout)))
        if broken != "early":
            pause(broken)
            mbarrier.arrive(full, count=1)


@gluon.jit
def reader(dst, smem, full, empty, first, tiles, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [gl.num_warps(), 1], [1, 0])
    for i in range(tiles):
        if broken != "full":
            pause(broken)
            mbarrier.wait(full, i & 1)
        if broken == "release":
            pause(broken)
            mbarrier.arrive(empty, count=1)
        values = smem.load(layout)
        if broken != "release":
            pause(broken)
            mbarrier.arrive(empty, count=1)
        pause(broken)
        gl.store(dst + tile(first + i * ROWS, layout), values)


@gluon.jit
def hand_over(src, dst, tiles, broken: gl.constexpr):
    """One partition writes a buffer, another reads it, again and again."""
    first = gl.program_id(0) * tiles * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    gl.warp_specialize([
        (reader, (dst, smem, bars.index(0), bars.index(1), first, tiles, broken)),
        (writer, (src, smem, bars.index(0), bars.index(1), first, tiles, broken)),
    ], [4], [64])


@gluon.jit
def fenced_writer(src, smem, full, first, broken: gl.constexpr, where: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [gl.num_warps(), 1], [1, 0])
    pause(broken)
    smem.store(gl.load(src + tile(first, layout)))
    if where == "writer" and broken != "fence" and broken != "late":
        pause(broken)
        fence_async_shared()
    pause(broken)
    mbarrier.arrive(full, count=1)
    if broken == "late":
        pause(broken)
        fence_async_shared()


@gluon.jit
def storer(dst, smem, full, first, broken: gl.constexpr, where: gl.constexpr):
    if broken != "wait":
        pause(broken)
        mbarrier.wait(full, 0)
    if where == "storer" and broken != "fence":
        pause(broken)
        fence_async_shared()
    pause(broken)
    tma.async_copy_shared_to_global(dst, [first, 0], smem)
    tma.store_wait(0)


@gluon.jit
def fence(src, dst, broken: gl.constexpr, where: gl.constexpr):
    """One partition writes a buffer, another lets TMA store it: no pass sees both."""
    first = gl.program_id(0) * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], dst.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    gl.warp_specialize([
        (storer, (dst, smem, bar, first, broken, where)),
        (fenced_writer, (src, smem, bar, first, broken, where)),
    ], [4], [64])


@gluon.jit
def refiller(src, smem, full, empty, first, tiles, broken: gl.constexpr, where: gl.constexpr):
    for i in range(tiles):
        if broken != "empty":
            pause(broken)
            mbarrier.wait(empty, (i & 1) ^ 1)
        if where == "refiller" and broken != "fence":
            fence_async_shared()
        mbarrier.expect(full, src.block_type.nbytes)
        tma.async_copy_global_to_shared(src, [first + i * ROWS, 0], full, smem)


@gluon.jit
def slow_reader(dst, smem, full, empty, first, tiles, broken: gl.constexpr, where: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [32, 1], [1, gl.num_warps()], [0, 1])
    for i in range(tiles):
        mbarrier.wait(full, i & 1)
        if where == "reader" and broken == "early":
            fence_async_shared()
        # All lanes of a warp ask the same bank: such loads are still under way when the barrier is arrived at.
        values = smem.load(layout)
        if where == "reader" and broken != "fence" and broken != "early":
            fence_async_shared()
        mbarrier.arrive(empty, count=1)
        pause(broken)
        gl.store(dst + tile(first + i * ROWS, layout), values)


@gluon.jit
def refill(src, dst, tiles, broken: gl.constexpr, where: gl.constexpr):
    """One partition reads a buffer, another lets TMA fill it again: no pass sees both."""
    first = gl.program_id(0) * tiles * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], src.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    gl.warp_specialize([
        (slow_reader, (dst, smem, bars.index(0), bars.index(1), first, tiles, broken, where)),
        (refiller, (src, smem, bars.index(0), bars.index(1), first, tiles, broken, where)),
    ], [1], [64])


@gluon.jit
def loader(a, b, a_bufs, b_bufs, full, empty, row, steps, broken: gl.constexpr):
    for k in range(steps):
        slot = k % 2
        if broken != "empty":
            pause(broken)
            mbarrier.wait(empty.index(slot), ((k // 2) & 1) ^ 1)
        mbarrier.expect(full.index(slot), a.block_type.nbytes + b.block_type.nbytes)
        pause(broken)
        tma.async_copy_global_to_shared(a, [row, k * 64], full.index(slot), a_bufs.index(slot))
        tma.async_copy_global_to_shared(b, [k * 64, 0], full.index(slot), b_bufs.index(slot))


@gluon.jit
def multiplier(c, a_bufs, b_bufs, full, empty, row, steps, M: gl.constexpr, broken: gl.constexpr):
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, 64, 16])
    acc = gl.zeros([M, 64], gl.float32, layout)
    for k in range(steps):
        slot = k % 2
        if broken != "full":
            pause(broken)
            mbarrier.wait(full.index(slot), (k // 2) & 1)
        pause(broken)
        acc = warpgroup_mma(a_bufs.index(slot), b_bufs.index(slot), acc, is_async=True)
        if broken == "release":
            pause(broken)
            mbarrier.arrive(empty.index(slot), count=1)
        pause(broken)
        acc = warpgroup_mma_wait(0, deps=[acc])
        if broken != "release" and broken != "arrive":
            pause(broken)
            mbarrier.arrive(empty.index(slot), count=1)
    r = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    n = gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]
    gl.store(c + (row + r) * 64 + n, acc)


@gluon.jit
def pipeline(a, b, c, steps, M: gl.constexpr, broken: gl.constexpr):
    """TMA feeds warpgroup_mma through two buffers; the consumer has the kernel's warps."""
    row = gl.program_id(0) * M
    a_bufs = gl.allocate_shared_memory(gl.float16, [2, M, 64], a.layout)
    b_bufs = gl.allocate_shared_memory(gl.float16, [2, 64, 64], b.layout)
    full = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    gl.warp_specialize([
        (multiplier, (c, a_bufs, b_bufs, full, empty, row, steps, M, broken)),
        (loader, (a, b, a_bufs, b_bufs, full, empty, row, steps, broken)),
    ], [1], [24])


@gluon.jit
def product(a, b, c, M: gl.constexpr, broken: gl.constexpr):
    """One warpgroup_mma of operands that threads wrote, whose buffer is written again behind it."""
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, 64, 16])
    row = gl.program_id(0) * M
    k = gl.arange(0, 64, gl.SliceLayout(0, rows))[None, :]
    left = gl.load(a + (row + gl.arange(0, M, gl.SliceLayout(1, rows))[:, None]) * 64 + k)
    right = gl.load(b + gl.arange(0, 64, gl.SliceLayout(1, rows))[:, None] * 64 + k)
    a_smem = gl.allocate_shared_memory(gl.float16, [M, 64], gl.NVMMASharedLayout(128, 16, rank=2), left)
    b_smem = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2), right)
    pause(broken)
    fence_async_shared()
    acc = warpgroup_mma_init(gl.zeros([M, 64], gl.float32, layout))
    pause(broken)
    acc = warpgroup_mma(a_smem, b_smem, acc, is_async=True)
    if broken == "overwrite":
        pause(broken)
        a_smem.store(left)
    pause(broken)
    acc = warpgroup_mma_wait(1 if broken == "wait" else 0, deps=[acc])
    a_smem.store(left * 2)
    r = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    n = gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]
    gl.store(c + (row + r) * 64 + n, acc)


@gluon.jit
def product_of_registers(a, b, c, M: gl.constexpr, broken: gl.constexpr):
    """The left side stays in registers, which the wait gives back; the buffer is written again behind it."""
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, 64, 16])
    side: gl.constexpr = gl.DotOperandLayout(0, layout, 2)
    row = gl.program_id(0) * M
    left = gl.load(a + (row + gl.arange(0, M, gl.SliceLayout(1, side))[:, None]) * 64 +
                   gl.arange(0, 64, gl.SliceLayout(0, side))[None, :])
    right = gl.load(b + gl.arange(0, 64, gl.SliceLayout(1, rows))[:, None] * 64 +
                    gl.arange(0, 64, gl.SliceLayout(0, rows))[None, :])
    b_smem = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2), right)
    pause(broken)
    fence_async_shared()
    acc = warpgroup_mma(left, b_smem, gl.zeros([M, 64], gl.float32, layout), is_async=True)
    if broken == "overwrite":
        pause(broken)
        b_smem.store(right)
    pause(broken)
    acc = warpgroup_mma_wait(1 if broken == "wait" else 0, deps=[acc])
    b_smem.store(right * 2)
    r = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    n = gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]
    gl.store(c + (row + r) * 64 + n, acc)


@gluon.jit
def third(a, b_smem, c, full, empty, row, M: gl.constexpr, broken: gl.constexpr):
    """A partition's rows of a product; the buffer of B is given back when it has been read."""
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, 64, 16])
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    k = gl.arange(0, 64, gl.SliceLayout(0, rows))[None, :]
    left = gl.load(a + (row + gl.arange(0, M, gl.SliceLayout(1, rows))[:, None]) * 64 + k)
    a_smem = gl.allocate_shared_memory(gl.float16, [M, 64], gl.NVMMASharedLayout(128, 16, rank=2), left)
    pause(broken)
    fence_async_shared()
    if broken != "full":
        pause(broken)
        mbarrier.wait(full, 0)
    pause(broken)
    acc = warpgroup_mma(a_smem, b_smem, gl.zeros([M, 64], gl.float32, layout), is_async=True)
    if broken == "early":
        pause(broken)
        mbarrier.arrive(empty, count=1)
    pause(broken)
    acc = warpgroup_mma_wait(1 if broken == "wait" else 0, deps=[acc])
    if broken != "early":
        pause(broken)
        mbarrier.arrive(empty, count=1)
    r = gl.arange(0, M, gl.SliceLayout(1, layout))[:, None]
    n = gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]
    gl.store(c + (row + r) * 64 + n, acc)


@gluon.jit
def lender(b, b_smem, full, empty, broken: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    at = gl.arange(0, 64, gl.SliceLayout(1, rows))[:, None] * 64 + gl.arange(0, 64, gl.SliceLayout(0, rows))[None, :]
    pause(broken)
    b_smem.store(gl.load(b + at))
    fence_async_shared()
    mbarrier.arrive(full, count=1)
    if broken != "empty":
        pause(broken)
        mbarrier.wait(empty, 0)
    pause(broken)
    b_smem.store(gl.zeros([64, 64], gl.float16, rows))


@gluon.jit
def three_warpgroups(a, b, c, M: gl.constexpr, broken: gl.constexpr):
    """Two partitions of 4 and 8 warps multiply with one buffer, which a third writes again."""
    row = gl.program_id(0) * M
    b_smem = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    mbarrier.init(empty, count=2)
    gl.warp_specialize([
        (third, (a, b_smem, c, full, empty, row, 64, broken)),
        (third, (a, b_smem, c, full, empty, row + 64, 128, broken)),
        (lender, (b, b_smem, full, empty, broken)),
    ], [8, 4], [112, 48])
