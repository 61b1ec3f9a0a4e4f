from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def offsets(BLOCK: gl.constexpr, layout: gl.constexpr):
    return gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
