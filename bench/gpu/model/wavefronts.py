"""Which wavefronts of shared memory Nsight Compute counts beside products and copies: one question a kernel.

    python3 bench/gpu/ncu.py --gluonc build/release/bin/gluonc --out FILE.json bench/gpu/model/wavefronts.py

Threads store a tile and load it `n` times in each kernel, at the same addresses; what else is at work differs:
nothing; products of another buffer that are waited for first; such products at the same time, with a from shared
memory or from registers; copies of another buffer to global memory at the same time.
"""

# RUN: alone dst='empty((64, 64), f32)' n=64 --grid 1
# EXPECT: dst == 64 * arange(4096, f32).reshape((64, 64))
# RUN: products a='randint(-2, 3, (64, 64), f16, 1)' b='randint(-2, 3, (64, 64), f16, 2)' c='empty((64, 64), f32)' \
#   dst='empty((64, 64), f32)' n=64 BESIDE=False REGISTERS=False --grid 1
# EXPECT: c == 64 * (a @ b)
# RUN: products a='randint(-2, 3, (64, 64), f16, 1)' b='randint(-2, 3, (64, 64), f16, 2)' c='empty((64, 64), f32)' \
#   dst='empty((64, 64), f32)' n=64 BESIDE=True REGISTERS=False --grid 1
# EXPECT: c == 64 * (a @ b)
# RUN: products a='randint(-2, 3, (64, 64), f16, 1)' b='randint(-2, 3, (64, 64), f16, 2)' c='empty((64, 64), f32)' \
#   dst='empty((64, 64), f32)' n=64 BESIDE=True REGISTERS=True --grid 1
# EXPECT: c == 64 * (a @ b)
# RUN: copies A='zeros((64, 64), f16)' \
#   desc='TensorDescriptor.from_tensor(A, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))' \
#   dst='empty((64, 64), f32)' n=64 BESIDE=False --grid 1
# EXPECT: dst == 64 * arange(4096, f32).reshape((64, 64))
# RUN: copies A='zeros((64, 64), f16)' \
#   desc='TensorDescriptor.from_tensor(A, [64, 64], gl.NVMMASharedLayout(128, 16, rank=2))' \
#   dst='empty((64, 64), f32)' n=64 BESIDE=True --grid 1
# EXPECT: dst == 64 * arange(4096, f32).reshape((64, 64))

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, tma, warpgroup_mma, warpgroup_mma_wait

WIDE = gl.constexpr(gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0]))


@gluon.jit
def numbered():
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, WIDE))[:, None]
    return rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, WIDE))[None, :]


@gluon.jit
def accessed(buffer, tile, total):
    """8 stores and 8 loads of 16 bytes by each thread."""
    buffer.store(tile)
    return total + buffer.load(WIDE)


@gluon.jit
def alone(dst, n):
    offsets = numbered()
    tile = offsets.to(gl.float32)
    buffer = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(4, 1, 1, [1, 0]))
    total = gl.zeros([64, 64], gl.float32, WIDE)
    for i in range(n):
        total = accessed(buffer, tile, total)
    gl.store(dst + offsets, total)


@gluon.jit
def products(a, b, c, dst, n, BESIDE: gl.constexpr, REGISTERS: gl.constexpr):
    offsets = numbered()
    tile = offsets.to(gl.float32)
    buffer = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(4, 1, 1, [1, 0]))
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16, rank=2)
    result: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    first = gl.load(a + offsets)
    left = gl.allocate_shared_memory(gl.float16, [64, 64], shared, first)
    right = gl.allocate_shared_memory(gl.float16, [64, 64], shared, gl.load(b + offsets))
    fence_async_shared()
    if REGISTERS:
        operand = gl.convert_layout(first, gl.DotOperandLayout(0, result, 2))
    else:
        operand = left
    total = gl.zeros([64, 64], gl.float32, WIDE)
    sums = gl.zeros([64, 64], gl.float32, result)
    for i in range(n):
        sums = warpgroup_mma(operand, right, sums, is_async=True)
        if not BESIDE:
            sums = warpgroup_mma_wait(0, deps=(sums, ))
        total = accessed(buffer, tile, total)
        if BESIDE:
            sums = warpgroup_mma_wait(0, deps=(sums, ))
    gl.store(dst + offsets, total)
    gl.store(c + offsets, gl.convert_layout(sums, WIDE))


@gluon.jit
def copies(desc, dst, n, BESIDE: gl.constexpr):
    offsets = numbered()
    tile = offsets.to(gl.float32)
    buffer = gl.allocate_shared_memory(gl.float32, [64, 64], gl.SwizzledSharedLayout(4, 1, 1, [1, 0]))
    box = gl.allocate_shared_memory(gl.float16, [64, 64], desc.layout, gl.zeros([64, 64], gl.float16, WIDE))
    fence_async_shared()
    total = gl.zeros([64, 64], gl.float32, WIDE)
    for i in range(n):
        tma.async_copy_shared_to_global(desc, [0, 0], box)
        if not BESIDE:
            tma.store_wait(0)
        total = accessed(buffer, tile, total)
        if BESIDE:
            tma.store_wait(0)
    gl.store(dst + offsets, total)
