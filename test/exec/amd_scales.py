"""Products and conversions with scales, parts of blocks, stages of pipelines, on AMD's chips."""

# RUN: mfma_fp8 a='randint(-8, 9, (32, 128), gl.float8e4nv)' b='randint(-8, 9, (128, 32), gl.float8e4nv)' s='randint(125, 130, (32, 4), u8)' t='randint(125, 130, (32, 4), u8)' \
#   c='empty((32, 32), f32)' --grid 1 --target hip:gfx950
# EXPECT: c == 1
# RUN: upcast x='randint(0, 256, (32, 128), u8)' s='full((32, 8), 129, u8)' y='empty((32, 256), f32)' z='empty((32, 256), f32)' run=True --grid 1 --target hip:gfx942
# EXPECT: y == 4 * z
# RUN: upcast x='randint(0, 256, (32, 128), u8)' s='full((32, 8), 126, u8)' y='empty((32, 256), f32)' z='empty((32, 256), f32)' run=True --grid 1 --target hip:gfx950
# EXPECT: y == 0.5 * z
# RUN: roundtrip x='randint(0, 256, (32, 128), u8)' y='empty((32, 128), u8)' --grid 1 --target hip:gfx950
# EXPECT: where(y % 16 == 8, 0, y % 16) + where(y // 16 == 8, 0, y // 16) == where(x % 16 == 8, 0, x % 16) + where(x // 16 == 8, 0, x // 16)
# RUN: saturate y='empty((32, 256), f32)' --grid 1 --target hip:gfx950
# EXPECT: y == 448
# RUN: half x='randn((64, 64), f32)' y='empty((32, 32), f32)' --grid 1 --target hip:gfx942
# EXPECT: y == x[32:64, 0:32]
# RUN: stages x='randint(-9, 9, 256, i32)' y='empty(64, i32)' --grid 1 --target hip:gfx950
# EXPECT: y == x[0:64] + x[64:128] + x[128:192] + x[192:256]

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3, cdna4


@gluon.jit
def at(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * N + columns[None, :]


@gluon.jit
def upcast(x, s, y, z, run: gl.constexpr):
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
    data = gl.load(x + at(32, 128, pairs))
    scale: gl.constexpr = cdna3.get_scaled_upcast_fp4_scale_layout(data, 32, gl.bfloat16, 1)
    out = cdna3.scaled_upcast(data, gl.load(s + at(32, 8, scale)), gl.bfloat16, axis=1)
    gl.store(y + at(32, 256, wide), out.to(gl.float32))
    gl.store(z + at(32, 256, wide), gl.fp4_to_fp(data, gl.bfloat16, axis=1).to(gl.float32))


@gluon.jit
def roundtrip(x, y):
    pairs: gl.constexpr = gl.BlockedLayout([1, 16], [8, 8], [4, 1], [1, 0])
    data = gl.load(x + at(32, 128, pairs))
    scale: gl.constexpr = cdna4.get_scaled_upcast_fp4_scale_layout(data, 32, gl.float16, 1)
    s = gl.full([32, 8], 130, gl.uint8, scale)
    gl.store(y + at(32, 128, pairs), cdna4.scaled_downcast(cdna4.scaled_upcast(data, s, gl.float16, 1), s, "e2m1"))


@gluon.jit
def saturate(y):
    wide: gl.constexpr = gl.BlockedLayout([1, 32], [8, 8], [4, 1], [1, 0])
    one: gl.constexpr = gl.BlockedLayout([1, 1], [8, 8], [4, 1], [1, 0])
    big = gl.full([32, 256], 1e5, gl.float32, wide)
    gl.store(y + at(32, 256, wide), cdna4.scaled_downcast(big, gl.full([32, 8], 127, gl.uint8, one), "e4m3").to(gl.float32))


@gluon.jit
def half(x, y):
    tile: gl.constexpr = gl.BlockedLayout([1, 4], [8, 8], [4, 1], [1, 0])
    part = gl.amd.slice(gl.load(x + at(64, 64, tile)), [32, 32], [32, 0])
    gl.store(y + at(32, 32, tile), part)


@gluon.jit
def stages(x, y):
    line: gl.constexpr = gl.BlockedLayout([1], [64], [4], [0])
    i = gl.arange(0, 64, layout=line)
    total = gl.zeros_like(i)
    for k in range(4):
        with gl.amd.warp_pipeline_stage("load", priority=1):
            part = gl.load(x + k * 64 + i)
        with gl.amd.warp_pipeline_stage("sum"):
            total += part
        gl.amd.hint.sched_barrier()
    gl.store(y + i, total)


@gluon.jit
def mfma_fp8(a, b, s, t, c):
    """Scaled products against products of values that were scaled before."""
    mma: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 128], True, [2, 2])
    left: gl.constexpr = gl.DotOperandLayout(0, mma, 16)
    right: gl.constexpr = gl.DotOperandLayout(1, mma, 16)
    plain: gl.constexpr = gl.BlockedLayout([1, 4], [4, 16], [4, 1], [1, 0])
    x = gl.load(a + at(32, 128, plain))
    y = gl.load(b + at(128, 32, plain))
    ls: gl.constexpr = cdna4.get_mfma_scale_layout(left, [32, 4])
    rs: gl.constexpr = cdna4.get_mfma_scale_layout(right, [32, 4])
    sx = gl.load(s + at(32, 4, ls))
    sy = gl.load(t + at(32, 4, rs))
    zero = gl.zeros([32, 32], gl.float32, mma)
    out = cdna4.mfma_scaled(gl.convert_layout(x, left), sx, "e4m3", gl.convert_layout(y, right), sy, "e4m3", zero)
    # 2^(s - 127) along K, each for 32 elements
    px = gl.exp2(gl.convert_layout(sx, gl.BlockedLayout([1, 1], [16, 4], [4, 1], [1, 0])).to(gl.float32) - 127)
    py = gl.exp2(gl.convert_layout(sy, gl.BlockedLayout([1, 1], [16, 4], [4, 1], [1, 0])).to(gl.float32) - 127)
    wx = gl.reshape(gl.join(px, px), [32, 8])
    wx = gl.reshape(gl.join(wx, wx), [32, 16])
    wx = gl.reshape(gl.join(wx, wx), [32, 32])
    wx = gl.reshape(gl.join(wx, wx), [32, 64])
    wx = gl.reshape(gl.join(wx, wx), [32, 128])
    wy = gl.reshape(gl.join(py, py), [32, 8])
    wy = gl.reshape(gl.join(wy, wy), [32, 16])
    wy = gl.reshape(gl.join(wy, wy), [32, 32])
    wy = gl.reshape(gl.join(wy, wy), [32, 64])
    wy = gl.reshape(gl.join(wy, wy), [32, 128])
    fx = x.to(gl.float32) * gl.convert_layout(wx, plain)
    fy = gl.permute(gl.convert_layout(gl.permute(y.to(gl.float32), [1, 0]), plain) * gl.convert_layout(wy, plain), [1, 0])
    f: gl.constexpr = gl.amd.AMDMFMALayout(4, [16, 16, 4], True, [2, 2])
    ref = cdna4.mfma(gl.convert_layout(fx, gl.DotOperandLayout(0, f, 1)), gl.convert_layout(fy, gl.DotOperandLayout(1, f, 1)),
                     gl.zeros([32, 32], gl.float32, f))
    same = gl.convert_layout(out, plain) == gl.convert_layout(ref, plain)
    gl.store(c + at(32, 32, plain), same.to(gl.float32))
