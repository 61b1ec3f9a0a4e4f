"""Kernels of launches that overlap."""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier


@gluon.jit
def add_one(x, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    """x += 1, once the launch before is complete."""
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.extra.gdc_wait()
    value = gl.load(x + at, mask=at < n)
    gl.extra.gdc_launch_dependents()
    gl.store(x + at, value + 1, mask=at < n)


@gluon.jit
def line(BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    return gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)


@gluon.jit
def fetch(x, n, buffer, full, BLOCK: gl.constexpr):
    """Only this partition waits for the launch before."""
    gl.extra.gdc_wait()
    at = line(BLOCK)
    buffer.store(gl.load(x + at, mask=at < n))
    mbarrier.arrive(full, count=1)


@gluon.jit
def increment(x, n, buffer, full, BLOCK: gl.constexpr):
    at = line(BLOCK)
    mbarrier.wait(full, 0)
    value = buffer.load(at.type.layout)
    gl.extra.gdc_launch_dependents()
    gl.store(x + at, value + 1, mask=at < n)


@gluon.jit
def add_one_in_partitions(x, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    buffer = gl.allocate_shared_memory(gl.float32, [BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full = mbarrier.allocate_mbarrier()
    mbarrier.init(full, count=1)
    gl.warp_specialize([(increment, (x, n, buffer, full, BLOCK)),
                        (fetch, (x, n, buffer, full, BLOCK))], [2], [32])
