"""TensorDescriptor: what it checks, and what it tells the compiler."""

import dataclasses

import numpy as np
import pytest
from gluonc import language as gl
from gluonc.nvidia.hopper import TensorDescriptor, TensorDescriptorIm2Col

LAYOUT = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)


def aligned(shape, dtype=np.float16, offset=0):
    """An array whose address is a multiple of 64, plus `offset` bytes."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 128, np.int8)
    start = -memory.ctypes.data % 64 + offset
    return memory[start:start + size].view(dtype).reshape(shape)


def describe(shape=(64, 128), block=(32, 64), layout=LAYOUT, dtype=np.float16, offset=0, **rest):
    return TensorDescriptor.from_tensor(aligned(shape, dtype, offset), list(block), layout, **rest)


def test_from_tensor_takes_extents_and_strides():
    made = describe()
    assert (made.shape, made.strides, made.block_shape) == ([64, 128], [128, 1], [32, 64])
    assert (made.padding, made.round_f32_to_tf32) == ("zero", False)
    assert [field.name for field in dataclasses.fields(made)][:7] == [
        "base", "shape", "strides", "block_shape", "layout", "padding", "round_f32_to_tf32"]


def test_a_block_of_one_element_stands_for_another():
    made = describe(block=(1, 1), layout=gl.NVMMASharedLayout(0, 16, 2))
    made.block_shape, made.layout = [32, 64], LAYOUT
    assert made.__gluonc_descriptor_type__.startswith("tensordesc<fp16[32, 64],")


def test_torch_tensors_are_described():
    torch = pytest.importorskip("torch")
    tensor = torch.zeros(256, 128, dtype=torch.bfloat16)
    made = TensorDescriptor.from_tensor(tensor, [64, 64], LAYOUT)
    assert made.strides == [128, 1]
    assert made.__gluonc_descriptor_type__.startswith("tensordesc<bf16[64, 64],gl.NVMMAShared")


def test_the_type_follows_the_fields():
    made = describe()
    assert made.__gluonc_descriptor_type__.startswith("tensordesc<fp16[32, 64],")
    made.block_shape = [16, 64]
    assert made.__gluonc_descriptor_type__.startswith("tensordesc<fp16[16, 64],")


WIDE = gl.NVMMASharedLayout(swizzle_byte_width=0, element_bitwidth=32, rank=2)


@pytest.mark.parametrize("words, options", [
    ("blocks of 1 dimensions, but its tensor has 2", dict(block=(64,))),
    ("blocks of powers of two, not of 24x64", dict(block=(24, 64))),
    ("at most 1048576 elements", dict(shape=(4096, 4096), block=(2048, 1024))),
    ("rows of at least 128 bytes", dict(block=(32, 32))),
    ("not a multiple of 16", dict(offset=2)),
    ("which is not a multiple of 16", dict(shape=(8, 65))),
    ("extent 0 of dim 0", dict(shape=(0, 128))),
    ("1 to 5 dimensions, not 6", dict(shape=(1, 1, 1, 1, 1, 128))),
    ("32-bit elements cannot have a layout of 16-bit", dict(dtype=np.float32)),
    ("it is \"zero\" or \"nan\"", dict(padding="one")),
    ("only floats can be padded", dict(dtype=np.int16, padding="nan")),
    ("only float32 can be rounded", dict(round_f32_to_tf32=True)),
    ("is an NVMMASharedLayout", dict(layout=gl.SwizzledSharedLayout(1, 1, 1, [1, 0]))),
    ("layout rank must match block shape rank", dict(shape=(128,), block=(64,))),
    ("at least 16 bytes in the last dimension", dict(
        block=(64, 4), layout=gl.NVMMASharedLayout(0, 16, 2))),
    ("a transposed layout", dict(layout=gl.NVMMASharedLayout(128, 16, 2, transposed=True))),
])
def test_what_the_hardware_cannot_do_is_refused(words, options):
    with pytest.raises(ValueError, match=words):
        describe(**options)


def test_the_last_dim_is_contiguous():
    tensor = aligned((64, 128))
    with pytest.raises(ValueError, match="the last stride is 128 elements"):
        TensorDescriptor(tensor, [128, 64], [1, 128], [64, 64], LAYOUT)
    with pytest.raises(ValueError, match="1 strides for 2 dims"):
        TensorDescriptor(tensor, [64, 128], [1], [64, 64], LAYOUT)


def test_float32_may_be_rounded_and_padded_with_nan():
    made = describe(dtype=np.float32, layout=WIDE, padding="nan", round_f32_to_tf32=True)
    assert made._pads_with_nan


def im2col(**changes):
    values = dict(element_strides=[1, 2, 2, 1], pixel_box_lower_corner=[-1, -1],
                  pixel_box_upper_corner=[-1, -1], block_shape=[64, 64], shape=[2, 8, 8, 64])
    values.update(changes)
    shape, block = values.pop("shape"), values.pop("block_shape")
    tensor = aligned(shape)
    strides = [step // 2 for step in tensor.strides]
    return TensorDescriptorIm2Col(tensor, shape, strides, block, LAYOUT, **values)


def test_images_are_described_by_pixels_and_channels():
    assert im2col().__gluonc_descriptor_type__.startswith(
        "tensordesc_im2col<fp16[64, 64],input_rank=4,gl.NVMMASharedLayout(")
    assert im2col()._is_im2col and not describe()._is_im2col


@pytest.mark.parametrize("words, changes", [
    ("3 to 5 dimensions", dict(shape=[8, 64], element_strides=[1, 1], pixel_box_lower_corner=[],
                               pixel_box_upper_corner=[])),
    ("pixels and channels", dict(block_shape=[64, 64, 64])),
    ("element stride 9 of dim 1", dict(element_strides=[1, 9, 1, 1])),
    ("element stride 2 of the last dim", dict(element_strides=[1, 1, 1, 2])),
    ("pixel_box_lower_corner has 2 offsets", dict(pixel_box_lower_corner=[0])),
    ("offset 128 of a corner .* -128 to 127", dict(pixel_box_upper_corner=[0, 128])),
])
def test_images_that_the_hardware_cannot_read_are_refused(words, changes):
    with pytest.raises(ValueError, match=words):
        im2col(**changes)
