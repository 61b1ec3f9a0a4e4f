import triton
import triton.language as tl


@triton.jit
def counted(x, n, a, b, LICM: tl.constexpr):
    for i in tl.range(0, n, disable_licm=not LICM):
        tl.store(x + i, tl.load(x + i) + a / b)


@triton.jit
def conditional(x, n, a, b):
    while tl.condition(n > 0, disable_licm=True):
        n -= 1
        tl.store(x + n, tl.load(x + n) + a / b)
