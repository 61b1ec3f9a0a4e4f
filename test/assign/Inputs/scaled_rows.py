import triton
import triton.language as tl


@triton.jit
def product(a, b, scales, c, sums, K: tl.constexpr):
    """c = b (scales * a)^T and sums of a * (b b), blocks of `a` and `b` loaded ahead: threads read `a`, products `b`."""
    rows = tl.arange(0, 64)
    columns = tl.arange(0, 64)
    scale = tl.load(scales + rows)
    total = tl.zeros((64, 64), tl.float32)
    weighted = tl.zeros((64,), tl.float32)
    for k in range(0, K, 64):
        tile = tl.load(a + rows[:, None] * K + (k + columns)[None, :])
        other = tl.load(b + rows[:, None] * K + (k + columns)[None, :])
        total += tl.dot(other, tl.trans(tile * scale[:, None]))
        weighted += tl.sum(tl.dot(other, other) * tile, 1)
    tl.store(c + rows[:, None] * 64 + columns[None, :], total)
    tl.store(sums + rows, weighted)
