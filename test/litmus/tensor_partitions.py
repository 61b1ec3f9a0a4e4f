"""Partitions that share tensor memory, or hand operands of products to each other. What `broken` names is left out."""

from common import pause
from tensor_memory import IN_CHUNKS, SUM, WIDE, barrier, fetch, operand, put, square
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import (TensorMemoryLayout, TensorMemoryScalesLayout,
                                                                 allocate_tensor_memory, fence_async_shared, mbarrier,
                                                                 tcgen05_commit, tcgen05_copy, tcgen05_mma,
                                                                 tcgen05_mma_scaled, tma)


@gluon.jit
def loads(a, b, xs, ys, full, free, row, tiles, broken: gl.constexpr):
    for k in range(2 * tiles):
        slot = k % 2
        if broken != "free":
            pause(broken)
            mbarrier.wait(free.index(slot), (k // 2 & 1) ^ 1)
        mbarrier.expect(full.index(slot), a.block_type.nbytes + b.block_type.nbytes)
        pause(broken)
        tma.async_load(a, [row, k * 64], full.index(slot), xs.index(slot))
        tma.async_load(b, [k * 64, 0], full.index(slot), ys.index(slot))


@gluon.jit
def multiplies(xs, ys, ring, full, free, summed, taken, tiles, broken: gl.constexpr):
    """Each tile is the sum of two products."""
    for tile in range(tiles):
        acc = ring.index(tile % 2)
        if broken != "taken":
            pause(broken)
            mbarrier.wait(taken.index(tile % 2), (tile // 2 & 1) ^ 1)
        for k in gl.static_range(2):
            if broken != "full":
                pause(broken)
                mbarrier.wait(full.index(k), tile & 1)
            if broken == "release":
                mbarrier.arrive(free.index(k), count=1)
            pause(broken)
            tcgen05_mma(xs.index(k), ys.index(k), acc, use_acc=k > 0)
            if broken != "release":
                tcgen05_commit(free.index(k))
        if broken == "arrive":
            mbarrier.arrive(summed.index(tile % 2), count=1)
        elif broken != "commit":
            tcgen05_commit(summed.index(tile % 2))


@gluon.jit
def takes(c, ring, summed, taken, row, tiles, broken: gl.constexpr):
    for tile in range(tiles):
        if broken != "summed":
            pause(broken)
            mbarrier.wait(summed.index(tile % 2), (tile // 2 & 1) ^ (1 if broken == "phase" else 0))
        if broken == "early":
            mbarrier.arrive(taken.index(tile % 2), count=1)
        pause(broken)
        put(c + (row * tiles + tile * 128) * 64, ring.index((tile + 1) % 2 if broken == "slot" else tile % 2), 128, 64)
        if broken != "early" and broken != "keep":
            pause(broken)
            mbarrier.arrive(taken.index(tile % 2), count=1)


@gluon.jit
def pipeline(a, b, c, tiles, broken: gl.constexpr):
    """One partition loads, one multiplies, one takes sums away, of which there are two."""
    row = gl.program_id(0) * 128
    xs = gl.allocate_shared_memory(gl.float16, [2, 128, 64], a.layout)
    ys = gl.allocate_shared_memory(gl.float16, [2, 64, 64], b.layout)
    ring = allocate_tensor_memory(gl.float32, [2, 128, 64], SUM)
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    summed = mbarrier.allocate_mbarrier(batch=2)
    taken = mbarrier.allocate_mbarrier(batch=2)
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
        mbarrier.init(summed.index(i), count=1)
        mbarrier.init(taken.index(i), count=1)
    gl.warp_specialize([
        (takes, (c, ring, summed, taken, row, tiles, broken)),
        (multiplies, (xs, ys, ring, full, free, summed, taken, tiles, broken)),
        (loads, (a, b, xs, ys, full, free, row, tiles, broken)),
    ], [1, 1], [24, 24])


@gluon.jit
def stores_left(a, x, come, gone, broken: gl.constexpr):
    registers: gl.constexpr = x.get_reg_layout()
    tile = gl.convert_layout(fetch(a + gl.program_id(0) * 8192, 128, 64), registers)
    for k in gl.static_range(2):
        if k > 0 and broken != "gone":
            pause(broken)
            mbarrier.wait(gone, 0)
        if broken == "early":
            mbarrier.arrive(come, count=1)
        pause(broken)
        x.store(tile * (k + 1))
        if broken != "early":
            pause(broken)
            mbarrier.arrive(come, count=1)


@gluon.jit
def multiplies_left(x, y, acc, come, gone, broken: gl.constexpr):
    for k in gl.static_range(2):
        if broken != "come":
            pause(broken)
            mbarrier.wait(come, k)
        pause(broken)
        tcgen05_mma(x, y, acc, use_acc=k > 0)
        if broken == "arrive":
            mbarrier.arrive(gone, count=1)
        else:
            tcgen05_commit(gone)


@gluon.jit
def stored_operand(a, b, c, broken: gl.constexpr):
    """A partition stores the left operand in tensor memory, another multiplies."""
    x = allocate_tensor_memory(gl.float16, [128, 64], TensorMemoryLayout([128, 64], 1))
    y = operand(b, 64, 64)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    come = barrier()
    gone = barrier()
    fence_async_shared()
    gl.warp_specialize([(stores_left, (a, x, come, gone, broken)),
                        (multiplies_left, (x, y, acc, come, gone, broken))], [1])
    if broken != "end":
        pause(broken)
        mbarrier.wait(gone, 1)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def writes(a, b, xs, ys, full, free, steps, broken: gl.constexpr):
    for k in range(steps):
        slot = k % 2
        if broken != "free":
            pause(broken)
            mbarrier.wait(free.index(slot), (k // 2 & 1) ^ 1)
        if broken == "before":
            fence_async_shared()
        xs.index(slot).store(fetch(a + k * 8192, 128, 64))
        ys.index(slot).store(fetch(b + k * 4096, 64, 64))
        if broken != "fence" and broken != "before" and broken != "late":
            pause(broken)
            fence_async_shared()
        pause(broken)
        mbarrier.arrive(full.index(slot), count=1)
        if broken == "late":
            fence_async_shared()


@gluon.jit
def multiplies_written(xs, ys, acc, full, free, done, steps, broken: gl.constexpr):
    for k in range(steps):
        slot = k % 2
        if broken != "full":
            pause(broken)
            mbarrier.wait(full.index(slot), k // 2 & 1)
        pause(broken)
        tcgen05_mma(xs.index(slot), ys.index(slot), acc, use_acc=k > 0, mbarriers=[free.index(slot)])
    tcgen05_commit(done)


@gluon.jit
def written_operands(a, b, c, steps, broken: gl.constexpr):
    """Threads of one partition write operands, another multiplies: no pass sees that a fence is missing."""
    xs = gl.allocate_shared_memory(gl.float16, [2, 128, 64], WIDE)
    ys = gl.allocate_shared_memory(gl.float16, [2, 64, 64], WIDE)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    full = mbarrier.allocate_mbarrier(batch=2)
    free = mbarrier.allocate_mbarrier(batch=2)
    done = barrier()
    for i in gl.static_range(2):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(free.index(i), count=1)
    a += gl.program_id(0) * steps * 8192
    gl.warp_specialize([(writes, (a, b, xs, ys, full, free, steps, broken)),
                        (multiplies_written, (xs, ys, acc, full, free, done, steps, broken))], [1])
    if broken != "done":
        pause(broken)
        mbarrier.wait(done, 0)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def copies_scales(factors, smem, x_scale, come, gone, steps, broken: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [32, 1], [gl.num_warps(), 1], [1, 0])
    for k in range(steps):
        if k > 0 and broken != "gone":
            pause(broken)
            mbarrier.wait(gone, (k - 1) & 1)
        smem.store(gl.load(factors + k * 512 + square(128, 4, layout)))
        fence_async_shared()
        pause(broken)
        tcgen05_copy(smem, x_scale)
        if broken == "arrive":
            # The copy has begun, no more.
            mbarrier.arrive(come, count=1)
        else:
            tcgen05_commit(come)


@gluon.jit
def multiplies_scaled(x, y, acc, x_scale, y_scale, come, gone, steps, broken: gl.constexpr):
    for k in range(steps):
        if broken != "come":
            pause(broken)
            mbarrier.wait(come, k & 1)
        pause(broken)
        tcgen05_mma_scaled(x, y.permute([1, 0]), acc, x_scale, y_scale, "e5m2", "e5m2", use_acc=k > 0)
        if broken == "begun":
            mbarrier.arrive(gone, count=1)
        else:
            tcgen05_commit(gone)


@gluon.jit
def copied_scales(a, b, factors, c, steps, broken: gl.constexpr):
    """One partition copies scales to tensor memory, another multiplies with them."""
    x = operand(a + gl.program_id(0) * 16384, 128, 128)
    y = operand(b, 128, 128)
    smem = gl.allocate_shared_memory(gl.uint8, [128, 4], IN_CHUNKS)
    x_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    y_scale = allocate_tensor_memory(gl.uint8, [128, 4], TensorMemoryScalesLayout())
    y_scale.store(gl.full([128, 4], 127, gl.uint8, y_scale.get_reg_layout()))
    acc = allocate_tensor_memory(gl.float32, [128, 128], TensorMemoryLayout([128, 128], 1))
    come = barrier()
    gone = barrier()
    fence_async_shared()
    gl.warp_specialize([
        (copies_scales, (factors, smem, x_scale, come, gone, steps, broken)),
        (multiplies_scaled, (x, y, acc, x_scale, y_scale, come, gone, steps, broken)),
    ], [1])
    pause(broken)
    mbarrier.wait(gone, (steps - 1) & 1)
    put(c + gl.program_id(0) * 16384, acc, 128, 128)


@gluon.jit
def multiplies_first(x, y, acc, first, broken: gl.constexpr):
    pause(broken)
    tcgen05_mma(x, y, acc, use_acc=False)
    if broken == "arrive":
        mbarrier.arrive(first, count=1)
    else:
        tcgen05_commit(first)


@gluon.jit
def multiplies_second(x, y, acc, first, second, broken: gl.constexpr):
    if broken != "first":
        pause(broken)
        mbarrier.wait(first, 0)
    pause(broken)
    tcgen05_mma(x, y, acc)
    tcgen05_commit(second)


@gluon.jit
def two_multiply(a, b, c, broken: gl.constexpr):
    """Two partitions add to one sum, one after the other."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    first = barrier()
    second = barrier()
    fence_async_shared()
    gl.warp_specialize([(multiplies_first, (x, y, acc, first, broken)),
                        (multiplies_second, (x, y, acc, first, second, broken))], [1])
    mbarrier.wait(first if broken == "second" else second, 0)
    put(c + gl.program_id(0) * 8192, acc, 128, 64)


@gluon.jit
def starts_and_stores(x, y, acc, done, told, broken: gl.constexpr):
    tcgen05_mma(x, y, acc, use_acc=False, mbarriers=[done])
    if broken != "told" and broken != "operand" and broken != "sum":
        pause(broken)
        mbarrier.wait(told, 0)
    registers: gl.constexpr = acc.get_reg_layout()
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    if broken != "sum":
        x.store(gl.zeros([128, 64], gl.float16, rows))
    if broken != "operand" and broken != "early":
        acc.store(gl.zeros([128, 64], gl.float32, registers))


@gluon.jit
def waits_and_reads(c, acc, done, told, broken: gl.constexpr):
    if broken == "early":
        # Before anybody knows that the product is over.
        mbarrier.arrive(told, count=1)
    pause(broken)
    mbarrier.wait(done, 0)
    put(c, acc, 128, 64)
    pause(broken)
    if broken != "keep" and broken != "early":
        mbarrier.arrive(told, count=1)


@gluon.jit
def told_back(a, b, c, broken: gl.constexpr):
    """Who started a product learns from another partition that it is over and read."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    done = barrier()
    told = barrier()
    fence_async_shared()
    gl.warp_specialize([(starts_and_stores, (x, y, acc, done, told, broken)),
                        (waits_and_reads, (c + gl.program_id(0) * 8192, acc, done, told, broken))], [4])


@gluon.jit
def starts(x, y, acc, done, go, broken: gl.constexpr):
    pause(broken)
    tcgen05_mma(x, y, acc, use_acc=False)
    if broken != "starter":
        tcgen05_commit(done)
    pause(broken)
    mbarrier.arrive(go, count=1)


@gluon.jit
def reads(c, acc, done, go, broken: gl.constexpr):
    mbarrier.wait(go, 0)
    if broken == "starter":
        # A commit tells of what its own partition started.
        tcgen05_commit(done)
    if broken != "done":
        pause(broken)
        mbarrier.wait(done, 0)
    put(c, acc, 128, 64)


@gluon.jit
def own_commit(a, b, c, broken: gl.constexpr):
    """Who started a product commits it."""
    x = operand(a + gl.program_id(0) * 8192, 128, 64)
    y = operand(b, 64, 64)
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    done = barrier()
    go = barrier()
    fence_async_shared()
    gl.warp_specialize([(starts, (x, y, acc, done, go, broken)),
                        (reads, (c + gl.program_id(0) * 8192, acc, done, go, broken))],
                       [2 if broken == "warps" else 4])


@gluon.jit
def holds_alone(c, acc, broken: gl.constexpr):
    acc.store(gl.full([128, 64], 1.0, gl.float32, acc.get_reg_layout()))
    put(c, acc, 128, 64)


@gluon.jit
def idles(broken: gl.constexpr):
    pause(broken)


@gluon.jit
def right_warps(c, broken: gl.constexpr):
    """Warps reach the rows of their place among four."""
    acc = allocate_tensor_memory(gl.float32, [128, 64], SUM)
    gl.warp_specialize([(idles, (broken,)), (holds_alone, (c + gl.program_id(0) * 8192, acc, broken))],
                       [2 if broken == "four" else 4])
