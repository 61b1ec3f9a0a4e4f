#!/usr/bin/env python3
"""The binary interfaces of libgluonc and libgluonc_rt: what they export, structures, numbers of enumerations.

    abi_test.py LIBRARY LAUNCHER CC

Declarations of the headers are compared with those kept in abi.txt and abi_rt.txt, and with what the libraries
export; libgluonc has the launcher's functions, too.
Where they differ, abidiff (of Debian's abigail-tools), if it is there, says what that breaks. Until 1.0 a
change is written there by GLUONC_UPDATE_GOLDEN=1; what it breaks is for the changelog, and for
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
HEADERS = HERE.parents[1] / "include/gluonc"
# Exported for the program `gluonc`, and for tests.
PRIVATE = {"gluonc_main", "gluonc_plant_internal_error"}
# Of abidiff's exit status: something differs, and in a way that breaks programs.
DIFFERS, BREAKS = 4, 8


def declarations(text):
    """What a header declares, without comments and with each declaration on lines of its own."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#.*\n", "", text.split('extern "C" {')[1], flags=re.M)
    text = re.sub(r"GLUONC_(?:RT_)?API ([^;]*;)", lambda found: " ".join(found[1].split()), text)
    text = re.sub(r"^\}\n*\Z", "", text.rstrip(), flags=re.M).replace(" GLUONC_ENUM_BASE", "")
    text = text.replace(" GLUONC_RT_ENUM_BASE", "")
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


def check_exports(library, declared):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                            capture_output=True).stdout
    names = set(re.findall(r" [A-Z] (\w+)", listed))
    assert names == declared, names ^ declared


def is_kept(header, kept, text, compiler):
    """Whether a header declares what is kept, or now is."""
    before = kept.read_text() if kept.exists() else ""
    if text == before:
        return True
    sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), text.splitlines(True),
                                               kept.name, header))
    if before and shutil.which("abidiff"):
        print(abidiff(before, text, compiler)[1])
    if os.environ.get("GLUONC_UPDATE_GOLDEN") != "1":
        return False
    kept.write_text(text)
    print("rewrote", kept.name)
    return True


def main():
    library, launcher, compiler = sys.argv[1:]
    text = declarations((HEADERS / "gluonc.h").read_text())
    launching = declarations((HEADERS / "gluonc_rt.h").read_text())
    functions_there, launching_functions = set(functions(text)), set(functions(launching))
    assert len(functions_there) > 50 and len(launching_functions) > 15
    check_exports(library, functions_there | launching_functions | PRIVATE)
    check_exports(launcher, launching_functions)
    has_abidiff = shutil.which("abidiff") is not None
    if has_abidiff:
        check_abidiff(text, compiler)
    fine = is_kept("gluonc.h", HERE / "abi.txt", text, compiler)
    fine &= is_kept("gluonc_rt.h", HERE / "abi_rt.txt", launching, compiler)
    print(f"abi: {len(functions_there)} and {len(launching_functions)} functions, "
          f"{'with' if has_abidiff else 'without'} abidiff")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
