#!/usr/bin/env python3
"""The binary interface of libgluonc: what it exports, structures, numbers of enumerations.

    abi_test.py LIBRARY CC

Declarations of the header are compared with those kept in abi.txt, and with what the library exports.
Where they differ, abidiff (of Debian's abigail-tools), if it is there, says what that breaks. Until 1.0 a
change is written to abi.txt by GLUONC_UPDATE_GOLDEN=1; what it breaks is for the changelog, and for
SOVERSION. From 1.0 on there may only be more functions, and more fields at the end of structures
that begin with their size.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "include/gluonc/gluonc.h"
KEPT = HERE / "abi.txt"
# Exported for the program `gluonc`, and for tests.
PRIVATE = {"gluonc_main", "gluonc_plant_internal_error"}
# Of abidiff's exit status: something differs, and in a way that breaks programs.
DIFFERS, BREAKS = 4, 8


def declarations(text):
    """What a header declares, without comments and with each declaration on lines of its own."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#.*\n", "", text.split('extern "C" {')[1], flags=re.M)
    text = re.sub(r"GLUONC_API ([^;]*;)", lambda found: " ".join(found[1].split()), text)
    text = re.sub(r"^\}\n*\Z", "", text.rstrip(), flags=re.M).replace(" GLUONC_ENUM_BASE", "")
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def functions(text):
    """{name: declaration}"""
    found = re.findall(r"^(\w[^;{}]*?\b(\w+)\([^;{}]*\));", text, re.M)
    return {name: line for line, name in found if not line.startswith("typedef")}


def library_of(text, compiler, folder, name):
    """A library with these functions, which do nothing, and with what debuggers know of their types."""
    source = pathlib.Path(folder, name + ".c")
    bodies = "".join(f"{line} {{ __builtin_trap(); }}\n" for line in functions(text).values())
    source.write_text(f"#include <stddef.h>\n#include <stdint.h>\n{text}{bodies}")
    made = source.with_suffix(".so")
    subprocess.run([compiler, "-g", "-gdwarf-4", "-shared", "-fPIC", source, "-o", made], check=True)
    return made


def abidiff(before, after, compiler):
    """(exit status, report) of abidiff for two texts of declarations."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["abidiff", "--no-show-locs",
                               library_of(before, compiler, folder, "before"),
                               library_of(after, compiler, folder, "after")],
                              capture_output=True, text=True)
    return done.returncode, done.stdout


# (what, pattern, replacement, whether programs break); abidiff leaves a changed parameter to people.
CHANGES = [
    ("nothing", "$^", "", 0),
    ("a function more", r"\Z", "int gluonc_new(void);\n", DIFFERS),
    ("a function less", r"const char \*gluonc_version\(void\);\n", "", DIFFERS | BREAKS),
    ("a parameter's type", r"(gluonc_engine_device_target\(gluonc_engine \*engine, )int", r"\1long",
     DIFFERS),
    ("a field in the middle", r"(  const char \*ptxas;)", r"  int more;\n\1", DIFFERS),
    ("a status's number", "GLUONC_FAULT = 3", "GLUONC_FAULT = 9", DIFFERS),
]


def check_abidiff(text, compiler):
    """That abidiff sees a change of each kind."""
    for what, pattern, replacement, wanted in CHANGES:
        changed = re.sub(pattern, replacement, text, count=1)
        assert what == "nothing" or changed != text, what
        status, report = abidiff(text, changed, compiler)
        assert status == wanted, (what, status, report)


def check_exports(library, text):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                            capture_output=True).stdout
    names = set(re.findall(r" [A-Z] (\w+)", listed))
    declared = set(functions(text))
    assert len(declared) > 50, declared
    assert names == declared | PRIVATE, names ^ (declared | PRIVATE)


def main():
    library, compiler = sys.argv[1:]
    text = declarations(HEADER.read_text())
    check_exports(library, text)
    has_abidiff = shutil.which("abidiff") is not None
    if has_abidiff:
        check_abidiff(text, compiler)
    kept = KEPT.read_text() if KEPT.exists() else ""
    if text != kept and kept:
        sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), text.splitlines(True),
                                                   "abi.txt", "gluonc.h"))
        if has_abidiff:
            print(abidiff(kept, text, compiler)[1])
    if text != kept and os.environ.get("GLUONC_UPDATE_GOLDEN") == "1":
        KEPT.write_text(text)
        print("rewrote abi.txt")
        return 0
    print(f"abi: {len(functions(text))} functions, {'with' if has_abidiff else 'without'} abidiff")
    return 0 if text == kept else 1


if __name__ == "__main__":
    sys.exit(main())
