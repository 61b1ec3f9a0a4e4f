"""Descriptors that a kernel makes and that the copy engine cannot use: what is wrong is known only
when the kernel runs."""

# RUN: shifted p='zeros((64, 64), f16)' --grid 1
# FAULT: DescriptorNotAddressable
# RUN: strided p='zeros((64, 64), f16)' stride=60 --grid 1
# FAULT: DescriptorNotAddressable
# RUN: strided p='zeros((64, 64), f16)' stride=-64 --grid 1
# FAULT: DescriptorNotAddressable
# RUN: extended p='zeros((64, 64), f16)' rows=-5 --grid 1
# FAULT: DescriptorNotAddressable
# RUN: extended p='zeros((64, 64), f16)' rows=0 --grid 1
# FAULT: DescriptorNotAddressable
# Nobody uses it.
# RUN: unused p='zeros((64, 64), f16)' rows=0 --grid 1
# EXPECT: p == 0
# Which part of the buffer is meant only the partition's caller knows.
# RUN: any_part p='zeros((64, 64), f16)' which=1 --grid 1
# FAULT: MisalignedBulkCopy
# RUN: any_part p='zeros((64, 64), f16)' which=0 --grid 1
# EXPECT: p == 0

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, tma

SWIZZLED = gl.constexpr(gl.NVMMASharedLayout(128, 16, 2))


@gluon.jit
def store_zeros(described):
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    block = gl.allocate_shared_memory(gl.float16, [64, 64], SWIZZLED, gl.zeros([64, 64], gl.float16, layout))
    fence_async_shared()
    tma.async_store(described, [0, 0], block)
    tma.store_wait(0)


@gluon.jit
def shifted(p):
    store_zeros(tma.make_tensor_descriptor(p + 1, [63, 64], [64, 1], [64, 64], SWIZZLED))


@gluon.jit(do_not_specialize=["stride"])
def strided(p, stride):
    store_zeros(tma.make_tensor_descriptor(p, [64, 32], [stride, 1], [64, 64], SWIZZLED))


@gluon.jit(do_not_specialize=["rows"])
def extended(p, rows):
    store_zeros(tma.make_tensor_descriptor(p, [rows, 64], [64, 1], [64, 64], SWIZZLED))


@gluon.jit(do_not_specialize=["rows"])
def unused(p, rows):
    tma.make_tensor_descriptor(p, [rows, 64], [64, 1], [64, 64], SWIZZLED)


@gluon.jit
def any_part(p, which: gl.constexpr):
    layout: gl.constexpr = gl.NVMMASharedLayout(0, 16, 2)
    blocked: gl.constexpr = gl.BlockedLayout([1, 8], [32, 1], [4, 1], [1, 0])
    described = tma.make_tensor_descriptor(p, [64, 64], [64, 1], [4, 8], layout)
    ring = gl.allocate_shared_memory(gl.float16, [2, 4, 8], layout)
    first = ring.index(0)
    second = ring.index(1)
    zero = gl.zeros([4, 8], gl.float16, blocked)
    first.store(zero)
    second.store(zero)
    fence_async_shared()
    chosen = first
    for i in range(1):
        if gl.program_id(0) < which:
            chosen = second
    tma.async_store(described, [0, 0], chosen)
    tma.store_wait(0)
