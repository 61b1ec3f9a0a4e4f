"""Kernels that do nothing, so that a launch is all that is measured.

launch.py loads this file twice: for gluonc as it is, and with `gluonc` replaced by Triton's module.
"""

import gluonc as gluon
from gluonc import language as gl


@gluon.jit
def five(a, b, c, m, n):
    if n < 0:
        gl.store(a, m)


@gluon.jit
def nineteen(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, n0, n1, n2, n3, n4, n5, n6, n7,
             BLOCK: gl.constexpr):
    if n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 < 0:
        gl.store(a0, BLOCK)
