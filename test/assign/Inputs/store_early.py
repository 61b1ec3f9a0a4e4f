"""Two products, one behind the other, with an operand in common."""
import triton
import triton.language as tl


@triton.jit
def two(a, b, d, c):
    at = tl.arange(0, 64)
    p = at[:, None] * 64 + at[None, :]
    x = tl.load(a + p)
    y = tl.load(b + p)
    z = tl.load(d + p)
    first = tl.dot(x, y)
    tl.store(c + p, first)
    tl.store(c + 4096 + p, tl.dot(x, z))
