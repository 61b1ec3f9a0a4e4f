#!/usr/bin/env python3
"""Compares the machine code of kernels that keep_kernels.py kept with what Triton makes of the same IR.

    PYTHONPATH=FOLDER_OF_TRITON kept_code.py FOLDER [--out FILE.json] [--archs sm_100a,sm_103a,sm_110a] [--alone]

gluonc's PTX of every kernel is assembled for each of the chips. For the first of them Triton compiles the .ttgir, too,
and of both are told: registers, bytes of spills, instructions, and instructions of the hot loop, which is the one
with most matrix products, of those the shortest (nvdisasm). --alone asks Triton nothing. What was done is taken from
FILE.json, so that a run may be in parts (--limit S seconds).
"""

import argparse
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


def loops(sass):
    """Of each loop: products, instructions."""
    places, lines, found = {}, [], []
    for label, _, text in LABEL.findall(sass):
        if label:
            places[label] = len(lines)
        elif text != "NOP":
            lines.append(text)
    for end, text in enumerate(lines):
        target = re.search(r"\bBRA\b.*`\((\.L_x_\d+)\)", text)
        # A jump to itself is behind the end; short ones wait for barriers.
        if target and places.get(target[1], end + 1) < end - 8:
            body = lines[places[target[1]]:end + 1]
            found.append((sum(bool(PRODUCT.search(line)) for line in body), len(body)))
    return len(lines), found


def code_facts(ptx, arch):
    with tempfile.TemporaryDirectory() as folder:
        cubin, facts = assemble(ptx, arch, folder)
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


def by_triton(ttgir, facts):
    """(PTX, seconds to it)"""
    import triton
    from triton.backends.compiler import GPUTarget
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.ttgir"
        path.write_text(as_triton_says(ttgir))
        start = time.perf_counter()
        made = triton.compile(str(path), target=GPUTarget("cuda", int(re.search(r"\d+", facts["target"])[0]), 32),
                              options={"num_warps": facts["warps"]})
        return made.asm["ptx"], time.perf_counter() - start


def compare(path, archs, alone):
    facts = json.loads(path.read_text())
    if "error" in facts:
        return facts
    ptx = path.with_suffix(".ptx").read_text()
    facts["gluonc"] = code_facts(ptx, archs[0])
    for arch in archs[1:]:
        with tempfile.TemporaryDirectory() as folder:
            _, other = assemble(ptx, arch, folder)
        if "refused" in other:
            facts[arch] = other["refused"]
    if alone:
        return facts
    # Triton's own limits end its process.
    out = pathlib.Path(tempfile.gettempdir()) / f"kept-{os.getpid()}.ptx"
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            theirs, _ = by_triton(path.with_suffix(".ttgir").read_text(), facts)
            out.write_text(theirs)
            os._exit(0)
        except BaseException:
            os._exit(1)
    if os.waitpid(child, 0)[1] == 0:
        facts["triton"] = code_facts(out.read_text(), archs[0])
        out.unlink()
    return facts


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else 1.0


def summary(results):
    made = [r for r in results if "gluonc" in r]
    refused = [r for r in made if "refused" in r["gluonc"]]
    both = [r for r in made if "triton" in r and "refused" not in r["gluonc"] and "refused" not in r["triton"]]
    print(f"{len(results)} kernels: {len(results) - len(made)} without machine code, {len(refused)} refused by the "
          f"assembler, {len(both)} compiled by Triton, too")
    for name in ("registers", "spills"):
        more = [r for r in both if r["gluonc"][name] > r["triton"][name]]
        print(f"more {name}: {len(more)}, less: "
              f"{sum(r['gluonc'][name] < r['triton'][name] for r in both)}; in all gluonc "
              f"{sum(r['gluonc'][name] for r in both)}, Triton {sum(r['triton'][name] for r in both)}")
    for name in ("instructions", "loop"):
        ratios = [r["gluonc"][name] / r["triton"][name] for r in both if name in r["gluonc"] and name in r["triton"] and
                  r["gluonc"].get("products") == r["triton"].get("products")]
        if ratios:
            print(f"{name} ÷ Triton's: {mean(ratios):.3f} in the geometric mean of {len(ratios)}, {min(ratios):.2f} to "
                  f"{max(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--archs", default="sm_100a,sm_103a,sm_110a")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds")
    options = parser.parse_args()
    done = json.loads(options.out.read_text()) if options.out and options.out.exists() else {}
    end = time.monotonic() + options.limit
    if not options.alone:
        tools()  # Children have it imported.
    for path in sorted(options.folder.glob("*.json")):
        if path.stem in done or time.monotonic() > end:
            continue
        done[path.stem] = compare(path, options.archs.split(","), options.alone)
        if options.out:
            options.out.write_text(json.dumps(done, indent=1))
    summary(list(done.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
