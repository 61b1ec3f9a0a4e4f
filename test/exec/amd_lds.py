"""Products whose operands come to LDS past the registers, and out of it by columns."""

# RUN: ring a='randint(-4, 5, (64, 160), f16)' b='randint(-4, 5, (160, 64), f16)' c='empty((64, 64), f32)' K=160 STAGES=3 \
#   kind='"cdna4"' mma='gl.amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])' lanes=64 a_smem='gl.SwizzledSharedLayout(8, 2, 4, [1, 0])' \
#   b_smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1 --target hip:gfx950
# EXPECT: c == a @ b
# RUN: ring a='randint(-4, 5, (64, 96), bf16)' b='randint(-4, 5, (96, 64), bf16)' c='empty((64, 64), f32)' K=96 STAGES=2 \
#   kind='"cdna4"' mma='gl.amd.AMDMFMALayout(4, [32, 32, 16], False, [2, 2])' lanes=64 a_smem='gl.PaddedSharedLayout([[512, 16]], [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], [], [64, 32])' \
#   b_smem='gl.SwizzledSharedLayout(1, 1, 1, [1, 0])' --grid 1 --target hip:gfx950
# EXPECT: c == a @ b
# RUN: ring a='randint(-4, 5, (64, 160), f16)' b='randint(-4, 5, (160, 64), f16)' c='empty((64, 64), f32)' K=160 STAGES=3 \
#   kind='"gfx1250"' mma='gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], instr_shape=[16, 16, 32])' lanes=32 a_smem='gl.SwizzledSharedLayout(8, 2, 4, [1, 0])' \
#   b_smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' --grid 1 --target hip:gfx1250
# EXPECT: c == a @ b
# RUN: bytes a='randint(-4, 5, (64, 64), i8)' b='randint(-4, 5, (64, 64), i8)' c='empty((64, 64), i32)' \
#   mma='gl.amd.AMDMFMALayout(4, [16, 16, 64], True, [2, 2])' lanes=64 --grid 1 --target hip:gfx950
# EXPECT: c == a.to(i32) @ b.to(i32)
# RUN: bytes a='randint(-4, 5, (64, 64), i8)' b='randint(-4, 5, (64, 64), i8)' c='empty((64, 64), i32)' \
#   mma='gl.amd.AMDWMMALayout(3, False, [[0, 1], [1, 0]], instr_shape=[16, 16, 64])' lanes=32 --grid 1 --target hip:gfx1250
# EXPECT: c == a.to(i32) @ b.to(i32)

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.amd import cdna3, cdna4, gfx1250


@gluon.jit
def at(M: gl.constexpr, N: gl.constexpr, stride, layout: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return rows[:, None] * stride + columns[None, :]


@gluon.jit
def product(x, y, sums, kind: gl.constexpr):
    if kind == "gfx1250":
        sums = gfx1250.wmma(x, y, sums)
    else:
        sums = cdna3.mfma(x, y, sums)
    return sums


@gluon.jit
def start(a, b, x, y, step, K: gl.constexpr, kind: gl.constexpr, lanes: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [lanes // 4, 4], [4, 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([1, 8], [lanes // 8, 8], [4, 1], [1, 0])
    if kind == "gfx1250":
        gfx1250.async_copy.global_to_shared(x, a + step * 32 + at(64, 32, K, rows))
        gfx1250.async_copy.global_to_shared(y, b + step * 32 * 64 + at(32, 64, 64, columns))
        gfx1250.async_copy.commit_group()
    else:
        cdna4.async_copy.buffer_load_to_shared(x, a + step * 32, at(64, 32, K, rows))
        cdna4.async_copy.global_load_to_shared(y, b + step * 32 * 64 + at(32, 64, 64, columns))
        cdna4.async_copy.commit_group()


@gluon.jit
def finish(pending: gl.constexpr, kind: gl.constexpr):
    if kind == "gfx1250":
        gfx1250.async_copy.wait_group(pending)
    else:
        cdna4.async_copy.wait_group(pending)


@gluon.jit
def ring(a, b, c, K: gl.constexpr, STAGES: gl.constexpr, kind: gl.constexpr, mma: gl.constexpr, lanes: gl.constexpr,
         a_smem: gl.constexpr, b_smem: gl.constexpr):
    """STAGES - 1 groups are on their way; the first to come is awaited."""
    dtype: gl.constexpr = a.dtype.element_ty
    x = gl.allocate_shared_memory(dtype, [STAGES, 64, 32], a_smem)
    y = gl.allocate_shared_memory(dtype, [STAGES, 32, 64], b_smem)
    for stage in gl.static_range(STAGES - 1):
        start(a, b, x.index(stage), y.index(stage), stage, K, kind, lanes)
    sums = gl.zeros([64, 64], gl.float32, mma)
    steps: gl.constexpr = K // 32
    for step in range(steps - (STAGES - 1)):
        ahead = step + STAGES - 1
        start(a, b, x.index(ahead % STAGES), y.index(ahead % STAGES), ahead, K, kind, lanes)
        finish(STAGES - 1, kind)
        slot = step % STAGES
        sums = product(x.index(slot).load(gl.DotOperandLayout(0, mma, 8)), y.index(slot).load(gl.DotOperandLayout(1, mma, 8)),
                       sums, kind)
    finish(0, kind)
    for step in gl.static_range(steps - (STAGES - 1), steps):
        sums = product(x.index(step % STAGES).load(gl.DotOperandLayout(0, mma, 8)),
                       y.index(step % STAGES).load(gl.DotOperandLayout(1, mma, 8)), sums, kind)
    gl.store(c + at(64, 64, 64, mma), sums)


@gluon.jit
def bytes(a, b, c, mma: gl.constexpr, lanes: gl.constexpr):
    """Both operands by columns: A is transposed in LDS, B is not."""
    width: gl.constexpr = 16 if lanes == 64 else 8
    wide: gl.constexpr = gl.BlockedLayout([1, 8], [lanes // 8, 8], [4, 1], [1, 0])
    tall: gl.constexpr = gl.BlockedLayout([8, 1], [8, lanes // 8], [1, 4], [0, 1])
    x = gl.allocate_shared_memory(gl.int8, [64, 64], gl.SwizzledSharedLayout(8, 1, 8, [0, 1]),
                                  gl.load(a + at(64, 64, 64, tall)))
    y = gl.allocate_shared_memory(gl.int8, [64, 64], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]),
                                  gl.load(b + at(64, 64, 64, wide)))
    sums = gl.zeros([64, 64], gl.int32, mma)
    kind: gl.constexpr = "cdna4" if lanes == 64 else "gfx1250"
    sums = product(x.load(gl.DotOperandLayout(0, mma, width)), y.load(gl.DotOperandLayout(1, mma, width)), sums, kind)
    gl.store(c + at(64, 64, 64, mma), sums)
