"""inline_asm_elementwise with the constraint `n`: numbers that the text has in place of registers."""

# RUN: logic x='randint(0, 1000000, 256, i32)' y='zeros(256, i32)' TABLE=0xea --grid 1
# EXPECT: all(y == ((x & 255) | 4096)) & any(y != 4096)
# RUN: logic x='randint(0, 1000000, 256, i32)' y='zeros(256, i32)' TABLE=0x80 --grid 1
# EXPECT: y == 0

# Pairs of numbers of 4 bits, the upper one first; ties to even.
# RUN: narrowed x='arange(256, dtype=f32) / 16 - 8' y='zeros(256, u8)' a='abs(x)' --target cuda:100a --grid 1 \
#   code='where(a > 0.25, 1, 0) + where(a >= 0.75, 1, 0) + where(a > 1.25, 1, 0) + where(a >= 1.75, 1, 0) + where(a > 2.5, 1, 0)' \
#   rest='where(a >= 3.5, 1, 0) + where(a > 5, 1, 0) + where(x < 0, 8, 0)'
# EXPECT: y == (code + rest) * 16 + 2

import triton
import triton.language as tl


@triton.jit
def logic(x, y, TABLE: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, $3, $4;", "=r,r,n,n,n",
                                              [tl.load(x + i), 255, 4096, TABLE], tl.int32, True, 1))


@triton.jit
def narrowed(x, y):
    i = tl.arange(0, 256)
    pairs = tl.inline_asm_elementwise(
        "{ .reg .b8 r; cvt.rn.satfinite.e2m1x2.f32 r, $1, $2; mov.b32 $0, {r, r, r, r}; }", "=r,f,f",
        [tl.load(x + i), 1.0], tl.dtype(f"uint{y.dtype.element_ty.primitive_bitwidth}"), True, 1)
    tl.store(y + i, pairs)


@triton.jit
def unknown(x, y):
    i = tl.arange(0, 256)
    value = tl.load(x + i)
    tl.store(y + i, tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,n", [value, value], tl.int32, True, 1))
