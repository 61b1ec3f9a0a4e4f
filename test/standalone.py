#!/usr/bin/env python3
"""gluonc is one binary that needs glibc and nothing else.

Checks the size, the shared libraries it asks for, and that inside an empty root
folder with only glibc it compiles a kernel to PTX and simulates it. Where this
user may not change the root folder, that last part is reported as not run.

    standalone.py GLUONC
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# LLVM's code generator, assembler and disassembler for AMD are 30 MB of it, its reader and linker of bitcode, for users' libraries, 0.5.
LIMIT_MB = 79
GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}
EXAMPLE = pathlib.Path(__file__).resolve().parents[1] / "examples/memcpy.py"
LAYOUT = "layout=gl.BlockedLayout([4], [32], [4], [0])"


def libraries(program):
    """{soname: path} as the loader resolves them."""
    output = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in output.splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+) \(", line)
        if match:
            path = match.group(2)
            found[match.group(1) or os.path.basename(path)] = path
    return found


def make_root(root, gluonc, needed):
    for path in needed.values():
        target = root + path
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(path, target)
    shutil.copy(gluonc, root + "/gluonc")
    shutil.copy(EXAMPLE, root + "/memcpy.py")
    os.makedirs(root + "/tmp")


def in_root(root, *words):
    chroot = shutil.which("chroot") or "/usr/sbin/chroot"
    prefix = [chroot, root] if os.geteuid() == 0 else ["unshare", "-Ur", chroot, root]
    return subprocess.run([*prefix, "/gluonc", *words], capture_output=True, text=True, env={})


def main():
    gluonc = sys.argv[1]
    megabytes = os.path.getsize(gluonc) / 1e6
    needed = libraries(gluonc)
    extra = set(needed) - GLIBC
    print(f"gluonc: {megabytes:.1f} MB, needs {', '.join(sorted(needed))}")
    assert not extra, f"needs more than glibc: {extra}"
    assert megabytes <= LIMIT_MB, f"larger than {LIMIT_MB} MB"

    with tempfile.TemporaryDirectory() as root:
        make_root(root, gluonc, needed)
        probe = in_root(root, "info")
        if probe.returncode and "Operation not permitted" in probe.stderr:
            print("not run in an empty root: this user may not change it")
            return 0
        ptx = in_root(root, "compile", "/memcpy.py::memcpy", "src=*fp32:16", "dst=*fp32:16", "n=i32", "BLOCK=1024",
                      LAYOUT, "--target", "cuda:90a", "--emit", "ptx", "-o", "/k.ptx")
        assert ptx.returncode == 0, ptx.stderr
        text = pathlib.Path(root, "k.ptx").read_text()
        assert ".visible .entry memcpy" in text and "ld.global" in text, text
        run = in_root(root, "run", "/memcpy.py::memcpy", "n=5000", "src=randn(n, f32)", "dst=empty(n, f32)",
                      "BLOCK=1024", LAYOUT, "--grid", "gl.cdiv(n, BLOCK)", "--device", "cpu", "--expect", "dst == src")
        assert run.returncode == 0, run.stdout + run.stderr
        print("compiles to PTX and simulates in an empty root")
    return 0


if __name__ == "__main__":
    sys.exit(main())
