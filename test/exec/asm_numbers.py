"""inline_asm_elementwise with the constraint `n`: numbers that the text has in place of registers."""

# RUN: logic x='randint(0, 1000000, 256, i32)' y='zeros(256, i32)' TABLE=0xea --grid 1
# EXPECT: all(y == ((x & 255) | 4096)) & any(y != 4096)
# RUN: logic x='randint(0, 1000000, 256, i32)' y='zeros(256, i32)' TABLE=0x80 --grid 1
# EXPECT: y == 0

import triton
import triton.language as tl


@triton.jit
def logic(x, y, TABLE: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(y + i, tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, $3, $4;", "=r,r,n,n,n",
                                              [tl.load(x + i), 255, 4096, TABLE], tl.int32, True, 1))


@triton.jit
def unknown(x, y):
    i = tl.arange(0, 256)
    value = tl.load(x + i)
    tl.store(y + i, tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,n", [value, value], tl.int32, True, 1))
