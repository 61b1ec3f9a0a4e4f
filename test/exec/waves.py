"""Warps of 64 lanes, as AMD's CDNA has them; the simulator takes them from the target."""

# RUN: copy src='randn(1000, f32)' dst='empty(1000, f32)' n=1000 --grid 2 --target hip:gfx942
# EXPECT: dst == src
# RUN: sums src='randint(-9, 9, (8, 256), i32)' rows='empty(8, i32)' columns='empty(256, i32)' --grid 1 --target hip:gfx942
# EXPECT: abs(rows - src.sum(1)).max() + abs(columns - src.sum(0)).max() == 0
# RUN: scans src='randint(-9, 9, 512, i32)' dst='empty(512, i32)' --grid 1 --target hip:gfx950
# EXPECT: dst[0] == src[0] and dst[511] == src.sum() and dst[1:] - dst[:511] == src[1:]
# RUN: through_shared src='randn((64, 32), f16)' dst='empty((32, 64), f16)' --grid 1 --target hip:gfx942
# EXPECT: dst == src.T
# RUN: fragments a='randint(-4, 4, (32, 16), f16)' b='randint(-4, 4, (16, 32), f16)' c='empty((32, 32), f32)' --grid 1 --target hip:gfx942
# EXPECT: c == a @ b

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(src, dst, n):
    i = gl.program_id(0) * 512 + gl.arange(0, 512, layout=gl.BlockedLayout([2], [64], [4], [0]))
    gl.store(dst + i, gl.load(src + i, mask=i < n), mask=i < n)


@gluon.jit
def sums(src, rows, columns):
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [2, 2], [1, 0])
    row = gl.arange(0, 8, layout=gl.SliceLayout(1, tile))
    column = gl.arange(0, 256, layout=gl.SliceLayout(0, tile))
    x = gl.load(src + row[:, None] * 256 + column[None, :])
    gl.store(rows + row, gl.sum(x, 1))
    gl.store(columns + column, gl.sum(x, 0))


@gluon.jit
def add(a, b):
    return a + b


@gluon.jit
def scans(src, dst):
    i = gl.arange(0, 512, layout=gl.BlockedLayout([2], [64], [4], [0]))
    gl.store(dst + i, gl.associative_scan(gl.load(src + i), 0, add))


@gluon.jit
def through_shared(src, dst):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [8, 8], [1, 4], [0, 1])
    m = gl.arange(0, 64, layout=gl.SliceLayout(1, rows))
    n = gl.arange(0, 32, layout=gl.SliceLayout(0, rows))
    buffer = gl.allocate_shared_memory(gl.float16, [64, 32], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    buffer.store(gl.load(src + m[:, None] * 32 + n[None, :]))
    x = buffer.load(columns)
    m = gl.arange(0, 64, layout=gl.SliceLayout(1, columns))
    n = gl.arange(0, 32, layout=gl.SliceLayout(0, columns))
    gl.store(dst + n[None, :] * 64 + m[:, None], x)


@gluon.jit
def fragments(a, b, c):
    """Operands and sums lie as MFMA has them; the product is one of FMAs on other layouts."""
    sums: gl.constexpr = gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [4, 1])
    plain: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0])
    m = gl.arange(0, 32, layout=gl.SliceLayout(1, plain))
    n = gl.arange(0, 32, layout=gl.SliceLayout(0, plain))
    total = gl.zeros([32, 32], gl.float32, plain)
    for k in gl.static_range(16):
        x = gl.load(a + m * 16 + k).to(gl.float32)
        y = gl.load(b + k * 32 + n).to(gl.float32)
        total += x[:, None] * y[None, :]
    total = gl.convert_layout(total, sums)
    m = gl.arange(0, 32, layout=gl.SliceLayout(1, sums))
    n = gl.arange(0, 32, layout=gl.SliceLayout(0, sums))
    gl.store(c + m[:, None] * 32 + n[None, :], total)
