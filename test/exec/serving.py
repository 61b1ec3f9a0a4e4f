"""The kernels of examples/hopper_decode, of examples/hopper_matmul for experts, for scales of blocks and for few rows, and of
examples/hopper_attention for the last rows of a sequence."""

# Pages in reverse; programs that cut a head, and one without work. What lies behind the last position is not a number.
# RUN: decode q='randn((4, 64), f16, 1)' k='randn((3, 1, 32, 64), f16, 2)' v='randn((3, 1, 32, 64), f16, 3)' \
#   o='empty((4, 64), f16)' partial='empty(4224, f32)' arrived='zeros(8, i32)' table='2 - arange(3, i32)' stride=3 \
#   lengths='full(1, 70, i32)' batch=1 heads=1 c=0.125 GROUP=4 BATCH=1 STAGES=2 PAGES=3 PAGE=32 D=64 --grid 4 --target cuda:90a \
#   p='exp(0.125 * 0.6931471805599453 * (q.to(f32) @ (k[::-1] * 1.0).reshape((96, 64))[:70].to(f32).T))'
# EXPECT: allclose(o, p @ (v[::-1] * 1.0).reshape((96, 64))[:70].to(f32) / p.sum(1).reshape((4, 1)), 2e-3, 1e-3) and all(arrived == 0)
# Two sequences, the first of them empty, with two heads of keys each, for one of queries.
# RUN: decode q='randn((4, 128), bf16, 1)' k='randn((1, 2, 64, 128), bf16, 2)' v='randn((1, 2, 64, 128), bf16, 3)' \
#   o='empty((4, 128), bf16)' partial='empty(520, f32)' arrived='zeros(2, i32)' table='zeros(2, i32)' stride=1 \
#   lengths='arange(2, i32) * 50' batch=2 heads=2 c=0.125 GROUP=1 BATCH=2 STAGES=2 PAGES=2 PAGE=64 D=128 --grid 1 --target cuda:90a \
#   p='exp(0.125 * 0.6931471805599453 * (q[3:].to(f32) @ k[0, 1][:50].to(f32).T))'
# EXPECT: all(o[:2] == 0) and allclose(o[3:], p @ v[0, 1][:50].to(f32) / p.sum(1).reshape((1, 1)), 2e-2, 1e-2)

# Experts with 70, no, and 130 rows; behind them, rows of none.
# RUN: experts a='randint(-4, 5, (203, 80), bf16)' b='randint(-4, 5, (3, 136, 80), bf16)' c='full((203, 136), 7.0, bf16)' \
#   ends='where(arange(3, i32) < 2, 70, 200).to(i32)' count=3 m=203 n=136 k=80 STAGES=3 GROUP=4 BUFFERS=2 REGISTERS=200 EXPERTS=4 --grid 3 \
#   --target cuda:90a
# EXPECT: all(c[:70] == (a[:70].to(f32) @ b[0].to(f32).T).to(bf16)) and all(c[70:200] == (a[70:200].to(f32) @ b[2].to(f32).T).to(bf16)) and all(c[200:] == 7)

# Edges that no tile divides; both ways to divide a tile among consumers.
# RUN: scaled a='randint(-4, 5, (200, 336), gl.float8e4nv)' b='randint(-4, 5, (136, 336), gl.float8e4nv)' \
#   sa='randint(1, 4, (3, 200), f32)' sb='randint(1, 4, (2, 3), f32)' c='empty((200, 136), bf16)' \
#   m=200 n=136 k=336 CONSUMERS=3 STAGES=3 \
#   GROUP=4 BUFFERS=2 REGISTERS=160 --grid 3 --target cuda:90a f='sa.T.to(f32)' g='a.to(f32)' h='b.to(f32)'
# EXPECT: allclose(c[:, :128], f[:, :1] * sb[0, 0] * (g[:, :128] @ h[:128, :128].T) + f[:, 1:2] * sb[0, 1] * (g[:, 128:256] @ h[:128, 128:256].T) + f[:, 2:3] * sb[0, 2] * (g[:, 256:] @ h[:128, 256:].T), 1e-2, 1e-2) and allclose(c[:, 128:], f[:, :1] * sb[1, 0] * (g[:, :128] @ h[128:, :128].T) + f[:, 1:2] * sb[1, 1] * (g[:, 128:256] @ h[128:, 128:256].T) + f[:, 2:3] * sb[1, 2] * (g[:, 256:] @ h[128:, 256:].T), 1e-2, 1e-2)
# RUN: scaled a='randint(-4, 5, (300, 256), gl.float8e4nv)' b='randint(-4, 5, (128, 256), gl.float8e4nv)' \
#   sa='randint(1, 4, (2, 300), f32)' sb='randint(1, 4, (1, 2), f32)' c='empty((300, 128), f16)' \
#   m=300 n=128 k=256 CONSUMERS=2 STAGES=2 \
#   GROUP=4 BUFFERS=1 REGISTERS=240 --grid 1 --target cuda:90a f='sa.T.to(f32)' g='a.to(f32)' h='b.to(f32)'
# EXPECT: allclose(c, f[:, :1] * sb[0, 0] * (g[:, :128] @ h[:, :128].T) + f[:, 1:2] * sb[0, 1] * (g[:, 128:] @ h[:, 128:].T), 1e-3, 1e-2)

# Few rows: tiles that one, two and three programs share, programs without work, edges; then the same for a program alone.
# RUN: few x='randint(-4, 5, (5, 200), bf16)' w='randint(-4, 5, (200, 200), bf16)' y='empty((5, 200), f32)' \
#   partial='empty(7168, f32)' arrived='zeros(7, i32)' n=200 k=200 batch=5 ROWS=128 COLUMNS=8 DEPTH=64 STAGES=3 GATED=False --grid 7 --target cuda:90a
# EXPECT: all(y == x.to(f32) @ w.to(f32).T) and all(arrived == 0)
# RUN: few x='randint(-4, 5, (20, 512), f16)' w='randint(-4, 5, (136, 512), f16)' y='empty((20, 136), f16)' \
#   partial='empty(12288, f32)' arrived='zeros(3, i32)' n=136 k=512 batch=20 ROWS=128 COLUMNS=32 DEPTH=64 STAGES=2 GATED=False --grid 3 --target cuda:90a
# EXPECT: allclose(y, x.to(f32) @ w.to(f32).T, 1e-3) and all(arrived == 0)
# RUN: few x='randint(-4, 5, (64, 64), bf16)' w='randint(-4, 5, (256, 64), bf16)' y='empty((64, 256), bf16)' \
#   partial='empty(1, f32)' arrived='zeros(1, i32)' n=256 k=64 batch=64 ROWS=128 COLUMNS=64 DEPTH=64 STAGES=4 GATED=False --grid 1 --target cuda:90a
# EXPECT: allclose(y, x.to(f32) @ w.to(f32).T, 1e-2)
# Smaller tiles; gate and up in a tile, with and without a cut.
# RUN: few x='randint(-4, 5, (40, 72), bf16)' w='randint(-4, 5, (520, 72), bf16)' y='empty((40, 520), bf16)' \
#   partial='empty(32768, f32)' arrived='zeros(8, i32)' n=520 k=72 batch=40 ROWS=64 COLUMNS=64 DEPTH=32 STAGES=3 GATED=False --grid 8 --target cuda:90a
# EXPECT: allclose(y, x.to(f32) @ w.to(f32).T, 1e-2) and all(arrived == 0)
# RUN: few x='randint(-4, 5, (5, 200), bf16)' w='randint(-4, 5, (144, 200), bf16)' y='empty((5, 72), f32)' \
#   partial='empty(5120, f32)' arrived='zeros(5, i32)' n=144 k=200 batch=5 ROWS=128 COLUMNS=8 DEPTH=64 STAGES=3 GATED=True --grid 5 --target cuda:90a \
#   s='x.to(f32) @ w.to(f32).T * 1.0'
# EXPECT: allclose(y, s[:, :72] / (1.0 + exp(-s[:, :72])) * s[:, 72:], 1e-5, 1e-4) and all(arrived == 0)
# RUN: few x='randint(-4, 5, (33, 64), bf16)' w='randint(-4, 5, (272, 64), bf16)' y='empty((33, 136), f32)' \
#   partial='empty(1, f32)' arrived='zeros(1, i32)' n=272 k=64 batch=33 ROWS=128 COLUMNS=64 DEPTH=32 STAGES=3 GATED=True --grid 1 --target cuda:90a \
#   s='x.to(f32) @ w.to(f32).T * 1.0'
# EXPECT: allclose(y, s[:, :136] / (1.0 + exp(-s[:, :136])) * s[:, 136:], 1e-5, 1e-4) and all(arrived == 0)
# Words for another GPU: two rows' numbers (1, 2, 4, 8 and 16, alone) under the visit's; tiles that programs share.
# RUN: sent x='(exp2(arange(5, f32)).reshape((5, 1)) * full((5, 128), 1.0, f32)).to(bf16)' w='full((200, 128), 0.0078125, bf16)' \
#   y='empty((5, 200), bf16)' partial='empty(5120, f32)' arrived='zeros(5, i32)' words='zeros((3, 200), i64)' visits='full(1, 7, i32)' \
#   n=200 k=128 batch=5 --grid 5 --target cuda:90a base='full((1, 200), 42949672960 + 16256, i64)'
# EXPECT: all(y[4] == 16) and all(words[:1] == base + 16384 * 65536) and all(words[1:2] == base + 256 + 16640 * 65536) and all(words[2:] == base + 512)

# Weights in fp8, with a scale for each row, and for each row of a block; the cuts are those of the other. What is multiplied with packed
# columns is X with columns in that order.
# RUN: few_fp8 x='randint(-4, 5, (5, 208), bf16)' w='randint(-4, 5, (200, 208), gl.float8e4nv)' s='randint(1, 4, (200,), f32)' \
#   y='empty((5, 200), f32)' partial='empty(7168, f32)' arrived='zeros(14, i32)' n=200 k=208 batch=5 BLOCKS=False COLUMNS=8 STAGES=3 \
#   --grid 7 --target cuda:90a at='arange(208, i32)' packed='at // 16 * 16 + at // 2 % 4 * 4 + at // 8 % 2 * 2 + at % 2' \
#   order='(packed.reshape((208, 1)) == at.reshape((1, 208))).to(f32)'
# EXPECT: all(y == x.to(f32) @ order @ w.to(f32).T * s.reshape((1, 200))) and all(arrived == 0)
# RUN: few_fp8 x='randint(-4, 5, (20, 512), f16)' w='randint(-4, 5, (136, 512), gl.float8e4nv)' s='randint(1, 4, (4, 136), f32)' \
#   y='empty((20, 136), f32)' partial='empty(12288, f32)' arrived='zeros(6, i32)' n=136 k=512 batch=20 BLOCKS=True COLUMNS=32 STAGES=2 \
#   --grid 3 --target cuda:90a at='arange(512, i32)' packed='at // 16 * 16 + at // 2 % 4 * 4 + at // 8 % 2 * 2 + at % 2' \
#   order='(packed.reshape((512, 1)) == at.reshape((1, 512))).to(f32)' f='x.to(f32) @ order' g='w.to(f32).T'
# EXPECT: all(y == s[0].reshape((1, 136)) * (f[:, :128] @ g[:128]) + s[1].reshape((1, 136)) * (f[:, 128:256] @ g[128:256]) + s[2].reshape((1, 136)) * (f[:, 256:384] @ g[256:384]) + s[3].reshape((1, 136)) * (f[:, 384:] @ g[384:])) and all(arrived == 0)
# RUN: few_fp8 x='randint(-4, 5, (64, 128), bf16)' w='randint(-4, 5, (256, 128), gl.float8e4nv)' s='randint(1, 4, (256,), f32)' \
#   y='empty((64, 256), bf16)' partial='empty(1, f32)' arrived='zeros(2, i32)' n=256 k=128 batch=64 BLOCKS=False COLUMNS=64 STAGES=3 \
#   --grid 1 --target cuda:90a at='arange(128, i32)' packed='at // 16 * 16 + at // 2 % 4 * 4 + at // 8 % 2 * 2 + at % 2' \
#   order='(packed.reshape((128, 1)) == at.reshape((1, 128))).to(f32)'
# EXPECT: allclose(y, x.to(f32) @ order @ w.to(f32).T * s.reshape((1, 256)), 1e-2)

# The last rows of a sequence see the keys before them: the diagonal begins inside of a block, passes through three, or ends a block.
# RUN: last_rows q='randn((1, 150, 64), bf16, 1)' k='randn((1, 250, 64), bf16, 2)' v='randn((1, 250, 64), bf16, 3)' \
#   o='empty((1, 150, 64), bf16)' c=0.125 rows=150 keys=250 offset=100 KEYS=128 D=64 STAGES=2 --grid 1 --target cuda:90a \
#   s='where(arange(250, i32).reshape((1, 250)) <= 100 + arange(150, i32).reshape((150, 1)), exp(0.125 * 0.6931471805599453 * (q[0].to(f32) @ k[0].to(f32).T)), 0.0)'
# EXPECT: allclose(o[0], s @ v[0].to(f32) / s.sum(1).reshape((150, 1)), 2e-2, 1e-2)
# RUN: last_rows q='randn((2, 130, 64), f16, 1)' k='randn((1, 163, 64), f16, 2)' v='randn((1, 163, 64), f16, 3)' \
#   o='empty((2, 130, 64), f16)' c=0.125 rows=130 keys=163 offset=33 KEYS=64 D=64 STAGES=2 --grid 2 --target cuda:90a \
#   s='where(arange(163, i32).reshape((1, 163)) <= 33 + arange(130, i32).reshape((130, 1)), exp(0.125 * 0.6931471805599453 * (q[1].to(f32) @ k[0].to(f32).T)), 0.0)'
# EXPECT: allclose(o[1], s @ v[0].to(f32) / s.sum(1).reshape((130, 1)), 2e-3, 2e-3)
# RUN: last_rows q='randn((1, 20, 64), f16, 1)' k='randn((1, 276, 64), f16, 2)' v='randn((1, 276, 64), f16, 3)' \
#   o='empty((1, 20, 64), f16)' c=0.125 rows=20 keys=276 offset=256 KEYS=128 D=64 STAGES=2 --grid 1 --target cuda:90a \
#   s='where(arange(276, i32).reshape((1, 276)) <= 256 + arange(20, i32).reshape((20, 1)), exp(0.125 * 0.6931471805599453 * (q[0].to(f32) @ k[0].to(f32).T)), 0.0)'
# EXPECT: allclose(o[0], s @ v[0].to(f32) / s.sum(1).reshape((20, 1)), 2e-3, 2e-3)

from hopper_attention.attention import attention
from hopper_decode.decode import decode as attend
from hopper_matmul.grouped import grouped_matmul
from hopper_matmul.scaled import scaled_matmul
from hopper_matmul.skinny import skinny
from hopper_matmul.skinny_fp8 import skinny_fp8
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma


@gluon.jit
def described(pointer, rows, columns, ROWS: gl.constexpr, COLUMNS: gl.constexpr, SWIZZLE: gl.constexpr = 128):
    layout: gl.constexpr = gl.NVMMASharedLayout(SWIZZLE, pointer.dtype.element_ty.primitive_bitwidth, 2)
    return tma.make_tensor_descriptor(pointer, [rows, columns], [columns, 1], [ROWS, COLUMNS], layout)


@gluon.jit
def decode(q, k, v, o, partial, arrived, table, stride, lengths, batch, heads, c, GROUP: gl.constexpr,
           BATCH: gl.constexpr, STAGES: gl.constexpr, PAGES: gl.constexpr, PAGE: gl.constexpr, D: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 3)
    keys = tma.make_tensor_descriptor(k, [PAGES, PAGE, D], [PAGE * D, D, 1], [1, PAGE, D], layout)
    values = tma.make_tensor_descriptor(v, [PAGES, PAGE, D], [PAGE * D, D, 1], [1, PAGE, D], layout)
    attend(described(q, batch * heads * GROUP, D, 64, D), keys, values, o, partial, arrived, table, stride, lengths, batch,
           heads, c, GROUP, BATCH, STAGES)


@gluon.jit
def experts(a, b, c, ends, count, m, n, k, STAGES: gl.constexpr, GROUP: gl.constexpr, BUFFERS: gl.constexpr,
            REGISTERS: gl.constexpr, EXPERTS: gl.constexpr):
    grouped_matmul(described(a, m, k, 128, 64), described(b, count * n, k, 128, 64), described(c, m, n, 64, 64), c, ends,
                   count, n, k, STAGES, GROUP, BUFFERS, REGISTERS, EXPERTS)


@gluon.jit
def scaled(a, b, c, sa, sb, m, n, k, CONSUMERS: gl.constexpr, STAGES: gl.constexpr, GROUP: gl.constexpr,
           BUFFERS: gl.constexpr, REGISTERS: gl.constexpr):
    scaled_matmul(described(a, m, k, 64, 128), described(b, n, k, 128, 128), described(c, m, n, 64, 64),
                  described(sa, gl.cdiv(k, 128), m, 1, 64, 0), sb, m, n, k, CONSUMERS, STAGES, GROUP, BUFFERS, REGISTERS)


@gluon.jit
def few(x, w, y, partial, arrived, n, k, batch, ROWS: gl.constexpr, COLUMNS: gl.constexpr, DEPTH: gl.constexpr,
        STAGES: gl.constexpr, GATED: gl.constexpr):
    skinny(described(x, batch, k, COLUMNS, DEPTH, 2 * DEPTH), described(w, n, k, ROWS // 2, DEPTH, 2 * DEPTH), y, partial, arrived,
           None, None, 0, n, k, batch, STAGES, GATED)


@gluon.jit
def sent(x, w, y, partial, arrived, words, visits, n, k, batch):
    skinny(described(x, batch, k, 8, 64), described(w, n, k, 64, 64), y, partial, arrived, words, visits, 3, n, k, batch, 3)


@gluon.jit
def tiles_of(pointer, heads, rows, ROWS: gl.constexpr, D: gl.constexpr):
    return tma.make_tensor_descriptor(pointer, [heads, rows, D], [rows * D, D, 1], [1, ROWS, D], gl.NVMMASharedLayout(128, 16, 3))


@gluon.jit
def last_rows(q, k, v, o, c, rows, keys, offset, KEYS: gl.constexpr, D: gl.constexpr, STAGES: gl.constexpr):
    """Heads of Q, as many as programs; one of keys."""
    heads = gl.num_programs(0)
    attention(tiles_of(q, heads, rows, 64, D), tiles_of(k, 1, keys, KEYS, D), tiles_of(v, 1, keys, KEYS, D),
              tiles_of(o, heads, rows, 64, D), c, heads, rows, keys, True, True, 2, STAGES, 240, heads, None, offset)


@gluon.jit
def few_fp8(x, w, s, y, partial, arrived, n, k, batch, BLOCKS: gl.constexpr, COLUMNS: gl.constexpr, STAGES: gl.constexpr):
    skinny_fp8(described(x, batch, k, COLUMNS, 128), described(w, n, k, 64, 128), s, y, partial, arrived, None, None, 0, n, k,
               batch, BLOCKS, STAGES, 104)
