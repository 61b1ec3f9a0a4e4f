"""A product in one step that needs 600 of the 1,024 registers that a wave of gfx1250 has."""

# RUN: one_step a='randint(-8, 9, (256, 256), gl.float8e4nv)' b='randint(-8, 9, (256, 128), gl.float8e5)' c='empty((256, 128), f32)' row=256 --grid 1 --target hip:gfx1250
# EXPECT: c == a.to(f32) @ b.to(f32)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

MMA: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 128])
ROWS: gl.constexpr = gl.BlockedLayout([1, 16], [8, 4], [4, 1], [1, 0])


@gluon.jit
def one_step(a, b, c, row):
    # Strides are known only when the kernel runs: each address is computed.
    i = gl.arange(0, 256, gl.SliceLayout(1, ROWS))[:, None]
    j = gl.arange(0, 256, gl.SliceLayout(0, ROWS))[None, :]
    k = gl.arange(0, 128, gl.SliceLayout(0, ROWS))[None, :]
    x = gl.convert_layout(gl.load(a + i * row + j * (row // 256)), gl.DotOperandLayout(0, MMA, 16))
    y = gl.convert_layout(gl.load(b + i * (row // 2) + k * (row // 256)), gl.DotOperandLayout(1, MMA, 16))
    product = gl.amd.cdna5.wmma_scaled(x, None, "e4m3", y, None, "e5m2", gl.zeros([256, 128], gl.float32, MMA))
    m = gl.arange(0, 256, gl.SliceLayout(1, MMA))[:, None]
    n = gl.arange(0, 128, gl.SliceLayout(0, MMA))[None, :]
    gl.store(c + m * 128 + n, product)
