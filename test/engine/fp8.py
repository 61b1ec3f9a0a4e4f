"""Matrices in fp8 (e4m3), and model folders that have them, as Hugging Face lays them out."""

import json
import pathlib
import shutil
import struct

import numpy as np

_CODE = np.arange(127)
# The numbers of e4m3 that are not below zero; 127 is none.
POSITIVE = np.where(_CODE < 8, _CODE * 2.0**-9, (8 + _CODE % 8) * 2.0**(_CODE // 8 - 10.0))
NUMBERS = np.concatenate([POSITIVE, [np.nan], -POSITIVE, [np.nan]])


def encode(values):
    """Codes of the nearest numbers, ties to even; what is beyond becomes the largest."""
    size = np.minimum(np.abs(values), POSITIVE[-1])
    middle = (POSITIVE[1:] + POSITIVE[:-1]) / 2
    code = np.searchsorted(middle, size)
    inside = np.minimum(code, len(middle) - 1)
    code += (size == middle[inside]) & (code < len(middle)) & (code % 2 == 1)
    return (code + np.where(np.signbit(values), 128, 0)).astype(np.uint8)


def scales_of(matrix, kind):
    """fp32 scales by which a matrix is divided: of the tensor, of each row, or of each block of 128 x 128."""
    if kind == "tensor":
        return np.float32(np.abs(matrix).max() / 448)
    if kind == "row":
        return (np.abs(matrix).max(1, keepdims=True) / 448).astype(np.float32)
    rows, columns = (-(-size // 128) for size in matrix.shape)
    padded = np.zeros((rows * 128, columns * 128))
    padded[:matrix.shape[0], :matrix.shape[1]] = np.abs(matrix)
    return (padded.reshape(rows, 128, columns, 128).max((1, 3)) / 448).astype(np.float32)


def spread(scales, shape):
    """One for each number of the matrix."""
    if scales.ndim == 2 and scales.shape == tuple(-(-size // 128) for size in shape):
        return np.repeat(np.repeat(scales, 128, 0), 128, 1)[:shape[0], :shape[1]]
    return np.broadcast_to(scales, shape)


def rounded(matrix, kind="row"):
    """What is left of a matrix in fp8."""
    scales = spread(scales_of(matrix, kind), matrix.shape)
    return NUMBERS[encode(matrix / scales)] * scales


def is_of_layer(name):
    return name.endswith("_proj.weight")


def write_folder(source, target, tensors, kind):
    """A copy of the folder `source`, whose `tensors` are these, matrices of layers in fp8 and the others in fp32."""
    target = pathlib.Path(target)
    target.mkdir()
    for path in pathlib.Path(source).glob("*.json"):
        shutil.copy(path, target)
    config = json.loads((target / "config.json").read_text())
    if kind == "block":
        config["quantization_config"] = {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}
    else:
        weights = {"type": "float", "num_bits": 8, "strategy": "tensor" if kind == "tensor" else "channel"}
        config["quantization_config"] = {"quant_method": "compressed-tensors", "format": "float-quantized",
                                         "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}
    (target / "config.json").write_text(json.dumps(config))
    parts = {}
    for name, values in tensors.items():
        if is_of_layer(name):
            scales = scales_of(values, kind)
            parts[name] = ("F8_E4M3", values.shape, encode(values / spread(scales, values.shape)).tobytes())
            parts[name + ("_scale_inv" if kind == "block" else "_scale")] = ("F32", scales.shape, scales.tobytes())
        else:
            parts[name] = ("F32", values.shape, values.astype(np.float32).tobytes())
    header, offset = {}, 0
    for name, (dtype, shape, data) in parts.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    (target / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(p[2] for p in parts.values()))
