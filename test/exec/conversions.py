"""convert_layout between layouts that need registers, shuffles or shared memory."""

# RUN: convert_1d src='randn(1024, f32)' dst='empty(1024, f32)' N=1024 \
#   first='gl.BlockedLayout([1], [32], [4], [0])' second='gl.BlockedLayout([8], [32], [4], [0])' --grid 1
# EXPECT: dst == src
# RUN: convert_1d src='randint(-100, 100, 512, i8)' dst='empty(512, i8)' N=512 \
#   first='gl.BlockedLayout([4], [32], [4], [0])' second='gl.BlockedLayout([1], [32], [4], [0])' --grid 1
# EXPECT: dst == src
# RUN: convert_1d src='randn(2048, f64)' dst='empty(2048, f64)' N=2048 \
#   first='gl.BlockedLayout([2], [32], [8], [0])' second='gl.BlockedLayout([16], [32], [8], [0])' --grid 1 --num-warps 8
# EXPECT: dst == src
# RUN: convert_1d src='randn(64, f32)' dst='empty(64, f32)' N=64 \
#   first='gl.BlockedLayout([1], [32], [4], [0])' second='gl.BlockedLayout([2], [32], [4], [0])' --grid 1
# EXPECT: dst == src
# RUN: convert_2d src='randn((64, 32), f32)' dst='empty((64, 32), f32)' M=64 N=32 \
#   first='gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])' second='gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])' --grid 1
# EXPECT: dst == src
# RUN: convert_2d src='randn((32, 32), f16)' dst='empty((32, 32), f16)' M=32 N=32 \
#   first='gl.BlockedLayout([1, 2], [2, 16], [4, 1], [1, 0])' second='gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])' --grid 1
# EXPECT: dst == src
# RUN: convert_2d src='randn((16, 16), f32)' dst='empty((16, 16), f32)' M=16 N=16 \
#   first='gl.BlockedLayout([1, 1], [2, 16], [1, 1], [1, 0])' second='gl.BlockedLayout([1, 1], [16, 2], [1, 1], [0, 1])' --grid 1 --num-warps 1
# EXPECT: dst == src
# RUN: convert_2d src='randn((128, 128), f32)' dst='empty((128, 128), f32)' M=128 N=128 \
#   first='gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])' second='gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])' --grid 1
# EXPECT: dst == src
# RUN: broadcast_rows v='randn(64, f32)' dst='empty((32, 64), f32)' --grid 1
# EXPECT: dst == v + zeros((32, 64), f32)
# RUN: two_conversions src='randn((64, 64), f32)' dst='empty((64, 64), f32)' --grid 1
# EXPECT: dst.T == src
# Buffers leave 19,456, 8,192 and 4,096 bytes to conversions that would take 32,768: they go in passes, the last one in narrower vectors, too.
# RUN: little_room src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 128), f32)' y='zeros(128, f32)' WORDS=53248 --grid 1 --target cuda:90a
# EXPECT: (dst == src + 1) & (y == 2)
# RUN: little_room src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 128), f32)' y='zeros(128, f32)' WORDS=56064 --grid 1 --target cuda:90a
# EXPECT: (dst == src + 1) & (y == 2)
# RUN: little_room src='randint(-99, 99, (128, 128), f32)' dst='empty((128, 128), f32)' y='zeros(128, f32)' WORDS=57088 --grid 1 --target cuda:90a
# EXPECT: (dst == src + 1) & (y == 2)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def convert_1d(src, dst, N: gl.constexpr, first: gl.constexpr, second: gl.constexpr):
    tile = gl.load(src + gl.arange(0, N, layout=first))
    gl.store(dst + gl.arange(0, N, layout=second), gl.convert_layout(tile, second))


@gluon.jit
def offsets_2d(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    r = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return r[:, None] * N + c[None, :]


@gluon.jit
def convert_2d(src, dst, M: gl.constexpr, N: gl.constexpr, first: gl.constexpr, second: gl.constexpr):
    tile = gl.load(src + offsets_2d(M, N, first))
    gl.store(dst + offsets_2d(M, N, second), gl.convert_layout(tile, second))


@gluon.jit
def broadcast_rows(v, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [2, 2], [1, 0])
    flat: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    line = gl.convert_layout(gl.load(v + gl.arange(0, 64, layout=flat)), gl.SliceLayout(0, layout))
    tile = line[None, :] + gl.zeros([32, 64], gl.float32, layout)
    gl.store(dst + offsets_2d(32, 64, layout), tile)


@gluon.jit
def two_conversions(src, dst):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    cols: gl.constexpr = gl.BlockedLayout([4, 1], [16, 2], [1, 4], [0, 1])
    tile = gl.convert_layout(gl.load(src + offsets_2d(64, 64, rows)), cols)
    again = gl.convert_layout(gl.convert_layout(tile, rows), cols)
    r = gl.arange(0, 64, layout=gl.SliceLayout(1, cols))
    c = gl.arange(0, 64, layout=gl.SliceLayout(0, cols))
    gl.store(dst + r[:, None] + c[None, :] * 64, again)


@gluon.jit
def little_room(src, dst, y, WORDS: gl.constexpr):
    flat: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    columns: gl.constexpr = gl.BlockedLayout([128, 1], [1, 32], [1, 4], [0, 1])
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [WORDS // 128, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for i in gl.static_range(2):
        ring.index(i * (WORDS // 128 - 1)).store(gl.full([128], 1, gl.float32, flat))
    tile = gl.convert_layout(gl.load(src + offsets_2d(128, 128, columns)), rows) + 1
    gl.store(dst + offsets_2d(128, 128, rows), tile)
    total = ring.index(0).load(flat) + ring.index(WORDS // 128 - 1).load(flat)
    gl.store(y + gl.arange(0, 128, layout=flat), total)
