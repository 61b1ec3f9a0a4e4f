"""One block by descriptors: what descriptors.cpp launches."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def move_block(src, dst, row, column):
    block = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, src.block_type.nbytes)
    tma.async_copy_global_to_shared(src, [row, column], arrived, block)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    tma.async_copy_shared_to_global(dst, [0, 0], block)
    tma.store_wait(pendings=0)
