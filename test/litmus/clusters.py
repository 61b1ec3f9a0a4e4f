"""CTAs of a cluster in each other's shared memory. What `broken` names is left out.

The rows of a tile are divided between two CTAs, or both hold all of them (`WHOLE`).
"""

from common import COLS, ROWS, pause, tile
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import async_store, cluster, fence_async_shared, mbarrier, tma


@gluon.jit
def peer_read(src, dst, tiles, broken: gl.constexpr):
    """Each CTA writes its rows and reads its columns, again and again in one buffer."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    columns: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], shared)
    for i in range(tiles):
        first = (gl.program_id(0) * tiles + i) * ROWS
        pause(broken)
        smem.store(gl.load(src + tile(first, rows)))
        if broken == "relaxed":
            cluster.barrier(relaxed=True)
        elif broken != "before":
            pause(broken)
            gl.barrier(cluster=True)
        pause(broken)
        gl.store(dst + tile(first, columns), smem.load(columns))
        if broken != "behind":
            pause(broken)
            gl.barrier(cluster=True)


@gluon.jit
def peer_write(src, dst, broken: gl.constexpr):
    """Each CTA writes its columns into the rows of both, which then read their own."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    columns: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0], cga_layout=[[1, 0]])
    first = gl.program_id(0) * ROWS
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], shared)
    pause(broken)
    smem.store(gl.load(src + tile(first, columns)))
    if broken != "barrier":
        pause(broken)
        gl.barrier(cluster=True)
    pause(broken)
    gl.store(dst + tile(first, rows), smem.load(rows))


@gluon.jit
def stored_by_one(src, dst, tiles, broken: gl.constexpr):
    """The second CTA writes the rows of both, which then read their own, again and again in one buffer."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    whole: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[0, 0]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], shared)
    cta = gl.inline_asm_elementwise("mov.u32 $0, %cluster_ctarank;", "=r", [], dtype=gl.int32, is_pure=True, pack=1)
    gl.barrier(cluster=True)
    for i in range(tiles):
        first = (gl.program_id(0) * tiles + i) * ROWS
        values = gl.load(src + tile(first, whole))
        pause(broken)
        if cta == 1:
            smem.store(values)
        if broken != "before":
            pause(broken)
            gl.barrier(cluster=True)
        pause(broken)
        gl.store(dst + tile(first, rows), smem.load(rows))
        if broken == "relaxed":
            cluster.barrier(relaxed=True)
        elif broken != "behind":
            pause(broken)
            gl.barrier(cluster=True)


@gluon.jit
def stored_to_peer(src, dst, tiles, broken: gl.constexpr):
    """`async_store` of columns into the rows of both CTAs; each barrier counts what its CTA gets."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    columns: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    for i in range(tiles):
        first = (gl.program_id(0) * tiles + i) * ROWS
        if broken != "expect":
            mbarrier.expect(bar, smem.nbytes_per_cta // (2 if broken == "bytes" else 1))
        values = gl.load(src + tile(first, columns))
        pause(broken)
        async_store(smem, values, bar)
        if broken == "overwrite":
            pause(broken)
            smem.store(values)
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, i & 1)
        pause(broken)
        gl.store(dst + tile(first, rows), smem.load(rows))
        if broken != "behind":
            pause(broken)
            gl.barrier(cluster=True)


@gluon.jit
def multicast(src, dst, tiles, broken: gl.constexpr):
    """One load for both CTAs, into two buffers in turn. The barriers that say that a buffer is free
    lie in the first CTA, which loads; both arrive there."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float32, [2, ROWS, COLS], src.layout)
    full = mbarrier.allocate_mbarrier(batch=2)
    empty = mbarrier.allocate_mbarrier(batch=2, two_ctas=True)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    for i in range(tiles):
        slot, phase = i % 2, (i // 2) & 1
        first = (gl.program_id(0) * tiles + i) * ROWS
        if broken != "empty":
            pause(broken)
            mbarrier.wait(empty.index(slot), phase ^ 1)
        mbarrier.expect(full.index(slot), src.nbytes_per_cta)
        pause(broken)
        tma.async_load(src, [first, 0], full.index(slot), smem.index(slot), multicast=True)
        if broken != "wait":
            pause(broken)
            mbarrier.wait(full.index(slot), phase)
        if broken == "release":
            pause(broken)
            mbarrier.arrive(empty.index(slot), count=1)
        pause(broken)
        gl.store(dst + tile(first, rows), smem.index(slot).load(rows))
        if broken != "release" and broken != "arrive":
            pause(broken)
            mbarrier.arrive(empty.index(slot), count=1)


@gluon.jit
def remote_arrive(src, dst, broken: gl.constexpr):
    """A barrier of the cluster made of two objects: all arrive at the first CTA, it answers all."""
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0], cga_layout=[[1, 0]])
    columns: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], shared)
    come = mbarrier.allocate_mbarrier(two_ctas=True)
    go = mbarrier.allocate_mbarrier()
    mbarrier.init(come, count=1)
    mbarrier.init(go, count=1)
    first = gl.program_id(0) * ROWS
    pause(broken)
    smem.store(gl.load(src + tile(first, rows)))
    if broken != "arrive":
        pause(broken)
        mbarrier.arrive(come, count=1)
    if broken != "come":
        pause(broken)
        mbarrier.wait(come, 0)
    if broken != "answer":
        pause(broken)
        mbarrier.arrive(go, count=1, from_cta=0)
    if broken != "go":
        pause(broken)
        mbarrier.wait(go, 0)
    pause(broken)
    gl.store(dst + tile(first, columns), smem.load(columns))


@gluon.jit
def writer_for_all(src, smem, come, go, first, broken: gl.constexpr):
    columns: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0], cga_layout=[[0, 1]])
    pause(broken)
    smem.store(gl.load(src + tile(first, columns)))
    if broken != "fence":
        pause(broken)
        fence_async_shared(cluster=True)
    mbarrier.arrive(come, count=1)
    if broken != "come":
        pause(broken)
        mbarrier.wait(come, 0)
    pause(broken)
    mbarrier.arrive(go, count=1, from_cta=0)


@gluon.jit
def storer_of_own(dst, smem, go, first, broken: gl.constexpr):
    if broken != "go":
        pause(broken)
        mbarrier.wait(go, 0)
    pause(broken)
    tma.async_store(dst, [first, 0], smem)
    tma.store_wait(0)


@gluon.jit
def fence_for_peers(src, dst, broken: gl.constexpr):
    """A partition of each CTA writes columns into both, another lets the engine store its CTA's rows."""
    smem = gl.allocate_shared_memory(gl.float32, [ROWS, COLS], dst.layout)
    come = mbarrier.allocate_mbarrier(two_ctas=True)
    go = mbarrier.allocate_mbarrier()
    mbarrier.init(come, count=1)
    mbarrier.init(go, count=1)
    first = gl.program_id(0) * ROWS
    gl.warp_specialize([
        (storer_of_own, (dst, smem, go, first, broken)),
        (writer_for_all, (src, smem, come, go, first, broken)),
    ], [4], [64])
