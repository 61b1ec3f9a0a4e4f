#!/usr/bin/env python3
"""`cmake --install`: what it puts where, and that all of it works after a move.

    install_test.py BUILD CC CXX
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = r'''
#include <gluonc/NAME.h>
#include <stdio.h>
int main(void) { return printf("%s\n", NAME_version()) < 0; }
'''
# (path below the prefix, as a pattern) of everything that may be there.
EXPECTED = [r"bin/gluonc", r"include/gluonc/gluonc(_rt)?\.(h|hpp)", r"LIB/libgluonc\.so(\.0(\.\d+\.\d+)?)?",
            r"LIB/libgluonc_rt\.so(\.0(\.\d+\.\d+)?)?",
            r"LIB/gluonc_cuda_cpu/(libgluonc_cuda_cpu\.so|libcuda\.so(\.1)?)",
            r"LIB/cmake/gluonc/gluonc\w+(-\w+)?\.cmake", r"LIB/pkgconfig/gluonc\.pc", r"LIB/pkgconfig/gluonc_rt\.pc",
            r"share/man/man1/gluonc\.1", r"share/bash-completion/completions/gluonc",
            r"share/zsh/site-functions/_gluonc", r"share/fish/vendor_completions\.d/gluonc\.fish",
            r"share/doc/gluonc/(LICENSE|THIRD_PARTY_NOTICES)"]


def run(*words, **options):
    return subprocess.run(list(map(str, words)), check=True, text=True, capture_output=True,
                          **options).stdout


def files_below(prefix):
    return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir())


def check_files(prefix, library):
    names = files_below(prefix)
    patterns = [pattern.replace("LIB", re.escape(library)) for pattern in EXPECTED]
    litter = [name for name in names if not any(re.fullmatch(p, name) for p in patterns)]
    missing = [p for p in patterns if not any(re.fullmatch(p, name) for name in names)]
    assert not litter and not missing, (litter, missing)
    real = [name for name in names if ".so" in name and not (prefix / name).is_symlink()]
    assert len(real) == 3, real
    assert (prefix / library / "gluonc_cuda_cpu/libcuda.so").resolve().name == "libgluonc_cuda_cpu.so"
    # The launcher has no compiler in it.
    launcher = next(name for name in real if "_rt" in name)
    assert (prefix / launcher).stat().st_size < 1_000_000
    # The program is a small one, over the library.
    assert (prefix / "bin/gluonc").stat().st_size < 100_000


def check_works(prefix, library, compiler, work):
    version = run(prefix / "bin/gluonc", "--version")
    for words, page in (("man", "man/man1/gluonc.1"),
                        ("completion bash", "bash-completion/completions/gluonc")):
        assert run(prefix / "bin/gluonc", *words.split()) == (prefix / "share" / page).read_text(), page
    for name in ("gluonc", "gluonc_rt"):
        source = work / "version.c"
        source.write_text(PROGRAM.replace("NAME", name))
        text = (prefix / library / f"pkgconfig/{name}.pc").read_text()
        assert re.search(r"^prefix=\$\{pcfiledir\}/", text, re.M), text
        flags = flags_of(prefix / library / "pkgconfig", text)
        run(compiler, source, "-o", work / "version", *flags, f"-Wl,-rpath,{prefix / library}")
        assert "gluonc " + run(work / "version") == version
        assert f"lib{name}.so.0" in run("readelf", "--dynamic", work / "version")


def check_consumer(prefix, library, compilers, work):
    """A project in C and C++ that finds the moved package, and nothing else of ours."""
    root = pathlib.Path(__file__).resolve().parents[2]
    said = run(root / "test/consumer/run.sh", "test/consumer/project",
               prefix / library / "cmake/gluonc", work / "project", *reversed(compilers),
               "consumer_c examples/memcpy.py", "consumer examples/memcpy.py", "ir examples/memcpy.py")
    found = re.search(r"^gluonc_DIR:\w+=(.*)$", (work / "project/CMakeCache.txt").read_text(), re.M)
    assert found.group(1) == str(prefix / library / "cmake/gluonc"), found
    needed = run("readelf", "--dynamic", work / "project/consumer")
    assert f"[{prefix / library}]" in needed and "libgluonc.so.0" in needed, (said, needed)


def flags_of(folder, text):
    """What pkg-config says, which a machine need not have."""
    found = {"pcfiledir": str(folder)}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.M):
        found[name] = re.sub(r"\$\{(\w+)\}", lambda match: found[match.group(1)], value)
    return [re.sub(r"\$\{(\w+)\}", lambda match: found[match.group(1)], word)
            for line in re.findall(r"^(?:Cflags|Libs): (.*)$", text, re.M) for word in line.split()]


def main():
    build, *compilers = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        run("cmake", "--install", build, "--prefix", work / "first")
        library = next(p for p in files_below(work / "first") if p.endswith("libgluonc.so"))
        library = os.path.dirname(library)
        check_files(work / "first", library)
        (work / "first").rename(work / "moved")
        check_works(work / "moved", library, compilers[0], work)
        check_consumer(work / "moved", library, compilers, work)
        for name in files_below(work / "moved"):
            if name.endswith((".pc", ".cmake")):
                assert str(work / "first") not in (work / "moved" / name).read_text(), name
    print("installs, moves and works")


if __name__ == "__main__":
    main()
