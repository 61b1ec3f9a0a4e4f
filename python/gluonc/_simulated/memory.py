"""Large random tensors without large memory.

Benchmarks fill gigabytes with random numbers, of which the simulator reads little. Such a tensor
repeats one block of numbers: its pages are private mappings of the same memory, so what is written
stays where it was written.
"""

import ctypes
import math
import mmap
import os
import weakref

import torch

from gluonc._simulated import LARGE

_BLOCK = 64 << 20
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                       ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FAILED = ctypes.c_void_p(-1).value
# Not in the module mmap.
_MAP_FIXED, _MAP_NORESERVE = 0x10, 0x4000


def is_large(shape):
    """Whether a float32 tensor of this shape is."""
    return all(isinstance(n, int) for n in shape) and 4 * math.prod(shape) >= LARGE


def _map(address, size, flags, file):
    found = _libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | flags,
                       file, 0)
    if found == _FAILED:
        raise MemoryError(f"cannot map {size} bytes")
    return found


def repeated(fill, shape, dtype):
    """A tensor of `shape` whose elements are fill(n) over and over."""
    block = fill(_BLOCK // dtype.itemsize)
    count = math.prod(shape)
    size = -(-count * dtype.itemsize // _BLOCK) * _BLOCK
    start = _map(None, size, mmap.MAP_ANONYMOUS | _MAP_NORESERVE, -1)
    file = os.memfd_create("gluonc")
    try:
        os.truncate(file, _BLOCK)
        ctypes.memmove(shared := _map_shared(file), block.data_ptr(), _BLOCK)
        _libc.munmap(shared, _BLOCK)
        for offset in range(0, size, _BLOCK):
            _map(start + offset, _BLOCK, _MAP_FIXED | _MAP_NORESERVE, file)
    finally:
        os.close(file)
    buffer = (ctypes.c_char * size).from_address(start)
    weakref.finalize(buffer, _libc.munmap, start, size)
    return torch.frombuffer(buffer, dtype=dtype, count=count).view(*shape)


def _map_shared(file):
    found = _libc.mmap(None, _BLOCK, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, file, 0)
    if found == _FAILED:
        raise MemoryError(f"cannot map {_BLOCK} bytes")
    return found
