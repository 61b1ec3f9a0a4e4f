#!/usr/bin/env python3
"""On which device an executable is loaded, with a CUDA driver that pretends to have two.

    devices_test.py LIBRARY FAKE_CUDA_FOLDER
"""

import ctypes
import os
import subprocess
import sys

KERNEL = b"""from triton.experimental import gluon
from triton.experimental.gluon import language as gl
@gluon.jit
def k(x):
    gl.store(x, 1)
"""
USAGE_ERROR = 2


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint), ("text", ctypes.c_char_p), ("integer", ctypes.c_int64),
                ("real", ctypes.c_double), ("items", ctypes.c_void_p), ("count", ctypes.c_size_t)]


def checked(status):
    assert status == 0, status


def compiled(api, engine):
    """An executable for the device that is there."""
    module, kernel, special, made = (ctypes.c_void_p() for _ in range(4))
    target = ctypes.c_char_p()
    pointer = Argument(0, b"*i32:16", 0, 0, None, 0)
    checked(api.gluonc_engine_load_text(engine, b"k.py", KERNEL, ctypes.c_size_t(len(KERNEL)),
                                        ctypes.byref(module), None))
    checked(api.gluonc_module_kernel(module, b"k", ctypes.byref(kernel), None))
    checked(api.gluonc_kernel_specialize(kernel, ctypes.byref(pointer), ctypes.c_size_t(1), None,
                                         ctypes.byref(special), None))
    checked(api.gluonc_engine_device_target(engine, 0, ctypes.byref(target), None))
    checked(api.gluonc_engine_compile(engine, special, target, ctypes.byref(made), None))
    return made


def launch(api, made):
    values = (ctypes.c_uint64 * 1)(4096)
    checked(api.gluonc_launch(made, 1, 1, 1, None, values, ctypes.c_size_t(1), None))


def load(api, made, device):
    """(status, words)"""
    error = ctypes.c_void_p()
    status = api.gluonc_executable_load(made, device, ctypes.byref(error))
    words = api.gluonc_error_text(error).decode()
    api.gluonc_error_destroy(error)
    return status, words


def main():
    api, cuda = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libcuda.so.1")
    api.gluonc_error_text.restype = ctypes.c_char_p
    engine = ctypes.c_void_p()
    checked(api.gluonc_engine_create(None, ctypes.byref(engine), None))
    assert api.gluonc_engine_device_count(engine) == 2
    loaded = compiled(api, engine)
    assert load(api, loaded, 7)[0] == 4
    checked(load(api, loaded, 1)[0])
    checked(load(api, loaded, 1)[0])
    status, words = load(api, loaded, 0)
    assert status == USAGE_ERROR and "loaded on device 1, not on 0" in words, words
    # A launch takes what is loaded, else the current device, else the first.
    launch(api, loaded)
    for current, expected in ((None, 0), (1, 1)):
        context = ctypes.c_void_p()
        if current is not None:
            checked(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), current))
        fresh = compiled(api, engine)
        checked(cuda.cuCtxSetCurrent(context))
        launch(api, fresh)
        checked(load(api, fresh, expected)[0])
        assert load(api, fresh, 1 - expected)[0] == USAGE_ERROR
    print("devices: as asked for")


if __name__ == "__main__":
    folder = sys.argv[2]
    if folder not in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        # The loader reads it at start.
        sys.exit(subprocess.run([sys.executable, *sys.argv],
                                env={**os.environ, "LD_LIBRARY_PATH": folder}).returncode)
    main()
