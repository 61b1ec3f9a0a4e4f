"""Kernels that move and combine blocks of tensors which the host describes."""

import gluonc as gluon
from gluonc import language as gl
from gluonc.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def move(source, target, AT: gl.constexpr, MULTICAST: gl.constexpr):
    block = gl.allocate_shared_memory(source.dtype, source.block_type.shape, source.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, source.nbytes_per_cta)
    tma.async_load(source, AT, arrived, block, multicast=MULTICAST)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    tma.async_store(target, AT, block)
    tma.store_wait(pendings=0)


@gluon.jit
def move_pixels(source, target, AT: gl.constexpr, OFFSETS: gl.constexpr, MULTICAST: gl.constexpr):
    gl.static_assert(isinstance(source, tma.tensor_descriptor_im2col))
    gl.static_assert(isinstance(source.type, tma.tensor_descriptor_im2col_type))
    gl.static_assert(not isinstance(source, tma.tensor_descriptor))
    gl.static_assert(not isinstance(target.type, tma.tensor_descriptor_im2col_type))
    block = gl.allocate_shared_memory(source.dtype, source.block_shape, source.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, source.nbytes_per_cta)
    tma.async_load_im2col(source, AT, OFFSETS, arrived, block, multicast=MULTICAST)
    mbarrier.wait(arrived, phase=0)
    mbarrier.invalidate(arrived)
    tma.async_store(target, [0, 0], block)
    tma.store_wait(pendings=0)
