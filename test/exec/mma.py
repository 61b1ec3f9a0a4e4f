"""Products on tensor cores with operands in registers: nvidia.ampere.mma_v2."""

# Small integers are exact in every type, whatever the order of the sum.
# RUN: product a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[4, 1]' k_width=2 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (32, 128), bf16)' b='randint(-4, 5, (128, 64), bf16)' c='empty((32, 64), f32)' \
#   M=32 N=64 K=128 warps='[2, 2]' k_width=2 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 128), f16)' b='randint(-4, 5, (128, 32), f16)' c='empty((64, 32), f32)' \
#   M=64 N=32 K=128 warps='[1, 4]' k_width=8 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-2, 3, (64, 64), f16)' b='randint(-2, 3, (64, 64), f16)' c='empty((64, 64), f16)' \
#   M=64 N=64 K=64 warps='[4, 1]' k_width=4 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[2, 2]' k_width=1 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 128), f32)' b='randint(-4, 5, (128, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=128 warps='[4, 1]' k_width=8 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-100, 100, (64, 128), i8)' b='randint(-100, 100, (128, 64), i8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=128 warps='[4, 1]' k_width=4 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randn((32, 32), f64)' b='randn((32, 32), f64)' c='empty((32, 32), f64)' \
#   M=32 N=32 K=32 warps='[2, 2]' k_width=1 INSTR_M=8 --grid 1
# EXPECT: allclose(c, a @ b)
# RUN: product a='randint(-4, 5, (64, 64), gl.float8e4nv)' b='randint(-4, 5, (64, 64), gl.float8e4nv)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[4, 1]' k_width=4 --grid 1
# EXPECT: c == a @ b
# RUN: product a='randint(-4, 5, (64, 64), gl.float8e5)' b='randint(-4, 5, (64, 64), gl.float8e4nv)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[2, 2]' k_width=4 --grid 1
# EXPECT: c == a @ b

# RUN: product a='randn((64, 64), f16)' b='randn((64, 64), f16)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[4, 1]' k_width=2 --grid 1 --rtol 1e-3 --atol 1e-3
# EXPECT: allclose(c, a @ b)
# RUN: product a='randn((64, 64), f32)' b='randn((64, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[4, 1]' k_width=1 --grid 1 --rtol 1e-2 --atol 5e-2
# EXPECT: allclose(c, a @ b)

# Through shared memory, either operand stored either way round; a loop over K.
# RUN: tiled a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 64), f16)' c='empty((128, 64), f32)' \
#   M=128 N=64 K=128 a_smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' b_smem='gl.SwizzledSharedLayout(8, 1, 8, [1, 0])' \
#   k_width=2 --grid 1
# EXPECT: c == a @ b
# RUN: tiled a='randint(-4, 5, (64, 96), bf16)' b='randint(-4, 5, (96, 128), bf16)' c='empty((64, 128), f32)' \
#   M=64 N=128 K=96 a_smem='gl.SwizzledSharedLayout(8, 1, 8, [0, 1])' b_smem='gl.SwizzledSharedLayout(8, 2, 4, [0, 1])' \
#   k_width=2 --grid 1
# EXPECT: c == a @ b
# RUN: tiled a='randint(-4, 5, (64, 64), f32)' b='randint(-4, 5, (64, 64), f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 a_smem='gl.SwizzledSharedLayout(4, 1, 8, [1, 0])' b_smem='gl.SwizzledSharedLayout(4, 1, 8, [0, 1])' \
#   k_width=1 --grid 1
# EXPECT: c == a @ b
# RUN: tiled a='randint(-9, 10, (64, 64), i8)' b='randint(-9, 10, (64, 64), i8)' c='empty((64, 64), i32)' \
#   M=64 N=64 K=64 a_smem='gl.SwizzledSharedLayout(16, 2, 4, [1, 0])' b_smem='gl.SwizzledSharedLayout(16, 2, 4, [0, 1])' \
#   k_width=4 --grid 1
# EXPECT: c == a @ b
# RUN: tiled a='randint(-4, 5, (64, 64), f16)' b='randint(-4, 5, (64, 64), f16)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 a_smem='gl.PaddedSharedLayout.with_identity_for([[32, 8]], [64, 32], [1, 0])' \
#   b_smem='gl.PaddedSharedLayout.with_identity_for([[64, 8]], [32, 64], [1, 0])' k_width=2 --grid 1
# EXPECT: c == a @ b

# A whole matrix product: tiles by program, operands through rings that asynchronous copies fill.
# RUN: gemm a='randint(-4, 5, (128, 128), f16)' b='randint(-4, 5, (128, 128), f16)' c='empty((128, 128), f32)' \
#   m=128 n=128 k=128 BM=64 BN=64 BK=32 STAGES=3 --grid 2,2
# EXPECT: c == a @ b
# RUN: gemm a='randint(-4, 5, (64, 160), bf16)' b='randint(-4, 5, (160, 192), bf16)' c='empty((64, 192), f32)' \
#   m=64 n=192 k=160 BM=32 BN=64 BK=32 STAGES=2 --grid 2,3
# EXPECT: c == a @ b

# RUN: saturated c='zeros((64, 64), i32)' start=2147483000 --grid 1
# EXPECT: c == 2147483647

# What tf32 does not hold is cut off, not rounded: 1 + 3/4 of its last place is 1.
# RUN: product a='full((64, 64), 1 + 3 * 2 ** -12, f32)' b='full((64, 64), -1 - 2 ** -11, f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[2, 2]' k_width=1 --grid 1
# EXPECT: c == -64
# RUN: product a='full((64, 64), 1 + 2 ** -10, f32)' b='full((64, 64), 1, f32)' c='empty((64, 64), f32)' \
#   M=64 N=64 K=64 warps='[2, 2]' k_width=1 --grid 1
# EXPECT: c == 64 + 2 ** -4
# Every element goes through unchanged, the smallest ones too.
# RUN: product a='rand((64, 64), gl.float8e4nv) / 64' b='where(arange(64)[:, None] == arange(64), 1.0, 0.0).to(gl.float8e4nv)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 warps='[4, 1]' k_width=4 --grid 1
# EXPECT: c == a
# RUN: product a='rand((64, 64), gl.float8e5) / 32768' b='where(arange(64)[:, None] == arange(64), 1.0, 0.0).to(gl.float8e5)' \
#   c='empty((64, 64), f32)' M=64 N=64 K=64 warps='[4, 1]' k_width=4 --grid 1
# EXPECT: c == a

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy, mma_v2

rows = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
wide = gl.constexpr(gl.BlockedLayout([1, 8], [8, 4], [4, 1], [1, 0]))


@gluon.jit
def places(M: gl.constexpr, N: gl.constexpr, stride: gl.constexpr, layout: gl.constexpr):
    r = gl.arange(0, M, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, N, layout=gl.SliceLayout(0, layout))
    return r[:, None] * stride + c[None, :]


@gluon.jit
def product(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, warps: gl.constexpr, k_width: gl.constexpr,
            INSTR_M: gl.constexpr = 16):
    sums: gl.constexpr = gl.NVMMADistributedLayout([2, 0], warps, [INSTR_M, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, sums, k_width)
    right: gl.constexpr = gl.DotOperandLayout(1, sums, k_width)
    x = gl.convert_layout(gl.load(a + places(M, K, K, rows)), left)
    y = gl.convert_layout(gl.load(b + places(K, N, N, rows)), right)
    zero = gl.zeros([M, N], c.dtype.element_ty, layout=sums)
    z = mma_v2(x, y, zero, input_precision="tf32")
    gl.store(c + places(M, N, N, rows), gl.convert_layout(z, rows))


@gluon.jit
def tiled(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, a_smem: gl.constexpr, b_smem: gl.constexpr,
          k_width: gl.constexpr):
    sums: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, sums, k_width)
    right: gl.constexpr = gl.DotOperandLayout(1, sums, k_width)
    STEP: gl.constexpr = 32
    element: gl.constexpr = a.dtype.element_ty
    x = gl.allocate_shared_memory(element, [M, STEP], a_smem)
    y = gl.allocate_shared_memory(element, [STEP, N], b_smem)
    z = gl.zeros([M, N], c.dtype.element_ty, layout=sums)
    for k in range(0, K, STEP):
        x.store(gl.load(a + k + places(M, STEP, K, rows)))
        y.store(gl.load(b + k * N + places(STEP, N, N, rows)))
        z = mma_v2(x.load(left), y.load(right), z)
    gl.store(c + places(M, N, N, sums), z)


@gluon.jit
def fetch(a, b, x, y, stage, step, k, n, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, STAGES: gl.constexpr):
    r = gl.arange(0, BM, layout=gl.SliceLayout(1, wide))
    d = step * BK + gl.arange(0, BK, layout=gl.SliceLayout(0, wide))
    async_copy.async_copy_global_to_shared(x.index(stage % STAGES), a + r[:, None] * k + d[None, :],
                                           mask=(d < k)[None, :])
    e = step * BK + gl.arange(0, BK, layout=gl.SliceLayout(1, wide))
    c = gl.arange(0, BN, layout=gl.SliceLayout(0, wide))
    async_copy.async_copy_global_to_shared(y.index(stage % STAGES), b + e[:, None] * n + c[None, :],
                                           mask=(e < k)[:, None])
    async_copy.commit_group()


@gluon.jit
def gemm(a, b, c, m, n, k, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, STAGES: gl.constexpr):
    sums: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    left: gl.constexpr = gl.DotOperandLayout(0, sums, 2)
    right: gl.constexpr = gl.DotOperandLayout(1, sums, 2)
    element: gl.constexpr = a.dtype.element_ty
    x = gl.allocate_shared_memory(element, [STAGES, BM, BK], gl.SwizzledSharedLayout(8, 1, BK // 8, [1, 0]))
    y = gl.allocate_shared_memory(element, [STAGES, BK, BN], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
    row, column = gl.program_id(0) * BM, gl.program_id(1) * BN
    a += row * k
    b += column
    for step in gl.static_range(STAGES - 1):
        fetch(a, b, x, y, step, step, k, n, BM, BN, BK, STAGES)
    z = gl.zeros([BM, BN], gl.float32, layout=sums)
    for step in range(gl.cdiv(k, BK)):
        async_copy.wait_group(STAGES - 2)
        fetch(a, b, x, y, step + STAGES - 1, step + STAGES - 1, k, n, BM, BN, BK, STAGES)
        z = mma_v2(x.index(step % STAGES).load(left), y.index(step % STAGES).load(right), z)
    async_copy.wait_group(0)
    i = row + gl.arange(0, BM, layout=gl.SliceLayout(1, sums))
    j = column + gl.arange(0, BN, layout=gl.SliceLayout(0, sums))
    gl.store(c + i[:, None] * n + j[None, :], z)


# Integer sums stop at the largest value instead of wrapping around.
@gluon.jit
def saturated(c, start):
    sums: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    x = gl.full([64, 32], 100, gl.int8, layout=gl.DotOperandLayout(0, sums, 4))
    y = gl.full([32, 64], 100, gl.int8, layout=gl.DotOperandLayout(1, sums, 4))
    z = mma_v2(x, y, gl.zeros([64, 64], gl.int32, layout=sums) + start)
    gl.store(c + places(64, 64, 64, sums), z)
