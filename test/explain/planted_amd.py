"""What planted.py is for AMD's chips: waves of 64 lanes (gfx942, gfx950) or 32 (gfx1100, gfx1200, gfx1250), cache lines of 128 bytes, LDS."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd.cdna4 import async_copy


# RUN: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,1],[64,1],[1,4],[0,1]) --target hip:gfx942
# MENDED: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,4],[4,16],[4,1],[1,0]) --target hip:gfx942
# RUN: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,1],[32,1],[1,4],[0,1]) --target hip:gfx1250
# MENDED: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,4],[2,16],[4,1],[1,0]) --target hip:gfx1250
# RUN: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,1],[32,1],[1,4],[0,1]) --target hip:gfx1200
# MENDED: transposed_order src=randn((32,64),f32) dst=empty((32,64),f32) layout=gl.BlockedLayout([1,4],[2,16],[4,1],[1,0]) --target hip:gfx1200
@gluon.jit
def transposed_order(src, dst, layout: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    offsets = rows[:, None] * 64 + columns[None, :]
    tile = gl.load(src + offsets)  # FINDS: GL8001 UncoalescedAccess
    gl.store(dst + offsets, tile)  # FINDS: GL8001 UncoalescedAccess


# RUN: one_by_one src=randn(2048,f32) dst=empty(2048,f32) layout=gl.BlockedLayout([1],[64],[4],[0]) --target hip:gfx950
# MENDED: one_by_one src=randn(2048,f32) dst=empty(2048,f32) layout=gl.BlockedLayout([4],[64],[4],[0]) --target hip:gfx950
# RUN: one_by_one src=randn(2048,f32) dst=empty(2048,f32) layout=gl.BlockedLayout([1],[32],[4],[0]) --target hip:gfx1100
# MENDED: one_by_one src=randn(2048,f32) dst=empty(2048,f32) layout=gl.BlockedLayout([4],[32],[4],[0]) --target hip:gfx1100
@gluon.jit
def one_by_one(src, dst, layout: gl.constexpr):
    offsets = gl.arange(0, 2048, layout=layout)
    tile = gl.load(src + offsets)  # FINDS: GL8004 NarrowAccess
    gl.store(dst + offsets, tile)  # FINDS: GL8004 NarrowAccess


# RUN: weights_each_time src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32) n=8 --target hip:gfx942
@gluon.jit
def weights_each_time(src, weights, dst, n):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([2], [64], [4], [0]))
    for i in range(n):
        weight = gl.load(weights + offsets, volatile=False)  # FINDS: GL8006 RepeatedLoad
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * weight)


# RUN: weights_written_out src=randn(4096,f32) weights=randn(512,f32) dst=empty(4096,f32) --target hip:gfx942
@gluon.jit
def weights_written_out(src, weights, dst):
    offsets = gl.arange(0, 512, layout=gl.BlockedLayout([2], [64], [4], [0]))
    for i in gl.static_range(8):
        weight = gl.load(weights + offsets, volatile=False)  # FINDS: GL8006 RepeatedLoad
        tile = gl.load(src + 512 * i + offsets)
        gl.store(dst + 512 * i + offsets, tile * weight)


# RUN: transpose src=randn((32,32),f32) dst=empty((32,32),f32) shared=gl.SwizzledSharedLayout(1,1,1,[1,0]) --target hip:gfx942
# MENDED: transpose src=randn((32,32),f32) dst=empty((32,32),f32) shared=gl.SwizzledSharedLayout(4,4,8,[1,0]) --target hip:gfx942
# RUN: transpose src=randn((32,32),f32) dst=empty((32,32),f32) shared=gl.SwizzledSharedLayout(1,1,1,[1,0]) --target hip:gfx950
@gluon.jit
def transpose(src, dst, shared: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], shared)
    buffer.store(gl.load(src + rows * 32 + columns))
    turned = buffer.permute([1, 0]).load(layout)  # FINDS: GL8010 BankConflicts
    gl.store(dst + rows * 32 + columns, turned)


# RUN: large_buffer src=randn((64,64),f32) dst=empty((64,64),f32) ROWS=256 --target hip:gfx942
# MENDED: large_buffer src=randn((64,64),f32) dst=empty((64,64),f32) ROWS=64 --target hip:gfx942
@gluon.jit
def large_buffer(src, dst, ROWS: gl.constexpr):  # FINDS: GL8021 LowOccupancy
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    offsets = (gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None] * 64 +
               gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :])
    shared: gl.constexpr = gl.SwizzledSharedLayout(4, 1, 16, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [ROWS, 64], shared)
    buffer.slice(0, 64).store(gl.load(src + offsets))
    gl.store(dst + offsets, buffer.slice(0, 64).load(layout))


# RUN: many_registers src=randn((512,128),f32) dst=empty((512,128),f32) M=512 --target hip:gfx942
# MENDED: many_registers src=randn((256,128),f32) dst=empty((256,128),f32) M=32 --target hip:gfx942
@gluon.jit
def many_registers(src, dst, M: gl.constexpr):  # FINDS: GL8021 LowOccupancy
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 32], [4, 1], [1, 0])
    offsets = (gl.arange(0, M, layout=gl.SliceLayout(1, layout))[:, None] * 128 +
               gl.arange(0, 128, layout=gl.SliceLayout(0, layout))[None, :])
    tile = gl.load(src + offsets)
    gl.store(dst + offsets, tile - gl.sum(tile, 0)[None, :])


# RUN: copies_then_waits src=randn((8,1024),f32) dst=empty((8,1024),f32) --target hip:gfx950
@gluon.jit
def copies_then_waits(src, dst):
    offsets = gl.arange(0, 1024, layout=gl.BlockedLayout([4], [64], [4], [0]))
    buffer = gl.allocate_shared_memory(gl.float32, [1024], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for i in range(8):
        async_copy.global_load_to_shared(buffer, src + i * 1024 + offsets)
        async_copy.commit_group()
        async_copy.wait_group(0)  # FINDS: GL8030 WaitAlone
        gl.store(dst + i * 1024 + offsets, async_copy.load_shared_relaxed(buffer, offsets.type.layout) * 2)


# RUN: converts_each_time src=randn((16,64),f32) dst=empty((16,64),f32) ONCE=False --target hip:gfx942
# MENDED: converts_each_time src=randn((16,64),f32) dst=empty((16,64),f32) ONCE=True --target hip:gfx942
# RUN: converts_each_time src=randn((16,64),f32) dst=empty((16,64),f32) ONCE=False --target hip:gfx950
@gluon.jit
def converts_each_time(src, dst, ONCE: gl.constexpr):
    wide: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    tall: gl.constexpr = gl.BlockedLayout([4, 1], [4, 16], [1, 4], [0, 1])
    rows = gl.arange(0, 16, layout=gl.SliceLayout(1, wide))[:, None]
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :]
    tile = gl.load(src + rows * 64 + columns)
    added = gl.arange(0, 16, layout=gl.SliceLayout(1, tall)).to(gl.float32)
    total = gl.zeros([16, 64], gl.float32, tall)
    if ONCE:
        turned = gl.convert_layout(tile, tall)
        for i in range(8):
            total += turned * added[:, None]
    else:
        for i in range(8):
            total += gl.convert_layout(tile, tall) * added[:, None]  # FINDS: GL8011 NeedlessConversion
    gl.store(dst + rows * 64 + columns, gl.convert_layout(total, wide))


# RUN: column_sums src=randn((64,1024),f32) dst=empty(1024,f32) layout=gl.BlockedLayout([1,4],[1,64],[4,1],[1,0]) --target hip:gfx942
# MENDED: column_sums src=randn((64,1024),f32) dst=empty(1024,f32) layout=gl.BlockedLayout([1,4],[1,64],[1,4],[1,0]) --target hip:gfx942
# RUN: column_sums src=randn((64,1024),f32) dst=empty(1024,f32) layout=gl.BlockedLayout([1,4],[1,32],[4,1],[1,0]) --target hip:gfx1100
# MENDED: column_sums src=randn((64,1024),f32) dst=empty(1024,f32) layout=gl.BlockedLayout([1,4],[1,32],[1,4],[1,0]) --target hip:gfx1100
@gluon.jit
def column_sums(src, dst, layout: gl.constexpr):
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, layout))[:, None]
    columns = gl.arange(0, 1024, layout=gl.SliceLayout(0, layout))
    tile = gl.load(src + rows * 1024 + columns[None, :])
    gl.store(dst + columns, gl.sum(tile, 0))  # FINDS: GL8010 BankConflicts


# RUN: even_elements src=randn(4096,f32) dst=empty(2048,f32) --target hip:gfx942
@gluon.jit
def even_elements(src, dst):
    offsets = gl.arange(0, 2048, layout=gl.BlockedLayout([4], [64], [4], [0]))
    even = gl.load(src + 2 * offsets)  # FINDS: GL8002 StridedElements
    gl.store(dst + offsets, even)
