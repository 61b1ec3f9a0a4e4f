"""Kernels that take as long as they are told to."""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier


@gluon.jit
def multiply(dst, rounds):
    layout: gl.constexpr = gl.BlockedLayout([4, 4], [8, 4], [2, 2], [1, 0])
    a = gl.full([64, 64], 1.0, gl.float32, layout=gl.DotOperandLayout(0, layout, 0))
    b = gl.full([64, 64], 1.0, gl.float32, layout=gl.DotOperandLayout(1, layout, 0))
    sums = gl.zeros([64, 64], gl.float32, layout=layout)
    for i in range(rounds):
        sums = gl.dot_fma(a, b, sums)
    gl.atomic_add(dst, gl.sum(gl.sum(sums, 0), 0).to(gl.int32))


@gluon.jit
def unrolled(dst, count: gl.constexpr):
    for i in gl.static_range(count):
        gl.store(dst + i, i)


@gluon.jit
def answer(ping, pong, rounds):
    for i in range(rounds):
        mbarrier.wait(ping, i & 1)
        mbarrier.arrive(pong, count=1)


@gluon.jit
def ask(ping, pong, rounds):
    for i in range(rounds):
        mbarrier.arrive(ping, count=1)
        mbarrier.wait(pong, i & 1)


@gluon.jit
def talk(dst, rounds):
    """Two partitions that wait for each other."""
    bars = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    mbarrier.init(bars.index(0), count=1)
    mbarrier.init(bars.index(1), count=1)
    gl.warp_specialize([(ask, (bars.index(0), bars.index(1), rounds)),
                        (answer, (bars.index(0), bars.index(1), rounds))], [4])
    gl.atomic_add(dst, 1)
