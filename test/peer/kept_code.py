#!/usr/bin/env python3
"""Compares the machine code of kernels that keep_kernels.py kept with what Triton makes of the same IR.

    PYTHONPATH=FOLDER_OF_TRITON kept_code.py FOLDER [--out FILE.json] [--archs sm_100a,sm_103a,sm_110a] [--alone]
                                             [--gluonc PROGRAM]

gluonc's PTX of every kernel is assembled for each of the chips. For the first of them Triton compiles the .ttgir, too,
and leaves NAME.triton.ptx beside it (kept_constants.py compares those). Of both are told: registers, bytes of spills,
instructions, and instructions of the hot loop, which is the one with most matrix products, of those the shortest
(nvdisasm); loops are what branches close, with their waits. With --gluonc both compile the .ttgir again and again, and
their times to PTX are told. --alone asks Triton nothing. What was done is taken from FILE.json, so that a run may be
in parts (--limit S seconds).
"""

import argparse
import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

PRODUCT = re.compile(r"\b(UTC\w*MMA|HGMMA|WGMMA|[HIQ]MMA|OMMA|DMMA)\b")
LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?);", re.M)
LABEL = re.compile(r"^(\.L_x_\d+):|^\s+/\*([0-9a-f]{4,})\*/\s+(.*?);", re.M)


def tools():
    import triton
    return pathlib.Path(triton.__file__).parent / "backends/nvidia/bin"


def assemble(ptx, arch, folder):
    """(cubin, facts); no cubin where the assembler refuses."""
    source, cubin = pathlib.Path(folder) / "k.ptx", pathlib.Path(folder) / "k.cubin"
    ptx = re.sub(r"\.target \w+", f".target {arch}", ptx)
    if arch.startswith("sm_110"):
        # What was sm_101 has this name since then.
        ptx = re.sub(r"\.version \S+", ".version 9.0", ptx)
    source.write_text(ptx)
    run = subprocess.run(["ptxas", "-v", f"-arch={arch}", source, "-o", cubin], capture_output=True, text=True)
    if run.returncode:
        return None, {"refused": run.stderr.strip()[:300]}
    return cubin, {"registers": max(map(int, re.findall(r"Used (\d+) registers", run.stderr))),
                   "spills": sum(map(int, re.findall(r"(\d+) bytes spill stores", run.stderr)))}


def with_all_registers(ptx):
    """The same, told how many registers there are for each thread; None where it says so already."""
    threads = re.search(r"^\.reqntid (\d+)$", ptx, re.M)
    if not threads or ".maxnreg" in ptx:
        return None
    most = min(255, 65536 // int(threads[1]) // 8 * 8)
    return ptx[:threads.start()] + f".maxnreg {most}\n" + ptx[threads.start():], most


def assembled_by_gluonc(ptx, arch, folder):
    """As codegen/nvidia/Ptxas.cpp has it: ptxas is asked again where it spills and leaves half of the registers."""
    cubin, facts = assemble(ptx, arch, folder)
    more = with_all_registers(ptx)
    if cubin and facts["spills"] and more and 2 * facts["registers"] <= more[1] + 1:
        first = cubin.read_bytes()
        cubin, again = assemble(more[0], arch, folder)
        if cubin and again["spills"] < facts["spills"]:
            return cubin, again
        cubin = pathlib.Path(folder) / "k.cubin"
        cubin.write_bytes(first)
    return cubin, facts


def blocks(sass):
    """(names by label, instructions, numbers of those behind) of each block of a kernel's machine code."""
    names, found, fresh = {}, [], True
    for label, _, text in LABEL.findall(sass):
        if fresh or label and found[-1]:
            found.append([])
        fresh = False
        if label:
            names[label] = len(found) - 1
        else:
            found[-1].append(text)
            fresh = re.search(r"\b(BRA|BRX\w*|EXIT|RET)\b", text)
    behind = []
    for number, lines in enumerate(found):
        last, after = lines[-1] if lines else "", []
        if re.search(r"\b(BRA|BRX\w*)\b", last):
            # A jump to one of several names all of them behind BRANCH_TARGETS.
            after = [names[label] for label in re.findall(r"\.L_x_\d+", last) if label in names]
        # A jump under a condition has a predicate in front, or an operand before its target.
        always = re.match(r"(BRA(\.\w+)* `|BRX|EXIT|RET)", last)
        if not always and number + 1 < len(found):
            after.append(number + 1)
        behind.append(after)
    return names, [[line for line in lines if line != "NOP"] for lines in found], behind


def dominators(behind):
    """Of each block those that every way to it goes through, as sets. Ways begin where no block leads to, too: at calls."""
    led = {other for after in behind for other in after}
    over = [{number} if number == 0 or number not in led else None for number in range(len(behind))]
    changed = True
    while changed:
        changed = False
        for number, after in enumerate(behind):
            for other in after if over[number] is not None else []:
                if over[other] == {other}:
                    continue
                new = (over[number] if over[other] is None else over[number] & over[other]) | {other}
                if new != over[other]:
                    over[other], changed = new, True
    return over


def loops(sass):
    """Instructions of a kernel, and of each loop: products, instructions. What ways to its end do not leave is in it."""
    _, lines, behind = blocks(sass)
    before = [[other for other, after in enumerate(behind) if number in after] for number in range(len(behind))]
    bodies = {}
    for number, over in enumerate(dominators(behind) if behind else []):
        for head in (over or set()) & set(behind[number]):
            body, stack = bodies.setdefault(head, {head}), [number]
            while stack:
                block = stack.pop()
                if block not in body:
                    body.add(block)
                    stack += before[block]
    found = []
    for body in bodies.values():
        count = sum(len(lines[block]) for block in body)
        # Short ones wait for barriers.
        if count > 8:
            found.append((sum(bool(PRODUCT.search(line)) for block in body for line in lines[block]), count))
    return sum(map(len, lines)), found


def code_facts(ptx, arch, how=assemble):
    with tempfile.TemporaryDirectory() as folder:
        cubin, facts = how(ptx, arch, folder)
        if cubin is None:
            return facts
        sass = subprocess.run([tools() / "nvdisasm", "-c", cubin], capture_output=True, text=True, check=True).stdout
    facts["instructions"], found = loops(sass)
    hot = [loop for loop in found if loop[0]]
    if hot:
        most = max(loop[0] for loop in hot)
        facts["products"], facts["loop"] = most, min(loop[1] for loop in hot if loop[0] == most)
    return facts


def as_triton_says(ttgir):
    """The same in the words of Triton 3.6."""
    ttgir = re.sub(r"!tt\.tensordesc<((?:\d+x)+\w+(, #\w+)?)>", r"!tt.tensordesc<tensor<\1>>", ttgir)
    return re.sub(r"\bttg\.barrier \w+(\|\w+)*", "gpu.barrier", ttgir)


def milliseconds(times):
    """Of Triton's stages from the parsed IR to PTX."""
    return sum(micros for name, micros in times.lowering_stages if name != "cubin") / 1e3


def by_triton(ttgir, facts, repeat):
    """(PTX, milliseconds from the IR to it, the fastest run)"""
    import triton
    from triton.backends.compiler import GPUTarget
    took = []
    triton.knobs.compilation.always_compile = True
    triton.knobs.compilation.listener = lambda **event: took.append(milliseconds(event["times"]))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.ttgir"
        path.write_text(as_triton_says(ttgir))
        for _ in range(repeat):
            made = triton.compile(str(path), target=GPUTarget("cuda", int(re.search(r"\d+", facts["target"])[0]), 32),
                                  options={"num_warps": facts["warps"]})
        return made.asm["ptx"], min(took)


def last_words(text):
    """Why Triton gave up: what it says of an error, or of where it ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if re.search(r"error:|Assertion|LLVM ERROR|UNREACHABLE", line)] or lines[-1:]
    return re.sub(r'^loc\("[^"]*"(:\d+)*\): ', "", said[0])[-300:] if said else "its process ended"


def in_child(path, facts, repeat):
    """What Triton makes of an IR file, in a process of its own, which its limits may end."""
    with tempfile.TemporaryDirectory() as folder:
        out, errors = pathlib.Path(folder) / "out.json", pathlib.Path(folder) / "errors"
        child = os.fork()
        if child == 0:
            try:
                os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
                os.dup2(2, 1)
                out.write_text(json.dumps(by_triton(path.read_text(), facts, repeat)))
                os._exit(0)
            except BaseException as problem:
                os.write(2, str(problem).encode())
                os._exit(1)
        if os.waitpid(child, 0)[1] == 0:
            return *json.loads(out.read_text()), None
        return None, None, last_words(errors.read_text(errors="replace"))


def by_gluonc(gluonc, path, facts, repeat):
    """Milliseconds from the IR to PTX, the fastest run."""
    run = subprocess.run([gluonc, "compile", path, "--target", facts["target"], "--emit", "ptx", "--no-cache",
                          "--repeat", str(repeat)], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)["total_min_ms"]


def compare(path, options):
    archs, facts = options.archs.split(","), json.loads(path.read_text())
    if "error" in facts:
        return facts
    ptx = path.with_suffix(".ptx").read_text()
    facts["gluonc"] = code_facts(ptx, archs[0], assembled_by_gluonc)
    for arch in archs[1:]:
        with tempfile.TemporaryDirectory() as folder:
            _, other = assemble(ptx, arch, folder)
        if "refused" in other:
            facts[arch] = other["refused"]
    if options.alone:
        return facts
    theirs, took, problem = in_child(path.with_suffix(".ttgir"), facts, options.repeat)
    if problem:
        facts["triton refuses"] = problem
        return facts
    facts["triton"] = code_facts(theirs, archs[0])
    if options.gluonc:
        facts["triton"]["ms"] = took
        facts["gluonc"]["ms"] = by_gluonc(options.gluonc, path.with_suffix(".ttgir"), facts, options.repeat)
    path.with_suffix(".triton.ptx").write_text(theirs)
    return facts


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else 1.0


def summary(results):
    made = [r for r in results if "gluonc" in r]
    refused = [r for r in made if "refused" in r["gluonc"]]
    both = [r for r in made if "triton" in r and "refused" not in r["gluonc"] and "refused" not in r["triton"]]
    print(f"{len(results)} kernels: {len(results) - len(made)} without machine code, {len(refused)} refused by the "
          f"assembler, {len(both)} compiled by Triton, too")
    for reason, count in collections.Counter(r["triton refuses"] for r in made if "triton refuses" in r).most_common():
        print(f"{count} that Triton refuses: {reason}")
    for name in ("registers", "spills"):
        more = [r for r in both if r["gluonc"][name] > r["triton"][name]]
        print(f"more {name}: {len(more)}, less: "
              f"{sum(r['gluonc'][name] < r['triton'][name] for r in both)}; in all gluonc "
              f"{sum(r['gluonc'][name] for r in both)}, Triton {sum(r['triton'][name] for r in both)}")
        for r in more:
            print(f"    {r['gluonc'][name]} beside {r['triton'][name]}: {r['name']}, {r['test']}")
    for name in ("instructions", "loop", "ms"):
        ratios = {(r["name"], r["test"]): r["gluonc"][name] / r["triton"][name] for r in both
                  if name in r["gluonc"] and name in r["triton"]
                  and (name == "ms" or r["gluonc"].get("products") == r["triton"].get("products"))}
        if ratios:
            print(f"{name} ÷ Triton's: {mean(ratios.values()):.3f} in the geometric mean of {len(ratios)}, "
                  f"{min(ratios.values()):.3f} to {max(ratios.values()):.3f}; largest of {max(ratios, key=ratios.get)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--archs", default="sm_100a,sm_103a,sm_110a")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--gluonc", help="the program, to measure what it and Triton take from the IR to PTX")
    parser.add_argument("--repeat", type=int, default=5, help="compilations by each, the fastest of which counts")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds")
    options = parser.parse_args()
    done = json.loads(options.out.read_text()) if options.out and options.out.exists() else {}
    end = time.monotonic() + options.limit
    if not options.alone:
        tools()  # Children have it imported.
    for path in sorted(options.folder.glob("*.json")):
        if path.stem in done or time.monotonic() > end:
            continue
        done[path.stem] = compare(path, options)
        if options.out:
            options.out.write_text(json.dumps(done, indent=1))
    summary(list(done.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
