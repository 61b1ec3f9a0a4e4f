"""What the kernels share: the places of a tile, and delays where the order of things should not matter."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

ROWS = gl.constexpr(32)
COLS = gl.constexpr(64)


@gluon.jit
def tile(first, layout: gl.constexpr):
    r = gl.arange(0, ROWS, gl.SliceLayout(1, layout))[:, None]
    c = gl.arange(0, COLS, gl.SliceLayout(0, layout))[None, :]
    return (first + r) * COLS + c


@gluon.jit
def pause(broken: gl.constexpr):
    """With `broken` == "delayed", which breaks nothing: every warp sleeps up to 2 us, as the clock decides."""
    if broken == "delayed":
        copies: gl.constexpr = [[0]] * (gl.num_ctas().bit_length() - 1)
        threads: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0], cga_layout=copies)
        gl.inline_asm_elementwise(
            """{
            .reg .u32 time;
            mov.u32 time, %clock;
            shr.u32 $0, $1, 5;
            mad.lo.u32 time, time, 0x9e3779b1, $0;
            shr.u32 time, time, 21;
            nanosleep.u32 time;
            }""", "=r,r", [gl.arange(0, 32 * gl.num_warps(), layout=threads)], dtype=gl.int32, is_pure=False, pack=1)
