#!/usr/bin/env python3
"""The Debian packages: what they say of themselves, and that what they install works.

    deb_test.py BUILD CXX

Exit status 77: there is no dpkg. Where the user may (root, with overlay mounts) they are installed by dpkg into a copy of this system.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

PACKAGES = {"gluonc": "libc6 (>= 2.28)", "libgluonc-rt0": "libc6 (>= 2.28)",
            "libgluonc-dev": "gluonc (= VERSION), libgluonc-rt0 (= VERSION)"}
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(consumer CXX)
find_package(gluonc REQUIRED)
add_executable(consumer consumer.cpp)
gluonc_add_kernels(consumer FILES kernels.toml OPTIONS --ptx)
"""
KERNELS = """targets = ["cuda:90a"]
[[kernel]]
source = "copy.py::copy"
[kernel.arguments]
x = "*fp32"
y = "*fp32"
"""
COPY = """import triton
import triton.language as tl

@triton.jit
def copy(x, y):
    tl.store(y, tl.load(x))
"""
CONSUMER = r"""#include <cstdio>
#include <kernels.h>
int main() {
  auto bundle = kernels::Bundle::open(KERNELS_BUNDLE, {kernels::Bundle::digest, false});
  return std::puts(bundle ? "opened" : bundle.error().text.c_str()) < 0;
}
"""


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def check_fields(debs, version):
    for name, depends in PACKAGES.items():
        fields = dict(line.split(": ", 1) for line in run("dpkg-deb", "-f", debs[name]).splitlines() if ": " in line)
        assert fields["Package"] == name and fields["Version"] == version, fields
        assert fields["Depends"] == depends.replace("VERSION", version), fields
        files = run("dpkg-deb", "-c", debs[name])
        assert f"./usr/share/doc/{name}/copyright" in files and "root/root" in files, files
    # What one has, no other has.
    paths = [line.split()[5] for deb in debs.values() for line in run("dpkg-deb", "-c", deb).splitlines() if not line.startswith("d")]
    assert len(paths) == len(set(paths)), sorted(paths)


def check_works(prefix, compiler, work):
    """A program that finds the packages below `prefix` with CMake, builds kernels and opens them."""
    for name, text in (("CMakeLists.txt", PROJECT), ("kernels.toml", KERNELS), ("copy.py", COPY), ("consumer.cpp", CONSUMER)):
        (work / name).write_text(text)
    run("cmake", "-G", "Ninja", "-S", work, "-B", work / "build", f"-Dgluonc_DIR={prefix}/lib/cmake/gluonc",
        f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "--build", work / "build")
    assert run(work / "build/consumer") == "opened\n"


def check_dpkg(debs, version, work):
    """In a copy of this system, whose changes are thrown away; False where the user may not mount one."""
    script = f"""set -e
      mount -t tmpfs none {work}
      mkdir {work}/changes {work}/work {work}/root
      mount -t overlay overlay -o lowerdir=/,upperdir={work}/changes,workdir={work}/work {work}/root
      mount --bind {debs["gluonc"].parent} {work}/root/mnt || exit 99
      """
    probe = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, check=False)
    if probe.returncode:
        return False
    names = " ".join(f"/mnt/{deb.name}" for deb in debs.values())
    said = run("unshare", "-m", "sh", "-c", f"""{script}
      chroot {work}/root sh -e -c 'dpkg -i {names} >/dev/null
        cd / && env -i PATH=/usr/bin:/bin gluonc --version && ldconfig -p | grep -c libgluonc
        dpkg -r {" ".join(PACKAGES)} >/dev/null && test ! -e /usr/bin/gluonc'""")
    assert f"gluonc {version}" in said, said
    return True


def main():
    build, compiler = sys.argv[1:]
    if not shutil.which("dpkg-deb"):
        print("skipped: there is no dpkg")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run("cpack", "--config", f"{build}/CPackConfig.cmake", "-B", work / "debs", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=zstd")
        debs = {path.name.split("_")[0]: path for path in (work / "debs").glob("*.deb")}
        assert set(debs) == set(PACKAGES), debs
        version = debs["gluonc"].name.split("_")[1]
        check_fields(debs, version)
        for deb in debs.values():
            run("dpkg-deb", "-x", deb, work / "root")
        (work / "project").mkdir()
        check_works(work / "root/usr", compiler, work / "project")
        (work / "mount").mkdir()
        installed = check_dpkg(debs, version, work / "mount")
    print("three packages" + (", installed and removed by dpkg" if installed else "; dpkg was not tried: no overlay can be mounted"))


if __name__ == "__main__":
    main()
