import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K):
    m = tl.arange(0, 64)[:, None]
    at_k = tl.arange(0, 32)[None, :]
    total = tl.zeros([64, 64], tl.float32)
    for k in range(0, K, 32):
        x = tl.load(a + m * K + k + at_k, mask=k + at_k < K, other=0.0)
        y = tl.load(b + m * K + k + at_k, mask=k + at_k < K, other=0.0)
        total = tl.dot(x, tl.trans(y), total)
    tl.store(c + m * 64 + tl.arange(0, 64)[None, :], total)
