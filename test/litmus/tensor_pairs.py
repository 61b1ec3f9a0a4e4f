"""Two CTAs that multiply together, and larger clusters of such pairs. What `broken` names is left out."""

from common import pause
from tensor_memory import square
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, allocate_tensor_memory,
                                                                 fence_async_shared, mbarrier, tcgen05_commit,
                                                                 tcgen05_mma, tcgen05_mma_barrier_count, tma)

# The rows of a and of the sum are divided, and the columns of b.
ROWS = gl.constexpr([[1, 0]])
COLUMNS = gl.constexpr([[0, 1]])
PAIR = gl.constexpr(TensorMemoryLayout([128, 64], 1, [[1, 0]], True))


@gluon.jit
def shared_part(pointer, rows: gl.constexpr, columns: gl.constexpr, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0], CGA)
    tile = gl.load(pointer + square(rows, columns, layout))
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([rows, columns], tile.dtype, cga_layout=CGA)
    return gl.allocate_shared_memory(tile.dtype, [rows, columns], shared, tile)


@gluon.jit
def put_part(pointer, tmem, rows: gl.constexpr, columns: gl.constexpr, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0], CGA)
    gl.store(pointer + square(rows, columns, layout), gl.convert_layout(tmem.load(), layout))


@gluon.jit
def pair(a, b, c, broken: gl.constexpr):
    """Both write operands; the first multiplies for both, behind a barrier of the compiler's, and tells both."""
    x = shared_part(a + gl.program_id(0) * 16384, 256, 64, ROWS)
    y = shared_part(b, 64, 64, COLUMNS)
    acc = allocate_tensor_memory(gl.float32, [256, 64], PAIR)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=2 if broken == "count" else 1)
    pause(broken)
    fence_async_shared(cluster=True)
    pause(broken)
    tcgen05_mma(x, y, acc, use_acc=broken == "set", mbarriers=[] if broken == "commit" else [bar])
    if broken == "overwrite":
        x.store(gl.zeros([256, 64], gl.float16, gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], [[1, 0]])))
    if broken != "wait":
        pause(broken)
        mbarrier.wait(bar, 1 if broken == "phase" else 0)
    pause(broken)
    put_part(c + gl.program_id(0) * 16384, acc, 256, 64, ROWS)


@gluon.jit
def pair_again(a, b, c, steps, broken: gl.constexpr):
    """Operands of the pair are written again: each CTA has to know that both have written, or read."""
    part: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0], [[1, 0]])
    other: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0], [[0, 1]])
    x = gl.allocate_shared_memory(gl.float16, [256, 64], gl.NVMMASharedLayout(128, 16, 2, cga_layout=[[1, 0]]))
    y = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(64, 16, 2, cga_layout=[[0, 1]]))
    acc = allocate_tensor_memory(gl.float32, [256, 64], PAIR)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.sync_cluster_init()
    a += gl.program_id(0) * steps * 16384
    for k in range(steps):
        if k > 0 and broken != "wait":
            pause(broken)
            mbarrier.wait(bar, (k - 1) & 1)
        x.store(gl.load(a + k * 16384 + square(256, 64, part)))
        y.store(gl.load(b + k * 4096 + square(64, 64, other)))
        fence_async_shared()
        pause(broken)
        tcgen05_mma(x, y, acc, use_acc=k > 0)
        tcgen05_commit(bar)
    pause(broken)
    mbarrier.wait(bar, (steps - 1) & 1)
    put_part(c + gl.program_id(0) * 16384, acc, 256, 64, ROWS)


@gluon.jit
def loaded_pair(a, b, c, steps, CGA: gl.constexpr, M: gl.constexpr, N: gl.constexpr, broken: gl.constexpr):
    """Loads tell one barrier of each pair; products tell those of all CTAs whose buffers they used."""
    many: gl.constexpr = gl.num_ctas() > 2
    x = gl.allocate_shared_memory(gl.float16, [2, M, 64], a.layout)
    y = gl.allocate_shared_memory(gl.float16, [2, 64, N], b.layout)
    acc = allocate_tensor_memory(gl.float32, [M, N], TensorMemoryLayout([128, 64], 1, CGA, True))
    full = mbarrier.allocate_mbarrier(batch=2, two_ctas=broken != "own")
    free = mbarrier.allocate_mbarrier(batch=2)
    told: gl.constexpr = tcgen05_mma_barrier_count([x, y], many, True)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=told + 1 if broken == "more" else 1 if broken == "one" else told)
    mbarrier.sync_cluster_init()
    row = gl.program_id(0) * M
    for k in range(steps + 1):
        if k < steps:
            slot = k % 2
            if broken != "free":
                pause(broken)
                mbarrier.wait(free.index(slot), (k // 2 & 1) ^ 1)
            size: gl.constexpr = a.nbytes_per_cta + b.nbytes_per_cta
            mbarrier.expect(full.index(slot), 2 * size if broken == "bytes" else size)
            pause(broken)
            tma.async_load(a, [row, k * 64], full.index(slot), x.index(slot), multicast=many)
            tma.async_load(b, [k * 64, 0], full.index(slot), y.index(slot), multicast=many)
        if k > 0:
            slot = (k - 1) % 2
            if broken != "full":
                pause(broken)
                mbarrier.wait(full.index(slot), (k - 1) // 2 & 1)
            pause(broken)
            if broken == "part":
                # Those who have the columns of b in common hear of it, those with the rows of a do not.
                tcgen05_mma(x.index(slot), y.index(slot), acc, use_acc=k > 1)
                tcgen05_commit(free.index(slot), descs=[y.index(slot)])
            else:
                tcgen05_mma(x.index(slot), y.index(slot), acc, use_acc=k > 1,
                            multicast=many and broken != "multicast", mbarriers=[free.index(slot)])
    # Those that tell this CTA come before its end.
    for i in gl.static_range(1 if broken == "last" else 2):
        k = steps - 2 + i
        pause(broken)
        mbarrier.wait(free.index(k % 2), k // 2 & 1)
    put_part(c + row * N, acc, M, N, CGA)
