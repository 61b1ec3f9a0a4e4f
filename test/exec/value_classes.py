"""Classes of values in annotations and isinstance, and types of buffers that nobody has yet."""

# RUN: classes p='rand((128, 64), f32)' out='zeros((128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out == p
# RUN: planned p='rand((128, 64), f32)' out='zeros((128, 64), f32)' --grid 1 --target cuda:100a
# EXPECT: out == p

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout, allocate_tensor_memory, tensor_memory_descriptor, tensor_memory_descriptor_type, tma)


@gluon.aggregate
class Buffers:
    source: tma.tensor_descriptor
    tile: gl.shared_memory_descriptor
    sums: tensor_memory_descriptor


@gluon.aggregate
class Plan:
    """Host code asks a type how warps load such a buffer."""
    whole: gl.constexpr
    half: gl.constexpr

    @gluon.constexpr_function
    def __init__(self, warps):
        held = TensorMemoryLayout([128, 32], 1)
        whole = tensor_memory_descriptor_type(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1), [128, 64])
        half = tensor_memory_descriptor_type(gl.float32, [128, 32], held, [128, 64])
        self.whole = gl.constexpr(whole.get_reg_layout(num_warps=warps, instr_variant="32x32b_splitn"))
        self.half = gl.constexpr(half.get_reg_layout(num_warps=warps))


@gluon.jit
def at(layout: gl.constexpr):
    rows = gl.arange(0, 128, gl.SliceLayout(1, layout))[:, None]
    return rows * 64 + gl.arange(0, 64, gl.SliceLayout(0, layout))[None, :]


@gluon.jit
def classes(p, out):
    held: gl.constexpr = TensorMemoryLayout([128, 64], 1)
    flat: gl.constexpr = gl.NVMMASharedLayout(0, 32, 2)
    described = tma.make_tensor_descriptor(p, [128, 64], [64, 1], [128, 64], flat)
    buffers = Buffers(described, gl.allocate_shared_memory(gl.float32, [128, 64], flat),
                      allocate_tensor_memory(gl.float32, [128, 64], held))
    gl.static_assert(isinstance(buffers.source, tma.tensor_descriptor))
    gl.static_assert(not isinstance(buffers.source, hopper.tma.tensor_descriptor_im2col))
    gl.static_assert(isinstance(buffers.source.type, hopper.tma.tensor_descriptor_type))
    gl.static_assert(isinstance(buffers.tile, gl.shared_memory_descriptor))
    gl.static_assert(not isinstance(buffers.tile, tensor_memory_descriptor))
    gl.static_assert(isinstance(buffers.sums, tensor_memory_descriptor))
    gl.static_assert(not isinstance(buffers.sums, gl.shared_memory_descriptor))
    gl.static_assert(isinstance(buffers.sums.type, tensor_memory_descriptor_type))
    same: gl.constexpr = tensor_memory_descriptor_type(gl.float32, [128, 64], held, [128, 64])
    gl.static_assert(buffers.sums.type == same)
    layout: gl.constexpr = same.get_reg_layout()
    gl.static_assert(layout == buffers.sums.get_reg_layout())
    gl.static_assert(layout == buffers.sums.type.get_reg_layout(num_warps=4))
    buffers.sums.store(gl.load(p + at(layout)))
    gl.store(out + at(layout), buffers.sums.load(layout))


@gluon.jit
def planned(p, out):
    plan = Plan(gl.num_warps())
    sums = allocate_tensor_memory(gl.float32, [128, 64], TensorMemoryLayout([128, 64], 1))
    gl.static_assert(plan.whole == sums.get_reg_layout(instr_variant="32x32b_splitn"))
    gl.static_assert(plan.half == sums.slice(0, 32).get_reg_layout())
    sums.store(gl.load(p + at(plan.whole)))
    gl.store(out + at(plan.whole), sums.load(plan.whole))
