"""Conversions of bytes within a thread: words of AMD's chips are made by v_perm_b32."""

# RUN: transposed x='randint(-128, 128, (128, 4), i8)' y='empty((128, 4), i8)' LANES=32 --grid 1 --num-warps 1
# EXPECT: y == x
# RUN: transposed x='randint(-128, 128, (256, 4), i8)' y='empty((256, 4), i8)' LANES=64 --grid 1 --num-warps 1 --target hip:gfx942
# EXPECT: y == x
# RUN: joined x='randint(-128, 128, 256, i8)' z='zeros(256, i8)' y='empty((256, 2), i8)' --grid 1 --num-warps 1
# EXPECT: y[:, 0] == x
# RUN: joined x='zeros(256, i8)' z='randint(-128, 128, 256, i8)' y='empty((256, 2), i8)' --grid 1 --num-warps 1
# EXPECT: y[:, 1] == z

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

LINE: gl.constexpr = gl.BlockedLayout([8], [32], [1], [0])


@gluon.jit
def transposed(x, y, LANES: gl.constexpr):
    # Four by four bytes of a thread, by rows and by columns.
    rows: gl.constexpr = gl.BlockedLayout([4, 4], [LANES, 1], [1, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 4], [LANES, 1], [1, 1], [0, 1])
    M: gl.constexpr = 4 * LANES
    i = gl.arange(0, M, gl.SliceLayout(1, rows))[:, None]
    at = i * 4 + gl.arange(0, 4, gl.SliceLayout(0, rows))[None, :]
    buffer = gl.allocate_shared_memory(gl.int8, [M, 4], gl.SwizzledSharedLayout(1, 1, 1, [0, 1]))
    buffer.store(gl.convert_layout(gl.load(x + at), columns))
    gl.store(y + at, buffer.load(rows))


@gluon.jit
def joined(x, z, y):
    i = gl.arange(0, 256, LINE)
    at = gl.join(2 * i, 2 * i + 1)
    gl.store(y + at, gl.join(gl.load(x + i), gl.load(z + i)))
