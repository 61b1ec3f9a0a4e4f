#!/usr/bin/env python3
"""Compares what instructions are told, by gluonc and by Triton, in kernels that kept_code.py compiled by both.

    kept_constants.py FOLDER [--out FILE.json] [--verbose]

FOLDER has NAME.ptx beside NAME.triton.ptx. Of each the instructions of tensor memory, of barriers, of the copy engine
and fences are listed with the constants that reach them, as sets: one of two compilers that unroll a loop has some of
them twice. Instructions of tensor memory are those of tensor_memory.py, with commits and what they name; barriers have
the arrivals and bytes that they expect, fences their kind, copies their shape and direction, and where the boxes of a
block lie (copied_boxes.py). Differences are told for each kernel, and counted by kind. Exit status 0 all equal, 1 a difference.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

from copied_boxes import boxes
from tensor_memory import Registers, listing, without_places

# The state space of an address in shared memory may be left out, and is the window's or the cluster's in some words.
SPACE = re.compile(r"\.shared(::(cta|cluster))?(?=[. ]|$)")


def operands(text):
    return [each.strip() for each in text.split(",")]


def barriers(text, registers):
    """An instruction of barriers as a tuple, or None."""
    match = re.match(r"mbarrier\.(\S+)\s+(.*)", text)
    if not match:
        return None
    name, rest = SPACE.sub("", match[1]), operands(match[2])
    if name.startswith("init"):
        return ("mbarrier", "init", str(registers.constant(rest[-1])))
    if name.startswith("arrive.expect_tx") or name.startswith("expect_tx"):
        return ("mbarrier", "expect_tx", str(registers.constant(rest[-1])))
    if name.startswith("arrive"):
        count = registers.constant(rest[-1]) if re.fullmatch(r"\d+", rest[-1]) else 1
        return ("mbarrier", "arrive", str(count))
    return ("mbarrier", re.match(r"\w+", name)[0])


def others(ptx):
    """What is told to barriers, fences, the copy engine, and commits of tensor memory."""
    registers, found = Registers(ptx), set()
    for line in ptx.splitlines():
        text = re.sub(r"^\s*\{?\s*(@!?\S+ )?", "", line).strip().rstrip(";")
        text = re.sub(r"\s+", " ", text)
        if entry := barriers(text, registers):
            found.add(entry)
        elif text.startswith("fence."):
            found.add(("fence", SPACE.sub("", text.split()[0])))
        elif match := re.match(r"cp\.async\.bulk\.(\S+)", text):
            name = match[1].replace("shared::cta", "shared").replace("shared::cluster", "shared")
            found.add(("copy", name.removesuffix(".tile")))
        elif match := re.match(r"tcgen05\.commit\.(\S+)", text):
            found.add(("commit", SPACE.sub("", match[1]).removesuffix(".b64")))
        elif match := re.match(r"(clusterlaunchcontrol|setmaxnreg|griddepcontrol|barrier\.cluster)\S*( \d+)?", text):
            found.add(("other", match[0]))
        else:
            registers.line(line)
    return found


def merged(entries):
    """Of products that differ in whether they add alone, one: loops may begin with a product that does not."""
    adds, found = collections.defaultdict(set), set()
    for entry in entries:
        if entry[0] == "mma":
            adds[entry[:6] + entry[7:]].add(entry[6])
        else:
            found.add(entry)
    for entry, values in adds.items():
        value = values.pop() if len(values) == 1 else "maybe"
        found.add((*entry[:6], value, *entry[6:]))
    return found


def instructions(ptx, places):
    ptx = re.sub(r"\.collector::a::\w+", "", ptx)
    listed = listing(ptx)
    if not places:
        listed = without_places(listed)
    return merged(tuple(map(str, entry)) for entry in listed if entry[0] != "commit") | others(ptx)


def compare(ours, theirs, warps):
    """(only gluonc's, only Triton's), and whether places had to be left out to have them equal."""
    copied = [{("boxes", *each) for each in boxes(ptx, warps)} for ptx in (ours, theirs)]
    for places in (True, False):
        a, b = instructions(ours, places) | copied[0], instructions(theirs, places) | copied[1]
        if a == b:
            break
    return sorted(a - b), sorted(b - a), not places


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true", help="each kernel's differences")
    options = parser.parse_args()
    kernels, kinds = {}, collections.Counter()
    equal = moved = 0
    for path in sorted(options.folder.glob("*.triton.ptx")):
        stem = path.name.removesuffix(".triton.ptx")
        facts = json.loads((options.folder / f"{stem}.json").read_text())
        ours, theirs, elsewhere = compare((options.folder / f"{stem}.ptx").read_text(), path.read_text(),
                                          facts["warps"])
        same = not ours and not theirs
        equal += same
        moved += same and elsewhere
        kernels[stem] = {"test": facts["test"], "gluonc": ours, "triton": theirs, "without places": elsewhere}
        for side, entries in (("gluonc", ours), ("triton", theirs)):
            kinds.update({(side, *entry[:2]) for entry in entries})
        if options.verbose and not same:
            print(facts["test"], stem, *(f"    gluonc {e}" for e in ours), *(f"    triton {e}" for e in theirs), sep="\n")
    if options.out:
        options.out.write_text(json.dumps(kernels, indent=1))
    for (side, *kind), count in sorted(kinds.items()):
        print(f"only {side}: {' '.join(kind)}: in {count}")
    print(f"{len(kernels)} kernels: {equal} equal, of these {moved} with tensor memory laid out in another order; "
          f"{len(kernels) - equal} differ")
    return int(equal < len(kernels))


if __name__ == "__main__":
    sys.exit(main())
