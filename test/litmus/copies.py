"""Copies in flight: cp.async, TMA loads, stores and reductions. What `broken` names is left out."""

from common import COLS, ROWS, pause, tile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@gluon.jit
def cp_async(src, dst, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    at = tile(gl.program_id(0) * ROWS, layout)
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    pause(broken)
    async_copy.async_copy_global_to_shared(smem, src + at)
    if broken != "commit":
        async_copy.commit_group()
    if broken != "wait":
        pause(broken)
        async_copy.wait_group(0)
    pause(broken)
    gl.store(dst + at, smem.load(layout))


@gluon.jit
def cp_async_ring(src, dst, tiles, broken: gl.constexpr):
    """Two buffers: one is read while the other is filled."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * tiles * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [2, ROWS, COLS], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    pause(broken)
    async_copy.async_copy_global_to_shared(smem.index(0), src + tile(first, layout))
    async_copy.commit_group()
    for i in range(tiles):
        inside = i + 1 < tiles
        next = gl.where(inside, i + 1, 0)
        pause(broken)
        async_copy.async_copy_global_to_shared(smem.index((i + 1) % 2), src + tile(first + next * ROWS, layout))
        async_copy.commit_group()
        pause(broken)
        async_copy.wait_group(2 if broken == "count" else 1)
        gl.store(dst + tile(first + i * ROWS, layout), smem.index(i % 2).load(layout))
    pause(broken)
    async_copy.wait_group(0)


@gluon.jit
def cp_async_barrier(src, dst, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    at = tile(gl.program_id(0) * ROWS, layout)
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    pause(broken)
    async_copy.async_copy_global_to_shared(smem, src + at)
    if broken != "arrive":
        pause(broken)
        async_copy.mbarrier_arrive(bar)
        mbarrier.arrive(bar, count=1)
    if broken != "wait":
        pause(broken)
        mbarrier.wait(bar, 0)
    pause(broken)
    gl.store(dst + at, smem.load(layout))


@gluon.jit
def tma_load(src, dst, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    if broken == "bytes":
        mbarrier.expect(bar, src.block_type.nbytes + 16)
    elif broken != "expect":
        mbarrier.expect(bar, src.block_type.nbytes)
    pause(broken)
    tma.async_copy_global_to_shared(src, [first, 0], bar, smem)
    if broken != "wait":
        pause(broken)
        mbarrier.wait(bar, 0)
    pause(broken)
    gl.store(dst + tile(first, layout), smem.load(layout))


@gluon.jit
def tma_load_ring(src, dst, tiles, broken: gl.constexpr):
    """Phases of two barriers, each used several times."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * tiles * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [2, ROWS, COLS], src.layout)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
        mbarrier.expect(bars.index(i), src.block_type.nbytes)
        pause(broken)
        tma.async_copy_global_to_shared(src, [first + i * ROWS, 0], bars.index(i), smem.index(i))
    for i in range(tiles):
        phase = 0 if broken == "phase" else (i // 2) & 1
        pause(broken)
        mbarrier.wait(bars.index(i % 2), phase)
        gl.store(dst + tile(first + i * ROWS, layout), smem.index(i % 2).load(layout))
        more = i + 2 < tiles
        mbarrier.expect(bars.index(i % 2), src.block_type.nbytes, pred=more)
        pause(broken)
        tma.async_copy_global_to_shared(src, [first + (i + 2) * ROWS, 0], bars.index(i % 2), smem.index(i % 2),
                                        pred=more)


@gluon.jit
def tma_load_im2col(src, dst, broken: gl.constexpr):
    """64 pixels of an image of 8 x 8 beside each other, one filter element off its corner."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    smem = gl.allocate_shared_memory(gl.float32, src.block_shape, src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, src.block_type.nbytes)
    pause(broken)
    tma.async_copy_global_to_shared_im2col(src, [gl.program_id(0), 0, 0, 0], [1, 1], bar, smem)
    if broken != "wait":
        pause(broken)
        mbarrier.wait(bar, 0)
    r = gl.arange(0, 64, gl.SliceLayout(1, layout))[:, None]
    c = gl.arange(0, 32, gl.SliceLayout(0, layout))[None, :]
    pause(broken)
    gl.store(dst + (gl.program_id(0) * 64 + r) * 32 + c, smem.load(layout))


@gluon.jit
def tma_store(src, dst, broken: gl.constexpr):
    """A buffer that is written again while, without the wait, the first store still reads it."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * 2 * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], dst.layout)
    for i in gl.static_range(2):
        pause(broken)
        smem.store(gl.load(src + tile(first + i * ROWS, layout)))
        fence_async_shared()
        tma.async_copy_shared_to_global(dst, [first + i * ROWS, 0], smem)
        if broken == "count":
            pause(broken)
            tma.store_wait(1)
        elif broken == "end":
            pause(broken)
            tma.store_wait(i)
        elif broken != "wait":
            pause(broken)
            tma.store_wait(0)


@gluon.jit
def tma_reduce(src, dst, broken: gl.constexpr):
    """Adds a tile and its double."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * ROWS
    values = gl.load(src + tile(first, layout))
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], dst.layout, values)
    pause(broken)
    fence_async_shared()
    tma.async_atomic_add(dst, [first, 0], smem)
    if broken != "wait":
        pause(broken)
        tma.store_wait(0)
    pause(broken)
    smem.store(values * 2)
    fence_async_shared()
    tma.async_atomic_add(dst, [first, 0], smem)
    tma.store_wait(0)


@gluon.jit
def reduce_into(dst, first, smem, update: gl.constexpr):
    if update == "min":
        tma.async_atomic_min(dst, [first, 0], smem)
    elif update == "max":
        tma.async_atomic_max(dst, [first, 0], smem)
    elif update == "and":
        tma.async_atomic_and(dst, [first, 0], smem)
    elif update == "or":
        tma.async_atomic_or(dst, [first, 0], smem)
    else:
        tma.async_atomic_xor(dst, [first, 0], smem)


@gluon.jit
def tma_reduce_integers(src, dst, update: gl.constexpr, broken: gl.constexpr):
    """Combines a tile with what is there, and something that changes nothing more with that."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * ROWS
    values = gl.load(src + tile(first, layout))
    smem = gl.allocate_shared_memory(gl.int32, [ROWS, COLS], dst.layout, values)
    pause(broken)
    fence_async_shared()
    reduce_into(dst, first, smem, update)
    if broken != "wait":
        pause(broken)
        tma.store_wait(0)
    pause(broken)
    smem.store(values)
    fence_async_shared()
    if update != "xor":
        pause(broken)
        reduce_into(dst, first, smem, update)
    pause(broken)
    tma.store_wait(0)


@gluon.jit
def tma_load_edge(src, dst, broken: gl.constexpr):
    """A box that the tensor fills in part only."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    if broken == "bytes":
        mbarrier.expect(bar, 24 * 48 * 4)  # what lies inside
    else:
        mbarrier.expect(bar, src.block_type.nbytes)
    pause(broken)
    tma.async_copy_global_to_shared(src, [0, 0], bar, smem)
    mbarrier.wait(bar, 0)
    gl.store(dst + tile(gl.program_id(0) * ROWS, layout), smem.load(layout))


@gluon.jit
def tma_store_read_back(src, between, dst, described, broken: gl.constexpr):
    """What the engine stored is read as soon as the wait says that it is written, not only read."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    first = gl.program_id(0) * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], described.layout, gl.load(src + tile(first, layout)))
    pause(broken)
    fence_async_shared()
    tma.async_copy_shared_to_global(described, [first, 0], smem)
    pause(broken)
    tma.store_wait(1 if broken == "count" else 0, read_only=broken == "written")
    gl.barrier()
    gl.store(dst + tile(first, layout), gl.load(between + tile(first, layout)))
    tma.store_wait(0)


@gluon.jit
def made_descriptors(src, dst, tiles, broken: gl.constexpr):
    """Descriptors of the kernel's own, in one place again and again."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    shared: gl.constexpr = gl.NVMMASharedLayout(0, 32, 2)
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], shared)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    for i in range(tiles):
        first = (gl.program_id(0) * tiles + i) * ROWS
        pause(broken)
        described = tma.make_tensor_descriptor(src + first * COLS, [ROWS, COLS], [COLS, 1], [ROWS, COLS], shared)
        mbarrier.expect(bar, described.block_type.nbytes)
        tma.async_copy_global_to_shared(described, [0, 0], bar, smem)
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, i & 1)
        pause(broken)
        gl.store(dst + tile(first, layout), smem.load(layout))


@gluon.jit
def tma_load_again(src, dst, broken: gl.constexpr):
    """A barrier's memory becomes another barrier."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], src.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        first = (gl.program_id(0) * 2 + i) * ROWS
        if i == 0 or broken != "init":
            pause(broken)
            mbarrier.init(bar, count=1 + i)
        mbarrier.expect(bar, src.block_type.nbytes)
        if i == 1 and broken != "arrive":
            pause(broken)
            mbarrier.arrive(bar, count=1)
        pause(broken)
        tma.async_copy_global_to_shared(src, [first, 0], bar, smem)
        mbarrier.wait(bar, 0)
        if broken != "invalidate":
            pause(broken)
            mbarrier.invalidate(bar)
        gl.store(dst + tile(first, layout), smem.load(layout))
