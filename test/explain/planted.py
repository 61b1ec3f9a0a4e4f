"""Kernels that pay for nothing, each at a line that says what explain finds there.

`# RUN: KERNEL ARGUMENTS` explains a kernel: it has to find what comments of its lines name, and
nothing else. `# MENDED:` is the same launch without the mistake, in which nothing is found.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2
from triton.experimental.gluon.language.nvidia.hopper import (fence_async_shared, mbarrier, tma, warpgroup_mma,
                                                              warpgroup_mma_wait)


# RUN: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,1],[32,1],[1,4],[0,1])
# MENDED: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,4],[2,16],[4,1],[1,0])
@gluon.jit
def transposed_order(src, dst, layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 64 + columns[None, :]
    tile = gl.load(src + offsets)  # FINDS: GL8001 UncoalescedAccess
    gl.store(dst + offsets, tile)  # FINDS: GL8001 UncoalescedAccess


# RUN: every_second src=randn(2048,f32) dst=empty(1024,f32)
@gluon.jit
def every_second(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.arange(0, 1024, layout=layout)
    even = gl.load(src + 2 * offsets)  # FINDS: GL8002 StridedElements
    gl.store(dst + offsets, even)


# MENDED: every_second_by_pairs src=randn(2048,f32) dst=empty(1024,f32)
@gluon.jit
def every_second_by_pairs(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [32, 1], [4, 1], [1, 0])
    pairs = gl.arange(0, 1024, layout=gl.SliceLayout(1, layout))
    halves = gl.arange(0, 2, layout=gl.SliceLayout(0, layout))
    even, odd = gl.split(gl.load(src + 2 * pairs[:, None] + halves[None, :]))
    wide: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    gl.store(dst + gl.arange(0, 1024, layout=wide), gl.convert_layout(even, wide))


# RUN: rows_of_any_length src=randn((16,68),f32) dst=empty((16,64),f32) stride=68
@gluon.jit
def rows_of_any_length(src, dst, stride):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(src + rows * stride + columns)  # FINDS: GL8004 NarrowAccess
    gl.store(dst + rows * 64 + columns, tile)


# MENDED: rows_of_fours src=randn((16,72),f32) dst=empty((16,64),f32) stride=72
@gluon.jit
def rows_of_fours(src, dst, stride):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(src + rows * gl.multiple_of(stride, 8) + columns)
    gl.store(dst + rows * 64 + columns, tile)


# RUN: odd_begin src=randn(132,f32)[1:129] dst=empty(128,f32)
# MENDED: even_begin src=randn(132,f32)[:128] dst=empty(128,f32)
@gluon.jit
def odd_begin(src, dst):
    offsets = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    tile = gl.load(src + offsets)  # FINDS: GL8003 MisalignedRun
    gl.store(dst + offsets, tile)


@gluon.jit
def even_begin(src, dst):
    offsets = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(dst + offsets, gl.load(src + offsets))


# RUN: one_by_one src=randn(1024,f32) dst=empty(1024,f32) layout=gl.BlockedLayout([1],[32],[4],[0])
# MENDED: one_by_one src=randn(1024,f32) dst=empty(1024,f32) layout=gl.BlockedLayout([4],[32],[4],[0])
# MENDED: one_by_one src=randn(1024,f32) dst=empty(1024,f32) layout=gl.CoalescedLayout()
@gluon.jit
def one_by_one(src, dst, layout: gl.constexpr):
    offsets = gl.arange(0, 1024, layout=layout)
    tile = gl.load(src + offsets)  # FINDS: GL8004 NarrowAccess
    gl.store(dst + offsets, tile)  # FINDS: GL8004 NarrowAccess


# RUN: masked_anywhere src=randn(1000,f32) dst=empty(1000,f32) n=1000
# MENDED: masked_anywhere src=randn(1008,f32) dst=empty(1008,f32) n=1008
@gluon.jit
def masked_anywhere(src, dst, n):
    offsets = gl.arange(0, 1024, layout=gl.BlockedLayout([4], [32], [4], [0]))
    tile = gl.load(src + offsets, mask=offsets < n)  # FINDS: GL8004 NarrowAccess
    gl.store(dst + offsets, tile, mask=offsets < n)  # FINDS: GL8004 NarrowAccess


# RUN: element_by_element src=randn(256,f32) dst=empty(256,f32) --grid 2
@gluon.jit
def element_by_element(src, dst):
    begin = gl.program_id(0) * 128
    for i in range(begin, begin + 128):
        value = gl.load(src + i)  # FINDS: GL8005 ScalarAccess
        gl.store(dst + i, value)  # FINDS: GL8005 ScalarAccess


# MENDED: block_by_block src=randn(1024,f32) dst=empty(1024,f32) --grid 2
@gluon.jit
def block_by_block(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.program_id(0) * 512 + gl.arange(0, 512, layout=layout)
    gl.store(dst + offsets, gl.load(src + offsets))


# RUN: weights_each_time src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32) n=8
@gluon.jit
def weights_each_time(src, weights, dst, n):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in range(n):
        weight = gl.load(weights + offsets)  # FINDS: GL8006 RepeatedLoad
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * weight)


# MENDED: weights_once src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32)
@gluon.jit
def weights_once(src, weights, dst):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    weight = gl.load(weights + offsets)
    for i in range(8):
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * weight)


# RUN: transpose src=randn((32,32),f32) dst=empty((32,32),f32) shared=gl.SwizzledSharedLayout(1,1,1,[1,0])
# MENDED: transpose src=randn((32,32),f32) dst=empty((32,32),f32) shared=gl.SwizzledSharedLayout(4,4,8,[1,0])
@gluon.jit
def transpose(src, dst, shared: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], shared)
    buffer.store(gl.load(src + rows * 32 + columns))
    turned = buffer.permute([1, 0]).load(layout)  # FINDS: GL8010 BankConflicts
    gl.store(dst + rows * 32 + columns, turned)


# RUN: converts_each_time src=randn((16,64),f32) bias=randn(1024,f32) dst=empty((8,16,64),f32)
@gluon.jit
def converts_each_time(src, bias, dst):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    tall: gl.constexpr = gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, wide))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :]
    tile = gl.load(src + rows * 64 + columns)
    added = gl.arange(0, 16, layout=gl.SliceLayout(1, tall)).to(gl.float32)
    total = gl.zeros([16, 64], gl.float32, tall)
    for i in range(8):
        total += gl.convert_layout(tile, tall) * added[:, None]  # FINDS: GL8011 NeedlessConversion
    gl.store(dst + rows * 64 + columns, gl.convert_layout(total, wide))


# MENDED: converts_once src=randn((16,64),f32) bias=randn(1024,f32) dst=empty((8,16,64),f32)
@gluon.jit
def converts_once(src, bias, dst):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    tall: gl.constexpr = gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, wide))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :]
    tile = gl.convert_layout(gl.load(src + rows * 64 + columns), tall)
    added = gl.arange(0, 16, layout=gl.SliceLayout(1, tall)).to(gl.float32)
    total = gl.zeros([16, 64], gl.float32, tall)
    for i in range(8):
        total += tile * added[:, None]
    gl.store(dst + rows * 64 + columns, gl.convert_layout(total, wide))


# RUN: carries_elsewhere src=randn((8,1024),f32) dst=empty(1024,f32)
@gluon.jit
def carries_elsewhere(src, dst):
    wide: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    split: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 1024, layout=wide)
    total = gl.zeros([1024], gl.float32, split)
    for i in range(8):
        there = gl.convert_layout(total, wide)  # FINDS: GL8011 NeedlessConversion
        there += gl.load(src + i * 1024 + offsets)
        total = gl.convert_layout(there, split)
    gl.store(dst + offsets, gl.convert_layout(total, wide))


# MENDED: carries_here src=randn((8,1024),f32) dst=empty(1024,f32)
@gluon.jit
def carries_here(src, dst):
    wide: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    offsets = gl.arange(0, 1024, layout=wide)
    total = gl.zeros([1024], gl.float32, wide)
    for i in range(8):
        total += gl.load(src + i * 1024 + offsets)
    gl.store(dst + offsets, total)


# RUN: there_and_back src=randn(1024,f32) dst=empty(1024,f32)
@gluon.jit
def there_and_back(src, dst):
    wide: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    split: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 1024, layout=wide)
    doubled = gl.convert_layout(gl.load(src + offsets), split) * 2
    back = gl.convert_layout(doubled, wide)  # FINDS: GL8011 NeedlessConversion
    gl.store(dst + offsets, back)


# RUN: large_buffer src=randn((32,64),f32) dst=empty((32,64),f32) ROWS=256
# MENDED: large_buffer src=randn((32,64),f32) dst=empty((32,64),f32) ROWS=32
@gluon.jit
def large_buffer(src, dst, ROWS: gl.constexpr):  # FINDS: GL8021 LowOccupancy
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    offsets = (gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None] * 64 +
               gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 8, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [ROWS, 64], shared)
    buffer.slice(0, 32).store(gl.load(src + offsets))
    gl.store(dst + offsets, buffer.slice(0, 32).load(layout))


# RUN: many_registers src=randn((128,128),f32) dst=empty((128,128),f32) M=128
# MENDED: many_registers src=randn((128,128),f32) dst=empty((128,128),f32) M=16
# NEEDS: ptxas
@gluon.jit
def many_registers(src, dst, M: gl.constexpr):  # FINDS: GL8021 LowOccupancy
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    offsets = (gl.arange(0, M, layout=gl.SliceLayout(1, layout))[:, None] * 128 +
               gl.arange(0, 128, layout=gl.SliceLayout(0, layout))[None, :])
    tile = gl.load(src + offsets)
    gl.store(dst + offsets, tile - gl.sum(tile, 0)[None, :])


# RUN: spilling src=randn((32,128),f32) dst=empty((32,128),f32) --maxnreg 24
# MENDED: spilling src=randn((32,128),f32) dst=empty((32,128),f32)
# NEEDS: ptxas
@gluon.jit
def spilling(src, dst):  # FINDS: GL8020 SpilledRegisters
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    offsets = (gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None] * 128 +
               gl.arange(0, 128, layout=gl.SliceLayout(0, layout))[None, :])
    tile = gl.load(src + offsets)
    gl.store(dst + offsets, tile - gl.sum(tile, 0)[None, :])


@gluon.jit
def fetch(src, offsets):
    return gl.load(src + offsets)  # FINDS: GL8002 StridedElements


# RUN: gathers src=randn(4096,f32) places=randint(0,4096,512,i32) dst=empty(512,f32)
@gluon.jit
def gathers(src, places, dst):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    gl.store(dst + offsets, fetch(src, gl.load(places + offsets)))


# RUN: odd_rows src=randn((16,65),f32) dst=empty((16,64),f32)
# MENDED: padded_rows src=randn((16,72),f32) dst=empty((16,64),f32)
@gluon.jit
def odd_rows(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(src + rows * 65 + columns)  # FINDS: GL8004 NarrowAccess
    gl.store(dst + rows * 64 + columns, tile)


@gluon.jit
def padded_rows(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(src + rows * 72 + columns)
    gl.store(dst + rows * 64 + columns, tile)


# RUN: copies_words src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,1],[1,32],[4,1],[1,0])
# MENDED: copies_words src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,4],[2,16],[4,1],[1,0])
@gluon.jit
def copies_words(src, dst, layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [32, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    async_copy.async_copy_global_to_shared(buffer, src + rows * 64 + columns)  # FINDS: GL8004 NarrowAccess
    async_copy.commit_group()
    async_copy.wait_group(0)
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    places = (gl.arange(0, 32, layout=gl.SliceLayout(1, wide))[:, None] * 64 +
              gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :])
    gl.store(dst + places, buffer.load(wide))


# RUN: plain_operands a=randn((64,64),f16) c=empty((64,64),f32) shared=gl.SwizzledSharedLayout(1,1,1,[1,0])
# MENDED: plain_operands a=randn((64,64),f16) c=empty((64,64),f32) shared=gl.SwizzledSharedLayout(8,1,8,[1,0])
@gluon.jit
def plain_operands(a, c, shared: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    offsets = (gl.arange(0, 64, layout=gl.SliceLayout(1, wide))[:, None] * 64 +
               gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :])
    buffer = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    buffer.store(gl.load(a + offsets))
    product: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
    left = buffer.load(gl.DotOperandLayout(0, product, 2))  # FINDS: GL8010 BankConflicts
    right = buffer.load(gl.DotOperandLayout(1, product, 2))  # FINDS: GL8010 BankConflicts
    total = mma_v2(left, right, gl.zeros([64, 64], gl.float32, product))
    full: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    places = (gl.arange(0, 64, layout=gl.SliceLayout(1, full))[:, None] * 64 +
              gl.arange(0, 64, layout=gl.SliceLayout(0, full))[None, :])
    gl.store(c + places, gl.convert_layout(total, full))


# RUN: adds_to_columns src=randn(512,f32) sums=zeros(8192,f32) stride=16 layout=gl.BlockedLayout([1],[32],[4],[0])
# MENDED: adds_to_columns src=randn(512,f32) sums=zeros(8192,f32) stride=1 layout=gl.BlockedLayout([1],[32],[4],[0])
@gluon.jit
def adds_to_columns(src, sums, stride, layout: gl.constexpr):
    each = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    value = gl.convert_layout(gl.load(src + each), layout)
    gl.atomic_add(sums + gl.arange(0, 512, layout=layout) * stride, value)  # FINDS: GL8002 StridedElements


# RUN: adds_fours src=randn(512,f32) sums=zeros(512,f32) layout=gl.BlockedLayout([4],[32],[4],[0])
# MENDED: adds_fours src=randn(512,f32) sums=zeros(512,f32) layout=gl.BlockedLayout([1],[32],[4],[0])
@gluon.jit
def adds_fours(src, sums, layout: gl.constexpr):
    each = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    value = gl.convert_layout(gl.load(src + each), layout)
    gl.atomic_add(sums + gl.arange(0, 512, layout=layout), value)  # FINDS: GL8001 UncoalescedAccess


# RUN: copies_then_waits src=randn((8,512),f32) dst=empty((8,512),f32)
@gluon.jit
def copies_then_waits(src, dst):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    buffer = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for i in range(8):
        async_copy.async_copy_global_to_shared(buffer, src + i * 512 + offsets)
        async_copy.commit_group()
        async_copy.wait_group(0)  # FINDS: GL8030 WaitAlone
        gl.store(dst + i * 512 + offsets, buffer.load(offsets.type.layout) * 2)


# MENDED: copies_ahead src=randn((8,512),f32) dst=empty((8,512),f32)
@gluon.jit
def copies_ahead(src, dst):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    ring = gl.allocate_shared_memory(gl.float32, [2, 512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    async_copy.async_copy_global_to_shared(ring.index(0), src + offsets)
    async_copy.commit_group()
    for i in range(8):
        async_copy.async_copy_global_to_shared(ring.index((i + 1) % 2), src + (i + 1) % 8 * 512 + offsets)
        async_copy.commit_group()
        async_copy.wait_group(1)
        gl.store(dst + i * 512 + offsets, ring.index(i % 2).load(offsets.type.layout) * 2)
    async_copy.wait_group(0)


# RUN: boxes_then_waits src=randn((128,64),f16) dst=empty((128,64),f16)
@gluon.jit
def boxes_then_waits(src, dst):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    boxes = tma.make_tensor_descriptor(src, [128, 64], [64, 1], [32, 64], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [32, 64], shared)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    for i in range(4):
        mbarrier.expect(bar, boxes.nbytes_per_cta)
        tma.async_load(boxes, [i * 32, 0], bar, buffer)
        mbarrier.wait(bar, i & 1)  # FINDS: GL8030 WaitAlone
        gl.store(dst + (i * 32 + rows) * 64 + columns, buffer.load(layout))
    mbarrier.invalidate(bar)


# MENDED: boxes_ahead src=randn((128,64),f16) dst=empty((128,64),f16)
@gluon.jit
def boxes_ahead(src, dst):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    boxes = tma.make_tensor_descriptor(src, [128, 64], [64, 1], [32, 64], shared)
    ring = gl.allocate_shared_memory(gl.float16, [2, 32, 64], shared)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    mbarrier.expect(bars.index(0), boxes.nbytes_per_cta)
    tma.async_load(boxes, [0, 0], bars.index(0), ring.index(0))
    for i in range(4):
        mbarrier.expect(bars.index((i + 1) % 2), boxes.nbytes_per_cta)
        tma.async_load(boxes, [(i + 1) % 4 * 32, 0], bars.index((i + 1) % 2), ring.index((i + 1) % 2))
        mbarrier.wait(bars.index(i % 2), i // 2 & 1)
        gl.store(dst + (i * 32 + rows) * 64 + columns, ring.index(i % 2).load(layout))
    mbarrier.wait(bars.index(0), 0)
    for i in gl.static_range(2):
        mbarrier.invalidate(bars.index(i))


# RUN: product_then_copies a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) EARLY=False
# MENDED: product_then_copies a=randn((64,256),f16) b=randn((256,64),f16) c=empty((64,64),f32) EARLY=True
@gluon.jit
def product_then_copies(a, b, c, EARLY: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    sums: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    of_a = tma.make_tensor_descriptor(a, [64, 256], [256, 1], [64, 64], shared)
    of_b = tma.make_tensor_descriptor(b, [256, 64], [64, 1], [64, 64], shared)
    xs = gl.allocate_shared_memory(gl.float16, [2, 64, 64], shared)
    ys = gl.allocate_shared_memory(gl.float16, [2, 64, 64], shared)
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bars.index(i), count=1)
    bring(of_a, of_b, xs, ys, bars, 0)
    z = gl.zeros([64, 64], gl.float32, sums)
    for k in gl.static_range(4):
        mbarrier.wait(bars.index(k % 2), k // 2 & 1)  # FINDS: GL8030 WaitAlone
        z = warpgroup_mma(xs.index(k % 2), ys.index(k % 2), z, is_async=True)
        if EARLY and k < 3:
            bring(of_a, of_b, xs, ys, bars, k + 1)
        z = warpgroup_mma_wait(0, deps=[z])  # FINDS: GL8030 WaitAlone
        if not EARLY and k < 3:
            bring(of_a, of_b, xs, ys, bars, k + 1)
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, sums))[:, None]
    gl.store(c + rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, sums))[None, :], z)
    for i in gl.static_range(2):
        mbarrier.invalidate(bars.index(i))


@gluon.jit
def bring(of_a, of_b, xs, ys, bars, k):
    bar = bars.index(k % 2)
    mbarrier.expect(bar, of_a.nbytes_per_cta + of_b.nbytes_per_cta)
    tma.async_load(of_a, [0, k * 64], bar, xs.index(k % 2))
    tma.async_load(of_b, [k * 64, 0], bar, ys.index(k % 2))


# RUN: stores_then_waits src=randn((128,64),f16) dst=empty((128,64),f16) LATE=False
# MENDED: stores_then_waits src=randn((128,64),f16) dst=empty((128,64),f16) LATE=True
@gluon.jit
def stores_then_waits(src, dst, LATE: gl.constexpr):
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    boxes = tma.make_tensor_descriptor(dst, [128, 64], [64, 1], [32, 64], shared)
    buffer = gl.allocate_shared_memory(gl.float16, [32, 64], shared)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    for i in range(4):
        tile = gl.load(src + (i * 32 + rows) * 64 + columns)
        if LATE:
            tma.store_wait(0)
        buffer.store(tile)
        fence_async_shared()
        tma.async_store(boxes, [i * 32, 0], buffer)
        if not LATE:
            tma.store_wait(0)  # FINDS: GL8030 WaitAlone
    tma.store_wait(0)


@gluon.jit
def brings(boxes, ring, full, empty):
    SLOTS: gl.constexpr = ring.shape[0]
    for i in range(4):
        mbarrier.wait(empty.index(i % SLOTS), (i // SLOTS & 1) ^ 1)
        mbarrier.expect(full.index(i % SLOTS), boxes.nbytes_per_cta)
        tma.async_load(boxes, [i * 32, 0], full.index(i % SLOTS), ring.index(i % SLOTS))


@gluon.jit
def doubles(dst, ring, full, empty, EARLY: gl.constexpr):
    SLOTS: gl.constexpr = ring.shape[0]
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    for i in range(4):
        mbarrier.wait(full.index(i % SLOTS), i // SLOTS & 1)  # FINDS: GL8030 WaitAlone
        tile = ring.index(i % SLOTS).load(layout)
        if EARLY:
            mbarrier.arrive(empty.index(i % SLOTS))
        gl.store(dst + (i * 32 + rows) * 64 + columns, tile * 2)
        if not EARLY:
            mbarrier.arrive(empty.index(i % SLOTS))


# RUN: takes_turns src=randn((128,64),f16) dst=empty((128,64),f16) SLOTS=1 EARLY=False
# MENDED: takes_turns src=randn((128,64),f16) dst=empty((128,64),f16) SLOTS=2 EARLY=False
# MENDED: takes_turns src=randn((128,64),f16) dst=empty((128,64),f16) SLOTS=1 EARLY=True
@gluon.jit
def takes_turns(src, dst, SLOTS: gl.constexpr, EARLY: gl.constexpr):
    """One partition brings what the other one doubles, in a buffer that goes to and fro."""
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, 2)
    boxes = tma.make_tensor_descriptor(src, [128, 64], [64, 1], [32, 64], shared)
    ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 32, 64], shared)
    full = mbarrier.allocate_mbarrier(batch=SLOTS)
    empty = mbarrier.allocate_mbarrier(batch=SLOTS)
    for i in gl.static_range(SLOTS):
        mbarrier.init(full.index(i), count=1)
        mbarrier.init(empty.index(i), count=1)
    gl.warp_specialize([
        (doubles, (dst, ring, full, empty, EARLY)),
        (brings, (boxes, ring, full, empty)),
    ], [1], [24])


# RUN: column_sums src=randn((64,512),f32) dst=empty(512,f32) layout=gl.BlockedLayout([1,4],[1,32],[4,1],[1,0])
# MENDED: column_sums src=randn((64,512),f32) dst=empty(512,f32) layout=gl.BlockedLayout([1,4],[1,32],[1,4],[1,0])
@gluon.jit
def column_sums(src, dst, layout: gl.constexpr):
    """Warps meet in shared memory, unless each has whole columns."""
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 512, layout=gl.SliceLayout(0, layout))
    tile = gl.load(src + rows * 512 + columns[None, :])
    gl.store(dst + columns, gl.sum(tile, 0))  # FINDS: GL8010 BankConflicts


@gluon.jit
def largest(x, y):
    return gl.maximum(x, y)


# RUN: column_maxima src=randn((64,512),f32) dst=empty(512,f32) layout=gl.BlockedLayout([1,4],[1,32],[4,1],[1,0])
# MENDED: column_maxima src=randn((64,512),f32) dst=empty(512,f32) layout=gl.BlockedLayout([1,4],[1,32],[1,4],[1,0])
@gluon.jit
def column_maxima(src, dst, layout: gl.constexpr):
    """The exchange is the reduction's, and not at a line of the function that combines."""
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 512, layout=gl.SliceLayout(0, layout))
    tile = gl.load(src + rows * 512 + columns[None, :])
    gl.store(dst + columns, gl.reduce(tile, 0, largest))  # FINDS: GL8010 BankConflicts


# RUN: rows_upside_down src=randn((64,64),f32) dst=empty((64,64),f32)
@gluon.jit
def rows_upside_down(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(src + rows * 64 + columns)
    turned = gl.gather(tile, 63 - rows + 0 * columns, axis=0)  # FINDS: GL8010 BankConflicts
    gl.store(dst + rows * 64 + columns, turned)


@gluon.jit(noinline=True)
def turn_in(buffer, begin):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    buffer.permute([1, 0]).store(begin + rows * 32 + columns)  # FINDS: GL8010 BankConflicts


# RUN: turned_elsewhere dst=empty((32,32),i32) begin=5
@gluon.jit
def turned_elsewhere(dst, begin):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.int32, [32, 32], gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))
    turn_in(buffer, begin)
    gl.store(dst + rows * 32 + columns, buffer.load(layout))


# RUN: weights_written_out src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32)
@gluon.jit
def weights_written_out(src, weights, dst):
    """Each copy of the loop has a load of its own."""
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in gl.static_range(8):
        weight = gl.load(weights + offsets)  # FINDS: GL8006 RepeatedLoad
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * weight)


# RUN: weights_few_times src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32)
@gluon.jit
def weights_few_times(src, weights, dst):
    """The compiler writes this loop out."""
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in range(8):
        weight = gl.load(weights + offsets)  # FINDS: GL8006 RepeatedLoad
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * weight)


# RUN: loaded_twice src=randn(4096,f32) dst=empty(8192,f32) n=8
@gluon.jit
def loaded_twice(src, dst, n):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in range(n):
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * 2.0)
        again = gl.load(src + 512 * i + offsets)  # FINDS: GL8006 RepeatedLoad
        gl.store(dst + 4096 + 512 * i + offsets, again + 1.0)


# MENDED: steps_in_place data=randn(512,f32) n=8
@gluon.jit
def steps_in_place(data, n):
    """What is loaded again has been stored in between."""
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in range(n):
        gl.store(data + offsets, gl.load(data + offsets) * 2.0)


# MENDED: steps_written_out data=randn(512,f32)
@gluon.jit
def steps_written_out(data):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in gl.static_range(8):
        gl.store(data + offsets, gl.load(data + offsets) * 2.0)
