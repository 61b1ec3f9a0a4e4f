"""Our side of the GPU benchmark: compile with gluonc, launch through the CUDA driver.

The cubin that `gluonc compile` writes is loaded into the process's own CUDA
context (the one that torch made), so both compilers' kernels run on the same
memory, stream and clock.
"""

import ctypes
import os
import re
import subprocess
import tempfile

from cases import Layout

DTYPES = {"torch.float32": "fp32", "torch.float16": "fp16", "torch.int32": "i32"}


def specialize(name, value):
    """The NAME=TYPE_OR_VALUE word of `gluonc compile`, by Gluon's specialization rules."""
    if isinstance(value, Layout):
        return f"{name}={value.text()}"
    if isinstance(value, int):
        if value == 1:
            return f"{name}=1"
        kind = "i32" if -2**31 <= value < 2**31 else "i64"
        return f"{name}={kind}:16" if value % 16 == 0 else f"{name}={kind}"
    aligned = ":16" if value.data_ptr() % 16 == 0 else ""
    return f"{name}=*{DTYPES[str(value.dtype)]}{aligned}"


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def check(self, status):
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"CUDA driver: {text.value.decode()}")


class OurKernel:
    """One compiled case; `launch()` enqueues it on the given stream."""

    def __init__(self, driver, gluonc, source, case, target="cuda:90a"):
        self.driver = driver
        words = [f"{n}={v}" if n in case.constexprs and isinstance(v, int) else specialize(n, v)
                 for n, v in case.arguments.items()]
        with tempfile.TemporaryDirectory() as folder:
            self.ptx = self.compile(gluonc, source, case, words, target, "ptx", folder)
            path = self.compile(gluonc, source, case, words, target, "cubin", folder, read=False)
            with open(path, "rb") as file:
                self.cubin = file.read()
        self.symbol = re.search(r"\.visible \.entry (\w+)", self.ptx).group(1)
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        driver.check(driver.cuda.cuModuleLoadData(ctypes.byref(module), self.cubin))
        driver.check(driver.cuda.cuModuleGetFunction(ctypes.byref(function), module, self.symbol.encode()))
        self.function = function
        self.shared = self.shared_bytes(gluonc, source, case, words, target)
        if self.shared > 48 * 1024:
            driver.check(driver.cuda.cuFuncSetAttribute(function, 8, self.shared))
        self.grid, self.threads = case.grid, 32 * case.num_warps
        self.pack(case, words)

    def compile(self, gluonc, source, case, words, target, stage, folder, read=True):
        out = os.path.join(folder, f"kernel.{stage}")
        command = [gluonc, "compile", f"{source}::{case.kernel}", *words, "--target", target,
                   "--num-warps", str(case.num_warps), "--emit", stage, "-o", out, "--no-cache"]
        subprocess.run(command, check=True)
        if not read:
            with open(out, "rb") as file:
                data = file.read()
            kept = tempfile.NamedTemporaryFile(suffix=f".{stage}", delete=False)
            kept.write(data)
            kept.close()
            return kept.name
        with open(out, encoding="utf-8") as file:
            return file.read()

    def shared_bytes(self, gluonc, source, case, words, target):
        """Bytes of dynamic shared memory, as the final IR states them."""
        with tempfile.TemporaryDirectory() as folder:
            text = self.compile(gluonc, source, case, words, target, "ttgir-opt", folder)
        match = re.search(r"ttg\.shared\"? = (\d+)", text)
        return int(match.group(1)) if match else 0

    def pack(self, case, words):
        """Kernel parameters: runtime arguments in order, then two scratch pointers."""
        values = []
        for (name, value), word in zip(case.arguments.items(), words):
            if name in case.constexprs or word == f"{name}=1":
                continue
            if isinstance(value, int):
                values.append(ctypes.c_int64(value) if "=i64" in word else ctypes.c_int32(value))
            else:
                values.append(ctypes.c_void_p(value.data_ptr()))
        values += [ctypes.c_void_p(0), ctypes.c_void_p(0)]
        self.values = values
        self.parameters = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])

    def launch(self, stream):
        self.driver.check(self.driver.cuda.cuLaunchKernel(
            self.function, *self.grid, self.threads, 1, 1, self.shared, ctypes.c_void_p(stream),
            self.parameters, None))

    def registers(self):
        value = ctypes.c_int()
        self.driver.check(self.driver.cuda.cuFuncGetAttribute(ctypes.byref(value), 4, self.function))
        return value.value


def accesses(ptx):
    """Widths of the global accesses in a PTX text: {'ld.v4.b32': 2, …}."""
    found = {}
    for op, vector, kind in re.findall(r"\b(ld|st)\.global[\w.:]*?(\.v\d)?\.([bfus]\d+)\b", ptx):
        key = f"{op}{vector}.{kind}"
        found[key] = found.get(key, 0) + 1
    return found
