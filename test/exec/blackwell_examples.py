"""The kernels of examples/blackwell_*, on descriptors that a kernel makes for them."""

# Edges that no tile divides; rings that wrap around; more tiles than programs begin.
# RUN: matmul a='randint(-4, 5, (300, 336), f16)' b='randint(-4, 5, (520, 336), f16)' c='empty((300, 520), f16)' \
#   m=300 n=520 k=336 COLUMNS=128 DEPTH=64 STAGES=3 --grid 10 --num-ctas 2 --target cuda:100a
# EXPECT: c == (0.5 * (a.to(f32) @ b.to(f32).T)).to(f16)
# RUN: matmul a='randint(-4, 5, (300, 336), gl.float8e4nv)' b='randint(-4, 5, (520, 336), gl.float8e4nv)' \
#   c='empty((300, 520), bf16)' m=300 n=520 k=336 COLUMNS=256 DEPTH=128 STAGES=2 --grid 6 --num-ctas 2 --target cuda:100a \
#   --schedule-seed 1
# EXPECT: c == (0.5 * (a.to(f32) @ b.to(f32).T)).to(bf16)
# RUN: mxfp8 a='randint(-4, 5, (300, 416), gl.float8e4nv)' b='randint(-4, 5, (520, 416), gl.float8e4nv)' \
#   sa='randint(120, 131, (3, 4, 2, 256), u8)' sb='randint(120, 131, (5, 4, 2, 256), u8)' c='empty((300, 520), f16)' \
#   left='empty((300, 416), f32)' right='empty((520, 416), f32)' m=300 n=520 k=416 PARTS=2 BUFFERS=3 STAGES=3 --grid 6 \
#   --num-ctas 2 --target cuda:100a
# EXPECT: allclose(c, 0.5 * (left @ right.T), 1e-3, 1e-2)
# RUN: nvfp4 a='randint(0, 256, (300, 304), u8)' b='randint(0, 256, (520, 304), u8)' \
#   sa='randint(1, 5, (3, 10, 2, 256), gl.float8e4nv)' sb='randint(1, 5, (5, 10, 2, 256), gl.float8e4nv)' \
#   c='empty((300, 520), bf16)' left='empty((300, 608), f32)' right='empty((520, 608), f32)' m=300 n=520 k=304 PARTS=2 \
#   BUFFERS=2 STAGES=4 --grid 6 --num-ctas 2 --target cuda:100a --schedule-seed 2
# EXPECT: allclose(c, 0.5 * (left @ right.T), 1e-2, 1e-2)

# RUN: attention q='randn((2, 300, 64), f16, 1)' k='randn((2, 300, 64), f16, 2)' v='randn((2, 300, 64), f16, 3)' \
#   o='empty((2, 300, 64), f16)' heads=2 rows=300 keys=300 c=0.125 D=64 CAUSAL=False \
#   p='exp(0.125 * (q[0].to(f32) @ k[0].to(f32).T))' r='exp(0.125 * (q[1].to(f32) @ k[1].to(f32).T))' --grid 4 \
#   --target cuda:100a
# EXPECT: allclose(o[0], p @ v[0].to(f32) / p.sum(1).reshape((300, 1)), 2e-3, 1e-3) and allclose(o[1], r @ v[1].to(f32) / r.sum(1).reshape((300, 1)), 2e-3, 1e-3)
# Scores so far apart that sums shrink now and then.
# RUN: attention q='randn((1, 300, 128), bf16, 1)' k='randn((1, 300, 128), bf16, 2)' v='randn((1, 300, 128), bf16, 3)' \
#   o='empty((1, 300, 128), bf16)' heads=1 rows=300 keys=300 c=1.0 D=128 CAUSAL=True STAGES=3 i='arange(300).reshape((300, 1))' \
#   p='where(i.T <= i, exp(q[0].to(f32) @ k[0].to(f32).T), 0.0)' --grid 2 --target cuda:100a --schedule-seed 1
# EXPECT: allclose(o[0], p @ v[0].to(f32) / p.sum(1).reshape((300, 1)), 2e-2, 1e-2)
# The same where they do with each block, and where the maximum comes with the load.
# RUN: attention q='randn((1, 520, 64), f16, 1)' k='randn((1, 520, 64), f16, 2)' v='randn((1, 520, 64), f16, 3)' \
#   o='empty((1, 520, 64), f16)' heads=1 rows=520 keys=520 c=1.0 D=64 CAUSAL=True SLACK=0.0 LOAD_MAX=True \
#   i='arange(520).reshape((520, 1))' p='where(i.T <= i, exp(q[0].to(f32) @ k[0].to(f32).T), 0.0)' --grid 3 --target cuda:103a
# EXPECT: allclose(o[0], p @ v[0].to(f32) / p.sum(1).reshape((520, 1)), 2e-3, 1e-3)

from blackwell_attention.attention import attention as attend
from blackwell_matmul.matmul import matmul as multiply
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import tma


@gluon.jit
def described(pointer, rows, columns, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, pointer.dtype.element_ty.primitive_bitwidth, 2, cga_layout=[[1, 0]])
    return tma.make_tensor_descriptor(pointer, [rows, columns], [columns, 1], [ROWS, COLUMNS], layout)


@gluon.jit
def matmul(a, b, c, m, n, k, COLUMNS: gl.constexpr, DEPTH: gl.constexpr, STAGES: gl.constexpr):
    multiply(described(a, m, k, 256, DEPTH), described(b, n, k, COLUMNS, DEPTH), None, None, described(c, m, n, 256, 64),
             0.5, m, n, k, STAGES, 1, 2, 2, 2)


@gluon.jit
def chunks(pointer, rows, count, ROWS: gl.constexpr, COUNT: gl.constexpr, CGA: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(0, 8, 4, cga_layout=CGA)
    down = gl.cdiv(rows, 128)
    right = gl.cdiv(count, 4)
    return tma.make_tensor_descriptor(pointer, [down, right, 2, 256], [right * 512, 512, 256, 1],
                                      [ROWS // 128, COUNT // 4, 2, 256], layout)


@gluon.jit
def nibble(bits):
    """The value of four bits: a sign, two of exponent, one of mantissa."""
    exponent = (bits >> 1) & 3
    half = (bits & 1).to(gl.float32) * 0.5
    value = gl.where(exponent == 0, half, (1 + half) * gl.exp2(exponent.to(gl.float32) - 1))
    return value * gl.where(bits & 8 == 0, 1.0, -1.0)


@gluon.jit
def spell_out(pointer, scales, to, rows, columns, VECTOR: gl.constexpr):
    """The operand in f32, times its scales, by other means than tensor cores."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[0]])
    chunks = gl.cdiv(gl.cdiv(columns, VECTOR), 4)
    for row in range(rows):
        for first in range(0, columns, 128):
            k = first + gl.arange(0, 128, layout)
            inside = k < columns
            if VECTOR == 16:
                byte = gl.load(pointer + row * (columns // 2) + k // 2, inside, 0).to(gl.int32)
                value = nibble((byte >> (4 * (k % 2))) & 15)
            else:
                value = gl.load(pointer + row * columns + k, inside, 0.0).to(gl.float32)
            s = k // VECTOR
            place = (row // 128 * chunks + s // 4) * 512 + row % 32 * 16 + row % 128 // 32 * 4 + s % 4
            if VECTOR == 16:
                factor = gl.load(scales + place, inside, 0.0).to(gl.float32)
            else:
                factor = gl.exp2(gl.load(scales + place, inside, 0).to(gl.float32) - 127)
            gl.store(to + row * columns + k, value * factor, inside)


@gluon.jit
def scaled(a, b, sa, sb, c, left, right, m, n, k, VECTOR: gl.constexpr, PARTS: gl.constexpr, BUFFERS: gl.constexpr,
           STAGES: gl.constexpr):
    PER_BYTE: gl.constexpr = 2 if VECTOR == 16 else 1
    if gl.program_id(0) == 0:
        spell_out(a, sa, left, m, k * PER_BYTE, VECTOR)
        spell_out(b, sb, right, n, k * PER_BYTE, VECTOR)
    count = gl.cdiv(k * PER_BYTE, VECTOR)
    COUNT: gl.constexpr = 128 * PER_BYTE // VECTOR
    multiply(described(a, m, k, 256, 128), described(b, n, k, 128, 128), chunks(sa, m, count, 256, COUNT, [[1, 0, 0, 0]]),
             chunks(sb, n, count, 128, COUNT, [[0, 0, 0, 0]]), described(c, m, n, 256, 64), 0.5, m, n, k, STAGES, PARTS,
             BUFFERS, 2, 2)


@gluon.jit
def mxfp8(a, b, sa, sb, c, left, right, m, n, k, PARTS: gl.constexpr, BUFFERS: gl.constexpr, STAGES: gl.constexpr):
    scaled(a, b, sa, sb, c, left, right, m, n, k, 32, PARTS, BUFFERS, STAGES)


@gluon.jit
def nvfp4(a, b, sa, sb, c, left, right, m, n, k, PARTS: gl.constexpr, BUFFERS: gl.constexpr, STAGES: gl.constexpr):
    scaled(a, b, sa, sb, c, left, right, m, n, k, 16, PARTS, BUFFERS, STAGES)


@gluon.jit
def heads_of(pointer, heads, length, ROWS: gl.constexpr, COLUMNS: gl.constexpr, D: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(128, 16, 3)
    return tma.make_tensor_descriptor(pointer, [heads, length, D], [length * D, D, 1], [1, ROWS, COLUMNS], layout)


@gluon.jit
def attention(q, k, v, o, heads, rows, keys, c, D: gl.constexpr, CAUSAL: gl.constexpr, STAGES: gl.constexpr = 4,
              SLACK: gl.constexpr = 8.0, LOAD_MAX: gl.constexpr = False):
    attend(heads_of(q, heads, rows, 128, D, D), heads_of(k, heads, keys, 128, D, D), heads_of(v, heads, keys, 128, D, D),
           heads_of(o, heads, rows, 128, 64, D), c * 1.4426950408889634, heads, rows, keys, CAUSAL, True, STAGES, LOAD_MAX,
           SLACK, 184)
