#!/usr/bin/env python3
"""Waits and barriers taken from machine code: the executor must find that something is missing.

    amd_waits.py --gluonc build/release/bin/gluonc [--llvm /usr/lib/llvm-22/bin]

A kernel's assembly is changed in one place: a counter that a wait lets sink to n may stay at n + 1,
or a barrier is gone; but not where a wait in front of a barrier is for a load from LDS, which only
matters if somebody stores there later. Assembled again, it runs with `gluonc run --hsaco`. A mutant counts as found
where the executor reports a fault. Exit status 1 if one is not found, 77 without LLVM's tools.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EXEC = pathlib.Path(__file__).resolve().parents[1] / "exec"
sys.path.insert(0, str(EXEC))
import run  # noqa: E402

TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64"}
FAULT = "GL6022"
SKIPPED = 77
# File, line of the RUN line, chip. Of these every mutant must be found.
CASES = [
    ("shared.py", 6, "gfx942"),
    ("shared.py", 6, "gfx1100"),
    ("shared.py", 6, "gfx1200"),
    ("reductions.py", 3, "gfx942"),
    ("reductions.py", 3, "gfx1250"),
    ("amd.py", 72, "gfx942"),
    ("amd_lds.py", 3, "gfx950"),
    ("amd_lds.py", 11, "gfx1250"),
]
# Of these, each barrier between stages.
STAGES = [
    ("amd_stages.py", 4, "gfx950"),
    ("amd_stages.py", 8, "gfx1250"),
]


def compiled_words(words):
    """The words of a RUN line as `gluonc compile` takes them: types in place of tensors."""
    kept, rest = [], iter(words)
    for word in rest:
        if word in ("--grid", "--target"):
            next(rest)
            continue
        tensor = re.match(r"(\w+)=\w+\(.*\b(bf16|[fiu]\d+)\)(\s*[%*+].*)?$", word)
        if tensor:
            kept.append(f"{tensor[1]}=*{TYPES.get(tensor[2], tensor[2])}:16")
        else:
            kept.append(word)
    return kept


def raised(text):
    """Each way to let one counter of a wait stay higher."""
    for number in re.finditer(r"\((\d+)\)", text) if "(" in text else re.finditer(r"0x([0-9a-f]+)$", text):
        base = 10 if "(" in text else 16
        more = int(number[1], base) + 1
        yield text[:number.start(1)] + format(more, "d" if base == 10 else "x") + text[number.end(1):]


def counts(text):
    """{counter: how many may stay} of a wait; empty for other instructions."""
    match = re.match(r"\s*s_wait(cnt|_\w+)\b(.*)", text)
    if not match:
        return {}
    if match[1] == "cnt":
        return {name: int(number) for name, number in re.findall(r"(\w+)\((\d+)\)", match[2])}
    return {match[1]: int(match[2], 16)}


def guards_loads(lines, at):
    """Whether a barrier follows soon, and the access to LDS before the wait, if any, is a load."""
    follows = any("s_barrier" in line for line in lines[at + 1:at + 4])
    before = [line.split()[0] for line in lines[:at] if line.strip().startswith("ds_")]
    return follows and (not before or before[-1].startswith(("ds_read", "ds_load", "ds_bpermute")))


def mutants(assembly):
    """(line, what has changed, text) of each."""
    lines = assembly.splitlines()
    for at, line in enumerate(lines):
        text = line.split(";")[0].rstrip()
        if re.match(r"\s*s_wait(cnt|_loadcnt|_dscnt|_kmcnt|_asynccnt)\b", text):
            if guards_loads(lines, at):
                continue
            # Another wait right behind it, for no more, would do its work.
            behind = counts(lines[at + 1])
            for changed in raised(text):
                raises = {name for name, number in counts(changed).items() if number > counts(text)[name]}
                if all(name in behind and behind[name] <= counts(text)[name] for name in raises):
                    continue
                yield at, changed.strip(), "\n".join([*lines[:at], changed, *lines[at + 1:]]) + "\n"
        elif re.match(r"\s*s_barrier$", text):
            yield at, "no s_barrier", "\n".join([*lines[:at], *lines[at + 1:]]) + "\n"
        elif "s_barrier_signal -1" in text:
            end = next(i for i in range(at, len(lines)) if "s_barrier_wait -1" in lines[i])
            yield at, "no split barrier", "\n".join(
                line for i, line in enumerate(lines) if i not in (at, end)) + "\n"


def boundaries(assembly):
    """Those that lack a barrier between stages: nothing may be moved across such."""
    lines = assembly.splitlines()
    return [one for one in mutants(assembly)
            if one[1].startswith("no ") and any("sched_barrier" in line for line in lines[one[0] - 4:one[0] + 4])]


class Case:
    """A RUN line's kernel and how to run code in its place."""

    def __init__(self, options, folder, file, line, chip):
        self.options, self.folder, self.chip = options, folder, chip
        path = EXEC / file
        test = next(test for test in run.read_tests(path) if test[0] == line)
        kernel, *words = test[1]
        if f"hip:{chip}" in run.WIDE_WAVES:
            words = [run.widen(word) for word in words]
            widened = folder / path.name
            widened.write_text(run.widen(path.read_text(encoding="utf-8")), encoding="utf-8")
            path = widened
        common = [*run.INCLUDE, "--target", f"hip:{chip}"]
        self.compile = [options.gluonc, "compile", f"{path}::{kernel}", *compiled_words(words), *common,
                        "--emit", "amdgcn", "-o", "-"]
        given = [word for i, word in enumerate(words) if "--target" not in words[max(i - 1, 0):i + 1]]
        self.run = [options.gluonc, "run", f"{path}::{kernel}", *given, *common, "--device", "amdgcn",
                    "--expect", test[3]]

    def assembly(self):
        return subprocess.run(self.compile, capture_output=True, text=True, check=True).stdout

    def said_of(self, number, text):
        """(did it fail, by a fault, what was said)"""
        name = self.folder / f"{self.chip}.{number}"
        tools = pathlib.Path(self.options.llvm)
        source, relocatable, code = (pathlib.Path(f"{name}.{end}") for end in ("s", "o", "hsaco"))
        source.write_text(text, encoding="utf-8")
        subprocess.run([tools / "llvm-mc", "-triple=amdgcn-amd-amdhsa", f"-mcpu={self.chip}", "-filetype=obj",
                        source, "-o", relocatable], check=True)
        subprocess.run([tools / "ld.lld", "-shared", relocatable, "-o", code], check=True)
        result = subprocess.run([*self.run, "--hsaco", str(code)], capture_output=True, text=True, timeout=60)
        output = result.stdout + result.stderr
        return result.returncode != 0, FAULT in output, output


def check(options, folder, pool, case):
    file, line, chip = case
    made = Case(options, folder, file, line, chip)
    assembly = made.assembly()
    failed, _, output = made.said_of("plain", assembly)
    if failed:
        print(f"{file}:{line} on {chip} fails without a change:\n{shlex.join(made.run)}\n{output}")
        return False
    changes = list(boundaries(assembly) if case in STAGES else mutants(assembly))
    said = list(pool.map(lambda one: made.said_of(one[0], changes[one[0]][2]), enumerate(changes)))
    found = sum(fault for _, fault, _ in said)
    left = [change for change, (_, fault, _) in zip(changes, said) if not fault]
    print(f"{file}:{line} on {chip}: {found} of {len(changes)} mutants found")
    for at, what, _ in left:
        print(f"  not found: {what}, line {at + 1}: {' | '.join(assembly.splitlines()[at:at + 3])}")
    return bool(changes) and not left


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    options = parser.parse_args()
    if not all((pathlib.Path(options.llvm) / tool).exists() for tool in ("llvm-mc", "ld.lld")):
        print("amd_waits: LLVM's assembler and linker are not there")
        return SKIPPED
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        # All cases are looked at, whatever the first ones say.
        return 0 if all([check(options, pathlib.Path(folder), pool, case) for case in CASES + STAGES]) else 1


if __name__ == "__main__":
    sys.exit(main())
