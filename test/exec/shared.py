"""Shared memory: layouts, views, rings of buffers and asynchronous copies."""

# RUN: through src='randn((64, 32), f32)' dst='empty((64, 32), f32)' M=64 N=32 \
#   smem='gl.SwizzledSharedLayout(1, 1, 1, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((64, 32), f32)' dst='empty((64, 32), f32)' M=64 N=32 \
#   smem='gl.SwizzledSharedLayout(4, 2, 4, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((32, 64), f16)' dst='empty((32, 64), f16)' M=32 N=64 \
#   smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((32, 64), f16)' dst='empty((32, 64), f16)' M=32 N=64 \
#   smem='gl.SwizzledSharedLayout(2, 4, 8, [0, 1])' --grid 1
# EXPECT: dst == src
# RUN: through src='randint(-100, 100, (64, 64), i8)' dst='empty((64, 64), i8)' M=64 N=64 \
#   smem='gl.SwizzledSharedLayout(16, 1, 4, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((16, 32), f64)' dst='empty((16, 32), f64)' M=16 N=32 \
#   smem='gl.SwizzledSharedLayout(2, 1, 8, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((32, 32), f32)' dst='empty((32, 32), f32)' M=32 N=32 \
#   smem='gl.PaddedSharedLayout.with_identity_for([[32, 4]], [32, 32], [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((32, 64), f16)' dst='empty((32, 64), f16)' M=32 N=64 \
#   smem='gl.PaddedSharedLayout.with_identity_for([[64, 8], [512, 16]], [32, 64], [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: through src='randn((4, 8), f32)' dst='empty((4, 8), f32)' M=4 N=8 \
#   smem='gl.SharedLinearLayout([[1, 0], [0, 1], [2, 0], [0, 2], [2, 4]])' --grid 1
# EXPECT: dst == src
# RUN: turned src='randn((64, 32), f32)' dst='empty((32, 64), f32)' M=64 N=32 \
#   smem='gl.SwizzledSharedLayout(1, 1, 32, [1, 0])' --grid 1
# EXPECT: dst == src.T
# RUN: turned src='randn((32, 64), f16)' dst='empty((64, 32), f16)' M=32 N=64 \
#   smem='gl.PaddedSharedLayout.with_identity_for([[64, 2]], [32, 64], [1, 0])' --grid 1
# EXPECT: dst == src.T
# RUN: exchange_halves src='randn((32, 64), f32)' dst='empty((32, 64), f32)' \
#   smem='gl.SwizzledSharedLayout(4, 1, 4, [1, 0])' --grid 1
# EXPECT: dst == src
# RUN: flattened src='randn((32, 16), f32)' dst='empty(512, f32)' --grid 1
# EXPECT: dst == src.reshape(512)
# RUN: one_element src='randn(1, f32)' dst='zeros(1, f32)' --grid 1
# EXPECT: dst == src
# RUN: reinterpreted src='randint(-1000, 1000, 256, i32)' dst='empty(256, i32)' --grid 1
# EXPECT: dst == src
# RUN: sliced_bytes src='randint(-1000, 1000, (32, 8), i32)' dst='empty((32, 8), i32)' --grid 1
# EXPECT: dst == src
# RUN: across_ring src='randint(-1000, 1000, (3, 64), i32)' dst='empty((2, 64), i32)' first=1 --grid 1
# EXPECT: dst == src[1:]
# RUN: across_ring src='randint(-1000, 1000, (3, 64), i32)' dst='empty((2, 64), i32)' first=0 --grid 1
# EXPECT: dst == src[:2]
# RUN: later_buffers src='randint(-1000, 1000, (3, 64), i32)' dst='empty((2, 64), i32)' --grid 1
# EXPECT: dst == src[1:]
# RUN: carried src='randint(-99, 99, (5, 256), f32)' dst='empty(256, f32)' n=5 --grid 1
# EXPECT: dst == src[4] + src[3]
# RUN: chosen src='randn(128, f32)' dst='empty(128, f32)' first=2 --grid 1
# EXPECT: dst == src
# RUN: chosen src='randn(128, f32)' dst='empty(128, f32)' first=0 --grid 1
# EXPECT: dst == 2 * src
# RUN: selected src='randn(128, f32)' dst='empty(128, f32)' first=2 --grid 1
# EXPECT: dst == src
# RUN: selected src='randn(128, f32)' dst='empty(128, f32)' first=0 --grid 1
# EXPECT: dst == 2 * src
# RUN: copy_async src='randn(1000, f32)' dst='zeros(1000, f32)' n=1000 BLOCK=256 \
#   --grid 'gl.cdiv(n, BLOCK)'
# EXPECT: dst == src
# RUN: copy_async src='randn(2048, f64)' dst='zeros(2048, f64)' n=2048 BLOCK=512 \
#   --grid 'gl.cdiv(n, BLOCK)'
# EXPECT: dst == src
# RUN: add_pipelined a='randint(-99, 99, (100, 200), f32)' b='randint(-99, 99, (100, 200), f32)' \
#   c='zeros((100, 200), f32)' m=100 n=200 DEPTH=1 smem='gl.SwizzledSharedLayout(1, 1, 1, [1, 0])' \
#   --grid 'gl.cdiv(m, 32)'
# EXPECT: c == a + b
# RUN: add_pipelined a='randint(-99, 99, (64, 256), f32)' b='randint(-99, 99, (64, 256), f32)' \
#   c='zeros((64, 256), f32)' m=64 n=256 DEPTH=2 smem='gl.SwizzledSharedLayout(4, 1, 8, [1, 0])' \
#   --grid 'gl.cdiv(m, 32)'
# EXPECT: c == a + b
# RUN: add_pipelined a='randint(-99, 99, (40, 70), f32)' b='randint(-99, 99, (40, 70), f32)' \
#   c='zeros((40, 70), f32)' m=40 n=70 DEPTH=3 smem='gl.SwizzledSharedLayout(1, 1, 1, [1, 0])' \
#   --grid 'gl.cdiv(m, 32)'
# EXPECT: c == a + b
# RUN: beyond_ring dst='zeros(128, f32)' i=3 --grid 1
# FAULT: ElementIndexOutOfRange
# RUN: ring_part x='arange(896, i32)' y='empty(384, i32)' --grid 1
# EXPECT: y == arange(384, i32) + 384

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    r = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return r[:, None] * N + c[None, :]


rows = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
columns = gl.constexpr(gl.BlockedLayout([2, 1], [16, 2], [1, 4], [0, 1]))
line = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def through(src, dst, M: gl.constexpr, N: gl.constexpr, smem: gl.constexpr):
    tile = gl.load(src + places(M, N, rows))
    buffer = gl.allocate_shared_memory(tile.dtype, [M, N], smem)
    gl.static_assert(buffer.rank == 2 and buffer.numel == M * N and buffer.layout == smem)
    gl.static_assert(buffer.nbytes_per_cta == M * N * tile.dtype.primitive_bitwidth // 8)
    buffer.store(tile)
    gl.store(dst + places(M, N, columns), buffer.load(columns))


@gluon.jit
def turned(src, dst, M: gl.constexpr, N: gl.constexpr, smem: gl.constexpr):
    buffer = gl.allocate_shared_memory(src.dtype.element_ty, [M, N], smem)
    buffer.store(gl.load(src + places(M, N, rows)))
    view = buffer.permute((1, 0))
    gl.static_assert(view.shape[0] == N and view.shape[1] == M)
    gl.store(dst + places(N, M, columns), view.load(columns))


# Columns are written in two slices, rows read back in four.
@gluon.jit
def exchange_halves(src, dst, smem: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [32, 64], smem)
    r = gl.arange(0, 32, layout=gl.SliceLayout(1, rows))
    c = gl.arange(0, 32, layout=gl.SliceLayout(0, rows))
    for half in gl.static_range(2):
        offsets = r[:, None] * 64 + (c + half * 32)[None, :]
        buffer.slice(half * 32, 32, dim=1).store(gl.load(src + offsets))
    for part in gl.static_range(4):
        view = buffer.slice(part * 8, 8)
        gl.store(dst + part * 8 * 64 + places(8, 64, columns), view.load(columns))


@gluon.jit
def flattened(src, dst):
    tile = gl.load(src + places(32, 16, rows))
    smem: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    buffer = gl.allocate_shared_memory(gl.float32, [32, 16], smem, tile)
    gl.store(dst + gl.arange(0, 512, layout=line), buffer.reshape([512]).load(line))


@gluon.jit
def one_element(src, dst):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    smem = gl.allocate_shared_memory(gl.float32, [1], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.reshape([1, 1]).store(gl.full([1, 1], gl.load(src), gl.float32, layout))
    gl.store(dst, gl.sum(smem.load(gl.SliceLayout(0, layout)), 0))


@gluon.jit
def reinterpreted(src, dst):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    offsets = gl.arange(0, 256, layout=line)
    buffer = gl.allocate_shared_memory(gl.int32, [256], flat, gl.load(src + offsets))
    floats = buffer.reinterpret(gl.float32, [256], flat).load(line)
    ring = buffer._reinterpret(gl.float32, [2, 128], flat)
    ring.index(0).store(ring.index(0).load(line))
    gl.store(dst + offsets, floats.to(gl.int32, bitcast=True))
    buffer._keep_alive()


@gluon.jit
def sliced_bytes(src, dst):
    """The upper half of a buffer of bytes, as words."""
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    grid: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    buffer = gl.allocate_shared_memory(gl.int8, [2048], flat)
    lower = buffer.slice(0, 1024)
    words = buffer.slice(1024, 1024)._reinterpret(gl.int32, [32, 8], grid)
    words.store(gl.load(src + places(32, 8, rows)))
    lower.store(gl.zeros([1024], gl.int8, line))
    gl.store(dst + places(32, 8, rows), words.load(rows))


@gluon.jit
def fill_ring(src):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = gl.allocate_shared_memory(gl.int32, [3, 64], flat)
    for i in gl.static_range(3):
        ring.index(i).store(gl.load(src + i * 64 + gl.arange(0, 64, layout=line)))
    return ring


@gluon.jit
def across_ring(src, dst, first):
    """One buffer and the next, which one only the program knows."""
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    both = fill_ring(src).index(first)._reinterpret(gl.int32, [128], flat)
    gl.store(dst + gl.arange(0, 128, layout=line), both.load(line))


@gluon.jit
def later_buffers(src, dst):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    both = fill_ring(src).slice(1, 2)._reinterpret(gl.int32, [128], flat)
    gl.store(dst + gl.arange(0, 128, layout=line), both.load(line))


@gluon.jit
def refill(buffers, src, i):
    buffers[0].store(gl.load(src + i * 256 + gl.arange(0, 256, layout=line)))
    return buffers[1], buffers[0]


# Two descriptors change places in every iteration.
@gluon.jit
def carried(src, dst, n):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    newer = gl.allocate_shared_memory(gl.float32, [256], flat)
    older = gl.allocate_shared_memory(gl.float32, [256], flat)
    for i in range(n):
        newer, older = refill((newer, older), src, i)
    gl.store(dst + gl.arange(0, 256, layout=line), newer.load(line) + older.load(line))


@gluon.jit
def chosen(src, dst, first):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    offsets = gl.arange(0, 128, layout=line)
    value = gl.load(src + offsets)
    once = gl.allocate_shared_memory(gl.float32, [128], flat)
    twice = gl.allocate_shared_memory(gl.float32, [128], flat)
    if first > 0:
        buffer = once
        buffer.store(value)
    else:
        buffer = twice
        buffer.store(value + value)
    gl.store(dst + offsets, buffer.load(line))


# The branches have nothing to do but to name a buffer.
@gluon.jit
def selected(src, dst, first):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    offsets = gl.arange(0, 128, layout=line)
    value = gl.load(src + offsets)
    once = gl.allocate_shared_memory(gl.float32, [128], flat, value)
    twice = gl.allocate_shared_memory(gl.float32, [128], flat, value + value)
    buffer = twice
    if first > 0:
        buffer = once
    gl.store(dst + offsets, buffer.load(line))


@gluon.jit
def copy_async(src, dst, n, BLOCK: gl.constexpr):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=line)
    buffer = gl.allocate_shared_memory(src.dtype.element_ty, [BLOCK], flat)
    async_copy.async_copy_global_to_shared(buffer, src + offsets, mask=offsets < n)
    async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(dst + offsets, buffer.load(line), mask=offsets < n)


@gluon.jit
def fetch(ring, ptrs, row_mask, cols, n, step, DEPTH: gl.constexpr):
    mask = row_mask & (step * 32 + cols < n)[None, :]
    async_copy.async_load(ring.index(step % DEPTH), ptrs + step * 32, mask)


@gluon.jit
def add_pipelined(a, b, c, m, n, DEPTH: gl.constexpr, smem: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    row = gl.program_id(0) * 32 + gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    cols = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    places = row[:, None] * n + cols[None, :]
    row_mask = (row < m)[:, None]
    a_ring = gl.allocate_shared_memory(gl.float32, [DEPTH, 32, 32], smem)
    b_ring = gl.allocate_shared_memory(gl.float32, [DEPTH, 32, 32], smem)
    for step in gl.static_range(DEPTH - 1):
        fetch(a_ring, a + places, row_mask, cols, n, step, DEPTH)
        fetch(b_ring, b + places, row_mask, cols, n, step, DEPTH)
        async_copy.commit_group()
    for step in range(gl.cdiv(n, 32)):
        fetch(a_ring, a + places, row_mask, cols, n, step + DEPTH - 1, DEPTH)
        fetch(b_ring, b + places, row_mask, cols, n, step + DEPTH - 1, DEPTH)
        async_copy.commit_group()
        async_copy.wait_group(DEPTH - 1)
        total = a_ring.index(step % DEPTH).load(layout) + b_ring.index(step % DEPTH).load(layout)
        mask = row_mask & (step * 32 + cols < n)[None, :]
        gl.store(c + places + step * 32, total, mask=mask)


@gluon.jit
def beyond_ring(dst, i):
    flat: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    ring = gl.allocate_shared_memory(gl.float32, [3, 128], flat)
    offsets = gl.arange(0, 128, layout=line)
    gl.store(dst + offsets, ring.index(i).load(line))


@gluon.jit
def ring_part(x, y):
    # Buffers 3 to 5 of a ring of seven: a part of a ring need be no power of two.
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, 128, layout=layout)
    ring = gl.allocate_shared_memory(gl.int32, [7, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    for k in range(7):
        ring.index(k).store(gl.load(x + k * 128 + i))
    part = ring.slice(3, 3)
    for k in range(3):
        gl.store(y + k * 128 + i, part.index(k).load(layout))
