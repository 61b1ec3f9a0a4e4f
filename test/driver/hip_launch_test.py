#!/usr/bin/env python3
"""The C API on AMD GPUs, with a HIP driver that pretends to have two and executes kernels on the CPU.

    hip_launch_test.py LIBRARY FAKE_HIP
"""

import ctypes
import os
import subprocess
import sys

KERNEL = b"""from triton.experimental import gluon
from triton.experimental.gluon import language as gl
@gluon.jit
def k(x, n):
    gl.store(x + gl.program_id(0), n)
"""
USAGE_ERROR, UNAVAILABLE = 2, 4


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint), ("text", ctypes.c_char_p), ("integer", ctypes.c_int64),
                ("real", ctypes.c_double), ("items", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class Info(ctypes.Structure):
    _fields_ = [("num_warps", ctypes.c_uint), ("shared_bytes", ctypes.c_uint),
                ("scratch_bytes", ctypes.c_uint), ("registers", ctypes.c_uint),
                ("spilled_bytes", ctypes.c_uint), ("max_threads", ctypes.c_uint),
                ("function", ctypes.c_void_p)]


def checked(status):
    assert status == 0, status


class Api:
    def __init__(self, library, hip):
        self.c, self.hip = ctypes.CDLL(library), ctypes.CDLL(hip)
        self.c.gluonc_error_text.restype = ctypes.c_char_p
        self.engine = ctypes.c_void_p()
        checked(self.c.gluonc_engine_create(None, ctypes.byref(self.engine), None))

    def compiled(self):
        """An executable for the device that is there."""
        module, kernel, special, made = (ctypes.c_void_p() for _ in range(4))
        target = ctypes.c_char_p()
        arguments = (Argument * 2)(Argument(0, b"*i32:16", 0, 0, None, 0),
                                   Argument(0, b"i32", 0, 0, None, 0))
        checked(self.c.gluonc_engine_load_text(self.engine, b"k.py", KERNEL,
                                               ctypes.c_size_t(len(KERNEL)), ctypes.byref(module),
                                               None))
        checked(self.c.gluonc_module_kernel(module, b"k", ctypes.byref(kernel), None))
        checked(self.c.gluonc_kernel_specialize(kernel, arguments, ctypes.c_size_t(2), None,
                                                ctypes.byref(special), None))
        checked(self.c.gluonc_engine_device_target(self.engine, 0, ctypes.byref(target), None))
        assert target.value == b"hip:gfx942", target.value
        checked(self.c.gluonc_engine_compile(self.engine, special, target, ctypes.byref(made), None))
        return made

    def call(self, function, *arguments):
        """(status, words)"""
        error = ctypes.c_void_p()
        status = function(*arguments, ctypes.byref(error))
        words = (self.c.gluonc_error_text(error) or b"").decode()
        self.c.gluonc_error_destroy(error)
        return status, words

    def load(self, made, device):
        return self.call(self.c.gluonc_executable_load, made, device)

    def launch(self, made, grid, address, number):
        values = (ctypes.c_uint64 * 2)(address, number)
        return self.call(self.c.gluonc_launch, made, grid, 1, 1, None, values, ctypes.c_size_t(2))

    def memory(self, device):
        """The address of 64 bytes on a device."""
        before, address = ctypes.c_int(), ctypes.c_void_p()
        checked(self.hip.hipGetDevice(ctypes.byref(before)))
        checked(self.hip.hipSetDevice(device))
        checked(self.hip.hipMalloc(ctypes.byref(address), ctypes.c_size_t(64)))
        checked(self.hip.hipSetDevice(before))
        return address.value


def numbers(address):
    return list((ctypes.c_int32 * 4).from_address(address))


def main():
    api = Api(sys.argv[1], "libamdhip64.so.7")
    assert api.c.gluonc_engine_device_count(api.engine) == 2
    assert api.c.gluonc_engine_hip_device_count(api.engine) == 2
    assert api.c.gluonc_engine_cuda_device_count(api.engine) == 0

    # Loaded on the second device, whichever is current.
    there = api.compiled()
    status, words = api.load(there, 7)
    assert status == UNAVAILABLE and "no HIP device 7" in words, words
    checked(api.load(there, 1)[0])
    status, words = api.load(there, 0)
    assert status == USAGE_ERROR and "loaded on device 1, not on 0" in words, words
    info = Info()
    api.c.gluonc_executable_get_info(there, ctypes.byref(info))
    assert info.function and info.max_threads, "the driver was not asked"
    memory = api.memory(1)
    assert api.launch(there, 4, memory, 7) == (0, ""), "launch"
    assert numbers(memory) == [7] * 4, numbers(memory)
    # Nothing to do is no launch.
    checked(api.launch(there, 0, 0, 7)[0])
    status, words = api.launch(there, 1, memory, 1 << 40)
    assert status == USAGE_ERROR and "cannot hold" in words, words
    status, words = api.launch(there, 1 << 31, memory, 7)
    assert status == UNAVAILABLE and "at most 16777215 x 65535 x 65535" in words, words

    # Else the thread's current one, which stays what it was.
    current = ctypes.c_int()
    for device in (0, 1):
        checked(api.hip.hipSetDevice(device))
        fresh, memory = api.compiled(), api.memory(device)
        assert api.launch(fresh, 4, memory, 9) == (0, "")
        assert numbers(memory) == [9] * 4, numbers(memory)
        assert api.load(fresh, 1 - device)[0] == USAGE_ERROR
        checked(api.hip.hipGetDevice(ctypes.byref(current)))
        assert current.value == device
    print("hip_launch: as asked for")


if __name__ == "__main__":
    folder = sys.argv[2]
    if folder not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        # The loader reads it at start.
        sys.exit(subprocess.run([sys.executable, *sys.argv],
                                env={**os.environ, "LD_LIBRARY_PATH": folder}).returncode)
    main()
