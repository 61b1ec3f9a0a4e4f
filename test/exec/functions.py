"""Functions that are called instead of inlined: their frames in shared memory, their results."""

# RUN: called_twice src='randint(-9, 9, 512, f32)' dst='empty(512, f32)' total='zeros(1, f32)' --grid 1
# EXPECT: dst == 2 * src
# RUN: called_twice src='randint(-9, 9, 512, f32)' dst='empty(512, f32)' total='zeros(1, f32)' --grid 1
# EXPECT: total[0] == 2 * src.sum() + 1

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

spread = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))
packed = gl.constexpr(gl.BlockedLayout([4], [32], [4], [0]))
plain = gl.constexpr(gl.SwizzledSharedLayout(1, 1, 1, [0]))


@gluon.jit(noinline=True)
def repacked(src, start):
    x = gl.load(src + gl.arange(0, 512, layout=spread))
    buffer = gl.allocate_shared_memory(gl.float32, [512], plain)
    buffer.store(x)
    return buffer.load(packed), gl.sum(x, axis=0) + start


# The caller's buffer is alive across both calls.
@gluon.jit
def called_twice(src, dst, total):
    kept = gl.allocate_shared_memory(gl.float32, [512], plain)
    kept.store(gl.load(src + gl.arange(0, 512, layout=spread)))
    first, sum = repacked(src, 1.0)
    second, sum = repacked(src, sum)
    gl.store(dst + gl.arange(0, 512, layout=packed), second + kept.load(packed))
    gl.store(total, sum)
