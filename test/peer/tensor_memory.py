#!/usr/bin/env python3
"""Compares what tcgen05 instructions are told by gluonc and by Triton.

Kernels of test/exec/tensor_memory.py and tensor_products.py, as gluonc's IR, are compiled by both for cuda:100. Of each PTX
the instructions for tensor memory are listed in order, with the constants that reach them: products
with their kind, instruction descriptor, place of the sum, constant parts of the matrix descriptors
(version, strides, swizzle, steps), places of scales and whether they add; copies; loads and stores with shape, number of
registers and place; columns that are allocated.

    PYTHONPATH=FOLDER_OF_TRITON tensor_memory.py --gluonc build/release/bin/gluonc [--code FILE.json]

With --code, what the assembler (TRITON_PTXAS_BLACKWELL_PATH, or the one that Triton ships) makes of both is written down: registers, bytes of
stack and instructions. Exit status 0 all equal, 1 a difference.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/exec"))
import run  # noqa: E402
from signatures import signature  # noqa: E402

# Kernels whose buffers lie elsewhere: gluonc places large ones first, Triton in program order.
PLACED_OTHERWISE = {"from_tensor_memory", "scaled", "scales_in_a_row", "spread"}

# The same said with other words.
SCALES = {"mxf8f6f4.block_scale.scale_vec::1X": "mxf8f6f4.block_scale.block32",
          "mxf4.block_scale.scale_vec::2X": "mxf4.block_scale.block32",
          "mxf4nvf4.block_scale.scale_vec::4X": "mxf4nvf4.block_scale.block16"}


class Registers:
    """Which constants PTX registers hold, beside something unknown."""

    def __init__(self, ptx=""):
        self.known = {}
        movs = collections.defaultdict(set)
        for target, source in re.findall(r"\bmov\.\w+\s+(%\w+),\s*([^;{]+);", ptx):
            movs[target].add(source.strip())
        # What paths that meet hand over.
        self.several = {target for target, sources in movs.items() if len(sources) > 1}

    def value(self, operand):
        """(what is unknown, constant)"""
        operand = operand.strip()
        if operand in self.several:
            return (operand,), 0
        if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", operand):
            return (), int(operand, 0)
        return self.known.get(operand, ((operand,), 0))

    def line(self, text):
        text = re.sub(r"//.*", "", text).strip().rstrip(";")
        if match := re.fullmatch(r"mov\.b64 \{(\S+), (\S+)\}, (\S+)", text):
            # Descriptors: nothing is carried from the lower word to the upper one.
            unknown, constant = self.value(match[3])
            self.known[match[1]], self.known[match[2]] = (unknown, constant & 0xffffffff), ((), constant >> 32)
            return
        if match := re.fullmatch(r"mov\.b64 (\S+), \{(\S+), (\S+)\}", text):
            (unknown, low), (_, high) = self.value(match[2]), self.value(match[3])
            self.known[match[1]] = (unknown, low + (high << 32))
            return
        match = re.match(r"(?:@\S+ )?(mov|add|or|cvt)\.([\w.]+)\s+(\S+), (.*)", text)
        if not match or text.startswith("@"):
            if match := re.match(r"[\w.:]+\s+(%\w+)\b", text):
                self.known.pop(match[1], None)
            return
        name, kind, target, rest = match.groups()
        values = [self.value(each) for each in rest.split(", ")]
        if kind == "pred":
            self.known[target] = ((), values[0][1]) if not values[0][0] else ((target,), 0)
        elif name in ("add", "or") and len(values) == 2:
            (a, x), (b, y) = values
            self.known[target] = (a + b, x + y)
        elif len(values) == 1 and (name == "mov" or kind.startswith(("u64.u32", "u32.u64"))):
            self.known[target] = values[0]
        else:
            self.known[target] = ((target,), 0)

    def constant(self, operand):
        return self.value(operand)[1]


def place(registers, text):
    """Row << 16 | column in brackets, apart from where tensor memory begins."""
    parts = [part.strip() for part in text.strip(" []").split("+")]
    return sum(registers.constant(part) for part in parts)


def listing(ptx):
    """The instructions of tensor memory."""
    registers, found = Registers(ptx), []
    for line in ptx.splitlines():
        text = re.sub(r"^\s*(@!?\S+ )?", "", line).strip().rstrip(";")
        if match := re.match(r"tcgen05\.alloc\S* \[.*\], (\d+)", text):
            found.append(("alloc", int(match[1])))
        elif match := re.match(r"tcgen05\.mma\.(\S+) \[(.*?)\], (\[.*?\]|\S+), (\S+), (\S+), (\[.*\], )?(\S+)", text):
            kind, d, a, b, form, scales, adds = match.groups()
            for old, new in SCALES.items():
                kind = kind.replace(old, new)
            scales = ["%#x" % place(registers, each) for each in (scales or "").split("], ") if each]
            a = "at %#x" % place(registers, a) if a.startswith("[") else "%#x" % registers.constant(a)
            if not adds.startswith("!"):
                unknown, constant = registers.value(adds)
                adds = "maybe" if unknown and adds != "adds" else "yes" if constant or adds == "adds" else "no"
            else:
                adds = "no"
            found.append(("mma", kind, "%#x" % place(registers, d), a, "%#x" % registers.constant(b),
                          "%#x" % registers.constant(form), adds, *scales))
        elif match := re.match(r"tcgen05\.cp\.(\S+) \[(.*?)\], (\S+)", text):
            # Words of a qualifier come in any order.
            # Without a swizzle the base offset says nothing; Triton sets it.
            source = registers.constant(match[3])
            source &= ~0 if source >> 61 else ~(7 << 49)
            found.append(("cp", ".".join(sorted(match[1].split("."))), "%#x" % place(registers, match[2]),
                          "%#x" % source))
        elif match := re.match(r"tcgen05\.(ld|st)\.sync\.aligned\.(\S+)", text):
            where = re.search(r"\[([^\]]*)\](, \d+)?", text)
            found.append((match[1], match[2], "%#x" % place(registers, where[1]), where[2] or ""))
        elif text.startswith("tcgen05.commit"):
            found.append(("commit",))
        else:
            registers.line(line)
    return found


def without_places(entries):
    """Scales lie from where those of the first product do."""
    result, first = [], None
    for entry in entries:
        if entry[0] == "cp":
            entry = entry[:2] + ("at",) + entry[3:]
        elif entry[0] in ("ld", "st"):
            entry = entry[:2] + ("at", "at" if entry[3].startswith("at") else entry[3]) + entry[4:]
        elif entry[0] == "mma":
            scales = [int(each, 16) for each in entry[7:]]
            first = first or scales
            entry = entry[:2] + ("at", "at" if entry[3].startswith("at") else entry[3]) + entry[4:7]
            entry += tuple(each - begin for each, begin in zip(scales, first))
        result.append(entry)
    return result


def by_triton(ttgir, warps):
    import triton
    from triton.backends.compiler import GPUTarget
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.ttgir"
        path.write_text(ttgir)
        return triton.compile(str(path), target=GPUTarget("cuda", 100, 32), options={"num_warps": warps}).asm["ptx"]


def code_facts(ptx):
    """Registers, bytes of stack (spills) and instructions of the machine code."""
    import triton
    tools = pathlib.Path(triton.__file__).parent / "backends/nvidia/bin"
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder) / "kernel.ptx", pathlib.Path(folder) / "kernel.cubin"
        source.write_text(ptx)
        assembler = os.environ.get("TRITON_PTXAS_BLACKWELL_PATH", tools / "ptxas-blackwell")
        subprocess.run([assembler, "-arch", "sm_100a", source, "-o", cubin], check=True,
                       capture_output=True)
        usage, sass = (subprocess.run([tools / "cuobjdump", option, cubin], capture_output=True, text=True,
                                      check=True).stdout for option in ("-res-usage", "-sass"))
    registers, stack = map(int, re.search(r"REG:(\d+) STACK:(\d+)", usage).groups())
    # Behind the end are jumps of an instruction to itself and fillers.
    lines = re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(\S.*?);", sass, re.M)
    return {"registers": registers, "stack_bytes": stack, "instructions": sum(line != "NOP" for line in lines)}


def write_code(path, codes):
    ratios = [each["gluonc"]["instructions"] / each["triton"]["instructions"] for each in codes]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    more = sum(each["gluonc"]["registers"] > each["triton"]["registers"] for each in codes)
    spilled = {side: sum(each[side]["stack_bytes"] for each in codes) for side in ("gluonc", "triton")}
    print(f"instructions ÷ Triton's: {mean:.3f} ({min(ratios):.2f} to {max(ratios):.2f}); more registers than "
          f"Triton's in {more} of {len(codes)}; bytes of stack {spilled}")
    path.write_text(json.dumps({"instructions": mean, "kernels": codes}, indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gluonc", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--code", type=pathlib.Path)
    options = parser.parse_args()
    equal = differ = refused = 0
    codes = []
    tests = [(path, test) for path in (ROOT / "test/exec/tensor_memory.py", ROOT / "test/exec/tensor_products.py")
             for test in run.read_tests(path)]
    for path, (line, (kernel, *arguments), kind, _) in tests:
        if kind == "FAULT":
            continue
        words = signature(arguments)
        command = [options.gluonc, "compile", f"{path}::{kernel}", *words, "--target", "cuda:100a", "-o", "-"]
        ours = subprocess.run(command + ["--emit", "ptx"], capture_output=True, text=True)
        ir = subprocess.run(command + ["--emit", "ttgir"], capture_output=True, text=True)
        name = f"{kernel} (line {line})"
        if ours.returncode or ir.returncode:
            print(f"{name}: {ours.stderr}{ir.stderr}")
            differ += 1
            continue
        warps = int(words[words.index("--num-warps") + 1]) if "--num-warps" in words else 4
        try:
            theirs = by_triton(ir.stdout, warps)
        except Exception as problem:  # Triton's own limits are not ours.
            print(f"{name}: Triton: {str(problem).strip().splitlines()[:1]}")
            refused += 1
            continue
        # Triton 3.6 has no collectors; newer ones and gluonc go through K before they go to the next column.
        ours.stdout = re.sub(r"\.collector::a::\w+", "", ours.stdout)
        if options.code:
            codes.append({"name": name, "gluonc": code_facts(ours.stdout), "triton": code_facts(theirs)})
        a, b = listing(ours.stdout), listing(theirs)
        if kernel in PLACED_OTHERWISE:
            a, b = without_places(a), without_places(b)
        # Partitions may come in any order.
        if a == b or sorted(a) == sorted(b):
            equal += 1
        else:
            differ += 1
            print(f"{name} differs\n  {shlex.join(words)}")
            for mine, its in zip(a + [None] * (len(b) - len(a)), b + [None] * (len(a) - len(b))):
                if mine != its or options.verbose:
                    print(f"    gluonc {mine}\n    triton {its}")
    if codes:
        write_code(options.code, codes)
    print(f"{equal} equal, {differ} differ, {refused} that Triton does not compile")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
