"""Kernels that pay for nothing, each at a line that says what explain finds there.

`# RUN: KERNEL ARGUMENTS` explains a kernel: it has to find what comments of its lines name, and
nothing else. `# MENDED:` is the same launch without the mistake, in which nothing is found.
"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2


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


# RUN: weights_each_time src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32)
@gluon.jit
def weights_each_time(src, weights, dst):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([4], [32], [4], [0]))
    for i in range(8):
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
