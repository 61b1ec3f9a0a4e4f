"""Assembly that each thread executes once: inline_asm."""

# RUN: sums x='randn(512, f32)' y='randn(512, f32)' z='zeros(512, f32)' --grid 1
# EXPECT: allclose(z, x + y)
# RUN: generated x='randn(512, f32)' z='zeros(512, f32)' --grid 1
# EXPECT: allclose(z, x + 1.5)
# RUN: neighbours x='arange(256, i32)' z='zeros(256, i32)' --grid 1
# EXPECT: (z[0] == 1) & (z[1] == 0) & (z[254] == 255) & (z[255] == 254)
# RUN: several x='arange(128, i32)' low='zeros(128, i32)' high='zeros(128, i64)' --grid 1
# EXPECT: (low == x * 3) & (high == x + 5)
# RUN: halves x='arange(256, i16)' z='zeros(256, i16)' --grid 1 --num-warps 1
# EXPECT: z == x + 7
# RUN: copies x='randn(32, f32)' z='zeros(32, f32)' --grid 1
# EXPECT: z == x * 2
# RUN: scalars z='zeros(2, i32)' a=20 b=3 --grid 1
# EXPECT: z == tensor([23, 17], i32)
# RUN: rows x='randn((16, 32), f32)' z='zeros((16, 32), f32)' --grid 1 --num-warps 1
# EXPECT: allclose(z, x - 1)
# RUN: nothing z='zeros(1, i32)' --grid 1
# EXPECT: z == 1
# RUN: through_buffer x='arange(128, i32)' z='zeros(128, i32)' --grid 1
# EXPECT: z == x * 10
# RUN: part_of_buffer x='arange(256, i32)' z='zeros(128, i32)' --grid 1
# EXPECT: z == x[128:]
# RUN: clustered x='arange(256, i32)' z='zeros(256, i32)' --grid 1 --num-ctas 2
# EXPECT: z == x + 1
# RUN: disagreeing z='zeros(32, i32)' --grid 1
# FAULT: AssemblyFault
# RUN: beyond z='zeros(128, i32)' --grid 1
# FAULT: SharedOutOfBounds
# RUN: misaligned z='zeros(128, i32)' --grid 1
# FAULT: AssemblyFault

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

LINE: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
ONE: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
PLAIN: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
WORDS = gl.constexpr(gl.distributed_type(gl.int32, [128], ONE))


@gluon.jit
def sums(x, y, z):
    i = gl.arange(0, 512, layout=LINE)
    a, b = gl.load(x + i), gl.load(y + i)
    text: gl.constexpr = """
        add.f32 $0, $4, $8;
        add.f32 $1, $5, $9;
        add.f32 $2, $6, $10;
        add.f32 $3, $7, $11;
    """
    # Some operands are read behind the first result.
    total = gl.inline_asm(text, "=&f,=&f,=&f,=&f,f,f,f,f,f,f,f,f", [a, b], a.type, is_pure=True)
    gl.store(z + i, total)


@gluon.constexpr_function
def add_bias(outputs, inputs):
    out, = outputs
    values, bias = inputs
    return "\n".join(f"add.f32 {to}, {value}, {bias[0]};" for to, value in zip(out, values))


@gluon.jit
def generated(x, z):
    i = gl.arange(0, 512, layout=LINE)
    a = gl.load(x + i)
    gl.store(z + i, gl.inline_asm(add_bias, ("=&f", "f", "f"), [a, 1.5], a.type, is_pure=True))


@gluon.constexpr_function
def exchange(outputs, inputs):
    return "".join(f"mov.b32 {outputs[0][i]}, {inputs[0][i ^ 1]};" for i in range(len(outputs[0])))


# Each thread has two neighbours, and exchanges them.
@gluon.jit
def neighbours(x, z):
    pairs: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    i = gl.arange(0, 256, layout=pairs)
    a = gl.load(x + i)
    gl.store(z + i, gl.inline_asm(exchange, ("=&r", "r"), [a], a.type, is_pure=True))


@gluon.jit
def several(x, low, high):
    i = gl.arange(0, 128, layout=ONE)
    a = gl.load(x + i)
    text: gl.constexpr = "mul.lo.s32 $0, $2, 3; cvt.s64.s32 $1, $2; add.s64 $1, $1, 5;"
    wide: gl.constexpr = gl.distributed_type(gl.int64, [128], ONE)
    both = gl.inline_asm(text, "=&r,=&l,r", [a], (WORDS, wide), is_pure=True)
    gl.store(low + i, both[0])
    gl.store(high + i, both[1])


@gluon.constexpr_function
def add_seven(outputs, inputs):
    return "".join(f"add.s16 {to}, {value}, 7;" for to, value in zip(outputs[0], inputs[0]))


# Elements of 16 bits have registers of their own.
@gluon.jit
def halves(x, z):
    layout: gl.constexpr = gl.BlockedLayout([8], [32], [1], [0])
    i = gl.arange(0, 256, layout=layout)
    a = gl.load(x + i)
    gl.store(z + i, gl.inline_asm(add_seven, ("=&h", "h"), [a], a.type, is_pure=True))


@gluon.constexpr_function
def double_all(outputs, inputs):
    return "".join(f"add.f32 {to}, {value}, {value};" for to, value in zip(outputs[0], inputs[0]))


# Four registers for one element, in all warps: every copy is an operand.
@gluon.jit
def copies(x, z):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.arange(0, 32, layout=layout)
    a = gl.load(x + i)
    gl.store(z + i, gl.inline_asm(double_all, ("=&f", "f"), [a], a.type, is_pure=True))


@gluon.jit
def scalars(z, a, b):
    both = gl.inline_asm("add.s32 $0, $2, $3; sub.s32 $1, $2, $3;", "=&r,=&r,r,r", [a, b],
                         [gl.int32, gl.int32], is_pure=True)
    gl.store(z, both[0])
    gl.store(z + 1, both[1])


@gluon.constexpr_function
def less_one(outputs, inputs):
    return "".join(f"sub.f32 {to}, {value}, {inputs[1][0]};" for to, value in zip(outputs[0], inputs[0]))


@gluon.jit
def rows(x, z):
    layout: gl.constexpr = gl.BlockedLayout([2, 4], [4, 8], [1, 1], [1, 0])
    i = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None] * 32
    i = i + gl.arange(0, 32, layout=gl.SliceLayout(0, layout))[None, :]
    a = gl.load(x + i)
    gl.store(z + i, gl.inline_asm(less_one, ("=&f", "f", "f"), (a, 1.0), a.type, is_pure=True))


# No operands, no results: kept, for what it may do.
@gluon.jit
def nothing(z):
    gl.inline_asm("// here")
    gl.store(z, 1)


# A thread writes and reads its own word: the compiler knows of neither.
@gluon.jit
def through_buffer(x, z):
    i = gl.arange(0, 128, layout=ONE)
    smem = gl.allocate_shared_memory(gl.int32, [128], PLAIN)
    gl.inline_asm("{ .reg .b32 at; mad.lo.s32 at, $1, 4, $0; st.shared.b32 [at], $2; }", "r,r,r",
                  [smem, i, gl.load(x + i) * 5])
    gl.barrier()
    read = gl.inline_asm("{ .reg .b32 at; mad.lo.s32 at, $2, 4, $1; ld.shared.b32 $0, [at]; }",
                         "=r,r,r", [smem, i], WORDS)
    gl.store(z + i, read * 2)


# The address is that of the view.
@gluon.jit
def part_of_buffer(x, z):
    smem = gl.allocate_shared_memory(gl.int32, [2, 128], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    i = gl.arange(0, 128, layout=ONE)
    smem.index(0).store(gl.load(x + i))
    smem.index(1).store(gl.load(x + 128 + i))
    gl.barrier()
    read = gl.inline_asm("{ .reg .b32 at; shl.b32 at, $2, 2; add.s32 at, at, $1; ld.shared.b32 $0, [at+0]; }",
                         "=r,r,r", [smem.index(1), i], WORDS)
    gl.store(z + i, read)


@gluon.jit
def clustered(x, z):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], [[1]])
    i = gl.arange(0, 256, layout=layout)
    a = gl.load(x + i)
    gl.store(z + i, gl.inline_asm("add.s32 $0, $1, 1;", "=r,r", [a], a.type, is_pure=True))


# Copies of an element that are not the same.
@gluon.jit
def disagreeing(z):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    i = gl.arange(0, 32, layout=layout)
    a = gl.inline_asm("mov.b32 $0, 1; mov.b32 $1, 2;", "=r,=r", [], gl.distributed_type(gl.int32, [1], layout))
    gl.store(z + i, i + a)


@gluon.jit
def beyond(z):
    smem = gl.allocate_shared_memory(gl.int32, [128], PLAIN)
    i = gl.arange(0, 128, layout=ONE)
    smem.store(i)
    read = gl.inline_asm("ld.shared.b32 $0, [$1+65536];", "=r,r", [smem], WORDS)
    gl.store(z + i, read)


@gluon.jit
def misaligned(z):
    smem = gl.allocate_shared_memory(gl.int32, [128], PLAIN)
    i = gl.arange(0, 128, layout=ONE)
    smem.store(i)
    read = gl.inline_asm("ld.shared.b32 $0, [$1+2];", "=r,r", [smem], WORDS)
    gl.store(z + i, read)
