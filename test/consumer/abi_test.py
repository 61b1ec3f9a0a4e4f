#!/usr/bin/env python3
"""The binary interface of libgluonc: what it exports, structures, numbers of enumerations.

    abi_test.py LIBRARY CC

Compared with abi.txt. Until 1.0 a change is written there by GLUONC_UPDATE_GOLDEN=1; what it breaks
is for the changelog, and for SOVERSION. From 1.0 on lines may only be added, and fields only to the
end of structures that begin with their size.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "include/gluonc/gluonc.h"


def exported(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                            capture_output=True).stdout
    names = re.findall(r" T (\w+)", listed)
    declared = set(re.findall(r"\b(gluonc_\w+)\(", HEADER.read_text()))
    missing = declared - set(names)
    assert not missing, f"declared and not exported: {sorted(missing)}"
    for name in sorted(names):
        yield f"function {name}{'' if name in declared else ' (not in the header)'}"


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def questions():
    """(what, C expression of type size_t) for everything in the header that has a number."""
    text = without_comments(HEADER.read_text())
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \1;", text, re.S):
        yield f"size of {name}", f"sizeof(struct {name})"
        for declaration in body.split(";"):
            # A field may be a pointer, an array, or share its declaration with others.
            for part in declaration.split(","):
                field = re.search(r"(\w+)(\[\d+\])?\s*$", part)
                if field:
                    yield (f"  {name}.{field.group(1)}",
                           f"offsetof(struct {name}, {field.group(1)})")
    for constant in re.findall(r"^\s+(GLUONC_\w+) = ", text, re.M):
        yield f"value {constant}", f"(size_t){constant}"


def numbers(compiler):
    rows = list(questions())
    assert len(rows) > 60, rows
    lines = "".join(f'  printf("%s %zu\\n", "{what}", {value});\n' for what, value in rows)
    program = ("#include <gluonc/gluonc.h>\n#include <stddef.h>\n#include <stdio.h>\n"
               f"int main(void) {{\n{lines}  return 0;\n}}\n")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "abi.c")
        source.write_text(program)
        subprocess.run([compiler, "-I", HEADER.parents[1], source, "-o", f"{folder}/abi"], check=True)
        return subprocess.run([f"{folder}/abi"], check=True, text=True,
                              capture_output=True).stdout.splitlines()


def main():
    library, compiler = sys.argv[1:]
    made = "\n".join([*exported(library), *numbers(compiler)]) + "\n"
    path = HERE / "abi.txt"
    kept = path.read_text() if path.exists() else ""
    if made != kept and os.environ.get("GLUONC_UPDATE_GOLDEN") == "1":
        path.write_text(made)
        print("rewrote abi.txt")
        return 0
    sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), made.splitlines(True),
                                               "abi.txt", "now"))
    print(f"abi: {len(made.splitlines())} lines")
    return 0 if made == kept else 1


if __name__ == "__main__":
    sys.exit(main())
