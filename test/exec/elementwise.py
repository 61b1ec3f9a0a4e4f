"""User code per element: mapped functions, inline assembly, libdevice, products of fmas, fp4."""

# RUN: clamped x='randn(256, f32)' y='empty(256, f32)' z='empty(256, i32)' --grid 1
# EXPECT: (y == where(x < 0.5, x, 0.5)) & (z == where(x < 0.5, arange(256), 7))
# RUN: mapped x='randn(256, f32)' y='empty(256, f32)' z='empty(256, i32)' layout='gl.BlockedLayout([2], [32], [4], [0])' --grid 1
# EXPECT: allclose(y, where(x > 0, x, x * 0.5 - 1), 1e-6, 1e-6) & (z == where(x > 0, 1, 2))
# RUN: mapped x='randn(256, f32)' y='empty(256, f32)' z='empty(256, i32)' layout='gl.BlockedLayout([8], [32], [4], [0])' --grid 1
# EXPECT: allclose(y, where(x > 0, x, x * 0.5 - 1), 1e-6, 1e-6) & (z == where(x > 0, 1, 2))
# RUN: pairs x='arange(256, f32)' y='empty(256, f32)' --grid 1
# EXPECT: y == where(arange(256, i32) % 2 == 0, 2 * arange(256, f32) + 1, zeros(256, f32) - 1)
# RUN: assembly x='randint(-100, 100, 256, i32)' y='empty(256, i32)' --grid 1
# EXPECT: y == x * 3 + 7
# RUN: packed_bytes x='randint(0, 100, 256, i8)' y='empty(256, i8)' --grid 1
# EXPECT: y == x + 16
# RUN: two_results x='randn(256, f32)' low='empty(256, f32)' high='empty(256, i32)' --grid 1
# EXPECT: (low == minimum(x, 0)) & (high == where(x > 0, 1, 0))
# RUN: loop_in_assembly x='arange(128, i32)' y='empty(128, i32)' --grid 1
# EXPECT: y == arange(128, i32) * 5
# RUN: library x='randn(256, f32)' y='empty(256, f32)' z='empty(256, i32)' --grid 1
# EXPECT: allclose(y, abs(x) / 3.5, 1e-6, 1e-6) & (z == where(floor(x) == 0, 1, 0))
# RUN: curve x='4 * randn(1024, f32)' y='empty(1024, f32)' --grid 1
# EXPECT: allclose(y, tanh(x), 1e-6, 1e-7)
# RUN: product a='randn((16, 32), f32)' b='randn((32, 64), f32)' c='randn((16, 64), f32)' d='empty((16, 64), f32)' \
#   M=16 N=64 K=32 layout='gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])' --grid 1
# EXPECT: allclose(d, matmul(a, b) + c, 1e-5, 1e-5)
# RUN: product a='randn((32, 16), f16)' b='randn((16, 8), f16)' c='randn((32, 8), f32)' d='empty((32, 8), f32)' \
#   M=32 N=8 K=16 layout='gl.BlockedLayout([2, 2], [8, 4], [2, 2], [1, 0])' --grid 1
# EXPECT: allclose(d, matmul(a, b) + c, 1e-4, 1e-4)
# RUN: product a='randint(-9, 9, (16, 16), f64)' b='randint(-9, 9, (16, 16), f64)' c='randint(-9, 9, (16, 16), f64)' d='empty((16, 16), f64)' \
#   M=16 N=16 K=16 layout='gl.BlockedLayout([1, 1], [4, 8], [2, 2], [0, 1])' --grid 1
# EXPECT: d == matmul(a, b) + c
# RUN: unpack_fp4 y='empty((2, 64), f16)' z='empty((2, 64), bf16)' --grid 1
# EXPECT: (sum(y) == 0) & (y[0, 2] == 1) & (y[0, 5] == 3) & (y[0, 14] == -4) & (y[0, 15] == -6) & (z[1, 1] == -4) & (z[1, 15] == 0)
# RUN: through_assembly x='randint(-99, 99, (128,), i32)' y='zeros(256, i32)' bytes='arange(128, u8)' --grid 1
# EXPECT: (y[0:128] == x + 3) & (y[128:256] == 7) & (bytes == 2 * arange(128, i32))
# RUN: through_assembly x='randint(-99, 99, (128,), i32)' y='zeros(255, i32)' bytes='arange(128, u8)' --grid 1
# FAULT: OutOfBoundsAccess
# RUN: through_assembly x='empty(128, i32)' y='zeros(256, i32)' bytes='arange(128, u8)' --grid 1
# FAULT: UninitializedRead
# RUN: through_assembly x='randint(-99, 99, (128,), i32)' y='zeros(256, i32)' bytes='arange(128, u8)' --grid 2
# FAULT: UnorderedGlobalAccess
# RUN: endless x='arange(128, i32)' --grid 1
# FAULT: AssemblyFault
# RUN: waits flag='zeros(1, i32) + 3' seen='zeros(2, i32)' --grid 1
# EXPECT: (seen[0] == 1) & (seen[1] == 0)
# RUN: waits_forever flag='zeros(1, i32)' --grid 1
# FAULT: PollNeverEnds

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.language.extra import libdevice


@gluon.jit
def leaky(x, slope):
    if x > 0:
        return x, 1
    else:
        return x * slope - 1, 2


@gluon.jit
def mapped(x, y, z, layout: gl.constexpr):
    i = gl.arange(0, 256, layout=layout)
    value, branch = gl.map_elementwise(leaky, gl.load(x + i), 0.5)
    gl.store(y + i, value)
    gl.store(z + i, branch)


@gluon.jit
def below(x, high, i):
    fits = x < high
    return gl.where(fits, x, high), gl.where(fits, i, 7)


@gluon.jit
def clamped(x, y, z):
    """No branches: all elements at once, one operand the same for all."""
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value, place = gl.map_elementwise(below, gl.load(x + i), 0.5, i)
    gl.store(y + i, value)
    gl.store(z + i, place)


@gluon.jit
def sum_and_difference(a, b):
    return a + b, a - b


@gluon.jit
def pairs(x, y):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    gl.store(y + i, gl.map_elementwise(sum_and_difference, gl.load(x + i), pack=2)[0])


@gluon.jit
def assembly(x, y):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value = gl.inline_asm_elementwise("mad.lo.s32 $0, $1, 3, $2;", "=r,r,r", [gl.load(x + i), 7],
                                      dtype=gl.int32, is_pure=True, pack=1)
    gl.store(y + i, value)


@gluon.jit
def packed_bytes(x, y):
    # Four bytes to a register: adding 16 to each never carries.
    i = gl.arange(0, 256, layout=gl.BlockedLayout([4], [32], [4], [0]))
    value = gl.inline_asm_elementwise("add.u32 $0, $1, 0x10101010;", "=r,r", [gl.load(x + i)],
                                      dtype=gl.int8, is_pure=True, pack=4)
    gl.store(y + i, value)


@gluon.jit
def two_results(x, low, high):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([1], [32], [4], [0]))
    a, b = gl.inline_asm_elementwise(
        """
        {
            .reg .pred above;
            setp.gt.f32 above, $2, 0f00000000;  // 0.0
            selp.b32 $1, 1, 0, above;
            min.f32 $0, $2, 0f00000000;
        }
        """, "=&f,=&r,f", [gl.load(x + i)], dtype=(gl.float32, gl.int32), is_pure=True, pack=1)
    gl.store(low + i, a)
    gl.store(high + i, b)


@gluon.jit
def loop_in_assembly(x, y):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    value = gl.inline_asm_elementwise(
        """
        {
            .reg .pred more;
            .reg .b32 left;
            mov.b32 left, 5;
            mov.b32 $0, 0;
        again:
            add.s32 $0, $0, $1;
            sub.s32 left, left, 1;
            setp.gt.s32 more, left, 0;
            @more bra again;
        }
        """, "=&r,r", [gl.load(x + i)], dtype=gl.int32, is_pure=True, pack=1)
    gl.store(y + i, value)


@gluon.jit
def library(x, y, z):
    i = gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value = gl.load(x + i)
    gl.store(y + i, libdevice.fast_dividef(libdevice.abs(value), 3.5))
    zero = libdevice.floor(value)
    gl.store(z + i, gl.where(libdevice.isinf(1.0 / libdevice.abs(zero)), 1, 0))


@gluon.jit
def curve(x, y):
    i = gl.arange(0, 1024, layout=gl.BlockedLayout([2], [32], [4], [0]))
    gl.store(y + i, libdevice.tanh(gl.load(x + i)))


@gluon.jit
def tile(p, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return p + rows[:, None] * N + columns[None, :]


@gluon.jit
def product(a, b, c, d, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, layout: gl.constexpr):
    left = gl.convert_layout(gl.load(tile(a, M, K, layout)), gl.DotOperandLayout(0, layout, 0))
    right = gl.convert_layout(gl.load(tile(b, K, N, layout)), gl.DotOperandLayout(1, layout, 0))
    gl.store(tile(d, M, N, layout), gl.dot_fma(left, right, gl.load(tile(c, M, N, layout))))


@gluon.jit
def unpack_fp4(y, z):
    # Row 0 holds 0x10, 0x32, …: the sixteen numbers in order; row 1 the same bytes negated.
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [2, 2], [1, 0])
    rows = gl.arange(0, 2, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 32, layout=gl.SliceLayout(0, layout))
    k = columns[None, :] % 8 + rows[:, None] * 0
    bytes = (2 * k) | ((2 * k + 1) << 4)
    bytes = gl.where(rows[:, None] == 0, bytes, 255 - bytes + 0 * k).to(gl.uint8)
    half = gl.fp4_to_fp(bytes, gl.float16, 1)
    wide: gl.constexpr = half.type.layout
    out = gl.arange(0, 2, layout=gl.SliceLayout(1, wide))[:, None] * 64 + \
        gl.arange(0, 64, layout=gl.SliceLayout(0, wide))[None, :]
    gl.store(y + out, half)
    gl.store(z + out, gl.fp4_to_fp(bytes, gl.bfloat16, 1))


@gluon.jit
def through_assembly(x, y, bytes):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.inline_asm_elementwise(
        """
        {
            .reg .b32 a;
            ld.global.nc.b32 a, [$1];
            add.s32 a, a, 3;
            st.global.b32 [$2], a;
            st.global.b32 [$2+512], 7;
            mov.b32 $0, a;
        }
        """, "=r,l,l", [x + i, y + i], dtype=gl.int32, is_pure=False, pack=1)
    gl.inline_asm_elementwise("ld.global.b8 $0, [$1]; shl.b32 $0, $0, 1; st.volatile.global.b8 [$1], $0;",
                              "=&r,l", [bytes + i], dtype=gl.int8, is_pure=False, pack=1)


@gluon.jit
def endless(x):
    i = gl.arange(0, 128, layout=gl.BlockedLayout([1], [32], [4], [0]))
    value = gl.inline_asm_elementwise("again: add.s32 $0, $1, 1; bra again;", "=r,r", [gl.load(x + i)],
                                      dtype=gl.int32, is_pure=False, pack=1)
    gl.store(x + i, value)


@gluon.jit
def waits(flag, seen):
    gl.store(seen, gl.atomic_poll(flag, 3).to(gl.int32))
    gl.store(seen + 1, gl.atomic_poll(flag, 4, timeout_ns=1000).to(gl.int32))


@gluon.jit
def waits_forever(flag):
    if gl.atomic_poll(flag, 1, sem="relaxed"):
        gl.store(flag, 2)
