# What a definition names is what it was then, as in Python.
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

V = 1


@gluon.jit
def helper(v, c: gl.constexpr = V, *, d: gl.constexpr = V * 10):
    return v + c + d


@gluon.constexpr_function
def static(c=V):
    return c + V * 100


@gluon.aggregate
class Pair:
    x: gl.tensor
    y: gl.constexpr = V

    @gluon.jit
    def total(self, more: gl.constexpr = V):
        return self.x + self.y + more


Size = gl.constexpr(V * 1000)


# RUN: kernel out='zeros(5, i32)' --grid 1
# EXPECT: out == where(arange(5, i32) == 0, 111, where(arange(5, i32) == 1, 301, where(arange(5, i32) == 2, 102, where(arange(5, i32) == 3, 1, 1000))))
# RUN: kernel out='zeros(5, i32)' c=5 --grid 1
# EXPECT: out == where(arange(5, i32) == 0, 111, where(arange(5, i32) == 1, 301, where(arange(5, i32) == 2, 102, where(arange(5, i32) == 3, 5, 1000))))
@gluon.jit
def kernel(out, c: gl.constexpr = V):
    gl.store(out, helper(100))
    gl.store(out + 1, static())
    gl.store(out + 2, Pair(gl.to_tensor(100)).total())
    gl.store(out + 3, c)
    gl.store(out + 4, Size)


V = 2
V = V + 1
