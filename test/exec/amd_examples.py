"""The kernels of examples/mi300x_*, mi355x_* and gfx1250_*."""

# Edges that no tile divides; more tiles than dies.
# RUN: matmul a='randn((200, 168), f16)' b='randn((330, 168), f16)' c='empty((200, 330), f16)' m=200 n=330 k=168 \
#   a_stride=168 b_stride=168 c_stride=330 ROWS=64 COLUMNS=64 DEPTH=64 GROUP=2 DIES=8 CUT=True --grid 24 --target hip:gfx942
# EXPECT: allclose(c, a.to(f32) @ b.to(f32).T, 2e-3, 1e-3)
# RUN: matmul a='randint(-4, 5, (256, 128), bf16)' b='randint(-4, 5, (256, 128), bf16)' c='empty((256, 256), bf16)' m=256 \
#   n=256 k=128 a_stride=128 b_stride=128 c_stride=256 ROWS=256 COLUMNS=256 DEPTH=64 GROUP=4 DIES=8 CUT=False --grid 1 \
#   --num-warps 8 --target hip:gfx942
# EXPECT: c == (a.to(f32) @ b.to(f32).T).to(bf16)

# RUN: attention q='randn((2, 300, 64), f16, 1)' k='randn((2, 300, 64), f16, 2)' v='randn((2, 300, 64), f16, 3)' \
#   o='empty((2, 300, 64), f16)' c=0.125 rows=300 keys=300 q_strides='(19200, 64)' k_strides='(19200, 64)' v_strides='(19200, 64)' \
#   o_strides='(19200, 64)' D=64 CAUSAL=False p='exp(0.125 * 0.6931471805599453 * (q[0].to(f32) @ k[0].to(f32).T))' \
#   r='exp(0.125 * 0.6931471805599453 * (q[1].to(f32) @ k[1].to(f32).T))' --grid 3,2 --target hip:gfx942
# EXPECT: allclose(o[0], p @ v[0].to(f32) / p.sum(1).reshape((300, 1)), 2e-3, 1e-3) and allclose(o[1], r @ v[1].to(f32) / r.sum(1).reshape((300, 1)), 2e-3, 1e-3)
# Scores so far apart that sums shrink now and then.
# RUN: attention q='randn((1, 200, 128), bf16, 1)' k='randn((1, 300, 128), bf16, 2)' v='randn((1, 300, 128), bf16, 3)' \
#   o='empty((1, 200, 128), bf16)' c=1.0 rows=200 keys=300 q_strides='(25600, 128)' k_strides='(38400, 128)' \
#   v_strides='(38400, 128)' o_strides='(25600, 128)' D=128 CAUSAL=True i='arange(200).reshape((200, 1))' j='arange(300).reshape((1, 300))' \
#   p='where(j <= i, exp(0.6931471805599453 * (q[0].to(f32) @ k[0].to(f32).T)), 0.0)' --grid 2 --target hip:gfx942
# EXPECT: allclose(o[0], p @ v[0].to(f32) / p.sum(1).reshape((200, 1)), 2e-2, 1e-2)

# RUN: mxfp4 a='randint(0, 256, (200, 384), u8, 1)' b='randint(0, 256, (330, 384), u8, 2)' sa='randint(120, 131, (7, 3, 256), u8, 3)' \
#   sb='randint(120, 131, (11, 3, 256), u8, 4)' c='empty((200, 330), f16)' left='empty((200, 768), f32)' right='empty((330, 768), f32)' \
#   m=200 n=330 k=768 ROWS=64 COLUMNS=128 --grid 13 --target hip:gfx950
# EXPECT: allclose(c, left @ right.T, 2e-3, 1e-2)

# Edges that no tile divides; fewer steps than stages.
# RUN: with_mover a='randn((100, 168), f16)' b='randn((70, 168), f16)' c='empty((100, 70), f16)' m=100 n=70 k=168 \
#   a_stride=168 b_stride=168 c_stride=70 ROWS=64 COLUMNS=64 DEPTH=64 STAGES=3 GROUP=2 --grid 4 --target hip:gfx1250
# EXPECT: allclose(c, a.to(f32) @ b.to(f32).T, 2e-3, 1e-3)
# RUN: with_mover a='randn((70, 40), bf16)' b='randn((40, 40), bf16)' c='empty((70, 40), bf16)' m=70 n=40 k=40 \
#   a_stride=40 b_stride=40 c_stride=40 ROWS=64 COLUMNS=64 DEPTH=64 STAGES=3 GROUP=2 --grid 2 --target hip:gfx1250
# EXPECT: allclose(c, a.to(f32) @ b.to(f32).T, 1e-2, 1e-2)
# RUN: with_mover a='randint(-4, 5, (256, 256), bf16)' b='randint(-4, 5, (128, 256), bf16)' c='empty((256, 128), bf16)' m=256 \
#   n=128 k=256 a_stride=256 b_stride=256 c_stride=128 ROWS=256 COLUMNS=128 DEPTH=64 STAGES=3 GROUP=4 --grid 1 \
#   --num-warps 8 --target hip:gfx1250
# EXPECT: c == (a.to(f32) @ b.to(f32).T).to(bf16)
# 512 sums in each lane, which are more than instructions name by themselves.
# RUN: with_mover a='randn((256, 96), bf16)' b='randn((256, 96), bf16)' c='empty((256, 256), bf16)' m=256 n=256 k=96 \
#   a_stride=96 b_stride=96 c_stride=256 ROWS=256 COLUMNS=256 DEPTH=32 STAGES=2 GROUP=1 --grid 1 --target hip:gfx1250
# EXPECT: allclose(c, a @ b.T, 1e-2)

from gfx1250_matmul.matmul import matmul as with_mover
from mi300x_attention.attention import attention
from mi300x_matmul.matmul import matmul
from mi355x_matmul.matmul import matmul as multiply_mxfp4
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def decode(x, s, out, rows, k):
    """Numbers times their scales, element by element."""
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
    for row in range(0, rows, 32):
        for step in range(k // 256):
            i = row + gl.arange(0, 32, layout=gl.SliceLayout(1, pairs))
            byte = step * 128 + gl.arange(0, 128, layout=gl.SliceLayout(0, pairs))
            packed = gl.load(x + i[:, None] * (k // 2) + byte[None, :], mask=(i < rows)[:, None], other=0)
            value = gl.fp4_to_fp(packed, gl.bfloat16, axis=1).to(gl.float32)
            i = row + gl.arange(0, 32, layout=gl.SliceLayout(1, wide))
            block = gl.arange(0, 256, layout=gl.SliceLayout(0, wide)) // 32
            place = (i % 16 * 4 + i // 16 % 2 * 2)[:, None] + (block % 4 * 64 + block // 4)[None, :]
            scale = gl.load(s + (row // 32 * (k // 256) + step) * 256 + place).to(gl.float32)
            at = i[:, None] * k + (step * 256 + gl.arange(0, 256, layout=gl.SliceLayout(0, wide)))[None, :]
            gl.store(out + at, gl.convert_layout(value, wide) * gl.exp2(scale - 127), mask=(i < rows)[:, None])


@gluon.jit
def mxfp4(a, b, sa, sb, c, left, right, m, n, k, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    if gl.program_id(0) == 12:
        decode(a, sa, left, m, k)
        decode(b, sb, right, n, k)
    else:
        multiply_mxfp4(a, b, sa, sb, c, m, n, k, k // 2, k // 2, n, ROWS, COLUMNS, 2, 8)
