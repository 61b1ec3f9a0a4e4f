"""Products in tensor memory, copies to it, scales, by one partition. What `broken` names is left out."""

from common import pause
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, TensorMemoryScalesLayout,
                                                                 allocate_tensor_memory, fence_async_shared, mbarrier,
                                                                 tcgen05_commit, tcgen05_copy, tcgen05_mma,
                                                                 tcgen05_mma_scaled, tma)

# Of [128, 4] scales as copies want them: (m, k) at byte m % 32 * 16 + m // 32 * 4 + k.
IN_CHUNKS = gl.constexpr(gl.SharedLinearLayout([[0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0],
                                                [16, 0]]))
WIDE = gl.constexpr(gl.NVMMASharedLayout(128, 16, rank=2))
SUM = gl.constexpr(TensorMemoryLayout([128, 64], 1))


@gluon.jit
def square(rows: gl.constexpr, columns: gl.constexpr, layout: gl.constexpr):
    """Where elements of a tile lie that is alone."""
    i = gl.arange(0, rows, gl.SliceLayout(1, layout))[:, None]
    return i * columns + gl.arange(0, columns, gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def fetch(pointer, rows: gl.constexpr, columns: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    return gl.load(pointer + square(rows, columns, layout))


@gluon.jit
def operand(pointer, rows: gl.constexpr, columns: gl.constexpr):
    tile = fetch(pointer, rows, columns)
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([rows, columns], tile.dtype)
    return gl.allocate_shared_memory(tile.dtype, [rows, columns], shared, tile)


@gluon.jit
def put(pointer, tmem, rows: gl.constexpr, columns: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [gl.num_warps(), 1], [1, 0])
    gl.store(pointer + square(rows, columns, layout), gl.convert_layout(tmem.load(), layout))


@gluon.jit
def barrier(count: gl.constexpr = 1):
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=count)
    return bar


@gluon.jit
def product(a, b, c, broken: gl.constexpr):
    """A product, a commit behind it, a wait for that."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    bar = mbarrier.allocate_mbarrier()
    if broken != "init":
        mbarrier.init(bar, count=2 if broken == "count" else 1)
    if broken == "early":
        tcgen05_commit(bar)
    pause(broken)
    tcgen05_mma(x, y, acc, use_acc=broken == "set")
    pause(broken)
    if broken != "commit" and broken != "early":
        tcgen05_commit(bar)
    if broken != "wait" and broken != "end":
        pause(broken)
        mbarrier.wait(bar, 1 if broken == "phase" else 0)
    pause(broken)
    if broken != "end":
        put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def two_products(a, b, c, broken: gl.constexpr):
    """Two sums and two barriers: the first tells of the first one only. What is stored while the second one is
    under way lies beside it."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    ring = allocate_tensor_memory(gl.float32, [2, 128, 64], SUM)
    registers: gl.constexpr = ring.index(0).get_reg_layout()
    first = barrier()
    second = barrier()
    out = c + gl.program_id(0) * 8192
    tcgen05_mma(x, y, ring.index(0), use_acc=False, mbarriers=[first])
    tcgen05_mma(x, y, ring.index(1), use_acc=False)
    if broken != "again":
        # What follows in the same sum is in order.
        tcgen05_mma(x, y, ring.index(1))
    tcgen05_commit(second)
    pause(broken)
    mbarrier.wait(first, 0)
    one = ring.index(1 if broken == "slot" else 0).load(registers)
    if broken == "slice":
        ring.index(1).slice(32, 32).store(gl.zeros([128, 32], gl.float32, registers))
    if broken == "seen":
        one += ring.index(1).reinterpret(gl.int32, [128, 64], SUM).load(registers).to(gl.float32)
    if broken == "store":
        ring.index(1).store(one)
    pause(broken)
    ring.index(0).store(one)
    mbarrier.wait(second, 0)
    two = ring.index(1).load(registers) + ring.index(0).load(registers)
    gl.store(out + square(128, 64, registers), two)


@gluon.jit
def operands_again(a, b, c, steps, broken: gl.constexpr):
    """The buffers of operands are written again behind each product."""
    x = gl.allocate_shared_memory(gl.float16, [128, 64], WIDE)
    y = gl.allocate_shared_memory(gl.float16, [64, 64], WIDE)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    bar = barrier()
    a += gl.program_id(0) * steps * 8192
    for k in range(steps):
        if broken == "left":
            x.store(fetch(a + k * 8192, 128, 64))
        if broken == "right":
            y.store(fetch(b + k * 4096, 64, 64))
        if k > 0 and broken != "wait":
            pause(broken)
            mbarrier.wait(bar, (k & 1) if broken == "phase" else (k - 1) & 1)
        if broken != "left":
            x.store(fetch(a + k * 8192, 128, 64))
        if broken != "right":
            y.store(fetch(b + k * 4096, 64, 64))
        fence_async_shared()
        pause(broken)
        tcgen05_mma(x, y, acc, use_acc=k > 0, mbarriers=[bar])
    pause(broken)
    mbarrier.wait(bar, (steps - 1) & 1)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def loaded(a, b, c, steps, broken: gl.constexpr):
    """Box copies bring operands into two buffers in turn; commits say when these are free."""
    xs = gl.allocate_shared_memory(gl.float16, [2, 128, 64], a.layout)
    ys = gl.allocate_shared_memory(gl.float16, [2, 64, 64], b.layout)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    row = gl.program_id(0) * 128
    for k in range(steps + 1):
        if k < steps:
            slot = k % 2
            if broken != "free":
                pause(broken)
                mbarrier.wait(free.index(slot), (k // 2 & 1) ^ (0 if broken == "phase" else 1))
            size: gl.constexpr = a.block_type.nbytes + b.block_type.nbytes
            mbarrier.expect(full.index(slot), size // 2 if broken == "bytes" else size)
            pause(broken)
            tma.async_load(a, [row, k * 64], full.index(slot), xs.index(slot))
            tma.async_load(b, [k * 64, 0], full.index(slot), ys.index(slot))
        if k > 0:
            slot = (k - 1) % 2
            if broken != "full":
                pause(broken)
                mbarrier.wait(full.index(slot), (k - 1) // 2 & 1)
            if broken == "release":
                mbarrier.arrive(free.index(slot), count=1)
            pause(broken)
            tcgen05_mma(xs.index(slot), ys.index(slot), acc, use_acc=k > 1)
            if broken == "other":
                tcgen05_commit(free.index(k % 2))
            elif broken != "release":
                tcgen05_commit(free.index(slot))
    pause(broken)
    if broken == "last":
        # The one before the last.
        mbarrier.wait(free.index(steps % 2), (steps - 2) // 2 & 1)
    else:
        mbarrier.wait(free.index((steps - 1) % 2), (steps - 1) // 2 & 1)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def from_tensor_memory(a, b, c, broken: gl.constexpr):
    """The left operand is in tensor memory, and is written again when the first product has read it."""
    left: gl.constexpr = TensorMemoryLayout([128, 64], 1)
    x = allocate_tensor_memory(gl.float16, [128, 64], left)
    y = operand(b, 64, 64)
    ring = allocate_tensor_memory(gl.float32, [2, 128, 64], SUM)
    bar = barrier()
    tile = gl.convert_layout(fetch(a + gl.program_id(0) * 8192, 128, 64), x.get_reg_layout())
    if broken != "set":
        x.store(tile)
    for k in gl.static_range(2):
        pause(broken)
        tcgen05_mma(x, y, ring.index(k), use_acc=False, mbarriers=[bar])
        if broken == "early":
            x.slice(32, 32).store(gl.zeros([128, 32], gl.float16, x.slice(32, 32).get_reg_layout()))
        if broken != "wait" or k == 1:
            pause(broken)
            mbarrier.wait(bar, k)
        x.store(tile * 2)
    layout: gl.constexpr = ring.index(0).get_reg_layout()
    out = ring.index(0).load(layout) + ring.index(1).load(layout)
    gl.store(c + gl.program_id(0) * 8192 + square(128, 64, layout), out)


@gluon.jit
def attention(a, b, c, steps, broken: gl.constexpr):
    """As in attention: a product becomes, in its own columns, an operand of the next. The product behind that
    may have the columns again: it follows what the tensor cores still read."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    score = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    part = score.slice(0, 32).reinterpret(gl.float16, [128, 64], TensorMemoryLayout([128, 64], 1))
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    scored = barrier()
    added = barrier()
    for k in range(steps):
        pause(broken)
        tcgen05_mma(x, y, score, use_acc=False, mbarriers=[scored])
        if broken == "cleared":
            # What the product is to write, and what the one before it reads.
            score.store(gl.zeros([128, 64], gl.float32, score.get_reg_layout()))
        if broken != "scored":
            pause(broken)
            mbarrier.wait(scored, k & 1)
        if k > 0:
            mbarrier.wait(added, (k - 1) & 1)
        tile = score.load()
        pause(broken)
        if broken != "store":
            part.store(gl.convert_layout((tile * 0.125).to(gl.float16), part.get_reg_layout()))
        tcgen05_mma(part, y, acc, use_acc=k > 0, mbarriers=[added])
        if broken == "columns":
            # The other half of the columns is free, this one is not.
            score.slice(0, 32).store(gl.zeros([128, 32], gl.float32, score.slice(0, 32).get_reg_layout()))
        score.slice(32, 32).store(gl.zeros([128, 32], gl.float32, score.slice(32, 32).get_reg_layout()))
    pause(broken)
    mbarrier.wait(added, (steps - 1) & 1)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def overlapping(a, b, c, broken: gl.constexpr):
    """Products into one sum follow each other if they are alike; else the first must be over."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    half = operand(b, 64, 32)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    bar = barrier()
    again = barrier()
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[bar])
    if broken == "type":
        small: gl.constexpr = gl.NVMMASharedLayout(64, 8, rank=2)
        tcgen05_mma(x._reinterpret(gl.float8e5, [128, 64], small), y._reinterpret(gl.float8e5, [64, 64], small), acc,
                    mbarriers=[again])
        mbarrier.wait(again, 0)
    if broken != "shape":
        pause(broken)
        mbarrier.wait(bar, 0)
    pause(broken)
    tcgen05_mma(x, half, acc.slice(32, 32), mbarriers=[bar])
    mbarrier.wait(bar, 1)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def lifetimes(a, b, c, broken: gl.constexpr):
    """Buffers that have the same columns, one after the other."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    bar = barrier()
    layout: gl.constexpr = gl.nvidia.blackwell.get_tmem_reg_layout(gl.float32, [128, 64], SUM, 4)
    one = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    tcgen05_mma(x, y, one, use_acc=False, mbarriers=[bar])
    if broken != "wait":
        pause(broken)
        mbarrier.wait(bar, 0)
        tile = one.load(layout)
    else:
        tile = gl.zeros([128, 64], gl.float32, layout)
    two = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    if broken != "store":
        two.store(tile)
    pause(broken)
    tile = two.load(layout)
    three = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    tcgen05_mma(x, y, three, use_acc=broken == "set", mbarriers=[bar])
    pause(broken)
    mbarrier.wait(bar, 1)
    gl.store(c + gl.program_id(0) * 8192 + square(128, 64, layout), three.load(layout) + tile)


@gluon.jit
def copied(src, dst, broken: gl.constexpr):
    """A copy from shared memory, twice through one buffer."""
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 32, rank=2)
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], shared)
    tmem = allocate_tensor_memory(gl.float32, [128, 32], TensorMemoryLayout([128, 32], 1))
    bar = barrier()
    for k in gl.static_range(2):
        at = (gl.program_id(0) * 2 + k) * 4096
        smem.store(fetch(src + at, 128, 32))
        fence_async_shared()
        if broken == "early":
            tcgen05_commit(bar)
        pause(broken)
        tcgen05_copy(smem, tmem)
        if broken != "commit" and broken != "early":
            tcgen05_commit(bar)
        if broken == "source":
            smem.store(fetch(src, 128, 32))
        if broken == "target":
            tmem.store(gl.zeros([128, 32], gl.float32, tmem.get_reg_layout()))
        if broken == "twice":
            tcgen05_copy(smem, tmem)
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, 0 if broken == "phase" else k)
        put(dst + at, tmem, 128, 32)


@gluon.jit
def scaled(a, b, factors, c, steps, broken: gl.constexpr):
    """Each step has scales of its own, which a copy brings where those of the last step were."""
    x = operand(a + gl.program_id(0) * 16384, 128, 128)
    y = operand(b, 128, 128)
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [4, 1], [1, 0])
    smem = gl.allocate_shared_memory(gl.uint8, [128, 4], IN_CHUNKS)
    x_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    y_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    if broken != "set":
        y_scale.store(gl.full([128, 4], 127, gl.uint8, y_scale.get_reg_layout()))
    acc = allocate_tensor_memory(gl.float32, [128, 128], TensorMemoryLayout([128, 128], 1))
    bar = barrier()
    for k in range(steps):
        if k > 0 and broken != "wait":
            pause(broken)
            mbarrier.wait(bar, (k - 1) & 1)
        smem.store(gl.load(factors + k * 512 + square(128, 4, layout)))
        fence_async_shared()
        tcgen05_copy(smem, x_scale)
        if broken == "source":
            smem.store(gl.load(factors + square(128, 4, layout)))
        pause(broken)
        tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e5m2", "e5m2", use_acc=k > 0, mbarriers=[bar])
        if broken == "store":
            y_scale.store(gl.full([128, 4], 126, gl.uint8, y_scale.get_reg_layout()))
        if broken == "load":
            gl.store(c + square(128, 4, x_scale.get_reg_layout()), x_scale.load().to(gl.float32))
    pause(broken)
    mbarrier.wait(bar, (steps - 1) & 1)
    put(c + gl.program_id(0) * 16384, acc, 128, 128)


@gluon.jit
def stored_scales(a, b, factors, c, broken: gl.constexpr):
    """Threads store scales, of which only some rows may be missing."""
    x = operand(a + gl.program_id(0) * 16384, 128, 128)
    y = operand(b, 128, 128)
    x_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    y_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    registers: gl.constexpr = x_scale.get_reg_layout()
    factor = gl.load(factors + square(128, 4, registers))
    if broken != "left":
        x_scale.store(factor)
    if broken != "right":
        y_scale.store(gl.full([128, 4], 127, gl.uint8, registers))
    acc = allocate_tensor_memory(gl.float32, [128, 128], TensorMemoryLayout([128, 128], 1))
    bar = barrier()
    for k in gl.static_range(2):
        pause(broken)
        tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e5m2", "e5m2", use_acc=k > 0, mbarriers=[bar])
        if broken != "wait":
            pause(broken)
            mbarrier.wait(bar, k)
        x_scale.store(factor + 1)
    put(c + gl.program_id(0) * 16384, acc, 128, 128)


@gluon.jit
def greatest(src, dst, most, broken: gl.constexpr):
    """A load that reduces rows, of what a copy brings. From sm_103a on."""
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 32, rank=2)
    smem = gl.allocate_shared_memory(gl.float32, [128, 32], shared, fetch(src + gl.program_id(0) * 4096, 128, 32))
    tmem = allocate_tensor_memory(gl.float32, [128, 32], TensorMemoryLayout([128, 32], 1))
    bar = barrier()
    fence_async_shared()
    if broken != "copy":
        tcgen05_copy(smem, tmem)
    tcgen05_commit(bar)
    if broken != "wait":
        pause(broken)
        mbarrier.wait(bar, 0)
    tile, row = tmem.load_max()
    gl.store(dst + gl.program_id(0) * 4096 + square(128, 32, tile.type.layout), tile)
    gl.store(most + gl.program_id(0) * 128 + gl.arange(0, 128, row.type.layout), row)


@gluon.jit
def wide(c, broken: gl.constexpr):
    """All columns that there are."""
    ring = allocate_tensor_memory(gl.float32, [8, 128, 64], SUM)
    layout: gl.constexpr = ring.index(0).get_reg_layout()
    if broken == "columns":
        more = allocate_tensor_memory(gl.float32, [128, 64], SUM, gl.zeros([128, 64], gl.float32, layout))
    for i in range(8):
        ring.index(i).store(gl.full([128, 64], 1.0, gl.float32, layout) * i)
    total = gl.zeros([128, 64], gl.float32, layout)
    for i in range(8):
        total += ring.index(i).load(layout)
    if broken == "columns":
        total += more.load(layout)
    gl.store(c + gl.program_id(0) * 8192 + square(128, 64, layout), total)
