"""triton._filecheck: the IR that the front end makes, and LLVM's FileCheck over it."""

import functools
import inspect
import os
import shutil
import subprocess
import tempfile

from gluonc._triton.backends.compiler import GPUTarget
from gluonc.errors import Unavailable

stub_target = GPUTarget("cuda", 100, 32)


class ModuleText:
    """IR as text, behind the methods of Triton's module that tests call."""

    def __init__(self, text):
        self._text = text.rstrip("\n") + "\n"

    def str_nodebug(self):
        return self._text

    __str__ = str_nodebug


def run_parser(kernel_fn, args=(), kwargs=None, target=stub_target):
    """The IR of a kernel before any pass."""
    return ModuleText(kernel_fn.front_end_ir(str(target), *args, **(kwargs or {})))


def find_filecheck():
    """FileCheck of an LLVM that is installed."""
    for name in ("FileCheck", *(f"FileCheck-{version}" for version in range(25, 13, -1))):
        found = shutil.which(name)
        if found:
            return found
    for version in range(25, 13, -1):
        found = f"/usr/lib/llvm-{version}/bin/FileCheck"
        if os.path.exists(found):
            return found
    raise Unavailable("LLVM's FileCheck is not installed")


def run_filecheck(name, module_str, check_template):
    program = find_filecheck()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for file, text in (("module", module_str), ("expected", check_template)):
            paths.append(os.path.join(folder, file))
            with open(paths[-1], "w") as out:
                out.write(text)
        done = subprocess.run([program, paths[1], "--input-file", paths[0]], text=True,
                              stderr=subprocess.PIPE)
    if done.returncode:
        raise ValueError(f"FileCheck: {name}\n{done.stderr}\n{module_str}")


def run_filecheck_test(kernel_fn):
    text = inspect.getsource(kernel_fn.fn)
    run_filecheck(kernel_fn.__name__, run_parser(kernel_fn).str_nodebug(), text)


def filecheck_test(fn):
    """A test of a kernel whose source holds CHECK lines."""

    # pytest must not look through the wrapper: the kernel's parameters are no fixtures.
    def test_fn():
        run_filecheck_test(fn)
    functools.update_wrapper(test_fn, getattr(fn, "fn", fn))
    del test_fn.__wrapped__
    return test_fn
