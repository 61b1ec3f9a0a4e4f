"""Boxes of tensors of one to five dims, moved and combined: nvidia.hopper.tma."""

# Boxes lie at the end of the tensor: what is outside of it is filled on the way in, dropped on the way out.
# RUN: move a='rand(1000, f32)' b='zeros(1000, f32)' SHAPE='(1000,)' STRIDES='(1,)' BLOCK='(512,)' AT='(600,)' \
#   SWIZZLE=0 --grid 1
# EXPECT: (b[600:] == a[600:]) & (sum(b[:600]) == 0)
# RUN: move a='randint(-99, 99, 96, i8)' b='zeros(96, i8)' SHAPE='(96,)' STRIDES='(1,)' BLOCK='(32,)' AT='(80,)' \
#   SWIZZLE=0 --grid 1 --num-warps 1
# EXPECT: (b[80:] == a[80:]) & (sum(b[:80].to(i32)) == 0)
# RUN: move a='rand((600, 64), f16)' b='zeros((600, 64), f16)' SHAPE='(600, 64)' STRIDES='(64, 1)' BLOCK='(512, 64)' \
#   AT='(88, 0)' SWIZZLE=64 --grid 1
# EXPECT: b[88:] == a[88:]
# RUN: move a='randint(0, 99, (40, 512), i64)' b='zeros((40, 512), i64)' SHAPE='(40, 512)' STRIDES='(512, 1)' \
#   BLOCK='(16, 64)' AT='(24, 448)' SWIZZLE=128 --grid 1 --num-warps 8
# EXPECT: b[24:, 448:] == a[24:, 448:]
# RUN: move a='rand((5, 20, 64), f64)' b='zeros((5, 20, 64), f64)' SHAPE='(5, 20, 64)' STRIDES='(1280, 64, 1)' \
#   BLOCK='(4, 16, 16)' AT='(2, 8, 48)' SWIZZLE=128 --grid 1
# EXPECT: b[2:, 8:, 48:] == a[2:, 8:, 48:]
# RUN: move a='rand((300, 4, 64), bf16)' b='zeros((300, 4, 64), bf16)' SHAPE='(300, 4, 64)' STRIDES='(256, 64, 1)' \
#   BLOCK='(256, 2, 16)' AT='(44, 1, 48)' SWIZZLE=0 --grid 1
# EXPECT: b[44:, 1:3, 48:] == a[44:, 1:3, 48:]
# RUN: move a='rand((15, 20, 64), f16)' b='zeros((15, 20, 64), f16)' SHAPE='(3, 5, 20, 64)' \
#   STRIDES='(6400, 1280, 64, 1)' BLOCK='(2, 4, 8, 64)' AT='(1, 2, 8, 0)' SWIZZLE=128 --grid 1
# EXPECT: (b[7:10, 8:16] == a[7:10, 8:16]) & (b[12:, 8:16] == a[12:, 8:16])
# RUN: move a='randint(0, 255, (45, 10, 64), u8)' b='zeros((45, 10, 64), u8)' SHAPE='(3, 3, 5, 10, 64)' \
#   STRIDES='(9600, 3200, 640, 64, 1)' BLOCK='(2, 2, 4, 8, 64)' AT='(2, 1, 1, 2, 0)' SWIZZLE=64 --grid 1
# EXPECT: (b[36:40, 2:] == a[36:40, 2:]) & (b[41:, 2:] == a[41:, 2:])
# RUN: move a='rand((18, 10, 64), f32)' b='zeros((18, 10, 64), f32)' SHAPE='(3, 3, 2, 10, 64)' \
#   STRIDES='(3840, 1280, 640, 64, 1)' BLOCK='(1, 2, 1, 8, 32)' AT='(1, 1, 1, 2, 32)' SWIZZLE=0 --grid 1
# EXPECT: (b[9, 2:, 32:] == a[9, 2:, 32:]) & (b[11, 2:, 32:] == a[11, 2:, 32:])
# Rows of the tensor further apart than they are long.
# RUN: move a='rand((64, 96), f16)' b='zeros((64, 96), f16)' SHAPE='(64, 40)' STRIDES='(96, 1)' BLOCK='(64, 64)' \
#   AT='(0, 8)' SWIZZLE=128 --grid 1
# EXPECT: all(b[:, 8:40] == a[:, 8:40]) & all(b[:, 40:] == 0)

# Several CTAs: each moves its part, or one sends what all have.
# RUN: move a='rand(1024, f32)' b='zeros(1024, f32)' SHAPE='(1024,)' STRIDES='(1,)' BLOCK='(512,)' AT='(256,)' \
#   SWIZZLE=0 CGA='[[1], [0]]' MULTICAST=True --grid 1 --num-ctas 4
# EXPECT: b[256:768] == a[256:768]
# RUN: move a='rand((5, 40, 128), f16)' b='zeros((5, 40, 128), f16)' SHAPE='(5, 40, 128)' STRIDES='(5120, 128, 1)' \
#   BLOCK='(4, 32, 128)' AT='(1, 8, 0)' SWIZZLE=128 CGA='[[0, 1, 0], [1, 0, 0]]' --grid 1 --num-ctas 4
# EXPECT: b[1:, 8:] == a[1:, 8:]
# RUN: move a='rand((5, 40, 128), f16)' b='zeros((5, 40, 128), f16)' SHAPE='(5, 40, 128)' STRIDES='(5120, 128, 1)' \
#   BLOCK='(4, 32, 128)' AT='(1, 8, 0)' SWIZZLE=64 CGA='[[0, 0, 1], [0, 0, 0]]' MULTICAST=True --grid 1 --num-ctas 4
# EXPECT: b[1:, 8:] == a[1:, 8:]
# RUN: move a='rand((15, 40, 64), f32)' b='zeros((15, 40, 64), f32)' SHAPE='(3, 5, 40, 64)' \
#   STRIDES='(12800, 2560, 64, 1)' BLOCK='(2, 2, 16, 64)' AT='(1, 2, 8, 0)' SWIZZLE=128 \
#   CGA='[[0, 0, 0, 0], [1, 0, 0, 0]]' MULTICAST=True --grid 1 --num-ctas 4
# EXPECT: (b[7:9, 8:24] == a[7:9, 8:24]) & (b[12:14, 8:24] == a[12:14, 8:24])
# RUN: move a='rand((27, 20, 128), f16)' b='zeros((27, 20, 128), f16)' SHAPE='(3, 3, 3, 20, 128)' \
#   STRIDES='(23040, 7680, 2560, 128, 1)' BLOCK='(2, 2, 2, 8, 128)' AT='(1, 1, 1, 8, 0)' SWIZZLE=64 \
#   CGA='[[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1]]' MULTICAST=True --grid 1 --num-ctas 8
# EXPECT: (b[13:15, 8:16] == a[13:15, 8:16]) & (b[16:18, 8:16] == a[16:18, 8:16]) & (b[25:, 8:16] == a[25:, 8:16])

# Combined with what is there, by every operation that the engine has for a type.
# RUN: combine a='randint(-99, 99, 300, i32)' b='randint(-99, 99, 300, i32, 7)' old='randint(-99, 99, 300, i32, 7)' \
#   SHAPE='(300,)' STRIDES='(1,)' BLOCK='(256,)' AT='(128,)' HOW='"add"' --grid 1
# EXPECT: all(b[128:] == old[128:] + a[128:]) & all(b[:128] == old[:128])
# RUN: combine a='randint(0, 99, (40, 64), u64)' b='randint(0, 99, (40, 64), u64, 7)' \
#   old='randint(0, 99, (40, 64), u64, 7)' SHAPE='(40, 64)' STRIDES='(64, 1)' BLOCK='(32, 64)' AT='(8, 0)' \
#   HOW='"add"' SWIZZLE=128 --grid 1
# EXPECT: b[8:] == old[8:] + a[8:]
# RUN: combine a='randint(-9, 9, (5, 20, 64), f16)' b='randint(-9, 9, (5, 20, 64), f16, 7)' \
#   old='randint(-9, 9, (5, 20, 64), f16, 7)' SHAPE='(5, 20, 64)' STRIDES='(1280, 64, 1)' BLOCK='(4, 16, 64)' \
#   AT='(1, 4, 0)' HOW='"add"' SWIZZLE=128 --grid 1
# EXPECT: b[1:, 4:] == old[1:, 4:] + a[1:, 4:]
# RUN: combine a='randint(-99, 99, (15, 20, 64), bf16)' b='randint(-99, 99, (15, 20, 64), bf16, 7)' \
#   old='randint(-99, 99, (15, 20, 64), bf16, 7)' SHAPE='(3, 5, 20, 64)' STRIDES='(6400, 1280, 64, 1)' \
#   BLOCK='(2, 4, 16, 64)' AT='(1, 1, 4, 0)' HOW='"max"' SWIZZLE=64 --grid 1
# EXPECT: b[6:10, 4:] == where(a[6:10, 4:] > old[6:10, 4:], a[6:10, 4:], old[6:10, 4:])
# RUN: combine a='randint(-99, 99, (45, 10, 64), i64)' b='randint(-99, 99, (45, 10, 64), i64, 7)' \
#   old='randint(-99, 99, (45, 10, 64), i64, 7)' SHAPE='(3, 3, 5, 10, 64)' STRIDES='(9600, 3200, 640, 64, 1)' \
#   BLOCK='(1, 2, 4, 2, 64)' AT='(1, 1, 1, 2, 0)' HOW='"min"' SWIZZLE=32 --grid 1
# EXPECT: b[21:25, 2:4] == where(a[21:25, 2:4] < old[21:25, 2:4], a[21:25, 2:4], old[21:25, 2:4])
# RUN: combine a='randint(0, 4000000000, (40, 64), u32)' b='randint(0, 4000000000, (40, 64), u32, 7)' \
#   old='randint(0, 4000000000, (40, 64), u32, 7)' SHAPE='(40, 64)' STRIDES='(64, 1)' BLOCK='(32, 64)' AT='(8, 0)' \
#   HOW='"max"' --grid 1
# EXPECT: b[8:] == where(a[8:] > old[8:], a[8:], old[8:])
# RUN: combine a='randint(-99, 99, (40, 64), i32)' b='randint(-99, 99, (40, 64), i32, 7)' \
#   old='randint(-99, 99, (40, 64), i32, 7)' SHAPE='(40, 64)' STRIDES='(64, 1)' BLOCK='(32, 64)' AT='(8, 0)' \
#   HOW='"and"' SWIZZLE=128 --grid 1
# EXPECT: b[8:] == (old[8:] & a[8:])
# RUN: combine a='randint(0, 99, (40, 64), u32)' b='randint(0, 99, (40, 64), u32, 7)' \
#   old='randint(0, 99, (40, 64), u32, 7)' SHAPE='(40, 64)' STRIDES='(64, 1)' BLOCK='(32, 64)' AT='(8, 0)' \
#   HOW='"or"' SWIZZLE=128 --grid 1
# EXPECT: b[8:] == (old[8:] | a[8:])
# RUN: combine a='randint(0, 99, (40, 64), u64)' b='randint(0, 99, (40, 64), u64, 7)' \
#   old='randint(0, 99, (40, 64), u64, 7)' SHAPE='(40, 64)' STRIDES='(64, 1)' BLOCK='(32, 64)' AT='(8, 0)' \
#   HOW='"xor"' SWIZZLE=128 --grid 1
# EXPECT: b[8:] == (old[8:] ^ a[8:])
# Each CTA adds its part, and of those with copies one.
# RUN: combine a='randint(-9, 9, (32, 128), f32)' b='randint(-9, 9, (32, 128), f32, 7)' \
#   old='randint(-9, 9, (32, 128), f32, 7)' SHAPE='(32, 128)' STRIDES='(128, 1)' BLOCK='(32, 128)' AT='(0, 0)' \
#   HOW='"add"' SWIZZLE=128 CGA='[[0, 1], [0, 0]]' --grid 1 --num-ctas 4
# EXPECT: b == old + a

# Another CTA reads what the engine stored, once it is told that the store is complete.
# RUN: relay a='rand((64, 64), f32)' b='zeros((64, 64), f32)' c='zeros((64, 64), f32)' flag='zeros(1, i32)' --grid 2
# EXPECT: c == a

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def load(source, at, block, MULTICAST: gl.constexpr = False):
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, source.nbytes_per_cta)
    tma.async_load(source, at, arrived, block, multicast=MULTICAST)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)


@gluon.jit
def describe(p, SHAPE: gl.constexpr, STRIDES: gl.constexpr, BLOCK: gl.constexpr, SWIZZLE: gl.constexpr,
             CGA: gl.constexpr):
    element: gl.constexpr = p.dtype.element_ty
    layout: gl.constexpr = gl.NVMMASharedLayout(SWIZZLE, element.primitive_bitwidth, len(BLOCK), cga_layout=CGA)
    return tma.make_tensor_descriptor(p, SHAPE, STRIDES, BLOCK, layout)


@gluon.jit
def move(a, b, SHAPE: gl.constexpr, STRIDES: gl.constexpr, BLOCK: gl.constexpr, AT: gl.constexpr,
         SWIZZLE: gl.constexpr, CGA: gl.constexpr = [], MULTICAST: gl.constexpr = False):
    source = describe(a, SHAPE, STRIDES, BLOCK, SWIZZLE, CGA)
    target = describe(b, SHAPE, STRIDES, BLOCK, SWIZZLE, CGA)
    block = gl.allocate_shared_memory(source.dtype, BLOCK, source.layout)
    load(source, AT, block, MULTICAST)
    tma.async_store(target, AT, block)
    tma.store_wait(pendings=0)


@gluon.jit
def combine(a, b, SHAPE: gl.constexpr, STRIDES: gl.constexpr, BLOCK: gl.constexpr, AT: gl.constexpr,
            HOW: gl.constexpr, SWIZZLE: gl.constexpr = 0, CGA: gl.constexpr = []):
    source = describe(a, SHAPE, STRIDES, BLOCK, SWIZZLE, CGA)
    target = describe(b, SHAPE, STRIDES, BLOCK, SWIZZLE, CGA)
    block = gl.allocate_shared_memory(source.dtype, BLOCK, source.layout)
    load(source, AT, block)
    if HOW == "add":
        tma.async_atomic_add(target, AT, block)
    elif HOW == "min":
        tma.async_atomic_min(target, AT, block)
    elif HOW == "max":
        tma.async_atomic_max(target, AT, block)
    elif HOW == "and":
        tma.async_atomic_and(target, AT, block)
    elif HOW == "or":
        tma.async_atomic_or(target, AT, block)
    else:
        tma.async_atomic_xor(target, AT, block)
    tma.store_wait(pendings=0)


@gluon.jit
def relay(a, b, c, flag):
    """The first program stores to b and raises the flag; the last copies b to c."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    at = (gl.arange(0, 64, gl.SliceLayout(1, layout))[:, None] * 64 +
          gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :])
    if gl.program_id(0) == 0:
        source = describe(a, (64, 64), (64, 1), (64, 64), 0, [])
        target = describe(b, (64, 64), (64, 1), (64, 64), 0, [])
        block = gl.allocate_shared_memory(gl.float32, [64, 64], source.layout)
        load(source, [0, 0], block)
        tma.async_store(target, [0, 0], block)
        tma.store_wait(0, read_only=False)
        gl.atomic_add(flag, 1, sem="release")
    else:
        while gl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        gl.store(c + at, gl.load(b + at))
