"""The copy engine of Hopper moves boxes of a tensor; an mbarrier says when they have come."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def copy_box(src, dst, ROWS: gl.constexpr, COLUMNS: gl.constexpr, BOX: gl.constexpr):
    smem: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BOX, BOX], src.dtype.element_ty)
    source = tma.make_tensor_descriptor(src, [ROWS, COLUMNS], [COLUMNS, 1], [BOX, BOX], smem)
    target = tma.make_tensor_descriptor(dst, [ROWS, COLUMNS], [COLUMNS, 1], [BOX, BOX], smem)
    box = gl.allocate_shared_memory(src.dtype.element_ty, [BOX, BOX], smem)
    come = mbarrier.allocate_mbarrier()
    mbarrier.init(come, count=1)
    place = [gl.program_id(0) * BOX, gl.program_id(1) * BOX]
    mbarrier.expect(come, source.block_type.nbytes)
    tma.async_load(source, place, come, box)
    mbarrier.wait(come, 0)
    mbarrier.invalidate(come)
    tma.async_store(target, place, box)
    tma.store_wait(pendings=0)
