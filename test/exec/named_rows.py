"""Rows of a tensor that are named one by one: async_gather, async_scatter of nvidia.blackwell.tma."""

# What comes out is compared with loads and stores of threads. Rows come in any order, several times, from outside of
# the tensor; columns reach over both of its ends.
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37 + 5) % 100' b='zeros((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:100a
# EXPECT: all(b == ref) & all(max(b, 1) > 0)
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37) % 200 - 50' b='ones((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=-16 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:100a
# EXPECT: all(b == ref) & all(b[:, :16] == 0) & any(b[:, 16:] != 0)
# RUN: gather a='rand((100, 96), f16)' numbers='(arange(8) * 9) % 100' b='ones((8, 64), f16)' \
#   ref='empty((8, 64), f16)' EXTENT='(100, 96)' AT=48 ROWS=8 COLUMNS=64 SWIZZLE=64 --grid 1 --target cuda:100a
# EXPECT: all(b == ref) & all(b[:, 48:] == 0) & any(b[:, :48] != 0)
# RUN: gather a='rand((50, 256), f32)' numbers='(arange(32) * 7) % 50' b='zeros((32, 256), f32)' \
#   ref='empty((32, 256), f32)' EXTENT='(50, 256)' AT=0 ROWS=32 COLUMNS=256 SWIZZLE=128 --grid 1 --target cuda:100a
# EXPECT: b == ref
# RUN: gather a='randint(0, 255, (50, 512), u8)' numbers='(arange(16) * 7) % 50' b='zeros((16, 512), u8)' \
#   ref='empty((16, 512), u8)' EXTENT='(50, 512)' AT=0 ROWS=16 COLUMNS=512 SWIZZLE=0 --grid 1 --num-warps 8 \
#   --target cuda:100a
# EXPECT: all(b == ref) & any(b != 0)
# RUN: gather a='rand((600, 16), bf16)' numbers='(arange(512) * 77) % 600' b='zeros((512, 16), bf16)' \
#   ref='empty((512, 16), bf16)' EXTENT='(600, 16)' AT=0 ROWS=512 COLUMNS=16 SWIZZLE=32 --grid 1 --num-warps 2 \
#   --target cuda:100a
# EXPECT: b == ref
# Every warp holds all offsets: one of them sends.
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37 + 5) % 100' b='zeros((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 EVERYWHERE=True --grid 1 \
#   --target cuda:100a
# EXPECT: b == ref
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(16) * 37 + 5) % 100' b='zeros((16, 64), f16)' \
#   ref='empty((16, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=16 COLUMNS=64 SWIZZLE=128 --grid 1 --num-warps 1 \
#   --target cuda:100a
# EXPECT: b == ref

# Clusters: each CTA has its rows, its columns, or copies, which one sends to all.
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37 + 5) % 120' b='zeros((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 CGA='[[1, 0]]' --grid 1 \
#   --num-ctas 2 --target cuda:100a
# EXPECT: b == ref
# RUN: gather a='rand((100, 128), f16)' numbers='(arange(64) * 37 + 5) % 120' b='zeros((64, 128), f16)' \
#   ref='empty((64, 128), f16)' EXTENT='(100, 128)' AT=0 ROWS=64 COLUMNS=128 SWIZZLE=128 CGA='[[0, 1]]' --grid 1 \
#   --num-ctas 2 --target cuda:100a
# EXPECT: b == ref
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37 + 5) % 120' b='zeros((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 CGA='[[0, 0], [1, 0]]' \
#   MULTICAST=True --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: b == ref
# RUN: gather a='rand((100, 128), f16)' numbers='(arange(64) * 37 + 5) % 120' b='zeros((64, 128), f16)' \
#   ref='empty((64, 128), f16)' EXTENT='(100, 128)' AT=0 ROWS=64 COLUMNS=128 SWIZZLE=64 CGA='[[0, 1], [0, 0]]' \
#   MULTICAST=True --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: b == ref

# A chip without tensor memory gathers, too.
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37) % 200 - 50' b='ones((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=-16 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:120a
# EXPECT: all(b == ref) & any(b != 0)

# RUN: scatter a='rand((64, 64), f16)' numbers='(arange(64) * 37 + 5) % 100' b='zeros((100, 64), f16)' \
#   ref='zeros((100, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:100a
# EXPECT: all(b == ref) & any(b != 0)
# RUN: scatter a='rand((64, 64), f16)' numbers='arange(64) * 3' b='zeros((100, 96), f16)' \
#   ref='zeros((100, 96), f16)' EXTENT='(100, 96)' AT=48 ROWS=64 COLUMNS=64 SWIZZLE=64 --grid 1 --target cuda:100a
# EXPECT: all(b == ref) & any(b != 0)
# RUN: scatter a='rand((16, 256), f32)' numbers='15 - arange(16)' b='zeros((16, 256), f32)' \
#   ref='zeros((16, 256), f32)' EXTENT='(16, 256)' AT=0 ROWS=16 COLUMNS=256 SWIZZLE=0 --grid 1 --num-warps 8 \
#   --target cuda:100a
# EXPECT: all(b == ref) & any(b != 0)
# RUN: scatter a='rand((64, 64), f16)' numbers='(arange(64) * 37 + 5) % 100' b='zeros((100, 64), f16)' \
#   ref='zeros((100, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 CGA='[[0, 0], [1, 0]]' \
#   --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: all(b == ref) & any(b != 0)

# L2 is told how long to keep the rows.
# RUN: gather a='rand((100, 64), f16)' numbers='(arange(64) * 37 + 5) % 120' b='zeros((64, 64), f16)' \
#   ref='empty((64, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 CGA='[[0, 0], [1, 0]]' \
#   MULTICAST=True \
#   POLICY='gl.nvidia.blackwell.CachePolicy(l2=gl.nvidia.blackwell.FractionalEvictionPolicy("evict_last", 0.5))' \
#   --grid 1 --num-ctas 4 --target cuda:100a
# EXPECT: b == ref
# RUN: scatter a='rand((64, 64), f16)' numbers='arange(64)' b='zeros((100, 64), f16)' \
#   ref='zeros((100, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 \
#   POLICY='gl.CachePolicy(eviction_policy="evict_first")' --grid 1 --target cuda:100a
# EXPECT: all(b == ref) & any(b != 0)

# A part of a buffer, with the rest as it was.
# RUN: gather_part a='rand((64, 64), f16)' b='zeros((128, 64), f16)' --grid 1 --target cuda:100a
# EXPECT: all(b[:64] == 7) & all(b[64:] == a)

# Where a GPU stops.
# RUN: gather a='rand((100, 64), f16)' numbers='arange(64)' b='zeros((64, 64), f16)' ref='empty((64, 64), f16)' \
#   EXTENT='(100, 64)' AT=4 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:100a
# FAULT: BoxMisaligned
# RUN: scatter a='rand((64, 64), f16)' numbers='arange(64) - 1' b='zeros((100, 64), f16)' \
#   ref='zeros((100, 64), f16)' EXTENT='(100, 64)' AT=0 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:100a
# FAULT: BoxBeforeTensor
# RUN: scatter a='rand((64, 64), f16)' numbers='arange(64)' b='zeros((100, 64), f16)' \
#   ref='zeros((100, 64), f16)' EXTENT='(100, 64)' AT=-16 ROWS=64 COLUMNS=64 SWIZZLE=128 --grid 1 --target cuda:100a
# FAULT: BoxBeforeTensor

# Something is missing, or comes too early.
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"right"' --grid 1 --target cuda:100a
# EXPECT: any(b != 0)
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"nothing comes"' --grid 1 --target cuda:100a
# FAULT: Deadlock
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"read on its way"' --grid 1 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"overwritten on its way"' --grid 1 --target cuda:100a
# FAULT: SharedWriteDuringCopy
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"scattered on its way"' --grid 1 --target cuda:100a
# FAULT: UnfinishedCopyRead
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"two rows to one place"' --grid 1 --target cuda:100a
# FAULT: StoreOverlap
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"overwritten while it is read"' --grid 1 --target cuda:100a
# FAULT: SharedWriteDuringRead
# RUN: misused a='rand((64, 64), f16)' b='zeros((64, 64), f16)' BROKEN='"end"' --grid 1 --target cuda:100a
# FAULT: UnfinishedAtEnd

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import fence_async_shared, mbarrier, tma


@gluon.jit
def describe(p, EXTENT: gl.constexpr, COLUMNS: gl.constexpr, SWIZZLE: gl.constexpr, CGA: gl.constexpr):
    element: gl.constexpr = p.dtype.element_ty
    layout: gl.constexpr = gl.NVMMASharedLayout(SWIZZLE, element.primitive_bitwidth, 2, cga_layout=CGA)
    return tma.make_tensor_descriptor(p, EXTENT, [EXTENT[1], 1], [1, COLUMNS], layout)


@gluon.jit
def named(numbers, ROWS: gl.constexpr, CGA: gl.constexpr, EVERYWHERE: gl.constexpr = False):
    """Four numbers in each thread, the same in all of a warp."""
    if EVERYWHERE:
        spread: gl.constexpr = gl.BlockedLayout([ROWS], [32], [gl.num_warps()], [0])
    else:
        spread: gl.constexpr = gl.SliceLayout(
            1, gl.BlockedLayout([4, 1], [1, 32], [gl.num_warps(), 1], [0, 1], cga_layout=CGA))
    return gl.load(numbers + gl.arange(0, ROWS, spread))


@gluon.jit
def places(numbers, EXTENT: gl.constexpr, AT: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr,
           layout: gl.constexpr):
    """Where elements lie in the tensor, and whether they do."""
    rows = gl.load(numbers + gl.arange(0, ROWS, gl.SliceLayout(1, layout)))[:, None]
    columns = AT + gl.arange(0, COLUMNS, gl.SliceLayout(0, layout))[None, :]
    inside = (rows >= 0) & (rows < EXTENT[0]) & (columns >= 0) & (columns < EXTENT[1])
    return rows * EXTENT[1] + columns, inside


@gluon.jit
def tile(ROWS: gl.constexpr, COLUMNS: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, ROWS, gl.SliceLayout(1, layout))[:, None]
    return rows * COLUMNS + gl.arange(0, COLUMNS, gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def gather(a, numbers, b, ref, EXTENT: gl.constexpr, AT: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr,
           SWIZZLE: gl.constexpr, CGA: gl.constexpr = [], MULTICAST: gl.constexpr = False,
           EVERYWHERE: gl.constexpr = False, POLICY: gl.constexpr = None):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [gl.num_warps(), 1], [1, 0], cga_layout=CGA)
    source = describe(a, EXTENT, COLUMNS, SWIZZLE, CGA)
    block = gl.allocate_shared_memory(source.dtype, [ROWS, COLUMNS], source.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, block.nbytes_per_cta)
    tma.async_gather(source, named(numbers, ROWS, CGA, EVERYWHERE), AT, arrived, block, multicast=MULTICAST,
                     cache_policy=POLICY)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    at = tile(ROWS, COLUMNS, layout)
    gl.store(b + at, block.load(layout))
    place, inside = places(numbers, EXTENT, AT, ROWS, COLUMNS, layout)
    gl.store(ref + at, gl.load(a + place, inside, 0))


@gluon.jit
def scatter(a, numbers, b, ref, EXTENT: gl.constexpr, AT: gl.constexpr, ROWS: gl.constexpr, COLUMNS: gl.constexpr,
            SWIZZLE: gl.constexpr, CGA: gl.constexpr = [], POLICY: gl.constexpr = None):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [gl.num_warps(), 1], [1, 0], cga_layout=CGA)
    target = describe(b, EXTENT, COLUMNS, SWIZZLE, CGA)
    block = gl.allocate_shared_memory(target.dtype, [ROWS, COLUMNS], target.layout)
    values = gl.load(a + tile(ROWS, COLUMNS, layout))
    block.store(values)
    fence_async_shared()
    tma.async_scatter(target, named(numbers, ROWS, CGA), AT, block, cache_policy=POLICY)
    tma.store_wait(0)
    place, inside = places(numbers, EXTENT, AT, ROWS, COLUMNS, layout)
    gl.store(ref + place, values, inside)


@gluon.jit
def gather_part(a, b):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    spread: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    source = describe(a, (64, 64), 64, 128, [])
    block = gl.allocate_shared_memory(gl.float16, [128, 64], source.layout, gl.full([128, 64], 7, gl.float16, layout))
    fence_async_shared()
    part = block.slice(64, 64)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, 64 * 64 * 2)
    tma.async_gather(source, gl.arange(0, 64, spread), 0, arrived, part)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    gl.store(b + tile(128, 64, layout), block.load(layout))


@gluon.jit
def misused(a, b, BROKEN: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    spread: gl.constexpr = gl.SliceLayout(0, gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0]))
    rows = gl.arange(0, 64, spread)
    source = describe(a, (64, 64), 64, 128, [])
    target = describe(b, (64, 64), 64, 128, [])
    block = gl.allocate_shared_memory(gl.float16, [64, 64], source.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, 64 * 64 * 2)
    tma.async_gather(source, 63 - rows, 0, arrived, block, pred=BROKEN != "nothing comes")
    if BROKEN == "overwritten on its way":
        block.store(gl.zeros([64, 64], gl.float16, layout))
    if BROKEN == "scattered on its way":
        tma.async_scatter(target, rows, 0, block)
    if BROKEN != "read on its way":
        mbarrier.wait(arrived, phase=0)
    block.store(block.load(layout) + 1)
    fence_async_shared()
    if BROKEN == "two rows to one place":
        tma.async_scatter(target, rows // 2, 0, block)
    else:
        tma.async_scatter(target, rows, 0, block)
    if BROKEN == "overwritten while it is read":
        block.store(gl.zeros([64, 64], gl.float16, layout))
    if BROKEN != "end":
        tma.store_wait(0)
