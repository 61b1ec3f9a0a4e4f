#!/usr/bin/env python3
"""A stranger's first hour on fresh systems: the wheel, a first kernel, a consumer in C++.

    sudo run.py --build build/release --wheel build/wheels/….whl --roots FOLDER [SYSTEM…]

Each SYSTEM (bookworm, trixie, testing, jammy, noble; all by default) is a folder below FOLDER, made by
debootstrap where it is missing: a minimal system with Python, g++, CMake and pkg-config from its own
packages. What is installed there is the wheel, with NumPy from PyPI, and what `cmake --install`
installs, below /opt. Where a system cannot be had, the versions of symbols that the wheel asks for are
compared with its glibc. Prints a row for each; exit status 1 when one of them fails.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEBIAN, UBUNTU = "http://deb.debian.org/debian", "https://archive.ubuntu.com/ubuntu"
# name: (what it is, its glibc, mirror, options of debootstrap, its script for older debootstraps)
SYSTEMS = {
    "bookworm": ("Debian 12", (2, 36), DEBIAN, [], []),
    "trixie": ("Debian 13", (2, 41), DEBIAN, [], []),
    # Its Python is newer than those that the wheel has modules of their own for.
    "testing": ("Debian testing", (2, 43), DEBIAN, [], []),
    # The keys of Ubuntu are not Debian's; the mirror is asked by https.
    "jammy": ("Ubuntu 22.04", (2, 35), UBUNTU, ["--no-check-gpg", "--components=main,universe"], ["gutsy"]),
    "noble": ("Ubuntu 24.04", (2, 39), UBUNTU, ["--no-check-gpg", "--components=main,universe"], ["gutsy"]),
}
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
PACKAGES = "python3,python3-venv,ca-certificates,g++,cmake,make,pkg-config"

# What the stranger types, in this order. `set -x` tells on which line it ends.
STEPS = r"""
set -eux
cd /stranger
export GLUONC_CACHE_DIR=/stranger/cache

python3 -m venv env
env/bin/pip install -q --no-input "$(echo gluonc-*.whl)[numpy]"
env/bin/python first.py
env/bin/python -c 'import gluonc.language as gl; help(gl.load)' | grep -q 'pointer, mask=None'
env/bin/gluonc check examples/memcpy.py
env/bin/python -m gluonc run examples/memcpy.py::memcpy n=1000 'src=randn(n, f32)' 'dst=empty(n, f32)' \
  BLOCK=256 'layout=gl.BlockedLayout([1], [32], [4], [0])' --grid 'gl.cdiv(n, BLOCK)' \
  --device cpu --expect 'dst == src'
env/bin/gluonc compile examples/memcpy.py::memcpy 'src=*fp32:16' 'dst=*fp32:16' n=i32 BLOCK=2048 \
  'layout=gl.BlockedLayout([4], [32], [4], [0])' --target cuda:90a --emit ptx | grep -q 'target sm_90a'

/opt/gluonc/bin/gluonc info | grep -q cuda:90a
cmake -S examples/cpp -B cpp -DCMAKE_PREFIX_PATH=/opt/gluonc > cmake.log
cmake --build cpp > build.log
cpp/memcpy examples/memcpy.py cpu
PKG_CONFIG_PATH=$(dirname "$(find /opt/gluonc -name gluonc.pc)")
export PKG_CONFIG_PATH
g++ -std=c++20 -I examples/cpp examples/cpp/memcpy.cpp -o by-hand $(pkg-config --cflags --libs gluonc) \
  -Wl,-rpath,"$(pkg-config --variable=libdir gluonc)"
./by-hand examples/memcpy.py cpu
"""


def first_kernel():
    """The README's first program in Python, with a last line that checks it."""
    section = (ROOT / "README.md").read_text().split("## From Python")[1]
    return re.search(r"```python\n(.*?)```", section, re.S)[1] + \
        "assert (x == 2 * np.arange(1000)).all()\nprint('first kernel: right')\n"


def boot(name, folder):
    """A fresh system in a folder; false where it cannot be had."""
    _, _, mirror, options, script = SYSTEMS[name]
    if (folder / "etc/os-release").exists():
        return True
    scripts = pathlib.Path("/usr/share/debootstrap/scripts")
    script = [] if (scripts / name).exists() else script
    if shutil.which("debootstrap") is None:
        return False
    made = subprocess.run(["debootstrap", "--variant=minbase", f"--include={PACKAGES}", *options, name,
                           folder, mirror, *script], capture_output=True, text=True)
    if made.returncode:
        print(made.stdout[-2000:], file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
    return made.returncode == 0


def furnish(folder, options):
    """Puts there what the stranger downloads."""
    shutil.rmtree(folder / "stranger", ignore_errors=True)
    shutil.rmtree(folder / "opt/gluonc", ignore_errors=True)
    shutil.copytree(ROOT / "examples", folder / "stranger/examples")
    shutil.copy(options.wheel, folder / "stranger")
    (folder / "stranger/first.py").write_text(first_kernel())
    subprocess.run(["cmake", "--install", options.build, "--strip", "--prefix", folder / "opt/gluonc"],
                   check=True, stdout=subprocess.DEVNULL)
    # As a system in this network has them.
    for path in ("etc/resolv.conf", CERTIFICATES):
        shutil.copy(f"/{path}", folder / path)


def inside(folder, script):
    """Runs a script in the system, with /proc and /dev of its own."""
    mounts = 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"'
    return subprocess.run(["unshare", "--mount", "sh", "-c", mounts, "sh", folder, "/bin/bash", "-c", script],
                          capture_output=True, text=True,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                               "LC_ALL": "C.UTF-8", "PIP_CERT": f"/{CERTIFICATES}"})


VERSIONS = """python3 -V; getconf GNU_LIBC_VERSION; g++ -dumpfullversion | sed 's/^/g++ /'
cmake --version | head -1 | sed 's/ version//'"""


def symbols(name, wheel):
    """What the symbols say where the system is not there."""
    about, glibc = SYSTEMS[name][:2]
    said = subprocess.run([sys.executable, ROOT / "tools/check_wheel", wheel], capture_output=True, text=True)
    needed = tuple(map(int, re.search(r"glibc ([\d.]+) or newer", said.stdout)[1].split(".")))
    fits = said.returncode == 0 and needed <= glibc
    print(f"{about}: not to be had; the wheel asks for glibc {needed}, it has {glibc}: "
          f"{'fits' if fits else 'does not fit'}")
    return fits


def visit(name, options):
    about, folder = SYSTEMS[name][0], options.roots / name
    if not boot(name, folder):
        return symbols(name, options.wheel)
    furnish(folder, options)
    done = inside(folder, STEPS)
    versions = ", ".join(inside(folder, VERSIONS).stdout.splitlines())
    print(f"{about} ({versions}): {'fine' if done.returncode == 0 else 'FAILED'}", flush=True)
    if done.returncode or options.verbose:
        print(done.stdout[-4000:] + done.stderr[-6000:])
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--roots", type=pathlib.Path, required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("systems", nargs="*", choices=[[], *SYSTEMS], default=[])
    options = parser.parse_args()
    options.roots.mkdir(parents=True, exist_ok=True)
    results = [visit(name, options) for name in options.systems or SYSTEMS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
