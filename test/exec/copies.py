"""Copies through registers in every shape that the benchmarks use."""

# RUN: copy_scalars src='randn(500, f32)' dst='empty(500, f32)' n=500 BLOCK=64 --grid 'gl.cdiv(n, BLOCK)' --num-warps 1
# EXPECT: dst == src
# RUN: copy_1d src='randn(4096, f32)' dst='empty(4096, f32)' n=4096 BLOCK=2048 \
#   layout='gl.BlockedLayout([4], [32], [4], [0])' --grid 'gl.cdiv(n, BLOCK)'
# EXPECT: dst == src
# RUN: copy_1d src='randn(4099, f16)' dst='zeros(4099, f16)' n=4099 BLOCK=1024 \
#   layout='gl.BlockedLayout([8], [32], [4], [0])' --grid 'gl.cdiv(n, BLOCK)'
# EXPECT: dst == src
# RUN: copy_1d src='randint(0, 100, 777, i8)' dst='zeros(777, i8)' n=777 BLOCK=128 \
#   layout='gl.BlockedLayout([16], [32], [4], [0])' --grid 'gl.cdiv(n, BLOCK)'
# EXPECT: dst == src
# RUN: copy_2d src='randn((100, 200), f32)' dst='empty((100, 200), f32)' rows=100 cols=200 \
#   src_row=200 src_col=1 dst_row=200 dst_col=1 ROWS=32 COLS=64 \
#   layout='gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])' --grid 'gl.cdiv(rows, ROWS), gl.cdiv(cols, COLS)'
# EXPECT: dst == src
# RUN: copy_2d src='randn((100, 200), f32)' dst='empty((200, 100), f32)' rows=100 cols=200 \
#   src_row=200 src_col=1 dst_row=1 dst_col=100 ROWS=64 COLS=64 \
#   layout='gl.BlockedLayout([2, 2], [8, 4], [2, 2], [0, 1])' --grid 'gl.cdiv(rows, ROWS), gl.cdiv(cols, COLS)'
# EXPECT: dst.T == src
# RUN: copy_2d_converted src='randn((130, 200), f32)' dst='empty((200, 130), f32)' rows=130 cols=200 \
#   src_row=200 src_col=1 dst_row=1 dst_col=130 ROWS=64 COLS=128 \
#   src_layout='gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])' \
#   dst_layout='gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])' \
#   --grid 'gl.cdiv(rows, ROWS), gl.cdiv(cols, COLS)'
# EXPECT: dst.T == src
# RUN: copy_2d_converted src='randn((64, 64), f16)' dst='empty((64, 64), f16)' rows=64 cols=64 \
#   src_row=64 src_col=1 dst_row=1 dst_col=64 ROWS=64 COLS=64 \
#   src_layout='gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])' \
#   dst_layout='gl.BlockedLayout([8, 1], [8, 4], [1, 4], [0, 1])' --grid 1
# EXPECT: dst.T == src
# Hints for caches change nothing but time.
# RUN: hinted src='randn(1000, f32)' dst='zeros(1000, f32)' n=1000 LOAD='".ca"' STORE='".wb"' EVICT='"evict_first"' \
#   VOLATILE=False --grid 1
# EXPECT: dst == src
# RUN: hinted src='randn(1000, f32)' dst='zeros(1000, f32)' n=1000 LOAD='".cg"' STORE='".cg"' EVICT='"evict_last"' \
#   VOLATILE=False --grid 1
# EXPECT: dst == src
# RUN: hinted src='randn(1000, f32)' dst='zeros(1000, f32)' n=1000 LOAD='".cv"' STORE='".wt"' EVICT='""' \
#   VOLATILE=True --grid 1
# EXPECT: dst == src
# RUN: hinted src='randn(1000, f32)' dst='zeros(1000, f32)' n=1000 LOAD='""' STORE='".cs"' EVICT='"evict_last"' \
#   VOLATILE=False --grid 1
# EXPECT: dst == src
# RUN: hinted_async src='randn(1024, f32)' dst='zeros(1024, f32)' n=1024 CACHE='".ca"' EVICT='""' PER=4 --grid 1
# EXPECT: all(dst[:1024] == src[:1024])
# RUN: hinted_async src='randn(1024, f32)' dst='zeros(1024, f32)' n=1000 CACHE='".cg"' EVICT='"evict_first"' PER=4 --grid 1
# EXPECT: all(dst[:1000] == src[:1000]) & all(dst[1000:] == 0)
# RUN: hinted_async src='randn(1024, f16)' dst='zeros(1024, f16)' n=1008 CACHE='".ca"' EVICT='"evict_last"' PER=2 --grid 1
# EXPECT: all(dst[:1008] == src[:1008]) & all(dst[1008:] == 0)
# RUN: hinted_async src='randn(1024, f16)' dst='zeros(1024, f16)' n=1024 CACHE='""' EVICT='"evict_first"' PER=8 --grid 1
# EXPECT: all(dst[:1024] == src[:1024])
# RUN: hinted_async src='randint(-99, 99, 1024, i8)' dst='zeros(1024, i8)' n=1024 CACHE='".cg"' EVICT='"evict_last"' PER=16 --grid 1
# EXPECT: all(dst[:1024] == src[:1024])

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy


@gluon.jit
def copy_scalars(src, dst, n, BLOCK: gl.constexpr):
    first = gl.program_id(0) * BLOCK
    last = min(first + BLOCK, n)
    for i in range(first, last):
        gl.store(dst + i, gl.load(src + i))


@gluon.jit
def copy_1d(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=inside), mask=inside)


@gluon.jit
def tile_of(row, col, rows, cols, row_stride, col_stride,  #
            layout: gl.constexpr, ROWS: gl.constexpr, COLS: gl.constexpr):
    r = (row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout)))[:, None]
    c = (col + gl.arange(0, COLS, layout=gl.SliceLayout(0, layout)))[None, :]
    return r * row_stride + c * col_stride, (r < rows) & (c < cols)


@gluon.jit
def copy_2d(src, dst, rows, cols, src_row, src_col, dst_row, dst_col,  #
            layout: gl.constexpr, ROWS: gl.constexpr, COLS: gl.constexpr):
    row = gl.program_id(0) * ROWS
    col = gl.program_id(1) * COLS
    src_offsets, inside = tile_of(row, col, rows, cols, src_row, src_col, layout, ROWS, COLS)
    dst_offsets, _ = tile_of(row, col, rows, cols, dst_row, dst_col, layout, ROWS, COLS)
    gl.store(dst + dst_offsets, gl.load(src + src_offsets, mask=inside), mask=inside)


@gluon.jit
def copy_2d_converted(src, dst, rows, cols, src_row, src_col, dst_row, dst_col,  #
                      src_layout: gl.constexpr, dst_layout: gl.constexpr,  #
                      ROWS: gl.constexpr, COLS: gl.constexpr):
    row = gl.program_id(0) * ROWS
    col = gl.program_id(1) * COLS
    src_offsets, src_inside = tile_of(row, col, rows, cols, src_row, src_col, src_layout, ROWS, COLS)
    dst_offsets, dst_inside = tile_of(row, col, rows, cols, dst_row, dst_col, dst_layout, ROWS, COLS)
    tile = gl.load(src + src_offsets, mask=src_inside)
    gl.store(dst + dst_offsets, gl.convert_layout(tile, dst_layout), mask=dst_inside)


@gluon.jit
def hinted(src, dst, n, LOAD: gl.constexpr, STORE: gl.constexpr, EVICT: gl.constexpr, VOLATILE: gl.constexpr):
    offsets = gl.arange(0, 1024, layout=gl.BlockedLayout([4], [32], [4], [0]))
    inside = offsets < n
    values = gl.load(src + offsets, inside, other=0, cache_modifier=LOAD, eviction_policy=EVICT, volatile=VOLATILE)
    gl.store(dst + offsets, values, inside, cache_modifier=STORE, eviction_policy=EVICT)


@gluon.jit
def hinted_async(src, dst, n, CACHE: gl.constexpr, EVICT: gl.constexpr, PER: gl.constexpr):
    """What the mask leaves out is zero."""
    layout: gl.constexpr = gl.BlockedLayout([PER], [32], [4], [0])
    offsets = gl.arange(0, 1024, layout=layout)
    buffer = gl.allocate_shared_memory(src.dtype.element_ty, [1024], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    async_copy.async_load(buffer, src + offsets, offsets < n, cache_modifier=CACHE, eviction_policy=EVICT,
                          volatile=False)
    async_copy.commit_group()
    async_copy.wait_group()
    gl.store(dst + offsets, buffer.load(layout))
