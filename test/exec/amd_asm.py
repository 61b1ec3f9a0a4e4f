"""Assembly of AMD's chips: vector and scalar registers, packed elements, operands in a result's register."""

# RUN: rounded x='randn(1024, f32) * 100' y='empty(1024, f32)' LANES=64 --grid 1 --target hip:gfx942
# EXPECT: y == round(x)
# RUN: rounded x='randn(1024, f32) * 100' y='empty(1024, f32)' --grid 1 --target hip:gfx1250
# EXPECT: y == round(x)
# RUN: relu x='randn(1024, f32)' y='empty(1024, f32)' --grid 1 --target hip:gfx1250
# EXPECT: y == maximum(x, 0)
# RUN: nibbles x='randint(0, 2**31 - 1, 1024, i32)' y='empty(1024, i32)' --grid 1 --target hip:gfx1100
# EXPECT: y == (x & 0xF000F) | 0x64006400
# RUN: nibbles x='randint(0, 2**31 - 1, 1024, i32)' y='empty(1024, i32)' LANES=64 --grid 1 --target hip:gfx950
# EXPECT: y == (x & 0xF000F) | 0x64006400
# RUN: doubled x='randn(1024, f16)' y='empty(1024, f16)' LANES=64 --grid 1 --target hip:gfx942
# EXPECT: y == x + x
# RUN: doubled x='randn(1024, f16)' y='empty(1024, f16)' --grid 1 --target hip:gfx1200
# EXPECT: y == x + x
# RUN: wide x='randn(1024, f64)' y='empty(1024, f64)' LANES=64 --grid 1 --target hip:gfx942
# EXPECT: y == x * 0.5 + 1
# RUN: pinned x='randint(-99, 99, 1024, i32)' y='empty(1024, i32)' LANES=64 --grid 1 --target hip:gfx942
# EXPECT: y == x + 7
# RUN: pinned x='randint(-99, 99, 1024, i32)' y='empty(1024, i32)' --grid 1 --target hip:gfx1250
# EXPECT: y == x + 7
# RUN: clock y='zeros(2, i64)' LANES=64 --grid 1 --target hip:gfx942
# EXPECT: y[1] >= y[0]

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def places(LANES: gl.constexpr):
    return gl.arange(0, 1024, layout=gl.BlockedLayout([4], [LANES], [4], [0]))


@gluon.jit
def rounded(x, y, LANES: gl.constexpr = 32):
    i = places(LANES)
    v = gl.load(x + i)
    gl.store(y + i, gl.inline_asm_elementwise("v_rndne_f32 $0, $1", "=v,v", [v], gl.float32))


@gluon.jit
def relu(x, y, LANES: gl.constexpr = 32):
    i = places(LANES)
    v = gl.load(x + i)
    gl.store(y + i, gl.inline_asm_elementwise("v_dual_max_num_f32 $0, 0, $2 :: v_dual_max_num_f32 $1, 0, $3",
                                              "=v,=v,v,v", [v], gl.float32, pack=2))


@gluon.jit
def nibbles(x, y, LANES: gl.constexpr = 32):
    i = places(LANES)
    v = gl.load(x + i)
    gl.store(y + i, gl.inline_asm_elementwise("v_and_or_b32 $0, $1, $2, $3", "=v,v,v,s", [v, 0xF000F, 0x64006400],
                                              gl.int32))


@gluon.jit
def doubled(x, y, LANES: gl.constexpr = 32):
    """Two halves in a register."""
    i = places(LANES)
    v = gl.load(x + i)
    gl.store(y + i, gl.inline_asm_elementwise("v_pk_add_f16 $0, $1, $1; twice", "=v,v", [v], gl.float16, pack=2))


@gluon.jit
def wide(x, y, LANES: gl.constexpr = 32):
    """Two registers for a number."""
    i = places(LANES)
    v = gl.load(x + i)
    gl.store(y + i, gl.inline_asm_elementwise("v_fma_f64 $0, $1, 0.5, 1.0", "=v,v", [v], gl.float64))


@gluon.jit
def pinned(x, y, LANES: gl.constexpr = 32):
    """What says nothing but that a value is in a register."""
    i = places(LANES)
    v = gl.inline_asm_elementwise("", "=v,0", [gl.load(x + i)], gl.int32, is_pure=False, pack=1)
    gl.store(y + i, v + gl.inline_asm_elementwise("s_mov_b32 $0, 7", "=s", [], gl.int32, pack=1))


@gluon.jit
def clock(y, LANES: gl.constexpr = 32):
    for at in gl.static_range(2):
        now = gl.inline_asm_elementwise("s_waitcnt vmcnt(0)\ns_memrealtime $0\ns_waitcnt lgkmcnt(0)", "=s", [],
                                        gl.int64, is_pure=False, pack=1)
        gl.store(y + at, now)
