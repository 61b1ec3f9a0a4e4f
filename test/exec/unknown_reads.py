"""Loads of what nobody knows, where a GPU gives anything: faults, unless the run lets them be."""

# RUN: behind_the_end x='randn(100, f32)' y='zeros(100, f32)' --grid 1
# FAULT: OutOfBoundsAccess
# RUN: behind_the_end x='randn(100, f32)' y='zeros(100, f32)' --grid 1 --unknown-reads ignore
# EXPECT: y == x
# RUN: behind_the_end x='randn(100, f32)' y='zeros(100, f32)' --grid 1 --unknown-reads warn
# EXPECT: y == x
# RUN: far_away x='randn(100, f32)' y='zeros(100, f32)' --grid 1 --unknown-reads ignore
# FAULT: OutOfBoundsAccess
# RUN: stored_behind x='randn(128, f32)' y='zeros(100, f32)' --grid 1 --unknown-reads ignore
# FAULT: OutOfBoundsAccess
# RUN: half_written x='randn(128, f32)' y='zeros(128, f32)' --grid 1
# FAULT: UninitializedSharedRead
# RUN: half_written x='randn(128, f32)' y='zeros(128, f32)' --grid 1 --unknown-reads ignore
# EXPECT: y[0:64] == x[0:64]
# RUN: by_box x='randn((60, 32), f16)' y='zeros((60, 32), f16)' --grid 1 --target hip:gfx1250
# FAULT: OutOfBoundsAccess
# RUN: by_box x='randn((60, 32), f16)' y='zeros((60, 32), f16)' --grid 1 --target hip:gfx1250 --unknown-reads ignore
# EXPECT: y == x

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna5

LINE = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))


@gluon.jit
def behind_the_end(x, y):
    i = gl.arange(0, 128, layout=LINE)
    gl.store(y + i, gl.load(x + i), mask=i < 100)


@gluon.jit
def far_away(x, y):
    i = gl.arange(0, 128, layout=LINE).to(gl.int64) << 40
    gl.store(y + gl.arange(0, 128, layout=LINE), gl.load(x + i), mask=i < 100)


@gluon.jit
def stored_behind(x, y):
    i = gl.arange(0, 128, layout=LINE)
    gl.store(y + i, gl.load(x + i))


@gluon.jit
def half_written(x, y):
    smem = gl.allocate_shared_memory(gl.float32, [128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, 64, layout=LINE)
    smem.slice(0, 64).store(gl.load(x + i))
    gl.store(y + gl.arange(0, 128, layout=LINE), smem.load(LINE))


@gluon.jit
def by_box(x, y):
    """The descriptor promises four rows more than there are."""
    rows: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    desc = cdna5.tdm.make_tensor_descriptor(x, [64, 32], [32, 1], [64, 32], rows)
    smem = gl.allocate_shared_memory(gl.float16, [64, 32], rows)
    cdna5.tdm.async_load(desc, [0, 0], smem)
    cdna5.tdm.async_wait(0)
    row = gl.arange(0, 64, layout=gl.SliceLayout(1, tile))[:, None]
    column = gl.arange(0, 32, layout=gl.SliceLayout(0, tile))[None, :]
    gl.store(y + row * 32 + column, smem.load(tile), mask=(row < 60) & (column < 32))
