"""A kernel whose dumps by Triton lie beside it."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import mma_v2, async_copy


@gluon.jit
def product(a, b, out, best, k, BLOCK: gl.constexpr):
    gl.assume(k > 0)
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])
    mma: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    tiles: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 4, [1, 0])
    r = gl.arange(0, BLOCK, gl.SliceLayout(1, rows))
    c = gl.arange(0, 32, gl.SliceLayout(0, rows))
    buffer = gl.allocate_shared_memory(gl.float16, [2, BLOCK, 32], tiles)
    acc = gl.zeros([BLOCK, 32], gl.float32, mma)
    for i in range(0, k, 32):
        async_copy.async_copy_global_to_shared(buffer.index(i // 32 % 2), a + r[:, None] * k + (i + c)[None, :])
        async_copy.commit_group()
        async_copy.wait_group(0)
        left = buffer.index(i // 32 % 2).load(gl.DotOperandLayout(0, mma, 2))
        other = gl.arange(0, 32)[:, None] * 32 + gl.arange(0, 32)[None, :]
        right = gl.load(b + gl.set_auto_layout(other, rows))
        acc = mma_v2(left, gl.convert_layout(right, gl.DotOperandLayout(1, mma, 2)), acc)
    result = gl.convert_layout(acc, rows)
    mask = r[:, None] < k
    gl.store(out + r[:, None] * 32 + c[None, :], result, mask=mask)
    gl.atomic_max(best + r, gl.max(result, 1).to(gl.int32), sem="relaxed")
