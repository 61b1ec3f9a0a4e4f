"""Programs of several CTAs: layouts over a cluster, and what travels between its CTAs."""

# RUN: copy x='arange(8185, f32)' y='empty(8185, f32)' n=8185 BLOCK=2048 CGA='[[1]]' --grid 4 --num-ctas 2
# EXPECT: y == x
# RUN: copy x='randn(8185, f16)' y='empty(8185, f16)' n=8185 BLOCK=4096 CGA='[[2],[0],[1]]' --grid 2 --num-ctas 8
# EXPECT: y == x
# RUN: numbered y='zeros((3, 2, 5, 512), i32)' CGA='[[1],[2]]' --grid 5,2,3 --num-ctas 4
# EXPECT: (y[2, 1, 4] == 214) & (y[0, 1, 3] == 13) & (sum(sum(sum(y[:, :, :, 32], 0), 0), 0) == 3210)
# RUN: total x='randint(-99, 99, (3, 4096), i32)' y='zeros(3, i32)' N=4096 CGA='[[1]]' --grid 3 --num-ctas 2
# EXPECT: y == sum(x, 1)
# RUN: total x='randint(-99, 99, (2, 4096), i32)' y='zeros(2, i32)' N=4096 CGA='[[2],[1],[4],[8]]' --grid 2 --num-ctas 16
# EXPECT: y == sum(x, 1)
# RUN: total x='randint(-99, 99, (2, 4096), i32)' y='zeros(2, i32)' N=4096 CGA='[[1],[0],[2]]' --grid 2 --num-ctas 8
# EXPECT: y == sum(x, 1)
# RUN: softmax x='randn((2, 8192), f32)' y='empty((2, 8192), f32)' s='empty(2, f32)' N=8192 CGA='[[1],[2],[4]]' --grid 2 \
#   --num-ctas 8
# EXPECT: allclose(sum(y, 1), zeros(2, f32) + 1, 1e-5, 1e-5) & allclose(y[1] * s[1], exp(x[1]), 1e-4, 1e-5)
# RUN: sums x='randint(-99, 99, (128, 64), i32)' rows='zeros(128, i32)' columns='zeros(64, i32)' CGA='[[1, 0], [0, 1]]' --grid 1 \
#   --num-ctas 4
# EXPECT: (columns == sum(x, 0)) & (rows[77] == sum(x[77]))
# RUN: sums x='randint(-99, 99, (128, 64), i32)' rows='zeros(128, i32)' columns='zeros(64, i32)' CGA='[[0, 2], [0, 0], [0, 1]]' --grid 1 \
#   --num-ctas 8
# EXPECT: columns == sum(x, 0)
# RUN: linear x='randint(-99, 99, (16, 8), i32)' rows='zeros(16, i32)' columns='zeros(8, i32)' --grid 1 --num-ctas 2
# EXPECT: (columns == sum(x, 0)) & (rows[3] == sum(x[3]))
# RUN: reshard x='randn((64, 128), f32)' y='empty((64, 128), f32)' A='[[0, 1], [0, 2]]' B='[[0, 1], [1, 0]]' --grid 1 --num-ctas 4
# EXPECT: y == x
# RUN: reshard x='randint(-9, 9, (64, 128), i8)' y='empty((64, 128), i8)' A='[[1, 0], [0, 0]]' B='[[0, 0], [0, 1]]' --grid 1 \
#   --num-ctas 4
# EXPECT: y == x
# RUN: reshard x='randn((64, 128), f64)' y='empty((64, 128), f64)' A='[[0, 0], [1, 0]]' B='[[0, 1], [0, 2]]' --grid 1 --num-ctas 4
# EXPECT: y == x
# RUN: transposed x='randn((256, 64), f32)' y='empty((64, 256), f32)' M=256 N=64 --grid 1 --num-ctas 2
# EXPECT: y == x.T
# RUN: through_shared x='randn((64, 64), f16)' y='empty((64, 64), f16)' A='[[1, 0]]' S='[[0, 1]]' B='[[1, 0]]' --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: through_shared x='randn((64, 64), f16)' y='empty((64, 64), f16)' A='[[1, 0]]' S='[[1, 0]]' B='[[1, 0]]' --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: through_shared x='randn((64, 64), f16)' y='empty((64, 64), f16)' A='[[0, 0]]' S='[[0, 0]]' B='[[0, 1]]' --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: through_shared x='randn((64, 64), f16)' y='empty((64, 64), f16)' A='[[1, 0]]' S='[[0, 0]]' B='[[0, 0]]' --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: through_shared x='randn((64, 64), f16)' y='empty((64, 64), f16)' A='[[1, 0], [0, 1]]' S='[[0, 0], [0, 1]]' B='[[0, 1], [0, 0]]' --grid 1 \
#   --num-ctas 4
# EXPECT: y == x
# RUN: turned x='arange(256, i32)' i='arange(256, i32)' y='empty(256, i32)' --grid 1 --num-ctas 4
# EXPECT: y == 255 - x
# RUN: counts x='randint(0, 8, 512, i32)' y='empty(32, i32)' --grid 1 --num-ctas 4
# EXPECT: (sum(y) == 512) & (y[3] == sum(where(x == 3, 1, 0)))
# RUN: mixed x='randint(-99, 99, (8, 64), i32)' y='empty((8, 64), i32)' --grid 1 --num-ctas 2
# EXPECT: (y[0] == x[0]) & (y[7] == sum(x, 0)) & (y[4] == sum(x[:5], 0))
# RUN: copies x='arange(32, i32)' y='empty(32, i32)' --grid 1 --num-ctas 8
# EXPECT: y == x
# RUN: stored x='arange(256, i32)' y='empty(256, i32)' N=256 --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: stored x='randn(512, f16)' y='empty(512, f16)' N=512 --grid 1 --num-ctas 4
# EXPECT: y == x
# RUN: one_barrier y='zeros(512, i32)' --grid 3 --num-ctas 2
# EXPECT: y[:256] == arange(256, i32)
# RUN: routed y='zeros(512, i32)' --grid 1 --num-ctas 4
# EXPECT: y == arange(512, i32)
# RUN: counted count='zeros(2, i32)' y='zeros((8, 128), i32)' --grid 8 --num-ctas 2
# EXPECT: (count[0] == 8) & (count[1] == 8 * 128) & (sum(y) == 28 * 128)
# RUN: specialized x='arange(1024, i32)' y='empty(1024, i32)' s='zeros(1, i32)' --grid 1 --num-ctas 2
# EXPECT: (y == x + 1) & (s[0] == sum(x))
# RUN: meeting x='randn((64, 128), f16)' y='empty((64, 128), f16)' z='zeros(256, i32)' WORKER=False --grid 2 --num-ctas 4
# EXPECT: all(y == x) & all(z == arange(256, i32))
# RUN: meeting x='randn((64, 128), f16)' y='empty((64, 128), f16)' z='zeros(256, i32)' WORKER=True --grid 2 --num-ctas 4
# EXPECT: all(y == x) & all(z == arange(256, i32))
# RUN: neighbours x='randint(0, 999, (2, 32), i32)' y='empty((2, 32), i32)' GATHER=True --grid 1 --num-ctas 2
# EXPECT: (y[:, 0] == x[:, 1]) & (sum(y, 1) == sum(x, 1)) & (y[:, 17] == x[:, 16])
# RUN: neighbours x='randint(0, 999, (2, 32), i32)' y='empty((2, 32), i32)' GATHER=False --grid 1 --num-ctas 2
# EXPECT: (y[:, 0] == x[:, 1]) & (sum(y, 1) == sum(x, 1)) & (y[:, 17] == x[:, 16])
# RUN: other_half x='arange(256, i32)' y='empty(256, i32)' --grid 1 --num-ctas 2
# EXPECT: (y[:128] == x[128:]) & (y[128:] == x[:128])
# RUN: half_barriers x='arange(256, i32)' y='empty(256, i32)' --grid 1 --num-ctas 2
# EXPECT: (y[:128] == x[128:]) & (y[128:] == x[:128])
# RUN: window x='randint(0, 999, (4, 32), i32)' y='empty((2, 32), i32)' z='empty((4, 32), i32)' --grid 1 --num-ctas 2
# EXPECT: (y == x[2:]) & (z[:2] == x[:2]) & (z[2:] == x[2:] + 5)
# RUN: adding x='zeros((4, 32), i32) + 7' y='empty((2, 32), i32)' --grid 1 --num-ctas 2
# EXPECT: (y == 7) & (x[:2] == 7) & (x[2:] == 10)
# RUN: gathered x='arange(1024, i32)' i='randint(0, 1024, 1024, i32)' y='empty(1024, i32)' A='[[1]]' B='[[1]]' --grid 1 --num-ctas 2
# EXPECT: y == i
# RUN: gathered x='arange(1024, i32)' i='randint(0, 1024, 1024, i32)' y='empty(1024, i32)' A='[[2], [1], [0]]' B='[[0], [1], [2]]' \
#   --grid 1 --num-ctas 8
# EXPECT: y == i
# RUN: gathered x='arange(1024, i32)' i='randint(0, 1024, 1024, i32)' y='empty(1024, i32)' A='[[0], [0]]' B='[[1], [0]]' --grid 1 \
#   --num-ctas 4
# EXPECT: y == i
# RUN: gathered_rows x='randint(0, 99, (32, 64), i32)' i='randint(0, 32, (32, 64), i32)' y='empty((32, 64), i32)' \
#   z='empty((32, 64), i32)' A='[[0, 1]]' --grid 1 --num-ctas 2
# EXPECT: y == z
# RUN: gathered_rows x='randint(0, 99, (32, 64), i32)' i='randint(0, 32, (32, 64), i32)' y='empty((32, 64), i32)' \
#   z='empty((32, 64), i32)' A='[[1, 0], [0, 1]]' --grid 1 --num-ctas 4
# EXPECT: y == z
# RUN: counted_bins x='randint(0, 64, 2048, i32)' y='empty(64, i32)' z='zeros(64, i32)' A='[[1]]' B='[[1]]' --grid 1 --num-ctas 2
# EXPECT: all(y == z) & (sum(y) == 2048)
# RUN: counted_bins x='randint(0, 64, 2048, i32)' y='empty(64, i32)' z='zeros(64, i32)' A='[[0], [1]]' B='[[0], [0]]' --grid 1 --num-ctas 4
# EXPECT: all(y == z) & (sum(y) == 2048)
# RUN: running x='randint(-9, 9, 2048, i32)' y='empty(2048, i32)' z='empty(2048, i32)' A='[[1], [2]]' --grid 1 --num-ctas 4
# EXPECT: all(y == z) & (y[2047] == sum(x))
# RUN: skewed x='randint(-99, 99, (16, 8), i32)' rows='zeros(16, i32)' columns='zeros(8, i32)' --grid 1 --num-ctas 4 --num-warps 1
# EXPECT: all(columns == sum(x, 0)) & all(rows == sum(x, 1))
# RUN: called x='randint(-99, 99, 1024, i32)' y='zeros(2, i32)' CGA='[[1], [2]]' --grid 1 --num-ctas 4
# EXPECT: (y[0] == sum(x)) & (y[1] == 3 * sum(x))
# RUN: stored_by_one x='randn((64, 64), f16)' y='empty((64, 64), f16)' WRITER=0 --grid 1 --num-ctas 2
# EXPECT: y == x
# RUN: stored_by_one x='randn((64, 64), f16)' y='empty((64, 64), f16)' WRITER=1 --grid 1 --num-ctas 2
# EXPECT: y == x

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.hopper import mbarrier


@gluon.jit
def copy(x, y, n, BLOCK: gl.constexpr, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0], cga_layout=CGA)
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(y + offsets, gl.load(x + offsets, mask=offsets < n), mask=offsets < n)


# A cluster is one program, whichever way the grid goes.
@gluon.jit
def numbered(y, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=CGA)
    i, j, k = gl.program_id(0), gl.program_id(1), gl.program_id(2)
    place = (k * gl.num_programs(1) + j) * gl.num_programs(0) + i
    number = i + 10 * j + 100 * k
    gl.store(y + place * 512 + gl.arange(0, 512, layout=layout), gl.full([512], number, gl.int32, layout))


@gluon.jit
def total(x, y, N: gl.constexpr, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], cga_layout=CGA)
    row = gl.program_id(0)
    values = gl.load(x + row * N + gl.arange(0, N, layout=layout))
    gl.store(y + row, gl.sum(values, axis=0))


@gluon.jit
def softmax(x, y, s, N: gl.constexpr, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0], cga_layout=CGA)
    offsets = gl.program_id(0) * N + gl.arange(0, N, layout=layout)
    values = gl.load(x + offsets)
    top = gl.max(values, axis=0)
    powers = gl.exp(values - top)
    all = gl.sum(powers, axis=0)
    gl.store(y + offsets, powers / all)
    gl.store(s + gl.program_id(0), all * gl.exp(top))


@gluon.jit
def sums(x, rows, columns, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [2, 2], [1, 0], cga_layout=CGA)
    i = gl.arange(0, 128, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    values = gl.load(x + i[:, None] * 64 + j[None, :])
    gl.store(rows + i, gl.sum(values, axis=1))
    gl.store(columns + j, gl.sum(values, axis=0))


# The CTA's number moves rows among those of lanes and warps.
@gluon.jit
def linear(x, rows, columns):
    layout: gl.constexpr = gl.DistributedLinearLayout(
        [], [[0, 1], [0, 4], [0, 2], [1, 0], [0, 0]], [[4, 0], [8, 0]], [[2, 0]], [16, 8])
    i = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, 8, layout=gl.SliceLayout(0, layout))
    values = gl.load(x + i[:, None] * 8 + j[None, :])
    gl.store(rows + i, gl.sum(values, axis=1))
    gl.store(columns + j, gl.sum(values, axis=0))


@gluon.jit
def tile(M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, layout))[:, None]
    return i * N + gl.arange(0, N, layout=gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def reshard(x, y, A: gl.constexpr, B: gl.constexpr):
    a: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=A)
    b: gl.constexpr = gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1], cga_layout=B)
    values = gl.load(x + tile(64, 128, a))
    gl.store(y + tile(64, 128, b), gl.convert_layout(values, b))


@gluon.jit
def transposed(x, y, M: gl.constexpr, N: gl.constexpr):
    a: gl.constexpr = gl.BlockedLayout([1, N], [32, 1], [4, 1], [0, 1], cga_layout=[[1, 0]])
    b: gl.constexpr = gl.BlockedLayout([1, M // 4], [8, 4], [4, 1], [1, 0], cga_layout=[[0, 1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float32, [N, M], shared)
    smem.store(gl.load(x + tile(M, N, a)).trans())
    gl.barrier(cluster=True)
    gl.store(y + tile(N, M, b), smem.load(b))


@gluon.jit
def through_shared(x, y, A: gl.constexpr, S: gl.constexpr, B: gl.constexpr):
    a: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], cga_layout=A)
    b: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [1, 4], [1, 0], cga_layout=B)
    shared: gl.constexpr = gl.NVMMASharedLayout(64, 16, 2, cga_layout=S)
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], shared)
    smem.store(gl.load(x + tile(64, 64, a)))
    gl.barrier(cluster=True)
    gl.store(y + tile(64, 64, b), smem.load(b))


# The rows of both CTAs come from one of them.
@gluon.jit
def stored_by_one(x, y, WRITER: gl.constexpr):
    whole: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 0]])
    halves: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.float16, [64, 64], gl.NVMMASharedLayout(64, 16, 2, cga_layout=[[1, 0]]))
    cta = gl.inline_asm_elementwise("mov.u32 $0, %cluster_ctarank;", "=r", [], dtype=gl.int32, is_pure=True, pack=1)
    values = gl.load(x + tile(64, 64, whole))
    gl.barrier(cluster=True)
    if cta == WRITER:
        smem.store(values)
    gl.barrier(cluster=True)
    gl.store(y + tile(64, 64, halves), smem.load(halves))


# Copies in every CTA; each fills its own.
@gluon.jit
def stored(x, y, N: gl.constexpr):
    cga: gl.constexpr = [[0]] * (gl.num_ctas().bit_length() - 1)
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], cga_layout=cga)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=cga)
    offsets = gl.arange(0, N, layout=layout)
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [N], shared)
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.expect(bar, smem.nbytes_per_cta)
    hopper.async_store(smem, gl.load(x + offsets), bar)
    mbarrier.wait(bar, phase=0, deps=[smem])
    gl.store(y + offsets, smem.load(layout))
    mbarrier.invalidate(bar)


# A barrier of two CTAs lies in the first.
@gluon.jit
def one_barrier(y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    bar = mbarrier.allocate_mbarrier(two_ctas=True)
    mbarrier.init(bar, count=2)
    for phase in gl.static_range(3):
        mbarrier.arrive(bar, count=2)
        mbarrier.wait(bar, phase & 1)
        gl.barrier(cluster=True)
    offsets = gl.arange(0, 256, layout=layout)
    gl.store(y + offsets, offsets)


# CTA 0 lets all go on, and even ones their neighbours.
@gluon.jit
def routed(y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1], [2]])
    bars = mbarrier.allocate_mbarrier(batch=2)
    mbarrier.init(bars.index(0), count=1)
    mbarrier.init(bars.index(1), count=2)
    mbarrier.arrive(bars.index(0), from_cta=0)
    mbarrier.wait(bars.index(0), 0)
    mbarrier.arrive(bars.index(1), from_cta=2)
    mbarrier.arrive(bars.index(1))
    mbarrier.wait(bars.index(1), 0)
    offsets = gl.arange(0, 512, layout=layout)
    gl.store(y + offsets, offsets)


# A program counts once, however many CTAs it has, and all of them learn its number.
@gluon.jit
def counted(count, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    number = gl.atomic_add(count, 1)
    offsets = gl.arange(0, 128, layout=layout)
    gl.atomic_add(count + 1 + offsets * 0, gl.full([128], 1, gl.int32, layout))
    gl.store(y + number * 128 + offsets, gl.full([128], 0, gl.int32, layout) + number)


@gluon.jit
def default_part(x, y):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0], cga_layout=[[1]])
    offsets = gl.arange(0, 1024, layout=layout)
    gl.store(y + offsets, gl.load(x + offsets) + 1)


@gluon.jit
def other_part():
    pass


# Other warps wait for their partition while all CTAs meet.
@gluon.jit
def specialized(x, y, s):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0], cga_layout=[[1]])
    sum = gl.sum(gl.load(x + gl.arange(0, 1024, layout=layout)), axis=0)
    gl.warp_specialize([(default_part, (x, y)), (other_part, ())], [4])
    gl.barrier(cluster=True)
    gl.store(s, sum)


@gluon.jit
def reshard_part(x, y, z, LAST: gl.constexpr):
    a: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1], [0, 2]])
    b: gl.constexpr = gl.BlockedLayout([2, 1], [8, 4], [1, 4], [0, 1], cga_layout=[[0, 1], [1, 0]])
    row: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[0], [0]])
    for i in range(3):
        values = gl.load(x + tile(64, 128, a))
        gl.store(y + tile(64, 128, b), gl.convert_layout(values, b))
    numbers = LAST + gl.arange(0, 128, layout=row)
    gl.store(z + numbers, numbers)


@gluon.jit
def meeting_part(z, FIRST: gl.constexpr):
    row: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[0], [0]])
    gl.barrier(cluster=True)
    numbers = FIRST + gl.arange(0, 128, layout=row)
    gl.store(z + numbers, numbers)
    gl.barrier(cluster=True)


# Partitions of one number meet across the CTAs, each for itself.
@gluon.jit
def meeting(x, y, z, WORKER: gl.constexpr):
    if WORKER:
        gl.warp_specialize([(meeting_part, (z, 0)), (reshard_part, (x, y, z, 128))], [4])
    else:
        gl.warp_specialize([(reshard_part, (x, y, z, 0)), (meeting_part, (z, 128))], [4])


# Columns are divided, and an index leads to another CTA or not.
@gluon.jit
def neighbours(x, y, GATHER: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0], cga_layout=[[0, 1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=[[0, 1]])
    places = tile(2, 32, layout)
    values = gl.load(x + places)
    smem = gl.allocate_shared_memory(gl.int32, [2, 32], shared, values)
    gl.barrier(cluster=True)
    columns = (places & 31) ^ 1
    if GATHER:
        result = smem.gather(columns, axis=1)
    else:
        smem.scatter(values, columns, axis=1)
        gl.barrier(cluster=True)
        result = smem.load(layout)
    gl.store(y + places, result)


# Every element is in the other CTA.
@gluon.jit
def other_half(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[1]])
    numbers = gl.arange(0, 256, layout=layout)
    smem = gl.allocate_shared_memory(gl.int32, [256], shared, gl.load(x + numbers))
    gl.barrier(cluster=True)
    gl.store(y + numbers, smem.gather(numbers ^ 128, axis=0))


# The same, behind the two halves of a barrier.
@gluon.jit
def half_barriers(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[1]])
    bar = mbarrier.allocate_mbarrier()
    mbarrier.init(bar, count=1)
    mbarrier.sync_cluster_init()
    numbers = gl.arange(0, 256, layout=layout)
    smem = gl.allocate_shared_memory(gl.int32, [256], shared, gl.load(x + numbers))
    hopper.cluster.arrive()
    hopper.cluster.wait()
    gl.store(y + numbers, smem.gather(numbers ^ 128, axis=0))
    mbarrier.fence_init_release_cluster()
    # A relaxed one would not tell that the other CTA has read.
    hopper.cluster.arrive()
    hopper.cluster.wait()
    mbarrier.invalidate(bar)


# A window that lies in the second CTA alone, for both.
@gluon.jit
def window(x, y, z):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0], cga_layout=[[1, 0]])
    both: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0], cga_layout=[[0, 0]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.int32, [4, 32], shared, gl.load(x + tile(4, 32, layout)))
    gl.barrier(cluster=True)
    part = smem.slice(2, 2, dim=0)
    values = part.load(both)
    gl.store(y + tile(2, 32, both), values)
    gl.barrier(cluster=True)
    part.store(values + 5)
    gl.barrier(cluster=True)
    gl.store(z + tile(4, 32, layout), smem.load(layout))


# Once for both CTAs, in the second; both learn what was there.
@gluon.jit
def adding(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0], cga_layout=[[1, 0]])
    both: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [1, 4], [1, 0], cga_layout=[[0, 0]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cga_layout=[[1, 0]])
    smem = gl.allocate_shared_memory(gl.int32, [4, 32], shared, gl.load(x + tile(4, 32, layout)))
    gl.barrier(cluster=True)
    part = smem.slice(2, 2, dim=0)
    columns = tile(2, 32, both) & 31
    old = part.atomic_scatter_add(gl.full([2, 32], 1, gl.int32, both), columns, axis=1)
    part.atomic_scatter_add(gl.full([2, 32], 2, gl.int32, both), columns, axis=1)
    gl.store(y + tile(2, 32, both), old)
    gl.barrier(cluster=True)
    gl.store(x + tile(4, 32, layout), smem.load(layout))


@gluon.jit
def gathered(x, i, y, A: gl.constexpr, B: gl.constexpr):
    source: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], A)
    result: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], B)
    value = gl.load(x + gl.arange(0, 1024, layout=source))
    at = gl.arange(0, 1024, layout=result)
    gl.store(y + at, gl.gather(value, gl.load(i + at), axis=0))


# Each CTA's columns stay its own; where rows are split, too, CTAs read each other's.
@gluon.jit
def gathered_rows(x, i, y, z, A: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0], A)
    row = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    column = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    at = row * 64 + column
    index = gl.load(i + at)
    first = gl.gather(gl.load(x + at), index, axis=0)
    # The scratch of the first one is used again.
    second = gl.gather(first + 1, row + column * 0, axis=0)
    gl.store(y + at, second - 1)
    gl.store(z + at, gl.load(x + index * 64 + column))


@gluon.jit
def counted_bins(x, y, z, A: gl.constexpr, B: gl.constexpr):
    source: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], A)
    result: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], B)
    value = gl.load(x + gl.arange(0, 2048, layout=source))
    first = gl.histogram(value, 64, layout=result)
    second = gl.histogram(value & 63, 64, layout=result)
    bins = gl.arange(0, 64, layout=result)
    gl.store(y + bins, (first + second) // 2)
    # One CTA counts again, in global memory.
    gl.atomic_add(z + value, 1)


@gluon.jit
def running(x, y, z, A: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], A)
    whole: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], [[0]] * len(A))
    at = gl.arange(0, 2048, layout=layout)
    gl.store(y + at, gl.associative_scan(gl.load(x + at), 0, added))
    at = gl.arange(0, 2048, layout=whole)
    gl.store(z + at, gl.associative_scan(gl.load(x + at), 0, added))


@gluon.jit
def added(a, b):
    return a + b


# The CTA's number moves rows and columns at once.
@gluon.jit
def skewed(x, rows, columns):
    layout: gl.constexpr = gl.DistributedLinearLayout([[1, 0], [0, 4]], [[2, 0], [4, 0], [0, 1], [0, 2], [0, 0]], [],
                                                      [[8, 4], [0, 0]], [16, 8])
    row = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))[:, None]
    column = gl.arange(0, 8, layout=gl.SliceLayout(0, layout))[None, :]
    value = gl.load(x + row * 8 + column)
    total = gl.sum(value, axis=1)
    gl.store(rows + gl.arange(0, 16, layout=total.type.layout), total)
    total = gl.sum(value, axis=0)
    gl.store(columns + gl.arange(0, 8, layout=total.type.layout), total)


# Spread over the CTAs, into a copy in each.
@gluon.jit
def turned(x, i, y):
    cga: gl.constexpr = [[1], [0]]
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], cga_layout=cga)
    copied: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0], cga_layout=[[0], [0]])
    smem = gl.allocate_shared_memory(gl.int32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[0], [0]]))
    at = gl.arange(0, 256, layout=layout)
    smem.scatter(gl.load(x + at), 255 - gl.load(i + at), 0)
    gl.barrier(cluster=True)
    gl.store(y + gl.arange(0, 256, layout=copied), smem.load(copied))


@gluon.jit
def counts(x, y):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[1], [2]])
    copied: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=[[0], [0]])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0], cga_layout=[[0], [0]])
    smem = gl.allocate_shared_memory(gl.int32, [32], shared, gl.full([32], 0, gl.int32, copied))
    gl.barrier(cluster=True)
    one = gl.full([512], 1, gl.int32, layout)
    smem.atomic_scatter_add(one, gl.load(x + gl.arange(0, 512, layout=layout)), 0)
    gl.barrier(cluster=True)
    gl.store(y + gl.arange(0, 32, layout=copied), smem.load(copied))


# The CTA's number moves two coordinates at once, one of them along the scan.
@gluon.jit
def mixed(x, y):
    rows: gl.constexpr = gl.DistributedLinearLayout(
        reg_bases=[[0, 2]], lane_bases=[[0, 16], [2, 0], [0, 1], [0, 32], [1, 0]], warp_bases=[[4, 0], [0, 4]],
        block_bases=[[4, 8]], shape=[8, 64])
    at = gl.arange(0, 8, layout=gl.SliceLayout(1, rows))[:, None] * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, rows))[None, :]
    gl.store(y + at, gl.associative_scan(gl.load(x + at), 0, plus))


@gluon.jit
def plus(a, b):
    return a + b


# CTAs 0 and 5 hold the same, as their numbers' bits 0 and 2 move the same coordinate.
@gluon.jit
def copies(x, y):
    a: gl.constexpr = gl.DistributedLinearLayout(
        reg_bases=[], lane_bases=[[0], [0], [16], [8], [2]], warp_bases=[[1], [0]], block_bases=[[4], [0], [4]], shape=[32])
    b: gl.constexpr = gl.DistributedLinearLayout(
        reg_bases=[], lane_bases=[[0], [0], [1], [16], [8]], warp_bases=[[0], [0]], block_bases=[[0], [2], [4]], shape=[32])
    v = gl.convert_layout(gl.load(x + gl.arange(0, 32, layout=a)), b)
    gl.store(y + gl.arange(0, 32, layout=b), v)


@gluon.jit(noinline=True)
def scaled_total(x, factor, CGA: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0], cga_layout=CGA)
    return gl.sum(gl.load(x + gl.arange(0, 1024, layout=layout)) * factor, 0)


# The second call writes where others read in the first.
@gluon.jit
def called(x, y, CGA: gl.constexpr):
    gl.store(y, scaled_total(x, gl.to_tensor(1), CGA))
    gl.store(y + 1, scaled_total(x, gl.to_tensor(3), CGA))
