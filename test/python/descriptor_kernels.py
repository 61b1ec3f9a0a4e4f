"""Kernels that move blocks by descriptors."""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def move(src, dst, row, column):
    """dst's first block = the block of src at (row, column)."""
    block = gl.allocate_shared_memory(src.dtype, src.block_type.shape, src.layout)
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, src.block_type.nbytes)
    tma.async_copy_global_to_shared(src, [row, column], arrived, block)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    tma.async_copy_shared_to_global(dst, [0, 0], block)
    tma.store_wait(pendings=0)


@gluon.jit
def move_own(src, dst, layout: gl.constexpr):
    """Each program moves 64 x 64 elements by descriptors of its own."""
    offset = gl.program_id(0) * 64 * 64
    a = tma.make_tensor_descriptor(src + offset, [64, 64], [64, 1], [64, 64], layout)
    b = tma.make_tensor_descriptor(dst + offset, [64, 64], [64, 1], [64, 64], layout)
    block = gl.allocate_shared_memory(a.dtype, [64, 64], layout)
    arrived = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, a.block_type.nbytes)
    tma.async_load(a, [0, 0], arrived, block)
    mbarrier.wait(arrived, phase=0)
    tma.async_store(b, [0, 0], block)
    tma.store_wait(pendings=0)
