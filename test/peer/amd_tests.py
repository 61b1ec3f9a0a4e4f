#!/usr/bin/env python3
"""Triton's own tests of gfx1250, with Triton 3.6's machine code on gluonc's executor.

    amd_tests.py --hip build/release/fake_hip/libamdhip64.so.7 [--every N] FILE [-- PYTEST ARGUMENTS…]

FILE is test_gluon_gfx1250.py of a Triton checkout (not part of this repository). Run it with the
Python that has Triton 3.6, PyTorch and pytest; no GPU is needed. Triton compiles the kernels and
pytest judges the results; launches go to the HIP library of gluonc's tests, whose kernels the
executor runs. Each launch is in a process of its own, so that a fault is an error of one test.
With --every only each Nth test of a function is run. Exit status 1 if a test fails for which neither
Triton 3.6's language nor, as EXPECTED says, its code is the reason.
"""

import argparse
import collections
import ctypes
import functools
import mmap
import os
import re
import struct
import sys
import types

WAVE = 32
# What Triton 3.6, which is older than some of the tests, says of what it has not.
LACKING = [r"has no attribute '(shared_to_global|async_wait|async_store)'", "PassManager::run failed",
           "failed to translate module to LLVM IR", "LLD failed to link", "Expected 2 dimensions but got"]
# Tests whose code by Triton 3.6 is wrong, and what the executor says of it.
EXPECTED = {
    # Behind the loop waves read what others have loaded, with no barrier after the wait.
    "test_runtime_gemm_async_pipelined": "is read while a transfer into it is under way|is read, which another wave wrote",
    # Of workgroups that share what they load only the first one asks for it.
    "test_runtime_async_copy_layouts_multi_cta": "the load is for workgroup",
    # The tensor mover knows no clusters: each workgroup moves the block of all.
    "test_runtime_tensor_load_and_store_multi_cta": "the load is for workgroup|LDS address .* is outside|^assert",
}
# Behind each tensor: some tests load there what they do not use.
SLACK = 1 << 20
CLUSTER_DIMENSIONS = 4


# ---- Launches ---------------------------------------------------------------------


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("cluster", ctypes.c_uint * 3),
                ("rest", ctypes.c_byte * 52)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(LaunchAttribute)),
                ("count", ctypes.c_uint)]


class Failed(RuntimeError):
    """What a launch says that has not come to its end."""


def descriptor_bytes(tensor, meta, warps):
    """A host's descriptor of two dimensions: the groups 0 and 1 of docs on the data mover."""
    rows, columns = meta["block_size"]
    down = warps
    while down > rows:
        down //= 2
    across = warps // down
    size = meta["elem_bits"] // 8
    address = tensor.base.data_ptr()
    first = size.bit_length() - 1 << 16
    if pairs := meta.get("interval_padding_pairs"):
        interval, amount = (words * size // 4 for words in pairs[0])
        first |= 1 << 20 | interval.bit_length() - 2 << 22 | amount - 1 << 25
    group1 = (first | tensor.shape[1] << 48 | tensor.shape[0] << 80 | -(-columns // across) << 112 |
              -(-rows // down) << 128 | tensor.strides[0] << 160)
    return address, (2 << 126).to_bytes(16, "little") + group1.to_bytes(32, "little")


class Parameters:
    """The kernel's parameters, as the driver copies them; addresses are filled in by the child."""

    def __init__(self):
        self.blobs, self.addresses = [], []

    def add(self, blob, address=None, at=0):
        self.addresses.append((len(self.blobs), at, address) if address is not None else None)
        self.blobs.append(bytearray(blob) + bytes(64))


PACKED = {"fp16": "<e", "fp32": "<f", "f32": "<f", "fp64": "<d", "i1": "<?", "i8": "<b", "i16": "<h", "i32": "<i",
          "i64": "<q", "u1": "<?", "u8": "<B", "u16": "<H", "u32": "<I", "u64": "<Q"}


def add_argument(parameters, kind, value, tensors, metas, warps):
    if kind == "constexpr":
        return
    if isinstance(kind, tuple):
        for one, part in zip(kind, value):
            add_argument(parameters, one, part, tensors, metas, warps)
    elif kind.startswith("tensordesc"):
        tensors.append(value.base)
        address, blob = descriptor_bytes(value, next(metas), warps)
        parameters.add(blob, address, 8)
        for size in value.shape:
            parameters.add(struct.pack("<i", size))
        for stride in value.strides:
            parameters.add(struct.pack("<q", stride))
    elif kind.startswith("*"):
        if value is None:
            return parameters.add(bytes(8))
        value = getattr(value, "base", value) if not hasattr(value, "untyped_storage") else value
        tensors.append(value)
        parameters.add(bytes(8), value.data_ptr(), 0)
    else:
        parameters.add(struct.pack(PACKED[kind], value))


class Launcher:
    hip = None

    def __init__(self, src, metadata):
        self.signature = list(src.signature.values())
        self.metadata = metadata

    def __call__(self, x, y, z, stream, code, packed, launch, enter, leave, *arguments):
        parameters, tensors = Parameters(), []
        metas = iter(getattr(self.metadata, "tensordesc_meta", None) or [])
        for kind, value in zip(self.signature, arguments):
            add_argument(parameters, kind, value, tensors, metas, self.metadata.num_warps)
        parameters.add(bytes(8))
        parameters.add(bytes(8))
        storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage() for tensor in tensors}
        pieces = [(address, storage.nbytes()) for address, storage in storages.items()]
        results = mmap.mmap(-1, max(1, sum(size for _, size in pieces)))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(write, 2)
            os._exit(self.run_in_child((x, y, z), code, parameters, pieces, results))
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            said = pipe.read().decode(errors="replace")
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            raise Failed(f"exit status {status}: {said.strip()}")
        at = 0
        for address, size in pieces:
            ctypes.memmove(address, results[at:at + size], size)
            at += size

    def run_in_child(self, grid, code, parameters, pieces, results):
        hip, metadata = self.hip, self.metadata
        os.environ["FAKE_HIP_CHIP"] = "gfx1250"
        hip.hipInit(0)
        moved = []
        for address, size in pieces:
            place = ctypes.c_void_p()
            hip.hipMalloc(ctypes.byref(place), ctypes.c_size_t(size + SLACK))
            hip.hipMemcpyHtoD(place, ctypes.c_void_p(address), ctypes.c_size_t(size))
            moved.append((address, size, place.value))
        for entry in filter(None, parameters.addresses):
            blob, at, address = entry
            for begin, size, place in moved:
                if begin <= address < begin + size or address == begin:
                    word = int.from_bytes(parameters.blobs[blob][at:at + 8], "little")
                    word |= place + address - begin
                    parameters.blobs[blob][at:at + 8] = word.to_bytes(8, "little")
                    break
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        if hip.hipModuleLoadData(ctypes.byref(module), code) or hip.hipModuleGetFunction(
                ctypes.byref(function), module, metadata.name.encode()):
            return 2
        kept = [ctypes.create_string_buffer(bytes(blob)) for blob in parameters.blobs]
        pointers = (ctypes.c_void_p * len(kept))(*(ctypes.addressof(one) for one in kept))
        attribute = LaunchAttribute(id=CLUSTER_DIMENSIONS, cluster=(metadata.num_ctas, 1, 1))
        config = LaunchConfig(grid=(grid[0] * metadata.num_ctas, *grid[1:]),
                              block=(metadata.num_warps * WAVE, 1, 1), shared=metadata.shared,
                              attributes=ctypes.pointer(attribute), count=int(metadata.num_ctas > 1))
        if hip.hipDrvLaunchKernelEx(ctypes.byref(config), function, pointers, None):
            return 3
        if hip.hipDeviceSynchronize():
            return 4
        at = 0
        for _, size, place in moved:
            results[at:at + size] = ctypes.string_at(place, size)
            at += size
        return 0


# ---- What Triton and PyTorch ask of a GPU ------------------------------------------


def make_driver():
    from triton.backends.compiler import GPUTarget

    class Utilities:
        def get_device_properties(self, device):
            return {"max_shared_mem": 320 * 1024, "multiprocessor_count": 256, "warpSize": WAVE}

        def load_binary(self, name, code, shared, device):
            return None, code, 0, 0, 1024

    class Driver:
        launcher_cls = Launcher
        utils = Utilities()

        def get_current_target(self):
            return GPUTarget("hip", "gfx1250", WAVE)

        def get_current_device(self):
            return 0

        def get_current_stream(self, device):
            return 0

        def get_active_torch_device(self):
            import torch

            return torch.device("cpu")

        def map_python_to_cpp_type(self, kind):
            return kind

    return Driver()


def pretend():
    """Tensors stay where they are, and what the tests import of AMD's is there."""
    import torch
    import triton
    from triton.runtime import driver

    module = types.ModuleType("hip")
    module.hip = types.SimpleNamespace(hipInit=lambda flags: None)
    sys.modules["hip"] = module
    torch.Tensor.cuda = lambda self, *rest, **named: self.detach().clone()
    driver.set_active(make_driver())
    # How many registers workers get means nothing to AMD's chips, and may be left out since.
    import triton.experimental.gluon.language as gl

    specialize = gl.warp_specialize

    @functools.wraps(specialize)
    def with_registers(functions, warps, registers=None, **named):
        return specialize(functions, warps, registers or [24] * len(warps), **named)

    gl.warp_specialize = with_registers


class Chosen:
    """Each Nth test of a function, and counts of what came of them."""

    def __init__(self, every):
        self.every, self.kinds = every, {}
        self.results = collections.defaultdict(collections.Counter)

    def pytest_collection_modifyitems(self, items):
        seen, kept = collections.Counter(), []
        for item in items:
            function = item.originalname
            if seen[function] % self.every == 0:
                kept.append(item)
            seen[function] += 1
        items[:] = kept

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo:
            self.kinds[item.nodeid] = kind_of(item.originalname, call.excinfo.value)

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.outcome == "passed":
            return
        function = re.sub(r"\[.*", "", report.nodeid.split("::")[-1])
        kind = self.kinds.get(report.nodeid, "failed") if report.outcome == "failed" else report.outcome
        self.results[function][kind] += 1
        if kind == "failed":
            print(f"\n{report.nodeid}: {report.longrepr.reprcrash.message if report.longrepr else ''}")


def kind_of(function, problem):
    """What came of a test that pytest counts as failed."""
    expected = EXPECTED.get(function)
    if expected and re.search(expected, str(problem)):
        return "as expected of Triton's code"
    return "not in Triton 3.6" if any(re.search(said, str(problem)) for said in LACKING) else "failed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hip", required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("file")
    parser.add_argument("rest", nargs="*")
    options = parser.parse_args()
    Launcher.hip = ctypes.CDLL(options.hip)
    pretend()
    import pytest

    chosen = Chosen(options.every)
    pytest.main([options.file, "-q", "--tb=no", "-p", "no:cacheprovider", *options.rest], plugins=[chosen])
    total = collections.Counter()
    for function, counts in sorted(chosen.results.items()):
        print(f"{function}: " + ", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
        total += counts
    print("all: " + ", ".join(f"{count} {word}" for word, count in sorted(total.items())))
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
