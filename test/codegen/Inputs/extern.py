import triton
import triton.language as tl
from triton.language import core


@core.extern
def mean(x, y, _semantic=None):
    return core.extern_elementwise(
        "functions", "", [x, y], {
            (core.dtype("fp32"), core.dtype("fp32")): ("mean", core.dtype("fp32")),
            (core.dtype("fp64"), core.dtype("fp64")): ("mean64", core.dtype("fp64")),
        }, is_pure=True, _semantic=_semantic)


@core.extern
def flushes(_semantic=None):
    return core.extern_elementwise("", "", [], {(): ("flushes", core.dtype("fp32"))}, is_pure=True,
                                   _semantic=_semantic)


@core.extern
def count_up(place, by, _semantic=None):
    return core.extern_elementwise(
        "", "", [place, by],
        {(core.pointer_type(core.int32), core.dtype("int32")): ("count_up", core.int32)},
        is_pure=False, _semantic=_semantic)


@core.extern
def named(x, symbol: tl.constexpr):
    return core.extern_elementwise("", "", [x], {(core.float32,): (symbol, core.float32)}, True)


@triton.jit
def means(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, mean(tl.load(x + at), tl.load(y + at)))


@triton.jit
def others(x, out, counters, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    # A number, and a scalar beside a block.
    v = mean(mean(v, 1.0), tl.load(x))
    count_up(counters + at % 2, at)
    tl.store(out + at, tl.extra.cuda.libdevice.exp(v) + flushes())


@triton.jit
def calls(x, out, SYMBOL: tl.constexpr):
    tl.store(out, named(tl.load(x), SYMBOL))
