"""Kernels that the tests launch, written as a user of Triton's Gluon writes them."""

import gluonc as gluon
from gluonc import language as gl

SCALE = gl.constexpr(3)


@gluon.jit
def copy(src, dst, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    inside = offsets < n
    gl.store(dst + offsets, gl.load(src + offsets, mask=inside), mask=inside)


@gluon.jit
def fill(dst, value, n, BLOCK: gl.constexpr = 128):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(dst + offsets, value, mask=offsets < n)


@gluon.jit
def hoard(dst):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    smem = gl.allocate_shared_memory(gl.float32, [65536], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.store(gl.zeros([65536], gl.float32, layout))
    gl.store(dst + gl.arange(0, 65536, layout), smem.load(layout))


@gluon.jit
def forever(dst):
    n = gl.program_id(0)
    while n >= 0:
        gl.store(dst, n)


@gluon.jit
def wait_for_all(arrived, seen):
    """What a grid can do whose programs are all on the GPU at the same time."""
    gl.atomic_add(arrived, 1, sem="release")
    met = gl.atomic_poll(arrived, gl.num_programs(0), sem="acquire", timeout_ns=2000000000)
    gl.store(seen + gl.program_id(0), met.to(gl.int32))


@gluon.jit
def scale(dst, bias, FLAG: gl.constexpr, DTYPE: gl.constexpr, NAME: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 128, layout=layout)
    value = gl.load(dst + offsets) * SCALE
    if FLAG:
        value += 1
    if NAME == "double":
        value = value * 2
    if bias is not None:
        value += gl.load(bias + offsets)
    gl.store(dst + offsets, value.to(DTYPE))


@gluon.jit(do_not_specialize=["n"])
def count(dst, n):
    gl.store(dst, n)


@gluon.jit
def wrong(dst):
    gl.store(dst, undefined_name)


@gluon.jit
def positions(dst, n, *, STEP: gl.constexpr, num_warps: gl.constexpr = 4):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [num_warps], [0])
    offsets = gl.arange(0, 32 * num_warps, layout=layout)
    gl.store(dst + offsets, offsets * STEP + n)


@gluon.jit
def weigh(dst, terms, n):
    """dst = the sum of terms' pairs (tensor or None, factor)."""
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 128, layout=layout)
    total = gl.zeros([128], gl.float32, layout)
    for i in gl.static_range(len(terms)):
        if terms[i][0] is not None:
            total += gl.load(terms[i][0] + offsets, mask=offsets < n, other=0.0) * terms[i][1]
    gl.store(dst + offsets, total, mask=offsets < n)


@gluon.jit
def shift(dst, box, *more, SCALE: gl.constexpr = 1):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 128, layout=layout)
    value = offsets * box.step + box.start
    for i in gl.static_range(len(more)):
        value += more[i]
    gl.store(dst + offsets, value * (SCALE % 1000003))


@gluon.jit
def apply(dst, function):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    offsets = gl.arange(0, 128, layout=layout)
    gl.store(dst + offsets, function(offsets))


@gluon.jit
def square(x):
    return x * x


@gluon.jit
def typed(dst, x: gl.int64, y: "fp16"):
    gl.store(dst, x)
    gl.store(dst + 1, y.to(gl.int64))


@gluon.jit
def tell(n):
    gl.device_print("program", gl.program_id(0) + n)


@gluon.jit
def nothing(a, b, n):
    pass
