"""Kernels of launches that overlap."""

import gluonc as gluon
from gluonc import language as gl


@gluon.jit
def add_one(x, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    """x += 1, once the launch before is complete."""
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.extra.gdc_wait()
    value = gl.load(x + at, mask=at < n)
    gl.extra.gdc_launch_dependents()
    gl.store(x + at, value + 1, mask=at < n)
