"""triton._utils: names of types."""

from gluonc._tensors import pointer_to


def canonicalize_dtype(dtype):
    """"fp32" for torch.float32, tl.float32, "float32"."""
    return pointer_to(dtype)[1:]


def canonicalize_ptr_dtype(dtype, is_const):
    pointer = "*k" if is_const else "*"
    return pointer + canonicalize_dtype(dtype)
