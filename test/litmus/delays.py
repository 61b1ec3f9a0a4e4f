"""Waiting for a while, in places where the order of things should not matter."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


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
